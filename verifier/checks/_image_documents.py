"""Hold the retained OCI documents of an image against its claims and against each other.

Only the top of a chain is held against a claim that does not say its kind, and a descriptor is
held against the claim first, so that one altered document gives one mismatch.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from verifier.checks._digests import Reference, parse_reference
from verifier.checks._image_names import Leaders, Use, digest_of
from verifier.checks._wording import listed
from verifier.model.basis import Basis
from verifier.model.bundle import Image, ImageDocument, ImageKind
from verifier.model.comparison import Comparison, Fact, Gap

_READABLE = "readable"
_TOP_DOWN: tuple[ImageKind, ...] = ("index", "manifest")
_PARENT: Mapping[ImageKind, ImageKind] = MappingProxyType(
    {"manifest": "index", "config": "manifest"}
)


def agreement(location: str, expected: str, actual: str, message: str) -> Fact:
    """Two digests of one thing; those of different algorithms cannot be compared at all."""
    left, right = parse_reference(expected), parse_reference(actual)
    if (
        isinstance(left, Reference)
        and isinstance(right, Reference)
        and left.algorithm != right.algorithm
    ):
        return Gap(
            location=location,
            reason=f"a {right.algorithm} digest cannot be held against the {left.algorithm} digest"
            f" {expected}; name both digests with the same algorithm",
            concern="not-recomputable",
        )
    return Comparison(
        location=location, expected=expected, actual=actual, basis=Basis.SEALED, message=message
    )


def document_facts(image: Image, leaders: Leaders) -> Iterator[Fact]:
    """Every retained document against its claim, its parent document and its own form."""
    for document in image.documents:
        yield Comparison(
            location=document.path,
            expected=_READABLE,
            actual=f"unusable: {document.problem}" if document.problem else _READABLE,
            basis=Basis.SPEC,
            message=f"The retained {document.kind} document of image {image.name!r} is unusable.",
        )
        # Bytes that could not even be hashed have said so; their digest is unknown, not wrong.
        if document.sha256 or not document.problem:
            yield from _bytes(image, document, leaders)
            yield from _sizes(image, document)
    yield from _manifest_in_index(image, leaders)
    yield from _config_in_manifest(image, leaders)


def _bytes(image: Image, document: ImageDocument, leaders: Leaders) -> Iterator[Fact]:
    digest = digest_of(document)
    claimed = _claim(image, document.kind, leaders)
    main = _main(image, document.kind, leaders)
    if claimed is not None and document is main:
        yield agreement(
            document.path,
            claimed.digest,
            digest,
            f"These bytes are not the {document.kind} document that {claimed.location} names.",
        )
    elif not (
        _named(image, digest)
        or _lists_claimed(image, document, leaders)
        or (document is main and _has_parent(image, main, leaders))
    ):
        yield Gap(
            location=document.path,
            reason=f"no claim and no retained document names {digest}, so nothing ties this "
            f"{document.kind} document to image {image.name!r}",
            concern="no-evidence",
        )


def _sizes(image: Image, document: ImageDocument) -> Iterator[Fact]:
    digest = digest_of(document)
    for parent in image.documents:
        for _, name, size in parent.names:
            if name == digest and size is not None:
                yield Comparison(
                    location=document.path,
                    expected=size,
                    actual=document.size,
                    basis=Basis.SEALED,
                    message=f"{parent.path} promises another size in bytes.",
                )


def _manifest_in_index(image: Image, leaders: Leaders) -> Iterator[Fact]:
    index = _main(image, "index", leaders)
    wanted = _wanted(image, "manifest", leaders)
    if index is None or index.problem or not wanted:
        return
    names = [digest for kind, digest, _ in index.names if kind == "manifest"]
    yield agreement(
        index.path,
        wanted[0],
        next((digest for digest in wanted if digest in names), None) or listed(names) or "none",
        f"The index does not list the manifest of image {image.name!r}.",
    )


def _config_in_manifest(image: Image, leaders: Leaders) -> Iterator[Fact]:
    manifest = _main(image, "manifest", leaders)
    if manifest is None or manifest.problem:
        return
    names = [digest for kind, digest, _ in manifest.names if kind == "config"]
    yield Comparison(
        location=manifest.path,
        expected=1,
        actual=len(names),
        basis=Basis.SPEC,
        message="An image manifest names exactly one config document.",
    )
    wanted = _wanted(image, "config", leaders)
    if len(names) == 1 and wanted:
        yield agreement(
            manifest.path,
            names[0] if names[0] in wanted else wanted[0],
            names[0],
            f"The manifest names another config than image {image.name!r} has.",
        )


def _wanted(image: Image, kind: ImageKind, leaders: Leaders) -> list[str]:
    """The digests that a parent document may name: the claimed one and the retained one.

    Where the two differ, the document itself has already been reported.
    """
    claimed = _claim(image, kind, leaders)
    document = _main(image, kind, leaders)
    known = [claimed.digest] if claimed is not None else []
    if document is not None and document.sha256:
        known.append(digest_of(document))
    return known


def _claim(image: Image, kind: ImageKind, leaders: Leaders) -> Use | None:
    """The claim a kind is held against; a claim of unstated kind speaks of the topmost document."""
    top = next((top for top in _TOP_DOWN if _of_kind(image, top)), None)
    return leaders.get((image.name, kind)) or (
        leaders.get((image.name, "registry")) if kind == top else None
    )


def _main(image: Image, kind: ImageKind, leaders: Leaders) -> ImageDocument | None:
    """The document of a kind that is the image's own: the claimed one, else the first."""
    claimed = _claim(image, kind, leaders)
    own = _of_kind(image, kind)
    if claimed is not None:
        own.sort(key=lambda document: digest_of(document) != claimed.digest)
    return own[0] if own else None


def _of_kind(image: Image, kind: ImageKind) -> list[ImageDocument]:
    return [document for document in image.documents if document.kind == kind]


def _named(image: Image, digest: str) -> bool:
    return any(digest == name for other in image.documents for _, name, _ in other.names)


def _lists_claimed(image: Image, document: ImageDocument, leaders: Leaders) -> bool:
    """Whether an index names the claimed manifest: the entry of an OCI layout has no other tie.

    Nobody publishes the digest of a layout's own ``index.json``: it changes with the tool.
    """
    claimed = _claim(image, "manifest", leaders)
    return (
        claimed is not None
        and document.kind == "index"
        and any(digest == claimed.digest for _, digest, _ in document.names)
    )


def _has_parent(image: Image, document: ImageDocument, leaders: Leaders) -> bool:
    """Whether a usable parent document is there: then the two are compared, nothing is missing."""
    kind = _PARENT.get(document.kind)
    parent = _main(image, kind, leaders) if kind else None
    return parent is not None and not parent.problem
