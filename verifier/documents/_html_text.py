"""Text as a browser shows it: white space collapses, references are decoded, marks are opened."""

import re

from verifier.documents._html_tokens import REFERENCE, decoded
from verifier.documents._places import Run
from verifier.model.document import NO_PLACE

BLANK = " \t\n\f\r"
"""White space of HTML; a no-break space is none."""

_FLOWING = re.compile(rf"[{BLANK}]{{2,}}+|{REFERENCE}")
_KEPT = re.compile(REFERENCE)


class Writer:
    """Writes the visible text of a source into one run at a time.

    A blank is held back until something follows it, so that none stands at either end.
    """

    __slots__ = ("_code", "_held", "_link", "_source", "_starts", "_target", "run")

    def __init__(self, source: str) -> None:
        self.run = Run()
        self._source = source
        self._held: tuple[str, int] | None = None
        self._code = 0
        self._link = 0
        self._target = ""
        self._starts = (0, 0)

    def begin(self, run: Run) -> None:
        """Go on in a new run; what is open as code or link is so from its first character."""
        self.run = run
        self._held = None
        self._starts = (0, 0)

    def finish(self) -> None:
        """End the run and its marks; what is open goes on in the next one."""
        self._mark_code()
        self._mark_link()
        self.begin(Run())

    def flowing(self, start: int, end: int) -> None:
        """Write a stretch of the source, its white space collapsed."""
        at = start
        for match in _FLOWING.finditer(self._source, start, end):
            self._words(at, match.start())
            at = match.end()
            if match[0][0] == "&":
                at = self._reference(match)
            else:
                self._blank(match.start())
        self._words(at, end)

    def kept(self, start: int, end: int, *, references: bool) -> None:
        """Write a stretch of the source with its white space, but for a line end at its end."""
        at = start
        last = end - 1 if self._source.endswith("\n", start, end) else end
        if references:
            for match in _KEPT.finditer(self._source, start, last):
                self._add(at, match.start())
                at = self._reference(match)
        self._add(at, last)
        if last < end:
            self._release()
            self._held = ("\n", last)

    def line_break(self) -> None:
        """Break the line here, if anything stands before and behind."""
        if self.run.length:
            self._held = ("\n", NO_PLACE)

    def apart(self, sign: str) -> None:
        """Write a sign that keeps what follows apart from the character before it."""
        if self.run.length and self._held is None:
            self.run.add_unplaced(sign)

    def open_code(self) -> None:
        """Begin code; inside code it changes nothing."""
        self._code += 1
        if self._code == 1:
            self._release()
            self._starts = (self.run.length, self._starts[1])

    def close_code(self) -> None:
        """End the innermost code."""
        if self._code == 1:
            self._mark_code()
        self._code -= 1

    def open_link(self, target: str) -> None:
        """Begin a link; links do not nest."""
        self._release()
        self._link = 1
        self._target = target
        self._starts = (self._starts[0], self.run.length)

    def close_link(self) -> None:
        """End the link."""
        self._mark_link()
        self._link = 0

    def _mark_code(self) -> None:
        if self._code:
            self.run.mark("code", self._starts[0])

    def _mark_link(self) -> None:
        if self._link:
            self.run.mark("link", self._starts[1], self._target)

    def _words(self, start: int, end: int) -> None:
        """Write text with single blanks in it."""
        if start < end and self._source[start] in BLANK:
            self._blank(start)
            start += 1
        if start < end and self._source[end - 1] in BLANK:
            self._add(start, end - 1)
            self._blank(end - 1)
        else:
            self._add(start, end)

    def _blank(self, place: int) -> None:
        if self.run.length and self._held is None:
            self._held = (self._source[place], place)

    def _add(self, start: int, end: int) -> None:
        if start < end:
            self._release()
            self.run.add(self._source[start:end], range(start, end))

    def _reference(self, match: re.Match[str]) -> int:
        """Write what a reference stands for, and say where it ends."""
        text, used = decoded(match[0])
        if not used:
            self._add(match.start(), match.end())
            return match.end()
        self._release()
        self.run.add_unplaced(text)
        return match.start() + used

    def _release(self) -> None:
        if self._held is not None:
            sign, place = self._held
            self._held = None
            if place == NO_PLACE:
                self.run.add_unplaced(sign)
            else:
                self.run.add(sign, range(place, place + 1))
