"""From the unit of a source to that of a printed number, and the ways in which that goes wrong."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from verifier.claims._rounding import EXACT, ZERO
from verifier.claims.units import canonical, factor

_PER_CENT = frozenset({"percent", "percentage-point"})
_MULTIPLES = frozenset({"K", "M", "G", "T"})
_KIN = (
    ("ns", "us", "ms", "s", "min", "h"),
    ("B", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB"),
    ("MB/s", "GB/s", "GiB/s"),
    ("nat", "bit"),
)
"""Units that are taken for one another; whatever their ratio is, ``factor`` knows it."""
_ONE = Decimal(1)
_POWERS = tuple(map(Decimal, (100, 1000, 1024, 1000**2, 1024**2)))
_DIGITS, _DIGITS_NEAR_ONE = 2, 3
_NEAR_ONE = (Decimal("0.9"), Decimal("1.1"))
_BINARY = {
    "K": Decimal(1000) / 1024,
    "M": Decimal(1000**2) / 1024**2,
    "G": Decimal(1000**3) / 1024**3,
}
"""What K, M and G shrink by when they count 1024s: 128K for 131,072. All of them are exact."""
_UNPRINTED = {
    Decimal(100): ", percent without a unit",
    Decimal("1e-3"): ", thousands without a unit",
    Decimal("1e-6"): ", millions without a unit",
}

# A factor such as 1/60 or ln 2 is rounded; this is how far 28 digits or more may lie off.
_ROUNDED_FACTOR = Decimal("1e-26")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """How a value of a source becomes one in the unit of the printed number.

    Attributes:
        unit: what the number is in, be it printed or not; "" for nothing.
        factor: to multiply the value by; None where it is in that unit already.
        error: how far the factor may lie off, relative to it; 0 for an exact one.
    """

    unit: str
    factor: Decimal | None = None
    error: Decimal = ZERO


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """A unit mix-up.

    Attributes:
        factor: from the right value to the one that the mix-up gives.
        name: what happened, as a clause.
    """

    factor: Decimal
    name: str

    @property
    def digits(self) -> int:
        """Significant digits from which on a number hardly fits the mix-up by chance.

        A factor near 1, such as MB for MiB, looks like one wrong digit in a short number.
        """
        return _DIGITS_NEAR_ONE if _NEAR_ONE[0] < self.factor < _NEAR_ONE[1] else _DIGITS


@lru_cache(maxsize=1024)
def conversion(source: str, printed: str, *, stated: bool) -> Conversion | None:
    """From the unit of a source to that of a number, None where they do not convert.

    Args:
        source: unit of the source's value, "" when it says none.
        printed: canonical unit of the number, "" when none stands there.
        stated: whether the binding states the source's unit; a number without a unit is then in
            that one. Where only one of the two has a unit, and it is no multiple of plain numbers,
            both are taken to be in it.
    """
    source = canonical(source) or source
    if source == printed or (stated and not printed):
        return Conversion(unit=source)
    there = _ratio(source, printed)
    if there is None:
        return None if source and printed else Conversion(unit=printed or source)
    back = _ratio(printed, source)
    exact = back is not None and EXACT.multiply(there, back) == _ONE
    return Conversion(unit=printed, factor=there, error=ZERO if exact else _ROUNDED_FACTOR)


def _ratio(source: str, printed: str) -> Decimal | None:
    """The factor between two units; a multiple such as K goes with things of every unit."""
    direct = factor(source, printed)
    if direct is not None or not source or not printed:
        return direct
    if printed in _MULTIPLES or factor(source, source) is None:
        return factor("", printed)
    return factor(source, "") if source in _MULTIPLES else None


@lru_cache(maxsize=1024)
def mistakes(unit: str, *, converted: bool) -> tuple[Mistake, ...]:
    """The mix-ups that a number can come from, the likeliest first, no factor twice.

    Args:
        unit: what the number is in, "" for nothing.
        converted: whether the source is in another unit.
    """
    known: dict[Decimal, Mistake] = {}
    for mistake in _mistakes(unit, converted=converted):
        known.setdefault(mistake.factor, mistake)
    return tuple(known.values())


def _mistakes(unit: str, *, converted: bool) -> Iterator[Mistake]:
    yield Mistake(factor=Decimal(-1), name="the sign is flipped")
    plain = factor(unit, "") if unit and converted else None
    if plain is not None:
        what = "a fraction" if unit in _PER_CENT else "the source's value"
        name = f"{_off(plain)}, {what} printed as {unit} (if it is, the binding has to say so)"
        yield Mistake(factor=plain, name=name)
    if unit in _PER_CENT:
        hundredth = Decimal("0.01")
        yield Mistake(factor=hundredth, name=f"{_off(hundredth)}, a fraction printed as percent")
    yield from _kin(unit)
    if unit in _BINARY:
        yield Mistake(factor=_BINARY[unit], name=f"{unit} counts in steps of 1024 there")
    for ratio in _POWERS:
        small = EXACT.divide(_ONE, ratio)
        for size in (ratio, small):
            meant = "" if unit else _UNPRINTED.get(size, "")
            yield Mistake(factor=size, name=_off(size) + meant)


def _off(ratio: Decimal) -> str:
    """The size of a mix-up, the larger of two numbers over the smaller."""
    size = ratio if ratio >= 1 else EXACT.divide(_ONE, ratio)
    return f"the number is off by a factor of {size:f}"


def _kin(unit: str) -> Iterator[Mistake]:
    """The value in the other units of the kind."""
    for group in _KIN:
        if unit not in group:
            continue
        for other in group:
            ratio = factor(unit, other)
            if other != unit and ratio is not None:
                yield Mistake(factor=ratio, name=f"the number is the value in {other}")
