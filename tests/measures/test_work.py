"""Hostile sizes: what an audit looks at, and what it keeps, is bounded whatever a bundle claims."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.support.measuring import BCA95, Study, plain
from verifier.measures import evaluator as evaluators
from verifier.measures import masks, reduced, units, vectors, work
from verifier.measures.kept import Kept
from verifier.measures.lacking import LackingError
from verifier.measures.work import Work
from verifier.model.basis import Level
from verifier.model.measure import Measure, Ranked, RowSelection, WindowSelection
from verifier.model.plugin import Missing, Units, Value
from verifier.model.recipe import Clusters, Interval
from verifier.numerics.clusters import components

SPENT = "the measures of this bundle up to here look at more rows than one audit spends on them"

MEAN = Measure(statistic="mean", arms=("x",))
WIDE = plain({"x": [[0.0, *range(1, 9)] for _ in range(8)]})
"""Eight windows of nine rows, all with the mean 4.5."""
TWIN = plain({arm: [[0.0, *range(1, 9)] for _ in range(8)] for arm in "xy"})


class Counting(Work):
    """Work that remembers how much was spent."""

    spent = 0

    def spend(self, steps: int) -> None:
        self.spent += steps
        super().spend(steps)


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Counting:
    counted = Counting()
    monkeypatch.setattr(evaluators, "Work", lambda: counted)
    return counted


def limited(monkeypatch: pytest.MonkeyPatch, steps: int) -> None:
    monkeypatch.setattr(evaluators, "Work", lambda: Work(steps))


def test_steps_are_taken_until_none_are_left_and_what_was_refused_is_not() -> None:
    left = Work(10)
    left.spend(6)
    with pytest.raises(LackingError, match="more rows than one audit spends"):
        left.spend(5)
    left.spend(4)
    with pytest.raises(LackingError, match="more rows than one audit spends"):
        left.spend(1)


def test_a_bundle_of_many_figures_over_many_rows_is_cut_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limited(monkeypatch, 10_000)
    evaluator = WIDE.evaluator()
    figures = [
        replace(MEAN, within="none", rows=RowSelection(first=first)) for first in range(1, 9)
    ]
    found = [evaluator.value(figure) for figure in figures]
    assert isinstance(found[0], Value)
    assert found[-1] == Missing(reason=SPENT)
    # A figure that was answered before it costs nothing, and stays answered.
    assert evaluator.value(figures[0]) == found[0]


def test_the_panel_is_counted_within_the_same_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    limited(monkeypatch, 8 * work.WINDOW_STEPS + 8)
    evaluator = WIDE.evaluator()
    assert evaluator.value(Measure(statistic="size")) == Value(
        number=8, level=Level.WINDOW_SCORES, n=8
    )
    omitting = Measure(statistic="size", windows=WindowSelection(omit=("w0",)))
    assert evaluator.value(omitting) == Missing(reason=SPENT)


def test_a_figure_of_one_window_costs_no_more_where_there_are_many(counting: Counting) -> None:
    def cost(study: Study) -> int:
        evaluator = study.evaluator()
        counting.spent = 0
        evaluator.value(replace(MEAN, windows=WindowSelection(ids=("w1",))))
        evaluator.value(Measure(statistic="size", windows=WindowSelection(ids=("w1",))))
        evaluator.value(replace(MEAN, windows=WindowSelection(first=1)))
        return counting.spent

    few = plain({"x": [[0, 1], [0, 2]]})
    many = plain({"x": [[0, 1]] * 2000})
    assert cost(few) == cost(many) > 0


def test_leaving_each_window_out_in_turn_keeps_no_copies(counting: Counting) -> None:
    study = plain({"x": [[0, 1.0]] * 60})
    evaluator = study.evaluator()
    evaluator.value(MEAN)
    first = counting.spent
    for window in study.domains:
        found = evaluator.value(replace(MEAN, windows=WindowSelection(omit=(window,))))
        assert found == Value(number=1.0, level=Level.ROW_SCORES, n=59)
    # Each row is looked at once for all of them: what remains is choosing and adding windows.
    assert first > 60 * work.VECTOR_STEPS
    assert counting.spent - first == 60 * (61 * work.WINDOW_STEPS + 59)


def test_windows_that_were_reduced_for_one_figure_are_not_looked_at_again(
    counting: Counting,
) -> None:
    evaluator = WIDE.evaluator()
    kept = evaluator.window_values(WIDE.bundle().arms[0], "kld")
    assert kept == dict.fromkeys(WIDE.domains, 4.5)
    before = counting.spent
    assert evaluator.value(MEAN) == Value(number=4.5, level=Level.ROW_SCORES, n=8)
    assert counting.spent - before == 8 * work.WINDOW_STEPS + 8


def test_value_and_interval_build_the_same_units_once(counting: Counting) -> None:
    evaluator = WIDE.evaluator()
    rows = replace(MEAN, within="none")
    evaluator.value(rows)
    before = counting.spent
    evaluator.spent(rows, BCA95)
    evaluator.interval(rows, BCA95)
    assert counting.spent == before
    evaluator.value(replace(rows, statistic="median", scale="percent"))
    assert counting.spent - before == 8 * 8


def test_many_statistics_of_rows_that_are_kept_are_counted_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limited(monkeypatch, 10_000)
    evaluator = WIDE.evaluator()
    shares = (
        replace(
            MEAN,
            statistic="top-share",
            parameters=(("counting", "ceil"), ("share", place / 1000)),
            within="none",
        )
        for place in range(1, 1000)
    )
    assert Missing(reason=SPENT) in [evaluator.value(share) for share in shares]


def test_rows_that_a_record_merely_claims_are_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    claiming = replace(WIDE, retained=False)
    bundle = claiming.bundle()
    (arm,) = bundle.arms
    most = work.MOST_WINDOW_ROWS
    windows = tuple(replace(window, predicted_rows=most + 1) for window in arm.windows)
    huge = replace(bundle, arms=(replace(arm, windows=windows),))
    monkeypatch.setattr(Study, "bundle", lambda _: huge)
    claimed = Measure(statistic="sum", column="one", arms=("x",), within="sum")
    assert claiming.evaluator().value(claimed) == Missing(
        reason=f"arms/x/windows.json#/windows/0: {most + 1} rows in one window, over {most}, are "
        "not looked at"
    )


@pytest.mark.parametrize(
    "measure",
    [
        replace(MEAN, within="none"),
        replace(MEAN, within="none", rows=RowSelection(ranked=Ranked(column="kld", rank=1))),
        replace(MEAN, within="mean", rows=RowSelection(ranked=Ranked(column="kld", rank=1))),
        replace(MEAN, within="none", arms=("x", "y")),
    ],
)
def test_only_so_many_rows_are_held_at_once(
    monkeypatch: pytest.MonkeyPatch, measure: Measure
) -> None:
    most = 100 if len(measure.arms) > 1 else 50
    monkeypatch.setattr(work, "MOST_POOLED_ROWS", most)
    found = TWIN.evaluator().value(measure)
    assert isinstance(found, Missing)
    rows = 128 if len(measure.arms) > 1 else 72
    assert found.reason == (
        f"the measure pools {rows} rows, over {most}: select fewer, or reduce each window"
    )


def test_clusters_are_computed_once_for_value_and_both_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[int] = []

    def computed(streams: list[object], *, span: int, shared: int) -> tuple[tuple[int, ...], ...]:
        calls.append(len(streams))
        assert (span, shared) == (32, 1)
        return tuple((place,) for place in range(len(streams)))

    monkeypatch.setattr("verifier.measures.resampled.components", computed)
    study = replace(WIDE, tokens={window: np.arange(40) for window in WIDE.domains})
    evaluator = study.evaluator()
    recipe = replace(BCA95, method="percentile", unit="cluster", clusters=Clusters())
    evaluator.spent(MEAN, recipe)
    evaluator.interval(MEAN, recipe)
    evaluator.interval(replace(MEAN, within="none"), recipe)
    assert calls == [8]
    for first in range(2, 11):
        evaluator.spent(replace(MEAN, windows=WindowSelection(first=min(first, 7))), recipe)
    assert calls == [8]


def test_a_window_that_is_left_out_still_links_those_that_share_text_with_it() -> None:
    generator = np.random.default_rng(4)
    left, right, other = (generator.integers(0, 250, 64) for _ in range(3))
    # w0 shares text with w1, w1 with w2; w0 and w2 share none.
    text = {"w0": left, "w1": np.concatenate([left, right]), "w2": right, "w3": other}
    made = plain({"x": [[0, 1], [0, 2], [0, 4], [0, 8]]}, tokens=text)
    recipe = replace(BCA95, method="percentile", unit="cluster")
    chosen = replace(MEAN, windows=WindowSelection(omit=("w1",)))
    found = [
        made.evaluator().interval(chosen, replace(recipe, clusters=clusters))
        for clusters in (Clusters(), Clusters(lists=(("w0", "w1", "w2"), ("w3",))))
    ]
    assert isinstance(found[0], Interval)
    assert found[0] == found[1]
    assert found[0].units == 2


def test_clusters_do_not_depend_on_the_order_of_the_windows_and_are_computed_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    generator = np.random.default_rng(8)
    text = [generator.integers(0, 9, 40) for _ in range(8)]
    # 0 and 5 share text, and so do 2, 3 and 7.
    text[5] = text[0]
    text[7] = text[3] = text[2]
    streams = dict(zip(WIDE.domains, text, strict=True))
    calls: list[int] = []

    def computed(streams: Any, *, span: int, shared: int) -> tuple[tuple[int, ...], ...]:
        calls.append(len(streams))
        return components(streams, span=span, shared=shared)

    monkeypatch.setattr("verifier.measures.resampled.components", computed)
    evaluator = replace(WIDE, tokens=streams).evaluator()
    units = evaluator.units(MEAN)
    assert isinstance(units, Units)
    recipe = replace(BCA95, method="percentile", unit="cluster", clusters=Clusters(span=8))
    values = np.arange(8.0) ** 2
    for order in ([*range(8)], [7, 6, 5, 4, 3, 2, 1, 0], [3, 5, 0, 7, 1, 6, 2, 4]):
        ids = tuple(units.window_ids[place] for place in order)
        turned = replace(units, window_ids=ids, vectors=(values[order],))
        parts = components([streams[window] for window in ids], span=8, shared=1)
        lists = tuple(tuple(ids[place] for place in part) for part in parts)
        listed = replace(recipe, clusters=Clusters(lists=lists))
        assert len(parts) == 5
        assert evaluator.intervals_of(MEAN, [recipe], turned) == evaluator.intervals_of(
            MEAN, [listed], turned
        )
        assert not isinstance(evaluator.intervals_of(MEAN, [recipe], turned)[0], Missing)
    assert calls == [8]


def test_clusters_that_made_room_are_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def computed(streams: list[object], *, span: int, shared: int) -> tuple[tuple[int, ...], ...]:
        calls.append(len(streams) * span * shared)
        return tuple((place,) for place in range(len(streams)))

    monkeypatch.setattr("verifier.measures.resampled.components", computed)
    monkeypatch.setattr("verifier.measures.resampled._KEPT_CLUSTERS", 1)
    study = replace(WIDE, tokens={window: np.arange(40) for window in WIDE.domains})
    evaluator = study.evaluator()
    for shared in (1, 2, 1):
        recipe = replace(
            BCA95, method="percentile", unit="cluster", clusters=Clusters(shared=shared, span=1)
        )
        evaluator.spent(MEAN, recipe)
    assert calls == [8, 16, 8]


def test_numbers_are_the_same_when_nothing_can_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    ranked = RowSelection(ranked=Ranked(column="kld", rank=2))
    measures = [
        MEAN,
        replace(MEAN, within="none", statistic="median"),
        replace(MEAN, within="none", rows=ranked),
        replace(MEAN, statistic="maximum", rows=RowSelection(first=3)),
    ]
    expected = [WIDE.evaluator().value(measure) for measure in measures]
    monkeypatch.setattr(vectors, "_KEPT_BYTES", 0)
    monkeypatch.setattr(masks, "_KEPT_BYTES", 0)
    monkeypatch.setattr(reduced, "_KEPT_VALUES", 0)
    monkeypatch.setattr(units, "_KEPT_UNITS", 0)
    evaluator = WIDE.evaluator()
    assert [evaluator.value(measure) for measure in measures] == expected
    assert all(isinstance(value, Value) for value in expected)


def test_what_was_used_longest_ago_makes_room() -> None:
    kept: Kept[str] = Kept(3)
    one, two = kept.number("one"), kept.number("two")
    assert (one, two, kept.number("one")) == (0, 1, 0)
    kept.put((one, "a"), "1a")
    kept.put((one, "b"), "1b")
    kept.put((two, "a"), "2a")
    assert kept.get((one, "a")) == "1a"
    kept.put((two, "b"), "2b")
    assert kept.get((one, "b")) is None
    assert [kept.get(key) for key in ((one, "a"), (two, "a"), (two, "b"))] == ["1a", "2a", "2b"]
    assert kept.size == 3


def test_a_value_larger_than_all_the_room_is_not_kept() -> None:
    kept: Kept[str] = Kept(3)
    kept.put((0, "a"), "small", 1)
    kept.put((0, "b"), "large", 4)
    assert kept.get((0, "b")) is None
    assert kept.size == 0
