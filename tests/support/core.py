"""Cases in memory for tests of the runner, the measures and the published-* checks."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier import audit, catalog
from verifier.measures.evaluator import Evaluator
from verifier.model.basis import Level
from verifier.model.bundle import Arm, Bundle, Record, Violation, Window, WindowScore
from verifier.model.figure import End, Figure, Kind
from verifier.model.measure import Measure
from verifier.model.number import Published
from verifier.model.plugin import Case, Check, Column, FloatArray, Rows
from verifier.model.policy import Policy
from verifier.model.recipe import Recipe
from verifier.model.report import Outcome, PolicyIdentity, Report, VerifierIdentity
from verifier.policy import REVIEW

FP8 = (
    0.031071639,
    0.027518472,
    0.042293817,
    0.019806341,
    0.031154928,
    0.050719863,
    0.025408217,
    0.038936254,
)
NVFP4 = (
    0.033027154,
    0.030118823,
    0.041519372,
    0.024933618,
    0.033641275,
    0.054218739,
    0.025109461,
    0.044702983,
)
"""Window scores (8,) in nats of two arms, in the order of the manifest."""

RECIPE = Recipe(method="bca", level=0.95, resamples=20_000, seed=20260902, stream="randomstate")

MEAN_FP8 = Measure(statistic="mean", arms=("fp8",))
DIFFERENCE = Measure(statistic="mean", arms=("fp8", "nvfp4"), pair="difference")
LOWER = Measure(statistic="count", arms=("fp8", "nvfp4"), pair="lower")

READABLE = Record(path="comparison.json", schema="published-comparison-1", published=True)
BROKEN = replace(
    READABLE,
    violations=(
        Violation(
            location="comparison.json#/arms", expected="an object", actual="[]", message="Mend it."
        ),
    ),
)

POLICY_IDENTITY = PolicyIdentity(name="review", sha256=64 * "a", allowed_missing=())
VERIFIER_IDENTITY = VerifierIdentity(name="verifier", version="0", sha256=64 * "b")


class MemoryRows:
    """The ``Rows`` protocol over arrays by path and name; ``loaded`` remembers each access."""

    def __init__(self, files: Mapping[str, Mapping[str, NDArray[Any]]] | None = None) -> None:
        self._files = files or {}
        self.loaded: list[str] = []

    def columns(self, path: str) -> tuple[Column, ...]:
        return tuple(
            Column(name=name, dtype=array.dtype.str, shape=array.shape)
            for name, array in self._files[path].items()
        )

    def load(self, path: str, names: Iterable[str]) -> Mapping[str, NDArray[Any]]:
        self.loaded.append(path)
        wanted = frozenset(names)
        return {name: array for name, array in self._files[path].items() if name in wanted}

    def tokens(self, path: str) -> NDArray[np.int64] | None:
        return self._files.get(path, {}).get("tokens")

    def logits(self, path: str, *, vocabulary: int, dtype: str) -> Iterator[NDArray[Any]] | None:
        array = self._files.get(path, {}).get("logits")
        assert array is None or array.shape[1:] == (vocabulary,), dtype
        return None if array is None else iter((array,))


def arm(
    name: str,
    values: Sequence[float],
    *,
    column: str = "kld",
    rows_path: bool = False,
    level: Level = Level.WINDOW_SCORES,
) -> Arm:
    """An arm with windows w0, w1...; even ones lie in domain ``code``, odd ones in ``law``."""
    location = f"comparison.json#/arms/{name}"
    return Arm(
        id=name,
        name=name,
        location=location,
        level=level,
        windows=tuple(
            WindowScore(
                window=f"w{index}",
                location=f"{location}/per_window/{index}",
                groups={"domain": "law" if index % 2 else "code"},
                predicted_rows=5,
                scored_rows=4,
                excluded=(0,),
                values={column: value},
                rows_path=f"{name}/w{index}.npz" if rows_path else None,
            )
            for index, value in enumerate(values)
        ),
    )


def figure(  # noqa: PLR0913 - one parameter per field that tests vary
    figure_id: str,
    text: str,
    measure: Measure | None,
    *,
    kind: Kind = "aggregate",
    end: End | None = None,
    interval: str = "",
    recipe: Recipe | None = None,
    hints: tuple[int, ...] = (),
) -> Figure:
    """A figure with the digits of ``text``; ``null`` is a published null."""
    null = Published(text="null", value=float("nan"))
    return Figure(
        id=figure_id,
        location=f"comparison.json#/{figure_id}",
        published=null if text == "null" else Published.parse(text),
        kind=kind,
        measure=measure,
        end=end,
        interval=interval,
        recipe=recipe,
        hints=hints,
        missing="" if measure else "the engine's startup log is not retained",
    )


def ends(  # noqa: PLR0913 - one parameter per field that tests vary
    interval: str,
    low: str,
    high: str,
    measure: Measure,
    *,
    recipe: Recipe | None = RECIPE,
    hints: tuple[int, ...] = (),
) -> tuple[Figure, Figure]:
    """The two end points ``<interval>/low`` and ``<interval>/high`` of one interval."""
    low_end, high_end = (
        figure(
            f"{interval}/{end}",
            text,
            measure,
            kind="interval",
            interval=interval,
            recipe=recipe,
            hints=hints,
        )
        for end, text in (("low", low), ("high", high))
    )
    return replace(low_end, end="low"), replace(high_end, end="high")


def bundle(
    *figures: Figure,
    arms: tuple[Arm, ...] | None = None,
    records: tuple[Record, ...] = (READABLE,),
) -> Bundle:
    """A published record with two arms of eight windows, unless told otherwise."""
    held = (arm("fp8", FP8), arm("nvfp4", NVFP4)) if arms is None else arms
    first = held[0].windows if held else ()
    return Bundle(
        format="published-record",
        id="study",
        title="A study",
        members={},
        records=records,
        arms=held,
        panel=tuple(
            Window(id=window.window, location=window.location, groups=window.groups)
            for window in first
        ),
        figures=figures,
    )


def case(
    looked_at: Bundle,
    *,
    policy: Policy = REVIEW,
    rows: Rows | None = None,
    reference: Bundle | None = None,
) -> Case:
    """A case with the catalogue's statistics."""
    held = rows or MemoryRows()
    return Case(
        bundle=looked_at,
        policy=policy,
        rows=held,
        measures=Evaluator(
            bundle=looked_at,
            rows=held,
            statistics=catalog.statistics(),
            reference=reference,
            reference_rows=MemoryRows() if reference else None,
        ),
        reference=reference,
    )


def audited(looked_at: Case, *checks: Check) -> Report:
    """The report of these checks alone."""
    return audit.run(
        looked_at,
        {check.id: check for check in checks},
        policy=POLICY_IDENTITY,
        verifier=VERIFIER_IDENTITY,
    )


def demanding(*check_ids: str, policy: Policy = REVIEW) -> Policy:
    """A policy that requires these checks and no other."""
    return replace(policy, required_checks=check_ids)


def outcome_of(report: Report, check_id: str) -> Outcome:
    """The one outcome of a check."""
    (found,) = (outcome for outcome in report.outcomes if outcome.check == check_id)
    return found


def statuses(report: Report) -> dict[str, str]:
    """Status by check id."""
    return {outcome.check: outcome.status for outcome in report.outcomes}


def failures(report: Report) -> list[tuple[str, str]]:
    """(check, location) of every failure, in report order."""
    return [
        (outcome.check, finding.location)
        for outcome in report.outcomes
        for finding in outcome.findings
        if finding.severity == "failure"
    ]


def figure_statuses(report: Report) -> dict[str, str]:
    """Status by figure id."""
    return {result.id: result.status for result in report.figures}


def array(*numbers: float) -> FloatArray:
    """An FP64 vector."""
    return np.array(numbers, dtype=np.float64)
