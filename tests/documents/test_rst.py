"""reStructuredText is read as docutils parses it, each character in place, nothing run or read."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from docutils import nodes
from docutils.parsers.rst import Parser
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.support.placed import checked, written
from verifier.documents import plain
from verifier.documents._places import Run
from verifier.documents._rst_inline import Inline
from verifier.documents._rst_lines import SourceLines
from verifier.documents._rst_parser import MOST_CHARACTERS, MOST_COLUMNS, TooLarge, parse
from verifier.documents.rst import DOCUMENT, read
from verifier.model.document import NO_PLACE, Block, Cell, Mark


@pytest.fixture
def never_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where the reader would fall back to plain text."""

    def refuse(source: str) -> tuple[Block, ...]:
        pytest.fail(f"read as plain text: {source!r}")

    monkeypatch.setattr(plain, "read", refuse)


parsed = pytest.mark.usefixtures("never_plain")


def only(source: str) -> Block:
    (block,) = checked(read, source)
    return block


def seen(source: str) -> list[tuple[str, int, str]]:
    return [(block.kind, block.line, block.text) for block in checked(read, source)]


def texts(source: str) -> list[str]:
    return [block.text for block in checked(read, source)]


def cells(source: str) -> list[tuple[str, int, int, str, str]]:
    return [
        (block.text, c.row, c.column, c.row_label, c.column_label)
        for block in checked(read, source)
        if (c := block.cell) is not None
    ]


def places(source: str) -> list[tuple[str, str]]:
    """Each cell, with all of the line that stands before it in the source."""
    found = []
    for block in checked(read, source):
        if block.cell is not None and block.text:
            start = block.offsets[0]
            assert start != NO_PLACE, block
            found.append((block.text, source[source.rfind("\n", 0, start) + 1 : start]))
    return found


def unplaced(blocks: Sequence[Block]) -> str:
    """The characters that have no place."""
    return "".join(
        character
        for block in blocks
        for character, place in zip(block.text, block.offsets, strict=True)
        if place == NO_PLACE
    )


def test_it_reads_restructuredtext_files() -> None:
    assert (DOCUMENT.id, DOCUMENT.suffixes) == ("rst", (".rst", ".rest"))
    assert DOCUMENT.read is read


@parsed
@pytest.mark.parametrize(
    "source", ["", "\n \n", "----\n", "..\n", ".. _a: b\n", "\n\n.. class:: x"]
)
def test_nothing_is_read_from_nothing(source: str) -> None:
    assert read(source) == ()


@parsed
def test_a_paragraph_without_marks_is_one_stretch_of_the_source() -> None:
    assert only("\nThe mean\nis 0.5.\n") == Block(
        kind="text", text="The mean\nis 0.5.", offsets=range(1, 17), line=2
    )


@parsed
def test_marks_are_removed_and_every_character_placed() -> None:
    source = "A *b* **-2.5** ``c\\n 3`` :sub:`4` `5`:strong: `6` \\*7\\* 8\\ 9 _`t` [1]_ [C]_ z"
    block = only(source)
    assert block.text == "A b -2.5 c\\n 3 4 5 6 *7* 89 t [1] [C] z".replace("3 4", "3 _4")
    assert unplaced([block]) == "_"
    assert written(source, block) == source
    assert Mark(kind="code", start=9, end=14) in block.marks


@parsed
def test_raised_digits_stay_apart() -> None:
    block = only("10\\ :sup:`-3` and x\\ :sub:`1`")
    assert block.text == "10^-3 and x_1"
    assert unplaced([block]) == "^_"


@parsed
def test_lines_of_a_paragraph_follow_each_other_through_marks() -> None:
    source = "* a **b\n  1.5** c\\\n  d\n"
    block = only(source)
    assert block.text == "a b\n1.5 cd"
    assert unplaced([block]) == ""


@parsed
def test_a_role_that_names_what_it_marks_is_passed_over() -> None:
    source = ".. role:: r5\n\n:r5:`5`\n"
    block = only(source)
    assert (block.text, block.offsets) == ("5", range(19, 20))


@parsed
def test_a_role_of_one_document_is_unknown_in_the_next() -> None:
    assert only(".. role:: own\n\n:own:`5`\n").text == "5"
    assert only(":own:`5`\n").text == ":own:`5`"


@parsed
def test_what_docutils_cannot_read_inside_a_paragraph_is_text() -> None:
    block = only("a *b :x:`\\*5` |6| `7\n")
    assert block.text.replace("\\", "") == "a *b :x:`*5` 6 `7"
    assert unplaced([block]) == ""


@parsed
def test_links_have_their_targets() -> None:
    source = "`a 1 <http://h.example/2>`_ ref_ `q r`_ x__ http://h.example/3 <me@h.example>\n\n"
    block = only(f"{source}.. _ref: http://t.example/4\n")
    assert block.text == "a 1 ref q r x http://h.example/3 <me@h.example>"
    assert block.marks == (
        Mark(kind="link", start=0, end=3, value="http://h.example/2"),
        Mark(kind="link", start=4, end=7, value="http://t.example/4"),
        Mark(kind="link", start=8, end=11, value=""),
        Mark(kind="link", start=12, end=13, value=""),
        Mark(kind="url", start=14, end=32),
        Mark(kind="link", start=34, end=46, value="mailto:me@h.example"),
    )
    assert unplaced([block]) == ""


@parsed
def test_substitutions_show_what_they_stand_for_without_a_place() -> None:
    block = only("|Rate| or |rate| not |none| 5\n\n.. |rate| replace:: 12.5 *ms*\n")
    assert block.text == "12.5 ms or 12.5 ms not none 5"
    assert unplaced([block]) == "12.5 ms12.5 ms"


@parsed
def test_long_substitutions_and_dates_are_not_written_out() -> None:
    source = f"|a| |d|\n\n.. |a| replace:: {'5 ' * 150}\n.. |d| date::\n"
    assert only(source).text == "a d"


@parsed
def test_headings_stand_above_what_follows() -> None:
    source = "=\nA\n=\n\n1\n\nB *b*\n-----\n\n2\n\nC\n~\n\n3\n\nD\n-----\n\n4\n"
    assert [(b.kind, b.line, b.text, b.heading) for b in checked(read, source)] == [
        ("heading", 2, "A", ()),
        ("text", 5, "1", ("A",)),
        ("heading", 7, "B b", ("A",)),
        ("text", 10, "2", ("A", "B b")),
        ("heading", 12, "C", ("A", "B b")),
        ("text", 15, "3", ("A", "B b", "C")),
        ("heading", 17, "D", ("A",)),
        ("text", 20, "4", ("A", "D")),
    ]


@parsed
def test_numbers_of_lists_and_footnotes_do_not_show() -> None:
    source = "1. a\n2. b\n\n   c\n\n(5) 5\n(6) 6\n\n* d\n\n.. [1] e\n.. [C7] f\n.. [#] g\n"
    assert texts(source) == ["a", "b", "c", "5", "6", "d", "e", "f", "g"]
    assert [source[b.offsets[0] - 1] for b in checked(read, source)][3:5] == [" ", " "]


@parsed
def test_each_part_of_a_list_of_names_has_its_place() -> None:
    source = "term 1 : class 2\n  text 3\n\n:5: 5\n\n-o FILE  text 7\n\n| line 8\n| line 9\n"
    blocks = checked(read, source)
    assert [block.text for block in blocks][:5] == ["term 1", "class 2", "text 3", "5", "5"]
    assert [block.text for block in blocks][-3:] == ["text 7", "line 8", "line 9"]
    assert [block.offsets[0] for block in blocks[3:5]] == [source.index("5"), source.rindex("5")]
    assert unplaced(blocks) == ""


@parsed
@pytest.mark.parametrize(
    ("source", "text", "line"),
    [
        ("::\n\n  1\n    2 \\3\n", "1\n  2 \\3", 3),
        (".. code:: python\n\n   x = 1\n", "x = 1", 3),
        (".. code-block::\n   :name: n\n\n   x = 1\n", "x = 1", 4),
        (">>> 1 + 1\n2\n", ">>> 1 + 1\n2", 1),
        (".. parsed-literal::\n\n   x = *1*\n", "x = 1", 3),
    ],
)
def test_literal_blocks_are_code(source: str, text: str, line: int) -> None:
    block = only(source)
    assert (block.kind, block.text, block.line) == ("code", text, line)
    assert unplaced([block]) == ""


@parsed
def test_formulas_are_text() -> None:
    blocks = checked(read, ".. math::\n\n   x = 5\n\n:math:`a\\_6`\n")
    assert [(block.kind, block.text) for block in blocks] == [("text", "x = 5"), ("text", "a\\_6")]
    assert unplaced(blocks) == ""


@parsed
def test_captions_and_notes_are_text() -> None:
    source = ".. figure:: a5.png\n   :alt: 4\n\n   Size 6\n\n   Legend 7\n\n.. note:: 8\n"
    source += "\n.. image:: b9.png\n"
    blocks = checked(read, source)
    assert [block.text for block in blocks] == ["Size 6", "Legend 7", "8"]
    assert unplaced(blocks) == ""


GRID = """
+------+-------+
| a    | b     |
|      | *c*   |
+======+=======+
| 15   | * 5   |
| long | * 6   |
+------+-------+
| span 4       |
+--------------+
"""


@parsed
def test_cells_of_a_grid_know_row_and_column() -> None:
    assert cells(f".. table:: The *sizes*\n{GRID.replace(chr(10), chr(10) + '   ')}") == [
        ("a", 0, 1, "a", "a"),
        ("b\nc", 0, 2, "a", "b c"),
        ("15\nlong", 1, 1, "15 long", "a"),
        ("5\n6", 1, 2, "15 long", "b c"),
        ("span 4", 2, 1, "span 4", "a"),
    ]


@parsed
def test_cells_that_share_lines_have_their_own_places() -> None:
    blocks = checked(read, GRID)
    found = [[GRID[place] for place in block.offsets if place != NO_PLACE] for block in blocks]
    assert found == [["a"], ["b", "c"], list("15long"), ["5", "6"], list("span 4")]
    assert [block.line for block in blocks] == [3, 3, 6, 6, 9]
    # The line goes on with the border behind the first line of a cell.
    assert unplaced(blocks) == "\n\n\n"


@parsed
def test_equal_numbers_in_a_row_have_places_of_their_own() -> None:
    source = """
+----+----+-----+
| 15 | 5  | -5  |
|    +----+-----+
|    | 5  | 5 % |
+----+----+-----+
| 5  | 15 | 5.5 |
+----+----+-----+
"""
    assert places(source) == [
        ("15", "| "),
        ("5", "| 15 | "),
        ("-5", "| 15 | 5  | "),
        ("5", "|    | "),
        ("5 %", "|    | 5  | "),
        ("5", "| "),
        ("15", "| 5  | "),
        ("5.5", "| 5  | 15 | "),
    ]
    assert cells(source)[3] == ("5", 2, 2, "15", "")


@parsed
def test_a_cell_beside_a_taller_one_to_its_right_has_its_place() -> None:
    source = "\n+---+---+\n| 1 | 2 |\n+---+   |\n| 2 | 2 |\n+---+---+\n"
    assert places(source) == [("1", "| "), ("2\n2", "| 1 | "), ("2", "| ")]


@parsed
def test_text_that_begins_below_a_border_of_its_neighbours_has_its_place() -> None:
    source = "\n+---+---+\n| 1 |   |\n+---+   |\n| 2 | 2 |\n+---+---+\n"
    assert places(source) == [("1", "| "), ("2", "| 2 | "), ("2", "| ")]


@parsed
def test_wide_characters_take_two_columns_of_a_grid() -> None:
    source = """
* +--------+--------+
  | \u6f22\u5b575  | 5 \xe9    |
  +--------+        |
  | 5      | 5      |
  +--------+--------+
"""
    assert places(source) == [
        ("\u6f22\u5b575", "  | "),
        ("5 \xe9\n5", "  | \u6f22\u5b575  | "),
        ("5", "  | "),
    ]


@parsed
def test_the_number_of_a_list_in_a_cell_is_not_taken_for_its_text() -> None:
    assert places("+------+\n| 5) 5 |\n+------+\n") == [("5", "| 5) ")]


@parsed
def test_cells_between_tabs_have_their_places() -> None:
    source = "=======  ===\n5\t 5\n=======  ===\n"
    assert places(source) == [("5", ""), ("5", "5\t ")]


def test_text_is_looked_for_on_existing_lines_only() -> None:
    lines = SourceLines("a\n\xe9 b\n")
    missing = (-1, (NO_PLACE,))
    assert lines.find("b", (-1, 7, 0), at_end=True, within=None) == missing
    assert lines.find("b", (1,), at_end=False, within=(9, 12)) == missing
    assert lines.find("a\nb", (0,), at_end=True, within=None) == (0, (0, 1, 4))
    assert lines.find("a\nb\nc", (0,), at_end=True, within=None)[0] == -1


@parsed
def test_a_simple_table_is_read() -> None:
    source = """
=====  =====
 A      B
=====  =====
5      5
..     -5
5      4 and
       **5**
=====  =====
"""
    assert cells(source)[2:] == [
        ("5", 1, 1, "5", "A"),
        ("5", 1, 2, "5", "B"),
        ("-5", 2, 2, "", "B"),
        ("5", 3, 1, "5", "A"),
        ("4 and\n5", 3, 2, "5", "B"),
    ]
    assert places(source)[2:] == [
        ("5", ""),
        ("5", "5      "),
        ("-5", "..     "),
        ("5", ""),
        ("4 and\n5", "5      "),
    ]


@parsed
def test_a_table_of_lists_is_read() -> None:
    source = """
.. list-table:: Sizes *of* 3
   :header-rows: 1

   * - h1
     - h2
   * - 5
     - ``6``

       .. claim: c
"""
    caption, *found = checked(read, source)
    assert (caption.kind, caption.text, caption.line) == ("text", "Sizes of 3", 2)
    last = found[-1]
    assert (last.kind, last.text, last.line) == ("cell", "6", 8)
    assert last.cell == Cell(
        table=1, caption="Sizes of 3", row=1, column=2, row_label="5", column_label="h2"
    )
    assert last.marks == (
        Mark(kind="code", start=0, end=1),
        Mark(kind="comment", start=1, end=1, value="claim: c"),
    )
    assert unplaced(found) == ""


@parsed
@pytest.mark.parametrize("before", ["", "\n", "Text 7\n\n"])
def test_a_table_of_comma_separated_values_is_read(before: str) -> None:
    source = f'{before}.. csv-table::\n   :header: "x", 7\n\n   "7, 5",7\n   **7**, 77\n'
    assert cells(source) == [
        ("x", 0, 1, "x", "x"),
        ("7", 0, 2, "x", "7"),
        ("7, 5", 1, 1, "7, 5", "x"),
        ("7", 1, 2, "7, 5", "7"),
        ("7", 2, 1, "7", "x"),
        ("77", 2, 2, "7", "7"),
    ]
    assert places(source) == [
        ("x", '   :header: "'),
        ("7", '   :header: "x", '),
        ("7, 5", '   "'),
        ("7", '   "7, 5",'),
        ("7", "   **"),
        ("77", "   **7**, "),
    ]


@parsed
def test_literal_text_in_a_cell_is_marked_as_code() -> None:
    block = only("+-------+\n| a 1:: |\n|       |\n|   2   |\n+-------+\n")
    assert (block.kind, block.text) == ("cell", "a 1:\n2")
    assert block.marks == (Mark(kind="code", start=5, end=6),)


@parsed
def test_a_table_in_a_cell_is_a_table_of_its_own() -> None:
    source = """
+-------------+---+
| 1           | 4 |
|             |   |
| +---+---+   |   |
| | 2 | 3 |   |   |
| +---+---+   |   |
+-------------+---+
"""
    found = [(b.text, b.cell.table, b.cell.row, b.cell.column) for b in read(source) if b.cell]
    assert found == [("1", 1, 1, 1), ("2", 2, 1, 1), ("3", 2, 1, 2), ("4", 1, 1, 2)]
    assert [text for text, _ in places(source)] == ["1", "2", "3", "4"]


@parsed
def test_a_comment_belongs_to_the_end_of_the_block_before_it() -> None:
    first, second = checked(read, "1.5\n\n.. claim: a\n   = b\n.. c\n\n2\n\n..\n")
    assert first.marks == (
        Mark(kind="comment", start=3, end=3, value="claim: a\n= b"),
        Mark(kind="comment", start=3, end=3, value="c"),
    )
    assert second.marks == ()


@parsed
def test_a_comment_before_any_text_has_an_empty_block() -> None:
    first, second = checked(read, "\n.. a\n\n1\n")
    assert (first.text, first.line, [mark.value for mark in first.marks]) == ("", 2, ["a"])
    assert (second.text, second.marks) == ("1", ())


@parsed
@pytest.mark.parametrize(
    "directive",
    [
        ".. unknown:: 12\n\n   para 9\n",
        ".. raw:: html\n\n   <b>9</b>\n",
        ".. csv-table:: 5\n   :file: {file}\n",
        ".. csv-table:: 5\n   :url: file://{file}\n",
        ".. include:: {file}\n",
        ".. include:: {file}\n   :literal:\n",
        ".. raw:: text\n   :file: {file}\n",
        ".. table:: 5\n\n   === ==\n   1 2\n",
    ],
)
def test_a_directive_that_is_refused_is_text_as_it_stands(directive: str, tmp_path: Path) -> None:
    file = tmp_path / "secret.txt"
    file.write_text("4711", encoding="utf-8")
    source = f"a\n\n{directive.format(file=file)}\nb\n"
    first, refused, last = checked(read, source)
    assert (first.text, last.text) == ("a", "b")
    assert (refused.kind, refused.line) == ("text", 3)
    assert refused.text.strip() == directive.format(file=file).strip()


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    assert read("a\n==\n\n*b `c |d|\n\n.. e::\n\n  f\n g\n\n.. include:: h\n")
    assert capfd.readouterr() == ("", "")


@parsed
def test_line_ends_and_tabs_keep_their_places() -> None:
    source = "\ufeff1\r\n2\r3\n\n-\t4\tx\f5\n"
    first, second = checked(read, source)
    assert first.text == "1\n2\n3"
    assert second.text.split() == ["4", "x", "5"]
    assert unplaced([first]) == "\n"
    assert unplaced([second]).strip() == ""


@parsed
@pytest.mark.parametrize("separator", ["\u2028", "\x85", "\x1c"])
def test_what_docutils_takes_for_line_ends_shifts_no_line(separator: str) -> None:
    blocks = checked(read, f"1{separator}2\n\n3\n")
    assert [block.text for block in blocks] == ["1\n2", "3"]
    assert unplaced(blocks) == "\n"


def test_a_wide_or_endless_text_is_read_as_plain_text() -> None:
    wide = "+" + "-" * MOST_COLUMNS + "+\n|" + " " * MOST_COLUMNS + "|\n"
    endless = f"{'a' * MOST_CHARACTERS}\n\n*5*\n"
    for source in (wide, endless):
        with pytest.raises(TooLarge):
            parse(source)
        assert read(source) == plain.read(source)


@pytest.mark.parametrize("source", ["- " * 2000 + "5", "5\n\n" + "> " * 10 + "\\ " * 10])
def test_nesting_without_end_is_read(source: str) -> None:
    assert "5" in "".join(block.text for block in checked(read, source))


def test_whatever_docutils_raises_the_text_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Parser, source: str, document: object) -> None:
        raise ZeroDivisionError(self, source, document)

    monkeypatch.setattr(Parser, "parse", broken)
    assert texts("*1*\n\n2\n") == ["*1*", "2"]


@pytest.mark.parametrize(
    "piece", ["*a ", "`a ", "``a ", "|a ", "_`a ", "a:", "`a <", "*a* ", "a_ "]
)
def test_a_long_paragraph_of_marks_is_kept_as_text(piece: str) -> None:
    source = ("7\n\n" + piece * (200_000 // len(piece))).rstrip()
    assert read(source) == plain.read(source)


@pytest.mark.parametrize(
    "piece", ["1", "a", " ", "\\", "_", "*", "|", "+", "=", "\t", "'", "- a\n"]
)
def test_a_long_line_is_read(piece: str) -> None:
    source = f"7\n\n{piece * (1000 if len(piece) > 1 else 300_000)}\n\n8\n"
    text = "".join(block.text for block in read(source))
    assert (text[0], text[-1]) == ("7", "8")


@parsed
def test_marks_of_a_long_paragraph_are_read_as_long_as_it_takes_no_ages() -> None:
    source = "*a* " * 300
    first, second = checked(read, f"{source}5\n\n{'*a* ' * 3000}5\n")
    assert (first.text, second.text) == ("a " * 300 + "5", "*a* " * 3000 + "5")


def test_a_paragraph_that_does_not_fit_its_source_has_no_places() -> None:
    node = nodes.paragraph("", "", nodes.Text("a\0b\0 c"), nodes.strong("**5**", "5"))
    run = Run()
    Inline({}, {}).write(node, "other **5**", range(11), run, literal=False)
    assert run.text() == "abc5"
    assert list(run.offsets()) == [NO_PLACE] * 4


PIECES = st.sampled_from(
    [
        *("*", "**", "`", "``", "_", "__", "|", "[1]_", "\\", "\n", "\n\n", "  ", "    ", "- "),
        *("* ", "1. ", ":a:", ".. ", "::", " : ", "1.5", "-2", "a", "+---+---+\n", "| 1 | 2 |\n"),
        *("=== ===\n", "1   2\n", ".. list-table::\n\n", "   * - 1\n     - 2\n", "|s|", "\t", "\f"),
        *('.. csv-table::\n\n   1,"2, 3"\n', "http://x.y/5", " <http://5>`_", "\r\n", "\r", "\0"),
        *(".. |s| replace:: 9\n", "===\n", "---\n", ">>> 1\n", ".. claim: x\n", ".. code::\n\n"),
        *("\u2028", "\x85", "\ufeff", " ", ":5: 5\n", ".. math:: 5\n", ":sup:`2`", ".. [1] x\n"),
        *(
            "--a  b\n",
            ".. figure:: x\n\n   5\n",
            '"',
            ".. note:: 5 *6*\n",
            ".. raw:: html\n\n   5\n",
        ),
        *(".. role:: x\n", ":x:`5`"),
    ]
)


@parsed
@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(PIECES | st.text(max_size=3), max_size=30).map("".join))
@example(".. math:: 5\n\n::")
def test_any_text_keeps_its_places(source: str) -> None:
    checked(read, source)
