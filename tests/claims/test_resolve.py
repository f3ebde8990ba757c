"""Sources to values, each computed once; and claims in an order in which that works."""

import hashlib
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from tests.support.memory_files import MemoryFiles, data_files
from verifier.claims.data import DataFiles
from verifier.claims.resolve import Resolver, order
from verifier.model.claim import (
    Absent,
    Binding,
    Derived,
    Displayed,
    FigureValue,
    FileDigest,
    Form,
    Found,
    MeasureValue,
    Pointer,
    Problem,
    Source,
)

RECORD = '{"a": 8, "b": 5, "names": ["x", "y"], "rows": [{"kld": 1}, {"kld": 2}, {"kld": null}]}'
NOWHERE: Mapping[str, Found] = {}


class TellingFigures:
    """Figures that answer with what they were asked, and note it."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def figure(self, figure_id: str) -> Found | Absent:
        self.asked.append(figure_id)
        if figure_id == "missing":
            return Absent(reason="the bundle publishes no figure 'missing'")
        return Found(value=Decimal(len(figure_id)), slack=Decimal("0.5"), unit="nat", origin="f")

    def measure(self, measure: Mapping[str, Any]) -> Found | Absent:
        self.asked.append(measure)
        return Found(value=Decimal(len(measure)), origin="m")


def pointer(text: str) -> Pointer:
    return Pointer(file="r.json", pointer=text)


def form(name: Form, *operands: Source) -> Derived:
    return Derived(form=name, operands=operands)


def resolver(**files: str) -> Resolver:
    return Resolver(
        data=data_files({"r.json": RECORD} | files), figures=TellingFigures(), digests={}
    )


def test_each_source_gives_its_value() -> None:
    displayed = {"total": Found(value=Decimal("3474.1"), unit="M")}
    one = resolver()
    assert one.resolve(pointer("/a"), NOWHERE) == Found(value=Decimal(8), origin="r.json#/a")
    assert one.resolve(FigureValue(id="abc"), NOWHERE) == Found(
        value=Decimal(3), slack=Decimal("0.5"), unit="nat", origin="f"
    )
    assert one.resolve(MeasureValue(measure={"x": 1, "y": 2}), NOWHERE) == Found(
        value=Decimal(2), origin="m"
    )
    assert one.resolve(Displayed(claim="total"), displayed) == displayed["total"]
    assert one.resolve(form("relative-change", pointer("/a"), pointer("/b")), NOWHERE) == Found(
        value=Decimal("-0.375"), origin="relative-change(r.json#/a, r.json#/b)"
    )


def test_derived_forms_nest_and_mix_sources() -> None:
    inner = form("sum", pointer("/a"), Displayed(claim="c"))
    found = resolver().resolve(
        form("ratio", inner, FigureValue(id="ab")), {"c": Found(value=Decimal(2), origin="c")}
    )
    assert found == Found(
        value=Decimal(5), slack=Decimal("1.25"), origin="ratio(sum(r.json#/a, c), f)"
    )


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (Displayed(claim="c"), "claim 'c' displays no number in this document"),
        (pointer("/c"), "r.json# has no key 'c'"),
        (FigureValue(id="missing"), "the bundle publishes no figure 'missing'"),
        (FileDigest(file="s.json"), "there is no file 's.json'; did you mean 'r.json'?"),
    ],
)
def test_a_source_that_is_missing_is_missing_in_every_form(source: Source, reason: str) -> None:
    one = resolver()
    for asked in (source, form("sum", pointer("/a"), source), form("count", source)):
        found = one.resolve(asked, NOWHERE)
        assert isinstance(found, Absent)
        assert found.reason.startswith(reason)
        assert not found.broken


def test_without_a_bundle_and_without_data_each_source_says_what_was_not_given() -> None:
    bare = Resolver(data=None, figures=None, digests={})
    data = Absent(reason="no bundle and no data files were given to look for 'r.json' in")
    assert bare.resolve(pointer("/a"), NOWHERE) == data
    assert bare.resolve(form("count", pointer("/a")), NOWHERE) == data
    assert bare.resolve(FigureValue(id="abc"), NOWHERE) == Absent(
        reason="figure 'abc' cannot be computed: no bundle was given"
    )
    assert bare.resolve(MeasureValue(measure={}), NOWHERE) == Absent(
        reason="a measure cannot be computed: no bundle was given"
    )
    assert bare.resolve(FileDigest(file="r.json"), NOWHERE) == Absent(
        reason="no bundle and no data files were given to look for 'r.json' in"
    )


def test_a_digest_of_a_file_comes_from_the_bundle_or_from_the_file() -> None:
    one = Resolver(
        data=data_files({"r.json": RECORD}), figures=None, digests={"big.npz": "ab" * 32}
    )
    assert one.resolve(FileDigest(file="big.npz"), NOWHERE) == Found(
        value="ab" * 32, origin="SHA-256 of big.npz"
    )
    assert one.resolve(FileDigest(file="r.json"), NOWHERE) == Found(
        value=hashlib.sha256(RECORD.encode()).hexdigest(), origin="SHA-256 of r.json"
    )


@pytest.mark.parametrize(
    ("operands", "count", "origin"),
    [
        ((pointer("/rows"),), 3, "count(r.json#/rows)"),
        (
            (pointer("/rows/*/kld"), pointer("/names")),
            5,
            "count(r.json#/rows/*/kld, r.json#/names)",
        ),
        ((pointer("/a"), FigureValue(id="x")), 2, "count(r.json#/a, f)"),
        ((Displayed(claim="c"),), 2, "count(shown)"),
    ],
)
def test_a_count_counts_objects_and_null_too(
    operands: tuple[Source, ...], count: int, origin: str
) -> None:
    displayed = {"c": Found(value=Decimal(1), values=(Decimal(1), Decimal(2)), origin="shown")}
    assert resolver().resolve(form("count", *operands), displayed) == Found(
        value=Decimal(count), origin=origin
    )


def test_nonsense_is_broken_whether_it_is_nested_or_not() -> None:
    nonsense = form("ratio", pointer("/a"), form("difference", pointer("/b"), pointer("/b")))
    for source in (nonsense, form("sum", nonsense), pointer("/rows")):
        found = resolver().resolve(source, NOWHERE)
        assert isinstance(found, Absent)
        assert found.broken


def test_a_source_is_resolved_once_and_measures_are_told_apart() -> None:
    figures = TellingFigures()
    files = MemoryFiles({"r.json": RECORD.encode()})
    one = Resolver(data=DataFiles(files), figures=figures, digests={})
    for _ in range(2):
        for source in (
            FigureValue(id="abc"),
            MeasureValue(measure={"arm": "fp8", "n": 1}),
            MeasureValue(measure={"n": 1, "arm": "fp8"}),
            MeasureValue(measure={"arm": "nvfp4"}),
            form("sum", FigureValue(id="abcd"), MeasureValue(measure={"arm": "fp8", "n": 1})),
            pointer("/a"),
        ):
            assert isinstance(one.resolve(source, NOWHERE), Found)
    assert figures.asked == ["abc", {"arm": "fp8", "n": 1}, {"arm": "nvfp4"}, "abcd"]
    assert files.reads == ["r.json"]


def test_a_measure_without_a_canonical_form_is_asked_each_time() -> None:
    figures = TellingFigures()
    one = Resolver(data=None, figures=figures, digests={})
    odd = MeasureValue(measure={"n": 2**60})
    for source in (odd, odd, form("sum", odd)):
        assert isinstance(one.resolve(source, NOWHERE), Found)
    assert figures.asked == [odd.measure] * 3


def test_what_depends_on_the_document_is_never_kept() -> None:
    one = resolver()
    source = form("difference", pointer("/a"), Displayed(claim="c"))
    for shown in (1, 2):
        found = one.resolve(source, {"c": Found(value=Decimal(shown), origin="c")})
        assert isinstance(found, Found)
        assert found.value == 8 - shown


def binding(name: str, *named: str, n: Source | None = None) -> Binding:
    sources: tuple[Source, ...] = tuple(Displayed(claim=claim) for claim in named)
    return Binding(
        id=name,
        document="",
        at=None,
        sources=sources or (pointer("/a"),),
        n=n,
        location=f"claims.json#/{name}",
    )


def ids(bindings: tuple[Binding, ...]) -> str:
    return "".join(one.id for one in bindings)


def test_claims_keep_their_order_when_they_name_no_others() -> None:
    given = tuple(binding(name) for name in "cab")
    assert order(given) == (given, ())
    assert order(()) == ((), ())


def test_a_claim_stands_behind_those_that_it_names() -> None:
    ordered, problems = order(
        (binding("d", "b", "c"), binding("a"), binding("b", "a"), binding("c", "b"))
    )
    assert (ids(ordered), problems) == ("abcd", ())


def test_claims_named_deep_in_a_form_or_as_the_number_of_things_count_too() -> None:
    deep = form("ratio", pointer("/a"), form("sum", Displayed(claim="c"), Displayed(claim="b")))
    nested = Binding(id="a", document="", at=None, sources=(deep,), location="x")
    ordered, problems = order(
        (nested, binding("b", n=Displayed(claim="d")), binding("c"), binding("d"))
    )
    assert (ids(ordered), problems) == ("cdba", ())


def test_a_circle_is_one_problem_and_who_names_it_stays_usable() -> None:
    ordered, problems = order(
        (binding("e", "b"), binding("a", "b"), binding("b", "c"), binding("c", "a"), binding("d"))
    )
    assert ids(ordered) == "ed"
    assert problems == (
        Problem(
            location="claims.json#/a",
            message="'a', 'b', 'c' name one another, so nothing outside the document supports them",
        ),
    )


def test_every_claim_of_tangled_circles_is_refused() -> None:
    ordered, problems = order(
        (
            *(binding("a", "b", "c"), binding("b", "a"), binding("c", "b")),
            *(binding("d", "e"), binding("e", "d")),
        )
    )
    assert ordered == ()
    assert [problem.location for problem in problems] == ["claims.json#/a", "claims.json#/d"]


def test_a_claim_that_names_itself_is_a_circle() -> None:
    assert order((binding("a", "a"),)) == (
        (),
        (
            Problem(
                location="claims.json#/a",
                message="'a' names itself, so nothing outside the document supports them",
            ),
        ),
    )


def test_a_long_circle_names_its_first_members() -> None:
    names = "abcdef"
    following = names[1:] + names[0]
    _, problems = order(tuple(map(binding, names, following)))
    assert problems[0].message.startswith("'a', 'b', 'c' and 3 more name one another")


def test_an_unknown_claim_is_a_problem_that_suggests_a_known_one() -> None:
    ordered, problems = order((binding("total-before"), binding("b", "total-befor", "total-befor")))
    assert ids(ordered) == "total-before"
    assert problems == (
        Problem(
            location="claims.json#/b",
            message="claim 'b' names the claim 'total-befor', and there is none of that id; "
            "did you mean 'total-before'?",
        ),
    )


def test_an_id_that_two_claims_have_names_neither() -> None:
    twins = (binding("a"), binding("a"))
    ordered, problems = order((*twins, binding("b", "a")))
    assert ordered == twins
    assert [problem.message for problem in problems] == [
        "claim 'b' names the claim 'a', and 2 claims have that id"
    ]


def test_a_chain_as_long_as_a_claims_file_may_be_needs_no_recursion() -> None:
    length = 20_000
    given = tuple(
        binding(str(place), *([str(place + 1)] if place + 1 < length else []))
        for place in range(length)
    )
    ordered, problems = order(given)
    assert problems == ()
    assert [one.id for one in ordered] == [str(place) for place in reversed(range(length))]
