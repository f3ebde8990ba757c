"""What a reader, a check, a statistic and a renderer have to offer."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from verifier.model.basis import Level
from verifier.model.bundle import Arm, Bundle
from verifier.model.claim import Files, HeldDocument
from verifier.model.comparison import Fact
from verifier.model.figure import Figure
from verifier.model.files import Store
from verifier.model.measure import Measure
from verifier.model.policy import Policy
from verifier.model.recipe import Interval, Recipe
from verifier.model.report import Report

FloatArray = NDArray[np.float64]

Spent = tuple[tuple[tuple[int, ...], int], ...]
"""Draws from one stream in order: (sizes of the strata, resamples) of each interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """The header of one array of a score file, read without loading it.

    ``dtype`` is NumPy's string form with byte order (``<f8``, ``|b1``); ``problem`` says why the
    array cannot be used at all (pickled, truncated, ...), "" otherwise.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    problem: str = ""


class Rows(Protocol):
    """Per-row arrays of one bundle, loaded one window at a time; the last few are kept."""

    def columns(self, path: str) -> tuple[Column, ...]:
        """Headers of every array in a score file; one Column with a problem if unreadable."""
        ...

    def load(self, path: str, names: Iterable[str]) -> Mapping[str, NDArray[Any]]:
        """Read-only arrays by name; names that are absent or unusable are left out."""
        ...

    def tokens(self, path: str) -> NDArray[np.int64] | None:
        """The token stream (tokens,) of a ``.tokens.npy`` file; None if it is unusable."""
        ...

    def logits(self, path: str, *, vocabulary: int, dtype: str) -> Iterator[NDArray[Any]] | None:
        """Blocks (rows, vocabulary) of a raw file, a few megabytes each; None if unreadable.

        A raw file has no header: little-endian logits row by row, ``dtype`` being ``float64``,
        ``float32``, ``float16`` or ``bfloat16``. The iterator raises ValueError when the file does
        not end with a row.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Units:
    """What a measure's statistic reduces, and the evidence it came from.

    Attributes:
        vectors: FP64 vectors (n,), one for each operand that the statistic takes.
        counts: rows behind each unit (n,), one vector for each of ``vectors``, where windows weigh
            as their rows; empty for equal weights.
        windows: position of each unit's window (n,) in ``window_ids``, int64.
        window_ids: the selected windows, in the order of the first arm.
        strata: value of the stratum of each selected window; empty without strata.
        level: the shallowest evidence among what was used.
        from_rows: whether the units are rows, not windows.
        scale: magnitude of the numbers that the pairing subtracted, in the unit of the vectors; 0
            where nothing was subtracted. Rounding in a difference follows it.
    """

    vectors: tuple[FloatArray, ...]
    counts: tuple[FloatArray, ...] = ()
    windows: NDArray[np.int64]
    window_ids: tuple[str, ...]
    strata: tuple[str, ...] = ()
    level: Level
    from_rows: bool = False
    scale: float = 0.0

    @property
    def values(self) -> FloatArray:
        """The first vector: all there is for a statistic of one operand."""
        return self.vectors[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """What a measure gives.

    Attributes:
        number: in the unit of the measure.
        level: the shallowest evidence among what was used.
        n: number of units that the statistic reduced.
        scale: magnitude of the numbers that were subtracted on the way, in the unit of ``number``;
            0 where none were.
    """

    number: float
    level: Level
    n: int
    scale: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Why a measure cannot be evaluated, and what would be needed."""

    reason: str


class Measures(Protocol):
    """Evaluates measures over one bundle and its reference (``verifier/measures``)."""

    def units(self, measure: Measure) -> Units | Missing:
        """The vectors that the measure's statistic works on."""
        ...

    def interval(self, measure: Measure, recipe: Recipe, before: Spent = ()) -> Interval | Missing:
        """The measure's interval, after the draws of ``before`` were taken from the stream."""
        ...

    def spent(self, measure: Measure, recipe: Recipe) -> Spent | Missing:
        """What drawing this interval takes from the stream."""
        ...

    def value(self, measure: Measure) -> Value | Missing:
        """The measure's number."""
        ...

    def value_of(self, measure: Measure, units: Units) -> Value | Missing:
        """The number that the measure would give if these were its units."""
        ...

    def intervals_of(
        self, measure: Measure, recipes: Sequence[Recipe], units: Units, before: Spent = ()
    ) -> tuple[Interval | Missing, ...]:
        """The measure's interval under each recipe if these were its units.

        Recipes that draw alike share their replicates, so that many cost little more than one.
        """
        ...

    def window_values(self, arm: Arm, column: str) -> Mapping[str, float] | Missing:
        """Means over the scored rows recomputed from the row arrays, by window id."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What a check is given: the bundle, the policy, the rows and, when named, the reference.

    Attributes:
        bundle: what is audited.
        policy: the bar.
        rows: retained row arrays.
        measures: evaluates measures on them.
        reference: the bundle that figures across records refer to.
        documents: prose that the bundle lists, as read.
        files: of the bundle, for what its prose cites; None where it lists none.
        query: reads the JSON of a typed measure; raises UsageError.
    """

    bundle: Bundle
    policy: Policy
    rows: Rows
    measures: Measures
    reference: Bundle | None = None
    documents: tuple[HeldDocument, ...] = ()
    files: Files | None = None
    query: Callable[[str], tuple[Figure, ...]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One rule about a bundle.

    Attributes:
        id: the module's name with hyphens.
        title: one line for lists.
        applies: "" when there is something to compare, else the reason why there is not.
        run: yields comparisons and gaps; never judges, formats or catches.
        explain: after a mismatch in a figure: what would have given the published number.
        reads_records: false for checks that are useful even when a record breaks its schema.
        optional: whether having nothing to compare is no lack of evidence under any policy, since
            a bundle need not have what is compared.
    """

    id: str
    title: str
    applies: Callable[[Case], str]
    run: Callable[[Case], Iterable[Fact]]
    explain: Callable[[Case, str], str] | None = None
    reads_records: bool = True
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """One bundle format.

    Attributes:
        id: the module's name with hyphens.
        title: one line for lists.
        recognises: whether the store holds this format, from names alone or a small file's shape.
        read: the bundle; broken records come back as violations, not as exceptions.
    """

    id: str
    title: str
    recognises: Callable[[Store], bool]
    read: Callable[[Store, "Schemas"], Bundle]


class Schemas(Protocol):
    """The packaged JSON Schemas, by id such as ``comparison-1``."""

    def names(self) -> tuple[str, ...]:
        """Every schema id, sorted."""
        ...

    def get(self, name: str) -> Mapping[str, Any]:
        """One schema document."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterRule:
    """One parameter of a statistic.

    Attributes:
        name: keyword of ``Statistic.estimate``.
        title: what it means, with its unit.
        choices: permitted words, for a parameter that is a word.
        low: smallest permitted number.
        high: largest permitted number.
        whole: whether only whole numbers are permitted.
        default: used when a measure does not say; None where it has to.
    """

    name: str
    title: str
    choices: tuple[str, ...] = ()
    low: float = -math.inf
    high: float = math.inf
    whole: bool = False
    default: float | str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistic:
    """One reduction: vectors of units (n,) in, a number out.

    Attributes:
        id: the module's name with hyphens.
        title: one line.
        formula: in the field's notation, x for the units (x, y, z for several operands).
        unit: unit of the result, such as "as the column", "units" or "fraction".
        source: where the definition comes from.
        estimate: as many FP64 vectors (n,) as ``arms`` says, and the parameters as keywords, to a
            number; raises ValueError on what has none, an empty vector first of all.
        arms: how many operands it takes.
        parameters: what a measure has to say, or may.
        of_means: for a statistic that is a function of its operands' means: FP64 arrays of means
            (any shape, one per operand) to values of that shape. Only such a statistic has
            bootstrap intervals and pooled weights.
        scale: for a statistic that subtracts: the vectors to the magnitude of what it subtracts, in
            the unit of its result.
        exact: whether the result counts units, so that nothing rounds it, whatever the units are
            (``verifier.exactness``).
    """

    id: str
    title: str
    formula: str
    unit: str
    source: str
    estimate: Callable[..., float]
    arms: int = 1
    parameters: tuple[ParameterRule, ...] = ()
    of_means: Callable[..., FloatArray] | None = None
    scale: Callable[..., float] | None = None
    exact: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Renderer:
    """One output format: a sequence of (path, report) in, text out."""

    id: str
    title: str
    render: Callable[[Report], str]
