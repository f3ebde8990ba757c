"""Dates and times: the numbers in them measure nothing."""

import re

from verifier.claims._context import Lead
from verifier.claims._digits import Printed

_MONTH = (
    r"Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?"
)
_MONTH_WORD = re.compile(rf"(?:{_MONTH})[.,]?")
_MONTH_NEXT = re.compile(rf"(?:st|nd|rd|th)?(?:\s{{1,3}}of)?[\s-]{{1,3}}(?:{_MONTH})\b")
_NUMERIC = re.compile(
    r"(?:(?:19|20)[0-9]{2}([-/])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12][0-9]|3[01])(?![0-9])"
    r"(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?"
    r"(?:Z|[+-][0-9]{2}:?[0-9]{2})?(?![0-9]))?"
    r"|[0-9]{1,2}([-/])[0-9]{1,2}\2(?:19|20)[0-9]{2}(?![0-9])"
    r"|(?:[01]?[0-9]|2[0-4]):[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]{1,9})?)?(?![0-9:]))"
)
_JOINTS = frozenset("-/:")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
# 2046 to 2048 are counts of rows and tokens far more often than years.
_YEAR_ALONE = re.compile(r"19[0-9]{2}|20[0-3][0-9]")
_YEAR_WORDS = frozenset(
    {"in", "of", "since", "until", "before", "after", "during", "year", "early", "late", "©", "(c)"}
)
_NOUN_NEXT = re.compile(
    r"\s(?!(?:and|or|but|to|the|we|a|is|was|were|are|with|by|as|on|it|at)\b)[a-z]"
)
_DAYS = 31
_DAY_DIGITS = 2
_DAY_GAPS = frozenset({"-", "\u2013", " - ", " \u2013 ", " to ", " and ", "/"})
_YEAR_GAPS = frozenset({", ", " ", ","})


def date_end(text: str, number: Printed) -> int:
    """One past a date or time in digits that begins at a number, 0 if none does."""
    if not number.whole or text[number.end : number.end + 1] not in _JOINTS:
        return 0
    match = _NUMERIC.match(text, number.first)
    return match.end() if match else 0


def is_date_part(text: str, number: Printed, lead: Lead, before: Printed | None) -> bool:
    """Whether a number is a day or year of a date in words, or a year alone.

    Args:
        text: text of the block.
        number: the number.
        lead: what stands before it.
        before: the number before it, if that is part of a date.
    """
    if not number.whole or number.start != number.first:
        return False
    digits = number.literal
    year = _YEAR.fullmatch(digits) is not None
    day = len(digits) <= _DAY_DIGITS and 0 < int(digits) <= _DAYS
    if number.stop != number.end:
        # "the 1990s" are no seconds.
        return year and number.unit == "s" and digits[-1] == "0" and text[number.end] == "s"
    if not (day or year):
        return False
    if _MONTH_WORD.fullmatch(lead.word) or _follows(text, number, before):
        return True
    if day:
        return _MONTH_NEXT.match(text, number.end) is not None
    said = lead.word.lower() in _YEAR_WORDS and lead.relation == "="
    return said and _is_near(digits) and not _NOUN_NEXT.match(text, number.end)


def _is_near(digits: str) -> bool:
    return _YEAR_ALONE.fullmatch(digits) is not None


def _follows(text: str, number: Printed, before: Printed | None) -> bool:
    """Whether a day or year goes on with the date before it."""
    if before is None:
        return False
    gap = text[before.stop : number.start].replace("\n", " ")
    near = _is_near(number.literal)
    return (gap in _YEAR_GAPS and near) or (
        gap in _DAY_GAPS and (near or len(number.literal) <= _DAY_DIGITS)
    )
