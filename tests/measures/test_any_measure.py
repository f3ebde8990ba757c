"""Whatever the schema permits and whatever the arrays hold: a number or a reason, never a crash."""

import math
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.measuring import BCA95, EXCLUDED, Study, study
from verifier import catalog
from verifier.columns.registry import ROW_COLUMNS
from verifier.formats._bundle_measures import read_measure
from verifier.formats._records import against_schema
from verifier.measures.evaluator import Evaluator
from verifier.model.measure import PAIRS, Measure
from verifier.model.plugin import Missing, Value
from verifier.model.recipe import QUANTILE_RULES, Clusters, Interval

ARMS = ("l1", "l2", "a", "l1", "l2", "a", "reference:a", "short", "odd", "missing")
COLUMNS = (*ROW_COLUMNS, "scored_rows", "predicted_rows", "latency", "unknown")
STATISTICS = ("mean",) * 8 + (*catalog.statistics(), "none", "unknown")
WITHIN = ("none", "mean", "median", "sum") * 4 + STATISTICS
PARAMETERS = {
    "quantile": {"probability": 0.5, "rule": "hazen"},
    "top-share": {"share": 0.05, "counting": "ceil"},
    "standard-deviation": {"ddof": 1},
    "largest": {"rank": 2},
    "count": {"above": 0.5},
}

RECIPES = (
    replace(BCA95, resamples=20),
    replace(BCA95, method="student-t"),
    replace(BCA95, method="basic", resamples=20, unit="row"),
    replace(BCA95, method="percentile", resamples=20, strata="domain"),
    replace(BCA95, method="percentile", resamples=20, unit="cluster", clusters=Clusters()),
)


@lru_cache(maxsize=1)
def odd_study() -> Study:
    """The made study with an arm of fewer windows and rows, and one with odd arrays."""
    made = study()
    short = {
        window: {name: array[:40] for name, array in arrays.items()}
        for window, arrays in list(made.arrays["a"].items())[:5]
    }
    odd = {window: dict(arrays) for window, arrays in made.arrays["a"].items()}
    kld = odd["c2-064k"]["kld"].copy()
    kld[[3, 7, 9]] = math.nan, math.inf, -1.0
    odd["c2-064k"]["kld"] = kld
    odd["p0-008k"]["student_topk_ids"] = odd["p0-008k"]["student_topk_ids"][:, :1]
    del odd["p1-008k"]["student_entropy"]
    values = {"a": {window: {"latency": 1.0} for window in made.domains}}
    arrays = {**{arm: made.arrays[arm] for arm in ("l1", "l2", "a")}, "short": short, "odd": odd}
    return replace(made, arrays=arrays, values=values)


@lru_cache(maxsize=1)
def evaluator() -> Evaluator:
    return odd_study().evaluator(reference=study())


def maybe(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Some of these fields."""
    return st.fixed_dictionaries({}, optional=fields)


bound = st.sampled_from([-1.0, 0.0, 0.01, 0.5, 1.0, 300.0, 1e308])
operand = st.sampled_from(ARMS) | st.lists(st.sampled_from(ARMS), min_size=2, max_size=3)
operands = st.lists(operand, min_size=1, max_size=3)
options = {
    "top_k": st.integers(1, 30),
    "ngram": st.integers(1, 20),
    "distance": st.sampled_from([0, 2048]),
}
condition = st.builds(
    lambda fixed, more, sides: {**fixed, **more, **sides},
    st.fixed_dictionaries({"column": st.sampled_from(COLUMNS), "above": bound}),
    maybe(below=bound, at_least=bound, at_most=bound, equals=bound, **options),
    st.just({})
    | maybe(arms=operands)
    | st.fixed_dictionaries(
        {"arms": st.lists(operand, min_size=2, max_size=2), "pair": st.sampled_from(PAIRS)}
    ),
)
row = st.integers(0, 60)
rows = maybe(
    mask=st.sampled_from(["scored", "all"]),
    **{"from": row, "to": row},
    part=st.fixed_dictionaries({"index": st.integers(1, 4), "of": st.integers(1, 4)}),
    where=st.lists(condition, min_size=1, max_size=2),
    trim=st.fixed_dictionaries(
        {
            "probability": st.sampled_from([0, 0.5, 1]),
            "rule": st.sampled_from(QUANTILE_RULES),
        }
    ),
    ranked=st.fixed_dictionaries(
        {"column": st.sampled_from(COLUMNS), "rank": st.integers(1, 400)},
        optional={"arms": operands, **options},
    ),
).filter(bool)
window = st.sampled_from([*study().domains, "missing"])
windows = (
    st.fixed_dictionaries(
        {"group": st.just("domain"), "value": st.sampled_from(["code", "prose", "verse"])}
    )
    | st.fixed_dictionaries({"ids": st.lists(window, min_size=1, max_size=3, unique=True)})
    | st.fixed_dictionaries({"first": st.integers(1, 9)})
    | st.fixed_dictionaries({"except": st.lists(window, min_size=1, max_size=3, unique=True)})
)


def _plain(
    statistic: str, fields: dict[str, Any], sides: dict[str, Any], *, parameters: bool
) -> dict[str, Any]:
    given = {"parameters": PARAMETERS[statistic]} if parameters and statistic in PARAMETERS else {}
    return {"statistic": statistic, **fields, **sides, **given}


arms = (
    st.fixed_dictionaries({"arm": st.sampled_from(ARMS)})
    | st.fixed_dictionaries({"arms": operands})
    | st.fixed_dictionaries({"arms": st.lists(operand, min_size=2, max_size=2)})
    | st.fixed_dictionaries(
        {"arms": st.lists(operand, min_size=2, max_size=2), "pair": st.sampled_from(PAIRS)}
    )
)
plain_measure = st.builds(
    _plain,
    st.sampled_from(STATISTICS),
    maybe(
        column=st.sampled_from(COLUMNS),
        within=st.sampled_from(WITHIN),
        by=st.sampled_from(["row", "window"]),
        rows=rows,
        windows=windows,
        scale=st.sampled_from(["exp", "percent"]),
        **options,
    ),
    arms,
    parameters=st.sampled_from([True, True, True, False]),
)
runs = st.fixed_dictionaries(
    {
        "statistic": st.sampled_from(["mean", "median"]),
        "arms": operands,
        "over": st.sampled_from(STATISTICS),
    }
)
panel = st.builds(
    lambda fixed, more: {**fixed, **more},
    st.fixed_dictionaries({"statistic": st.sampled_from(["size", "mean"])}),
    maybe(windows=windows, rows=rows, over=st.sampled_from(STATISTICS)),
)
measures = st.builds(
    lambda plain, weights, base: {**plain, **weights, **base},
    st.one_of(plain_measure, plain_measure, plain_measure, plain_measure, runs, panel),
    st.sampled_from(
        [
            *({} for _ in range(6)),
            {"weights": "pooled-rows"},
            {"weights": "equal-group"},
            {"weights": "equal-group", "stratum": "domain"},
            {"weights": "equal-group", "stratum": "tongue"},
        ]
    ),
    st.one_of(
        *(st.just({}) for _ in range(4)), st.fixed_dictionaries({"relative_to": plain_measure})
    ),
)


def answered(measure: Measure) -> None:
    found = evaluator().value(measure)
    if isinstance(found, Missing):
        assert found.reason
        assert "unpack" not in found.reason
        assert "broadcast" not in found.reason
        return
    # The common value of units that differ is none; everything else is a number.
    assert "common" in {measure.statistic, measure.over} or not math.isnan(found.number)
    assert found.n > 0
    for recipe in RECIPES:
        interval = evaluator().interval(measure, recipe)
        if isinstance(interval, Interval):
            assert interval.low <= interval.high
            assert interval.units > 1
        else:
            assert interval.reason


@settings(max_examples=600, deadline=None)
@given(measure=measures)
def test_every_measure_that_the_schema_permits_is_answered(measure: dict[str, Any]) -> None:
    figures = [{"id": "x", "published": 1, "measure": measure}]
    assert against_schema("figures.json", figures, "figures-1", catalog.SCHEMAS) == []
    answered(read_measure(measure))


KINDS = ("?", "u1", "i8", "u8", "f2", "f4", "f8", "S32", "V32", "U4", "M8[s]", "c16")


def _hostile(kind: str, shape: tuple[int, ...]) -> Any:
    """Every extreme value of a type."""
    size = math.prod(shape)
    if kind in {"f2", "f4", "f8"}:
        extremes = [math.nan, math.inf, -math.inf, 0.0, -0.0, float(np.finfo(kind).max)]
    elif kind in {"u1", "i8", "u8"}:
        bounds = np.iinfo(kind)
        extremes = [bounds.min, bounds.max, 0, 1]
    else:
        return np.zeros(size, dtype="u1").astype(kind if kind != "V32" else "S32").reshape(shape)
    return np.resize(np.array(extremes, dtype=kind), shape)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("column", ROW_COLUMNS)
def test_arrays_of_any_type_give_a_number_or_a_reason(column: str, kind: str) -> None:
    known = ROW_COLUMNS[column]
    arrays = {
        name: _hostile(kind, (8, 3) if "_topk_" in name else (8,)) for name in known.needs
    } or {"kld": np.zeros(8)}
    held = Study(
        arrays={"x": {"w0": arrays}, "y": {"w0": arrays}},
        domains={"w0": "code"},
        tokens={"w0": np.arange(9)},
    )
    arms = ("x", "y")[: known.arms]
    found = held.evaluator().value(
        Measure(statistic="mean", column=column, arms=arms, within="none")
    )
    if isinstance(found, Value):
        assert math.isfinite(found.number)
        assert found.n == 8 - len(EXCLUDED)
    else:
        assert found.reason
