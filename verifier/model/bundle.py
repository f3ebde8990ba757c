"""A bundle as every check sees it, whatever format it was read from.

Readers map their format onto these types; checks never know which format it was. Every value that
a check compares carries the location it was read from, as ``file#/json/pointer``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from verifier.model.basis import Level
from verifier.model.figure import Figure
from verifier.model.files import Member
from verifier.model.recipe import Recipe

ImageKind = Literal["index", "manifest", "config", "layer"]
SourceKind = Literal["git", "hf", "file"]
Phase = Literal["before", "after"]
FlagTopic = Literal["prefix-cache-hits", "receipt-hashes", "window-alignment", "record-schema"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SealEntry:
    """One file that the seal promises. ``size`` and ``blake3`` are None where not recorded."""

    path: str
    sha256: str
    size: int | None = None
    blake3: str | None = None
    location: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Retired:
    """A raw file that was deleted after scoring, as the seal or a receipt remembers it."""

    path: str
    sha256: str
    size: int
    receipt: str
    location: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seal:
    """The list of files that a bundle promises to hold.

    Attributes:
        path: the seal file itself; it cannot list itself.
        entries: what is promised.
        closed: whether a file that is not listed is a violation.
        unsealed: paths that may be present without being listed (the seal and its signature).
        root: recorded root hash, None for lists without one.
        computed_root: the root recomputed from the entries, None for lists without one.
        retired: retired files under the root.
        own_sha256: recorded hash of the seal document itself, None where it records none.
        computed_own_sha256: that hash computed again.
    """

    path: str
    entries: tuple[SealEntry, ...]
    closed: bool
    unsealed: frozenset[str]
    root: str | None = None
    computed_root: str | None = None
    retired: tuple[Retired, ...] = ()
    own_sha256: str | None = None
    computed_own_sha256: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One place where a record breaks its schema or the rules of strict JSON."""

    location: str
    expected: str
    actual: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One record file with what its schema says about it.

    Attributes:
        path: path in the bundle.
        schema: id of the schema it was held against.
        published: true when the figures in it are what was published (an attestation subject).
        violations: every place that breaks the schema; empty for a valid record.
        unknown: pointers of fields that no schema knows, so nothing verified them.
    """

    path: str
    schema: str
    published: bool
    violations: tuple[Violation, ...] = ()
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Hash:
    """A hash as written, with the place where it is written."""

    value: str
    location: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What ties a retained score file to the hash of the retired raw file.

    Times are RFC 3339 texts as written. ``retired_at`` is None while the raw file is retained;
    ``raw``, ``raw_bytes`` and ``scored_at`` are None where nobody recorded them.
    """

    location: str
    arm: str
    window: str
    rows: int
    excluded: tuple[int, ...]
    raw: Hash | None
    raw_bytes: int | None
    score: Hash
    score_path: str | None
    teacher: Hash
    token: Hash
    scored_at: str | None
    retired_at: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """One window of the panel, as the manifest lists it."""

    id: str
    location: str
    groups: Mapping[str, str]
    token: Hash | None = None
    teacher: Hash | None = None
    tokens_path: str | None = None
    """The token stream, when retained."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowScore:
    """What one arm retained for one window.

    Attributes:
        window: window id.
        location: pointer of the entry.
        predicted_rows: captured prediction rows.
        scored_rows: rows that count, None where the record does not say.
        excluded: row numbers that do not count, None where the record does not list them.
        values: per-window means over the scored rows, by column (``kld``, ``nll``, ...), FP64.
        including_prefill: mean KL over all predicted rows, where published.
        prefill: KL of the excluded prefill row, where published.
        rows_path: the per-row arrays, when retained.
        raw_path: the raw logits, when retained.
        receipt_path: the receipt that the record names, whether it is retained or not.
        raw_bytes: size of the retired raw file, where recorded.
    """

    window: str
    location: str
    groups: Mapping[str, str]
    predicted_rows: int
    scored_rows: int | None
    excluded: tuple[int, ...] | None
    values: Mapping[str, float]
    including_prefill: float | None = None
    prefill: float | None = None
    raw: Hash | None = None
    raw_bytes: int | None = None
    score: Hash | None = None
    teacher: Hash | None = None
    token: Hash | None = None
    rows_path: str | None = None
    raw_path: str | None = None
    receipt_path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterSeries:
    """One series of a counter file: its labels and value."""

    labels: tuple[tuple[str, str], ...]
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterReading:
    """All ``vllm:prefix_cache_hits_total`` series of one scrape, ``problem`` if unreadable."""

    location: str
    window: str
    phase: Phase
    series: tuple[CounterSeries, ...]
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One measured configuration.

    Attributes:
        id: unique in the bundle; measures name it.
        name: what the record calls it.
        location: pointer of the arm.
        windows: in the order of the record.
        receipts: retained receipt files.
        counters: counter readings; None when none are retained.
        level: the deepest evidence that *every* window of this arm retains.
        row_columns: arrays that the record says every score file of this arm holds.
        repeats: id of the arm of which this is another run, None when it is none.
    """

    id: str
    name: str
    location: str
    windows: tuple[WindowScore, ...]
    receipts: tuple[Receipt, ...] = ()
    counters: tuple[CounterReading, ...] | None = None
    level: Level = Level.WINDOW_SCORES
    row_columns: tuple[str, ...] = ()
    repeats: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageDocument:
    """A retained OCI document; digests are those of its bytes and those it names."""

    path: str
    kind: ImageKind
    sha256: str
    size: int
    names: tuple[tuple[ImageKind, str, int | None], ...] = ()
    """(kind, digest, size) of each descriptor inside it."""
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A container image of the bundle, with its parent in the capture chain."""

    name: str
    role: str
    location: str
    parent: str | None = None
    documents: tuple[ImageDocument, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageClaim:
    """One place that names an image by digest.

    ``kind`` says which of an image's four digests the place means: a registry reference pins an
    index or a manifest, a local image id is a config digest. None where the place does not say.
    """

    location: str
    image: str
    kind: ImageKind | None
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceClaim:
    """One place that names a source identity: a revision or a file hash.

    ``path`` is the retained file the hash speaks of, when the bundle holds it.
    """

    location: str
    subject: str
    kind: SourceKind
    value: str
    path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """A bare statement of the record, such as ``all_prefix_hit_counters_zero: true``."""

    location: str
    topic: FlagTopic
    statement: str
    value: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceName:
    """Another record that this one names by the sha256 of its file."""

    location: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """What the record says about how it was measured; None where it does not say."""

    vocabulary: int | None = None
    excluded: tuple[int, ...] | None = None
    predicted_rows: int | None = None
    bytes_per_logit: int = 4
    logits_dtype: str = "float32"
    intervals: Mapping[str, Recipe] = field(default_factory=dict)
    """Declared interval recipes by name."""

    def excluded_in(self, window: WindowScore) -> tuple[int, ...] | None:
        """Rows of a window that do not count: those it lists itself, else those declared here."""
        return self.excluded if window.excluded is None else window.excluded


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedDocument:
    """A document that the bundle lists, which speaks of its figures.

    Attributes:
        path: of the document.
        claims: path of its claims file, "" without one.
        location: where it is listed.
    """

    path: str
    claims: str
    location: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """Everything that the checks look at.

    ``records`` alone is filled when a record breaks its schema: then nothing else of the bundle is
    trusted enough to be compared, and ``readable`` is false.
    """

    format: str
    id: str
    title: str
    members: Mapping[str, Member]
    records: tuple[Record, ...]
    seal: Seal | None = None
    protocol: Protocol = field(default_factory=Protocol)
    panel: tuple[Window, ...] = ()
    arms: tuple[Arm, ...] = ()
    images: tuple[Image, ...] = ()
    image_claims: tuple[ImageClaim, ...] = ()
    sources: tuple[SourceClaim, ...] = ()
    flags: tuple[Flag, ...] = ()
    figures: tuple[Figure, ...] = ()
    reference: ReferenceName | None = None
    documents: tuple[ListedDocument, ...] = ()
    carries: tuple[str, ...] = ()
    """sha256 of published records whose figures this bundle says it carries (provenance)."""

    @property
    def readable(self) -> bool:
        """Whether every record obeys its schema, so that its content can be compared."""
        return not any(record.violations for record in self.records)

    def arm(self, arm_id: str) -> Arm | None:
        """The arm with this id, or None."""
        return next((arm for arm in self.arms if arm.id == arm_id), None)
