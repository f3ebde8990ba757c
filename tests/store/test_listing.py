"""Hostile folders: links, pipes, devices, names and numbers that the listing has to survive."""

import errno
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from verifier.errors import StoreError
from verifier.store import listing, opening
from verifier.store.folder import FolderStore, open_store
from verifier.store.limits import Limits
from verifier.store.listing import entry_of


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A folder with one honest file, beside a secret that no bundle may reach."""
    folder = tmp_path / "bundle"
    folder.mkdir()
    (folder / "bundle.json").write_bytes(b"{}")
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/key").write_bytes(b"secret")
    return folder


def assert_listed_but_never_opened(store: FolderStore, path: str, kind: str) -> None:
    assert store.paths[path] == kind
    member = store.members[path]
    assert (member.kind, member.size, member.sha256, member.blake3) == (kind, 0, "", "")
    with pytest.raises(StoreError, match=f"{path}: a {kind}, which is never opened"):
        store.read(path)


@pytest.mark.parametrize("target", ["../secret/key", "../secret", "bundle.json", "absent", "link"])
def test_symlink_in_the_folder_is_listed_and_not_followed(bundle: Path, target: str) -> None:
    (bundle / "link").symlink_to(target)
    store = open_store(bundle)
    assert set(store.paths) == {"bundle.json", "link"}
    assert_listed_but_never_opened(store, "link", "symlink")


def test_fifo_is_listed_and_never_waited_for(bundle: Path) -> None:
    os.mkfifo(bundle / "pipe")
    assert_listed_but_never_opened(open_store(bundle), "pipe", "fifo")


def test_socket_is_listed_and_not_opened(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(bundle)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        assert_listed_but_never_opened(open_store(bundle), "socket", "socket")


def test_every_other_kind_counts_as_a_device() -> None:
    entry = entry_of(Path(os.devnull).stat())
    assert (entry.kind, entry.size) == ("device", 0)


def test_fifo_as_the_bundle_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreError, match="pipe: a fifo, expected a folder or a regular file"):
        open_store(tmp_path / "pipe")


def test_device_as_the_bundle_is_refused() -> None:
    with pytest.raises(StoreError, match="a device, expected a folder or a regular file"):
        open_store(Path(os.devnull))


def test_link_loop_as_the_bundle_is_refused(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(StoreError, match="loop: a link or special file where"):
        open_store(tmp_path / "loop")


def test_file_swapped_for_a_link_after_the_listing_is_not_followed(bundle: Path) -> None:
    store = open_store(bundle)
    (bundle / "bundle.json").unlink()
    (bundle / "bundle.json").symlink_to("../secret/key")
    with pytest.raises(StoreError, match=r"^bundle\.json: a link or special file where a file"):
        store.read("bundle.json")
    with pytest.raises(StoreError, match=r"^bundle\.json: a link or special file where a file"):
        _ = store.members


def test_folder_swapped_for_a_link_after_the_listing_is_not_followed(bundle: Path) -> None:
    (bundle / "arms").mkdir()
    (bundle / "arms/key").write_bytes(b"public")
    store = open_store(bundle)
    (bundle / "arms").rename(bundle / "old")
    (bundle / "arms").symlink_to("../secret")
    with pytest.raises(StoreError, match=r"^arms/key: a link or special file where"):
        store.read("arms/key")


def test_file_swapped_for_a_fifo_after_the_listing_is_not_waited_for(bundle: Path) -> None:
    store = open_store(bundle)
    (bundle / "bundle.json").unlink()
    os.mkfifo(bundle / "bundle.json")
    with pytest.raises(StoreError, match=r"^bundle\.json: changed while it was read: it is no reg"):
        store.read("bundle.json")


def test_file_swapped_for_a_folder_after_the_listing_is_refused(bundle: Path) -> None:
    store = open_store(bundle)
    (bundle / "bundle.json").unlink()
    (bundle / "bundle.json").mkdir()
    with pytest.raises(StoreError, match="no regular file any more"):
        store.read("bundle.json")


def test_file_removed_after_the_listing_is_named(bundle: Path) -> None:
    store = open_store(bundle)
    (bundle / "bundle.json").unlink()
    with pytest.raises(StoreError, match=r"^bundle\.json: no such file or folder"):
        _ = store.members


@pytest.mark.parametrize(
    ("name", "escaped", "problem"),
    [
        (b"caf\xe9", r"caf\\xe9", "not UTF-8"),
        (b"\xed\xa0\x80", r"\\xed\\xa0\\x80", "not UTF-8"),
        (b"a\nb", r"a\\nb", "control characters"),
        (b"a\x1b[2Jb", r"a\\x1b\[2Jb", "control characters"),
        (b"a\x7fb", r"a\\x7fb", "control characters"),
        ("a\u2028b".encode(), r"a\\u2028b", "control characters"),
        ("a\x85b".encode(), r"a\\x85b", "control characters"),
        ("json.\u202eexe".encode(), r"json\.\\u202eexe", "control characters"),
    ],
)
@pytest.mark.parametrize("make", [Path.touch, Path.mkdir])
def test_unsafe_name_is_refused_and_escaped(
    bundle: Path, name: bytes, escaped: str, problem: str, make: Any
) -> None:
    make(bundle / os.fsdecode(name))
    with pytest.raises(StoreError, match=f"{escaped}'?: the name .*{problem}") as caught:
        open_store(bundle)
    assert caught.value.message.isprintable()
    assert caught.value.hint


def test_unsafe_name_below_a_folder_is_named_with_its_folder(bundle: Path) -> None:
    (bundle / "arms").mkdir()
    (bundle / "arms" / "\n").touch()
    with pytest.raises(StoreError, match=r"'arms/\\n': the name holds control"):
        open_store(bundle)


def test_single_file_with_an_unsafe_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a\nb").touch()
    with pytest.raises(StoreError, match="control characters"):
        open_store(tmp_path / "a\nb")


def test_folder_with_an_unprintable_name_gets_a_printable_one(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"\xff\x01\n")
    folder.mkdir()
    (folder / "a").touch()
    assert open_store(folder).name == r"\xff\x01\x0a"


def test_names_in_other_scripts_are_welcome(bundle: Path) -> None:
    (bundle / "é 窓 😀").touch()
    assert "é 窓 😀" in open_store(bundle).paths


@pytest.mark.parametrize(
    ("one", "two", "difference"),
    [
        ("a.json", "A.json", "letter case"),
        ("straße", "STRASSE", "letter case"),
        ("caf\u00e9", "cafe\u0301", "Unicode normalisation"),
        ("\u00c9", "e\u0301", "letter case"),
    ],
)
@pytest.mark.parametrize("folder", ["", "arms"])
def test_names_that_other_systems_take_for_one_are_refused(
    bundle: Path, one: str, two: str, difference: str, folder: str
) -> None:
    (bundle / folder).mkdir(exist_ok=True)
    (bundle / folder / one).touch()
    (bundle / folder / two).touch()
    with pytest.raises(StoreError, match=f"differ only in {difference}") as caught:
        open_store(bundle)
    assert ascii(one) in caught.value.message
    assert ascii(two) in caught.value.message
    assert caught.value.message.startswith("arms/: " if folder else "the root folder: ")


def test_folders_that_differ_in_case_are_refused(bundle: Path) -> None:
    (bundle / "arms").mkdir()
    (bundle / "Arms").mkdir()
    with pytest.raises(StoreError, match="'Arms' and 'arms' differ only in letter case"):
        open_store(bundle)


def test_same_name_in_two_folders_is_no_twin(bundle: Path) -> None:
    for folder in ("a", "b"):
        (bundle / folder).mkdir()
        (bundle / folder / "x").touch()
    assert list(open_store(bundle).paths) == ["a/x", "b/x", "bundle.json"]


def test_too_many_entries_are_refused_and_empty_folders_count(bundle: Path) -> None:
    for name in "abc":
        (bundle / name).mkdir()
    assert len(open_store(bundle, limits=Limits(entries=4)).paths) == 1
    with pytest.raises(StoreError, match="over the limit: more than 3 files and folders"):
        open_store(bundle, limits=Limits(entries=3))


def test_too_many_bytes_are_refused_before_reading_a_sparse_file(bundle: Path) -> None:
    with (bundle / "sparse").open("wb") as file:
        file.truncate(2 * 1024**4)
    with pytest.raises(StoreError, match="over the limit: more than 1099511627776 bytes in all"):
        open_store(bundle)


def test_too_deep_folders_are_refused(bundle: Path) -> None:
    (bundle / "a/b").mkdir(parents=True)
    (bundle / "a/b/file").touch()
    assert "a/b/file" in open_store(bundle, limits=Limits(depth=2)).paths
    with pytest.raises(StoreError, match=r"^a/b: over the limit: more than 1 folders deep"):
        open_store(bundle, limits=Limits(depth=1))


def failing(code: int) -> Any:
    def fail(*_args: object, **_named: object) -> int:
        raise OSError(code, os.strerror(code))

    return fail


@pytest.mark.parametrize(
    ("code", "words", "hint"),
    [
        (errno.EACCES, "permission denied", "readable"),
        (errno.EIO, "cannot be read: Input/output error", "disk"),
    ],
)
def test_unreadable_subfolder_is_named(
    bundle: Path, monkeypatch: pytest.MonkeyPatch, code: int, words: str, hint: str
) -> None:
    (bundle / "arms").mkdir()
    original = opening.open_folder

    def guarded(name: str | Path, *, parent: int | None = None) -> int:
        return original(name) if parent is None else failing(code)()

    monkeypatch.setattr(listing, "open_folder", guarded)
    with pytest.raises(StoreError, match=f"^arms: {words}") as caught:
        open_store(bundle)
    assert hint in caught.value.hint


def test_unreadable_root_is_named(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "open_folder", failing(errno.EACCES))
    with pytest.raises(StoreError, match="bundle: permission denied"):
        open_store(bundle)


def test_unreadable_file_is_named(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_store(bundle)
    monkeypatch.setattr("verifier.store.opening.os.open", failing(errno.EACCES))
    with pytest.raises(StoreError, match=r"^bundle\.json: permission denied"):
        store.read("bundle.json")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_file_without_read_permission_is_named(bundle: Path) -> None:
    (bundle / "bundle.json").chmod(0)
    with pytest.raises(StoreError, match=r"^bundle\.json: permission denied"):
        _ = open_store(bundle).members


def test_no_descriptor_is_left_open(bundle: Path) -> None:
    (bundle / "arms/fp8").mkdir(parents=True)
    (bundle / "arms/fp8/a").write_bytes(b"a")
    descriptors = Path("/proc/self/fd")
    if not descriptors.exists():
        pytest.skip("needs a list of this process's descriptors")
    before = len(list(descriptors.iterdir()))
    store = open_store(bundle)
    store.read("arms/fp8/a")
    (bundle / "arms/fp8/a").unlink()
    for _ in range(3):
        with pytest.raises(StoreError):
            store.read("arms/fp8/a")
    assert len(list(descriptors.iterdir())) == before
