"""The inline marks of a paragraph, aligned with its source by walking both forward.

docutils keeps the source of each inline element, and in plain text a NUL for each backslash, so
children of a paragraph cover its source without a gap. Where one does not fit, it and what follows
get no place.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from verifier.documents._places import INLINE_TAGS, Run

if TYPE_CHECKING:
    from docutils import nodes

_ESCAPE = "\0"
_SIGNS = {"superscript": INLINE_TAGS["sup"], "subscript": INLINE_TAGS["sub"]}
_BRACKETED = frozenset({"footnote_reference", "citation_reference"})


class Inline:
    """Writes the visible text of paragraphs.

    Attributes:
        targets: addresses by the names that references use.
        substitutions: texts by the names that they stand for.
    """

    __slots__ = ("_at", "_places", "_raw", "_run", "substitutions", "targets")

    def __init__(self, targets: Mapping[str, str], substitutions: Mapping[str, str]) -> None:
        self.targets = targets
        self.substitutions = substitutions
        self._run = Run()
        self._raw = ""
        self._places: Sequence[int] = ()
        self._at = 0

    def write(
        self, node: "nodes.Element", raw: str, places: Sequence[int], run: Run, *, literal: bool
    ) -> None:
        """Append the visible text of a paragraph to a run.

        Args:
            node: the paragraph.
            raw: (n,) characters it was parsed from.
            places: (n,) their places.
            run: takes text, places and marks.
            literal: backslashes are text.
        """
        self._raw = raw
        self._places = places
        self._run = run
        self._at = 0
        for child in node.children:
            self._child(child, literal=literal)

    def _child(self, child: "nodes.Node", *, literal: bool) -> None:
        from docutils import nodes  # noqa: PLC0415 - docutils loads with the first document

        if isinstance(child, nodes.Text):
            self._text(str(child), literal=literal)
        elif isinstance(child, nodes.target) and not child.children:
            # The address in the middle of a link, which the link's own source holds too.
            return
        elif isinstance(child, nodes.Element):
            self._element(child)

    def _text(self, text: str, *, literal: bool) -> None:
        written = text.replace(_ESCAPE, "\\")
        if self._raw.startswith(written, self._at):
            start = self._at
            self._at += len(written)
        else:
            self._at = len(self._raw) + 1
            start = -1
        for index, piece in enumerate([text] if literal else text.split(_ESCAPE)):
            shown = piece
            if index and start >= 0:
                start += 1
            if index and piece[:1] in {" ", "\n"}:
                shown = piece[1:]
            self._add(shown, start + len(piece) - len(shown) if start >= 0 else -1)
            start += len(piece) if start >= 0 else 0

    def _add(self, text: str, start: int) -> None:
        if start < 0:
            self._run.add_unplaced(text)
        else:
            self._run.add(text, self._places[start : start + len(text)])

    def _element(self, node: "nodes.Element") -> None:
        raw = _source_of(node)
        placed = bool(raw) and self._raw.startswith(raw, self._at)
        start = self._at
        end = start + len(raw) if placed else len(self._raw) + 1
        first = self._run.length
        self._inside(node, raw, start if placed else end)
        self._at = end
        if node.tagname == "literal":
            self._run.mark("code", first)
        elif node.tagname == "reference":
            self._link(node, first)

    def _inside(self, node: "nodes.Element", raw: str, start: int) -> None:
        """Write what an inline element shows; its source begins at ``start``."""
        name = node.tagname
        if name in _BRACKETED:
            shown = raw.removesuffix("_") or f"[{node.astext()}]"
            self._add(shown, start if self._raw.startswith(raw, start) else -1)
            return
        if name == "substitution_reference":
            wanted = str(node.get("refname", ""))
            known = self.substitutions.get(wanted, self.substitutions.get(wanted.lower()))
            if known is not None:
                self._run.add_unplaced(known)
                return
        if name in _SIGNS and self._run.length:
            self._run.add_unplaced(_SIGNS[name])
        # Behind the name of a role, which may hold the text too.
        inner = raw.find("`") + 1 if raw.startswith(":") and name != "problematic" else 0
        for child in node.children:
            inner = max(raw.find(_source_of(child), inner), inner)
            self._at = start + inner
            self._child(child, literal=name in {"literal", "math"})
            inner += len(_source_of(child))

    def _link(self, node: "nodes.Element", first: int) -> None:
        target = str(node.get("refuri") or self.targets.get(str(node.get("refname", "")), ""))
        shown = node.astext()
        if target == shown:
            self._run.mark("url", first)
        else:
            self._run.mark("link", first, target)


def _source_of(child: "nodes.Node") -> str:
    """The source of a child: kept with an element, and a text but for its backslashes."""
    from docutils import nodes  # noqa: PLC0415 - docutils loads with the first document

    if isinstance(child, nodes.Element):
        return child.rawsource or child.astext()
    return str(child).replace(_ESCAPE, "\\")
