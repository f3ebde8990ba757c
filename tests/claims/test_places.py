import pytest

from tests.support.claim_documents import document, table, text
from verifier.claims.places import Places, context, span
from verifier.model.claim import Place
from verifier.model.document import NO_PLACE, Block, Document


def scattered(words: str, offsets: tuple[int, ...], *, line: int = 7) -> Block:
    return Block(kind="text", text=words, offsets=offsets, line=line)


def of(source: str, block: Block) -> Document:
    return Document(name="a.md", format="markdown", source=source, blocks=(block,))


def test_lines_and_columns_are_counted_from_1() -> None:
    doc = document("first 1", "second\nline 22")
    places = Places(doc)

    assert places.place(doc.blocks[0], 0) == Place(document="README.md", line=1, column=1)
    assert places.place(doc.blocks[1], 12) == Place(document="README.md", line=4, column=6)


@pytest.mark.parametrize(
    ("source", "offset", "line", "column"),
    [
        ("ab", 1, 1, 2),
        ("a\nb", 2, 2, 1),
        ("\n\nb", 2, 3, 1),
        ("a\r\nb", 3, 2, 1),
        ("a\x0cb\x85c", 4, 1, 5),
        ("\N{GREEK SMALL LETTER ALPHA}\nb", 2, 2, 1),
    ],
)
def test_only_line_feeds_end_lines(source: str, offset: int, line: int, column: int) -> None:
    block = scattered(source[offset], (offset,))

    assert Places(of(source, block)).place(block, 0) == Place(
        document="a.md", line=line, column=column
    )


def test_what_stands_in_no_one_place_is_in_the_line_of_its_block() -> None:
    block = scattered("5", (NO_PLACE,))

    assert Places(of("&#53;", block)).place(block, 0) == Place(document="a.md", line=7, column=1)


def test_a_number_of_a_table_is_named_by_its_cell() -> None:
    doc = document(*table(2, ("Arm", "KLD"), ("fp8", "0.03")))

    place = Places(doc).place(doc.blocks[3], 0)

    assert (place.table, place.row, place.column_label) == (2, "fp8", "KLD")


@pytest.mark.parametrize(
    ("offsets", "expected"),
    [
        ((4, 5, 6), (4, 7)),
        ((4, 5, 8), (-1, -1)),
        ((4, 6, 7), (-1, -1)),
        ((NO_PLACE, 5, 6), (-1, -1)),
        ((4, NO_PLACE, 6), (-1, -1)),
        ((4, 5, NO_PLACE), (-1, -1)),
        ((NO_PLACE, NO_PLACE, NO_PLACE), (-1, -1)),
    ],
)
def test_a_span_is_one_piece_of_the_source_or_none(
    offsets: tuple[int, ...], expected: tuple[int, int]
) -> None:
    assert span(scattered("1.5", offsets), 0, 3) == expected


def test_a_span_is_that_of_the_number_alone() -> None:
    assert span(scattered("a 1.5 b", tuple(range(10, 17))), 2, 5) == (12, 15)


def test_the_context_is_whole_words_on_one_line() -> None:
    words = f"{'far ' * 20}near\n it is 0.25 nats\t{'away ' * 20}"
    start = words.index("0.25")

    told = context(text(words), start, start + 4)

    assert told == f"{'far ' * 6}near it is 0.25 nats {'away ' * 5}away"


def test_a_short_text_is_its_own_context() -> None:
    assert context(text("at most 5 of them"), 8, 9) == "at most 5 of them"


def test_a_word_without_end_is_left_out_of_the_context() -> None:
    words = f"{'x' * 100} 5 {'y' * 100}"

    assert context(text(words), 101, 102) == "5"
