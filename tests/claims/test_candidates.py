"""Candidates: what the numbers of data files and bundles are, in words."""

from decimal import Decimal
from typing import Any

import pytest

from verifier import jsontext
from verifier.claims import candidates
from verifier.claims.candidates import Candidate, from_figures, from_json, gathered, pairs
from verifier.errors import UsageError

DIGEST = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"


def found(document: Any, file: str = "data.json") -> dict[str, Candidate]:
    """Candidates by their pointer."""
    return {item.source.partition("#")[2]: item for item in from_json(file, document)}


def test_every_number_of_a_document_is_a_candidate_in_its_order() -> None:
    document = jsontext.decode(
        b'{"b": 1, "a": {"x": 2.50, "y": ["3", null, true, "four"]}, "c": -0}', name="data.json"
    )
    assert [(item.source, item.value) for item in from_json("data.json", document)] == [
        ("data.json#/b", Decimal(1)),
        ("data.json#/a/x", Decimal("2.50")),
        ("data.json#/a/y/0", Decimal(3)),
        ("data.json#/c", Decimal(0)),
    ]


def test_the_literal_decides_the_value() -> None:
    document = jsontext.decode(b'{"a": 0.10000000000000000001, "b": "1e-3"}', name="data.json")
    assert found(document)["/a"].value == Decimal("0.10000000000000000001")
    assert found(document)["/b"].value == Decimal("0.001")


def test_values_of_toml_are_candidates_too() -> None:
    document = {"a": Decimal("1.5"), "b": 2.5, "c": Decimal("NaN"), "d": float("inf")}
    assert {name: item.value for name, item in found(document).items()} == {
        "/a": Decimal("1.5"),
        "/b": Decimal("2.5"),
    }


def test_keys_with_slashes_are_escaped() -> None:
    assert list(found({"a/b": {"c~d": 1}})) == ["/a~1b/c~0d"]


def test_a_number_has_the_words_of_its_path_and_its_file() -> None:
    item = found({"arms": {"kv-fp8": {"mean_kld": 1}}}, "results/run7.json")[
        "/arms/kv-fp8/mean_kld"
    ]
    assert item.words >= {"arm", "kv-fp8", "kv", "fp8", "mean", "kld", "result", "run7"}


def test_texts_beside_a_number_and_beside_what_encloses_it_name_it() -> None:
    document = {"model": "large", "windows": [{"id": "fit-0056", "values": {"kld": 1}}]}
    assert found(document)["/windows/0/values/kld"].words >= {"large", "fit-0056", "fit", "0056"}


def test_a_text_of_another_element_does_not_name_a_number() -> None:
    document = [{"id": "left", "kld": 1}, {"id": "right", "kld": 2}]
    assert "right" not in found(document)["/0/kld"].words


@pytest.mark.parametrize(
    "text", [DIGEST, f"sha256:{DIGEST}", "a/b.npz", "2026-09-09T10:00:00Z", "word " * 20, "1.5"]
)
def test_digests_paths_dates_long_texts_and_numbers_name_nothing(text: str) -> None:
    plain = found({"kld": 1})["/kld"].words
    assert found({"beside": text, "kld": 1})["/kld"].words == plain


def test_a_list_of_many_plain_numbers_is_data() -> None:
    assert found({"rows": [1] * 257, "kld": 2}).keys() == {"/kld"}
    assert len(found({"rows": [1] * 256})) == 256


def test_an_element_of_a_plain_list_is_told_by_its_place() -> None:
    assert "2" in found({"quarters": [5, 6, 7]})["/quarters/1"].words


@pytest.mark.parametrize("name", ["window_bca95", "interval", "ci", "bounds"])
def test_two_numbers_of_an_interval_are_its_ends(name: str) -> None:
    document = found({name: [1, 2]})
    low, high = document[f"/{name}/0"], document[f"/{name}/1"]
    assert {"low", "interval"} <= low.words
    assert {"high", "interval"} <= high.words
    assert low.group == high.group == f"data.json#/{name}"


def test_two_numbers_of_anything_else_are_no_interval() -> None:
    document = found({"range": {"shape": [1, 2]}})
    assert document["/range/shape/0"].group == ""
    assert "low" not in document["/range/shape/0"].words


def test_a_low_and_a_high_key_are_the_ends_of_one_interval() -> None:
    document = found({"kld": {"low": 1, "high": 2, "mean": 3}})
    assert document["/kld/low"].group == document["/kld/high"].group == "data.json#/kld"
    assert "interval" in document["/kld/high"].words
    assert document["/kld/mean"].group == ""


def test_keys_that_end_in_lower_and_upper_are_the_ends_of_one_interval() -> None:
    document = found({"kld_lower": 1, "kld_upper": 2, "nll_lower": 3})
    assert document["/kld_lower"].group == document["/kld_upper"].group == "data.json#/kld_"
    assert document["/nll_lower"].group == ""


@pytest.mark.parametrize(
    ("document", "pointer", "unit"),
    [
        ({"latency_ms": 1}, "/latency_ms", "ms"),
        ({"raw_bytes": 1}, "/raw_bytes", "B"),
        ({"share-pct": 1}, "/share-pct", "percent"),
        ({"value": 1, "unit": "nats"}, "/value", "nat"),
        ({"unit": "ms", "values": {"mean": 1}}, "/values/mean", "ms"),
        ({"wait_ms": [1, 2]}, "/wait_ms/0", "ms"),
        ({"rows": 1}, "/rows", ""),
    ],
)
def test_the_unit_is_read_from_the_key_or_from_a_unit_beside(
    document: Any, pointer: str, unit: str
) -> None:
    assert found(document)[pointer].unit == unit


def test_a_hostile_nesting_neither_recurses_nor_piles_up_words() -> None:
    document: Any = 1
    for place in range(3000):
        document = {f"level {place} apart": document}
    (item,) = from_json("data.json", document)
    assert item.value == 1
    assert len(item.words) < 200


def test_literals_that_nobody_prints_are_no_candidates() -> None:
    document = jsontext.decode(
        b'{"a": 0.' + b"1" * 5000 + b', "b": "' + b"1" * 41 + b'"}', name="a"
    )
    assert found(document) == {}


def test_figures_have_the_words_of_id_and_description() -> None:
    rows = [("fp8/kld/mean", "mean of kld, kv-fp8", Decimal(1), "nat")]
    assert list(from_figures(rows)) == [
        Candidate(
            source="figure:fp8/kld/mean",
            value=Decimal(1),
            unit="nat",
            words=frozenset({"fp8", "kld", "mean", "kv-fp8", "kv"}),
            group="",
        )
    ]


def test_figures_that_differ_in_low_and_high_share_a_group() -> None:
    rows = [
        ("fp8/bca95/low", "", Decimal(1), ""),
        ("fp8/bca95/high", "", Decimal(2), ""),
        ("low", "", Decimal(3), ""),
        ("broken", "", Decimal("NaN"), ""),
    ]
    assert [(item.source, item.group) for item in from_figures(rows)] == [
        ("figure:fp8/bca95/low", "figure:fp8/bca95"),
        ("figure:fp8/bca95/high", "figure:fp8/bca95"),
        ("figure:low", ""),
    ]


def test_the_pairs_have_two_members_and_the_lower_value_first() -> None:
    pool = gathered(
        from_json("a.json", {"ci": [2, 1], "kld": {"low": 1, "high": 2, "lower": 3}, "x": 4})
    )
    assert pairs(pool) == {"a.json#/ci": [1, 0]}


def test_sources_are_gathered_in_order() -> None:
    pool = gathered(from_json("a.json", {"x": 1}), from_json("b.json", [2, 3]))
    assert [item.source for item in pool] == ["a.json#/x", "b.json#/0", "b.json#/1"]


def test_too_many_numbers_are_refused_with_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "MOST", 3)
    assert len(gathered(from_json("a.json", [1, 2, 3]))) == 3
    with pytest.raises(UsageError, match=r"more than 3 numbers, the last in b\.json#/2") as caught:
        gathered(from_json("b.json", [1]), from_json("b.json", [1, 2, 3]))
    assert caught.value.hint
