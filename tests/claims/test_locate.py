"""Finding the numbers and identities that bindings speak of."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.claim_documents import (
    binding,
    document,
    identities,
    marked_text,
    numerals,
    table,
    text,
)
from verifier.claims.locate import Located, located, matches
from verifier.claims.marks import marked
from verifier.model.claim import (
    Binding,
    FileDigest,
    Numeral,
    Pointer,
    QuoteLocator,
    TableLocator,
)
from verifier.model.document import Block, Document

A = Pointer(file="a.json", pointer="/a")
B = Pointer(file="a.json", pointer="/b")
C = Pointer(file="a.json", pointer="/c")
HEX = "0123456789abcdef" * 4


def locate(
    doc: Document, *bindings: Binding, rules: dict[str, str] | None = None
) -> tuple[Located, tuple[Numeral, ...]]:
    found = numerals(doc, rules)
    return located(doc, found, identities(doc), bindings), found


def printed(
    doc: Document, *bindings: Binding, rules: dict[str, str] | None = None
) -> dict[str, list[str]]:
    """The texts that each binding speaks of; there are no problems."""
    result, found = locate(doc, *bindings, rules=rules)
    assert result.problems == ()
    return {claim: [found[i].text for i in indexes] for claim, indexes in result.numbers.items()}


def problem(doc: Document, *bindings: Binding, rules: dict[str, str] | None = None) -> str:
    """What is said of the only problem; what it is about is not bound."""
    result, _ = locate(doc, *bindings, rules=rules)
    assert len(result.problems) == 1
    assert len(result.numbers) + len(result.identities) == len(bindings) - 1
    return result.problems[0].message


PROSE = document(
    "Mean KLD of fp8 is 0.0318 nats over 32 windows.",
    "It is lower in 26/32 windows,\n  with an interval of [\u22120.0093, -0.0018] at 95 %.",
    text("The same 32 windows once more."),
)


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("fp8 is {} nats", ["0.0318"]),
        ("Mean KLD of fp8 is {}", ["0.0318"]),
        ("lower in {}/{} windows", ["26", "32"]),
        ("lower in 26/{} windows", ["32"]),
        ("lower in {}/32 windows", ["26"]),
        ("interval of [{}, {}]", ["\u22120.0093", "-0.0018"]),
        ("[{}, -0.0018]", ["\u22120.0093"]),
        ("windows, with an  interval\tof [{},", ["\u22120.0093"]),
        ("windows, with an interval of [{}, {}] at {} %.", ["\u22120.0093", "-0.0018", "95"]),
        ("{}/", ["26"]),
        ("at {} %", ["95"]),
        (" at {} %. ", ["95"]),
        ("The same {} windows once more.", ["32"]),
    ],
)
def test_a_quote_binds_the_numbers_in_its_braces(quote: str, expected: list[str]) -> None:
    sources = (A, B, C)[: len(expected)]
    assert printed(PROSE, binding(quote, *sources)) == {"kld": expected}


@pytest.mark.parametrize(
    "quote",
    [
        "fp16 is {} nats",
        "fp8 is {} bits",
        "lower in 27/{} windows",
        "interval of [\u2212{}, {}]",
        "fp8 is 0.{} nats",
        "fp8 is {}18 nats",
        "Mean {} of fp8",
        "nats over {} windows. It is",
        "lower in {} / {} windows",
        "lower in {}{} windows",
        "once less {}",
    ],
)
def test_a_quote_that_stands_nowhere_is_a_problem(quote: str) -> None:
    said = problem(PROSE, binding(quote))
    assert said.startswith("claim kld fits no place: nowhere does its quote stand around numbers")


def test_a_quote_that_nearly_fits_is_told_where() -> None:
    said = problem(PROSE, binding("interval of [{}, {}] at 90 %"))
    assert "; nearest is " in said
    assert said.endswith(" in line 4")
    assert r"an interval of [\u22120.0093, -0.0018] at" in said


def test_a_quote_of_words_that_stand_beside_no_number_has_no_nearest() -> None:
    assert "nearest" not in problem(PROSE, binding("so many as {} of them"))


def test_the_location_of_a_problem_is_that_of_the_entry() -> None:
    result, _ = locate(PROSE, binding("nothing {}", location="claims.toml#/claims/7"))
    assert [item.location for item in result.problems] == ["claims.toml#/claims/7"]


def test_a_quote_that_fits_several_places_names_their_lines() -> None:
    said = problem(PROSE, binding("{} windows"))
    expected = (
        "claim kld fits several places: its quote stands in line 1, line 3, line 6; quote more"
    )
    assert said == expected


def test_many_places_are_not_all_listed() -> None:
    said = problem(document(*["about 5 of them"] * 9), binding("about {} of"))
    assert said.endswith("stands in line 1, line 3, line 5 and elsewhere; quote more")


def test_two_places_in_one_block_are_two_places() -> None:
    assert "several places" in problem(document("from 3 ms to 4 ms"), binding("{} ms"))


def test_a_quote_does_not_reach_into_the_next_block() -> None:
    doc = document("The mean is", "0.5 nats")
    assert "fits no place" in problem(doc, binding("The mean is {} nats"))


def test_a_quote_may_lie_in_a_cell() -> None:
    doc = document(*table(1, ["arm", "interval"], ["fp8", "[0.1, 0.2]"], ["int8", "[0.3, 0.4]"]))
    assert printed(doc, binding("[{}, 0.2]", A)) == {"kld": ["0.1"]}


def test_one_source_may_be_a_list_for_all_braces() -> None:
    assert printed(PROSE, binding("interval of [{}, {}]", A)) == {
        "kld": ["\u22120.0093", "-0.0018"]
    }


@pytest.mark.parametrize(("quote", "sources"), [("of [{},", (A, B)), ("[{}, {}]", (A, B, C))])
def test_more_sources_than_braces_are_a_problem(quote: str, sources: tuple[Pointer, ...]) -> None:
    braces = quote.count("{}")
    expected = f"claim kld needs as many sources as {{}}, or one: has {len(sources)} for {braces}"
    assert problem(PROSE, binding(quote, *sources)) == expected


def test_fewer_sources_than_braces_are_a_problem() -> None:
    assert "or one: has 2 for 3" in problem(PROSE, binding("[{}, {}] at {}", A, B))


def test_a_quote_without_braces_is_a_problem() -> None:
    assert "or one: has 1 for 0" in problem(PROSE, binding("fp8 is"))


def test_braces_in_the_document_are_text_like_any_other() -> None:
    doc = document("{} and 3 items")
    assert "fits no place" in problem(doc, binding("{} and 4 items"))
    assert printed(doc, binding("and {} items")) == {"kld": ["3"]}


def test_a_number_that_two_bindings_claim_names_both_and_stays_with_the_first() -> None:
    first = binding("fp8 is {} nats", id="mean", location="claims.json#/claims/4")
    second = binding("is {} nats over 32", id="other")
    result, found = locate(PROSE, first, second)
    assert [found[i].text for i in result.numbers["mean"]] == ["0.0318"]
    assert "other" not in result.numbers
    assert [item.message for item in result.problems] == [
        "claim other binds '0.0318' in line 1, which claim mean (claims.json#/claims/4) binds"
    ]


def test_a_binding_that_shares_one_of_its_numbers_binds_none() -> None:
    first = binding("lower in {}/", id="low")
    third = binding("lower in 26/{} windows", id="whole")
    result, _ = locate(PROSE, first, binding("lower in {}/{} windows", A, B), third)
    assert set(result.numbers) == {"low", "whole"}
    assert len(result.problems) == 1


def test_two_bindings_of_one_id_are_a_problem() -> None:
    second = binding("at {} %", location="README.md:1:1")
    result, _ = locate(PROSE, binding("fp8 is {} nats"), second)
    assert [item.message for item in result.problems] == [
        "claim kld has the id of claims.json#/claims/0"
    ]
    assert result.problems[0].location == "README.md:1:1"


TABLES = document(
    "Words before.",
    *table(
        1,
        ["arm", "mean  KLD", "interval", "`n`"],
        ["fp8", "0.0318", "[0.026, 0.038]", "32"],
        ["**nvfp4**", "0.0341", "[0.029, 0.040]", "B12X 32 of 33"],
        ["old", "0.0400", "none", "32"],
        ["old", "0.0401", "none", "31"],
        heading=("Results", "KLD by arm"),
    ),
    *table(
        2,
        ["arm", "speed"],
        ["fp8", "651.02"],
        ["nvfp4", "252.60"],
        caption="Tokens per second",
    ),
)


@pytest.mark.parametrize(
    ("table_", "row", "column", "expected"),
    [
        (1, 1, 2, ["0.0318"]),
        (1, "fp8", "mean KLD", ["0.0318"]),
        (None, "fp8", "mean\nKLD", ["0.0318"]),
        (None, "fp8", "speed", ["651.02"]),
        (None, 4, 2, ["0.0401"]),
        ("KLD by arm", 3, "mean KLD", ["0.0400"]),
        ("Tokens  per second", "fp8", 2, ["651.02"]),
        (1, "nvfp4", 2, ["0.0341"]),
        (1, "**nvfp4**", 2, ["0.0341"]),
        (1, "*nvfp4*", 2, ["0.0341"]),
        (2, "`nvfp4`", "_speed_", ["252.60"]),
        (1, "fp8", "n", ["32"]),
    ],
)
def test_a_cell_is_found_by_numbers_and_labels(
    table_: int | str | None, row: int | str, column: int | str, expected: list[str]
) -> None:
    at = TableLocator(table=table_, row=row, column=column)
    assert printed(TABLES, binding(at)) == {"kld": expected}


def test_a_cell_gives_its_first_numbers_one_for_each_source() -> None:
    at = TableLocator(table=1, row="fp8", column="interval")
    assert printed(TABLES, binding(at, A)) == {"kld": ["0.026"]}
    assert printed(TABLES, binding(at, A, B)) == {"kld": ["0.026", "0.038"]}


def test_numbers_of_a_cell_that_claim_nothing_are_passed_over() -> None:
    at = TableLocator(table=1, row=2, column=4)
    rules = {"12": "name"}
    assert printed(TABLES, binding(at, A, B), rules=rules) == {"kld": ["32", "33"]}


def test_numbers_of_a_cell_that_claim_nothing_can_be_bound_where_the_others_do_not_suffice() -> (
    None
):
    at = TableLocator(table=1, row=2, column=4)
    rules = {"12": "name"}
    assert printed(TABLES, binding(at, A, B, C), rules=rules) == {"kld": ["12", "32", "33"]}


def test_more_sources_than_numbers_in_a_cell_are_a_problem() -> None:
    at = TableLocator(table=1, row=1, column=2)
    expected = "claim kld needs as many numbers as sources: has 2, found 1 in its cell (line 13)"
    assert problem(TABLES, binding(at, A, B)) == expected


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        ((3, 1, 1), "there is no table 3; there are 2, such as 'KLD by arm', 'Tokens per second'"),
        (("Speeds", 1, 1), "there is no table 'Speeds'; there are 2"),
        ((2, "int8", 2), "table 2 has no row 'int8'; there are 2, such as 'fp8', 'nvfp4'"),
        ((2, 3, 2), "table 2 has no row 3; there are 2"),
        ((2, "fp8", "KLD"), "table 2 has no column 'KLD'; there are 2, such as 'arm', 'speed'"),
        ((None, "int8", 2), "no table has a row 'int8'"),
        ((None, "fp8", "gain"), "none of 2 tables has a row 'fp8' and a column 'gain'"),
        ((2, "arm", 2), "table 2 has no row 'arm'"),
    ],
)
def test_a_cell_that_is_not_there_is_told_by_what_is_missing(
    at: tuple[int | str | None, int | str, int | str], expected: str
) -> None:
    where = TableLocator(table=at[0], row=at[1], column=at[2])
    said = problem(TABLES, binding(where))
    assert said.startswith(f"claim kld fits no place: {expected}")


def test_a_cell_of_a_document_without_tables_is_a_problem() -> None:
    at = TableLocator(table=None, row=1, column=1)
    assert problem(PROSE, binding(at)).endswith("fits no place: the document has no tables")


def test_a_row_that_is_shorter_than_the_table_has_no_such_cell() -> None:
    doc = document(*table(1, ["arm", "mean"], ["fp8"]))
    said = problem(doc, binding(TableLocator(table=1, row=1, column=2)))
    assert said.endswith("fits no place: the row has no such cell in table 1")


def test_a_label_that_occurs_twice_names_both_rows() -> None:
    said = problem(TABLES, binding(TableLocator(table=1, row="old", column="mean KLD")))
    assert said == (
        "claim kld fits several cells: table 1 row 3 column 2 (line 29), table 1 row 4 column 2 "
        "(line 37); state numbers instead of labels"
    )


def test_a_cell_of_several_tables_names_them() -> None:
    said = problem(TABLES, binding(TableLocator(table=None, row="fp8", column=2)))
    assert "table 1 row 1 column 2 (line 13), table 2 row 1 column 2" in said


def test_a_label_of_many_cells_names_the_first_three() -> None:
    doc = document(*table(1, ["arm", "mean"], *[["fp8", "1"]] * 9))
    said = problem(doc, binding(TableLocator(table=1, row="fp8", column=2)))
    assert said.count("table 1 row") == 3
    assert "and others; state numbers" in said


def test_a_cell_of_several_paragraphs_gives_the_numbers_of_all() -> None:
    doc = document(*table(1, ["arm", "mean"], ["fp8", "1.5"], ["fp8", "2.5"]))
    cells = [block for block in doc.blocks if block.text in {"1.5", "2.5"}]
    doc = document(
        *[Block(kind="cell", text=b.text, offsets=(), line=0, cell=cells[0].cell) for b in cells]
    )
    at = TableLocator(table=1, row=1, column=2)
    assert printed(doc, binding(at, A, B)) == {"kld": ["1.5", "2.5"]}


def test_a_row_of_too_many_tables_asks_for_the_number_of_the_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("verifier.claims._cells._MOST_TABLES", 4)
    cells = [cell for n in range(1, 6) for cell in table(n, ["arm", "x"], ["fp8", "1"])]
    at = TableLocator(table=None, row="fp8", column="mean")
    said = problem(document(*cells), binding(at))
    assert said == (
        "claim kld fits no place in the first 4 tables that may be meant; state the table's number"
    )


def marks_located(*blocks: Block, rules: dict[str, str] | None = None) -> dict[str, list[str]]:
    doc = document(*blocks)
    bindings, problems = marked(doc)
    assert problems == ()
    return printed(doc, *bindings, rules=rules)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("is 0.5<!--claim: kld = a.json#/a--> nats and 7", ["0.5"]),
        ("is 0.5 nats<!-- claim: kld = a.json#/a --> and 7", ["0.5"]),
        ("is 0.5 percentage points (<!-- claim: kld = a.json#/a -->see 7)", ["0.5"]),
        ("in [1, 2]<!--claim: kld = a.json#/a, a.json#/b--> of 7", ["1", "2"]),
        ("in 0.5 [1, 2]<!--claim: kld = a.json#/a, a.json#/b, a.json#/c-->", ["0.5", "1", "2"]),
        ("in 0.5 [1, 2]<!--claim: kld = a.json#/a-->", ["2"]),
        ("is 0.5 (FP8)<!--claim: kld = a.json#/a-->", ["0.5"]),
        ("at C8<!--claim: kld = a.json#/a-->", ["8"]),
    ],
)
def test_a_mark_binds_the_numbers_directly_before_it(words: str, expected: list[str]) -> None:
    assert marks_located(marked_text(words), rules={"8": "name"}) == {"kld": expected}


@pytest.mark.parametrize(
    "words",
    [
        "<!--claim: kld = a.json#/a--> 0.5 nats",
        "is 0.5 nats and much else beside<!--claim: kld = a.json#/a-->",
        f"is 0.5{' ' * 41}<!--claim: kld = a.json#/a-->",
        "with FP8 <!--claim: kld = a.json#/a-->",
        "none<!--claim: kld = a.json#/a-->",
    ],
)
def test_a_mark_with_no_number_directly_before_it_is_a_problem(words: str) -> None:
    doc = document("9 is above.", marked_text(words))
    bindings, _ = marked(doc)
    said = problem(doc, *bindings, rules={"8": "name"})
    assert said == (
        "claim kld needs as many numbers as sources: has 1, found 0 directly before the mark"
    )


def test_a_mark_with_more_sources_than_numbers_before_it_is_a_problem() -> None:
    doc = document(
        marked_text("5 of them, that is to say, many: 6<!--claim: a.json#/a, a.json#/b-->")
    )
    bindings, _ = marked(doc)
    said = problem(doc, *bindings)
    assert said.endswith("as sources: has 2, found 1 directly before the mark")


def test_a_digest_is_bound_by_a_quote_with_or_without_its_prefix() -> None:
    doc = document(f"image sha256:{HEX} of", f"file {HEX} of 3")
    digest = FileDigest(file="a.json")
    for quote, index in (("image {}", 0), ("sha256:{} of", 0), ("file {} of 3", 1)):
        result, _ = locate(doc, binding(quote, digest, kind="identity"))
        assert (result.identities, result.numbers) == ({"kld": index}, {})
        assert result.problems == ()


def test_both_spellings_of_a_digest_are_one_place() -> None:
    doc = document(f"sha256:{HEX}")
    result, _ = locate(doc, binding("{}", kind="identity"))
    assert (result.identities, result.problems) == ({"kld": 0}, ())


def test_a_digest_is_bound_by_its_cell_and_by_a_mark() -> None:
    doc = document(
        *table(1, ["file", "digest"], ["a.json", f"`sha256:{HEX}` 7"]),
        marked_text(f"digest {HEX} <!--claim: mark = sha256:a.json-->"),
    )
    marks, _ = marked(doc)
    cell = binding(TableLocator(table=1, row="a.json", column="digest"), kind="identity")
    result, _ = locate(doc, cell, *marks)
    assert (result.identities, result.numbers) == ({"kld": 0, "mark": 1}, {})
    assert result.problems == ()


def test_a_cell_without_a_digest_is_a_problem() -> None:
    doc = document(*table(1, ["file", "digest"], ["a.json", "7"]))
    said = problem(doc, binding(TableLocator(table=1, row=1, column=2), kind="identity"))
    assert (
        "needs as many digests, commit ids or file names as sources: has 1, found 0 in its cell"
        in said
    )


def test_a_quote_around_no_digest_is_a_problem() -> None:
    said = problem(PROSE, binding("fp8 is {} nats", kind="identity"))
    assert said.endswith("does its quote stand around digests, commit ids or file names")


@pytest.mark.parametrize(
    ("wanted", "name", "expected"),
    [
        ("", "README.md", True),
        ("README.md", "README.md", True),
        ("README.md", "results/r27/README.md", True),
        ("r27/README.md", "results/r27/README.md", True),
        ("./r27/README.md", "r27/README.md", True),
        ("results/r27/README.md", "README.md", True),
        ("tr3/README.md", "results/r27/README.md", False),
        ("EADME.md", "README.md", False),
        ("readme.md", "README.md", False),
        (".", "README.md", False),
        ("/", "README.md", False),
    ],
)
def test_a_document_is_meant_by_the_last_parts_of_its_path(
    wanted: str, name: str, *, expected: bool
) -> None:
    assert matches(binding("{}", document=wanted), name) is expected


def test_a_sentence_that_stands_everywhere_is_told_to_quote_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("verifier.claims._quotes._MOST_PLACES", 9)
    filler = "x" * 70
    doc = document(f"a{filler} 7 {filler}", *[f"{filler} 7 {filler}"] * 8)
    assert printed(doc, binding(f"a{filler} {{}} {filler}")) == {"kld": ["7"]}
    doc = document(f"a{filler} 7 {filler}", *[f"{filler} 7 {filler}"] * 9)
    said = problem(doc, binding(f"a{filler} {{}} {filler}"))
    assert said == "claim kld has words that stand beside too many numbers; quote others"


def test_all_quotes_together_look_at_so_many_places(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifier.claims._quotes._MOST_BRACES_TRIED", 20)
    filler = "x" * 70
    doc = document(*[f"{letter}{filler} 7" for letter in "abc"], "so 8")
    quotes = [binding(f"{letter}{filler} {{}}", id=letter) for letter in "abc"]
    result, _ = locate(doc, binding("so {}"), *quotes)
    assert result.numbers == {"kld": (3,), "a": (0,), "b": (1,), "c": (2,)}
    again = [binding(f"{letter}{filler} {{}}", id=letter) for letter in "abcd"]
    result, _ = locate(doc, *again)
    assert result.numbers == {"a": (0,), "b": (1,), "c": (2,)}
    assert [item.message for item in result.problems] == [
        "claim d has words that stand beside too many numbers; quote others"
    ]


def test_words_further_away_than_the_index_looks_tell_places_apart() -> None:
    filler = "x" * 70
    doc = document(f"a {filler} 1", f"b {filler} 2", f"a {filler} 3 c")
    assert printed(doc, binding(f"b {filler} {{}}")) == {"kld": ["2"]}
    assert printed(doc, binding(f"a {filler} {{}} c")) == {"kld": ["3"]}


def test_the_last_character_of_all_hides_no_second_place() -> None:
    last = chr(0x10FFFF)
    doc = document("5 ms", f"5 ms{last}{last}", "5 ns")
    assert "fits several places" in problem(doc, binding("{} ms"))


def test_a_document_of_nothing_gives_problems_only() -> None:
    doc = document()
    assert "fits no place" in problem(doc, binding("{}"))


WORDS = st.text(alphabet="ab \n\t,0", max_size=8)
NUMBERS = st.decimals(min_value=0, max_value=99, places=1).map(str)


@given(st.lists(st.tuples(WORDS, NUMBERS), min_size=1, max_size=6), WORDS, st.data())
def test_a_quote_fits_exactly_where_a_plain_search_finds_it(
    pairs: list[tuple[str, str]], tail: str, data: st.DataObject
) -> None:
    """The oracle tries every run of numbers of every block on the collapsed text."""
    doc = document("".join(f"{words} {number} " for words, number in pairs) + tail, tail)
    found = numerals(doc)
    first = data.draw(st.integers(0, len(found) - 1), label="first")
    count = data.draw(st.integers(1, min(3, len(found) - first)), label="count")
    quoted = found[first : first + count]
    if len({item.block for item in quoted}) != 1:
        return
    whole = doc.blocks[quoted[0].block].text
    start = data.draw(st.integers(0, quoted[0].start), label="start")
    end = data.draw(st.integers(quoted[-1].end, len(whole)), label="end")
    cuts = [start, *(place for item in quoted for place in (item.start, item.end)), end]
    quote = "{}".join(whole[a:b] for a, b in zip(cuts[::2], cuts[1::2], strict=True))
    result, _ = locate(doc, binding(quote))
    expected = _searched(doc, found, quote, count)
    assert tuple(range(first, first + count)) in expected
    if any("only a part of" in item.message for item in result.problems):
        # "0,0" stands for one number, however well the quote fits.
        assert len(expected) == 1
        assert result.numbers == {}
    elif len(expected) == 1:
        assert result.numbers == {"kld": expected[0]}
        assert result.problems == ()
    else:
        assert result.numbers == {}
        assert "fits several places" in result.problems[0].message


def _searched(
    doc: Document, found: tuple[Numeral, ...], quote: str, count: int
) -> list[tuple[int, ...]]:
    wanted = " ".join(quote.split())
    places = []
    for first in range(len(found) - count + 1):
        run = found[first : first + count]
        if len({item.block for item in run}) != 1:
            continue
        whole = doc.blocks[run[0].block].text
        cuts = [0, *(place for item in run for place in (item.start, item.end)), len(whole)]
        pieces = [whole[a:b] for a, b in zip(cuts[::2], cuts[1::2], strict=True)]
        shown = " ".join("\0".join(pieces).split())
        if wanted.replace("{}", "\0") in shown:
            places.append(tuple(range(first, first + count)))
    return places


SHARES = document("1/2 of a", "3/4 of b", "5/6 of c", "7/8 of d", "so 9 of e", "at 10/11 of e/f")


@pytest.mark.parametrize(
    ("quote", "expected"),
    [("{}/{} of c", ["5", "6"]), ("{}/{} of", None), ("{}/{} of e", ["10", "11"])],
)
def test_a_quote_is_found_by_its_rarest_words_wherever_they_stand(
    quote: str, expected: list[str] | None
) -> None:
    if expected:
        assert printed(SHARES, binding(quote, A, B)) == {"kld": expected}
    else:
        assert "fits several places" in problem(SHARES, binding(quote, A, B))


def test_words_before_a_quote_that_differ_leave_no_place() -> None:
    assert "fits no place" in problem(SHARES, binding("{}/{} of f", A, B))
    assert "fits no place" in problem(SHARES, binding("at {}/{} of c", A, B))
    assert "fits no place" in problem(SHARES, binding("so {}/{} of e", A, B))


def test_the_values_take_no_part() -> None:
    doc = document("fp8 is 9.9 nats")
    result, found = locate(doc, binding("fp8 is {} nats"))
    assert found[result.numbers["kld"][0]].value == Decimal("9.9")


def test_a_quote_is_white_space_for_white_space() -> None:
    doc = document("fp8\u00a0is\n\n0.5\t nats")
    assert printed(doc, binding(QuoteLocator(quote="fp8 is {} nats"))) == {"kld": ["0.5"]}
