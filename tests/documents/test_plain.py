"""Plain text is read as it stands."""

from hypothesis import given
from hypothesis import strategies as st

from tests.support.placed import checked
from verifier.documents.plain import DOCUMENT, read
from verifier.model.document import NO_PLACE, Block, Mark


def test_it_reads_text_files() -> None:
    assert (DOCUMENT.id, DOCUMENT.suffixes, DOCUMENT.read) == ("plain", (".txt", ".text"), read)


def test_paragraphs_are_runs_of_lines_that_are_not_blank() -> None:
    source = "\n mean 0.5\n  was 0.6\n \t\nnext\n\n"
    assert checked(read, source) == (
        Block(kind="text", text=" mean 0.5\n  was 0.6", offsets=range(1, 20), line=2),
        Block(kind="text", text="next", offsets=range(24, 28), line=5),
    )


def test_the_last_line_needs_no_line_end() -> None:
    assert [block.text for block in checked(read, "a\n\nb 5")] == ["a", "b 5"]


def test_nothing_is_read_from_nothing() -> None:
    assert read("") == ()
    assert read(" \n\x0c\n\r\n") == ()


def test_windows_line_ends_are_newlines_at_their_line_feed() -> None:
    (block,) = checked(read, "5\r\n6")
    assert (block.text, block.offsets) == ("5\n6", (0, 2, 3))


def test_old_mac_line_ends_part_paragraphs_too() -> None:
    first, second = checked(read, "5\r6\r\r7")
    assert (first.text, first.offsets, first.line) == ("5\n6", (0, NO_PLACE, 2), 1)
    assert (second.text, second.offsets, second.line) == ("7", (5,), 4)


def test_a_drawn_table_keeps_its_lines() -> None:
    table = "arm | kld\n----|----\nfp8 | 0.5"
    (block,) = checked(read, table)
    assert (block.kind, block.text) == ("text", table)


def test_indented_code_is_text() -> None:
    (block,) = checked(read, "    x = 5")
    assert (block.kind, block.text) == ("text", "    x = 5")


def test_addresses_are_marked() -> None:
    (block,) = checked(read, "at http://a.b/5, 6")
    assert block.marks == (Mark(kind="url", start=3, end=15),)


def test_a_megabyte_of_digits_is_one_paragraph() -> None:
    (block,) = read("1" * 1_000_000)
    assert block.offsets == range(1_000_000)


@given(st.text(alphabet="5 |-a\n\r\t\x0c\0\ufeff\u2028:/w."))
def test_every_digit_of_any_text_is_read_at_its_place(source: str) -> None:
    blocks = checked(read, source)
    places = [
        place
        for block in blocks
        for character, place in zip(block.text, block.offsets, strict=True)
        if character == "5"
    ]
    assert places == [place for place, character in enumerate(source) if character == "5"]
