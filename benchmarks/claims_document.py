"""A document of 2,000 numbers about bundles/tinylm-kv, as an author would write it.

Beside the document: the claims file that binds every number, and the same document with one wrong
digit in each of 100 numbers. The same bundle gives the same bytes. Labels are written by hand and
not made of the ids that they stand for, since no author does that.
"""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.claims_sections import PROSE, TABLES
from verifier import catalog, jsontext
from verifier.claims.candidates import Candidate, from_figures, from_json, gathered
from verifier.model.figure import Figure
from verifier.model.wording import described
from verifier.store.folder import open_store

BUNDLE = Path(__file__).parents[1] / "bundles" / "tinylm-kv"
NUMBERS = 2000
ERRORS = 100
SEED = 20260902
NAME = "results.md"
MINUS = "\N{MINUS SIGN}"

ARMS = ("teacher-f32", "kv-fp8-p1", "kv-fp8-p2", "kv-nvfp4-l1", "kv-nvfp4-l2")
STUDENTS = ARMS[1:]

_SLOT = re.compile(r"\{([^:}]*):([^}]*)\}")

_WINDOW_COLUMNS = (
    ("KL divergence", "values/kld", 6),
    ("Negative log-likelihood", "values/nll", 5),
    ("Entropy of the student", "values/student_entropy", 4),
    ("KLD with the prefill row", "including_prefill", 6),
    ("KLD of the prefill row alone", "prefill", 5),
    ("Scored rows", "scored_rows", 0),
)
_METRICS = (
    ("KL divergence", "values/kld", STUDENTS, 5),
    ("NLL", "values/nll", ARMS, 4),
    ("Student entropy", "values/student_entropy", ARMS, 5),
    ("Predicted rows", "predicted_rows", ARMS, 0),
    ("KLD with the prefill row", "including_prefill", STUDENTS, 5),
    ("KLD of the prefill row alone", "prefill", STUDENTS, 6),
    ("Scored rows", "scored_rows", ARMS, 0),
    ("Raw logits in bytes", "raw_bytes", STUDENTS, 0),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number of the document and where it comes from.

    Attributes:
        text: as printed, without unit.
        source: in the text form of a claims file.
    """

    text: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Generated:
    """The document and what is known about it.

    Attributes:
        text: the right document, in Markdown.
        claims: its claims file (format claims/1).
        starts: where each number begins in the text, as an index.
        sources: source of each number, in order; the first ``spoken`` ones stand in prose.
        spoken: how many numbers stand in prose.
        wrong: the document with wrong digits.
        errors: places of the wrong numbers, counted from 0 among all numbers.
    """

    text: str
    claims: dict[str, Any]
    starts: tuple[int, ...]
    sources: tuple[str, ...]
    spoken: int
    wrong: str
    errors: tuple[int, ...]


def generated(bundle: Path = BUNDLE) -> Generated:
    """The document of a bundle."""
    writer = _Writer(bundle)
    writer.prose()
    spoken = len(writer.pieces.numbers)
    writer.sections()
    writer.windows(until=NUMBERS)
    pieces = writer.pieces
    rng = np.random.default_rng(SEED)
    errors = sorted(int(at) for at in rng.choice(len(pieces.numbers), ERRORS, replace=False))
    wrong = [number.text for number in pieces.numbers]
    for at in errors:
        wrong[at] = _misprinted(wrong[at], rng)
    return Generated(
        text=pieces.text([number.text for number in pieces.numbers]),
        claims={"format": "claims/1", "claims": writer.claims},
        starts=pieces.starts(),
        sources=tuple(number.source for number in pieces.numbers),
        spoken=spoken,
        wrong=pieces.text(wrong),
        errors=tuple(errors),
    )


def pool(bundle: Path = BUNDLE) -> tuple[Candidate, ...]:
    """All figures of the bundle, and all numbers of the records of windows."""
    store = open_store(bundle)
    figures = catalog.reader_for(store).read(store, catalog.SCHEMAS).figures
    rows = (
        (figure.id, described(figure), Decimal(figure.published.text), _unit(figure))
        for figure in figures
        if not math.isnan(figure.published.value)
    )
    records = (f"arms/{arm}/windows.json" for arm in ARMS)
    return gathered(from_figures(rows), *(from_json(path, _read(bundle, path)) for path in records))


def meanings(bundle: Path = BUNDLE) -> dict[str, str]:
    """What each figure's source stands for: figures of one measure and recipe are one quantity."""
    return {
        f"figure:{entry['id']}": json.dumps(
            [entry["measure"], entry.get("interval")], sort_keys=True
        )
        for entry in _read(bundle, "figures.json")
    }


class _Pieces:
    """Markdown in pieces: what stands around the numbers, and the numbers."""

    def __init__(self) -> None:
        self._around = [""]
        self.numbers: list[Number] = []

    def write(self, text: str) -> None:
        """Add text without numbers."""
        self._around[-1] += text

    def number(self, number: Number) -> None:
        """Add a number."""
        self.numbers.append(number)
        self._around.append("")

    def starts(self) -> tuple[int, ...]:
        """Where each number begins in the right text."""
        lengths = (
            len(around) + len(number.text)
            for around, number in zip(self._around[1:], self.numbers, strict=True)
        )
        return tuple(accumulate(lengths, initial=len(self._around[0])))[:-1]

    def text(self, numbers: Sequence[str]) -> str:
        """The whole, with these numbers in the places of the right ones."""
        first, *rest = self._around
        return first + "".join(
            number + around for number, around in zip(numbers, rest, strict=True)
        )


class _Writer:
    """Writes the document and its claims file side by side.

    Attributes:
        pieces: the document.
        claims: entries of the claims file.
    """

    def __init__(self, bundle: Path) -> None:
        self._figures = {
            entry["id"]: value
            for entry in _read(bundle, "figures.json")
            if (value := _decimal(entry["published"])) is not None
        }
        self._records = {arm: _read(bundle, f"arms/{arm}/windows.json") for arm in ARMS}
        self._table = 0
        self.pieces = _Pieces()
        self.claims: list[dict[str, Any]] = []
        self.pieces.write("# Two KV-cache types of a small language model\n")

    def sections(self) -> None:
        """The tables of figures."""
        for table in TABLES:
            self._begin(table.heading, table.lead, [table.corner, *(c for c, _ in table.columns)])
            for label, ending, form in table.rows:
                self.pieces.write(f"| {label} |")
                for column, prefix in table.columns:
                    numbers = self._cell(f"{prefix}{ending}", form)
                    self._claim(label, column, numbers)
                    self._print(numbers, form)
                self.pieces.write("\n")

    def windows(self, *, until: int) -> None:
        """Tables with a row for each window, until the document has enough numbers."""
        for arm in ARMS:
            columns = [
                (name, arm, pointer, decimals) for name, pointer, decimals in _WINDOW_COLUMNS
            ]
            self._by_window(f"Windows of {arm}", columns, until)
        for name, pointer, arms, decimals in _METRICS:
            columns = [(arm, arm, pointer, decimals) for arm in arms]
            self._by_window(f"{name} by window and arm", columns, until)

    def prose(self) -> None:
        """The paragraphs."""
        before = ""
        for heading, paragraph in PROSE:
            if heading != before:
                self.pieces.write(f"\n## {heading}\n")
                before = heading
            self.pieces.write("\n")
            around = _SLOT.split(paragraph)
            quote = "{}".join(around[::3])
            sources = []
            for text, figure, form in zip(
                around[::3], [*around[1::3], ""], [*around[2::3], ""], strict=True
            ):
                self.pieces.write(text)
                if figure:
                    sources.append(f"figure:{figure}")
                    self.pieces.number(self._figure(figure, form))
            self.pieces.write("\n")
            self._entry({"quote": quote}, sources)

    def _begin(self, heading: str, lead: str, header: Sequence[str]) -> None:
        self._table += 1
        self.pieces.write(f"\n## {heading}\n\n")
        if lead:
            self.pieces.write(f"{lead}\n\n")
        self.pieces.write(f"| {' | '.join(header)} |\n|{' --- |' * len(header)}\n")

    def _by_window(
        self, heading: str, columns: Sequence[tuple[str, str, str, int]], until: int
    ) -> None:
        if len(self.pieces.numbers) >= until:
            return
        self._begin(heading, "", ["Window", *(name for name, *_ in columns)])
        for place, window in enumerate(self._records[ARMS[0]]["windows"]):
            if len(self.pieces.numbers) >= until:
                return
            self.pieces.write(f"| {window['id']} |")
            for name, arm, pointer, decimals in columns:
                value = self._records[arm]["windows"][place]
                for key in pointer.split("/"):
                    value = value[key]
                number = Number(
                    text=_printed(_exact(value), decimals),
                    source=f"arms/{arm}/windows.json#/windows/{place}/{pointer}",
                )
                if len(self.pieces.numbers) < until:
                    self._claim(window["id"], name, [number])
                    self._print([number], "")
            self.pieces.write("\n")

    def _cell(self, figure: str, form: str) -> list[Number]:
        if figure.endswith("/"):
            return [self._figure(f"{figure}{end}", form) for end in ("low", "high")]
        return [self._figure(figure, form)] if figure in self._figures else []

    def _figure(self, figure: str, form: str) -> Number:
        value = self._figures[figure]
        if form.endswith("%"):
            value *= 100
        text = _printed(value, int(form.rstrip("%")))
        return Number(text=text, source=f"figure:{figure}")

    def _print(self, numbers: Sequence[Number], form: str) -> None:
        opened, closed = ("[", "]") if len(numbers) > 1 else ("", "")
        self.pieces.write(f" {opened}" if numbers else " n/a")
        for place, number in enumerate(numbers):
            if place:
                self.pieces.write(", ")
            self.pieces.number(number)
        self.pieces.write(f"{closed}{' %' if form.endswith('%') and numbers else ''} |")

    def _claim(self, row: str, column: str, numbers: Sequence[Number]) -> None:
        if numbers:
            at = {"table": self._table, "row": row, "column": column}
            self._entry({"at": at}, [number.source for number in numbers])

    def _entry(self, place: dict[str, Any], sources: Sequence[str]) -> None:
        told = {"source": sources[0]} if len(sources) == 1 else {"sources": list(sources)}
        name = f"claim-{len(self.claims) + 1}"
        self.claims.append({"id": name, "document": NAME, **place, **told})


def _misprinted(text: str, rng: np.random.Generator) -> str:
    """One digit becomes another one; a leading digit does not become 0."""
    digits = [place for place, character in enumerate(text) if character.isdigit()]
    place = int(rng.choice(digits))
    least = 1 if place == digits[0] and len(digits) > 1 else 0
    others = [str(digit) for digit in range(least, 10) if str(digit) != text[place]]
    return text[:place] + str(rng.choice(others)) + text[place + 1 :]


def _printed(value: Decimal, decimals: int) -> str:
    """Half-even, with thousands separators and a true minus sign."""
    rounded = value.quantize(Decimal((0, (1,), -decimals)), rounding=ROUND_HALF_EVEN)
    return f"{rounded:,f}".replace("-", MINUS)


def _unit(figure: Figure) -> str:
    return "percent" if figure.measure is not None and figure.measure.scale == "percent" else ""


def _read(bundle: Path, path: str) -> Any:
    return jsontext.decode((bundle / path).read_bytes(), name=path)


def _decimal(value: Any) -> Decimal | None:
    """A published number; printed ones are left out, since rounding twice may round wrongly."""
    return None if isinstance(value, bool | str) or value is None else _exact(value)


def _exact(value: Any) -> Decimal:
    return Decimal(value.text if isinstance(value, jsontext.NumberText) else value)
