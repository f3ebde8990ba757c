"""Judging a digest, commit id or file name against the one that its source gives."""

import re
from decimal import Decimal

from verifier.claims import _wording as wording
from verifier.model.claim import Found, Verdict

_SUPPORTED = Verdict(status="SUPPORTED")
_HEX = re.compile(r"[0-9a-fA-F]{7,}")
_FULL = re.compile(
    r"(?:[^\s@]{1,512}@)?(?:[a-z0-9]{1,16}:)?(?P<digits>[0-9a-fA-F]{40}|[0-9a-fA-F]{64})"
)
_LITERAL = re.compile(r"[0-9]{1,64}(?:[eE][0-9]{1,16})?")


def judge_identity(text: str, found: Found) -> Verdict:
    """Judge a digest, a commit id or a file name that a document prints.

    Hexadecimal digits count whatever their case, and may be the first ones, at least 7, of a
    commit id or digest that the source gives in full. A file name may be the end of the source's
    path, as in ``comparison.json`` for ``r1/comparison.json``, or have more folders than it.

    Args:
        text: digits without a prefix such as ``sha256:``, or the file name.
        found: what the source gave; before digits may stand ``sha256:`` and a name, as in
            ``repository/image@sha256:...``.

    Returns:
        SUPPORTED, or CONTRADICTED with the right one in the length and case of the text.
    """
    given = found.value
    if isinstance(given, Decimal):
        # Seven hex digits can all be decimal; a data file then holds a number.
        return _SUPPORTED if _same_number(text, given) else _differs(str(given), "")
    full = _FULL.fullmatch(given)
    digits = full["digits"] if full else given
    if _HEX.fullmatch(text) and _HEX.fullmatch(digits):
        known = digits.upper() if text.isupper() else digits.lower()
        long_enough = known[: len(text)] if full else known
        same = long_enough.lower() == text.lower()
        return _SUPPORTED if same else _differs(given, long_enough)
    return _SUPPORTED if _same_file(text, given) else _differs(given, given)


def _differs(given: str, expected: str) -> Verdict:
    reason = f"The source gives {wording.clipped(given)}."
    return Verdict(status="CONTRADICTED", expected=expected, reason=reason)


def _same_number(text: str, given: Decimal) -> bool:
    return bool(_LITERAL.fullmatch(text)) and Decimal(text) == given


def _same_file(text: str, given: str) -> bool:
    """Whether one path is the other or its last parts."""
    return bool(text) and (
        text == given or given.endswith(f"/{text}") or text.endswith(f"/{given}")
    )
