"""A second implementation of the published intervals with the standard library alone.

It shares no code and no library with ``verifier.numerics``: the generator is CPython's own MT19937
with NumPy's legacy seeding, and the sums are written out in Python. Where both agree, neither NumPy
nor an oversight of ours decides an end point.
"""

import math
import random
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

_WORDS = 624
_UNROLLED = 8
_PAIRWISE_BLOCK = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class BcaResult:
    """End points and the replicates (B,) they are quantiles of."""

    low: float
    high: float
    replicates: list[float]


def legacy_indices(seed: int, n: int, count: int) -> list[int]:
    """The first ``count`` draws of ``RandomState(seed).randint(0, n)``, for n >= 2."""
    mask = (1 << (n - 1).bit_length()) - 1
    indices: list[int] = []
    for word in _legacy_words(seed, count):
        draw = word & mask
        if draw < n:
            indices.append(draw)
            if len(indices) == count:
                break
    return indices


def pairwise_sum(numbers: Sequence[float]) -> float:
    """The sum in the order of NumPy's contiguous reductions."""
    n = len(numbers)
    if n < _UNROLLED:
        total = 0.0
        for number in numbers:
            total += number
        return total
    if n > _PAIRWISE_BLOCK:
        half = n // 2
        half -= half % _UNROLLED
        return pairwise_sum(numbers[:half]) + pairwise_sum(numbers[half:])
    whole = n - n % _UNROLLED
    r = list(numbers[:_UNROLLED])
    for start in range(_UNROLLED, whole, _UNROLLED):
        r = [a + b for a, b in zip(r, numbers[start : start + _UNROLLED], strict=True)]
    total = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
    for number in numbers[whole:]:
        total += number
    return total


def bca(values: Sequence[float], *, resamples: int, seed: int, level: float) -> BcaResult:
    """Mid-rank BCa interval of the mean of values that are not all equal."""
    n = len(values)
    indices = legacy_indices(seed, n, n * resamples)
    replicates = [
        pairwise_sum([values[i] for i in indices[start : start + n]]) / n
        for start in range(0, n * resamples, n)
    ]
    estimate = pairwise_sum(values) / n
    below = sum(replicate < estimate for replicate in replicates)
    up_to = sum(replicate <= estimate for replicate in replicates)
    normal = NormalDist()
    z0 = normal.inv_cdf((below + up_to) / (2 * resamples))
    a = _acceleration(values)
    z = normal.inv_cdf((1 - level) / 2)
    ordered = sorted(replicates)
    low, high = (
        _quantile(ordered, 0.5 * math.erfc(-(z0 + (z0 + s) / (1 - a * (z0 + s))) / math.sqrt(2)))
        for s in (z, -z)
    )
    return BcaResult(low=low, high=high, replicates=replicates)


def _legacy_words(seed: int, count: int) -> Iterator[int]:
    """Endless 32-bit words of MT19937 seeded by the legacy recurrence."""
    state = [seed & 0xFFFFFFFF]
    for i in range(1, _WORDS):
        last = state[-1]
        state.append((1812433253 * (last ^ (last >> 30)) + i) & 0xFFFFFFFF)
    generator = random.Random()  # noqa: S311 - a published stream, not a secret
    generator.setstate((3, (*state, _WORDS), None))
    while True:
        # Python joins the words of one request with the first in the lowest bits.
        yield from array("I", generator.getrandbits(32 * count).to_bytes(4 * count, "little"))


def _acceleration(values: Sequence[float]) -> float:
    n = len(values)
    left_out = [pairwise_sum([*values[:i], *values[i + 1 :]]) / (n - 1) for i in range(n)]
    centre = pairwise_sum(left_out) / n
    influence = [(n - 1) * (centre - mean) for mean in left_out]
    cubes = pairwise_sum([u**3 for u in influence]) / float(n) ** 3
    squares = pairwise_sum([u**2 for u in influence]) / float(n) ** 2
    return 1 / 6 * cubes / math.pow(squares, 1.5)


def _quantile(ordered: Sequence[float], probability: float) -> float:
    position = probability * len(ordered) + (1 - probability)
    lower = math.floor(position)
    weight = position - lower
    upper = min(lower + 1, len(ordered))
    return (1 - weight) * ordered[lower - 1] + weight * ordered[upper - 1]
