from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from tests.support.claim_documents import binding, document, marked_text
from tests.support.memory_files import data_files
from verifier.claims.check import Evidence, check
from verifier.claims.known import known_identities
from verifier.claims.resolve import Resolver
from verifier.claims.stale import Older, Suspect
from verifier.model.claim import (
    Binding,
    ClaimResult,
    Derived,
    Displayed,
    DocumentResult,
    FileDigest,
    Pointer,
)
from verifier.model.document import Block

DIGEST, OTHER = (sha256(text).hexdigest() for text in (b"a", b"b"))


def evidence(
    files: Mapping[str, str | bytes] | None = None,
    digests: Mapping[str, str] | None = None,
    **others: Any,
) -> Evidence:
    resolver = Resolver(data=data_files(files or {}), figures=None, digests=digests or {})
    return Evidence(resolver=resolver, **others)


def checked(
    text: str | Block, *bindings: Binding, held: Evidence | None = None, data: str = "{}"
) -> DocumentResult:
    return check(document(text), bindings, held or evidence({"a.json": data})).result


def told(result: DocumentResult) -> list[tuple[str, str]]:
    return [(item.text, item.status) for item in result.results]


def only(result: DocumentResult) -> ClaimResult:
    (item,) = result.results
    return item


def pointer(path: str) -> Pointer:
    return Pointer(file="a.json", pointer=path)


def test_a_number_is_held_against_its_source() -> None:
    item = only(checked("is 0.25.", binding("is {}."), data='{"kld": 0.26}'))

    assert (item.status, item.expected, item.claim) == ("CONTRADICTED", "0.26", "kld")
    assert (item.origin, item.span, item.context) == ("a.json#/kld", (3, 7), "is 0.25.")
    assert (item.place.line, item.place.column) == (1, 4)


def test_a_binding_of_another_document_is_passed_over() -> None:
    result = checked("is 0.25.", binding("is {}.", document="other.md"), data='{"kld": 0.25}')

    assert told(result) == [("0.25", "UNBOUND")]
    assert result.problems == ()


def test_an_inline_mark_binds_without_a_claims_file() -> None:
    result = checked(marked_text("is 0.25<!-- claim: a.json#/kld -->."), data='{"kld": 0.25}')

    assert told(result) == [("0.25", "SUPPORTED")]


def test_a_mark_that_says_nonsense_is_a_problem() -> None:
    result = checked(marked_text("is 0.25<!-- claim: nonsense -->."))

    assert told(result) == [("0.25", "UNBOUND")]
    assert len(result.problems) == 1


def test_a_list_is_dealt_out_over_the_numbers_of_a_quote() -> None:
    ends = binding("from {} to {}.", pointer("/ends"))

    result = checked("from 1.5 to 2.5.", ends, data='{"ends": [1.5, 3.5]}')

    assert told(result) == [("1.5", "SUPPORTED"), ("2.5", "CONTRADICTED")]


def test_a_claim_may_rest_on_what_another_displays() -> None:
    total = binding("all {}.", Derived(form="sum", operands=(Displayed(claim="a"), pointer("/b"))))

    result = checked(
        "a 3, all 8.", total, binding("a {},", pointer("/a"), id="a"), data='{"a": 4, "b": 5}'
    )

    assert told(result) == [("3", "CONTRADICTED"), ("8", "SUPPORTED")]


def test_claims_that_rest_on_each_other_are_a_problem() -> None:
    first = binding("a {},", Displayed(claim="b"), id="a")
    second = binding("b {}.", Displayed(claim="a"), id="b")

    result = checked("a 3, b 3.", first, second)

    assert result.problems != ()
    assert "SUPPORTED" not in {status for _, status in told(result)}


def test_the_whole_of_a_count_limits_its_part() -> None:
    count = binding("in {}/{}.", pointer("/k"), pointer("/n"))

    result = checked("in 9/8.", count, data='{"k": 9, "n": 8}')

    assert result.results[0].flaws == ("impossible-count",)


def test_the_number_of_things_makes_a_percentage_impossible() -> None:
    share = binding("is {} %.", pointer("/share"), n=pointer("/n"), unit="percent")

    result = checked("is 12.3 %.", share, data='{"share": 12.3, "n": 8}')

    assert only(result).flaws == ("impossible-percentage",)


def test_a_number_of_things_that_is_none_is_a_problem() -> None:
    for data, says in (
        ('{"kld": 12.5, "n": "many"}', "'many' is no number"),
        ('{"kld": 12.5}', "no"),
    ):
        result = checked(
            "is 12.5 %.", binding("is {} %.", n=pointer("/n"), unit="percent"), data=data
        )

        (problem,) = result.problems
        assert problem.location == "claims.json#/claims/0/n"
        assert says in problem.message


def test_a_source_that_makes_no_sense_is_reported_once() -> None:
    quotient = Derived(form="ratio", operands=(pointer("/a"), pointer("/zero")))
    both = binding("{} or {}.", quotient, quotient)

    result = checked("1 or 2.", both, data='{"a": 1, "zero": 0}')

    assert told(result) == [("1", "UNSUPPORTED"), ("2", "UNSUPPORTED")]
    assert [problem.message for problem in result.problems] == [result.results[0].reason]


def test_a_list_that_is_too_short_or_too_long_is_a_problem() -> None:
    two = binding("{} or {}.", pointer("/list"))

    assert [
        checked("1 or 2.", two, data=data).problems[0].message
        for data in ('{"list": [1, 2, 3]}', '{"list": 1}')
    ] == [
        "2 numbers stand there, and the source gives 3 values",
        "2 numbers stand there, and the source gives a single value",
    ]


def test_an_exponent_that_stands_apart_gives_no_correction() -> None:
    result = checked("is 1.2e\n-5.", binding("is {}"), data='{"kld": 1.2e-5}')

    assert (result.results[0].status, result.results[0].expected) == ("CONTRADICTED", "")
    assert result.results[0].reason.endswith("stands apart from it, so that it is read without.")
    assert result.patches == ()


def test_a_mantissa_that_agrees_without_its_exponent_is_still_wrong() -> None:
    asked: list[Suspect] = []

    def stale(suspects: Sequence[Suspect]) -> Mapping[int, Older]:
        asked.extend(suspects)
        return {}

    held = evidence({"a.json": '{"kld": 1.5}'}, stale=stale)
    first = checked("is 1.5e\n-5.", binding("is {}"), held=held).results[0]

    assert (first.text, first.status, first.expected) == ("1.5", "CONTRADICTED", "")
    assert first.reason == "Its exponent stands apart from it, so that it is read without."
    assert asked == []


def test_numbers_that_nothing_binds_say_why() -> None:
    result = checked("On 2026-05-01 we saw 0.25 of one.")

    assert {(item.text, item.status, item.reason) for item in result.results} == {
        ("2026", "NOT A CLAIM", "It is part of a date or a time."),
        ("05", "NOT A CLAIM", "It is part of a date or a time."),
        ("01", "NOT A CLAIM", "It is part of a date or a time."),
        ("0.25", "UNBOUND", "Nothing binds it to a source."),
        ("one", "NOT A CLAIM", "It is written as a word."),
    }


# --- identities ---


def digest_binding() -> Binding:
    return binding("image {}.", FileDigest(file="a.json"), kind="identity")


def test_a_bound_digest_has_to_be_that_of_the_file() -> None:
    for digest, status in ((DIGEST, "SUPPORTED"), (OTHER, "CONTRADICTED")):
        held = evidence(digests={"a.json": digest})
        assert told(checked(f"image {DIGEST}.", digest_binding(), held=held)) == [(DIGEST, status)]


def test_a_digest_of_a_file_that_is_not_there_is_unsupported() -> None:
    item = only(checked(f"image {DIGEST}.", digest_binding(), held=evidence(digests={})))

    assert (item.what, item.status, item.claim) == ("sha256", "UNSUPPORTED", "kld")


def test_a_digest_binding_that_fits_no_place_is_a_problem() -> None:
    result = checked("image of nothing.", digest_binding())

    assert len(result.problems) == 1
    assert result.results == ()


def test_a_digest_that_nothing_binds_is_looked_up_in_the_bundle() -> None:
    files = data_files({})
    known = known_identities(files, {"x.bin": DIGEST}, ["x.bin"])

    with_bundle = only(checked(f"image {DIGEST}.", held=evidence(known=known)))
    without = only(checked(f"image {DIGEST}."))

    assert with_bundle.status == "SUPPORTED"
    assert (without.status, without.reason) == ("UNBOUND", "There is no bundle to look it up in.")


# --- history ---


def test_a_wrong_number_that_was_right_once_is_stale() -> None:
    asked: list[Sequence[Suspect]] = []

    def stale(suspects: Sequence[Suspect]) -> Mapping[int, Older]:
        asked.append(suspects)
        return {1: Older(commit=40 * "c", value="0.251")}

    bindings = [binding(f"{name} {{}}", pointer(f"/{name}"), id=name) for name in ("a", "b", "c")]

    result = checked(
        "a 0.5 b 0.25 c 0.75",
        *bindings,
        held=evidence({"a.json": '{"a": 0.4, "b": 0.3, "c": 0.75}'}, stale=stale),
    )

    assert told(result) == [("0.5", "CONTRADICTED"), ("0.25", "STALE"), ("0.75", "SUPPORTED")]
    assert result.results[1].reason == f"It was 0.251 in commit {12 * 'c'} and has changed since."
    assert result.results[1].expected == "0.30"
    assert [suspect.binding.id for suspect in asked[0]] == ["a", "b"]


def test_history_is_not_asked_where_nothing_is_wrong() -> None:
    def stale(_: Sequence[Suspect]) -> Mapping[int, Older]:
        raise AssertionError

    held = evidence({"a.json": '{"kld": 0.25}'}, stale=stale)

    assert told(checked("is 0.25.", binding("is {}."), held=held)) == [("0.25", "SUPPORTED")]


def test_an_element_of_a_list_is_looked_up_in_its_place() -> None:
    asked: list[int | None] = []

    def stale(suspects: Sequence[Suspect]) -> Mapping[int, Older]:
        asked.extend(suspect.element for suspect in suspects)
        return {}

    held = evidence({"a.json": '{"ends": [1, 2]}'}, stale=stale)

    checked("from 1 to 3.", binding("from {} to {}.", pointer("/ends")), held=held)

    assert asked == [1]
