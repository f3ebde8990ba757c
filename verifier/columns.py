"""Columns of a row file that are derived from stored ones.

A column is what a measure speaks of (``nll``); the arrays of a score file are what was stored
(``student_logp_realized``). Each derivation is a function of equally long arrays (rows,).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.model.plugin import FloatArray

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowColumn:
    """Which stored arrays a column needs and how it is computed from them.

    ``derive`` maps arrays (rows,) to FP64 values (rows,) in ``unit``.
    """

    needs: tuple[str, ...]
    unit: str
    derive: Callable[[Arrays], FloatArray]


def _stored(name: str, unit: str) -> RowColumn:
    return RowColumn(
        needs=(name,), unit=unit, derive=lambda arrays: arrays[name].astype(np.float64, copy=False)
    )


def _nll(arrays: Arrays) -> FloatArray:
    return np.negative(arrays["student_logp_realized"], dtype=np.float64)


def _agreement(arrays: Arrays) -> FloatArray:
    return np.equal(arrays["student_top1"], arrays["teacher_top1"]).astype(np.float64)


def _hit(arrays: Arrays) -> FloatArray:
    return np.equal(arrays["student_top1"], arrays["realized_token"]).astype(np.float64)


ROW_COLUMNS: Mapping[str, RowColumn] = MappingProxyType(
    {
        "kld": _stored("kld", "nats"),
        "teacher_entropy": _stored("teacher_entropy", "nats"),
        "student_entropy": _stored("student_entropy", "nats"),
        "nll": RowColumn(needs=("student_logp_realized",), unit="nats", derive=_nll),
        "top1_agreement": RowColumn(
            needs=("student_top1", "teacher_top1"), unit="fraction", derive=_agreement
        ),
        "actual_token_top1_hit": RowColumn(
            needs=("student_top1", "realized_token"), unit="fraction", derive=_hit
        ),
    }
)
