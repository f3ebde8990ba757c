"""The capture's own analysis: from the score files of a bundle to values, without the verifier.

``Rows`` answers what one column of one arm, or of two, is in each window; the functions below
reduce such values. Sums are exact (``math.fsum``), so that the order of addition never shows.
"""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from examples.tinylm import derived

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from examples.tinylm.files import Folder

F64: TypeAlias = npt.NDArray[np.float64]

_EXCLUDED: Final = 1
"""Rows at the start of a window that do not count: the prefill row."""


class Rows:
    """Every row of a bundle.

    Args:
        folder: Holds bundle.json, the score files and the tokens.
    """

    def __init__(self, folder: Folder) -> None:
        document = folder.read_json("bundle.json")
        self.recipes: Mapping[str, Mapping[str, Any]] = document["protocol"]["intervals"]
        self.groups: dict[str, dict[str, str]] = {
            window["id"]: window["groups"] for window in document["windows"]
        }
        self.tokens = {
            window: bytes(_npy(folder.read(f"inputs/{window}.tokens.npy")).tolist())
            for window in self.groups
        }
        self._stored = {
            (arm["name"], window): _npz(folder.read(f"arms/{arm['name']}/scores/{window}.npz"))
            for arm in document["arms"]
            for window in self.groups
        }
        self._derived: dict[tuple[Any, ...], F64] = {}

    def windows(self, **groups: str) -> list[str]:
        """Ids of the windows of these groups, in manifest order."""
        return [
            window
            for window, own in self.groups.items()
            if all(own[name] == value for name, value in groups.items())
        ]

    def short(self) -> list[str]:
        """The windows whose score files hold every array."""
        return [window for window, own in self.groups.items() if own["panel"] != "long"]

    def column(self, arms: str | tuple[str, str], column: str, window: str, **options: int) -> F64:
        """One column (scored rows,) of an arm, or of two for a column that compares them."""
        return self.everything(arms, column, window, **options)[_EXCLUDED:]

    def everything(
        self, arms: str | tuple[str, str], column: str, window: str, **options: int
    ) -> F64:
        """The same with the prefill row."""
        key = (arms, column, window, *sorted(options.items()))
        if key not in self._derived:
            names = (arms,) if isinstance(arms, str) else arms
            stored = [self._stored[name, window] for name in names]
            self._derived[key] = self._derive(column, stored, window, options)
        return self._derived[key]

    def pooled(
        self,
        arms: str | tuple[str, str],
        column: str,
        windows: Iterable[str] | None = None,
        **options: int,
    ) -> F64:
        """The scored rows of several windows, or of all, one after the other."""
        chosen = self.groups if windows is None else windows
        return np.concatenate([self.column(arms, column, name, **options) for name in chosen])

    def means(
        self,
        arms: str | tuple[str, str],
        column: str,
        windows: Iterable[str] | None = None,
        **options: int,
    ) -> F64:
        """The mean of each window."""
        chosen = self.groups if windows is None else windows
        return np.array([mean(self.column(arms, column, name, **options)) for name in chosen])

    def per_window(self, reduce: Callable[[F64], float], arm: str, column: str) -> F64:
        """Another reduction of each window."""
        return np.array([reduce(self.column(arm, column, name)) for name in self.groups])

    def _derive(
        self,
        column: str,
        stored: Sequence[Mapping[str, npt.NDArray[Any]]],
        window: str,
        options: Mapping[str, int],
    ) -> F64:
        first, last = stored[0], stored[-1]
        if column in first:
            return first[column].astype(np.float64)
        name = column.removesuffix("_between")
        if name in derived.TOPK:
            sides = ("teacher" if name == column else "student", "student")
            return derived.TOPK[name](first, last, sides, options.get("top_k"))
        plain: dict[str, Callable[[], Any]] = {
            "nll": lambda: -first["student_logp_realized"],
            "teacher_nll": lambda: -first["teacher_logp_realized"],
            "excess_nll": lambda: first["teacher_logp_realized"] - first["student_logp_realized"],
            "realized_p": lambda: [math.exp(log) for log in first["student_logp_realized"]],
            "kl_two_bucket": lambda: derived.two_bucket(first),
            "topk_entropy": lambda: derived.topk_entropy(first),
            "top1_agreement": lambda: first["student_top1"] == first["teacher_top1"],
            "actual_token_top1_hit": lambda: first["student_top1"] == first["realized_token"],
            "same_top1": lambda: first["student_top1"] == last["student_top1"],
            "top1_top2_swap": lambda: derived.swapped(first, last),
            "rows_identical": lambda: _same_bytes(first["row_sha256"], last["row_sha256"]),
            "copied": lambda: derived.copied(first, self.tokens[window], **options),
            "row": lambda: np.arange(len(first["kld"])),
        }
        return np.array(plain[column](), dtype=np.float64)


def mean(values: F64) -> float:
    """Exact sum over n."""
    total: float = math.fsum(values.tolist())
    return total / len(values)


def median(values: F64) -> float:
    """The middle value, or the mean of the middle two."""
    ordered: list[float] = sorted(values.tolist())
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2.0


def deviation(values: F64, ddof: int) -> float:
    """Standard deviation with ``n - ddof`` below."""
    middle = mean(values)
    squares = math.fsum((value - middle) ** 2 for value in values.tolist())
    return math.sqrt(squares / (len(values) - ddof))


def geometric_mean(values: F64) -> float:
    """Exponential of the mean logarithm."""
    return math.exp(math.fsum(map(math.log, values.tolist())) / len(values))


def top_share(values: F64, count: int) -> float:
    """Share of the total that the ``count`` largest values carry."""
    ordered = sorted(values.tolist(), reverse=True)
    return math.fsum(ordered[:count]) / math.fsum(ordered)


def ranked(values: F64, rank: int) -> int:
    """Place of the value of a rank from the top; of equal ones the first counts as larger."""
    return sorted(range(len(values)), key=lambda place: (-values[place], place))[rank - 1]


def part(values: F64, index: int, of: int) -> F64:
    """One of so many parts in order: row i of n lies in part ``floor(i of / n) + 1``."""
    chosen: F64 = values[np.arange(len(values)) * of // len(values) == index - 1]
    return chosen


def _same_bytes(ours: npt.NDArray[np.void], theirs: npt.NDArray[np.void]) -> list[bool]:
    return [one.tobytes() == other.tobytes() for one, other in zip(ours, theirs, strict=True)]


def _npz(data: bytes) -> dict[str, npt.NDArray[Any]]:
    with np.load(io.BytesIO(data), allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def _npy(data: bytes) -> npt.NDArray[Any]:
    array: npt.NDArray[Any] = np.load(io.BytesIO(data), allow_pickle=False)
    return array
