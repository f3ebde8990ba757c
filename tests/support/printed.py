"""Printed numbers for tests, made from the text that a document would hold."""

from decimal import Decimal
from typing import Any

from verifier.model.claim import Binding, Found, Numeral, Pointer

RAISED = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"

_PLAIN = str.maketrans(
    {
        **dict.fromkeys(",'\u2009\u202f\u00a0", ""),
        **dict(zip(RAISED, "0123456789", strict=True)),
        "\u2212": "-",
        "\u207b": "-",
        "\u207a": "+",
    }
)


def numeral(text: str, **changes: Any) -> Numeral:
    """The number that a text such as ``-1,234.50`` or ``1.2 x 10^-5`` prints."""
    plain = text.translate(_PLAIN).replace("\u00d7", "x").replace(" ", "")
    literal = plain.replace("x10^", "e").replace("x10", "e")
    value = Decimal(literal)
    exponent = value.as_tuple().exponent
    attributes: dict[str, Any] = {
        "block": 0,
        "start": 0,
        "end": len(text),
        "text": text,
        "literal": literal,
        "value": value,
        "place": exponent if isinstance(exponent, int) else 0,
        "group": 0,
    }
    return Numeral(**(attributes | changes))


def found(value: str | float | Decimal, **changes: Any) -> Found:
    """What a source gave: a literal, or the exact value of an FP64 number."""
    return Found(value=Decimal(value), **changes)


def binding(**changes: Any) -> Binding:
    """A binding to some data."""
    attributes: dict[str, Any] = {
        "id": "claim",
        "document": "",
        "at": None,
        "sources": (Pointer(file="data.json", pointer="/value"),),
        "location": "claims.json#/claims/0",
    }
    return Binding(**(attributes | changes))
