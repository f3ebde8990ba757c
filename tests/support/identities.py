"""Small bundles made in memory, and what a check finds in them."""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import TypedDict, Unpack, cast

from verifier.model.basis import Basis
from verifier.model.bundle import (
    Arm,
    Bundle,
    Flag,
    Image,
    ImageClaim,
    ImageDocument,
    ImageKind,
    Record,
    ReferenceName,
    SourceClaim,
    Window,
    WindowScore,
)
from verifier.model.comparison import Comparison, Gap, Value
from verifier.model.figure import Figure
from verifier.model.files import FileKind, Member
from verifier.model.plugin import Case, Check, Measures, Rows
from verifier.model.policy import Policy
from verifier.policy import REVIEW


def hex_of(text: str) -> str:
    """The sha256 of a text, as 64 lower-case hex digits."""
    return sha256(text.encode()).hexdigest()


def oci(text: str) -> str:
    """The digest of a text as an OCI registry writes it."""
    return f"sha256:{hex_of(text)}"


def member(path: str, content: str, kind: FileKind = "file") -> Member:
    """A retained file with this content."""
    digest = hex_of(content) if kind == "file" else ""
    return Member(path=path, kind=kind, size=len(content), sha256=digest, blake3="")


def record(path: str = "bundle.json", *, published: bool = True) -> Record:
    """A record that obeys its schema."""
    return Record(path=path, schema="bundle-1", published=published)


def score(window: str, arm: str = "fp8", **groups: str) -> WindowScore:
    """What an arm keeps for one window."""
    return WindowScore(
        window=window,
        location=f"arms/{arm}/windows.json#/{window}",
        groups=groups,
        predicted_rows=8,
        scored_rows=7,
        excluded=(0,),
        values={"kld": 0.5},
    )


def arm(name: str = "fp8", *windows: str) -> Arm:
    """An arm with these windows."""
    return Arm(
        id=name,
        name=name,
        location=f"bundle.json#/arms/{name}",
        windows=tuple(score(window, name) for window in windows),
    )


def panel(*windows: str) -> tuple[Window, ...]:
    """The manifest's windows."""
    return tuple(
        Window(id=window, location=f"bundle.json#/windows/{place}", groups={})
        for place, window in enumerate(windows)
    )


class Parts(TypedDict, total=False):
    """What a bundle may hold, under the names of its fields."""

    records: tuple[Record, ...]
    arms: tuple[Arm, ...]
    panel: tuple[Window, ...]
    flags: tuple[Flag, ...]
    figures: tuple[Figure, ...]
    images: tuple[Image, ...]
    image_claims: tuple[ImageClaim, ...]
    sources: tuple[SourceClaim, ...]
    reference: ReferenceName
    carries: tuple[str, ...]


def bundle(members: Iterable[Member] = (), **parts: Unpack[Parts]) -> Bundle:
    """A bundle that holds nothing but what is given and one valid record."""
    parts.setdefault("records", (record(),))
    return Bundle(
        format="measurement-bundle-1",
        id="tiny",
        title="Tiny (synthetic)",
        members={entry.path: entry for entry in members},
        **parts,
    )


def image(name: str, *documents: ImageDocument, parent: str | None = None) -> Image:
    """An image of the bundle."""
    return Image(
        name=name,
        role="serving",
        location=f"bundle.json#/images/{name}",
        parent=parent,
        documents=documents,
    )


def claim(image: str, kind: ImageKind | None, value: str, place: str = "bundle.json") -> ImageClaim:
    """A place that names an image."""
    return ImageClaim(location=f"{place}#/{image}/{kind}", image=image, kind=kind, value=value)


def document(
    kind: ImageKind,
    content: str,
    *names: tuple[ImageKind, str, int | None],
    path: str = "",
    problem: str = "",
) -> ImageDocument:
    """A retained OCI document with this content and these descriptors."""
    return ImageDocument(
        path=path or f"images/{kind}.json",
        kind=kind,
        sha256=hex_of(content),
        size=len(content),
        names=names,
        problem=problem,
    )


def case(bundle: Bundle, *, policy: Policy = REVIEW, reference: Bundle | None = None) -> Case:
    """A case whose rows and measures must not be touched: these checks need neither."""
    return Case(
        bundle=bundle,
        policy=policy,
        rows=cast("Rows", None),
        measures=cast("Measures", None),
        reference=reference,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a check found, split the way the runner judges it."""

    comparisons: tuple[Comparison, ...]
    gaps: tuple[Gap, ...]

    @property
    def wrong(self) -> tuple[Comparison, ...]:
        """Comparisons whose two sides differ in value or type."""
        return tuple(
            found
            for found in self.comparisons
            if type(found.expected) is not type(found.actual) or found.expected != found.actual
        )

    @property
    def mismatches(self) -> list[tuple[str, Value, Value]]:
        """(location, expected, actual) of each mismatch."""
        return [(found.location, found.expected, found.actual) for found in self.wrong]

    @property
    def messages(self) -> list[str]:
        """What is said about each mismatch."""
        return [found.message for found in self.wrong]

    @property
    def bases(self) -> set[Basis]:
        """What the comparisons rest on."""
        return {found.basis for found in self.comparisons}

    @property
    def missing(self) -> list[tuple[str, str]]:
        """(location, concern) of each gap."""
        return [(found.location, found.concern) for found in self.gaps]


def look(check: Check, case: Case) -> Found:
    """Run a check that applies."""
    assert check.applies(case) == ""
    facts = tuple(check.run(case))
    return Found(
        comparisons=tuple(fact for fact in facts if isinstance(fact, Comparison)),
        gaps=tuple(fact for fact in facts if isinstance(fact, Gap)),
    )
