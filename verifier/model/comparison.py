"""Checks yield comparisons and gaps; they never judge them."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from verifier.model.basis import Basis, Level

Value = str | int | float | bool | None

Concern = Literal[
    "missing-member",
    "no-seal",
    "declared-only",
    "not-recomputable",
    "unknown-field",
    "reference-identity",
    "no-evidence",
]
"""Why something could be tolerated: the policy, not the check, says whether it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exact:
    """Equal values of the same type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregate:
    """A mean or another aggregate: exact, or within the policy's tolerance, or as printed.

    ``scale`` is the magnitude of numbers that were subtracted to get it, 0 where none were: a
    difference of near numbers is no more exact than they are.
    """

    scale: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class EndPoint:
    """An interval end point: exact, or within the tolerance, or as printed.

    Attributes:
        standard_error: bootstrap standard error of the interval, which scales the tolerance.
        degenerate: constant data; the end points must equal the constant.
    """

    standard_error: float
    degenerate: bool = False


Rule = Exact | Aggregate | EndPoint


class Comparison(NamedTuple):
    """Two values that should agree; a named tuple, because there are tens of thousands of them.

    Attributes:
        location: ``file#/json/pointer`` or a path: where a person has to look.
        expected: what was published, recorded, required or computed from the other side.
        actual: what was found or recomputed.
        basis: what the comparison rests on.
        rule: how close they have to be.
        message: what a mismatch means and what to do; shown only on a mismatch.
        figure: id of the figure this comparison answers for, "" otherwise.
        how: how ``actual`` was obtained, for example the interval recipe.
        level: the evidence ``actual`` was computed from, for figures.
        concern: why a mismatch might be tolerated, "" when it never is.
        subject: what a tolerance is asked for, for example the name of the missing file.
        n: number of units behind ``actual``, for figures.
    """

    location: str
    expected: Value
    actual: Value
    basis: Basis
    rule: Rule = Exact()
    message: str = ""
    figure: str = ""
    how: str = ""
    level: Level | None = None
    concern: Concern | Literal[""] = ""
    subject: str = ""
    n: int | None = None
    printed: str = ""
    """Printed digits of ``expected`` where they decide, "" otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Something that could not be compared, and what would be needed.

    A gap is never a pass: the policy turns it into a warning or a failure.
    """

    location: str
    reason: str
    concern: Concern
    figure: str = ""


Fact = Comparison | Gap
