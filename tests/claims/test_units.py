"""Units behind numbers, and how they convert."""

from decimal import Decimal

import pytest

from verifier.claims.units import canonical, factor, unit_at


@pytest.mark.parametrize(
    ("written", "unit"),
    [
        ("%", "percent"),
        ("per cent", "percent"),
        (" per\ncent ", "percent"),
        ("Percent", "percent"),
        ("pp", "percentage-point"),
        ("percentage points", "percentage-point"),
        ("percentage-point", "percentage-point"),
        ("per cent points", "percentage-point"),
        ("%-points", "percentage-point"),
        ("nats", "nat"),
        ("NATS", "nat"),
        ("nats/token", "nat"),
        ("bits", "bit"),
        ("ms", "ms"),
        ("milliseconds", "ms"),
        ("µs", "us"),
        ("\u03bcs", "us"),
        ("Seconds", "s"),
        ("min", "min"),
        ("hours", "h"),
        ("KB", "kB"),
        ("bytes", "B"),
        ("MiB", "MiB"),
        ("tok/s", "token/s"),
        ("tokens per second", "token/s"),
        ("k", "K"),
        ("million", "M"),
        ("\u00d7", "x"),
        ("GB/s", "GB/s"),
        ("windows", ""),
        ("windows/s", ""),
        ("ms/s", ""),
        ("m", ""),
        ("g", ""),
        ("MS", ""),
        ("", ""),
    ],
)
def test_each_way_to_write_a_unit_has_one_name(written: str, unit: str) -> None:
    assert canonical(written) == unit


@pytest.mark.parametrize(
    ("text", "unit", "length"),
    [
        ("5%", "percent", 1),
        ("5 % of them", "percent", 2),
        ("5\n%", "percent", 2),
        ("5 %-points", "percentage-point", 9),
        ("5 per cent", "percent", 9),
        ("5 per cent points", "percentage-point", 16),
        ("5 percentage points", "percentage-point", 18),
        ("5 percentage", "", 0),
        ("5 tokens per second", "token/s", 18),
        ("5 tokens", "", 0),
        ("5 aggregate tokens/s", "", 0),
        ("5ms", "ms", 2),
        ("5 ms", "ms", 3),
        ("5   ms", "", 0),
        ("5K", "K", 1),
        ("5 K", "", 0),
        ("7B", "G", 1),
        ("7 B", "B", 2),
        ("16bit", "", 0),
        ("16 bit", "bit", 4),
        ("2nats", "", 0),
        ("5 windows", "", 0),
        ("5mswindow", "", 0),
        ("5ms2", "", 0),
        ("5", "", 0),
        ("5, ms", "", 0),
        ("5 \u00e9", "", 0),
        ("1.5x", "x", 1),
        ("5x faster", "x", 1),
        ("5 x.", "x", 2),
        ("5\u00d7", "x", 1),
        ("5x86", "", 0),
        ("5 x 4", "", 0),
        ("5 x H100", "", 0),
        ("5\u00d74", "", 0),
        ("5\u00d7 4", "", 0),
    ],
)
def test_the_unit_directly_behind_a_number_is_read(text: str, unit: str, length: int) -> None:
    end = 3 if text.startswith("1.5") else 2 if text.startswith("16") else 1
    assert unit_at(text, end) == (unit, end + length)


@pytest.mark.parametrize(
    ("unit_from", "unit_to", "expected"),
    [
        ("", "", "1"),
        ("percent", "", "0.01"),
        ("", "percent", "100"),
        ("percentage-point", "percent", "1"),
        ("", "percentage-point", "100"),
        ("x", "", "1"),
        ("K", "", "1000"),
        ("", "M", "0.000001"),
        ("G", "M", "1000"),
        ("s", "ms", "1000"),
        ("us", "ns", "1000"),
        ("h", "min", "60"),
        ("MiB", "B", "1048576"),
        ("MiB", "MB", "1.048576"),
        ("GB", "kB", "1000000"),
        ("token/s", "token/s", "1"),
        ("nat", "nat", "1"),
    ],
)
def test_units_of_one_kind_convert_exactly(unit_from: str, unit_to: str, expected: str) -> None:
    assert factor(unit_from, unit_to) == Decimal(expected)


@pytest.mark.parametrize(
    ("unit_from", "unit_to"),
    [
        ("ms", "MB"),
        ("", "ms"),
        ("nat", ""),
        ("token/s", "s"),
        ("furlong", ""),
        ("", "furlong"),
        ("%", ""),
    ],
)
def test_units_of_different_kinds_do_not_convert(unit_from: str, unit_to: str) -> None:
    assert factor(unit_from, unit_to) is None


def test_a_factor_without_an_end_is_rounded_to_fifty_digits() -> None:
    assert factor("s", "min") == Decimal("0.016666666666666666666666666666666666666666666666667")


def test_a_bit_is_the_natural_logarithm_of_two_nats() -> None:
    expected = Decimal("0.69314718055994530941723212145817656807550013436026")
    assert factor("bit", "nat") == expected


@pytest.mark.parametrize(
    ("text", "unit", "share"),
    [
        ("\u2030", "permille", "0.001"),
        ("per mille", "permille", "0.001"),
        ("bp", "basis-point", "0.0001"),
        ("basis points", "basis-point", "0.0001"),
        ("ppm", "ppm", "0.000001"),
    ],
)
def test_smaller_shares_than_percent_are_units(text: str, unit: str, share: str) -> None:
    assert canonical(text) == unit
    assert factor(unit, "") == Decimal(share)
    assert unit_at(f"35 {text} more", 2) == (unit, 3 + len(text))
