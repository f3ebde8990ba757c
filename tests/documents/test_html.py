"""HTML is read as a browser without scripts and style sheets shows it, each character in place."""

from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.placed import checked, written
from verifier.documents.html import DOCUMENT, read
from verifier.model.document import NO_PLACE, Block, Cell, Mark


def only(source: str) -> Block:
    (block,) = checked(read, source)
    return block


def texts(source: str) -> list[str]:
    return [block.text for block in checked(read, source)]


def seen(source: str) -> list[tuple[str, int, str]]:
    return [(block.kind, block.line, block.text) for block in checked(read, source)]


def cells(blocks: Sequence[Block]) -> list[tuple[str, int, int, str, str]]:
    return [
        (block.text, c.row, c.column, c.row_label, c.column_label)
        for block in blocks
        if (c := block.cell) is not None
    ]


def table(source: str) -> list[tuple[str, int, int, str, str]]:
    return cells(checked(read, f"<table>{source}</table>"))


def test_it_reads_html_files() -> None:
    assert (DOCUMENT.id, DOCUMENT.suffixes) == ("html", (".html", ".htm"))
    assert DOCUMENT.read is read


@pytest.mark.parametrize("source", ["", " \n", "<!DOCTYPE html>", "<p></p>", "<hr>", "<?x?>"])
def test_nothing_is_read_from_nothing(source: str) -> None:
    assert read(source) == ()


def test_a_paragraph_without_marks_is_one_stretch_of_the_source() -> None:
    assert only("<body>\n<p>\nThe mean\nis 0.5.\n</p>") == Block(
        kind="text", text="The mean\nis 0.5.", offsets=range(11, 27), line=3
    )


def test_inline_elements_do_not_part_digits() -> None:
    source = "<p>1<b>2</b><strong>3</strong><em>4</em><span class=x>.5</span></p>"
    block = only(source)
    assert block.text == "1234.5"
    assert written(source, block) == source[3:-11]


@pytest.mark.parametrize("tag", ["div", "p", "li", "section", "td", "hr", "h2", "option"])
def test_block_elements_part_digits(tag: str) -> None:
    assert texts(f"1<{tag}>2") == ["1", "2"]


def test_white_space_collapses_to_its_first_character() -> None:
    block = only("<p>  a \n\t b\n\n<b> c</b>\f d \n</p>")
    assert block.text == "a b\nc\fd"
    assert block.offsets == (5, 6, 10, 11, 17, 22, 24)


def test_a_no_break_space_does_not_collapse() -> None:
    assert only("<p>5\xa0&nbsp; ms</p>").text == "5\xa0\xa0 ms"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("10<sup>3</sup>", "10^3"),
        ("x<sub>1</sub>5", "x_15"),
        ("5<br>6", "5\n6"),
        ("5 <br/> <br> 6", "5\n6"),
        ("<br>5<br>", "5"),
        ("5</br>6", "5\n6"),
        ("<sup>2</sup>5", "25"),
        ("a <sup>2</sup>", "a 2"),
    ],
)
def test_raised_and_broken_digits_stay_apart(source: str, text: str) -> None:
    assert only(source).text == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("&minus;3", "\u22123"),
        ("&#x2212;3", "\u22123"),
        ("&#8722;3", "\u22123"),
        ("&#8722 3", "\u2212 3"),
        ("&lt3", "<3"),
        ("&ltx", "<x"),
        ("&amp;lt;3", "&lt;3"),
        ("&#51;", "3"),
        ("&#0;", "\ufffd"),
        (f"&#{'9' * 5000};3", "\ufffd3"),
        (f"&#x{'f' * 5000}", "\ufffd"),
        ("&#0000000000000051;", "3"),
    ],
)
def test_references_decode_to_characters_without_a_place(source: str, text: str) -> None:
    block = only(source)
    assert block.text == text
    assert block.offsets[0] == NO_PLACE


@pytest.mark.parametrize(
    "source", ["&", "& 3", "&#;3", "&#x;3", "&xyzzy;3", "&#;&#;3", "a&b", "&a&b;", "< 3", "1 <2"]
)
def test_what_is_no_reference_and_no_tag_stays_text(source: str) -> None:
    block = only(source)
    assert block.text == source
    assert list(block.offsets) == list(range(len(source)))


def test_tags_behind_a_broken_reference_are_still_tags() -> None:
    assert texts("&#;&#;<p>1<p>2") == ["&#;&#;", "1", "2"]


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>1 < 2</script>",
        "<STYLE>p { margin: 1px }</STYLE >",
        "<script>1</scripty>2</script\n>",
        "<template><p>1</template>",
        "<svg><text>1</text></svg>",
        "<svg><style><i2></style>1</svg>",
        "<iframe>1</iframe>",
        "<head><meta content=1><style>2</style></head>",
        "<!-- 1 -->",
        "<!DOCTYPE 1>",
        "<?php 1 ?>",
        "<![CDATA[1]]>",
        "</1>",
        "<div hidden>1<p>2</div>",
        "<span HIDDEN=''>1</span>",
        "<p hidden title='>'>1</p>",
        "<p hidden title='&#99999999999999999999;'>1</p>",
        "<ul hidden><li>1<li>2</ul>",
        "<table hidden><tr><td>1</table>",
        "<p hidden>1<br>2<a href=x>3</a></p>",
        "<div hidden><script>1</script><svg/>1</div>",
        "<svg/>",
        "<canvas>1</canvas><noframes>2</noframes><datalist><option>1</datalist>",
    ],
)
def test_what_never_shows_is_left_out(hidden: str) -> None:
    (block, *more) = [b for b in checked(read, f"{hidden}<p>7</p>") if b.text]
    assert (block.text, more) == ("7", [])


@pytest.mark.parametrize(
    "source",
    [
        "<div hidden></div>7",
        "<p hidden>1<p>7",
        "<ul><li hidden>1<li>7</ul>",
        "<dl><dt hidden>1<dd>7</dl>",
        "<table><tr><td hidden>1<td>7</table>",
        "<table><tr hidden><td>1<tr><td>7</table>",
        "<table><tbody hidden><tr><td>1<tbody><tr><td>7</table>",
        "<div hidden><ul><li>1</div>7",
        "<svg><text>1<p>7",
        "<svg><title>1</svg>7",
        "<svg><foreignObject><p>1</p></foreignObject></svg>7",
        "<script/>1</script>7",
        "<select><option hidden>1<option>7</select>",
        "<b hidden>1</i></b>7",
        "<div title='hidden'>7</div>",
        "<div class=hidden>7",
        "<p title=hidden a=' hidden '>7",
        "<head><p>7",
        "<math><mi>7</mi></math>",
        "<math/>7",
        "<a href=x hidden>1<a href=y>7</a>",
        "<h1 hidden>1<h2>7",
        "<!-->7",
        "<!--->7",
        "<!-- 1 --!>7",
        "<plaintext>7",
    ],
)
def test_what_ends_in_a_browser_hides_nothing_behind_it(source: str) -> None:
    assert [block.text for block in checked(read, source) if block.text] == ["7"]


@pytest.mark.parametrize(
    "source", ["7<!-- 1", "7<a href='1", "7<b 1", "7<? 1", "7</b 1", "7<![CDATA[ 1", "7<script>1"]
)
def test_what_is_not_closed_reaches_to_the_end(source: str) -> None:
    assert texts(source) == ["7"]


def test_preformatted_text_is_code_with_its_white_space() -> None:
    source = "<p>a</p><pre>\n  1\n\n <b>2</b> &lt;3\n</pre>4"
    blocks = checked(read, source)
    assert [(block.kind, block.text) for block in blocks] == [
        ("text", "a"),
        ("code", "  1\n\n 2 <3"),
        ("text", "4"),
    ]
    assert blocks[1].line == 2


def test_the_content_of_xmp_is_code_as_it_stands() -> None:
    assert seen("<xmp><b>1</b> &lt;</xmp>") == [("code", 1, "<b>1</b> &lt;")]


def test_preformatted_text_in_a_cell_is_marked_as_code() -> None:
    block = only("<table><tr><td>1<pre>\n2\n 3\n</pre>4</table>")
    assert block.text.split() == ["1", "2", "3", "4"]
    (mark,) = block.marks
    assert (mark.kind, block.text[mark.start : mark.end].strip()) == ("code", "2\n 3")


@pytest.mark.parametrize("tag", ["code", "kbd", "samp", "tt"])
def test_code_inside_a_paragraph_is_marked(tag: str) -> None:
    block = only(f"<p>a <{tag}>x <{tag}>1</{tag}></{tag}> b</p>")
    assert block.text == "a x 1 b"
    assert block.marks == (Mark(kind="code", start=2, end=5),)


def test_code_that_spans_blocks_is_marked_in_each() -> None:
    blocks = checked(read, "<code>1<div>2</div></code>3")
    assert [(block.text, block.marks) for block in blocks] == [
        ("1", (Mark(kind="code", start=0, end=1),)),
        ("2", (Mark(kind="code", start=0, end=1),)),
        ("3", ()),
    ]


def test_links_have_their_target_decoded() -> None:
    block = only(
        'see <A title="x" HREF="a?b=1&amp;c=2" href=no>the <b>file</b></A>, <a name=n>5</a>'
    )
    assert block.text == "see the file, 5"
    assert block.marks == (Mark(kind="link", start=4, end=12, value="a?b=1&c=2"),)


def test_a_link_ends_where_the_next_begins() -> None:
    block = only("<a href=x>1 <a href=y>2</a> 3")
    assert block.marks == (
        Mark(kind="link", start=0, end=1, value="x"),
        Mark(kind="link", start=2, end=3, value="y"),
    )


def test_a_link_around_blocks_is_marked_in_each_once() -> None:
    first, second = checked(read, "<a href=x><p>1</p> <p>2</p></a>")
    assert first.marks == second.marks == (Mark(kind="link", start=0, end=1, value="x"),)


def test_bare_addresses_are_marked() -> None:
    assert only("at https://h.example/5.").marks == (Mark(kind="url", start=3, end=22),)


def test_a_comment_marks_the_place_behind_the_character_before_it() -> None:
    source = "<p>1.5 <!-- claim: a --> and 2<!--b--></p>"
    assert only(source).marks == (
        Mark(kind="comment", start=3, end=3, value=" claim: a "),
        Mark(kind="comment", start=9, end=9, value="b"),
    )


@pytest.mark.parametrize(
    "source",
    [
        "<p>1.5</p><!--c-->\n<p>2</p>",
        "<p>1.5</p><p><!--c--></p><p>2</p>",
        "<div>1.5</div><!--c-->2",
        "<ul><li><p>1.5</p><!--c--></ul>2",
        "<table><tr><td>1.5</td></tr><!--c--><tr><td>2</table>",
        "<h1>1.5</h1><div><!--c--><p>2</div>",
    ],
)
def test_a_comment_between_blocks_belongs_to_the_one_before(source: str) -> None:
    first, second = checked(read, source)
    assert first.marks == (Mark(kind="comment", start=3, end=3, value="c"),)
    assert second.marks == ()


@pytest.mark.parametrize("tag", ["p", "td", "li", "h1"])
def test_a_comment_right_behind_the_tag_of_a_text_is_part_of_that_text(tag: str) -> None:
    _, second = checked(read, f"<p>1</p><{tag}><!--c-->2.5</{tag}>")
    assert second.text == "2.5"
    assert second.marks == (Mark(kind="comment", start=0, end=0, value="c"),)


def test_a_comment_before_any_text_has_an_empty_block() -> None:
    first, second = checked(read, "\n<!--a--><!--b--><p>1")
    assert (first.text, first.line, [mark.value for mark in first.marks]) == ("", 2, ["a", "b"])
    assert (second.text, second.marks) == ("1", ())


def test_a_hidden_comment_marks_nothing() -> None:
    assert only("<p>1<span hidden><!--c--></span>2").marks == ()


def test_headings_stand_above_what_follows() -> None:
    source = "<h1>A\n b</h1>1<h3>B</h3>2<h2>C</h2>3<h2></h2>4<h1>D</h1>5"
    assert [(block.kind, block.text, block.heading) for block in checked(read, source)] == [
        ("heading", "A\nb", ()),
        ("text", "1", ("A b",)),
        ("heading", "B", ("A b",)),
        ("text", "2", ("A b", "B")),
        ("heading", "C", ("A b",)),
        ("text", "3", ("A b", "C")),
        ("text", "4", ("A b", "C")),
        ("heading", "D", ()),
        ("text", "5", ("D",)),
    ]


def test_a_heading_left_open_does_not_make_headings_of_what_follows() -> None:
    assert seen("<h1>A<p>1<p>2") == [("heading", 1, "A"), ("text", 1, "1"), ("text", 1, "2")]
    assert seen("<h1>A<h2>B</h1>1") == [("heading", 1, "A"), ("heading", 1, "B"), ("text", 1, "1")]


def test_the_title_is_text() -> None:
    assert seen("<head>\n<title>A &amp; <b>\n5</title></head>\n<p>6") == [
        ("text", 2, "A & <b>\n5"),
        ("text", 4, "6"),
    ]


def test_numbers_of_ordered_lists_do_not_show() -> None:
    assert texts("<ol start=7><li>a<li value=9>b<ul><li>c</ul></ol>") == ["a", "b", "c"]


def test_cells_know_their_row_and_column() -> None:
    source = """<table><caption>The <b>sizes</b></caption>
<thead><tr><th>arm</th><th>mean <i>KLD</i></th></tr></thead>
<tbody><tr><td>fp8</td><td>1.5</td></tr>
<tr><td>nvfp4</td><td>2.5</td></tr></tbody></table>"""
    blocks = checked(read, source)
    assert (blocks[0].kind, blocks[0].text) == ("text", "The sizes")
    assert cells(blocks) == [
        ("arm", 0, 1, "arm", "arm"),
        ("mean KLD", 0, 2, "arm", "mean KLD"),
        ("fp8", 1, 1, "fp8", "arm"),
        ("1.5", 1, 2, "fp8", "mean KLD"),
        ("nvfp4", 2, 1, "nvfp4", "arm"),
        ("2.5", 2, 2, "nvfp4", "mean KLD"),
    ]
    assert blocks[-1].line == 4
    assert blocks[-1].cell == Cell(
        table=1, caption="The sizes", row=2, column=2, row_label="nvfp4", column_label="mean KLD"
    )


def test_end_tags_of_cells_and_rows_may_be_left_out() -> None:
    assert table("<tr><th>a<th>b<tr><td>1<td>2") == [
        ("a", 0, 1, "a", "a"),
        ("b", 0, 2, "a", "b"),
        ("1", 1, 1, "1", "a"),
        ("2", 1, 2, "1", "b"),
    ]


def test_cells_without_a_row_begin_one() -> None:
    assert table("<td>1<td>2<tr><td>3") == [
        ("1", 1, 1, "1", ""),
        ("2", 1, 2, "1", ""),
        ("3", 2, 1, "3", ""),
    ]


def test_a_table_without_header_cells_has_no_header() -> None:
    assert table("<tr><th>a<td>1<tr></tr><tr><th>b<td>2") == [
        ("a", 1, 1, "a", ""),
        ("1", 1, 2, "a", ""),
        ("b", 2, 1, "b", ""),
        ("2", 2, 2, "b", ""),
    ]


def test_of_nothing_but_header_cells_the_first_row_is_the_header() -> None:
    assert table("<tr></tr><tr><th>a<tr><th>1") == [("a", 0, 1, "a", "a"), ("1", 1, 1, "1", "a")]


def test_a_header_that_spans_columns_names_them_all() -> None:
    assert table(
        "<thead><tr><th rowspan=2>arm<th colspan=2>KLD<tr><th>mean<th>max</thead>"
        "<tr><td>fp8<td>1<td>2"
    )[-3:] == [
        ("fp8", 1, 1, "fp8", "arm"),
        ("1", 1, 2, "fp8", "KLD mean"),
        ("2", 1, 3, "fp8", "KLD max"),
    ]


def test_a_cell_that_spans_rows_takes_its_column_from_them() -> None:
    assert table(
        "<tr><th>a<th>b<th>c<tr><td rowspan=2>x<td>1<td rowspan=3>2<tr><td>3<tr><td>y<td>4"
    )[3:] == [
        ("x", 1, 1, "x", "a"),
        ("1", 1, 2, "x", "b"),
        ("2", 1, 3, "x", "c"),
        ("3", 2, 2, "x", "b"),
        ("y", 3, 1, "y", "a"),
        ("4", 3, 2, "y", "b"),
    ]


def test_no_cell_spans_into_another_section() -> None:
    assert table("<thead><tr><th rowspan=0>a<tr></thead><tbody><tr><td>1<tfoot><tr><td>2") == [
        ("a", 0, 1, "a", "a"),
        ("1", 1, 1, "1", "a"),
        ("2", 2, 1, "2", "a"),
    ]


@pytest.mark.parametrize("span", ["", "x", "-2", "0", "1e9", "\xb2"])
def test_spans_that_cannot_be_read_are_one(span: str) -> None:
    found = table(f"<tr><td colspan='{span}'>1<td>2")
    assert [(text, column) for text, _, column, _, _ in found] == [("1", 1), ("2", 2)]


@pytest.mark.parametrize("span", ["1001", "9" * 400])
def test_spans_are_bounded_as_in_browsers(span: str) -> None:
    found = table(f"<tr><td colspan={span}>1<td>2")
    assert [(text, column) for text, _, column, _, _ in found] == [("1", 1), ("2", 1001)]


def test_paragraphs_in_a_cell_are_lines_of_it() -> None:
    source = "<table><tr><td><p>1</p><p>2</p><ul><li>3</ul>4</table>5"
    assert texts(source) == ["1\n2\n3\n4", "5"]


def test_a_table_in_a_cell_is_a_table_of_its_own() -> None:
    source = "<table><tr><td>1<table><tr><td>2<td>3</table>4<td>5</table><table><tr><td>6</table>"
    blocks = checked(read, source)
    places = [(b.text, b.cell.table, b.cell.row, b.cell.column) for b in blocks if b.cell]
    assert places == [
        ("1", 1, 1, 1),
        ("2", 2, 1, 1),
        ("3", 2, 1, 2),
        ("4", 1, 1, 1),
        ("5", 1, 1, 2),
        ("6", 3, 1, 1),
    ]


def test_an_end_tag_ends_nothing_outside_its_cell() -> None:
    assert texts("<div><table><tr><td>1</div></b></td><td>2</table>3") == ["1", "2", "3"]
    assert table("<tr><td>1<table></td><tr><td>2</table>3<td>4") == [
        ("1", 1, 1, "1", ""),
        ("2", 1, 1, "2", ""),
        ("3", 1, 1, "1", ""),
        ("4", 1, 2, "1", ""),
    ]


def test_text_between_cells_is_no_cell() -> None:
    blocks = checked(read, "<table>1<tr>2<td>3</td>4</table>")
    assert [(block.kind, block.text) for block in blocks] == [
        ("text", "1"),
        ("text", "2"),
        ("cell", "3"),
        ("text", "4"),
    ]


def test_parts_of_tables_outside_of_any_still_part_digits() -> None:
    assert texts("<tr><td>1<td>2</tr><caption>3</caption>4</table>") == ["1", "2", "3", "4"]


def test_stray_end_tags_are_passed_over_but_for_that_of_a_paragraph() -> None:
    assert texts("1</b></div></td></h1>2</p>3") == ["12", "3"]


def test_line_ends_of_all_kinds_keep_their_places() -> None:
    source = "<p>1\r\n2\r3</p>\r\n<pre>\r\n4\r\n5\r\n</pre>"
    first, second = checked(read, source)
    assert (first.text, second.text, second.line) == ("1\n2\n3", "4\n5", 5)
    assert first.offsets == (3, 5, 6, NO_PLACE, 8)


@pytest.mark.parametrize(
    ("piece", "count"),
    [
        ("<div>", 100_000),
        ("<b>", 20_000),
        ("<p>1", 2_000),
        ("<ul><li>", 5_000),
        ("<table><tr><td>", 2_000),
        ("<td rowspan=9>1", 2_000),
        ("<tr><td rowspan=9999>", 5_000),
        ("</div>", 20_000),
        ("<svg>", 10_000),
        ("<!--", 100_000),
        ("<a ", 100_000),
        ('<a x="', 100_000),
        ("</a", 100_000),
        ("<", 500_000),
        ("&#", 500_000),
        ("&#;", 300_000),
        ("<![x[", 100_000),
        ("<script>", 100_000),
        ("1", 1_000_000),
        (" ", 1_000_000),
    ],
)
def test_endless_repeats_are_read_in_one_pass(piece: str, count: int) -> None:
    blocks = read(f"{piece * count}<!-- --><p>7")
    text = "".join(block.text for block in blocks)
    assert text.count("7") <= 1
    assert text.count("1") == (count if "1" in piece else 0)


PIECES = st.sampled_from(
    """<p> </p> <b> </b> <table> </table> <tr> <td> </td> <th|colspan=2> <td|rowspan=2> <thead>
    <caption> </caption> <!--c--> <!-- --> &amp; &lt5 &#53; &#x; & < > <a|href="x"> <a|href=y> </a>
    <code> </code> <pre> </pre> 1.5 -2 text <br> <sup> </sup> <h1> </h1> <h2> <div|hidden> </div>
    <script> </script> <svg> </svg> <title> </title> <ul> <li> </ul> <span " ' = / <textarea> <xmp>
    http://x.y <![CDATA[ <? </ <style> <template> </template> <p|hidden> <hr> <option> <plaintext>
    | || \n \r\n \r \0 \ufeff \xa0""".replace("\\n", "\n").split(" ")
).map(lambda piece: piece.strip(" ").replace("|", " ") or " ")


@settings(max_examples=300)
@given(st.lists(PIECES | st.text(max_size=3), max_size=40).map("".join))
@example("<a href='\0&#99999999999999;'>\ufeff5")
def test_any_text_keeps_its_places(source: str) -> None:
    checked(read, source)
