"""Numbers that point at something: sections, tables, issues, list items, versions."""

import re

from verifier.claims._context import Lead
from verifier.claims._digits import Printed
from verifier.model.document import Block

_DIVISIONS = frozenset(
    {"section", "sec", "chapter", "appendix", "table", "tab", "figure", "fig", "equation", "eq"}
    | {
        "sections",
        "secs",
        "chapters",
        "appendices",
        "tables",
        "tabs",
        "figures",
        "figs",
        "equations",
    }
    | {"eqs", "step", "steps", "\u00a7", "\u00a7\u00a7"}
)
"""What a number with a point can number: section 5.2."""
_THINGS = _DIVISIONS | (
    {"stage", "stages", "issue", "issues", "pr", "prs", "request", "requests", "mr", "mrs"}
    | {"footnote", "footnotes", "page", "pages", "line", "lines", "item", "items"}
    | {"adr", "adrs", "rfc", "rfcs", "pep", "iso"}
)
_ABBREVIATIONS = frozenset({"sec.", "tab.", "fig.", "eq.", "secs.", "figs.", "eqs."})
_LONGEST = 5
"""Characters; "the published figure 0.03546" speaks of a number."""

# "Sections 5, 6 and 7", but in "see section 5, 26 windows" the list ends.
_TIGHT = frozenset({"-", "\u2013", " to ", "/"})
_LOOSE = frozenset({" and ", " or ", " & ", ", ", ", and ", ","})
_CHAIN = _TIGHT | _LOOSE

_PRODUCTS = frozenset(
    {"version", "versions", "ver", "python", "cuda", "cudnn", "pytorch", "torch", "numpy", "scipy"}
    | {"vllm", "sglang", "triton", "nccl", "transformers", "flashinfer", "docker", "driver"}
    | {"linux", "ubuntu", "debian", "kernel", "node", "gcc", "clang"}
)
_SMALLEST_PLACE = -3
"""Place of the last digit in versions of two parts."""
_SECTION_NUMBER = re.compile(r"\s*([0-9]{1,2}(?:\.[0-9]{1,2}){0,4})([.)]?)\s+(\S)")
_ITEM_END = re.compile(r"[.)](?:\s|$)")
_LONGEST_ITEM = 3
_INDENT = 12


def is_version(text: str, number: Printed, lead: Lead, before: Printed | None) -> bool:
    """Whether a number is a version or a part of one.

    Args:
        text: text of the block.
        number: the number.
        lead: what stands before it.
        before: the number before it, if that is a version.
    """
    first, end = number.first, number.end
    dots = text[first - 1 : first] == "." and text[first - 2 : first - 1].isdigit()
    if dots or (text[end : end + 1] == "." and text[end + 1 : end + 2].isdigit()):
        return True
    if text[first - 1 : first] in {"v", "V"} and not text[max(0, first - 2) : first - 1].isalnum():
        return True
    if number.stop != end or number.start != first:
        return False
    pointed = "." in number.literal and "e" not in number.literal
    if lead.word.lower() in _PRODUCTS:
        return number.place >= _SMALLEST_PLACE and (number.whole or pointed)
    return before is not None and pointed and _gap(text, before, number) in _CHAIN


def thing_before(lead: Lead) -> str:
    """The kind of thing that the word before a number names ("sections"), "" for other words."""
    word = lead.word.lower()
    word = word.removesuffix(".") if word in _ABBREVIATIONS else word
    return word if word in _THINGS and lead.relation == "=" and not lead.approximate else ""


def is_reference(
    text: str, number: Printed, thing: str, before: tuple[Printed, str] | None
) -> bool:
    """Whether a number says which section, table, issue or the like is meant.

    Args:
        text: text of the block.
        number: the number.
        thing: what the word before it names, as ``thing_before`` says.
        before: the number before it and what that numbers, if it is a reference.
    """
    if number.stop != number.end or number.start != number.first or len(number.literal) > _LONGEST:
        return False
    if _is_marked(text, number):
        return True
    if thing:
        divided = "." in number.literal and thing in _DIVISIONS and number.literal[0] != "0"
        return number.whole or divided
    if before is None or not (number.whole or "." in before[0].literal):
        return False
    gap = _gap(text, before[0], number)
    return gap in _TIGHT or (gap in _LOOSE and before[1].endswith("s"))


def _gap(text: str, before: Printed, number: Printed) -> str:
    return text[before.stop : number.start].replace("\n", " ")


def _is_marked(text: str, number: Printed) -> bool:
    """Whether a number stands as ``#123``, ``[3]`` or ``[^3]``."""
    before = text[number.first - 1 : number.first]
    if before == "\u00a7" or (before == "#" and number.whole):
        return True
    closed = (
        number.whole
        and text[number.end : number.end + 1] == "]"
        and len(number.literal) <= _LONGEST_ITEM
    )
    return closed and (before == "[" or text[number.first - 2 : number.first] == "[^")


def section_end(block: Block) -> int:
    """One past the section number that a heading begins with, 0 without one."""
    if block.kind != "heading":
        return 0
    match = _SECTION_NUMBER.match(block.text)
    if match is None:
        return 0
    digits, mark, following = match.groups()
    return match.end(1) if mark or "." in digits or following.isupper() else 0


def is_list_number(text: str, number: Printed, previous: int) -> bool:
    """Whether a number stands at the start of a line as that of a list item.

    In wrapped prose a sentence that ends in a number can break before it, so within a block a
    number counts only as the first item (0 or 1) or the one after the previous item.

    Args:
        text: text of the block.
        number: the number.
        previous: number of the item before it in the block, -1 without one.
    """
    if not number.whole or number.start != number.first or len(number.literal) > _LONGEST_ITEM:
        return False
    if not _ITEM_END.match(text, number.end):
        return False
    before = text[max(0, number.start - _INDENT) : number.start].rstrip(" \t")
    if not before and number.start < _INDENT:
        return True
    follows = {previous + 1} if previous >= 0 else {0, 1}
    return before.endswith("\n") and int(number.literal) in follows
