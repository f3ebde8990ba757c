"""Words that say what a number is: the same bag for a label, a sentence, a path and an id.

An author writes "Mean KL divergence", a record ``mean_true_decode_kld``, a figure ``fp8/kld/mean``.
All three come apart into plain words, and words that mean the same become one.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_LONGEST = 64
"""Characters of a longer run are no word that somebody would repeat: a digest, a line of digits."""

# Alternatives in one pass; every repeat is bounded or cannot overlap the next one.
_TOKEN = re.compile(
    r"""
    (?<![\w.]) (?P<level>[0-9]{1,3}(?:\.[0-9]{1,4})?) (?:st|nd|rd|th)? [ -]? (?:%[ ]?)?
        (?:percentile|quantile)s? \b
    | \b (?:quantile|percentile) [ ] \( probability [ ] (?P<share>0?\.[0-9]{1,6}) \b
    | \b top [ -] (?P<top>[0-9]{1,4}) \b
    | \b (?P<likelihood> negative [ -] log [ -] likelihood ) s? \b
    | \b per [ ] (?P<cent>cent) \b
    | (?P<word> \w+ (?: [-.+'] \w+ )* )
    | (?P<sign> [%Δ−] )
    """,  # noqa: RUF001 - a U+2212 minus between two names is the word "minus"
    re.VERBOSE | re.IGNORECASE,
)
# A point between digits belongs to the number: 1.16 is one word, windows.json two.
_BETWEEN = re.compile(r"[-_+']|\.(?![0-9])|(?<![0-9])\.|(?<=[a-z]{2})(?=[A-Z])")
_DIGITS_BEHIND = re.compile(r"([^\W\d_]{3,})([0-9]{2,})")
_QUANTILE = re.compile(r"[pq][0-9]{2,3}(?:\.[0-9]{1,4})?")

STOP_WORDS = frozenset(
    {
        "a",
        "all",
        "also",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "been",
        "between",
        "both",
        "but",
        "by",
    }
    | {"can", "e", "e.g", "each", "every", "for", "four", "from", "g", "had", "has", "have", "here"}
    | {"i", "i.e", "in", "into", "is", "it", "its", "no", "not", "of", "on", "one", "only", "or"}
    | {"our", "over", "per", "s", "so", "than", "that", "the", "their", "them", "then", "there"}
    | {"these", "they", "this", "those", "three", "to", "two", "was", "we", "were", "what", "when"}
    | {"where", "which", "while", "with", "within"}
)

_SAME: dict[str, tuple[str, ...]] = {
    "average": ("mean",),
    "averaged": ("mean",),
    "avg": ("mean",),
    "ci": ("interval",),
    "confidence": ("interval",),
    "delta": ("difference",),
    "diff": ("difference",),
    "divergence": ("kld",),
    "higher": ("high",),
    "upper": ("high",),
    "kl": ("kld",),
    "kullback": ("kld",),
    "leibler": ("kld",),
    "lower": ("low",),
    "max": ("maximum",),
    "maxima": ("maximum",),
    "med": ("median",),
    "min": ("minimum",),
    "minima": ("minimum",),
    "minus": ("difference",),
    "pct": ("percent",),
    "percentage": ("percent",),
    "percentile": ("quantile",),
    "ppl": ("perplexity",),
    "predicted": ("prediction",),
    "predictions": ("prediction",),
    "proportion": ("fraction",),
    "sd": ("standard", "deviation"),
    "se": ("standard", "error"),
    "sem": ("standard", "error"),
    "share": ("fraction",),
    "std": ("standard", "deviation"),
    "stddev": ("standard", "deviation"),
    "%": ("percent",),
    "Δ": ("difference",),
    "−": ("difference",),  # noqa: RUF001 - as in the pattern
}
_JOINS = frozenset({"minus", "vs", "versus", "against", "−"})  # noqa: RUF001 - as above
_PERCENT = frozenset({"percent"})
_SPELLED = {"cent": _PERCENT, "likelihood": frozenset({"nll"})}
_NO_PLURAL = ("ss", "us", "is", "as")
_SHORTEST_PLURAL = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """One stretch of a text and the words it stands for.

    Attributes:
        start: first character in the text.
        end: one past the last.
        words: the whole in lower case and its parts: ``kv-nvfp4``, ``kv`` and ``nvfp4``.
    """

    start: int
    end: int
    words: frozenset[str]


def words(text: str) -> frozenset[str]:
    """The words of a label, a path or a sentence, in one spelling and without stop words.

    "Mean KL divergence, kv-nvfp4" gives mean, kld, kv-nvfp4, kv and nvfp4. Two names around
    "minus" or "against" give their ordered pair too, since a - b is not b - a.
    """
    found: set[str] = set()
    for mention in mentions(text):
        found |= mention.words
    return frozenset(found)


def mentions(text: str) -> Iterator[Mention]:
    """The words of a text with their places, in order."""
    before = joined = ""
    for match in _TOKEN.finditer(text):
        token = match[0].lower()
        found = _read(match)
        if token in _JOINS:
            joined = before
        elif token not in STOP_WORDS and len(token) <= _LONGEST:
            if joined:
                found = found | {f"{joined}-{token}"}
            before, joined = token, ""
        if found == _PERCENT and _follows_digit(text, match.start()):
            # "95 % interval" speaks of a level, "share in %" of a percentage.
            continue
        if found:
            yield Mention(start=match.start(), end=match.end(), words=found)


def _follows_digit(text: str, start: int) -> bool:
    blank = start > 0 and text[start - 1].isspace()
    return text[max(start - 1 - blank, 0) : start].strip().isdigit()


def _read(match: re.Match[str]) -> frozenset[str]:
    kind = match.lastgroup
    if kind == "level":
        return frozenset({f"p{match['level']}", "quantile"})
    if kind == "share":
        return frozenset({_level(match["share"].partition(".")[2]), "quantile"})
    if kind == "top":
        return frozenset({f"top{match['top']}"})
    if kind in _SPELLED:
        return _SPELLED[kind]
    return _of_token(match[0]) if len(match[0]) <= _LONGEST else frozenset()


def _level(decimals: str) -> str:
    """``p99.9`` for the decimals of 0.999; as text, whatever binary fractions say."""
    digits = decimals.ljust(2, "0")
    whole, rest = digits[:2].lstrip("0") or "0", digits[2:].rstrip("0")
    return f"p{whole}.{rest}" if rest else f"p{whole}"


@lru_cache(maxsize=16384)
def _of_token(token: str) -> frozenset[str]:
    parts = [part for part in _BETWEEN.split(token) if part]
    # Names are written with either sign: true-decode and true_decode.
    whole = token.lower().replace("_", "-").strip("-")
    found = {whole} if len(parts) > 1 else set()
    for part in parts:
        found.update(_canonical(part.lower()))
    return frozenset(found)


def _canonical(word: str) -> Iterator[str]:
    if word in STOP_WORDS:
        return
    if word in _SAME:
        yield from _SAME[word]
        return
    yield _singular(word)
    if split := _DIGITS_BEHIND.fullmatch(word):
        yield from _canonical(split[1])
        yield split[2]
    elif _QUANTILE.fullmatch(word):
        yield "quantile"


def _singular(word: str) -> str:
    if len(word) < _SHORTEST_PLURAL or not word.endswith("s") or word.endswith(_NO_PLURAL):
        return word
    return f"{word[:-3]}y" if word.endswith("ies") else word[:-1]
