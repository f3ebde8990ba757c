"""Markdown is read as GitHub shows it, with every character at its place."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.placed import checked, written
from verifier.documents import markdown, plain
from verifier.documents._markdown_inline import visible
from verifier.documents.markdown import DOCUMENT, read
from verifier.model.document import NO_PLACE, Block, Cell, Mark

LINE_ENDS = ("\n", "\r\n", "\r")


@pytest.fixture
def _never_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where the reader would fall back to plain text."""

    def refuse(source: str) -> tuple[Block, ...]:
        pytest.fail(f"read as plain text: {source!r}")

    monkeypatch.setattr(plain, "read", refuse)


pytestmark = pytest.mark.usefixtures("_never_plain")


def only(source: str) -> Block:
    (block,) = checked(read, source)
    return block


def cells(blocks: Sequence[Block]) -> list[tuple[int, int, int, str, str, str]]:
    return [
        (c.table, c.row, c.column, block.text, c.row_label, c.column_label)
        for block in blocks
        if (c := block.cell) is not None
    ]


def seen(blocks: Sequence[Block]) -> list[tuple[str, int, str]]:
    return [(block.kind, block.line, block.text) for block in blocks]


def test_it_reads_markdown_files() -> None:
    assert (DOCUMENT.id, DOCUMENT.suffixes) == ("markdown", (".md", ".markdown"))
    assert DOCUMENT.read is read


def test_nothing_is_read_from_nothing() -> None:
    assert read("") == ()
    assert read("\n \n***\n") == ()


def test_a_paragraph_without_marks_is_one_stretch_of_the_source() -> None:
    assert only("\nThe mean\nis 0.5.\n") == Block(
        kind="text", text="The mean\nis 0.5.", offsets=range(1, 17), line=2
    )


@pytest.mark.parametrize("end", LINE_ENDS)
def test_line_ends_of_any_kind_stay_newlines(end: str) -> None:
    block = only(f"5{end}**6**")
    assert block.text == "5\n6"
    assert block.offsets[0] == 0
    assert block.offsets[2] == 3 + len(end)


def test_marks_of_emphasis_are_no_text() -> None:
    block = only("a **0.5** _6_ ~~7~~ ***8*** *9")
    assert block.text == "a 0.5 6 7 8 *9"
    assert [block.offsets[block.text.index(digit)] for digit in "56789"] == [6, 11, 16, 23, 29]
    assert block.marks == ()


def test_an_odd_run_of_tildes_keeps_one() -> None:
    assert only("~~5~~~ 6").text == "5~ 6"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("5  \n6", "5\n6"),
        ("5\\\n   6", "5\n6"),
        ("`5` \n\t6", "5\n6"),
        ("5 \\\n6", "5 \n6"),
    ],
)
def test_breaks_are_newlines_without_the_blanks_around_them(source: str, text: str) -> None:
    block = only(source)
    assert block.text == text
    assert NO_PLACE not in block.offsets


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("x `5` y", "5"),
        ("x `` a`5 `` y", "a`5"),
        ("x ` ` y", " "),
        ("x `a\n  5` y", "a\n  5"),
        ("x `  5  ` y", " 5 "),
        ("x ```` ``5`` ```` y", "``5``"),
    ],
)
def test_code_inside_a_paragraph_is_marked(source: str, text: str) -> None:
    block = only(source)
    assert block.text == f"x {text} y"
    assert block.marks == (Mark(kind="code", start=2, end=2 + len(text)),)
    assert NO_PLACE not in block.offsets


def test_the_text_of_a_link_is_text_and_its_target_a_mark() -> None:
    block = only('see [run *5*](<a 6.json> "7") 8')
    assert block.text == "see run 5 8"
    assert block.marks == (Mark(kind="link", start=4, end=9, value="a%206.json"),)
    assert block.offsets[-1] == 30


def test_a_link_by_reference_shows_neither_label_nor_definition() -> None:
    block = only("[run 5][r] [r] [6][]\n\n[r]: a.json '7'\n[6]: b.json")
    assert block.text == "run 5 r 6"
    assert [mark.value for mark in block.marks] == ["a.json", "a.json", "b.json"]


def test_brackets_that_are_no_link_are_text() -> None:
    assert only("[0.1, 0.2] [5](javascript:6)").text == "[0.1, 0.2] [5](javascript:6)"


def test_an_image_shows_its_alternative_text() -> None:
    block = only("a ![plot `5` ![6](b.png)](a.png) 7 ![](c.png)")
    assert block.text == "a plot 5 6 7 "
    assert block.marks == (
        Mark(kind="link", start=2, end=10, value="a.png"),
        Mark(kind="code", start=7, end=8),
        Mark(kind="link", start=9, end=10, value="b.png"),
    )
    assert NO_PLACE not in block.offsets


def test_addresses_are_marked_whether_bare_or_in_angle_brackets() -> None:
    block = only("<http://a.b/%35> <c@d.e> http://f.g/6. 7")
    assert block.text == "http://a.b/%35 c@d.e http://f.g/6. 7"
    assert block.marks == (
        Mark(kind="url", start=0, end=14),
        Mark(kind="url", start=15, end=20),
        Mark(kind="url", start=21, end=33),
    )


def test_escapes_and_entities_show_what_they_stand_for() -> None:
    block = only(r"\*5 \q &minus;6 &#55;")
    assert block.text == "*5 \\q \u22126 7"
    assert block.offsets == (1, 2, 3, 4, 5, 6, NO_PLACE, 14, 15, NO_PLACE)


def test_a_comment_in_a_paragraph_renders_to_nothing() -> None:
    block = only("mean 5<!-- claim: a --> or 6<!---->, 7<!-->.")
    assert block.text == "mean 5 or 6, 7."
    assert block.marks == (
        Mark(kind="comment", start=6, end=6, value=" claim: a "),
        Mark(kind="comment", start=11, end=11, value=""),
        Mark(kind="comment", start=14, end=14, value=""),
    )


def test_what_stands_behind_the_end_of_a_comment_is_seen() -> None:
    block = only("a <!-- b ----> 5 --> 6")
    assert (block.text, block.marks) == (
        "a  5 --> 6",
        (Mark(kind="comment", start=2, end=2, value=" b --"),),
    )


def test_tags_inside_a_paragraph_vanish_but_keep_digits_apart() -> None:
    block = only('a <b id="9">5</b> 10<sup>3</sup> x<SUB>6</SUB>7<br/>8 <?9?>')
    assert block.text == "a 5 10^3 x_67\n8 "


@pytest.mark.parametrize("end", LINE_ENDS)
def test_a_comment_alone_belongs_to_the_end_of_the_block_before(end: str) -> None:
    first, second = checked(read, f"a 5{end}<!-- b -->{end}{end}<!-- c --> <!--->{end}{end}d")
    assert first.marks == (
        Mark(kind="comment", start=3, end=3, value=" b "),
        Mark(kind="comment", start=3, end=3, value=" c "),
        Mark(kind="comment", start=3, end=3, value=""),
    )
    assert second.marks == ()


def test_a_comment_before_everything_has_an_empty_block() -> None:
    first, second = checked(read, "\n<!-- a -->\n\n5")
    assert first == Block(
        kind="text",
        text="",
        offsets=range(0),
        line=2,
        marks=(Mark(kind="comment", start=0, end=0, value=" a "),),
    )
    assert second.text == "5"


def test_a_comment_behind_a_table_belongs_to_its_last_cell() -> None:
    *_, last = checked(read, "a|b\n-|-\n1|2\n<!-- c -->")
    assert (last.text, last.marks) == ("2", (Mark(kind="comment", start=1, end=1, value=" c "),))


def test_headings_know_what_stands_above_them() -> None:
    blocks = checked(read, "# A *1*\n\na\n\n### B 2 ##\nb\n\nC\n3\n---\n\n#\n\n- # D\n\nd")
    assert [(block.kind, block.text, block.heading) for block in blocks] == [
        ("heading", "A 1", ()),
        ("text", "a", ("A 1",)),
        ("heading", "B 2", ("A 1",)),
        ("text", "b", ("A 1", "B 2")),
        ("heading", "C\n3", ("A 1",)),
        ("heading", "D", ()),
        ("text", "d", ("D",)),
    ]


@pytest.mark.parametrize(
    "source", ["# 5 # 5 ##", "> - # 5 # 5", "5 # 5\n=====", "#\t5 # 5\t#", "# \xa05 # 5"]
)
def test_a_heading_is_placed_behind_its_signs(source: str) -> None:
    block = only(source)
    assert (block.kind, block.text) == ("heading", "5 # 5")
    assert written(source, block) == "5 # 5"


def test_the_number_of_a_list_item_is_no_text() -> None:
    blocks = checked(read, "7. a 5\n8. b 6\n\n   c\n- d\n  - e")
    assert seen(blocks) == [
        ("text", 1, "a 5"),
        ("text", 2, "b 6"),
        ("text", 4, "c"),
        ("text", 5, "d"),
        ("text", 6, "e"),
    ]


@pytest.mark.parametrize(
    "source",
    ["> a 5\n> 6", "> a 5\n6", ">a 5\n>\t6", "- a 5\n  6", "- > a 5\n  > 6  ", "> > a 5\n>6"],
)
def test_marks_of_quotes_and_lists_before_a_line_are_no_text(source: str) -> None:
    block = only(source)
    assert block.text == "a 5\n6"
    assert NO_PLACE not in block.offsets


def test_code_blocks_are_code() -> None:
    source = "```py 9\nx = 5\n\n y\n```\n\n    z = 6\n\n\tw\n\n> ~~~\n> v = 7\n"
    blocks = checked(read, source)
    assert seen(blocks) == [
        ("code", 2, "x = 5\n\n y"),
        ("code", 7, "z = 6\n\nw"),
        ("code", 12, "v = 7"),
    ]
    assert all(NO_PLACE not in block.offsets for block in blocks)


def test_code_that_ends_with_the_file_is_placed() -> None:
    assert only("    5").offsets == range(4, 5)
    assert only("```\n5").offsets == range(4, 5)


@pytest.mark.parametrize("source", ["```\n```", "```", "~~~\n"])
def test_an_empty_code_block_is_nothing(source: str) -> None:
    assert read(source) == ()


def test_blanks_that_a_tab_was_split_into_have_no_place() -> None:
    block = only(">\t\t5")
    assert (block.kind, block.text, block.offsets) == ("code", "  5", (NO_PLACE, NO_PLACE, 3))


def test_cells_know_their_row_and_column() -> None:
    blocks = checked(read, "| arm | *kld* |\n|:-|-:|\n| fp8 | **0.5** |\n| bf16 |\n|| 7 | 8 |\n")
    assert cells(blocks) == [
        (1, 0, 1, "arm", "arm", "arm"),
        (1, 0, 2, "kld", "arm", "kld"),
        (1, 1, 1, "fp8", "fp8", "arm"),
        (1, 1, 2, "0.5", "fp8", "kld"),
        (1, 2, 1, "bf16", "bf16", "arm"),
        (1, 3, 2, "7", "", "kld"),
    ]
    assert [block.line for block in blocks] == [1, 1, 3, 3, 4, 5]


def test_tables_are_counted() -> None:
    blocks = checked(read, "a|b\n-|-\n1|2\n\n# H\n\nc|d\n-|-\n3|4")
    assert [block.cell and block.cell.table for block in blocks] == [1, 1, 1, 1, None, 2, 2, 2, 2]
    assert blocks[-1].heading == ("H",)
    assert blocks[-1].cell == Cell(
        table=2, caption="", row=1, column=2, row_label="3", column_label="d"
    )


@pytest.mark.parametrize(
    "source",
    [
        "a | b\n--|--\n5 | 6",
        "|a|b|\n|-|-|\n|5|6|",
        "> a | b\n> --|--\n> 5 | 6",
        "- a | b\n  --|--\n  5 | 6",
        "1. > | a | b |\n   > |---|---|\n   > | 5 | 6 |  ",
        " \ta | b\n\n|a|b\n|-|-\n\t\t5\n",
    ],
)
def test_cells_stand_where_they_are_written(source: str) -> None:
    blocks = checked(read, source)
    assert all(written(source, block) == block.text for block in blocks)


def test_what_looks_like_a_list_number_in_a_quoted_row_is_a_cell() -> None:
    blocks = checked(read, "> 1. | 5\n> --|--\n> -5 | 6\n")
    assert [(block.text, block.offsets[0]) for block in blocks] == [
        ("1.", 2),
        ("5", 7),
        ("-5", 19),
        ("6", 24),
    ]


def test_an_escaped_pipe_is_text_of_its_cell() -> None:
    source = "a \\| 1 | b\n-|-\n| `\\|` 5 \\| | \\|6\\|\n"
    blocks = checked(read, source)
    assert [block.text for block in blocks] == ["a | 1", "b", "| 5 |", "|6|"]
    assert blocks[2].marks == (Mark(kind="code", start=0, end=1),)
    assert all(NO_PLACE not in block.offsets for block in blocks)


def test_a_cell_may_hold_nothing_but_a_comment() -> None:
    *_, last = checked(read, "a|b\n-|-\n1|<!-- c -->")
    assert (last.text, last.marks) == ("", (Mark(kind="comment", start=0, end=0, value=" c "),))


def test_a_line_break_in_a_header_is_a_blank_in_its_label() -> None:
    *_, last = checked(read, "a|mean<br>kld\n-|-\n1|2")
    assert last.cell is not None
    assert last.cell.column_label == "mean kld"


def test_cells_that_the_library_splits_otherwise_lose_their_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(markdown, "split_row", lambda row, start: [(row, range(start, start + 1))])
    blocks = read("a|b\n-|-\n1|2")
    assert [block.text for block in blocks] == ["a", "b", "1", "2"]
    assert [tuple(block.offsets) for block in blocks] == [(NO_PLACE,)] * 4


def test_html_blocks_are_read_as_html_at_their_places() -> None:
    source = "# A\r\n\r\n<p>mean\r\n  <b>5</b></p>\r\n\r\nb 6\r\n"
    _, shown, after = checked(read, source)
    assert (shown.kind, shown.line, shown.heading) == ("text", 3, ("A",))
    assert shown.text.split() == ["mean", "5"]
    assert shown.offsets[shown.text.index("5")] == source.index("5")
    assert after.text == "b 6"


def test_an_html_table_goes_on_behind_a_blank_line() -> None:
    source = (
        "a|b\n-|-\n1|2\n\n> <table><tr><th>c</th></tr>\n>\n> <tr><td>5</td></tr></table>\n\n"
        "d|e\n-|-\n3|4\n"
    )
    blocks = checked(read, source)
    assert [found for found in cells(blocks) if found[0] > 1] == [
        (2, 0, 1, "c", "c", "c"),
        (2, 1, 1, "5", "5", "c"),
        (3, 0, 1, "d", "d", "d"),
        (3, 0, 2, "e", "d", "e"),
        (3, 1, 1, "3", "3", "d"),
        (3, 1, 2, "4", "3", "e"),
    ]
    five = next(block for block in blocks if block.text == "5")
    assert (five.offsets[0], five.line) == (source.index("5"), 7)


def test_scripts_show_nothing() -> None:
    assert [block.text for block in read("<script>\n\nx = 5\n</script>\n\n6")] == ["6"]


def test_front_matter_is_code() -> None:
    source = "---\ntitle: a\nruns:\n  - 5\n# b\n- 6\n\n---\nmean 7\n"
    blocks = checked(read, source)
    assert seen(blocks) == [
        ("code", 2, "title: a\nruns:\n  - 5\n# b\n- 6\n"),
        ("text", 9, "mean 7"),
    ]
    assert blocks[0].offsets == range(4, 33)


@pytest.mark.parametrize("end", LINE_ENDS)
def test_front_matter_may_end_with_dots_and_the_file(end: str) -> None:
    block = only(f"--- {end}a: 5{end}...")
    assert (block.kind, block.line, block.text) == ("code", 2, "a: 5")


@pytest.mark.parametrize(
    "source",
    [
        "---\nThe mean is 5.\n---\n",
        "---\n\na: 5\n---\n",
        "---\na: 5\nmean 5\n---\n",
        "---\na: 5\n",
        "--- x\na: 5\n---\n",
        "---\n---\na: 5",
    ],
)
def test_text_between_rules_is_no_front_matter(source: str) -> None:
    assert "code" not in [block.kind for block in checked(read, source)]


def test_a_footnote_of_one_word_is_seen() -> None:
    assert [block.text for block in checked(read, "a[^1]\n\n[^1]: 0.5\n")] == [
        "a[^1]",
        "[^1]: 0.5",
    ]


def test_a_byte_order_mark_hides_no_heading() -> None:
    block = only("\ufeff# A 5")
    assert (block.kind, block.text, block.offsets) == ("heading", "A 5", range(3, 6))


def test_nul_shows_as_a_replacement() -> None:
    block = only("5\x006")
    assert (block.text, block.offsets) == ("5\ufffd6", (0, NO_PLACE, 2))


class Odd:
    """A token that does not fit the source, as a later version of the library may give."""

    def __init__(self, kind: str, content: str = "", **more: Any) -> None:
        self.type = kind
        self.content = content
        self.markup: str = more.pop("markup", "")
        self.info = more.pop("info", "")
        self.attrs = more.pop("attrs", {})
        self.meta = more.pop("meta", {})
        self.children = more.pop("children", None)


def test_what_does_not_fit_the_source_and_all_behind_it_gets_no_place() -> None:
    odd = Odd(
        "inline",
        "5 6 7 [8] 9",
        children=[
            Odd("text", "5 "),
            Odd("text", "x "),
            Odd("text", "7 "),
            Odd("softbreak"),
            Odd("code_inline", "c", markup="`"),
            Odd("text_special", "d", markup="&d;", info="escape"),
            Odd("link_open", markup="autolink"),
            Odd("text", "e"),
            Odd("link_close", markup="autolink"),
            Odd("image", "f", children=[Odd("text", "f")], attrs={"src": ""}, meta={"end": 9}),
            Odd("text", " 9"),
        ],
    )
    text, offsets, _ = visible(odd, range(11))  # type: ignore[arg-type]  # a stand-in
    assert text == "5 x 7 \ncdef 9"
    assert offsets == (0, 1, *(NO_PLACE,) * 9, 9, 10)


@pytest.fixture
def fallen(monkeypatch: pytest.MonkeyPatch, _never_plain: None) -> list[str]:
    """Sources that were read as plain text."""
    sources = []

    def noted(source: str) -> tuple[Block, ...]:
        sources.append(source)
        return (Block(kind="text", text=source, offsets=range(len(source)), line=1),)

    monkeypatch.setattr(plain, "read", noted)
    return sources


@pytest.mark.parametrize(
    "source",
    ["> " * 50 + "5", "".join("  " * depth + "- a\n" for depth in range(30)) + "  " * 30 + "5"],
    ids=["quotes", "lists"],
)
def test_what_lies_too_deep_for_the_parser_is_read_as_plain_text(
    source: str, fallen: list[str]
) -> None:
    (block,) = read(source)
    assert fallen == [source]
    assert block.text.endswith("5")


@pytest.mark.parametrize("error", [RecursionError, RuntimeError, IndexError, MemoryError])
def test_a_parser_that_fails_leaves_plain_text(
    error: type[Exception], fallen: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(text: str) -> None:
        raise error(text)

    monkeypatch.setattr(markdown, "parse", fail)
    read("# a 5")
    assert fallen == ["# a 5"]


MANY = 3_000
LONG = 100_000


@pytest.mark.parametrize(
    "source",
    [
        "[" * MANY,
        "]" * MANY,
        "[" * MANY + "](a)" * MANY,
        "`" * MANY,
        "`a" * MANY,
        " ".join("`" * length for length in range(1, 150)),
        "|" * MANY,
        "a|b\n-|-\n" + "\\|" * MANY,
        "a|b\n-|-\n" + "1|2\n" * (MANY // 10),
        "*a " * MANY,
        "~~a" * MANY,
        "<!--" * MANY,
        "a\n" + "<!-- b -->\n" * (MANY // 10),
        "&amp;" * MANY,
        "\\" * MANY,
        "a\r\n" * MANY,
        "1" * LONG,
        " " * LONG,
        "a" + " " * LONG + "b",
        "---\na: b\n" + "c" * LONG,
        "http://a.b/" + ")" * MANY,
        "a.b-c+" * MANY + "://",
        "\x0c\n" * MANY + "5",
    ],
    ids=range(23),
)
def test_hostile_runs_are_read_and_placed(source: str) -> None:
    digits = [block.text.count("1") for block in checked(read, source)]
    assert sum(digits) >= source.count("1")


@pytest.mark.parametrize("source", ["![" * 400, "![" * 400 + "](a)" * 400], ids=["open", "closed"])
def test_images_within_images_never_fail(source: str, fallen: list[str]) -> None:
    assert "".join(block.text for block in read(source + "5")).endswith("5")
    assert fallen in ([], [source + "5"])


PIECES = st.sampled_from(
    [
        *"*_`~[]()!|\\#->+=:.&;<'\" \n\t\r\0059ab",
        *("**", "~~", "  \n", "\n\n", "\n> ", "\n- ", "\n1. ", "](", "``", "\n    ", "\n\t"),
        *(
            "a|b\n-|-\n",
            "\n```\n",
            "\n---\n",
            "\n# ",
            "\\|",
            "![",
            "|\n|",
            "\x0c",
            "\xa0",
            "\u2028",
        ),
        *("<!--", "-->", "<br>", "<b>", "&minus;", "&#5;", "<sup>", "<table>", "<td>", "<p>"),
        *("<http://", "https://", "www.", "[a]: b\n", "[a]", "\r\n", "\ufeff", "---\na: b\n"),
    ]
)


@settings(max_examples=300)
@given(st.lists(PIECES, max_size=40).map("".join))
@example("\n1. \x0b\n.\n    \\![**\n# \n")
@example("- \x0c\n5\n6")
@example("> 5\n\t\x0c6")
@example("1. 5\xa0\n")
@example("> a|b\n> -|-\n> * 5|6\n")
def test_any_markdown_keeps_the_contract(source: str) -> None:
    checked(read, source)


SAFE = st.sampled_from(
    [
        *"*_`~[]()!|\\#->+= \n\t059ab",
        *(
            "**",
            "~~",
            "  \n",
            "\n\n",
            "\n> ",
            "\n- ",
            "](",
            "``",
            "\n    ",
            "a|b\n-|-\n",
            "\n```\n",
        ),
        *("\n# ", "\\|", "![", "|\n|", "\r\n"),
    ]
)


@settings(max_examples=300)
@given(st.lists(SAFE, max_size=40).map("".join))
def test_without_entities_and_html_every_visible_character_has_a_place(source: str) -> None:
    for block in checked(read, source):
        for character, place in zip(block.text, block.offsets, strict=True):
            assert place != NO_PLACE or character in " \t"
