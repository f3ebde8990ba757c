"""Units that stand behind numbers: one name for each, and how those of one kind convert."""

import re
from decimal import Context, Decimal
from functools import lru_cache
from itertools import chain

_ROUNDED = Context(prec=50)
_LN_2 = Decimal(2).ln(_ROUNDED)

# Canonical unit -> what it measures, how many of the basic unit it is, and other ways to write it.
# Names are matched as they stand, and in lower case when they have three letters or more.
_UNITS: dict[str, tuple[str, Decimal, tuple[str, ...]]] = {
    "": ("number", Decimal(1), ()),
    "percent": (
        "number",
        Decimal("0.01"),
        ("%", "per cent", "pct"),
    ),
    "percentage-point": (
        "number",
        Decimal("0.01"),
        (
            *("pp", "pps", "% point", "% points", "percentage point", "percentage points"),
            *("per cent point", "per cent points", "percent point", "percent points"),
        ),
    ),
    "permille": ("number", Decimal("1e-3"), ("\u2030", "per mille")),
    "basis-point": ("number", Decimal("1e-4"), ("bp", "bps", "basis points")),
    "ppm": ("number", Decimal("1e-6"), ()),
    "x": ("number", Decimal(1), ("\u00d7",)),
    "K": ("number", Decimal(10) ** 3, ("thousand",)),
    "M": ("number", Decimal(10) ** 6, ("million",)),
    "G": ("number", Decimal(10) ** 9, ("billion",)),
    "T": ("number", Decimal(10) ** 12, ("trillion",)),
    "ns": ("time", Decimal("1e-9"), ("nanosecond", "nanoseconds")),
    "us": ("time", Decimal("1e-6"), ("µs", "μs", "microsecond", "microseconds")),
    "ms": ("time", Decimal("1e-3"), ("msec", "millisecond", "milliseconds")),
    "s": ("time", Decimal(1), ("sec", "secs", "second", "seconds")),
    "min": ("time", Decimal(60), ("mins", "minute", "minutes")),
    "h": ("time", Decimal(3600), ("hr", "hrs", "hour", "hours")),
    "B": ("bytes", Decimal(1), ("byte", "bytes")),
    "kB": ("bytes", Decimal(10) ** 3, ("KB", "kilobyte", "kilobytes")),
    "MB": ("bytes", Decimal(10) ** 6, ("megabyte", "megabytes")),
    "GB": ("bytes", Decimal(10) ** 9, ("gigabyte", "gigabytes")),
    "TB": ("bytes", Decimal(10) ** 12, ("terabyte", "terabytes")),
    "KiB": ("bytes", Decimal(1024), ("kibibyte", "kibibytes")),
    "MiB": ("bytes", Decimal(1024) ** 2, ("mebibyte", "mebibytes")),
    "GiB": ("bytes", Decimal(1024) ** 3, ("gibibyte", "gibibytes")),
    "TiB": ("bytes", Decimal(1024) ** 4, ("tebibyte", "tebibytes")),
    "MB/s": ("bandwidth", Decimal(10) ** 6, ()),
    "GB/s": ("bandwidth", Decimal(10) ** 9, ()),
    "GiB/s": ("bandwidth", Decimal(1024) ** 3, ()),
    "token/s": (
        "speed",
        Decimal(1),
        (
            *("tok/s", "toks/s", "tokens/s", "tok/sec", "tokens/sec", "token/sec"),
            *("tokens/second", "tok per second", "token per second", "tokens per second"),
        ),
    ),
    "nat": ("information", Decimal(1), ("nats",)),
    "bit": ("information", _LN_2, ("bits",)),
    "W": ("power", Decimal(1), ("watt", "watts")),
    "kW": ("power", Decimal(10) ** 3, ("kilowatt", "kilowatts")),
    "MHz": ("frequency", Decimal(10) ** 6, ()),
    "GHz": ("frequency", Decimal(10) ** 9, ()),
}
_NAMES = {
    name: unit
    for unit, (_, _, others) in _UNITS.items()
    for name in chain((unit.replace("-", " "),), others)
    if name
}
_CASELESS = 3
"""Letters of a unit from which on their case does not matter: "MS" might be anything."""

# "k" is no other unit in lower case, but "m" and "g" would be.
_NAMES |= {"k": "K"}
_SMALL = {
    name.lower(): unit
    for name, unit in _NAMES.items()
    if len(name) >= _CASELESS or name in {"pp", "%"}
}

# Behind digits without a blank: "7B" are billions, while "16bit" is the name of a type.
_GLUED = _NAMES | {"B": "G"}
_NEVER_GLUED = frozenset({"bit", "nat", "thousand"})
_NEVER_APART = frozenset({"K", "k", "M", "G", "T"})

ENDINGS = frozenset(".,;:)]|/-")
"""Characters that no unit begins with, though they often stand behind numbers."""

_UNIT = re.compile(
    r"(\s{0,2})"
    r"(?:(%(?:[\s-]{1,2}points?(?!\w))?|\u00d7|\u2030)"
    r"|(per\s{1,3}cent(?:[\s-]{1,2}points?)?|percent(?:age)?(?:[\s-]{1,2}points?)?"
    r"|per\s{1,3}mille|basis\s{1,2}points?|tok(?:en)?s?+\s{1,2}per\s{1,2}second"
    r"|[A-Za-zµμ]{1,16}+(?:/[A-Za-z]{1,12}+)?)(?!\w))"
)
_TIMES_NEXT = re.compile(r"\s?[0-9A-Z]")


def canonical(text: str) -> str:
    """The canonical name of a unit, "" when the text is none that is known.

    Args:
        text: the whole unit, such as ``tokens per second``, ``%`` or ``KB``; surrounding blanks do
            not count. What a number is of (``windows``) is no unit. A unit per thing counted
            (``nats/token``) is that unit.
    """
    return _named(" ".join(text.replace("-", " ").split()), _NAMES)


def unit_at(text: str, end: int) -> tuple[str, int]:
    """The unit behind a number.

    Args:
        text: text of a block.
        end: one past the last character of the number.

    Returns:
        Its canonical name and one past its last character; ``("", end)`` when none stands there.
    """
    if end >= len(text) or text[end] in ENDINGS:
        return "", end
    match = _UNIT.match(text, end)
    if match is None:
        return "", end
    blank, symbol, word = match.groups()
    written = symbol or word
    stop = match.end()
    if written in {"x", "X", "\u00d7"}:
        # "3 x 4" multiplies and "2 x H100" counts; "1.5x FP8" compares.
        following = text[stop : stop + 1]
        if following.isdigit() or ((blank or symbol) and _TIMES_NEXT.match(text, stop)):
            return "", end
        return "x", stop
    name = " ".join(written.replace("-", " ").split())
    if blank:
        unit = "" if name in _NEVER_APART else _named(name, _NAMES)
    else:
        unit = _named(name, _GLUED)
        unit = "" if unit in _NEVER_GLUED else unit
    return (unit, stop) if unit else ("", end)


@lru_cache(maxsize=1024)
def factor(unit_from: str, unit_to: str) -> Decimal | None:
    """What a value in one canonical unit is to be multiplied by to be in another.

    Multipliers (``K``), shares (``percent``, ``percentage-point``) and ratios (``x``) convert to
    and from plain numbers, whose unit is "". A plain number does not convert to ms or bytes.

    Returns:
        The exact factor where it has at most 50 digits, else one rounded to 50 digits (1/60, and
        ln 2 from bits to nats); None where the units do not convert or one is unknown.
    """
    known_from, known_to = _UNITS.get(unit_from), _UNITS.get(unit_to)
    if known_from is None or known_to is None or known_from[0] != known_to[0]:
        return None
    return _ROUNDED.divide(known_from[1], known_to[1])


def _named(name: str, names: dict[str, str]) -> str:
    unit = names.get(name) or _SMALL.get(name.lower(), "")
    if unit or "/" not in name:
        return unit
    # A unit per thing that is counted; per second it would be another unit.
    head, _, per = name.partition("/")
    return "" if per.lower() in {"s", "sec", "second", "min", "h"} else names.get(head, "")
