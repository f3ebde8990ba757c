"""Intervals in the order of their publication: streams that go on, and how much is drawn."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from tests.support import core
from tests.support.measuring import BCA95, plain
from verifier import intervals
from verifier.intervals import MOST_STEPS, Drawings, steps
from verifier.model.figure import Figure
from verifier.model.measure import Measure
from verifier.model.plugin import Missing, Spent, Units, Value
from verifier.model.recipe import Interval, Recipe

STUDY = plain({"x": [[0, 1], [0, 5], [0, 2], [0, 9]], "y": [[0, 2], [0, 2], [0, 7], [0, 1]]})
X, Y = (Measure(statistic="mean", arms=(arm,)) for arm in "xy")
BOTH = Measure(statistic="mean", arms=("x", "y"), pair="difference")
RESTARTED = replace(BCA95, method="percentile")
CONTINUED = replace(RESTARTED, start="continue")

TOO_MUCH = "the intervals of this bundle up to here take more draws than one audit spends on them"


@dataclass
class Counted:
    """The ``Measures`` protocol with made-up intervals; remembers what was drawn."""

    sizes: dict[Measure, int]
    drawn: list[tuple[Measure, Spent]] = field(default_factory=list)

    def spent(self, measure: Measure, recipe: Recipe) -> Spent | Missing:
        if measure not in self.sizes:
            return Missing(reason="not retained")
        return (((self.sizes[measure],), recipe.resamples),)

    def interval(self, measure: Measure, recipe: Recipe, before: Spent = ()) -> Interval | Missing:
        self.drawn.append((measure, before))
        if self.sizes[measure] == 3:
            return Missing(reason="undefined")
        return Interval(low=0, high=1, standard_error=recipe.level, degenerate=False)

    def units(self, measure: Measure) -> Units | Missing:
        raise AssertionError(measure)

    def value(self, measure: Measure) -> Value | Missing:
        raise AssertionError(measure)

    def value_of(self, measure: Measure, *_: object) -> Value | Missing:
        raise AssertionError(measure)

    def intervals_of(self, measure: Measure, *_: object) -> tuple[Interval | Missing, ...]:
        raise AssertionError(measure)

    def window_values(self, *_: object) -> Missing:
        raise AssertionError


def published(*measures: Measure, recipe: Recipe = CONTINUED) -> tuple[Figure, ...]:
    return tuple(
        figure
        for place, measure in enumerate(measures)
        for figure in core.ends(f"i{place}", "0", "1", measure, recipe=recipe)
    )


def literal(values: Sequence[float], skipped: int) -> list[float]:
    """Percentile ends after so many draws of the stream."""
    stream = np.random.RandomState(RESTARTED.seed)
    for _ in range(skipped):
        stream.randint(0, 4, 4)
    drawn = stream.randint(0, len(values), (400, len(values)))
    low, high = np.quantile(np.array(values)[drawn].mean(axis=1), [0.025, 0.975])
    return [float(low), float(high)]


def test_a_stream_goes_on_where_the_interval_before_it_ended() -> None:
    figures = published(X, BOTH, Y)
    drawings = Drawings(measures=STUDY.evaluator(), figures=figures)
    for measure, values, skipped in (
        (Y, (2.0, 2.0, 7.0, 1.0), 800),
        (X, (1.0, 5.0, 2.0, 9.0), 0),
        (BOTH, (-1.0, 3.0, -5.0, 8.0), 400),
    ):
        found = drawings.draw(measure, CONTINUED)
        assert isinstance(found, Interval)
        assert [found.low, found.high] == pytest.approx(literal(values, skipped))


def test_a_restarted_stream_knows_nothing_before_it() -> None:
    drawings = Drawings(measures=Counted({X: 4}), figures=published(Y, X, recipe=RESTARTED))
    assert drawings.before(X, RESTARTED) == ()


def test_only_intervals_of_the_same_recipe_share_a_stream() -> None:
    other = replace(CONTINUED, seed=1)
    figures = (*published(X), *published(X, Y, recipe=other), *published(Y))
    counted = Counted({X: 4, Y: 5})
    drawings = Drawings(measures=counted, figures=figures)
    assert drawings.before(Y, CONTINUED) == (((4,), 400),)
    assert drawings.before(Y, other) == (((4,), 400),)
    assert drawings.before(X, other) == ()


def test_an_interval_that_is_published_twice_takes_from_the_stream_once() -> None:
    counted = Counted({X: 4, Y: 5})
    drawings = Drawings(measures=counted, figures=published(X, X, Y))
    assert drawings.before(Y, CONTINUED) == (((4,), 400),)
    assert drawings.draw(X, CONTINUED) == drawings.draw(X, CONTINUED)
    assert counted.drawn == [(X, ())]


def test_an_interval_that_is_not_published_has_no_place_in_a_stream() -> None:
    drawings = Drawings(measures=Counted({X: 4, Y: 5}), figures=published(X))
    assert drawings.draw(Y, CONTINUED) == Missing(
        reason="its place in the continued stream is unknown: it is no interval of figures.json"
    )


def test_nothing_can_follow_an_interval_that_cannot_be_drawn() -> None:
    drawings = Drawings(measures=Counted({Y: 5}), figures=published(X, Y, BOTH))
    broken = "an interval before it in the same stream cannot be drawn: not retained"
    assert drawings.draw(X, CONTINUED) == Missing(reason="not retained")
    assert drawings.draw(Y, CONTINUED) == Missing(reason=broken)
    assert drawings.before(BOTH, CONTINUED) == Missing(reason=broken)


def test_a_figure_without_measure_or_recipe_takes_nothing() -> None:
    blank = replace(core.figure("m", "1", None, kind="interval", interval="m"), end="low")
    unknown = core.ends("u", "0", "1", X, recipe=None)
    drawings = Drawings(measures=Counted({X: 4}), figures=(blank, *unknown, *published(X)))
    assert drawings.before(X, CONTINUED) == ()


def test_a_stream_is_continued_so_often_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intervals, "MOST_CONTINUED", 2)
    measures = [replace(X, column=f"c{place}") for place in range(5)]
    counted = Counted(dict.fromkeys(measures, 4))
    drawings = Drawings(measures=counted, figures=published(*measures))
    one = ((4,), 400)
    found = [drawings.before(measure, CONTINUED) for measure in measures]
    many = Missing(reason="more than 2 intervals continue one stream")
    assert found == [(), (one,), (one, one), many, many]


def test_what_cannot_be_drawn_says_under_which_recipe() -> None:
    drawings = Drawings(measures=Counted({X: 3}), figures=())
    assert drawings.draw(X, RESTARTED) == Missing(
        reason="percentile 95 %, 400 resamples, RandomState(20260902) gives no interval: undefined"
    )


def test_draws_and_jackknife_steps_are_counted() -> None:
    assert steps((((4, 5), 100), ((2,), 10))) == 9 * 109 + 2 * 12
    assert steps(()) == 0


def test_a_bundle_of_many_intervals_is_cut_off() -> None:
    measures = [replace(X, column=f"c{place}") for place in range(3)]
    counted = Counted(dict.fromkeys(measures, 4))
    drawings = Drawings(measures=counted, figures=(), left=2 * 4 * 404)
    found = [drawings.draw(measure, RESTARTED) for measure in measures]
    assert [isinstance(interval, Interval) for interval in found] == [True, True, False]
    assert found[2] == Missing(reason=TOO_MUCH)
    # What was drawn stays drawn.
    assert drawings.draw(measures[0], RESTARTED) is found[0]


def test_a_refused_interval_takes_nothing_from_those_after_it() -> None:
    counted = Counted({X: 20_001, Y: 4})
    drawings = Drawings(measures=counted, figures=(), left=4 * 404)
    refused = drawings.draw(X, BCA95)
    assert isinstance(refused, Missing)
    assert refused.reason.startswith(
        "BCa 95 %, 400 resamples, RandomState(20260902) gives no interval: BCa over 20001 units "
        "is refused"
    )
    assert isinstance(drawings.draw(Y, BCA95), Interval)


def test_draws_that_are_made_again_are_counted_too() -> None:
    measures = [replace(X, column=f"c{place}") for place in range(40)]
    counted = Counted(dict.fromkeys(measures, 4))
    figures = published(*measures)
    cost = 4 * 404

    def left(order: Sequence[Measure]) -> int:
        drawings = Drawings(measures=counted, figures=figures)
        for measure in order:
            assert isinstance(drawings.draw(measure, CONTINUED), Interval)
        return MOST_STEPS - drawings.left

    assert left(measures) == 40 * cost
    # Backwards, each interval has to pass over all those before it.
    assert left(measures[::-1]) == 40 * cost + 400 * 4 * sum(range(40))
