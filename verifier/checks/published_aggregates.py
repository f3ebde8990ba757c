"""Published means, quantiles, shares and other quantities equal what the retained scores give.

Compared: every published number that is no end of an interval and no number of things (means,
differences and ratios of arms, quantiles, spreads, shares, perplexities, percentages, over windows
or over rows) with the same measure evaluated on the deepest evidence retained; and, where row
arrays are retained, every per-window score with the mean of its scored rows.

Basis: RECOMPUTED. Sums are exactly rounded; a figure matches when it is equal, within the policy's
tolerance (1e-12 relative or 4 units in the last place by default), or when the recomputed value
rounds to the printed digits.

Why it matters: an aggregate that its own scores do not give was computed from something else: other
windows, other rows, another run, or nothing.

A mismatch means that the published number and the retained scores do not belong together. Compare
the location with the script that produced the record; look for an excluded row that was counted, a
dropped window, another quantile rule, a factor 100, or a table that was not regenerated. For the
first 20 mismatches the report names what else gives the published digits, if any of the usual
alternatives does.
"""

from collections.abc import Iterable, Iterator

from verifier.columns.registry import ROW_COLUMNS
from verifier.figures import recompute
from verifier.model.basis import Basis
from verifier.model.bundle import Arm
from verifier.model.comparison import Aggregate, Comparison, Fact, Gap
from verifier.model.plugin import Case, Check, Missing


def _applies(case: Case) -> str:
    if any(figure.kind == "aggregate" for figure in case.bundle.figures):
        return ""
    if any(_retains_rows(arm) for arm in case.bundle.arms):
        return ""
    return "the bundle publishes no aggregate"


def _run(case: Case) -> Iterable[Fact]:
    for figure in case.bundle.figures:
        if figure.kind == "aggregate":
            yield recompute(case, figure, Aggregate())
    for arm in case.bundle.arms:
        if _retains_rows(arm):
            yield from _window_scores(case, arm)


def _retains_rows(arm: Arm) -> bool:
    return any(window.rows_path is not None for window in arm.windows)


def _window_scores(case: Case, arm: Arm) -> Iterator[Fact]:
    columns = {column for window in arm.windows for column in window.values}
    for column in sorted(columns & ROW_COLUMNS.keys()):
        recomputed = case.measures.window_values(arm, column)
        if isinstance(recomputed, Missing):
            yield Gap(
                location=arm.location,
                reason=f"window scores {column!r} cannot be held against their rows: "
                f"{recomputed.reason}",
                concern="not-recomputable",
            )
            continue
        for window in arm.windows:
            if column in window.values and window.window in recomputed:
                yield Comparison(
                    location=f"{window.location}/values/{column}",
                    expected=window.values[column],
                    actual=recomputed[window.window],
                    basis=Basis.RECOMPUTED,
                    rule=Aggregate(),
                    message="The window score is not the mean of its scored rows.",
                )


def _explain(case: Case, figure_id: str) -> str:
    from verifier.explain.value import explain  # noqa: PLC0415 - only a mismatch needs its imports

    return explain(case, figure_id)


CHECK = Check(
    id="published-aggregates",
    title="Published aggregates equal what the retained scores give",
    applies=_applies,
    run=_run,
    explain=_explain,
)
