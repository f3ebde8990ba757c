"""Rules of our own format that a schema cannot say: names are unique, references are known."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from verifier.formats._records import violation
from verifier.jsontext import pointer
from verifier.model.bundle import Violation
from verifier.model.files import FileKind

PATH = "bundle.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Paths:
    """Which paths a record may name.

    Attributes:
        present: every entry of the bundle.
        promised: paths of the seal. A file that the seal promises and that is absent is the
            business of the sealed-members check, where a policy may allow it.
    """

    present: Mapping[str, FileKind]
    promised: frozenset[str]

    def held(self, path: str) -> bool:
        """Whether something lies at this path, of whatever kind."""
        return path in self.present

    def known(self, path: str) -> bool:
        """Whether a regular file lies at this path or the seal promises one."""
        if path in self.present:
            return self.present[path] == "file"
        return path in self.promised

    def known_folder(self, path: str) -> bool:
        """Whether anything lies or is promised below this path."""
        folder = f"{path}/"
        return any(name.startswith(folder) for name in (*self.present, *self.promised))


def share_files(document: Any) -> bool:
    """Whether two arms name one file, always a violation: many would read it for hours."""
    named = [path for arm in document["arms"] for path in {*arm["files"].values()}]
    return len(set(named)) < len(named)


def _shared_files(document: Any) -> Iterator[Violation]:
    owners: dict[str, str] = {}
    for index, arm in enumerate(document["arms"]):
        for name, path in arm["files"].items():
            # An arm that stands twice is a violation of its own.
            if owners.setdefault(path, arm["name"]) != arm["name"]:
                yield violation(
                    PATH,
                    pointer("arms", index, "files", name),
                    expected="a file of its own",
                    actual=path,
                    message="Each arm keeps its own files.",
                )


def broken_bundle(document: Any, paths: Paths) -> Iterator[Violation]:
    """What a schema-valid bundle.json gets wrong about itself and its files."""
    yield from _shared_files(document)
    for name in ("windows", "arms", "images", "sources"):
        key = "id" if name == "windows" else "name"
        yield from repeated(PATH, document[name], key, under=(name,))
    yield from _arms(document, paths)
    yield from _images(document, paths)
    for index, entry in enumerate(document.get("documents", ())):
        for name in ("path", "claims"):
            if name in entry:
                yield from unnamed(PATH, pointer("documents", index, name), entry[name], paths)


def repeated(
    path: str, entries: Iterable[Any], key: str, *, under: tuple[str, ...]
) -> Iterator[Violation]:
    """One violation per entry whose key an earlier entry has."""
    seen: set[str] = set()
    for index, entry in enumerate(entries):
        if entry[key] in seen:
            yield violation(
                path,
                pointer(*under, index, key),
                expected=f"each {key} once",
                actual=entry[key],
                message="Two entries of one name cannot be told apart.",
            )
        seen.add(entry[key])


def unnamed(path: str, place: str, target: str, paths: Paths) -> Iterator[Violation]:
    """A violation when a record names a file that neither exists nor is promised by the seal."""
    if not paths.known(target):
        yield violation(
            path,
            place,
            expected=f"a regular file {target}",
            actual=paths.present.get(target, "absent"),
            message="Restore the file, or do not name it.",
        )


def unknown(path: str, place: str, name: str, known: Iterable[str]) -> Iterator[Violation]:
    """A violation when a record names something that bundle.json does not list."""
    names = tuple(known)
    if name not in names:
        yield violation(
            path,
            place,
            expected=f"one of {', '.join(names)}" if names else "no name, because none is listed",
            actual=name,
            message="Name an entry of bundle.json.",
        )


def broken_sources(path: str, runtime: Any, document: Any) -> Iterator[Violation]:
    """Sources that a runtime record gives a revision of, though bundle.json knows no such."""
    versioned = [entry["name"] for entry in document["sources"] if entry["kind"] != "file"]
    for name in runtime.get("sources", {}):
        yield from unknown(path, pointer("sources", name), name, versioned)


def _arms(document: Any, paths: Paths) -> Iterator[Violation]:
    images = [image["name"] for image in document["images"]]
    for index, arm in enumerate(document["arms"]):
        place = pointer("arms", index)
        files = arm["files"]
        if arm["image"] is not None:
            yield from unknown(PATH, f"{place}/image", arm["image"], images)
        elif "launch" in files or "runtime" in files:
            yield violation(
                PATH,
                f"{place}/image",
                expected="the name of an image",
                actual="null",
                message="An arm with a launch or runtime file names the image that ran.",
            )
        if "repeats" in arm:
            yield from _repeat(document["arms"], index)
        for name, path in files.items():
            if name == "counters" and paths.known_folder(path):
                continue
            yield from unnamed(PATH, f"{place}/files/{name}", path, paths)


def _repeat(arms: Any, index: int) -> Iterator[Violation]:
    """A repeat is another run of an earlier arm with the same image, and of none that repeats."""
    arm, earlier = arms[index], arms[:index]
    first = next((other for other in earlier if other["name"] == arm["repeats"]), None)
    taken = [
        other.get("run")
        for other in earlier
        if arm["repeats"] in (other["name"], other.get("repeats"))
    ]
    if (
        first is None
        or "repeats" in first
        or first["image"] != arm["image"]
        or None in taken
        or arm.get("run") in (None, *taken)
    ):
        yield violation(
            PATH,
            pointer("arms", index, "repeats"),
            expected="an earlier arm that repeats none, with the same image and another run",
            actual=arm["repeats"],
            message="Name the first run of this configuration, and give each run its number.",
        )


def _images(document: Any, paths: Paths) -> Iterator[Violation]:
    parents = {image["name"]: image.get("parent") for image in document["images"]}
    for index, image in enumerate(document["images"]):
        place = pointer("images", index)
        if "parent" in image:
            yield from unknown(PATH, f"{place}/parent", image["parent"], parents)
            if _is_own_ancestor(image["name"], parents):
                yield violation(
                    PATH,
                    f"{place}/parent",
                    expected="an image that was built before",
                    actual=image["parent"],
                    message="No image is built on itself.",
                )
        if "layout" in image and not paths.known_folder(image["layout"]):
            yield violation(
                PATH,
                f"{place}/layout",
                expected=f"files below {image['layout']}/",
                actual="none",
                message="Restore the documents, or do not name the folder.",
            )


def _is_own_ancestor(name: str, parents: Mapping[str, str | None]) -> bool:
    ancestor = parents[name]
    for _ in parents:
        if ancestor is None or ancestor == name:
            break
        ancestor = parents.get(ancestor)
    return ancestor == name
