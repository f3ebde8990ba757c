"""What a reader, a check, a statistic and a renderer have to offer."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from verifier.model.basis import Level
from verifier.model.bundle import Arm, Bundle
from verifier.model.comparison import Fact
from verifier.model.figure import Measure
from verifier.model.files import Store
from verifier.model.policy import Policy
from verifier.model.report import Report

FloatArray = NDArray[np.float64]


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
    """Per-row arrays of one bundle, loaded one window at a time and never cached."""

    def columns(self, path: str) -> tuple[Column, ...]:
        """Headers of every array in a score file; one Column with a problem if unreadable."""
        ...

    def load(self, path: str, names: Iterable[str]) -> Mapping[str, NDArray[Any]]:
        """Read-only arrays by name; names that are absent or unusable are left out."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Units:
    """What a measure reduces: one FP64 value per window, and the evidence it came from."""

    values: FloatArray
    level: Level


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """What a measure gives."""

    number: float
    level: Level


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Why a measure cannot be evaluated, and what would be needed."""

    reason: str


class Measures(Protocol):
    """Evaluates measures over one bundle and its reference (``verifier/measures.py``)."""

    def units(self, measure: Measure) -> Units | Missing:
        """The vector that the measure's statistic and its interval work on."""
        ...

    def value(self, measure: Measure) -> Value | Missing:
        """The measure's number."""
        ...

    def window_values(self, arm: Arm, column: str) -> Mapping[str, float] | Missing:
        """Means over the scored rows recomputed from the row arrays, by window id."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What a check is given: the bundle, the policy, the rows and, when named, the reference."""

    bundle: Bundle
    policy: Policy
    rows: Rows
    measures: Measures
    reference: Bundle | None = None


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
    """

    id: str
    title: str
    applies: Callable[[Case], str]
    run: Callable[[Case], Iterable[Fact]]
    explain: Callable[[Case, str], str] | None = None
    reads_records: bool = True


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
class Statistic:
    """One reduction: a vector of units (n,) in, a number out.

    Attributes:
        id: the module's name with hyphens.
        title: one line.
        estimate: FP64 vector to number; raises ValueError on an empty vector.
    """

    id: str
    title: str
    estimate: Callable[[FloatArray], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Renderer:
    """One output format: a sequence of (path, report) in, text out."""

    id: str
    title: str
    render: Callable[[Report], str]
