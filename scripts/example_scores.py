"""Made-up distributions and the row scores that truly follow from them.

Every step is exact or correctly rounded on any machine: random bits come from PCG64's raw output,
logits are multiples of 1/64, exponentials and logarithms are taken in ``decimal``, and sums are
``math.fsum``. A library's own ``exp`` may differ in the last bit between two processors, and the
shipped bundle must come out byte for byte everywhere.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import cache
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

_TICKS_PER_NAT = 64
_MOST_TICKS = 4096
_HIGHEST_BYTE_SUM = 8 * 255
_PRECISE = Context(prec=40)
# Less than this is what rounding leaves of a rest that is 0.
_NOTHING = Decimal("1e-12")
# The first row of a window stands for the prefill row, which a student misses by far more.
_PREFILL_DIVISOR = 2
_GENTLEST_DIVISOR = 8
_DIVISORS = 7

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Columns = Mapping[str, list[float]]
"""Values of all predicted rows of a window, by column."""

LISTED = 2
"""Of so many of the likeliest tokens a divergence is published, where as many are retained."""

_AVERAGED = ("kld", "nll", "top1_agreement", "actual_token_top1_hit", "student_entropy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Distributions:
    """Softmax of logits (rows, vocabulary), as probabilities and their logarithms in nats.

    ``ticks`` are the logits in units of 1/64 nat.
    """

    ticks: Integers
    p: Floats
    logp: Floats

    @property
    def raw(self) -> bytes:
        """The logits as a capture would store them: FP32, little-endian, row by row."""
        return (self.ticks / _TICKS_PER_NAT).astype("<f4").tobytes()

    @property
    def entropy(self) -> Floats:
        """Entropy of every row (rows,), in nats."""
        return -_row_sums(self.p * self.logp)

    @property
    def top1(self) -> Integers:
        """The most probable token of every row (rows,); the lowest id where two are equal."""
        best: Integers = np.argmax(self.ticks, axis=1)
        return best

    def realized(self, tokens: Integers) -> Floats:
        """Log probability (rows,) of the token that came, in nats."""
        return self.logp[np.arange(tokens.size), tokens]


def teacher(seed: int, window: int, rows: int, vocabulary: int) -> Distributions:
    """The teacher's distributions over one window."""
    return _softmax(_bell(seed, window, 0, shape=(rows, vocabulary)))


def student(seed: int, window: int, arm: int, taught: Distributions) -> Distributions:
    """A student: the teacher's logits with an error that differs by arm and window."""
    rows, vocabulary = taught.ticks.shape
    error = _bell(seed, window, 1 + arm, shape=(rows + 1, vocabulary))
    divisor = np.full(rows, _GENTLEST_DIVISOR + int(error[-1].sum()) % _DIVISORS)
    divisor[0] = _PREFILL_DIVISOR
    return _softmax(taught.ticks + error[:-1] // divisor[:, np.newaxis])


def tokens(seed: int, window: int, taught: Distributions) -> NDArray[np.int32]:
    """Input tokens (rows + 1,): each after the first is drawn from the teacher's row before it."""
    rows, vocabulary = taught.ticks.shape
    draws = _raw(seed, window, 1 << 16, count=rows + 1)
    found = [int(draws[0]) % vocabulary]
    for row, draw in enumerate(draws[1:].tolist()):
        level = (draw >> 11) / 2**53
        # Left to right on purpose: this sum has one order on every machine.
        reached = np.searchsorted(np.cumsum(taught.p[row]), level, side="right")
        found.append(min(int(reached), vocabulary - 1))
    return np.array(found, dtype="<i4")


def row_arrays(
    taught: Distributions, learned: Distributions, inputs: NDArray[np.int32], top_k: int
) -> Mapping[str, NDArray[Any]]:
    """Every array of a score file (docs/format.md, row arrays).

    Args:
        taught: the teacher's distributions (rows, vocabulary).
        learned: the student's.
        inputs: input tokens (rows + 1,).
        top_k: how many most probable tokens are kept; 0 keeps only what figures need.
    """
    came = inputs[1:].astype(np.int64)
    every = np.arange(came.size)
    arrays: dict[str, NDArray[Any]] = {
        "kld": _row_sums(taught.p * (taught.logp - learned.logp)),
        "teacher_top1": taught.top1.astype("<i4"),
        "student_top1": learned.top1.astype("<i4"),
        "student_logp_realized": learned.realized(came),
        "realized_token": inputs[1:],
    }
    if not top_k:
        return arrays
    arrays["teacher_entropy"] = taught.entropy
    arrays["student_entropy"] = learned.entropy
    arrays["teacher_top1_p"] = taught.p[every, taught.top1]
    arrays["student_top1_p"] = learned.p[every, learned.top1]
    arrays["teacher_logp_realized"] = taught.realized(came)
    for name, side in (("teacher", taught), ("student", learned)):
        ids = np.argsort(-side.ticks, axis=1, kind="stable")[:, :top_k]
        arrays[f"{name}_topk_ids"] = ids.astype("<i4")
        arrays[f"{name}_topk_logp"] = np.take_along_axis(side.logp, ids, axis=1)
    arrays["history"] = (every + 1).astype("<i4")
    stored = len(learned.raw) // came.size
    digests = [sha256(learned.raw[row * stored : (row + 1) * stored]).digest() for row in every]
    arrays["row_sha256"] = np.frombuffer(b"".join(digests), np.uint8).reshape(-1, 32)
    return arrays


def row_columns(arrays: Mapping[str, NDArray[Any]]) -> Columns:
    """What the figures speak of, row by row, as far as the arrays hold it."""
    columns = {
        "kld": arrays["kld"],
        "nll": -arrays["student_logp_realized"],
        "top1_agreement": arrays["student_top1"] == arrays["teacher_top1"],
        "actual_token_top1_hit": arrays["student_top1"] == arrays["realized_token"],
    }
    for name in ("student_entropy", "history"):
        if name in arrays:
            columns[name] = arrays[name]
    found = {name: [float(value) for value in column] for name, column in columns.items()}
    if "teacher_topk_ids" in arrays and arrays["teacher_topk_ids"].shape[1] >= LISTED:
        found[f"kl_top{LISTED}"] = [
            _listed_divergence(*(_list_of(arrays, side, row) for side in ("teacher", "student")))
            for row in range(len(found["kld"]))
        ]
    return found


def window_means(columns: Columns, excluded: int) -> dict[str, float]:
    """Means over the scored rows, by column of windows.json."""
    return {name: mean(columns[name][excluded:]) for name in _AVERAGED if name in columns}


def _list_of(arrays: Mapping[str, NDArray[Any]], side: str, row: int) -> dict[int, float]:
    ids, logps = (arrays[f"{side}_topk_{what}"][row][:LISTED] for what in ("ids", "logp"))
    return dict(zip(ids.tolist(), logps.tolist(), strict=True))


def _listed_divergence(taught: Mapping[int, float], learned: Mapping[int, float]) -> float:
    """KL divergence over the tokens that both lists hold, with everything else as one bucket."""
    terms = []
    rests = [Decimal(1), Decimal(1)]
    for token in taught.keys() & learned.keys():
        logs = [Decimal(side[token]) for side in (taught, learned)]
        shares = [log.exp(_PRECISE) for log in logs]
        terms.append(shares[0] * (logs[0] - logs[1]))
        rests = [rest - share for rest, share in zip(rests, shares, strict=True)]
    if min(rests) > _NOTHING:
        terms.append(rests[0] * (rests[0].ln(_PRECISE) - rests[1].ln(_PRECISE)))
    return math.fsum(map(float, terms))


def mean(values: Sequence[float]) -> float:
    """Exactly rounded sum over the number of values."""
    return math.fsum(values) / len(values)


def _raw(*key: int, count: int) -> NDArray[np.uint64]:
    return np.random.PCG64(list(key)).random_raw(count)


def _bell(*key: int, shape: tuple[int, int]) -> Integers:
    """Integers (shape) around 0 with standard deviation 209: sums of eight uniform bytes."""
    octets = _raw(*key, count=shape[0] * shape[1]).view(np.uint8).reshape(*shape, 8)
    sums: Integers = octets.sum(axis=2, dtype=np.int64)
    return sums - _HIGHEST_BYTE_SUM // 2


def _softmax(ticks: Integers) -> Distributions:
    below = ticks.max(axis=1, keepdims=True) - ticks
    weights = _weights()[below]
    totals = _row_sums(weights)
    logs = [float(Decimal(total).ln(_PRECISE)) for total in totals.tolist()]
    return Distributions(
        ticks=ticks,
        p=weights / totals[:, np.newaxis],
        logp=-below / _TICKS_PER_NAT - np.array(logs)[:, np.newaxis],
    )


@cache
def _weights() -> Floats:
    """exp(-k / 64) for k from 0, each the FP64 number nearest to it."""
    step = Decimal(1) / _TICKS_PER_NAT
    return np.array([float((-k * step).exp(_PRECISE)) for k in range(_MOST_TICKS)])


def _row_sums(values: Floats) -> Floats:
    return np.array([math.fsum(row) for row in values.tolist()])
