"""Text keeps its place whatever was cut off around it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.placed import assert_nested
from verifier.documents._places import Headings, Lines, Places, Run, label, normal, through
from verifier.documents._places import with_urls as marked
from verifier.model.document import NO_PLACE, Mark


def url(start: int, end: int) -> Mark:
    return Mark(kind="url", start=start, end=end)


def test_a_source_with_plain_line_ends_is_left_as_it_is() -> None:
    found = normal("a\nb")
    assert (found.text, found.places) == ("a\nb", range(3))


def test_the_newline_of_crlf_stands_at_its_line_feed() -> None:
    found = normal("a\r\nb\n")
    assert (found.text, list(found.places)) == ("a\nb\n", [0, 2, 3, 4])


def test_a_lone_carriage_return_and_nul_have_no_place() -> None:
    found = normal("1\r2\x003")
    assert (found.text, list(found.places)) == ("1\n2\ufffd3", [0, NO_PLACE, 2, NO_PLACE, 4])


@pytest.mark.parametrize(("source", "places"), [("\ufeff5", [1]), ("\ufeff5\r\n", [1, 3])])
def test_a_byte_order_mark_is_no_text(source: str, places: list[int]) -> None:
    found = normal(source)
    assert (found.text[0], list(found.places)) == ("5", places)


@given(st.text(alphabet="a1\r\n\0\ufeff"))
def test_normal_text_stands_where_it_says(source: str) -> None:
    found = normal(source)
    for character, place in zip(found.text, found.places, strict=True):
        assert place == NO_PLACE or source[place] == character


def test_places_in_a_normal_text_become_places_in_the_source() -> None:
    found = normal("a\r\nbc")
    assert list(found.in_source(range(1, 3))) == [2, 3]
    assert found.in_source((0, NO_PLACE, 3)) == (0, NO_PLACE, 4)


def test_a_stretch_of_a_stretch_stays_a_range() -> None:
    assert through(range(10, 20), range(2, 5)) == range(12, 15)


def test_a_range_with_gaps_is_followed_one_by_one() -> None:
    assert through(range(10, 20), range(0, 6, 2)) == (10, 12, 14)


def test_lines_know_their_text_and_number() -> None:
    lines = Lines("ab\n\nc")
    assert [lines.line(index) for index in range(4)] == ["ab", "", "c", ""]
    assert [lines.number(offset) for offset in range(6)] == [1, 1, 1, 2, 3, 3]


def test_an_empty_text_has_one_line() -> None:
    assert Lines("").number(0) == 1


@pytest.mark.parametrize(
    ("source", "content", "places"),
    [
        ("> a\n> b", "a\nb", [2, 3, 6]),
        ("    5\n  6\n", "5\n6", [4, 5, 8]),
        ("- 5  ", "5", [2]),
        ("a\nb", "a\nb", [0, 1, 2]),
        (">\t\t5", "  \t5", [NO_PLACE, NO_PLACE, NO_PLACE, 3]),
        ("a \t\n 7 ", "a \t\n7", [0, 1, 2, 3, 5]),
        ("\x0c\n  5\n\x0c6", "5\n\x0c6", [4, 5, 6, 7]),
    ],
)
def test_text_from_whole_lines_is_found_at_their_ends(
    source: str, content: str, places: list[int]
) -> None:
    assert list(Lines(source).locate(content, 0)) == places


def test_text_that_no_line_has_gets_no_place() -> None:
    assert list(Lines("5\n6").locate("7\n6", 0)) == [NO_PLACE] * 3
    assert list(Lines("5\n6").locate("7", 0)) == [NO_PLACE]


def test_lines_behind_the_last_have_no_place() -> None:
    assert list(Lines("5").locate("5\n6", 0)) == [0, NO_PLACE, NO_PLACE]
    assert list(Lines("5").locate("5", 1)) == [NO_PLACE]


def test_places_that_follow_each_other_become_one_range() -> None:
    places = Places()
    for piece in (range(3), range(0), range(3, 5)):
        places.add(piece)
    assert places.all() == range(5)


def test_places_with_a_gap_are_listed() -> None:
    places = Places()
    places.add(range(2))
    places.skip(1)
    places.add(range(4, 5))
    places.add(range(7, 8))
    assert places.all() == (0, 1, NO_PLACE, 4, 7)


def test_a_run_marks_what_it_was_given_last() -> None:
    run = Run()
    run.add("ab ", range(3))
    run.add("5", range(4, 5))
    run.mark("code", 3)
    run.mark("comment", run.length, "c")
    run.mark("link", run.length, "of nothing")
    run.add_unplaced("-")
    assert (run.text(), run.offsets()) == ("ab 5-", (0, 1, 2, 4, NO_PLACE))
    assert run.marks(run.text()) == (
        Mark(kind="code", start=3, end=4),
        Mark(kind="comment", start=4, end=4, value="c"),
    )


def test_a_heading_ends_those_of_its_level_and_below() -> None:
    headings = Headings()
    paths = []
    for level, text in ((1, "a"), (3, "b"), (3, "c\n c"), (2, "d"), (1, "e")):
        above = headings.enter(level)
        headings.under(level, text)
        paths.append((above, headings.path))
    assert paths == [
        ((), ("a",)),
        (("a",), ("a", "b")),
        (("a",), ("a", "c c")),
        (("a",), ("a", "d")),
        ((), ("e",)),
    ]


def test_white_space_in_a_label_counts_as_one_blank() -> None:
    assert label(" KV \n dtype\t") == "KV dtype"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see https://a.b/5.", ["https://a.b/5"]),
        ("(http://a.b/(5))", ["http://a.b/(5)"]),
        ("http://a.b/5)))", ["http://a.b/5"]),
        ("www.a.b/5, s3://c/6!", ["www.a.b/5", "s3://c/6"]),
        ("'http://a.b/?x=5&y=6'", ["http://a.b/?x=5&y=6"]),
        ("a+http://b", ["a+http://b"]),
        ("5:// 6 ://7 www. mywww.5", []),
        ("**5**://", []),
    ],
)
def test_addresses_end_before_the_punctuation_of_the_sentence(text: str, shown: list[str]) -> None:
    assert [text[mark.start : mark.end] for mark in marked(text, ())] == shown


def test_an_address_that_crosses_a_code_mark_is_marked_in_pieces() -> None:
    code = Mark(kind="code", start=0, end=10)
    assert marked("a http://b/5", [code]) == (code, url(2, 10), url(10, 12))


def test_an_address_around_a_code_mark_covers_it_in_pieces() -> None:
    code = Mark(kind="code", start=9, end=10)
    found = marked("http://b/5/6", [code])
    assert found == (url(0, 9), code, url(9, 10), url(10, 12))
    assert_nested(found, 12)


def test_an_address_that_is_marked_already_is_marked_once() -> None:
    assert marked("http://b", [url(0, 8)]) == (url(0, 8),)


def test_outer_marks_come_before_inner_ones() -> None:
    inner = Mark(kind="code", start=0, end=1)
    outer = Mark(kind="link", start=0, end=2)
    assert marked("ab", [inner, outer]) == (outer, inner)


@given(st.text(alphabet="a:/.w)(-+ *", max_size=60))
def test_no_address_leaves_its_text(text: str) -> None:
    assert_nested(marked("www." + text, ()), len(text) + 4)
