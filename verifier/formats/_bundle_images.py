"""Images of a bundle in our own format, and the OCI documents that it retains of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from verifier.errors import JsonError, StoreError
from verifier.jsontext import decode, pointer
from verifier.model.bundle import Image, ImageClaim, ImageDocument, ImageKind
from verifier.model.files import Store

_KINDS: Mapping[str, ImageKind] = {
    "application/vnd.oci.image.index.v1+json": "index",
    "application/vnd.docker.distribution.manifest.list.v2+json": "index",
    "application/vnd.oci.image.manifest.v1+json": "manifest",
    "application/vnd.docker.distribution.manifest.v2+json": "manifest",
    "application/vnd.oci.image.config.v1+json": "config",
    "application/vnd.docker.container.image.v1+json": "config",
}
_DIGESTS: Mapping[str, ImageKind] = {
    "index_digest": "index",
    "manifest_digest": "manifest",
    "config_digest": "config",
}
# Registries refuse larger manifests (OCI distribution specification, pushing manifests).
_LARGEST_DOCUMENT = 4 * 1024 * 1024
_LAYOUT_MARKER = "oci-layout"

_Named = tuple[ImageKind, str, int | None]


def read_images(store: Store, document: Any) -> tuple[Image, ...]:
    """The images of a valid bundle.json with their retained documents."""
    return tuple(
        Image(
            name=image["name"],
            role=image["role"],
            location=_location(index),
            parent=image.get("parent"),
            documents=_documents(store, f"{image['layout']}/") if "layout" in image else (),
        )
        for index, image in enumerate(document["images"])
    )


def image_claims(document: Any) -> Iterator[ImageClaim]:
    """Every digest that bundle.json gives of its images.

    A reference pins a manifest unless the image says that the same digest is its index.
    """
    for index, image in enumerate(document["images"]):
        place = _location(index)
        for field, kind in _DIGESTS.items():
            if field in image:
                yield ImageClaim(
                    location=f"{place}/{field}",
                    image=image["name"],
                    kind=kind,
                    value=image[field],
                )
        if "reference" in image:
            yield reference_claim(f"{place}/reference", image, image["reference"])


def reference_claim(location: str, image: Any, reference: str) -> ImageClaim:
    """What a ``repository@sha256:...`` reference says about an image of bundle.json."""
    digest = reference.rpartition("@")[2]
    kind: ImageKind = "index" if digest == image.get("index_digest") else "manifest"
    return ImageClaim(location=location, image=image["name"], kind=kind, value=digest)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Content:
    """What the bytes of a document say; ``kind`` is None where they do not say."""

    kind: ImageKind | None
    names: tuple[_Named, ...] = ()
    problem: str = ""


def _documents(store: Store, folder: str) -> tuple[ImageDocument, ...]:
    """Every document below a folder; blobs that a manifest names as layers are not read."""
    paths = [
        path
        for path in sorted(store.paths)
        if path.startswith(folder) and path != folder + _LAYOUT_MARKER
    ]
    contents = {path: _content(store, path) for path in paths}
    named = {digest: kind for content in contents.values() for kind, digest, _ in content.names}
    return tuple(_document(store, path, contents[path], named) for path in paths)


def _document(
    store: Store, path: str, content: _Content, named: Mapping[str, ImageKind]
) -> ImageDocument:
    member = store.members[path]
    by_name = named.get(f"sha256:{member.sha256}")
    if by_name == "layer":
        content = _Content(kind="layer")
    elif content.kind is None:
        content = replace(content, kind=by_name)
    return ImageDocument(
        path=path,
        kind=content.kind or _kind_by_path(path),
        sha256=member.sha256,
        size=member.size,
        names=content.names,
        problem=content.problem,
    )


def _kind_by_path(path: str) -> ImageKind:
    file = path.rpartition("/")[2]
    if file.startswith("index"):
        return "index"
    return "config" if file.startswith("config") else "manifest"


def _content(store: Store, path: str) -> _Content:
    if store.members[path].size > _LARGEST_DOCUMENT:
        return _Content(kind=None, problem=f"larger than {_LARGEST_DOCUMENT} bytes")
    try:
        document = decode(store.read(path), name=path)
    except (JsonError, StoreError) as error:
        return _Content(kind=None, problem=error.message)
    if not isinstance(document, dict):
        return _Content(kind=None, problem="not a JSON object")
    return _classified(document)


def _classified(document: Mapping[str, Any]) -> _Content:
    """The kind of a document by its media type and its shape, which must agree."""
    shapes: dict[ImageKind, bool] = {
        "index": "manifests" in document,
        "manifest": "layers" in document or ("config" in document and "rootfs" not in document),
        "config": "rootfs" in document,
    }
    kinds = [kind for kind, fits in shapes.items() if fits]
    if len(kinds) != 1:
        found = " and ".join(kinds) or "none of index, manifest and config"
        return _Content(kind=None, problem=f"has the shape of {found}")
    kind = kinds[0]
    media_type = document.get("mediaType")
    if media_type is not None and (
        not isinstance(media_type, str) or _KINDS.get(media_type) != kind
    ):
        return _Content(kind=kind, problem=f"has the shape of {kind} but another media type")
    try:
        return _Content(kind=kind, names=tuple(_descriptors(kind, document)))
    except (LookupError, TypeError) as error:
        return _Content(kind=kind, problem=f"holds a malformed descriptor: {error}")


def _descriptors(kind: ImageKind, document: Mapping[str, Any]) -> Iterator[_Named]:
    if kind == "index":
        for descriptor in document["manifests"]:
            yield _descriptor(_KINDS[descriptor["mediaType"]], descriptor)
    elif kind == "manifest":
        yield _descriptor("config", document["config"])
        for descriptor in document["layers"]:
            yield _descriptor("layer", descriptor)


def _descriptor(kind: ImageKind, descriptor: Any) -> _Named:
    digest, size = descriptor["digest"], descriptor.get("size")
    if not isinstance(digest, str):
        message = "a digest that is no text"
        raise TypeError(message)
    if size is not None and (not isinstance(size, int) or isinstance(size, bool)):
        message = "a size that is no integer"
        raise TypeError(message)
    return kind, digest, size


def _location(index: int) -> str:
    return f"bundle.json#{pointer('images', index)}"
