"""The words before a number: bounds, approximations, and the word that names it."""

from typing import NamedTuple

from verifier.model.claim import Relation

_REACH = 40
"""Characters before a number that are looked at; the longest phrase has 24."""

_SYMBOLS: dict[str, Relation] = {
    "<": "<",
    ">": ">",
    "<=": "<=",
    "=<": "<=",
    ">=": ">=",
    "≤": "<=",
    "⩽": "<=",
    "≦": "<=",
    "≥": ">=",
    "⩾": ">=",
    "≧": ">=",
}
_SYMBOL_CHARACTERS = frozenset("<>=≤≥⩽⩾≦≧")
_NEARLY = frozenset("~\u2248\u223c\u2243\u2245")
_LEADING = frozenset().union(_SYMBOL_CHARACTERS, _NEARLY)
_APPROXIMATE = frozenset(
    {"about", "around", "roughly", "approximately", "circa", "ca.", "approx.", "approx"}
)
_COMPARISON = 2
"""Words in "more than"."""
_COMPARED: dict[str, tuple[Relation, Relation, Relation]] = {
    **dict.fromkeys(("more", "greater", "larger", "higher"), (">", ">=", "<=")),
    **dict.fromkeys(("less", "fewer", "smaller", "lower"), ("<", "<=", ">=")),
}
"""Bounds of "more than", "more than or equal to" and "no more than"."""
_PAIRS: dict[tuple[str, str], Relation] = {
    ("at", "most"): "<=",
    ("at", "least"): ">=",
    ("up", "to"): "<=",
}
_POSITIONS: dict[str, Relation] = {"under": "<", "below": "<", "over": ">", "above": ">"}
_DENIED: dict[Relation, Relation] = {"<": ">=", ">": "<="}
"""Bounds of "never below" and "does not rise above"."""
_DENIALS = frozenset({"never", "not", "no", "none", "nowhere", "neither", "nor", "cannot"})
# "The mean over 64 windows" and "Over 64 windows, the mean" are no bounds, "took over 64 ms" is.
_BEFORE_OVER = frozenset(
    {"is", "are", "was", "were", "be", "been", "by", "with", "of", "for", "in", "at", "to", "from"}
    | {"took", "takes", "take", "lasts", "lasted", "has", "have", "had", "and", "or", "but"}
    | {"well", "just", "slightly", "always", "never", "still", "that", "remains", "remained"}
    | {"stays", "stayed", "uses", "used", "needs", "needed", "runs", "reaches", "reached"}
)
_AVERAGED = frozenset(
    {"averaged", "average", "averages", "mean", "means", "median", "sum", "summed", "total"}
    | {"computed", "measured", "taken", "spread"}
)
_OPENING = "([{\"'\u201c\u2018*"


class Lead(NamedTuple):
    """What stands before a number.

    Attributes:
        relation: how it bounds what it speaks of.
        approximate: whether it is said to be approximate.
        word: the word before it and before bounds, as written but for opening marks; "" if the
            number is glued to something or begins the text.
    """

    relation: Relation = "="
    approximate: bool = False
    word: str = ""


FREE = Lead()
"""Nothing that says anything of the number."""


def lead(text: str, start: int, *, quotes: bool, measured: bool = False) -> Lead:
    """What stands directly before a number.

    Args:
        text: text of a block.
        start: first character of the number.
        quotes: whether ``> `` at the start of a line quotes another text, as in plain text.
        measured: whether the number has a unit or a point, so that it counts nothing: "over 5 %"
            is a bound wherever it stands.
    """
    if not start:
        return FREE
    last = text[start - 1]
    if not last.isspace() and last not in _LEADING:
        return FREE
    before = text[max(0, start - _REACH) : start]
    stripped, relation, approximate = _signs(before, quotes=quotes)
    words = [word.lstrip(_OPENING) for word in stripped.split()]
    if words and words[-1].lower() in _APPROXIMATE:
        approximate = True
        words.pop()
    if relation == "=" and words:
        relation, used = _bound(words[-5:], measured=measured)
        del words[len(words) - used :]
    word = words[-1] if words else ""
    return Lead(relation, approximate, word)


def _signs(before: str, *, quotes: bool) -> tuple[str, Relation, bool]:
    """Take bounds and signs of approximation off the end of a text."""
    relation: Relation = "="
    approximate = False
    stripped = before.rstrip()
    while stripped and stripped[-1] in _LEADING:
        if stripped[-1] in _NEARLY:
            approximate = True
            stripped = stripped[:-1].rstrip()
            continue
        symbol = stripped[-2:] if stripped[-2:] in _SYMBOLS else stripped[-1]
        rest = stripped[: -len(symbol)]
        if symbol == ">" and (rest.endswith(("-", "=")) or (quotes and _begins_line(rest, before))):
            # An arrow, or a quotation.
            return "", "=", False
        relation = _SYMBOLS.get(symbol, relation)
        stripped = rest.rstrip()
    return stripped, relation, approximate


def _begins_line(rest: str, before: str) -> bool:
    # With no blank behind it, "> " would be a bound: ">5".
    line = rest.rstrip(" \t")
    return before[-1:].isspace() and (not line or line.endswith("\n"))


def _bound(written: list[str], *, measured: bool) -> tuple[Relation, int]:
    """The bound that some words end in, and how many words it takes."""
    words = [word.lower() for word in written]
    last = words[-1]
    if last in _POSITIONS:
        if not _is_bound(written, measured=measured):
            return "=", 0
        denied = any(word in _DENIALS or word.endswith("n't") for word in words[:-1])
        relation = _POSITIONS[last]
        return _DENIED[relation] if denied else relation, 1
    pair = _PAIRS.get((words[-2], last)) if len(words) > 1 else None
    return (pair, 2) if pair else _compared(words)


def _is_bound(written: list[str], *, measured: bool) -> bool:
    last = written[-1].lower()
    if last in {"below", "above"}:
        return True
    before = written[-2].lower() if len(written) > 1 else ""
    if measured:
        return before not in _AVERAGED
    return before in _BEFORE_OVER or (not before and written[-1] == last)


def _compared(words: list[str]) -> tuple[Relation, int]:
    """The bound of "more than", "no less than", "less than or equal to"."""
    equal = words[-3:] == ["or", "equal", "to"]
    used = 3 if equal else 0
    if equal:
        words = words[:-3]
    if len(words) < _COMPARISON or words[-1] != "than":
        return "=", 0
    negated = words[-3:-2] in (["no"], ["not"])
    relations = _COMPARED.get(words[-2])
    if relations is None:
        return "=", 0
    strict, loose, opposite = relations
    return (opposite if negated else loose if equal else strict), used + _COMPARISON + negated
