"""Made-up container images: a base, a serving image on it and a capture image on that."""

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

_REGISTRY = "registry.example/synthetic"
_MEDIA = "application/vnd.oci.image"
_LAYER = "application/vnd.oci.image.layer.v1.tar"
_CREATED = "2026-09-07T00:00:00Z"
_CHAIN = ("base", "serving", "capture")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleImage:
    """An image entry of ``bundle.json`` and its retained documents by path."""

    entry: dict[str, Any]
    documents: dict[str, bytes]

    @property
    def reference(self) -> str:
        """``repository@manifest digest``."""
        return str(self.entry["reference"])

    @property
    def config_digest(self) -> str:
        """What a container engine calls the image id."""
        return str(self.entry["config_digest"])


def chain() -> tuple[ExampleImage, ...]:
    """The three images, base first; each has the layers of its parent and one more."""
    return tuple(_image(position) for position in range(len(_CHAIN)))


def digest(data: bytes) -> str:
    """A digest as registries write it."""
    return f"sha256:{sha256(data).hexdigest()}"


def _image(position: int) -> ExampleImage:
    name = _CHAIN[position]
    layers = [f"a made-up layer of {part}\n".encode() for part in _CHAIN[: position + 1]]
    config = _compact(
        {
            "created": _CREATED,
            "architecture": "amd64",
            "os": "linux",
            "config": {"Labels": {"description": "synthetic example, never built"}},
            "rootfs": {"type": "layers", "diff_ids": [digest(layer) for layer in layers]},
        }
    )
    manifest = _compact(
        {
            "schemaVersion": 2,
            "mediaType": f"{_MEDIA}.manifest.v1+json",
            "config": _descriptor(f"{_MEDIA}.config.v1+json", config),
            "layers": [_descriptor(_LAYER, layer) for layer in layers],
        }
    )
    entry: dict[str, Any] = {
        "name": name,
        "role": name,
        "reference": f"{_REGISTRY}/{name}@{digest(manifest)}",
        "manifest_digest": digest(manifest),
        "config_digest": digest(config),
        "layout": f"images/{name}",
    }
    if position:
        entry["parent"] = _CHAIN[position - 1]
    return ExampleImage(entry=entry, documents=_documents(name, manifest, config))


def _documents(name: str, manifest: bytes, config: bytes) -> dict[str, bytes]:
    """The capture image as a whole OCI layout, the others as two documents."""
    folder = f"images/{name}"
    if name != "capture":
        return {f"{folder}/manifest.json": manifest, f"{folder}/config.json": config}
    index = {
        "schemaVersion": 2,
        "mediaType": f"{_MEDIA}.index.v1+json",
        "manifests": [_descriptor(f"{_MEDIA}.manifest.v1+json", manifest)],
    }
    blobs = f"{folder}/blobs/sha256"
    return {
        f"{folder}/oci-layout": _compact({"imageLayoutVersion": "1.0.0"}),
        f"{folder}/index.json": _compact(index),
        f"{blobs}/{sha256(manifest).hexdigest()}": manifest,
        f"{blobs}/{sha256(config).hexdigest()}": config,
    }


def _descriptor(media_type: str, data: bytes) -> dict[str, Any]:
    return {"mediaType": media_type, "digest": digest(data), "size": len(data)}


def _compact(document: Any) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode()
