"""Retained OCI documents: their kind, what they name, and hostile ones."""

import json
from typing import Any

import pytest

from tests.support.memory import MemoryStore
from tests.support.own_bundle import (
    CONFIG,
    CONFIG_DIGEST,
    MANIFEST_DIGEST,
    documents,
    manifest,
    packed,
    places,
    read,
    sha256,
)
from verifier.catalog import SCHEMAS
from verifier.formats.measurement_bundle import READER
from verifier.model.bundle import ImageDocument

MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"
INDEX_TYPE = "application/vnd.oci.image.index.v1+json"


def _document(content: Any, path: str = "images/capture/x.json") -> ImageDocument:
    bundle = read({**documents(), path: content})
    assert places(bundle) == []
    found = [document for document in bundle.images[1].documents if document.path == path]
    assert len(found) == 1
    return found[0]


def _descriptor(digest: Any = f"sha256:{'0' * 64}", **more: Any) -> dict[str, Any]:
    return {"mediaType": MANIFEST_TYPE, "digest": digest, "size": 3, **more}


def test_an_oci_layout_is_read_by_digest_and_its_layers_are_not_parsed() -> None:
    files = documents()
    layer = b"layer"
    for name in ("manifest.json", "config.json"):
        del files[f"images/capture/{name}"]
    blobs = "images/capture/blobs/sha256"
    index = {"schemaVersion": 2, "manifests": [_descriptor(MANIFEST_DIGEST)]}
    files["images/capture/index.json"] = {**index, "mediaType": INDEX_TYPE}
    for content in (manifest(), CONFIG, layer):
        files[f"{blobs}/{sha256(content)}"] = content
    found = {document.path: document for document in read(files).images[1].documents}
    assert {path.rpartition("/")[2]: (d.kind, d.problem) for path, d in found.items()} == {
        "index.json": ("index", ""),
        sha256(manifest()): ("manifest", ""),
        sha256(CONFIG): ("config", ""),
        sha256(layer): ("layer", ""),
    }
    assert found["images/capture/index.json"].names == (("manifest", MANIFEST_DIGEST, 3),)


def test_a_large_layer_is_not_read_and_a_large_unnamed_file_is_a_problem() -> None:
    large = b"\0" * (4 * 1024 * 1024 + 1)
    assert _document(large).problem == "larger than 4194304 bytes"
    named = json.loads(manifest())
    named["layers"][0]["digest"] = f"sha256:{sha256(large)}"
    files = {**documents(), "images/capture/manifest.json": named, "images/capture/l": large}
    (layer,) = (d for d in read(files).images[1].documents if d.path == "images/capture/l")
    assert (layer.kind, layer.problem, layer.size) == ("layer", "", len(large))


@pytest.mark.parametrize(
    ("content", "kind", "problem"),
    [
        (b"{", "manifest", "images/capture/x.json: line 1 column 2"),
        ([], "manifest", "not a JSON object"),
        ({}, "manifest", "has the shape of none of index, manifest and config"),
        (
            {"manifests": [], "layers": [], "config": {}},
            "manifest",
            "has the shape of index and manifest",
        ),
        (
            {"mediaType": INDEX_TYPE, "layers": [], "config": _descriptor()},
            "manifest",
            "has the shape of manifest but another media type",
        ),
        (
            {"mediaType": ["x"], "manifests": []},
            "index",
            "has the shape of index but another media type",
        ),
        ({"config": _descriptor()}, "manifest", "holds a malformed descriptor: 'layers'"),
        ({"layers": []}, "manifest", "holds a malformed descriptor: 'config'"),
        ({"layers": [], "config": "x"}, "manifest", "holds a malformed descriptor: "),
        ({"layers": 1, "config": _descriptor()}, "manifest", "holds a malformed descriptor: "),
        ({"manifests": 1}, "index", "holds a malformed descriptor: "),
        ({"manifests": [{"digest": "x"}]}, "index", "holds a malformed descriptor: 'mediaType'"),
        ({"manifests": [_descriptor(mediaType={})]}, "index", "holds a malformed descriptor: "),
        (
            {"manifests": [_descriptor(5)]},
            "index",
            "holds a malformed descriptor: a digest that is no text",
        ),
        (
            {"manifests": [_descriptor(size=True)]},
            "index",
            "holds a malformed descriptor: a size that is no integer",
        ),
        (
            {"manifests": [_descriptor(size="3")]},
            "index",
            "holds a malformed descriptor: a size that is no integer",
        ),
    ],
)
def test_a_malformed_document_keeps_its_digest_and_says_what_is_wrong(
    content: Any, kind: str, problem: str
) -> None:
    document = _document(content)
    assert document.kind == kind
    assert document.problem.startswith(problem)
    assert document.names == ()
    assert len(document.sha256) == 64


@pytest.mark.parametrize(
    ("name", "kind"), [("index.json", "index"), ("config.json", "config"), ("m.json", "manifest")]
)
def test_an_unreadable_document_has_the_kind_of_its_name(name: str, kind: str) -> None:
    assert _document(b"{", f"images/capture/deep/{name}").kind == kind


def test_an_unreadable_document_that_a_manifest_names_has_the_kind_it_names() -> None:
    named = json.loads(manifest())
    named["config"]["digest"] = f"sha256:{sha256(b'{')}"
    files = {**documents(), "images/capture/manifest.json": named, "images/capture/b": b"{"}
    (blob,) = (d for d in read(files).images[1].documents if d.path == "images/capture/b")
    assert blob.kind == "config"
    assert blob.problem


def test_a_descriptor_without_a_size_is_read() -> None:
    descriptor = _descriptor(CONFIG_DIGEST)
    del descriptor["size"]
    assert _document({"manifests": [descriptor]}).names == (("manifest", CONFIG_DIGEST, None),)


def test_a_link_among_the_documents_is_a_problem() -> None:
    store = MemoryStore(packed(documents()), others={"images/capture/link.json": "symlink"})
    documents_read = READER.read(store, SCHEMAS).images[1].documents
    (link,) = (d for d in documents_read if d.path == "images/capture/link.json")
    assert (link.sha256, link.problem) == ("", "images/capture/link.json: no such regular file")
