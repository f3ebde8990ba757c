"""The rows that count are the rows that the protocol says count, in every window of every arm.

Compared, for each window: scored rows with predicted rows less the excluded ones; excluded rows
with the range of rows (no row twice); predicted and excluded rows with the protocol, where it
declares them; all of these with the first arm that has the window; published window means with what
a KL divergence can be (finite, and not below -1e-9: rounding may take a zero a little below zero);
and, where one row is excluded, the prefill identity

    including_prefill = (scored_rows * kld + prefill) / predicted_rows;

and, where row arrays are retained too, the published prefill value with that row of the array.

Basis: RECOMPUTED for the number of scored rows and for the prefill row, SPEC for the rest.

Why it matters: the prefill row is not a decode row, and its KL divergence is a hundred times a
typical one. Counting it in one arm and not in the other moves a mean by more than most differences
that anybody publishes.

A mismatch in the identity means that the mean was taken over other rows than the record says. A
mismatch in the counts means that a row was masked or un-masked, or that the record's protocol is
not the one that was run.
"""

import math
from collections.abc import Iterable, Iterator

from verifier.checks._spec_rules import rows_text, rule
from verifier.model.basis import Basis
from verifier.model.bundle import Bundle, Protocol, WindowScore
from verifier.model.comparison import Aggregate, Comparison, Fact, Gap, Value
from verifier.model.plugin import Case, Check

_LOWEST_KLD = -1e-9


def _applies(case: Case) -> str:
    if any(arm.windows for arm in case.bundle.arms):
        return ""
    return "no arm has windows"


def _run(case: Case) -> Iterable[Fact]:
    protocol = case.bundle.protocol
    for arm in case.bundle.arms:
        for window in arm.windows:
            yield from _counts(window, protocol)
            yield from _values(window)
            yield from _prefill(window)
            yield from _prefill_row(case, window)
    yield from _across_arms(case.bundle)


def _counts(window: WindowScore, protocol: Protocol) -> Iterator[Fact]:
    yield rule(
        location=window.location,
        holds=window.predicted_rows > 0,
        demand="at least one predicted row",
        actual=window.predicted_rows,
        message="A window without rows measures nothing.",
    )
    if protocol.predicted_rows is not None:
        yield _as_declared(window, protocol.predicted_rows, window.predicted_rows, "predicted rows")
    if protocol.excluded is not None and window.excluded is not None:
        expected, actual = rows_text(protocol.excluded), rows_text(window.excluded)
        yield _as_declared(window, expected, actual, "excluded rows")
    excluded = protocol.excluded_in(window)
    if excluded is None:
        if window.scored_rows is not None:
            yield Gap(
                location=window.location,
                reason="neither the window nor the protocol says which rows are excluded",
                concern="not-recomputable",
            )
        return
    yield rule(
        location=window.location,
        holds=len(set(excluded)) == len(excluded)
        and all(0 <= row < window.predicted_rows for row in excluded),
        demand=f"different rows from 0 to {window.predicted_rows - 1}",
        actual=rows_text(excluded),
        message="The mask excludes a row twice or a row that does not exist.",
    )
    if window.scored_rows is not None:
        yield Comparison(
            location=window.location,
            expected=window.scored_rows,
            actual=window.predicted_rows - len(set(excluded)),
            basis=Basis.RECOMPUTED,
            how=f"{window.predicted_rows} predicted rows less the excluded rows "
            f"({rows_text(excluded)})",
            message="The number of scored rows does not follow from the mask.",
        )


def _as_declared(window: WindowScore, expected: Value, actual: Value, what: str) -> Comparison:
    return Comparison(
        location=window.location,
        expected=expected,
        actual=actual,
        basis=Basis.SPEC,
        message=f"The window has other {what} than the protocol declares.",
    )


def _values(window: WindowScore) -> Iterator[Fact]:
    divergences = {"including_prefill": window.including_prefill, "prefill": window.prefill}
    named = [(f"values/{column}", column, value) for column, value in window.values.items()]
    named += [(name, "kld", value) for name, value in divergences.items() if value is not None]
    for name, column, value in named:
        lowest = _LOWEST_KLD if column == "kld" else -math.inf
        finite = math.isfinite(value)
        yield rule(
            location=f"{window.location}/{name}",
            holds=finite and value >= lowest,
            demand="a finite number" if column != "kld" else "a finite number, not below -1e-9",
            # Not a number equals nothing, itself included, and no JSON report can hold it.
            actual=value if finite else str(value),
            message="No mean over scored rows has this value.",
        )


def _prefill(window: WindowScore) -> Iterator[Fact]:
    kld, scored = window.values.get("kld"), window.scored_rows
    including, prefill = window.including_prefill, window.prefill
    if kld is None or including is None or prefill is None:
        return
    if scored is None or window.predicted_rows - scored != 1:
        yield Gap(
            location=window.location,
            reason="the prefill identity needs exactly one row that is predicted and not scored",
            concern="not-recomputable",
        )
        return
    if all(math.isfinite(value) for value in (kld, including, prefill)) and scored >= 0:
        yield Comparison(
            location=f"{window.location}/including_prefill",
            expected=including,
            actual=(scored * kld + prefill) / window.predicted_rows,
            basis=Basis.RECOMPUTED,
            rule=Aggregate(),
            how=f"({scored} x mean over scored rows + prefill row) / {window.predicted_rows}",
            message="The two means and the prefill row do not belong to the same rows.",
        )


def _prefill_row(case: Case, window: WindowScore) -> Iterator[Fact]:
    """The published value of the excluded row against the array; score-arrays judges its form."""
    excluded = case.bundle.protocol.excluded_in(window)
    if window.prefill is None or window.rows_path is None or not excluded or len(excluded) > 1:
        return
    kld = case.rows.load(window.rows_path, ("kld",)).get("kld")
    if kld is None or kld.shape != (window.predicted_rows,):
        return
    if not 0 <= excluded[0] < kld.size:
        return
    yield Comparison(
        location=f"{window.location}/prefill",
        expected=window.prefill,
        actual=float(kld[excluded[0]]),
        basis=Basis.RECOMPUTED,
        rule=Aggregate(),
        how=f"row {excluded[0]} of {window.rows_path}",
        message="The row arrays give the excluded row another value.",
    )


def _across_arms(bundle: Bundle) -> Iterator[Fact]:
    first: dict[str, WindowScore] = {}
    for arm in bundle.arms:
        for window in arm.windows:
            earlier = first.setdefault(window.window, window)
            if earlier is not window:
                yield from _same_rows(earlier, window, bundle.protocol)


def _same_rows(earlier: WindowScore, window: WindowScore, protocol: Protocol) -> Iterator[Fact]:
    masks = [protocol.excluded_in(entry) for entry in (earlier, window)]
    texts = [None if mask is None else rows_text(mask) for mask in masks]
    stated: tuple[tuple[str, Value, Value], ...] = (
        ("predicted", earlier.predicted_rows, window.predicted_rows),
        ("scored", earlier.scored_rows, window.scored_rows),
        ("excluded", texts[0], texts[1]),
    )
    for what, expected, actual in stated:
        if expected is not None and actual is not None:
            yield Comparison(
                location=window.location,
                expected=expected,
                actual=actual,
                basis=Basis.SPEC,
                message=f"{earlier.location} has other {what} rows for the same window.",
            )


CHECK = Check(
    id="row-masks",
    title="Scored, predicted and excluded rows agree in every window and arm",
    applies=_applies,
    run=_run,
)
