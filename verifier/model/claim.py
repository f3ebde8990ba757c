"""Numbers in prose, what binds them to data, and what came of holding the two together."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, NamedTuple, Protocol

from verifier.model.document import Document

Relation = Literal["=", "<", "<=", ">", ">="]

Role = Literal["value", "low", "high", "part", "whole", "margin"]
"""What a number is in its group: alone; an end of an interval or range; k and n of a count; what
follows a plus-minus sign (its centre is a ``value``)."""


class Numeral(NamedTuple):
    """A number as it is printed in a block of a document; a tuple, as there are thousands of them.

    Attributes:
        block: index of its block in the document.
        start: first character of sign, digits and exponent in the block's text.
        end: one past the last; unit and ``%`` lie outside.
        text: those characters as printed, such as ``-1,234.50`` with a U+2212 sign.
        literal: the same as a plain literal, such as ``-1234.50``.
        value: value of the literal, before any unit.
        place: power of ten of the last printed digit: -2 for ``1.50``, -6 for ``1.2e-5``.
        group: numbers of one interval, range, count or plus-minus share it; else unique.
        unit: canonical unit or "" (``verifier.claims.units`` lists them): ``percent``,
            ``percentage-point``, ``nat``, ``ms``, ``MB``, ``M``, ``x``.
        relation: how it bounds what it speaks of: ``<=`` for "at most 1.03"; ``=`` usually.
        approximate: printed after ``~``, ``about`` and the like.
        role: in its group.
        rule: id of the rule by which it is no claim unless something binds it, "" for a claim.
    """

    block: int
    start: int
    end: int
    text: str
    literal: str
    value: Decimal
    place: int
    group: int
    unit: str = ""
    relation: Relation = "="
    approximate: bool = False
    role: Role = "value"
    rule: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """A digest, a commit id or a file name that a document names.

    Attributes:
        block: index of its block.
        start: first character in the block's text.
        end: one past the last.
        kind: what it looks like.
        text: the hex digits without a prefix such as ``sha256:``, or the file name.
    """

    block: int
    start: int
    end: int
    kind: Literal["sha256", "commit", "file"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """A value in a data file: ``comparison.json#/arms/fp8/window_bca95/0``.

    Attributes:
        file: path relative to the bundle or to the folder of the claims file.
        pointer: RFC 6901; a step ``*`` that is no key takes all elements. JSONL is a list of its
            lines, CSV and TSV a list of objects by header, TOML as JSON.
    """

    file: str
    pointer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureValue:
    """A figure of the bundle, recomputed: ``figure:fp8/kld``."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureValue:
    """A typed measure, as ``verifier recompute --measure`` takes it."""

    measure: Mapping[str, Any] = field(hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Displayed:
    """The number that another claim of the same document displays: ``claim:total-before``."""

    claim: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDigest:
    """SHA-256 of a file: ``sha256:comparison.json``."""

    file: str


Form = Literal[
    "difference",
    "ratio",
    "relative-change",
    "sum",
    "mean",
    "min",
    "max",
    "count",
    "percent-of",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """A safe form over other sources, in their order.

    ``difference`` a - b; ``ratio`` a / b; ``relative-change`` (b - a) / a, from a to b;
    ``percent-of`` 100 a / b. The others take one or more sources or lists; ``count`` counts values.
    """

    form: Form
    operands: "tuple[Source, ...]"


Source = Pointer | FigureValue | MeasureValue | Displayed | FileDigest | Derived


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLocator:
    """A cell; ``None`` leaves a part open, and what is left must be one cell.

    Attributes:
        table: number from 1, or text of the caption or of the innermost heading.
        row: number from 1, or text of the first cell.
        column: number from 1, or text of the header.
    """

    table: int | str | None
    row: int | str
    column: int | str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteLocator:
    """Visible text around numbers, each number written as ``{}``: ``lower in {}/{} windows``.

    White space counts as one blank. It must fit exactly one place in the document, and that place
    must lie in one block. The values themselves take no part.
    """

    quote: str


Locator = TableLocator | QuoteLocator


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """One entry of a claims file, or one inline mark: numbers and where they come from.

    Attributes:
        id: unique in the document.
        document: name or path, matched against the document's name; "" for any.
        at: where the numbers stand; None for an inline mark, whose place is ``mark``.
        mark: block and index into its text behind which the mark stands; (-1, -1) without one.
        sources: one for each number that is bound, in order; for a cell the first numbers of it.
        unit: unit of the sources' values, "" when they have none or the document's.
        sign: ``same``; ``flipped`` where the text says "falls by 3"; ``dropped`` for a magnitude.
        kind: what is printed: a number, or a digest or file name (identities).
        n: source of the number of things behind a count or percentage, for impossible ones.
        location: where the entry stands: ``claims.json#/claims/3`` or ``README.md:12:5``.
    """

    id: str
    document: str
    at: Locator | None
    mark: tuple[int, int] = (-1, -1)
    sources: tuple[Source, ...]
    unit: str = ""
    sign: Literal["same", "flipped", "dropped"] = "same"
    kind: Literal["number", "identity"] = "number"
    n: Source | None = None
    location: str


class Found(NamedTuple):
    """What a source gave.

    Attributes:
        value: a number exactly as the source has it (the literal of a data file, the FP64 value of
            a recomputed one), or a text.
        slack: how far a recomputed value may lie off by the policy's tolerance, 0 for data.
        unit: canonical unit where the source says one, "" otherwise.
        origin: where it came from, for a person.
        values: all of them, where the source is a list; ``value`` is then the first.
    """

    value: Decimal | str
    slack: Decimal = Decimal(0)
    unit: str = ""
    origin: str = ""
    values: tuple[Decimal | str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """Why a source gave nothing: a file, a key or a figure that does not exist.

    Attributes:
        reason: in a sentence that names the place.
        broken: the claims file asks for something that makes no sense (a list where a number is
            needed, a circle of claims, a division by zero), so the person has to correct it.
    """

    reason: str
    broken: bool = False


Status = Literal[
    "SUPPORTED", "CONTRADICTED", "UNIT", "STALE", "UNSUPPORTED", "UNBOUND", "NOT A CLAIM"
]

Flaw = Literal[
    "truncated", "negative-zero", "impossible-count", "impossible-percentage", "wrong-bound"
]


class Verdict(NamedTuple):
    """What came of one number against its source.

    Attributes:
        status: SUPPORTED, CONTRADICTED or UNIT.
        expected: the right value in the document's own format, "" where none can be given.
        reason: what is wrong, in a sentence; "" for SUPPORTED.
        flaws: findings of their own, also of a supported number.
    """

    status: Status
    expected: str = ""
    reason: str = ""
    flaws: tuple[Flaw, ...] = ()


class Place(NamedTuple):
    """Where in a document; line and column from 1."""

    document: str
    line: int
    column: int
    table: int | None = None
    row: str = ""
    column_label: str = ""


class ClaimResult(NamedTuple):
    """One number or identity of a document, with its verdict.

    Attributes:
        place: where it stands.
        what: ``number`` or the kind of an identity.
        text: as printed, with its sign.
        claim: id of the binding, "" without one.
        status: the verdict.
        expected: as in ``Verdict``.
        reason: as in ``Verdict``; for NOT A CLAIM the rule, for STALE the commit.
        flaws: as in ``Verdict``.
        origin: where the right value comes from.
        context: the words around it; "" where it is supported or no claim.
        span: (start, end) in the source of the document, (-1, -1) where it has no one place.
    """

    place: Place
    what: str
    text: str
    claim: str
    status: Status
    expected: str = ""
    reason: str = ""
    flaws: tuple[Flaw, ...] = ()
    origin: str = ""
    context: str = ""
    span: tuple[int, int] = (-1, -1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A binding that cannot be used: it fits no place or several, or asks for nonsense."""

    location: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentResult:
    """What came of one document.

    Attributes:
        document: its name.
        results: every number and identity, in the order of the source.
        problems: bindings that could not be used; each one fails the check.
        patches: one-line corrections as (line number, old line, new line).
    """

    document: str
    results: tuple[ClaimResult, ...]
    problems: tuple[Problem, ...] = ()
    patches: tuple[tuple[int, str, str], ...] = ()


class Files(Protocol):
    """Files that may be cited, and no others."""

    def read(self, path: str) -> bytes | None:
        """All bytes of a file; None when there is no such file.

        Raises:
            verifier.errors.StoreError: it is there and cannot be read.
        """
        ...

    def names(self) -> Collection[str]:
        """Paths of all files; empty where they are not listed."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldDocument:
    """A document of a bundle with what binds its numbers.

    Attributes:
        path: of the document in the bundle.
        location: where the bundle lists it.
        document: as read; None when it could not be.
        bindings: of its claims file.
        problems: of document and claims file.
    """

    path: str
    location: str
    document: Document | None
    bindings: tuple[Binding, ...] = ()
    problems: tuple[Problem, ...] = ()
