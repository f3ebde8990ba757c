"""Stale numbers: right once, by the very source that contradicts them now."""

import json
from collections.abc import Callable, Iterator
from decimal import Decimal

import pytest

from verifier.claims.stale import Older, Suspect, data_file, stale
from verifier.claims.verdicts import judge
from verifier.model.claim import (
    Absent,
    Binding,
    Derived,
    Displayed,
    FigureValue,
    FileDigest,
    Found,
    MeasureValue,
    Numeral,
    Pointer,
    Relation,
    Source,
)

KLD = Pointer(file="a.json", pointer="/kld")


def numeral(
    text: str, *, unit: str = "", relation: Relation = "=", approximate: bool = False
) -> Numeral:
    value = Decimal(text)
    exponent = value.as_tuple().exponent
    return Numeral(
        block=0,
        start=0,
        end=len(text),
        text=text,
        literal=text,
        value=value,
        place=exponent if isinstance(exponent, int) else 0,
        unit=unit,
        relation=relation,
        approximate=approximate,
        group=0,
    )


def suspect(number: Numeral, source: Source = KLD, element: int | None = None) -> Suspect:
    binding = Binding(id="kld", document="", at=None, sources=(source,), location="claims.json")
    return Suspect(numeral=number, binding=binding, source=source, element=element)


def lookup(_file: str, data: bytes) -> Callable[[Source], Found | Absent]:
    """Values of pointers of one step, and their sum."""
    table = json.loads(data, parse_float=Decimal, parse_int=Decimal)

    def value(source: Source) -> Found | Absent:
        if isinstance(source, Derived):
            parts = [value(operand) for operand in source.operands]
            found = [part.value for part in parts if isinstance(part, Found)]
            return Found(value=sum((Decimal(part) for part in found), Decimal(0)))
        assert isinstance(source, Pointer)
        got = table.get(source.pointer[1:])
        if got is None:
            return Absent(reason="no such key")
        if isinstance(got, list):
            return Found(value=got[0], values=tuple(got))
        return Found(value=got)

    return value


def history(*versions: str) -> Callable[[str], Iterator[tuple[str, bytes]]]:
    def older(file: str) -> Iterator[tuple[str, bytes]]:
        assert file == "a.json"
        yield from ((f"c{index}", data.encode()) for index, data in enumerate(versions))

    return older


def found(asked: Suspect, *versions: str) -> Older | None:
    return stale([asked], history(*versions), judge=judge, lookup=lookup).get(0)


def test_number_is_stale_when_its_source_once_said_so() -> None:
    old = '{"kld": 0.031849}'
    assert found(suspect(numeral("0.0318")), '{"kld": 0.0355}', old, '{"kld": 0.031811}') == Older(
        commit="c1", value="0.031849"
    )


@pytest.mark.parametrize(
    "version", ['{"kld": 0.0355}', '{"other": 0.0318}', '{"kld": [0.0318, 0.5]}', '{"kld": "x"}']
)
def test_number_that_the_source_never_said_is_not_stale(version: str) -> None:
    assert found(suspect(numeral("0.0318")), version) is None


def test_without_older_versions_nothing_is_stale() -> None:
    assert found(suspect(numeral("0.0318"))) is None


@pytest.mark.parametrize("text", ["3", "0.03", "0.0", "0", "-0.0007", "4e-7", "NaN", "Infinity"])
def test_fewer_than_two_significant_digits_agree_by_chance(text: str) -> None:
    assert found(suspect(numeral(text)), f'{{"kld": {text}}}') is None


@pytest.mark.parametrize("text", ["31", "0.030", "20", "20000", "4.0e-7", "-1.5"])
def test_two_significant_digits_are_enough(text: str) -> None:
    got = found(suspect(numeral(text)), f'{{"kld": {text}}}')
    assert got is not None
    assert (got.commit, Decimal(got.value)) == ("c0", Decimal(text))


def test_final_zeros_of_an_approximate_number_are_no_digits() -> None:
    assert found(suspect(numeral("2000", approximate=True)), '{"kld": 2013}') is None
    got = found(suspect(numeral("2100", approximate=True)), '{"kld": 2113}')
    assert got == Older(commit="c0", value="2113")


def test_bound_is_stale_only_when_it_was_the_rounded_value() -> None:
    bound = suspect(numeral("1.03", relation="<="))
    assert found(bound, '{"kld": 0.2}') is None
    assert found(bound, '{"kld": 1.0312}') is None
    assert found(bound, '{"kld": 1.0288}') == Older(commit="c0", value="1.0288")


def test_value_derived_from_one_file_is_derived_from_its_older_version() -> None:
    total = Derived(form="sum", operands=(KLD, Pointer(file="a.json", pointer="/rest")))
    got = found(suspect(numeral("3.75"), total), '{"kld": 1.25, "rest": 2.5}')
    assert got == Older(commit="c0", value="3.75")


def test_element_of_a_list_is_held_against_that_element() -> None:
    versions = ('{"kld": [0.11]}', '{"kld": 0.22}', '{"kld": [0.22, 0.11]}', '{"kld": [0.1, 0.22]}')
    assert found(suspect(numeral("0.22"), element=1), *versions) == Older(commit="c3", value="0.22")


def test_each_version_is_read_once_for_all_numbers_and_none_after_the_last() -> None:
    read: list[bytes] = []

    def counted(file: str, data: bytes) -> Callable[[Source], Found | Absent]:
        read.append(data)
        return lookup(file, data)

    other = Pointer(file="a.json", pointer="/other")
    asked = [suspect(numeral("7")), suspect(numeral("0.11")), suspect(numeral("0.22"), other)]
    versions = ('{"kld": 0.11}', '{"kld": 0.1}', '{"other": 0.22, "kld": 0.11}', '{"kld": 7}')
    assert stale(asked, history(*versions), judge=judge, lookup=counted) == {
        1: Older(commit="c0", value="0.11"),
        2: Older(commit="c2", value="0.22"),
    }
    assert read == [version.encode() for version in versions[:3]]


def test_each_file_has_a_history_of_its_own() -> None:
    def versions(file: str) -> Iterator[tuple[str, bytes]]:
        yield f"commit of {file}", b'{"kld": 0.11}'

    asked = [
        suspect(numeral("0.11"), Pointer(file=name, pointer="/kld")) for name in ("a.json", "b")
    ]
    assert stale(asked, versions, judge=judge, lookup=lookup) == {
        0: Older(commit="commit of a.json", value="0.11"),
        1: Older(commit="commit of b", value="0.11"),
    }


@pytest.mark.parametrize(
    ("source", "file"),
    [
        (KLD, "a.json"),
        (Derived(form="sum", operands=(KLD, Derived(form="mean", operands=(KLD,)))), "a.json"),
        (Derived(form="sum", operands=(KLD, Pointer(file="b.json", pointer="/x"))), ""),
        (Derived(form="sum", operands=(KLD, Displayed(claim="a"))), ""),
        (Derived(form="sum", operands=()), ""),
        (FigureValue(id="fp8/kld"), ""),
        (MeasureValue(measure={}), ""),
        (Displayed(claim="a"), ""),
        (FileDigest(file="a.json"), ""),
    ],
)
def test_data_file_is_the_only_one_that_gives_values(source: Source, file: str) -> None:
    assert data_file(source) == file


def test_sources_without_one_data_file_are_never_looked_up() -> None:
    def versions(file: str) -> Iterator[tuple[str, bytes]]:
        raise AssertionError(file)

    asked = [suspect(numeral("0.11"), FigureValue(id="fp8/kld"))]
    assert stale(asked, versions, judge=judge, lookup=lookup) == {}
