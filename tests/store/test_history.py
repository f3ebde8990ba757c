"""Older contents of a file: from a sound history all of them, from a broken one no error."""

import os
import random
import shutil
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.repository import Entry, Repository, blob_id, header, varint
from verifier.store import _git_objects, history
from verifier.store.history import History

A, B, C = b'{"kld": 1}\n', b'{"kld": 2}\n', b'{"kld": 3}\n'


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "checkout")


def older(repository: Repository, path: str = "a.json") -> list[tuple[str, bytes]]:
    return list(History(repository.folder).older(repository.folder / path))


def test_contents_come_newest_first_with_the_commit_that_brought_them(
    repository: Repository,
) -> None:
    files = [{"a.json": A}, {"a.json": B}, {"a.json": B, "README.md": A}, {"a.json": C}]
    first, second, _, fourth = repository.line(*files)
    assert older(repository) == [(fourth, C), (second, B), (first, A)]


def test_packed_objects_are_read_too(repository: Repository) -> None:
    first, second = repository.line({"a.json": A}, {"a.json": B})
    repository.pack()
    assert not repository.loose(first).exists()
    third = repository.commit({"a.json": C}, second)
    assert older(repository) == [(third, C), (second, B), (first, A)]


def test_repository_of_sha_256_is_read_too(tmp_path: Path) -> None:
    repository = Repository(tmp_path, object_format="sha256")
    first, second = repository.line({"a.json": A}, {"a.json": B})
    assert len(second) == 64
    assert older(repository) == [(second, B), (first, A)]


def test_file_in_a_folder_is_found_by_its_path(repository: Repository) -> None:
    (name,) = repository.line({"results/run/a.json": A, "results/a.json": B, "a.json": C})
    assert older(repository, "results/run/a.json") == [(name, A)]


def test_content_that_came_back_counts_once(repository: Repository) -> None:
    _, second, third = repository.line({"a.json": A}, {"a.json": B}, {"a.json": A})
    assert older(repository) == [(third, A), (second, B)]


def test_file_that_was_deleted_has_a_history(repository: Repository) -> None:
    first, _ = repository.line({"a.json": A}, {"README.md": B})
    assert older(repository) == [(first, A)]


def test_both_sides_of_a_merge_are_followed_by_time(repository: Repository) -> None:
    base = repository.commit({"a.json": A}, time=100)
    left = repository.commit({"a.json": B}, base, time=200)
    right = repository.commit({"a.json": C}, base, time=300)
    repository.commit({"a.json": B}, left, right, time=400)
    assert older(repository) == [(right, C), (left, B), (base, A)]


def test_merge_that_made_a_content_of_its_own_is_named(repository: Repository) -> None:
    left = repository.commit({"a.json": A}, time=100)
    right = repository.commit({"a.json": B}, time=200)
    merge = repository.commit({"a.json": C}, left, right, time=300)
    assert older(repository) == [(merge, C), (right, B), (left, A)]


def test_commit_that_is_its_own_parent_by_name_ends(repository: Repository) -> None:
    (first,) = repository.line({"a.json": A})
    say(repository, first, b"tree %(tree)s\nparent " + first.encode() + b"\n\n")
    # It does not change the file against its parent, which is itself.
    assert older(repository) == []


def test_most_contents_are_a_limit(repository: Repository) -> None:
    _, second, third = repository.line({"a.json": A}, {"a.json": B}, {"a.json": C})
    found = History(repository.folder).older(repository.folder / "a.json", most=2)
    assert list(found) == [(third, C), (second, B)]


def test_search_ends_after_so_many_commits(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = repository.line({"a.json": A}, {"a.json": B}, {"a.json": B}, {"a.json": C})
    monkeypatch.setattr(history, "MOST_VISITED", 3)
    # Whether the third, the last one looked at, brought its content is not known.
    assert older(repository) == [(names[3], C)]


def test_search_ends_after_so_many_bytes(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, second, third = repository.line({"a.json": A}, {"a.json": B}, {"a.json": C})
    monkeypatch.setattr(history, "_MOST_TOTAL_BYTES", len(B) + len(C))
    assert older(repository) == [(third, C), (second, B)]


def test_links_and_folders_are_no_content(repository: Repository) -> None:
    (first, *_) = repository.line(
        {"a.json": A}, {"a.json": (0o120000, b"elsewhere")}, {"a.json/inner": B}
    )
    assert older(repository) == [(first, A)]
    assert older(repository, "a.json/inner/deeper") == []


def test_file_is_named_by_what_it_is_a_link_to(repository: Repository) -> None:
    (name,) = repository.line({"a.json": A})
    (repository.folder / "a.json").write_bytes(A)
    (repository.folder / "link.json").symlink_to("a.json")
    assert older(repository, "link.json") == [(name, A)]


@pytest.mark.parametrize("path", ["other.json", "", "..", "../a.json", "a.json/x", "b/c/d"])
def test_path_that_was_never_committed_has_no_history(repository: Repository, path: str) -> None:
    repository.line({"a.json": A})
    assert older(repository, path) == []


def test_path_that_no_file_can_have_has_no_history(repository: Repository) -> None:
    repository.line({"a.json": A})
    assert older(repository, "a\0b") == []


def test_history_is_found_from_any_folder_in_the_checkout(repository: Repository) -> None:
    (name,) = repository.line({"in/ner/a.json": A})
    inner = repository.folder / "in" / "ner"
    inner.mkdir(parents=True)
    assert list(History(inner).older(inner / "a.json")) == [(name, A)]


def test_folder_outside_git_has_no_history(tmp_path: Path) -> None:
    assert list(History(tmp_path).older(tmp_path / "a.json")) == []


def test_branch_is_followed_in_its_file_and_among_the_packed(repository: Repository) -> None:
    (name,) = repository.line({"a.json": A})
    head = repository.git / "HEAD"
    head.write_text("ref: refs/heads/main\n")
    branch = repository.git / "refs" / "heads" / "main"
    branch.write_text(f"{name}\n")
    assert older(repository) == [(name, A)]
    branch.unlink()
    packed = repository.git / "packed-refs"
    packed.write_text(f"# pack-refs with: peeled\n{'0' * 40} refs/x/main\n{name} refs/heads/main\n")
    assert older(repository) == [(name, A)]


def test_working_tree_apart_from_its_repository_is_followed(
    repository: Repository, tmp_path: Path
) -> None:
    first, second = repository.line({"a.json": A}, {"a.json": B})
    own = repository.git / "worktrees" / "w"
    own.mkdir(parents=True)
    (own / "HEAD").write_text("ref: refs/heads/topic\n")
    (own / "commondir").write_text("../..\n")
    (repository.git / "refs" / "heads" / "topic").write_text(first)
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {own}\n")
    assert list(History(tree).older(tree / "a.json")) == [(first, A)]
    assert older(repository) == [(second, B), (first, A)]


def test_objects_that_are_borrowed_from_another_repository_are_read(
    repository: Repository, tmp_path: Path
) -> None:
    names = repository.line({"a.json": A}, {"a.json": B})
    sharing = Repository(tmp_path / "sharing")
    alternates = sharing.git / "objects" / "info" / "alternates"
    alternates.parent.mkdir(exist_ok=True)
    alternates.write_text(f"# borrowed\n{repository.git / 'objects'}\n")
    third = sharing.commit({"a.json": C}, names[1])
    assert older(sharing) == [(third, C), (names[1], B), (names[0], A)]


def test_repositories_that_borrow_from_each_other_end(repository: Repository) -> None:
    (name,) = repository.line({"a.json": A})
    info = repository.git / "objects" / "info"
    info.mkdir(exist_ok=True)
    (info / "alternates").write_text(f"{repository.git / 'objects'}\n" * 9)
    repository.loose(blob_id(A)).unlink()
    assert older(repository) == []
    assert name


def test_shallow_clone_has_the_history_that_it_holds(repository: Repository) -> None:
    first, second, third = repository.line({"a.json": A}, {"a.json": B}, {"a.json": C})
    repository.loose(first).unlink()
    (repository.git / "shallow").write_text(f"{second}\n")
    assert older(repository) == [(third, C), (second, B)]


def head_of(text: str) -> Callable[[Repository], object]:
    return lambda repository: (repository.git / "HEAD").write_text(text)


def git_file_of(data: bytes) -> Callable[[Repository], object]:
    def replace(repository: Repository) -> None:
        shutil.rmtree(repository.git)
        repository.git.write_bytes(data)

    return replace


def pipe_at(name: str) -> Callable[[Repository], object]:
    def replace(repository: Repository) -> None:
        path = repository.git / name
        if path.exists():
            path.unlink()
        path.parent.mkdir(exist_ok=True)
        os.mkfifo(path)

    return replace


@pytest.mark.parametrize(
    "break_it",
    [
        head_of("ref: refs/heads/unborn\n"),
        head_of("ref: HEAD\n"),
        head_of("ref: refs/heads/../../HEAD\n"),
        head_of(f"{'0' * 40}\n"),
        head_of("f" * 64),
        head_of("0123"),
        head_of(""),
        head_of("0" * 5000),
        head_of("\ud800".encode("utf-8", "surrogatepass").decode("latin-1")),
        git_file_of(b"gitdir: ../nowhere\n"),
        git_file_of(b"gitdir: \n"),
        git_file_of(b"gitdir: a\0b"),
        git_file_of(b"something else"),
        git_file_of(b"\xff\xfe"),
        git_file_of(b""),
        pipe_at("HEAD"),
        lambda repository: shutil.rmtree(repository.git / "objects"),
        lambda repository: (repository.git / "HEAD").unlink(),
        lambda repository: (repository.git / "commondir").write_text("../nowhere"),
    ],
)
def test_repository_without_a_usable_head_is_no_history(
    repository: Repository, break_it: Callable[[Repository], object]
) -> None:
    repository.line({"a.json": A}, {"a.json": B})
    break_it(repository)
    assert older(repository) == []


def test_branches_that_name_each_other_end(repository: Repository) -> None:
    repository.line({"a.json": A})
    head_of("ref: refs/heads/a")(repository)
    for name, other in (("a", "b"), ("b", "a")):
        (repository.git / "refs" / "heads" / name).write_text(f"ref: refs/heads/{other}")
    assert older(repository) == []


@pytest.mark.parametrize(
    "name", ["packed-refs", "commondir", "objects/info/alternates", "objects/pack/a.pack"]
)
def test_pipe_in_the_place_of_a_file_is_never_waited_for(repository: Repository, name: str) -> None:
    (commit,) = repository.line({"a.json": A})
    (repository.git / "objects" / "pack" / "a.idx").write_bytes(b"")
    head_of("ref: refs/heads/main")(repository)
    (repository.git / "refs" / "heads" / "main").write_text(commit)
    pipe_at(name)(repository)
    assert older(repository) == [(commit, A)]


def test_pipe_in_the_place_of_an_object_is_never_waited_for(repository: Repository) -> None:
    first, second = repository.line({"a.json": A}, {"a.json": B})
    path = repository.loose(blob_id(B))
    path.unlink()
    os.mkfifo(path)
    assert older(repository) == [(first, A)]
    assert second


@pytest.mark.parametrize("data", [b"", b"x", zlib.compress(b"blob 3\0ab"), zlib.compress(b"y")])
def test_broken_object_ends_the_history_there(repository: Repository, data: bytes) -> None:
    first, second = repository.line({"a.json": A}, {"a.json": B})
    path = repository.loose(first)
    path.unlink()
    path.write_bytes(data)
    assert older(repository) == [(second, B)]


def test_object_of_another_kind_is_not_taken_for_a_commit(repository: Repository) -> None:
    repository.line({"a.json": A})
    head_of(blob_id(A))(repository)
    assert older(repository) == []


@pytest.mark.parametrize("packed", [False, True])
def test_content_over_the_limit_is_left_out(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, *, packed: bool
) -> None:
    monkeypatch.setattr(_git_objects, "MOST_BYTES", 1000)
    names = repository.line({"a.json": A}, {"a.json": b"1" * 1001}, {"a.json": C})
    if packed:
        repository.pack()
    assert older(repository) == [(names[2], C), (names[0], A)]


def test_long_file_of_a_loose_object_is_not_read(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = repository.line({"a.json": A}, {"a.json": B})
    path = repository.loose(blob_id(B))
    path.chmod(0o644)
    os.truncate(path, 4 * 1024 * 1024)
    monkeypatch.setattr(_git_objects, "MOST_BYTES", 1024 * 1024)
    assert older(repository) == [(first, A)]


def delta(base_size: int, size: int, body: bytes) -> bytes:
    return varint(base_size) + varint(size) + body


def offset_delta(made: bytes, back: int) -> bytes:
    """An entry whose base lies ``back`` bytes before it, at most 127."""
    return header(6, len(made)) + bytes([back]) + zlib.compress(made)


def with_content_in_a_pack(repository: Repository, *entries: Entry) -> list[tuple[str, bytes]]:
    """Contents of a file whose second version only the made pack holds."""
    repository.line({"a.json": A}, {"a.json": B})
    repository.loose(blob_id(B)).unlink()
    repository.add_pack(entries)
    return [(commit[:0], content) for commit, content in older(repository)]


B_NAME = bytes.fromhex(blob_id(B))
BASE = header(3, len(A)) + zlib.compress(A)
INSERT_B = delta(len(A), len(B), bytes([len(B)]) + B)


@pytest.mark.parametrize("by", ["offset", "name"])
def test_content_that_is_a_delta_is_put_together(repository: Repository, by: str) -> None:
    base = Entry(name=b"\x01" * 20, data=BASE)
    data = offset_delta(INSERT_B, len(BASE))
    if by == "name":
        data = header(7, len(INSERT_B)) + base.name + zlib.compress(INSERT_B)
    found = with_content_in_a_pack(repository, base, Entry(name=B_NAME, data=data))
    assert found == [("", B), ("", A)]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(offset_delta(delta(len(A), 1 << 40, INSERT_B), len(BASE)), id="bomb"),
        pytest.param(header(3, 1 << 40) + zlib.compress(B), id="huge"),
        pytest.param(header(3, 3) + zlib.compress(bytes(1_000_000)), id="longer than it says"),
        pytest.param(offset_delta(INSERT_B, 0), id="its own base"),
        pytest.param(offset_delta(INSERT_B, 127), id="base before the pack"),
        pytest.param(offset_delta(INSERT_B, 3), id="base inside another entry"),
        pytest.param(header(7, 9) + B_NAME + zlib.compress(INSERT_B), id="its own base by name"),
        pytest.param(header(7, 9) + b"\x09" * 20 + zlib.compress(INSERT_B), id="absent base"),
        pytest.param(offset_delta(b"\xff" * 30, len(BASE)), id="size without end"),
        pytest.param(offset_delta(b"", len(BASE)), id="empty delta"),
        pytest.param(header(6, 9) + b"\xff" * 2000, id="distance without end"),
        pytest.param(b"\xff" * 2000, id="header without end"),
        pytest.param(header(5, 3) + zlib.compress(B), id="unknown kind"),
        pytest.param(header(0, 3) + zlib.compress(B), id="no kind"),
        pytest.param(header(3, len(B)), id="no content"),
        pytest.param(header(3, len(B)) + b"garbage", id="garbage"),
        pytest.param(b"", id="nothing"),
    ],
)
def test_hostile_entry_of_a_pack_is_no_content(repository: Repository, data: bytes) -> None:
    base = Entry(name=b"\x01" * 20, data=BASE)
    found = with_content_in_a_pack(repository, base, Entry(name=B_NAME, data=data))
    assert found == [("", A)]


def copies(base_size: int, *pieces: int) -> bytes:
    """A delta that copies the beginning of its base, so many bytes each time."""
    body = b"".join(b"\xb0" + piece.to_bytes(2, "little") for piece in pieces)
    return delta(base_size, sum(pieces), body)


@pytest.mark.parametrize(("limit", "left"), [(1200, [b"9" * 1200, A]), (1199, [A])])
def test_delta_that_unpacks_to_more_than_the_limit_is_left_out(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, limit: int, left: list[bytes]
) -> None:
    monkeypatch.setattr(_git_objects, "MOST_BYTES", limit)
    whole = header(3, 600) + zlib.compress(b"9" * 600)
    found = with_content_in_a_pack(
        repository,
        Entry(name=b"\x01" * 20, data=whole),
        Entry(name=B_NAME, data=offset_delta(copies(600, 600, 600), len(whole))),
    )
    assert [content for _, content in found] == left


@pytest.mark.parametrize(("limit", "left"), [(1200, [b"9" * 6, A]), (1199, [A])])
def test_content_made_from_more_than_the_limit_is_left_out(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, limit: int, left: list[bytes]
) -> None:
    monkeypatch.setattr(_git_objects, "MOST_BYTES", limit)
    whole = header(3, 600) + zlib.compress(b"9" * 600)
    middle = offset_delta(copies(600, 600, 600), len(whole))
    found = with_content_in_a_pack(
        repository,
        Entry(name=b"\x01" * 20, data=whole),
        Entry(name=b"\x02" * 20, data=middle),
        Entry(name=B_NAME, data=offset_delta(copies(1200, 6), len(middle))),
    )
    assert [content for _, content in found] == left


@pytest.mark.parametrize(("links", "left"), [(3, [B, A]), (2, [A])])
def test_chain_of_more_deltas_than_git_makes_is_too_much(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, links: int, left: list[bytes]
) -> None:
    monkeypatch.setattr(_git_objects, "_MOST_CHAIN", links)
    same = offset_delta(copies(len(A), len(A)), len(BASE))
    found = with_content_in_a_pack(
        repository,
        Entry(name=b"\x01" * 20, data=BASE),
        Entry(name=b"\x02" * 20, data=same),
        Entry(name=B_NAME, data=offset_delta(INSERT_B, len(same))),
    )
    assert [content for _, content in found] == left


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"tree x\n",
        b"tree %(tree)s\nauthor\n",
        b"parent x\ntree %(tree)s\n\n",
        b"tree %(tree)s\ncommitter A <a> x +0000\n\n",
        b"tree %(tree)s\nparent x\ncommitter A <a> 1 +0000\n\n",
    ],
)
def test_commit_that_cannot_be_parsed_ends_the_history_there(
    repository: Repository, text: bytes
) -> None:
    first, second = repository.line({"a.json": A}, {"a.json": B})
    say(repository, first, text)
    assert older(repository) == [(second, B)]


@pytest.mark.parametrize("time", [b"", b"committer A <a> 99999999999999999999 +0000\n"])
def test_commit_of_no_time_or_of_any_is_read(repository: Repository, time: bytes) -> None:
    first, second = repository.line({"a.json": A}, {"a.json": B})
    say(repository, first, b"tree %(tree)s\n" + time + b"\n")
    assert older(repository) == [(second, B), (first, A)]


def say(repository: Repository, name: str, text: bytes) -> None:
    """Put other words under the name of a commit."""
    path = repository.loose(name)
    tree = zlib.decompress(path.read_bytes()).split()[2]
    text = text.replace(b"%(tree)s", tree)
    path.unlink()
    path.write_bytes(zlib.compress(b"commit %d\0%b" % (len(text), text)))


def test_deltas_of_each_other_end(repository: Repository) -> None:
    other = b"\x01" * 20
    found = with_content_in_a_pack(
        repository,
        Entry(name=other, data=header(7, len(INSERT_B)) + B_NAME + zlib.compress(INSERT_B)),
        Entry(name=B_NAME, data=header(7, len(INSERT_B)) + other + zlib.compress(INSERT_B)),
    )
    assert found == [("", A)]


def test_long_chain_of_large_deltas_is_too_much(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_git_objects, "_MOST_CHAIN_BYTES", len(A) + len(INSERT_B) - 1)
    base = Entry(name=b"\x01" * 20, data=BASE)
    data = offset_delta(INSERT_B, len(BASE))
    assert with_content_in_a_pack(repository, base, Entry(name=B_NAME, data=data)) == [("", A)]


@pytest.mark.parametrize("suffix", ["idx", "pack"])
@pytest.mark.parametrize("data", [b"", b"\xfftOc\0\0\0\x02", b"\xfftOc\0\0\0\x02" + b"\xff" * 2000])
def test_broken_pack_is_no_history(repository: Repository, suffix: str, data: bytes) -> None:
    repository.line({"a.json": A}, {"a.json": B})
    repository.pack()
    (path,) = (repository.git / "objects" / "pack").glob(f"*.{suffix}")
    path.chmod(0o644)
    path.write_bytes(data)
    assert older(repository) == []


def test_pack_that_may_not_be_read_is_passed_over(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    (name,) = repository.line({"a.json": A})
    repository.add_pack([Entry(name=B_NAME, data=BASE)])

    def refused(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "open", refused)
    assert older(repository) == [(name, A)]


def test_pack_without_its_index_is_passed_over(repository: Repository) -> None:
    (name,) = repository.line({"a.json": A})
    (repository.git / "objects" / "pack" / "a.pack").write_bytes(b"")
    (repository.git / "objects" / "pack" / "b.idx").write_bytes(b"")
    assert older(repository) == [(name, A)]


def test_no_byte_of_a_repository_makes_an_error(repository: Repository) -> None:
    line = [{"results/a.json": b'{"kld": %d}\n' % n * 50} for n in range(4)]
    repository.line(*line)
    repository.pack()
    known = {files["results/a.json"] for files in line}
    files = [*(repository.git / "objects" / "pack").iterdir()]
    draw = random.Random(20260909)  # noqa: S311 - the same damage every time
    for _ in range(200):
        path = draw.choice(files)
        whole = path.read_bytes()
        at = draw.randrange(len(whole))
        path.chmod(0o644)
        path.write_bytes(whole[:at] + bytes([draw.randrange(256)]) + whole[at + 1 :])
        assert len(older(repository, "results/a.json")) <= len(known)
        path.write_bytes(whole)


def test_repository_runs_nothing_that_its_configuration_names(
    repository: Repository, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    config = "".join(
        f"[{section}]\n\t{key} = {program}\n"
        for section, key in (
            ("core", "fsmonitor"),
            ("core", "sshCommand"),
            ('filter "x"', "smudge"),
            ('filter "x"', "process"),
            ('diff "x"', "textconv"),
        )
    )
    attributes = b"* filter=x diff=x"
    (name,) = repository.line({"a.json": A, ".gitattributes": attributes})
    (repository.folder / ".gitattributes").write_bytes(attributes)
    with (repository.git / "config").open("a") as file:
        file.write(f"{config}[include]\n\tpath = {tmp_path / 'pipe'}\n")
    os.mkfifo(tmp_path / "pipe")
    assert older(repository) == [(name, A)]
    assert not ran.exists()
