"""A folder, or a file, as a bundle: listed once, hashed once, read on demand."""

import hashlib
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, asdict
from pathlib import Path

import pytest
from blake3 import blake3

from verifier.errors import StoreError, UsageError
from verifier.model.files import FileKind, Member, Store
from verifier.store import folder
from verifier.store.folder import open_store
from verifier.store.hashing import Digests, Plan, digest_files
from verifier.store.limits import Limits


def test_folder_lists_files_by_sorted_relative_path(tmp_path: Path) -> None:
    (tmp_path / "arms/fp8").mkdir(parents=True)
    (tmp_path / "empty").mkdir()
    for name in ("seal.json", "arms/fp8/windows.json", "arms/z.txt", "Bundle.json"):
        (tmp_path / name).write_bytes(b"x")
    store: Store = open_store(tmp_path)
    assert store.name == tmp_path.name
    assert list(store.paths) == ["Bundle.json", "arms/fp8/windows.json", "arms/z.txt", "seal.json"]
    assert set(store.paths.values()) == {"file"}


def test_members_carry_size_and_both_digests(tmp_path: Path) -> None:
    data = bytes(range(256)) * 9000
    (tmp_path / "big").write_bytes(data)
    (tmp_path / "none").write_bytes(b"")
    store = open_store(tmp_path)
    assert store.members == {
        "big": Member(
            path="big",
            kind="file",
            size=len(data),
            sha256=hashlib.sha256(data).hexdigest(),
            blake3=blake3(data).hexdigest(),
        ),
        "none": Member(
            path="none",
            kind="file",
            size=0,
            sha256=hashlib.sha256().hexdigest(),
            blake3=blake3().hexdigest(),
        ),
    }
    assert list(store.members) == ["big", "none"]


def test_blake3_can_be_left_out(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a")
    member = open_store(tmp_path, blake3=False).members["a"]
    assert (member.sha256, member.blake3) == (hashlib.sha256(b"a").hexdigest(), "")


@pytest.mark.parametrize(("name", "expected"), [("seal.json", blake3(b"a").hexdigest()), ("a", "")])
def test_listing_can_decide_about_blake3(tmp_path: Path, name: str, expected: str) -> None:
    def sealed(paths: Mapping[str, FileKind]) -> bool:
        return "seal.json" in paths

    (tmp_path / name).write_bytes(b"a")
    assert open_store(tmp_path, blake3=sealed).members[name].blake3 == expected


def test_files_are_hashed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"a")
    passes: list[Path] = []

    def counted(root: Path, sizes: Mapping[str, int], plan: Plan) -> dict[str, Digests]:
        passes.append(root)
        return digest_files(root, sizes, plan)

    monkeypatch.setattr(folder, "digest_files", counted)
    store = open_store(tmp_path)
    assert passes == []
    assert store.members is store.members
    assert passes == [tmp_path]


def test_listing_and_members_cannot_be_altered(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a")
    store = open_store(tmp_path)
    for view in (store.paths, store.members):
        with pytest.raises(TypeError):
            view["b"] = view["a"]  # type: ignore[index] # the point of the test
    with pytest.raises(FrozenInstanceError):
        store.members["a"].size = 2  # type: ignore[misc] # the point of the test


def test_read_gives_the_content_before_and_after_hashing(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b").write_bytes(b"content")
    store = open_store(tmp_path)
    assert store.read("a/b") == b"content"
    assert store.members["a/b"].size == 7
    assert store.read("a/b") == b"content"


def test_single_file_is_a_bundle_of_one(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_bytes(b"[]")
    record = tmp_path / "comparison.json"
    record.write_bytes(b"{}")
    store = open_store(record)
    assert (store.name, dict(store.paths)) == ("comparison.json", {"comparison.json": "file"})
    assert store.read("comparison.json") == b"{}"
    assert asdict(store.members["comparison.json"]) == {
        "path": "comparison.json",
        "kind": "file",
        "size": 2,
        "sha256": hashlib.sha256(b"{}").hexdigest(),
        "blake3": blake3(b"{}").hexdigest(),
    }
    with pytest.raises(StoreError, match=r"^other\.json: no such file in comparison\.json"):
        store.read("other.json")


@pytest.mark.parametrize("target", ["bundle", "bundle/comparison.json"])
def test_link_that_the_user_names_is_followed(tmp_path: Path, target: str) -> None:
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle/comparison.json").write_bytes(b"{}")
    (tmp_path / "latest").symlink_to(target)
    store = open_store(tmp_path / "latest")
    assert store.name == Path(target).name
    assert store.read("comparison.json") == b"{}"


def test_relative_path_gets_the_name_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    assert open_store(Path()).name == tmp_path.name


@pytest.mark.parametrize(
    "path", ["../outside", "/etc/passwd", "a/../a", "./a", "a/", "", "A", "a\x00", "\ud800"]
)
def test_only_listed_names_can_be_read(tmp_path: Path, path: str) -> None:
    inside = tmp_path / "bundle"
    inside.mkdir()
    (inside / "a").write_bytes(b"")
    (tmp_path / "outside").write_bytes(b"secret")
    with pytest.raises(StoreError, match="no such file in bundle") as caught:
        open_store(inside).read(path)
    assert caught.value.message.isprintable()
    assert caught.value.hint


def test_file_over_the_read_limit_is_hashed_but_not_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    store = open_store(tmp_path, limits=Limits(read_bytes=4))
    assert store.members["a"].size == 5
    with pytest.raises(StoreError, match="a: 5 bytes, over the limit of 4 for a file"):
        store.read("a")
    assert open_store(tmp_path, limits=Limits(read_bytes=5)).read("a") == b"12345"


def test_no_jobs_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="0 jobs"):
        open_store(tmp_path, jobs=0)


@pytest.mark.parametrize("empty", ["", "only/folders"])
def test_empty_folder_is_not_a_bundle(tmp_path: Path, empty: str) -> None:
    (tmp_path / "bundle" / empty).mkdir(parents=True)
    with pytest.raises(StoreError, match="bundle: the folder holds no files") as caught:
        open_store(tmp_path / "bundle")
    assert "records of a bundle" in caught.value.hint


@pytest.mark.parametrize("path", ["absent", "absent/below", "file/below"])
def test_missing_path_is_named(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreError, match=f"{path}: ") as caught:
        open_store(tmp_path / path)
    assert caught.value.hint


def test_path_with_a_nul_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"a\\x00b: not a path"):
        open_store(tmp_path / "a\x00b")


def test_single_file_over_the_total_limit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    with pytest.raises(StoreError, match="a: over the limit: more than 4 bytes"):
        open_store(tmp_path / "a", limits=Limits(total_bytes=4))
