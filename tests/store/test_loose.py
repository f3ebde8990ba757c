import os
from pathlib import Path

import pytest

from verifier.errors import CannotLook, StoreError
from verifier.store.folder import open_store
from verifier.store.limits import DEFAULT
from verifier.store.loose import FilesBelow, NamedFiles, StoredFiles, read_file

OVER = DEFAULT.read_bytes + 1


def written(path: Path, content: str = "1") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    return path


def large(path: Path) -> Path:
    with path.open("wb") as file:
        file.truncate(OVER)
    return path


# --- files that the user named ---


def test_a_named_file_is_cited_by_its_path_or_the_end_of_it(tmp_path: Path) -> None:
    path = written(tmp_path / "results" / "run.json")
    files = NamedFiles([path])

    for name in (str(path).removeprefix("/"), "results/run.json", "run.json"):
        assert files.read(name) == b"1"
        assert files.path(name) == path


@pytest.mark.parametrize("name", ["un.json", "other.json", "/run.json", "", "run.json/", ".."])
def test_nothing_else_is_cited(tmp_path: Path, name: str) -> None:
    files = NamedFiles([written(tmp_path / "run.json")])

    assert files.read(name) is None
    assert files.path(name) is None


def test_a_relative_path_is_cited_as_it_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path / "a" / "run.json")
    monkeypatch.chdir(tmp_path / "a")

    assert NamedFiles([Path("../a/run.json")]).read("../a/run.json") == b"1"


def test_an_ending_of_two_files_means_neither(tmp_path: Path) -> None:
    first, second = written(tmp_path / "a" / "x.json", "1"), written(tmp_path / "b" / "x.json", "2")
    files = NamedFiles([first, second])

    assert files.read("x.json") is None
    assert (files.read("a/x.json"), files.read("b/x.json")) == (b"1", b"2")
    assert sorted(files.names()) == ["a/x.json", "b/x.json"]


def test_a_whole_path_wins_over_the_ending_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path / "x.json", "1")
    written(tmp_path / "a" / "x.json", "2")
    monkeypatch.chdir(tmp_path)

    files = NamedFiles([Path("a/x.json"), Path("x.json")])

    assert (files.read("x.json"), files.read("a/x.json")) == (b"1", b"2")
    assert sorted(files.names()) == ["a/x.json", "x.json"]


def test_each_file_is_listed_once_by_its_shortest_name(tmp_path: Path) -> None:
    paths = [written(tmp_path / "a" / "x.json"), written(tmp_path / "a" / "y.json")]

    assert sorted(NamedFiles(paths).names()) == ["x.json", "y.json"]


@pytest.mark.parametrize(
    ("name", "says"), [("folder", "a folder where a file was expected"), ("gone", "no such file")]
)
def test_what_is_no_file_cannot_be_named(tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / "folder").mkdir()

    with pytest.raises(CannotLook, match=says) as error:
        NamedFiles([tmp_path / name])

    assert error.value.hint


def test_a_named_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="limit"):
        NamedFiles([large(tmp_path / "x.json")]).read("x.json")


# --- files below a folder ---


def test_files_below_a_folder_are_read_and_not_listed(tmp_path: Path) -> None:
    path = written(tmp_path / "a" / "x.json")
    files = FilesBelow(tmp_path)

    assert files.read("a/x.json") == b"1"
    assert files.path("a/x.json") == path
    assert list(files.names()) == []
    assert files.read("a/y.json") is None
    assert files.path("a/y.json") is None


@pytest.mark.parametrize(
    "name",
    ["../x.json", "a/../../x.json", "/etc/hostname", "./x.json", "a//x.json", "", "a/", "a\0b"],
)
def test_a_path_that_leaves_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    written(tmp_path / "x.json")
    files = FilesBelow(tmp_path / "inside")

    with pytest.raises(StoreError) as error:
        files.read(name)

    assert error.value.hint


@pytest.mark.parametrize("name", ["link.json", "folder/x.json"])
def test_links_are_not_followed(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "inside"
    written(inside / "y.json")
    outside = written(tmp_path / "outside" / "x.json")
    (inside / "link.json").symlink_to(outside)
    (inside / "folder").symlink_to(outside.parent)

    with pytest.raises(StoreError, match="a link or special file"):
        FilesBelow(inside).read(name)


def test_the_folder_itself_may_be_reached_by_a_link(tmp_path: Path) -> None:
    written(tmp_path / "real" / "x.json")
    (tmp_path / "link").symlink_to("real")

    assert FilesBelow(tmp_path / "link").read("x.json") == b"1"


def test_a_pipe_below_a_folder_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")

    with pytest.raises(StoreError):
        FilesBelow(tmp_path).read("pipe.json")


def test_a_file_below_a_folder_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    large(tmp_path / "x.json")

    with pytest.raises(StoreError, match=rf"x\.json: over the limit of {DEFAULT.read_bytes} bytes"):
        FilesBelow(tmp_path).read("x.json")


# --- files of a bundle ---


def test_files_of_a_bundle_are_cited_by_their_paths_in_it(tmp_path: Path) -> None:
    path = written(tmp_path / "arms" / "x.json")
    files = StoredFiles(open_store(tmp_path), tmp_path)

    assert files.read("arms/x.json") == b"1"
    assert files.path("arms/x.json") == path
    assert files.read("x.json") is None
    assert files.path("x.json") is None
    assert "arms/x.json" in files.names()
    assert files.digests() == {
        "arms/x.json": "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b"
    }


def test_a_bundle_of_one_file_lies_where_that_file_lies(tmp_path: Path) -> None:
    path = written(tmp_path / "comparison.json")
    files = StoredFiles(open_store(path), path)

    assert files.path("comparison.json") == path
    assert files.read("comparison.json") == b"1"


def test_what_was_hashed_is_what_is_read(tmp_path: Path) -> None:
    path = written(tmp_path / "x.json", "1")
    files = StoredFiles(open_store(tmp_path), tmp_path)
    assert files.digests().keys() == {"x.json"}
    path.write_text("2")

    assert files.read("x.json") == b"1"
    with pytest.raises(StoreError):
        files.read("x.json")


# --- one file ---


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    assert read_file(written(tmp_path / "a.md", "text")) == b"text"


def test_a_document_may_be_named_by_a_link(tmp_path: Path) -> None:
    written(tmp_path / "a.md", "text")
    (tmp_path / "b.md").symlink_to("a.md")

    assert read_file(tmp_path / "b.md") == b"text"


def test_a_link_to_nothing_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "b.md").symlink_to("gone.md")

    with pytest.raises(CannotLook):
        read_file(tmp_path / "b.md")
