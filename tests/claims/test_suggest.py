"""Suggestions: proposed by words and value together, and never where a person has to choose."""

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from benchmarks import bench_suggest, claims_document
from tests.support.claim_documents import document, table, text
from verifier import catalog
from verifier.claims import suggest as suggesting
from verifier.claims.candidates import Candidate, from_figures, from_json, gathered
from verifier.claims.files import bindings
from verifier.claims.locate import located
from verifier.claims.numerals import numerals
from verifier.claims.suggest import Suggestion, as_claims_file, review, suggest
from verifier.documents.markdown import DOCUMENT
from verifier.errors import UsageError
from verifier.model.claim import FigureValue, Numeral, Pointer, QuoteLocator, TableLocator
from verifier.model.document import Block, Document

DATA = {
    "arms": {
        "kv-fp8-p1": {
            "mean_kld": Decimal("0.0312345678"),
            "mean_nll": Decimal("1.2345678"),
            "kld_bca95": [Decimal("0.0267419"), Decimal("0.0387478")],
            "scored_rows": 2046,
        },
        "kv-fp8-p2": {
            "mean_kld": Decimal("0.0312345678"),
            "mean_nll": Decimal("1.2345678"),
            "kld_bca95": [Decimal("0.0267419"), Decimal("0.0387478")],
            "scored_rows": 2046,
        },
        "kv-nvfp4-l1": {
            "mean_kld": Decimal("0.0355554444"),
            "mean_nll": Decimal("1.3456789"),
            "kld_bca95": [Decimal("0.0295559"), Decimal("0.0434620")],
            "scored_rows": 2047,
        },
    },
    "paired": {
        "fp8_minus_nvfp4_mean_kld": Decimal("-0.0043208766"),
        "fp8_lower_windows": 26,
        "compared_windows": 32,
        "same_token_fraction": Decimal("0.97654321"),
    },
}
POOL = gathered(from_json("results.json", DATA))
ARMS = "results.json#/arms"


def suggested(*blocks: Block | str, pool: tuple[Candidate, ...] = POOL) -> list[Suggestion]:
    """Suggestions for the claims of a document; every proposal is found again where it stands."""
    doc = document(*blocks)
    found = numerals(doc)
    suggestions = suggest(doc, found, pool)
    assert [item.numeral for item in suggestions] == list(range(len(found)))
    assert bound_places(doc, found, suggestions) == {
        item.numeral: item.candidates[0].candidate.source
        for item in suggestions
        if item.status == "BOUND"
    }
    return [item for item, numeral in zip(suggestions, found, strict=True) if not numeral.rule]


def bound_places(
    doc: Document, found: tuple[Numeral, ...], suggestions: tuple[Suggestion, ...]
) -> dict[int, str]:
    """Number to source, as the proposed claims file is read again."""
    return read_back(doc, found, as_claims_file(doc.name, suggestions))


def read_back(doc: Document, found: tuple[Numeral, ...], file: dict[str, Any]) -> dict[int, str]:
    """Number to source, as a claims file binds them."""
    data = json.dumps(file).encode()
    read, problems = bindings(data, name="claims.json", schemas=catalog.SCHEMAS)
    assert problems == ()
    places = located(doc, found, (), read)
    assert places.problems == ()
    told: dict[int, str] = {}
    for binding in read:
        for index, source in zip(places.numbers[binding.id], binding.sources, strict=True):
            assert isinstance(source, FigureValue | Pointer)
            told[index] = (
                f"figure:{source.id}"
                if isinstance(source, FigureValue)
                else f"{source.file}#{source.pointer}"
            )
    return told


def sources(suggestions: list[Suggestion]) -> list[str]:
    """What is proposed for each, or why nothing is."""
    return [
        item.candidates[0].candidate.source if item.status == "BOUND" else item.status
        for item in suggestions
    ]


def test_a_cell_is_bound_by_its_row_and_column() -> None:
    rows = table(
        1,
        ("Arm", "Mean KLD", "Mean NLL", "Scored rows"),
        ("kv-fp8-p1", "0.03123", "1.2346", "2,046"),
        ("kv-fp8-p2", "0.03123", "1.2346", "2,046"),
        ("kv-nvfp4-l1", "0.03556", "1.3457", "2,047"),
    )
    assert sources(suggested(*rows)) == [
        f"{ARMS}/{arm}/{name}"
        for arm in ("kv-fp8-p1", "kv-fp8-p2", "kv-nvfp4-l1")
        for name in ("mean_kld", "mean_nll", "scored_rows")
    ]


def test_arms_may_stand_in_columns_and_the_metric_in_the_heading() -> None:
    rows = table(
        1,
        ("", "kv-fp8-p2", "kv-nvfp4-l1"),
        ("Average", "0.03123", "0.03556"),
        heading=("Results", "KL divergence"),
    )
    assert sources(suggested(*rows)) == [
        f"{ARMS}/kv-fp8-p2/mean_kld",
        f"{ARMS}/kv-nvfp4-l1/mean_kld",
    ]


def test_texts_of_the_row_tell_its_numbers_apart() -> None:
    rows = table(
        1,
        ("Runtime", "Cache", "Mean KLD"),
        ("image C", "kv-fp8-p1", "0.03123"),
        ("image C", "kv-nvfp4-l1", "0.03556"),
    )
    assert sources(suggested(*rows)) == [
        f"{ARMS}/kv-fp8-p1/mean_kld",
        f"{ARMS}/kv-nvfp4-l1/mean_kld",
    ]


def test_equal_values_of_two_arms_are_ambiguous_when_the_arm_is_not_said() -> None:
    (item,) = suggested(*table(1, ("Arm", "Mean KLD"), ("fp8", "0.03123")))
    assert item.status == "AMBIGUOUS"
    assert item.reason == "several sources fit as well"
    assert {one.candidate.source for one in item.candidates} == {
        f"{ARMS}/kv-fp8-p1/mean_kld",
        f"{ARMS}/kv-fp8-p2/mean_kld",
    }
    assert all(one.fits for one in item.candidates)


def test_a_value_alone_binds_nothing() -> None:
    assert sources(suggested("It came to 0.0312345678 in the end.")) == ["UNBOUND"]
    assert sources(suggested("The kv-nvfp4-l1 came to 0.0355554444.")) == ["UNBOUND"]


def test_words_alone_bind_nothing() -> None:
    rows = table(1, ("Arm", "Mean KLD"), ("kv-nvfp4-l1", "0.03557"))
    assert sources(suggested(*rows)) == ["UNBOUND"]


def test_a_misprint_that_fits_another_source_is_ambiguous() -> None:
    # 2,046 are the rows of the other arms.
    rows = table(1, ("Arm", "Scored rows"), ("kv-nvfp4-l1", "2046"))
    (item,) = suggested(*rows)
    assert item.status == "AMBIGUOUS"


def test_the_source_that_the_words_speak_of_is_named_where_its_value_differs() -> None:
    pool = gathered(
        from_figures(
            [
                ("fp8/kld/mean", "mean of kld", Decimal("0.031"), ""),
                ("fp8/kld/median", "median of kld", Decimal("0.025"), ""),
                ("fp8/nll/mean", "mean of nll", Decimal("1.2"), ""),
                ("nvfp4/nll/mean", "mean of nll", Decimal("1.3"), ""),
                ("nvfp4/rows", "rows", Decimal(7), ""),
            ]
        )
    )
    rows = table(1, ("Arm", "Median of kld"), ("fp8", "0.031"))
    (item,) = suggested(*rows, pool=pool)
    assert item.status == "AMBIGUOUS"
    assert item.reason == "the words around it fit another source better, whose value differs"
    first, second = item.candidates
    assert (first.candidate.source, first.fits) == ("figure:fp8/kld/median", False)
    assert (second.candidate.source, second.fits) == ("figure:fp8/kld/mean", True)


def test_a_name_of_a_label_must_be_borne_by_the_source() -> None:
    without = tuple(item for item in POOL if item.source != f"{ARMS}/kv-fp8-p1/mean_kld")
    rows = table(1, ("Arm", "Mean KLD"), ("kv-fp8-p1", "0.03123457"))
    (item,) = suggested(*rows, pool=without)
    assert item.status == "AMBIGUOUS"
    assert item.reason.startswith("the document says 'kv-fp8-p1', which this source does not")


def test_the_last_name_of_a_sentence_must_be_borne_by_the_source() -> None:
    without = tuple(item for item in POOL if item.source != f"{ARMS}/kv-fp8-p1/mean_kld")
    (item,) = suggested("The mean KLD of kv-fp8-p1 is 0.03123457.", pool=without)
    assert item.status == "AMBIGUOUS"


def test_the_ends_of_an_interval_are_proposed_together() -> None:
    rows = table(
        1,
        ("Arm", "Mean KLD, BCa 95 % interval"),
        ("kv-nvfp4-l1", "0.03556 [0.02956, 0.04346]"),
    )
    level, *body = suggested(*rows)
    assert (level.text, level.status) == ("95", "UNBOUND")
    assert sources(body) == [
        f"{ARMS}/kv-nvfp4-l1/mean_kld",
        f"{ARMS}/kv-nvfp4-l1/kld_bca95/0",
        f"{ARMS}/kv-nvfp4-l1/kld_bca95/1",
    ]


def test_equal_intervals_of_two_arms_are_ambiguous_at_both_ends() -> None:
    low, high = suggested("The KLD of fp8 has the BCa95 interval [0.02674, 0.03875].")
    assert (low.status, high.status) == ("AMBIGUOUS", "AMBIGUOUS")
    assert [one.candidate.source[-2:] for one in low.candidates] == ["/0", "/0"]
    assert [one.candidate.source[-2:] for one in high.candidates] == ["/1", "/1"]


def test_an_interval_of_which_nothing_is_said_is_left_alone() -> None:
    assert sources(suggested("It was [0.0295559, 0.0434620].")) == ["UNBOUND", "UNBOUND"]


def test_an_interval_whose_name_is_another_is_ambiguous() -> None:
    without = tuple(item for item in POOL if "/kv-fp8-p2/kld" not in item.source)
    rows = table(1, ("Arm", "KLD, BCa95"), ("kv-fp8-p2", "[0.02674, 0.03875]"))
    low, high = suggested(*rows, pool=without)
    assert low.reason == high.reason != ""
    assert (low.status, high.status) == ("AMBIGUOUS", "AMBIGUOUS")


def test_an_interval_is_ambiguous_when_the_words_speak_of_another_one() -> None:
    pool = gathered(
        from_figures(
            [
                (f"{arm}/{what}/{end}", what, Decimal(value), "")
                for arm, what, values in (
                    ("fp8", "mean", ("0.1", "0.2")),
                    ("fp8", "median over pooled windows", ("0.3", "0.4")),
                    ("bf16", "mean", ("0.5", "0.6")),
                    ("int4", "mean", ("0.7", "0.8")),
                    ("int8", "mean", ("0.7", "0.9")),
                )
                for end, value in zip(("low", "high"), values, strict=True)
            ]
        )
    )
    rows = table(
        1, ("Arm", "Mean, median"), ("fp8", "[0.1, 0.2]"), heading=("Median over pooled windows",)
    )
    low, high = suggested(*rows, pool=pool)
    assert low.reason == high.reason
    assert low.reason == "the words around it fit another source better, whose value differs"


def test_columns_of_low_and_high_ends_are_bound_one_by_one() -> None:
    rows = table(
        1, ("Arm", "KLD, lower end", "KLD, upper end"), ("kv-nvfp4-l1", "0.029556", "0.043462")
    )
    assert sources(suggested(*rows)) == [
        f"{ARMS}/kv-nvfp4-l1/kld_bca95/0",
        f"{ARMS}/kv-nvfp4-l1/kld_bca95/1",
    ]


def test_part_and_whole_of_a_count_are_two_sources() -> None:
    found = suggested("FP8 is lower in 26/32 compared windows of the paired ones.")
    assert sources(found) == [
        "results.json#/paired/fp8_lower_windows",
        "results.json#/paired/compared_windows",
    ]


def test_a_whole_is_never_bound_to_the_source_of_its_part() -> None:
    data = {"paired": {"fp8_lower_windows": 32, "rows": 7, "tokens": 9, "launches": 2}}
    found = suggested("FP8 is lower in 32/32 paired windows.", pool=gathered(from_json("a", data)))
    assert [item.status for item in found] == ["BOUND", "AMBIGUOUS"]
    assert found[1].reason == "its words fit the source of the count before it"


def test_a_percentage_fits_its_fraction() -> None:
    (item,) = suggested("The fraction of the same token is 97.65 % of the paired rows.")
    assert item.candidates[0].candidate.source == "results.json#/paired/same_token_fraction"
    assert item.candidates[0].unit == ""


def test_a_unit_that_the_data_leave_out_is_stated() -> None:
    pool = gathered(from_json("a.json", {"decode": {"step": Decimal("1.987")}, "x": {"y": 5}}))
    doc = document("The decode step takes 1.99 ms.")
    (item,) = suggest(doc, numerals(doc), pool)
    assert item.candidates[0].unit == "ms"
    assert as_claims_file("README.md", (item,))["claims"][0]["unit"] == "ms"


def test_units_convert() -> None:
    pool = gathered(from_json("a.json", {"decode": {"step_us": 1987}, "x": {"y": 5}}))
    (item,) = suggested("The decode step takes 1.99 ms.", pool=pool)
    assert item.candidates[0].unit == "us"
    assert sources(suggested("The decode step takes 1.99 MB.", pool=pool)) == ["UNBOUND"]


@pytest.mark.parametrize(
    ("printed", "status"),
    [
        ("about 2,000", "BOUND"),
        ("about 0", "UNBOUND"),
        ("at most 2,049", "UNBOUND"),
        ("at most 2,047", "BOUND"),
        ("at least 2,047", "BOUND"),
        ("2,047", "BOUND"),
    ],
)
def test_approximate_numbers_and_bounds_have_their_own_rounding(printed: str, status: str) -> None:
    (item,) = suggested(f"The scored rows of kv-nvfp4-l1 are {printed}.")
    assert item.status == status


def test_numbers_that_are_no_claims_are_left_alone() -> None:
    doc = document("The mean KLD of kv-nvfp4-l1 is from 9 September 2026.")
    assert {item.status for item in suggest(doc, numerals(doc), POOL)} == {"UNBOUND"}


def test_a_number_that_names_a_row_or_column_is_no_claim() -> None:
    data = {"kld": {"first": {"windows": 6, "mean": Decimal("0.0312")}}, "x": {"y": 1}}
    pool = gathered(from_json("a.json", data))
    rows = table(1, ("KLD", "mean, 6 windows"), ("first 6 windows", "0.0312"))
    found = suggested(*rows, pool=pool)
    assert [(item.text, item.status) for item in found if item.status != "UNBOUND"] == [
        ("0.0312", "BOUND")
    ]


def test_numbers_without_words_in_the_first_column_may_be_claims() -> None:
    rows = table(1, ("kv-nvfp4-l1 mean KLD", "Note"), ("0.03555544", "a remark"))
    assert sources(suggested(*rows)) == [f"{ARMS}/kv-nvfp4-l1/mean_kld"]


def test_a_cell_is_located_by_labels_that_are_unique_and_else_by_numbers() -> None:
    first = table(
        1,
        ("Arm", "Mean KLD", "Mean KLD"),
        ("kv-fp8-p1", "0.031235", "0.0312"),
        ("kv-nvfp4-l1", "0.035555", "n/a"),
        ("kv-nvfp4-l1", "0.035555", "n/a"),
        heading=("Results", "All"),
    )
    second = table(
        2,
        ("Arm", "Mean NLL"),
        ("kv-fp8-p3", "n/a"),
        ("kv-nvfp4-l1", "1.3457"),
        caption="Likelihood",
        heading=("All",),
    )
    places = [item.locator for item in suggested(*first, *second)]
    assert places == [
        TableLocator(table="All", row="kv-fp8-p1", column=2),
        TableLocator(table="All", row="kv-fp8-p1", column=3),
        TableLocator(table=1, row=2, column=2),
        TableLocator(table="All", row=3, column=2),
        TableLocator(table="Likelihood", row="kv-nvfp4-l1", column="Mean NLL"),
    ]


def test_prose_is_located_by_the_shortest_quote_that_fits_one_place() -> None:
    (item,) = suggested("The mean  KLD of\nkv-nvfp4-l1 is 0.0355554 nats.")
    assert item.locator == QuoteLocator(quote="kv-nvfp4-l1 is {} nats.")
    first, second = suggested(
        "Mean KLD of kv-nvfp4-l1: 0.0355554 nats.", "Mean NLL of kv-nvfp4-l1: 1.34568 nats."
    )
    assert first.locator == QuoteLocator(quote="KLD of kv-nvfp4-l1: {} nats.")
    assert second.locator == QuoteLocator(quote="NLL of kv-nvfp4-l1: {} nats.")


def test_a_number_that_no_quote_singles_out_is_left_to_a_person() -> None:
    sentence = "The mean KLD of kv-nvfp4-l1 is 0.0355554."
    found = suggested(sentence, sentence)
    assert [item.status for item in found] == ["AMBIGUOUS", "AMBIGUOUS"]
    assert found[0].reason == "no label and no short quote singles out its place"


def test_braces_of_the_document_are_never_taken_for_a_number() -> None:
    (item,) = suggested("The {} mean KLD of kv-nvfp4-l1 is 0.0355554.")
    assert item.status == "BOUND"
    found = suggested("The mean KLD of kv-nvfp4-l1 {} is 0.0355554 {}, kv-nvfp4-l1 {} is 5")
    assert [item.status for item in found] == ["AMBIGUOUS", "UNBOUND"]


def test_a_later_number_of_a_cell_is_quoted() -> None:
    rows = table(
        1, ("Arm", "Mean KLD"), ("kv-nvfp4-l1", "7 runs: 0.03556"), ("kv-fp8-p1", "0.031235")
    )
    found = suggested(*rows)
    assert [item.locator for item in found if item.status == "BOUND"] == [
        QuoteLocator(quote="7 runs: {}"),
        TableLocator(table=1, row="kv-fp8-p1", column="Mean KLD"),
    ]


def test_a_number_in_a_cell_of_several_paragraphs_is_quoted() -> None:
    rows = table(1, ("Arm", "Mean KLD"), ("kv-nvfp4-l1", "0.0355554 nats"))
    remark = replace(rows[-1], text="a remark")
    (item,) = suggested(*rows, remark)
    assert item.locator == QuoteLocator(quote="{} nats")


def test_the_last_name_of_another_sentence_is_not_demanded() -> None:
    found = suggested("We ran kv-fp8-p1. The mean KLD of the nvfp4 arm is 0.0355554.")
    assert sources(found) == [f"{ARMS}/kv-nvfp4-l1/mean_kld"]
    found = suggested(
        "We ran kv-fp8-p1 here. The difference of the mean paired KLD is -0.00432088."
    )
    assert sources(found) == ["results.json#/paired/fp8_minus_nvfp4_mean_kld"]


def test_ends_of_two_different_intervals_are_no_interval() -> None:
    data = {
        "kld": {"fp8": {"low": 1, "high": 2}, "bf16": {"low": 3, "high": 4}},
        "rows": {"x": 5},
    }
    found = suggested("The fp8 kld interval is [1, 4].", pool=gathered(from_json("a.json", data)))
    assert len(found) == 2
    sources_proposed = [
        {one.candidate.source for one in item.candidates if one.fits} for item in found
    ]
    assert sources_proposed == [{"a.json#/kld/fp8/low"}, {"a.json#/kld/bf16/high"}]
    assert found[1].status == "AMBIGUOUS"


def test_a_percentage_may_stand_for_a_fraction_or_for_a_percentage() -> None:
    words = frozenset({"fp8", "fraction"})
    pool = tuple(
        Candidate(source=f"a.json#/{name}", value=Decimal(value), unit=unit, words=word, group="")
        for name, value, unit, word in (
            ("share", "0.125", "", words),
            ("percent", "12.5", "percent", words),
            ("other", "3", "", frozenset({"other"})),
        )
    )
    (item,) = suggested(*table(1, ("Run", "Share"), ("fp8", "12.5 %")), pool=pool)
    units = {one.candidate.source: one.unit for one in item.candidates}
    assert units == {"a.json#/percent": "percent", "a.json#/share": ""}


def test_a_wide_row_is_read_up_to_a_few_texts() -> None:
    texts = [f"remark{place}" for place in range(40)]
    rows = table(
        1,
        ("Arm", "Mean KLD", *(f"c{place}" for place in range(40))),
        ("kv-nvfp4-l1", "0.0355554", *texts),
    )
    found = [item for item in suggested(*rows) if item.status != "UNBOUND"]
    assert sources(found) == [f"{ARMS}/kv-nvfp4-l1/mean_kld"]


def test_a_number_in_the_header_is_no_claim_of_a_row() -> None:
    rows = table(1, ("Arm", "kv-nvfp4-l1 mean KLD 0.03556"), ("x", "n/a"))
    assert sources(suggested(*rows)) == ["UNBOUND"]


def test_a_source_whose_name_no_claims_file_holds_is_left_to_a_person() -> None:
    pool = gathered(from_json("a.json", {"kld\n": {"mean": Decimal("0.0312")}, "x": {"y": 1}}))
    (item,) = suggested("The mean KLD is 0.0312.", pool=pool)
    assert item.status == "AMBIGUOUS"
    assert item.reason == "the name of its source cannot be written in a claims file"


def test_the_claims_file_has_ids_of_labels_and_numbers_them() -> None:
    doc = document(
        *table(1, ("Arm", "Mean KLD"), ("kv-fp8-p1", "0.031235"), heading=("A",)),
        *table(2, ("Arm", "Mean KLD"), ("kv-fp8-p1", "0.031235"), heading=("B",)),
        *table(
            3,
            ("Arm", "KLD, BCa95"),
            ("kv-nvfp4-l1", "[0.02956, 0.04346]"),
            heading=("C",),
        ),
        text("The mean NLL of kv-nvfp4-l1 is 1.34568.", heading=("D",)),
    )
    file = as_claims_file("README.md", suggest(doc, numerals(doc), POOL))
    assert file == {
        "format": "claims/1",
        "claims": [
            {
                "id": "kv-fp8-p1-mean-kld",
                "document": "README.md",
                "at": {"table": "A", "row": "kv-fp8-p1", "column": "Mean KLD"},
                "source": f"{ARMS}/kv-fp8-p1/mean_kld",
            },
            {
                "id": "kv-fp8-p1-mean-kld.2",
                "document": "README.md",
                "at": {"table": "B", "row": "kv-fp8-p1", "column": "Mean KLD"},
                "source": f"{ARMS}/kv-fp8-p1/mean_kld",
            },
            {
                "id": "kv-nvfp4-l1-kld-bca95",
                "document": "README.md",
                "at": {"table": "C", "row": "kv-nvfp4-l1", "column": "KLD, BCa95"},
                "sources": [
                    f"{ARMS}/kv-nvfp4-l1/kld_bca95/0",
                    f"{ARMS}/kv-nvfp4-l1/kld_bca95/1",
                ],
            },
            {
                "id": "results-json-arms-kv-nvfp4-l1-mean-nll",
                "document": "README.md",
                "quote": "kv-nvfp4-l1 is {}.",
                "source": f"{ARMS}/kv-nvfp4-l1/mean_nll",
            },
        ],
    }


def test_what_is_ambiguous_is_listed_for_review() -> None:
    doc = document(*table(1, ("Arm", "Mean KLD"), ("fp8", "0.03123")))
    found = suggest(doc, numerals(doc), POOL)
    file = as_claims_file("README.md", found)
    lines = review(found)
    assert file == {"format": "claims/1", "claims": [], "review": list(lines)}
    (line,) = lines
    assert line.startswith("README.md:7:1: 0.03123: several sources fit as well: results.json#/")
    assert line.endswith("(0.0312345678)")


def test_an_empty_pool_binds_nothing() -> None:
    assert sources(suggested("The mean KLD of fp8 is [0.1, 0.2], or 3.", pool=())) == [
        "UNBOUND",
        "UNBOUND",
        "UNBOUND",
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"value": Decimal("NaN")},
        {"value": Decimal("Infinity")},
        {"value": Decimal("1e999999"), "place": 999999},
        {"place": 10**30},
        {"place": -(10**30), "approximate": True},
        {"value": Decimal("1" * 5000)},
        {"value": Decimal("9e999999999"), "unit": "M"},
    ],
)
def test_a_hostile_number_fits_nothing(changes: dict[str, Any]) -> None:
    doc = document("The scored rows of kv-nvfp4-l1 are 2047.")
    (numeral,) = (item for item in numerals(doc) if not item.rule)
    (item,) = suggest(doc, (numeral._replace(**changes),), POOL)
    assert item.status == "UNBOUND"


def test_too_many_numbers_for_the_pool_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    doc = document("The scored rows are 2047.")
    found = numerals(doc)
    monkeypatch.setattr(suggesting, "MOST_TRIALS", len(POOL))
    assert len(suggest(doc, found, POOL)) == 1
    monkeypatch.setattr(suggesting, "MOST_TRIALS", len(POOL) - 1)
    with pytest.raises(UsageError, match=r"^README\.md: 1 numbers and \d+ sources") as caught:
        suggest(doc, found, POOL)
    assert caught.value.hint


def test_a_long_paragraph_is_read_around_each_number_only() -> None:
    doc = document("kld fp8 " * 2000 + "The mean KLD of kv-nvfp4-l1 is 0.0355554. " + "x y " * 2000)
    found = numerals(doc)
    bound = [item for item in suggest(doc, found, POOL) if item.status == "BOUND"]
    assert sources(bound) == [f"{ARMS}/kv-nvfp4-l1/mean_kld"]


def test_the_generated_document_is_bound_by_its_claims_file_in_full() -> None:
    whole = claims_document.generated()
    assert len(whole.sources) == claims_document.NUMBERS
    assert len(whole.errors) == claims_document.ERRORS
    for source in (whole.text, whole.wrong):
        doc = Document(
            name=claims_document.NAME,
            format=DOCUMENT.id,
            source=source,
            blocks=DOCUMENT.read(source),
        )
        found = numerals(doc)
        told = read_back(doc, found, whole.claims)
        starts = {doc.blocks[found[at].block].offsets[found[at].start]: at for at in told}
        assert [told[starts[start]] for start in whole.starts] == list(whole.sources)


def test_the_generated_document_is_suggested_as_required_and_nothing_wrongly() -> None:
    below = [(label, measured) for label, measured, bar in bench_suggest.rows() if measured < bar]
    assert below == []
