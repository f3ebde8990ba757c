"""Corrections: only where nothing is left to judge, and nothing else is touched."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.claims.corrections import (
    Edit,
    apply,
    corrections,
    dependencies,
    patches,
    unified,
)
from verifier.model.claim import (
    Binding,
    ClaimResult,
    Derived,
    Displayed,
    DocumentResult,
    Place,
    Pointer,
    Source,
    Status,
)
from verifier.model.document import Document

SOURCE = "The mean is 0.0318 nats.\r\nOf 32 windows 26 fell; 5\n0 rose.\n"


def wrong(
    text: str,
    expected: str,
    *,
    claim: str = "mean",
    status: Status = "CONTRADICTED",
    source: str = SOURCE,
) -> ClaimResult:
    """A result for the first place in the source that reads so."""
    start = source.find(text)
    return ClaimResult(
        place=Place(document="README.md", line=source.count("\n", 0, start) + 1, column=7),
        what="number",
        text=text,
        claim=claim,
        status=status,
        expected=expected,
        span=(start, start + len(text)) if start >= 0 else (-1, -1),
    )


def corrected(
    *results: ClaimResult, source: str = SOURCE, depends: dict[str, frozenset[str]] | None = None
) -> tuple[tuple[Edit, ...], list[tuple[str, str]]]:
    """Edits, and claims with the reasons for leaving them."""
    document = Document(name="README.md", format="markdown", source=source, blocks=())
    found = DocumentResult(document="README.md", results=results)
    edits, refusals = corrections(document, found, depends=depends)
    return edits, [(refusal.claim, refusal.reason) for refusal in refusals]


@pytest.mark.parametrize("status", ["CONTRADICTED", "STALE"])
def test_a_wrong_number_is_replaced_by_the_right_one(status: Status) -> None:
    edits, refusals = corrected(wrong("0.0318", "0.0319", status=status))
    assert edits == (Edit(start=12, end=18, old="0.0318", new="0.0319", claim="mean"),)
    assert refusals == []


def test_nothing_else_is_touched() -> None:
    edits, _ = corrected(wrong("26", "27", claim="fell"), wrong("0.0318", "0.032"))
    assert apply(SOURCE, edits) == (
        "The mean is 0.032 nats.\r\nOf 32 windows 27 fell; 5\n0 rose.\n"
    )


@pytest.mark.parametrize("status", ["SUPPORTED", "UNSUPPORTED", "UNBOUND", "NOT A CLAIM"])
def test_what_is_not_wrong_is_neither_corrected_nor_refused(status: Status) -> None:
    assert corrected(wrong("26", "27", status=status)) == ((), [])


def test_whether_number_or_unit_is_wrong_is_left_to_a_person() -> None:
    edits, refusals = corrected(wrong("0.0318", "3.18", status="UNIT"))
    assert edits == ()
    assert refusals == [("mean", "Whether the number or its unit is wrong is for a person to say.")]


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (wrong("26", ""), "There is no right value in the document's own format."),
        (wrong("26", "26"), "The right value prints the same: what is around it is wrong."),
        (wrong("0.5", "0.6"), "It does not stand in one piece in the source of the document."),
        (
            wrong("26", "27")._replace(text="25"),
            "It does not stand in one piece in the source of the document.",
        ),
        (
            wrong("26", "27")._replace(text="", span=(3, 3)),
            "It does not stand in one piece in the source of the document.",
        ),
        (wrong("5\n0", "51"), "It runs over the end of a line."),
        (wrong("nats.\r", "51"), "It runs over the end of a line."),
        (wrong("26", "2\n7"), "The right value holds characters that cannot be printed."),
        (wrong("26", "2\u202e7"), "The right value holds characters that cannot be printed."),
        (wrong("26", "2<b>7"), "The right value holds characters that are markup in a document."),
        (wrong("26", "2|7"), "The right value holds characters that are markup in a document."),
    ],
)
def test_what_leaves_something_to_judge_is_refused(result: ClaimResult, reason: str) -> None:
    assert corrected(result) == ((), [("mean", reason)])


def test_a_refusal_says_where_the_number_stands() -> None:
    document = Document(name="README.md", format="markdown", source=SOURCE, blocks=())
    found = DocumentResult(document="README.md", results=(wrong("26", ""),))
    _, (refusal,) = corrections(document, found)
    assert (refusal.line, refusal.column, refusal.text) == (2, 7, "26")


def test_spaces_between_thousands_and_marks_that_stood_there_already_may_be_written() -> None:
    source = "2\u202f046 and 1.2*10^5"
    edits, refusals = corrected(
        wrong("2\u202f046", "12\u00a0046", source=source),
        wrong("1.2*10^5", "1.3*10^5", source=source, claim="b"),
        source=source,
    )
    assert refusals == []
    assert apply(source, edits) == "12\u00a0046 and 1.3*10^5"


def test_two_corrections_of_one_place_that_differ_are_both_refused() -> None:
    edits, refusals = corrected(
        wrong("26", "27", claim="a"), wrong("26", "28", claim="b"), wrong("32", "33", claim="c")
    )
    assert [edit.claim for edit in edits] == ["c"]
    reason = "Another correction of the same place says something else."
    assert refusals == [("a", reason), ("b", reason)]


def test_two_corrections_of_one_place_that_agree_are_one_edit() -> None:
    edits, refusals = corrected(wrong("26", "27", claim="b"), wrong("26", "27", claim="a"))
    assert edits == (Edit(start=40, end=42, old="26", new="27", claim="a"),)
    assert refusals == []


def test_corrections_that_overlap_are_refused_all_the_way() -> None:
    long = wrong("32 windows 26", "33 windows 26", claim="long")
    edits, refusals = corrected(
        wrong("26", "27", claim="end"), long, wrong("32", "33", claim="start")
    )
    assert edits == ()
    assert [claim for claim, _ in refusals] == ["end", "long", "start"]


def test_corrections_that_touch_do_not_clash() -> None:
    edits, refusals = corrected(
        wrong("12", "34", source="1256"), wrong("56", "78", source="1256"), source="1256"
    )
    assert refusals == []
    assert apply("1256", edits) == "3478"


def test_a_claim_that_rests_on_a_wrong_one_waits_for_it() -> None:
    depends = {
        "change": frozenset({"sum"}),
        "sum": frozenset({"part"}),
        "part": frozenset[str](),
        "other": frozenset[str](),
    }
    edits, refusals = corrected(
        wrong("26", "27", claim="change"),
        wrong("32", "33", claim="part"),
        wrong("0.0318", "0.0319", claim="other"),
        depends=depends,
    )
    assert [edit.claim for edit in edits] == ["other", "part"]
    assert refusals == [
        ("change", "It is derived from the claim 'part', which has to be right first.")
    ]


def test_a_claim_waits_for_one_that_only_a_person_can_correct() -> None:
    edits, refusals = corrected(
        wrong("26", "27", claim="sum"),
        wrong("32", "3200", claim="part", status="UNIT"),
        depends={"sum": frozenset({"part"})},
    )
    assert edits == ()
    assert [claim for claim, _ in refusals] == ["sum", "part"]


def test_claims_in_a_circle_all_wait() -> None:
    edits, refusals = corrected(
        wrong("26", "27", claim="a"),
        wrong("32", "33", claim="b"),
        depends={"a": frozenset({"b"}), "b": frozenset({"a"})},
    )
    assert edits == ()
    assert [claim for claim, _ in refusals] == ["a", "b"]


def test_identities_without_a_claim_depend_on_nothing() -> None:
    edits, refusals = corrected(
        wrong("26", "27", claim=""), wrong("32", "33", claim=""), depends={"": frozenset({"x"})}
    )
    assert len(edits) == 2
    assert refusals == []


def bound(claim: str, *sources: Source, n: Source | None = None) -> Binding:
    return Binding(
        id=claim, document="", at=None, mark=(0, 0), sources=sources, n=n, location="here"
    )


def test_dependencies_are_the_claims_in_sources_however_deep() -> None:
    pointer = Pointer(file="a.json", pointer="/x")
    inner = Derived(form="sum", operands=(Displayed(claim="a"), pointer))
    outer = Derived(form="ratio", operands=(inner, Displayed(claim="b")))
    assert dependencies((bound("c", outer, pointer, n=Displayed(claim="n")), bound("d"))) == {
        "c": frozenset({"a", "b", "n"}),
        "d": frozenset(),
    }


@pytest.mark.parametrize(
    "edits",
    [
        [(0, 1, "b")],
        [(1, 2, "b"), (0, 1, "a")],
        [(0, 2, "ab"), (1, 3, "bc")],
        [(2, 9, "c")],
    ],
    ids=["other text", "order", "overlap", "beyond the end"],
)
def test_edits_that_do_not_fit_the_source_are_an_error(edits: list[tuple[int, int, str]]) -> None:
    made = [Edit(start=s, end=e, old=old, new="x", claim="") for s, e, old in edits]
    with pytest.raises(ValueError, match="does not fit"):
        apply("abc", made)


def test_patches_are_lines_without_their_ends() -> None:
    edits, _ = corrected(wrong("0.0318", "0.0319"), wrong("26", "27", claim="b"))
    assert patches(SOURCE, edits) == (
        (1, "The mean is 0.0318 nats.", "The mean is 0.0319 nats."),
        (2, "Of 32 windows 26 fell; 5", "Of 32 windows 27 fell; 5"),
    )


def test_two_edits_in_one_line_are_one_patch() -> None:
    edits, _ = corrected(wrong("32", "33"), wrong("26", "27", claim="b"))
    assert patches(SOURCE, edits) == ((2, SOURCE.split("\n")[1], "Of 33 windows 27 fell; 5"),)


def test_without_edits_there_are_no_patches_and_no_diff() -> None:
    assert patches(SOURCE, ()) == ()
    assert unified("README.md", SOURCE, SOURCE) == ""


def test_diff_shows_three_lines_around_each_change() -> None:
    lines = [f"line {number}\n" for number in range(1, 21)]
    edited = list(lines)
    edited[4], edited[5], edited[11], edited[19] = "five\n", "six\n", "twelve\n", "twenty\n"
    assert unified("README.md", "".join(lines), "".join(edited)) == (
        "--- a/README.md\n+++ b/README.md\n"
        "@@ -2,14 +2,14 @@\n line 2\n line 3\n line 4\n-line 5\n-line 6\n+five\n+six\n"
        " line 7\n line 8\n line 9\n line 10\n line 11\n-line 12\n+twelve\n"
        " line 13\n line 14\n line 15\n"
        "@@ -17,4 +17,4 @@\n line 17\n line 18\n line 19\n-line 20\n+twenty\n"
    )


def test_diff_marks_a_last_line_without_an_end() -> None:
    assert unified("a", "x\n1", "x\n2") == (
        "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n x\n"
        "-1\n\\ No newline at end of file\n+2\n\\ No newline at end of file\n"
    )


def test_diff_breaks_lines_only_at_newlines() -> None:
    assert unified("a", "1\x0c\r\n", "2\x0c\r\n") == (
        "--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-1\x0c\r\n+2\x0c\r\n"
    )


def test_diff_shows_a_name_on_one_line() -> None:
    assert unified("a\n+b", "1", "2").startswith("--- a/a\\n+b\n+++ b/a\\n+b\n@@ ")


def test_diff_of_texts_with_other_numbers_of_lines_is_an_error() -> None:
    with pytest.raises(ValueError, match="shorter"):
        unified("a", "1\n2\n", "1\n")


@given(
    st.lists(st.tuples(st.sampled_from(["7", "7 7", "x", ""]), st.booleans()), max_size=40),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_the_diff_makes_the_edited_text_of_the_source(
    lines: list[tuple[str, bool]],
    end: str,
    final: bool,  # noqa: FBT001 - drawn by hypothesis
) -> None:
    source = end.join(text for text, _ in lines) + (end if final else "")
    edited = end.join("8" if new and text else text for text, new in lines)
    edited += end if final else ""
    diff = unified("a.txt", source, edited)
    assert applied(source, diff) == edited


def applied(source: str, diff: str) -> str:
    """What a reader of unified diffs makes of it; every line of context is compared."""
    lines = source.split("\n")
    lines = [f"{line}\n" for line in lines[:-1]] + lines[-1:]
    made, at = [], 0
    body = diff.split("\n")[2:-1]
    index = 0
    while index < len(body):
        line = body[index]
        index += 1
        ends = index == len(body) or body[index] != "\\ No newline at end of file"
        index += 0 if ends else 1
        text = line[1:] + ("\n" if ends else "")
        if line.startswith("@@ "):
            start = int(line.split()[1][1:].split(",")[0]) - 1
            made += lines[at:start]
            at = start
        elif line[0] in " -":
            assert lines[at] == text
            at += 1
            made += [text] if line[0] == " " else []
        else:
            made.append(text)
    return "".join([*made, *lines[at:]])


def test_ten_thousand_corrections_in_one_line_of_a_document() -> None:
    source = "17 " * 10_000
    results = [
        wrong("17", "18", claim=str(index), source=source)._replace(span=(3 * index, 3 * index + 2))
        for index in range(10_000)
    ]
    edits, refusals = corrected(*results, source=source)
    assert refusals == []
    assert patches(source, edits) == ((1, source, "18 " * 10_000),)
