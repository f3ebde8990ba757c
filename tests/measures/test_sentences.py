"""Sentences of real write-ups as measures, each against a number worked out here with NumPy.

A measure is written as a user writes it in figures.json, and goes through the packaged schema. The
sentences of docs/format.md are read from the page itself, so that the page cannot drift.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.measuring import (
    BCA95,
    DOMAINS,
    SCORED,
    copied,
    indices,
    literal_bca,
    study,
)
from verifier.model.plugin import FloatArray

PAGE = Path(__file__).parents[2] / "docs" / "format.md"

Json = dict[str, Any]
Check = Callable[[list[str]], None]

DIFFERENCE: Json = {"statistic": "mean", "arms": ["fp8", "nvfp4"], "pair": "difference"}
VOLATILE: Json = {
    "statistic": "count",
    "parameters": {"above": 1},
    "column": "nll",
    "arms": ["l1", "l2"],
    "pair": "absolute-difference",
    "within": "none",
}
WINDOW: Json = {"windows": {"ids": ["c2-064k"]}}
P99 = {"probability": 0.99, "rule": "linear"}

CODE = [window for window, domain in DOMAINS.items() if domain == "code"]
PROSE = [window for window, domain in DOMAINS.items() if domain == "prose"]
OTHERS = [window for window in DOMAINS if window != "c2-064k"]


def close(expected: float) -> Any:
    return pytest.approx(expected, rel=1e-12, abs=1e-15)


def near(*expected: float) -> Any:
    """End points: the oracle's normal quantiles differ in the last digits."""
    return pytest.approx(expected, rel=1e-9)


def nll(arm: str, windows: list[str] | None = None) -> FloatArray:
    return -study().column(arm, "student_logp_realized", windows)


def nll_means(arm: str, windows: list[str] | None = None) -> FloatArray:
    return -study().means(arm, "student_logp_realized", windows)


def volatile(windows: list[str] | None = None, first: str = "l1", second: str = "l2") -> Any:
    return np.abs(nll(first, windows) - nll(second, windows)) > 1.0


def bca(values: FloatArray) -> tuple[float, float]:
    n = values.size
    left_out = np.array([np.delete(values, place).mean() for place in range(n)])
    return literal_bca(values.mean(), values[indices(n)].mean(axis=1), left_out, 0.95)


def kl_topk(reference: FloatArray, other: FloatArray, k: int, *, normalised: bool) -> list[float]:
    """KL over the tokens that both top-k lists of each row hold, all else as one bucket or left."""
    found = []
    for p, q in zip(np.exp(reference), np.exp(other), strict=True):
        shared = np.intersect1d(np.argsort(-p)[:k], np.argsort(-q)[:k])
        pp, qq = p[shared], q[shared]
        if normalised:
            pp, qq = pp / pp.sum(), qq / qq.sum()
        else:
            pp, qq = np.append(pp, 1 - pp.sum()), np.append(qq, 1 - qq.sum())
        found.append(float(np.sum(pp * np.log(pp / qq))))
    return found


def distributions(arm: str, windows: list[str]) -> FloatArray:
    return np.concatenate([study().logp[arm][window][SCORED] for window in windows])


# The table of docs/format.md.


def _documented() -> dict[str, list[str]]:
    """Snippets of each sentence of the page."""
    _, _, table = PAGE.read_text(encoding="utf-8").partition("| sentence | measure |\n|---|---|\n")
    rows = (line.strip("| ").split(" | ") for line in table.partition("\n\n")[0].splitlines())
    return {sentence: re.findall(r"`([^`]*)`", measure) for sentence, measure in rows}


DOCUMENTED = _documented()
CHECKS: dict[str, Check] = {}


def sentence(text: str) -> Callable[[Check], Check]:
    def register(check: Check) -> Check:
        CHECKS[text] = check
        return check

    return register


def whole(snippets: list[str]) -> Json:
    found: Json = json.loads(snippets[0])
    return found


def fields(snippet: str) -> Json:
    """Fields that a row adds to a measure named before it."""
    found: Json = json.loads(f"{{{snippet}}}")
    return found


def documented(text: str) -> Json:
    return whole(DOCUMENTED[text])


def test_every_sentence_of_the_page_is_held_against_numpy() -> None:
    assert list(CHECKS) == list(DOCUMENTED)


@pytest.mark.parametrize("text", DOCUMENTED)
def test_a_sentence_of_the_page_gives_its_number(text: str) -> None:
    CHECKS[text](DOCUMENTED[text])


@sentence("mean KL of fp8")
def _(snippets: list[str]) -> None:
    assert study().number(whole(snippets)) == close(study().means("fp8", "kld").mean())


@sentence("its 95 % interval")
def _(snippets: list[str]) -> None:
    low = fields(snippets[0])["interval"]
    assert [low["end"], json.loads(snippets[1])] == ["low", "high"]
    found = study().interval(documented("mean KL of fp8"), low["recipe"])
    assert found == near(*bca(study().means("fp8", "kld")))


@sentence("fp8 minus nvfp4")
def _(snippets: list[str]) -> None:
    differences = study().means("fp8", "kld") - study().means("nvfp4", "kld")
    assert study().number(whole(snippets)) == close(differences.mean())
    assert study().interval(whole(snippets), "bca95") == near(*bca(differences))


@sentence("lower in 22 of 32 windows")
def _(snippets: list[str]) -> None:
    lower = study().means("fp8", "kld") < study().means("nvfp4", "kld")
    assert study().number(whole(snippets)) == np.count_nonzero(lower) > 0
    size = {"statistic": snippets[1], "arms": ["fp8", "nvfp4"], "pair": "lower"}
    assert study().number(size) == len(DOMAINS)


@sentence("-4.9 % [-7.3 %, -1.8 %]")
def _(snippets: list[str]) -> None:
    measure = {**documented("fp8 minus nvfp4"), **fields(snippets[0])}
    differences = study().means("fp8", "kld") - study().means("nvfp4", "kld")
    base = study().means("nvfp4", "kld").mean()
    assert study().number(measure) == close(100 * differences.mean() / base)
    low, high = bca(differences)
    assert study().interval(measure, "bca95") == near(100 * low / base, 100 * high / base)


@sentence("ratio of means, denominator resampled too")
def _(snippets: list[str]) -> None:
    upper, lower = study().means("fp8", "kld"), study().means("nvfp4", "kld")
    assert study().number(whole(snippets)) == close(upper.mean() / lower.mean())
    drawn = indices(upper.size)
    ratios = upper[drawn].mean(axis=1) / lower[drawn].mean(axis=1)
    left_out = np.array(
        [np.delete(upper, i).mean() / np.delete(lower, i).mean() for i in range(upper.size)]
    )
    expected = literal_bca(upper.mean() / lower.mean(), ratios, left_out, 0.95)
    assert study().interval(whole(snippets), "bca95") == near(*expected)


@sentence("the median position's KL is 0.0032")
def _(snippets: list[str]) -> None:
    assert study().number(whole(snippets)) == close(np.median(study().column("a", "kld")))


@sentence("the highest 5 % of positions carry 57 % of the total")
def _(snippets: list[str]) -> None:
    rows = np.sort(study().column("a", "kld"))
    top = rows[-math.ceil(0.05 * rows.size) :]
    assert study().number(whole(snippets)) == close(100 * top.sum() / rows.sum())


@sentence("p99 0.567-0.609 over its three runs")
def _(snippets: list[str]) -> None:
    p99 = [np.quantile(study().column(run, "kld"), 0.99) for run in ("r1", "r2", "r3")]
    measure = whole(snippets)
    assert study().number(measure) == close(min(p99))
    assert study().number({**measure, "over": json.loads(snippets[1])}) == close(max(p99))


@sentence("mean KL varies by 0.002 from run to run")
def _(snippets: list[str]) -> None:
    means = [study().means(run, "kld").mean() for run in ("r1", "r2", "r3")]
    assert study().number(whole(snippets)) == close(float(np.std(means, ddof=1)))


@sentence("history 1-256 tokens: 0.114")
def _(snippets: list[str]) -> None:
    rows = study().column("a", "kld")
    history = study().column("a", "history")
    bucket = rows[(history >= 1) & (history <= 256)]
    assert bucket.size == 2 * len(DOMAINS)
    assert study().number(whole(snippets)) == close(bucket.mean())


@sentence("against the mean of the three runs")
def _(snippets: list[str]) -> None:
    runs = np.mean([study().means(run, "kld") for run in ("r1", "r2", "r3")], axis=0)
    differences = study().means("a", "kld") - runs
    assert study().number(whole(snippets)) == close(differences.mean())


@sentence("entropy higher in 18 of 18 windows")
def _(snippets: list[str]) -> None:
    higher = study().means("a", "student_entropy") > study().means("b", "student_entropy")
    assert study().number(whole(snippets)) == np.count_nonzero(higher)


@sentence("delta NLL without one window")
def _(snippets: list[str]) -> None:
    differences = nll_means("a", OTHERS) - nll_means("b", OTHERS)
    assert study().number(whole(snippets)) == close(differences.mean())
    assert study().interval(whole(snippets), "bca95") == near(*bca(differences))


@sentence("192 rows differ by more than 1 nat")
def _(snippets: list[str]) -> None:
    assert study().number(whole(snippets)) == np.count_nonzero(volatile(["c2-064k"])) > 5


@sentence("the other windows show 0-9 such rows")
def _(snippets: list[str]) -> None:
    measure = whole(snippets)
    for pair in (["l1", "l2"], ["fp8", "nvfp4"]):
        first, second = ([nll(arm, [name]) for name in OTHERS] for arm in pair)
        counts = [
            np.count_nonzero(np.abs(a - b) > 0.02) for a, b in zip(first, second, strict=True)
        ]
        altered = {**measure, "arms": pair, "within_parameters": {"above": 0.02}}
        assert study().number(altered) == max(counts)
        assert study().number({**altered, "statistic": json.loads(snippets[1])}) == min(counts)
    assert min(counts) < max(counts)
    assert study().number(measure) == 0


@sentence("... in the last quarter of the window")
def _(snippets: list[str]) -> None:
    measure = {**documented("192 rows differ by more than 1 nat"), **fields(snippets[0])}
    rows = volatile(["c2-064k"])
    last = [changed for row, changed in enumerate(rows) if row * 4 // rows.size == 3]
    assert len(last) == 12
    assert study().number(measure) == sum(last) > 0


@sentence("of those, 38 have one launch above 0.9 on the actual token")
def _(snippets: list[str]) -> None:
    added = fields(snippets[0])
    (condition,) = added["rows"]["where"]
    # Nobody is that sure in a made-up study.
    condition["above"] = 0.05
    either = np.maximum(np.exp(-nll("l1", ["c2-064k"])), np.exp(-nll("l2", ["c2-064k"])))
    expected = np.count_nonzero(volatile(["c2-064k"]) & (either > 0.05))
    measure = {**documented("192 rows differ by more than 1 nat"), **added}
    assert study().number(measure) == expected > 0


@sentence("20 are top-1/top-2 swaps")
def _(snippets: list[str]) -> None:
    measure = {**documented("192 rows differ by more than 1 nat"), **WINDOW}
    measure["rows"] = {"where": [json.loads(snippets[0])]}
    del measure["parameters"]  # every row with a swap, volatile or not
    one, two = (
        np.argsort(-study().logp[arm]["c2-064k"][SCORED], axis=1)[:, :2] for arm in ("l1", "l2")
    )
    swaps = np.all(one == two[:, ::-1], axis=1)
    assert study().number({**measure, "statistic": "size"}) == np.count_nonzero(swaps) > 0


@sentence("identical values on 20 of 64 windows")
def _(snippets: list[str]) -> None:
    same = [
        np.array_equal(study().logp["l1"][window][SCORED], study().logp["l2"][window][SCORED])
        for window in DOMAINS
    ]
    assert study().number(whole(snippets)) == sum(same) == 2


@sentence("copied rows are volatile in 14 %")
def _(snippets: list[str]) -> None:
    inside = np.concatenate(
        [
            [copied(study().tokens[window], place) for place in history]
            for window, history in zip(DOMAINS, study().by_window("l1", "history"), strict=True)
        ]
    )
    rows = volatile()[inside]
    assert rows.size == 3 * len(DOMAINS)
    assert study().number(whole(snippets)) == close(100 * rows.mean())


@sentence("closes 40.1 % of the gap")
def _(snippets: list[str]) -> None:
    low, mid, high = (study().means(arm, "kld") for arm in ("low", "mid", "high"))
    share = 100 * (low.mean() - mid.mean()) / (low.mean() - high.mean())
    assert study().number(whole(snippets)) == close(share)
    drawn = indices(low.size)
    start, reached, goal = (vector[drawn].mean(axis=1) for vector in (low, mid, high))
    shares = 100 * (start - reached) / (start - goal)
    found = study().interval(whole(snippets), "percentile95")
    assert found == near(*np.quantile(shares, [0.025, 0.975]))


def _equal_domains(snippets: list[str]) -> Json:
    """The relative difference with what the row adds, and the strata that its recipe names."""
    assert fields(snippets[1]) == {"strata": "domain"}
    plain = {"statistic": "relative-difference", "arms": ["fp8", "nvfp4"], "scale": "percent"}
    return {**plain, **fields(snippets[0])}


@sentence("+6.1 % with equal domain weights")
def _(snippets: list[str]) -> None:
    measure = _equal_domains(snippets)
    groups = {
        arm: [study().means(arm, "kld", windows) for windows in (CODE, PROSE)]
        for arm in ("fp8", "nvfp4")
    }
    mean, base = (np.mean([group.mean() for group in groups[arm]]) for arm in ("fp8", "nvfp4"))
    assert study().number(measure) == close(100 * (mean - base) / base)
    # Strata are drawn in sorted order for each replicate.
    stream = np.random.RandomState(20260902)
    replicates = []
    for _ in range(400):
        drawn = [stream.randint(0, len(windows), len(windows)) for windows in (CODE, PROSE)]
        mean, base = (
            np.mean(
                [group[chosen].mean() for group, chosen in zip(groups[arm], drawn, strict=True)]
            )
            for arm in ("fp8", "nvfp4")
        )
        replicates.append(100 * (mean - base) / base)
    expected = np.quantile(replicates, [0.025, 0.975])
    assert study().interval(measure, "domain95") == near(*expected)


@sentence("equivalent within 10 %: yes")
def _(snippets: list[str]) -> None:
    decide = fields(snippets[0])["decide"]
    relative = {**DIFFERENCE, "relative_to": {"statistic": "mean", "arm": "nvfp4"}}
    differences = study().means("fp8", "kld") - study().means("nvfp4", "kld")
    ends = np.array(bca(differences)) / study().means("nvfp4", "kld").mean()
    assert np.abs(ends).max() > decide["margin"]
    assert study().word(relative, decide) == "false"
    assert study().word(relative, {**decide, "margin": np.abs(ends).max() * 1.01}) == snippets[1]


@sentence("p99 of the top-20 KL")
def _(snippets: list[str]) -> None:
    teacher = np.concatenate([study().teacher[window][SCORED] for window in DOMAINS])
    rows = kl_topk(teacher, distributions("a", list(DOMAINS)), 20, normalised=False)
    assert study().number(whole(snippets)) == pytest.approx(np.quantile(rows, 0.99), rel=1e-9)


@sentence("perplexity")
def _(snippets: list[str]) -> None:
    assert study().number(whole(snippets)) == close(math.exp(nll_means("fp8").mean()))


@sentence("2046 scored rows per window")
def _(snippets: list[str]) -> None:
    assert study().number(whole(snippets)) == len(study().teacher["c0-032k"]) - 1


@sentence("32 windows")
def _(snippets: list[str]) -> None:
    assert study().number(whole(snippets)) == len(DOMAINS)


# Sentences of the format's algebra that the page does not repeat.


def test_the_entropy_of_each_arm_over_its_windows() -> None:
    measure = {"statistic": "mean", "column": "student_entropy", "arm": "a"}
    assert study().number(measure) == close(study().means("a", "student_entropy").mean())


def test_history_1025_to_2047_of_all_rows_pooled() -> None:
    history, rows = study().column("a", "history"), study().column("a", "kld")
    bucket = {"column": "history", "at_least": 1025, "at_most": 2047}
    measure = {"statistic": "mean", "arm": "a", "within": "none", "rows": {"where": [bucket]}}
    assert study().number(measure) == close(rows[(history >= 1025) & (history <= 2047)].mean())
    assert study().number({**measure, "statistic": "size"}) == 10 * len(DOMAINS)


@pytest.mark.parametrize("quarter", [1, 2, 3, 4])
def test_rows_that_differ_by_more_than_1_nat_by_quarter(quarter: int) -> None:
    rows = volatile(["c2-064k"])
    expected = sum(
        changed for row, changed in enumerate(rows) if row * 4 // rows.size == quarter - 1
    )
    part = {"part": {"index": quarter, "of": 4}}
    assert study().number({**VOLATILE, **WINDOW, "rows": part}) == expected


def test_swaps_among_the_volatile_rows() -> None:
    one, two = (
        np.argsort(-study().logp[arm]["c2-064k"][SCORED], axis=1)[:, :2] for arm in ("l1", "l2")
    )
    swaps = np.all(one == two[:, ::-1], axis=1) & volatile(["c2-064k"])
    where = [{"column": "top1_top2_swap", "equals": 1}]
    assert study().number({**VOLATILE, **WINDOW, "rows": {"where": where}}) == swaps.sum()


def test_rows_outside_the_copied_ones_are_volatile_at_another_rate() -> None:
    outside = np.concatenate(
        [
            [not copied(study().tokens[window], place) for place in history]
            for window, history in zip(DOMAINS, study().by_window("l1", "history"), strict=True)
        ]
    )
    where = {"rows": {"where": [{"column": "copied", "equals": 0}]}}
    measure = {**VOLATILE, **where, "statistic": "fraction", "scale": "percent"}
    assert study().number(measure) == close(100 * volatile()[outside].mean())


@pytest.mark.parametrize(("margin", "expected"), [(0.9, "true"), (0.1, "false")])
def test_equivalence_is_decided_on_the_relative_interval(margin: float, expected: str) -> None:
    measure = {**DIFFERENCE, "relative_to": {"statistic": "mean", "arm": "nvfp4"}}
    decide = {"rule": "equivalent", "recipe": "bca95", "margin": margin}
    low, high = (
        np.array(bca(study().means("fp8", "kld") - study().means("nvfp4", "kld")))
        / study().means("nvfp4", "kld").mean()
    )
    assert study().word(measure, decide) == expected == str(-margin < low < high < margin).lower()


@pytest.mark.parametrize(("better", "word"), [("lower", "improvement"), ("higher", "harm")])
def test_a_reading_follows_the_side_of_the_interval(better: str, word: str) -> None:
    assert bca(study().means("fp8", "kld") - study().means("nvfp4", "kld"))[1] < 0
    decide = {"rule": "reading", "recipe": "bca95", "better": better}
    assert study().word(DIFFERENCE, decide) == word


def test_the_windows_of_one_domain_have_their_own_mean_and_interval() -> None:
    measure = {
        "statistic": "mean",
        "arm": "fp8",
        "windows": {"group": "domain", "value": "code"},
    }
    values = study().means("fp8", "kld", CODE)
    assert study().number(measure) == close(values.mean())
    assert study().interval(measure, "bca95") == near(*bca(values))


def test_the_first_windows_are_those_of_the_arm() -> None:
    measure = {"statistic": "mean", "arm": "fp8", "windows": {"first": 3}}
    assert study().number(measure) == close(study().means("fp8", "kld", list(DOMAINS)[:3]).mean())


# Every kind of number in a write-up about tails and position.


@pytest.mark.parametrize("arm", ["a", "b"])
@pytest.mark.parametrize("rule", ["linear", "higher", "inverted_cdf"])
@pytest.mark.parametrize("probability", [0.5, 0.99, 0.999])
def test_tails_of_all_positions(arm: str, rule: str, probability: float) -> None:
    measure = {
        "statistic": "quantile",
        "parameters": {"probability": probability, "rule": rule},
        "arm": arm,
        "within": "none",
    }
    expected = np.quantile(study().column(arm, "kld"), probability, method=rule)  # type: ignore[call-overload]
    assert study().number(measure) == close(expected)


def test_the_range_of_a_tail_over_three_runs() -> None:
    p99 = [np.quantile(study().column(run, "kld"), 0.99) for run in ("r1", "r2", "r3")]
    measure = {
        "statistic": "quantile",
        "parameters": P99,
        "arms": ["r1", "r2", "r3"],
        "within": "none",
    }
    assert study().number({**measure, "over": "range"}) == close(max(p99) - min(p99))
    assert study().number({**measure, "over": "mean"}) == close(float(np.mean(p99)))


def test_a_context_bucket_against_the_mean_of_three_runs() -> None:
    history = study().column("a", "history")
    inside = (history >= 2048) & (history <= 4095)
    runs = np.mean([study().column(run, "kld") for run in ("r1", "r2", "r3")], axis=0)
    measure = {
        "statistic": "mean",
        "arms": ["a", ["r1", "r2", "r3"]],
        "pair": "difference",
        "within": "none",
        "rows": {"where": [{"column": "history", "at_least": 2048, "at_most": 4095}]},
    }
    assert study().number(measure) == close((study().column("a", "kld") - runs)[inside].mean())


@pytest.mark.parametrize("launch", ["l1", "l2"])
def test_delta_nll_to_either_launch_without_a_window(launch: str) -> None:
    measure = {
        "statistic": "mean",
        "column": "nll",
        "arms": ["a", launch],
        "pair": "difference",
        "windows": {"except": ["c2-064k"]},
    }
    differences = nll_means("a", OTHERS) - nll_means(launch, OTHERS)
    assert study().number(measure) == close(differences.mean())
    assert study().interval(measure, "bca95") == near(*bca(differences))


@pytest.mark.parametrize("launch", ["l1", "l2"])
def test_rows_beyond_1_nat_of_another_engine(launch: str) -> None:
    expected = np.count_nonzero(volatile(["c2-064k"], "a", launch))
    assert study().number({**VOLATILE, **WINDOW, "arms": ["a", launch]}) == expected


@pytest.mark.parametrize("window", [*OTHERS])
def test_rows_beyond_1_nat_of_every_other_window(window: str) -> None:
    expected = np.count_nonzero(volatile([window]))
    assert study().number({**VOLATILE, "windows": {"ids": [window]}}) == expected


def test_byte_identical_on_every_window() -> None:
    measure = {
        "statistic": "count",
        "column": "rows_identical",
        "arms": ["a", "a"],
        "within": "minimum",
    }
    assert study().number(measure) == study().number({**measure, "statistic": "size"}) == 7


def test_fraction_of_rows_that_differ_between_launches() -> None:
    measure = {
        "statistic": "mean",
        "column": "rows_identical",
        "arms": ["l1", "l2"],
        "within": "none",
    }
    assert study().number(measure) == close(2 / 7)


def test_the_mean_top_20_kl_of_two_launches_differs_by_little() -> None:
    teacher = np.concatenate([study().teacher[window][SCORED] for window in OTHERS])
    means = [
        np.mean(
            np.reshape(kl_topk(teacher, distributions(arm, OTHERS), 20, normalised=False), (6, -1)),
            axis=1,
        )
        for arm in ("l1", "l2")
    ]
    measure = {
        "statistic": "mean",
        "column": "kl_topk",
        "top_k": 20,
        "arms": ["l1", "l2"],
        "pair": "difference",
        "windows": {"except": ["c2-064k"]},
    }
    assert study().number(measure) == pytest.approx(
        np.mean(means[0] - means[1]), rel=1e-6, abs=1e-12
    )


@pytest.mark.parametrize("statistic", ["minimum", "maximum"])
def test_engine_against_engine_over_the_other_windows(statistic: str) -> None:
    by_window = [
        np.mean(
            kl_topk(
                distributions("l1", [window]), distributions("a", [window]), 20, normalised=True
            )
        )
        for window in OTHERS
    ]
    measure = {
        "statistic": statistic,
        "column": "kl_topk_normalised_between",
        "top_k": 20,
        "arms": ["l1", "a"],
        "windows": {"except": ["c2-064k"]},
    }
    expected = min(by_window) if statistic == "minimum" else max(by_window)
    assert study().number(measure) == pytest.approx(expected, rel=1e-9)


def test_nll_and_top_20_entropy_of_one_window() -> None:
    window = {"windows": {"ids": ["c2-064k"]}, "arm": "l1", "statistic": "mean"}
    assert study().number({**window, "column": "nll"}) == close(nll("l1", ["c2-064k"]).mean())
    entropies = []
    for row in np.exp(distributions("l1", ["c2-064k"])):
        top = np.sort(row)[-20:]
        buckets = np.append(top, 1 - top.sum())
        entropies.append(-np.sum(buckets * np.log(buckets)))
    measure = {**window, "column": "topk_entropy", "top_k": 20}
    assert study().number(measure) == pytest.approx(np.mean(entropies), rel=1e-9)


def test_how_many_rows_of_a_window_are_copied_and_none_volatile() -> None:
    window = "c1-128k"
    inside = np.array(
        [
            copied(study().tokens[window], place)
            for place in study().arrays["l1"][window]["history"][SCORED]
        ]
    )
    measure = {
        "statistic": "count",
        "column": "copied",
        "arm": "l1",
        "within": "none",
        "windows": {"ids": [window]},
    }
    assert study().number(measure) == np.count_nonzero(inside) == 3
    of_those = {**VOLATILE, "windows": {"ids": [window]}}
    of_those["rows"] = {"where": [{"column": "copied", "equals": 1}]}
    assert study().number(of_those) == np.count_nonzero(inside & volatile([window])) == 0


def test_a_shorter_copy_from_nearer_by() -> None:
    window = "c0-032k"
    inside = [
        copied(study().tokens[window], place, ngram=4, distance=500)
        for place in study().arrays["l1"][window]["history"][SCORED]
    ]
    measure = {
        "statistic": "sum",
        "column": "copied",
        "ngram": 4,
        "distance": 500,
        "arm": "l1",
        "within": "none",
        "windows": {"ids": [window]},
    }
    assert study().number(measure) == sum(inside) > 3


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_the_rows_that_differ_most_with_their_positions(rank: int) -> None:
    windows = list(DOMAINS)
    apart = np.abs(nll("l1") - nll("l2"))
    place = int(np.argsort(-apart, kind="stable")[rank - 1])
    ranked = {"column": "nll", "arms": ["l1", "l2"], "pair": "absolute-difference", "rank": rank}
    row = {"statistic": "mean", "arm": "l1", "within": "none", "rows": {"ranked": ranked}}
    scored = len(apart) // len(windows)
    assert study().number({**row, "column": "row"}) == place % scored + 1
    assert study().number({**row, "column": "window"}) == place // scored
    assert study().number({**row, "column": "history"}) == 100 * (place % scored + 1)
    largest = {**VOLATILE, "statistic": "largest", "parameters": {"rank": rank}}
    assert study().number(largest) == close(apart[place])


def test_the_last_rows_alone_are_scored() -> None:
    measure = {"statistic": "mean", "arm": "a", "within": "none", "rows": {"from": 40, "to": 48}}
    rows = np.concatenate([arrays["kld"][40:49] for arrays in study().arrays["a"].values()])
    assert study().number(measure) == close(rows.mean())
    assert study().number({**measure, "statistic": "size"}) == 9 * len(DOMAINS)


# Kinds of numbers that such studies publish beside these.


@pytest.mark.parametrize(
    ("parameters", "statistic", "reduce"),
    [
        ({}, "minimum", np.min),
        ({}, "median", np.median),
        ({}, "maximum", np.max),
        ({"ddof": 1}, "standard-deviation", lambda ratios: np.std(ratios, ddof=1)),
    ],
)
def test_ratios_window_by_window(
    parameters: Mapping[str, float], statistic: str, reduce: Callable[[FloatArray], float]
) -> None:
    ratios = study().means("fp8", "kld") / study().means("nvfp4", "kld")
    measure = {
        "statistic": statistic,
        **({"parameters": dict(parameters)} if parameters else {}),
        "arms": ["fp8", "nvfp4"],
        "pair": "ratio",
    }
    assert study().number(measure) == close(reduce(ratios))
    assert study().number({**measure, "pair": "log-ratio"}) == close(reduce(np.log(ratios)))


def test_fraction_of_rows_that_are_lower() -> None:
    measure = {"statistic": "fraction", "arms": ["fp8", "nvfp4"], "pair": "lower", "within": "none"}
    lower = study().column("fp8", "kld") < study().column("nvfp4", "kld")
    assert study().number(measure) == close(lower.mean())


def test_window_medians_that_are_lower() -> None:
    measure = {
        "statistic": "count",
        "arms": ["fp8", "nvfp4"],
        "pair": "lower",
        "within": "median",
    }
    lower = [
        np.median(first) < np.median(second)
        for first, second in zip(
            study().by_window("fp8", "kld"), study().by_window("nvfp4", "kld"), strict=True
        )
    ]
    assert study().number(measure) == sum(lower)


def test_a_trimmed_mean_drops_rows_above_a_pooled_quantile_from_both_arms() -> None:
    first, second = study().column("fp8", "kld"), study().column("nvfp4", "kld")
    limit = np.quantile(np.concatenate([first, second]), 0.9)
    kept = (first <= limit) & (second <= limit)
    measure = {
        **DIFFERENCE,
        "within": "none",
        "rows": {"trim": {"probability": 0.9, "rule": "linear"}},
    }
    assert study().number(measure) == close((first - second)[kept].mean())
    assert study().number({**measure, "statistic": "size"}) == np.count_nonzero(kept)


@pytest.mark.parametrize("least", [0.25, 0.5])
def test_top_1_agreement_among_rows_where_the_teacher_is_sure(least: float) -> None:
    sure = study().column("a", "teacher_top1_p") >= least
    agrees = study().column("a", "student_top1") == study().column("a", "teacher_top1")
    measure = {
        "statistic": "mean",
        "column": "top1_agreement",
        "arm": "a",
        "within": "none",
        "rows": {"where": [{"column": "teacher_top1_p", "at_least": least}]},
    }
    assert sure.any()
    assert study().number(measure) == close(agrees[sure].mean())


def test_the_recipe_of_the_page_is_the_one_that_is_drawn_here() -> None:
    assert study().recipes["bca95"] == BCA95
