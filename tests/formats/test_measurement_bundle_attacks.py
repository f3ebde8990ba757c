"""Hostile or careless bundles: each change breaks exactly the named rule, and nothing raises."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.memory import MemoryStore
from tests.support.own_bundle import (
    Documents,
    documents,
    packed,
    places,
    read,
    scrape,
    sealed,
    sha256,
    violations,
)
from verifier import seal
from verifier.catalog import SCHEMAS
from verifier.formats.measurement_bundle import READER
from verifier.model.bundle import Retired

Change = Callable[[Documents], Any]


def _bundle(files: Documents) -> Any:
    return files["bundle.json"]


def _fp8(files: Documents) -> Any:
    return files["arms/fp8/windows.json"]


BROKEN: dict[str, tuple[Change, list[str]]] = {
    "no arms": (lambda f: _bundle(f)["arms"].clear(), ["bundle.json#/arms"]),
    "no windows": (lambda f: _bundle(f)["windows"].clear(), ["bundle.json#/windows"]),
    "no figures": (lambda f: f["figures.json"].clear(), ["figures.json"]),
    "no scores": (lambda f: _fp8(f)["windows"].clear(), ["arms/fp8/windows.json#/windows"]),
    "no values": (
        lambda f: _fp8(f)["windows"][0]["values"].clear(),
        ["arms/fp8/windows.json#/windows/0/values"],
    ),
    "another format": (
        lambda f: _bundle(f).update(format="measurement-bundle/2"),
        ["bundle.json#/format"],
    ),
    "an unknown field": (lambda f: _bundle(f).update(tolerance=1), ["bundle.json#/tolerance"]),
    "a window twice in the panel": (
        lambda f: _bundle(f)["windows"].append(_bundle(f)["windows"][0]),
        ["bundle.json#/windows/2/id"],
    ),
    "a window twice in an arm": (
        lambda f: _fp8(f)["windows"].append(_fp8(f)["windows"][0]),
        ["arms/fp8/windows.json#/windows/2/id"],
    ),
    "an arm twice": (
        lambda f: _bundle(f)["arms"].append(_bundle(f)["arms"][0]),
        ["bundle.json#/arms/2/name"],
    ),
    "an image twice": (
        lambda f: _bundle(f)["images"].append(_bundle(f)["images"][0]),
        ["bundle.json#/images/2/name"],
    ),
    "a source twice": (
        lambda f: _bundle(f)["sources"].append(_bundle(f)["sources"][1]),
        ["bundle.json#/sources/2/name"],
    ),
    "a figure id twice": (
        lambda f: f["figures.json"][1].update(id="fp8/kld"),
        ["figures.json#/1/id"],
    ),
    "a figure of an unknown arm": (
        lambda f: f["figures.json"][0].update(measure={"statistic": "mean", "arm": "bf16"}),
        ["figures.json#/0/measure/arm"],
    ),
    "a figure under an unknown recipe": (
        lambda f: f["figures.json"][1]["interval"].update(recipe="bca99"),
        ["figures.json#/1/interval/recipe"],
    ),
    "a null that ends no interval": (
        lambda f: f["figures.json"][0].update(published=None),
        ["figures.json#/0/published"],
    ),
    "a figure that is a word": (
        lambda f: f["figures.json"][0].update(published="many"),
        ["figures.json#/0/published"],
    ),
    "a figure that overflows": (
        lambda f: f["figures.json"][0].update(published="1e999"),
        ["figures.json#/0/published"],
    ),
    "a pair of one arm": (
        lambda f: f["figures.json"][0].update(
            measure={"statistic": "mean", "pair": "lower", "arms": ["fp8"]}
        ),
        ["figures.json#/0/measure/arms"],
    ),
    "a measure with code": (
        lambda f: f["figures.json"][0]["measure"].update(code="1+1"),
        ["figures.json#/0/measure/code"],
    ),
    "a window file of another arm": (
        lambda f: _fp8(f).update(arm="nvfp4"),
        ["arms/fp8/windows.json#/arm"],
    ),
    "a launch file of another arm": (
        lambda f: f["arms/fp8/launch.json"].update(arm="nvfp4"),
        ["arms/fp8/launch.json#/arm"],
    ),
    "a runtime file of another arm": (
        lambda f: f["arms/fp8/runtime.json"].update(arm="nvfp4"),
        ["arms/fp8/runtime.json#/arm"],
    ),
    "a running source that is not listed": (
        lambda f: f["arms/fp8/runtime.json"].update(sources={"plan": "a" * 40}),
        ["arms/fp8/runtime.json#/sources/plan"],
    ),
    "window scores that are absent": (
        lambda f: f.pop("arms/fp8/windows.json"),
        ["arms/fp8/windows.json", "bundle.json#/arms/0/files/windows"],
    ),
    "a receipt that is absent": (
        lambda f: f.pop("arms/fp8/receipts/w1.json"),
        ["arms/fp8/windows.json#/windows/0/receipt"],
    ),
    "a score file that is absent": (
        lambda f: f.pop("arms/fp8/scores/w1.npz"),
        ["arms/fp8/windows.json#/windows/0/score_path"],
    ),
    "a log that is absent": (
        lambda f: f.pop("arms/fp8/startup.log"),
        ["bundle.json#/arms/0/files/startup_log"],
    ),
    "a launch file that is absent": (
        lambda f: f.pop("arms/fp8/launch.json"),
        ["bundle.json#/arms/0/files/launch"],
    ),
    "two arms with one file of window scores": (
        lambda f: _bundle(f)["arms"][1]["files"].update(windows="arms/fp8/windows.json"),
        ["bundle.json#/arms/1/files/windows"],
    ),
    "two arms with one folder of counters": (
        lambda f: _bundle(f)["arms"][1]["files"].update(counters="arms/fp8/counters"),
        ["bundle.json#/arms/1/files/counters"],
    ),
    "two windows with one score file": (
        lambda f: _fp8(f)["windows"][1].update(score_path="arms/fp8/scores/w1.npz"),
        ["arms/fp8/windows.json#/windows/1/score_path"],
    ),
    "counters that are absent": (
        lambda f: _bundle(f)["arms"][0]["files"].update(counters="arms/fp8/none"),
        ["bundle.json#/arms/0/files/counters"],
    ),
    "a document that is absent": (
        lambda f: f.pop("notes.txt"),
        ["bundle.json#/documents/0/path"],
    ),
    "image documents that are absent": (
        lambda f: _bundle(f)["images"][1].update(layout="images/none"),
        ["bundle.json#/images/1/layout"],
    ),
    "an arm on an unknown image": (
        lambda f: _bundle(f)["arms"][0].update(image="other"),
        ["bundle.json#/arms/0/image"],
    ),
    "an image although none is listed": (
        lambda f: _bundle(f).update(images=[]),
        ["bundle.json#/arms/0/image", "bundle.json#/arms/1/image"],
    ),
    "a launch without an image": (
        lambda f: _bundle(f)["arms"][0].update(image=None),
        ["bundle.json#/arms/0/image"],
    ),
    "an unknown parent": (
        lambda f: _bundle(f)["images"][1].update(parent="other"),
        ["bundle.json#/images/1/parent"],
    ),
    "images built on each other": (
        lambda f: _bundle(f)["images"][0].update(parent="capture"),
        ["bundle.json#/images/0/parent", "bundle.json#/images/1/parent"],
    ),
    "an image above two that are built on each other": (
        lambda f: (
            f["bundle.json"]["images"][0].update(parent="capture"),
            f["bundle.json"]["images"].append({"name": "top", "role": "base", "parent": "capture"}),
        ),
        ["bundle.json#/images/0/parent", "bundle.json#/images/1/parent"],
    ),
    "a file source with a revision": (
        lambda f: _bundle(f)["sources"][1].update(revision="a" * 40),
        ["bundle.json#/sources/1"],
    ),
    "a git source without a revision": (
        lambda f: _bundle(f)["sources"][0].pop("revision"),
        ["bundle.json#/sources/0"],
    ),
    "a branch for a revision": (
        lambda f: _bundle(f)["sources"][0].update(revision="main"),
        ["bundle.json#/sources/0/revision"],
    ),
    "a path out of the bundle": (
        lambda f: _bundle(f)["arms"][0]["files"].update(windows="../../etc/passwd"),
        ["bundle.json#/arms/0/files/windows"],
    ),
    "a window id that is a path": (
        lambda f: _bundle(f)["windows"][0].update(id="../w1"),
        ["bundle.json#/windows/0/id"],
    ),
    "a receipt that retires an unknown raw file": (
        lambda f: f["arms/fp8/receipts/w1.json"].update(raw=None),
        ["arms/fp8/receipts/w1.json#/raw"],
    ),
    "a receipt that retires before anybody knows when it scored": (
        lambda f: f["arms/fp8/receipts/w1.json"].update(scored_at=None),
        ["arms/fp8/receipts/w1.json#/scored_at"],
    ),
    "a hash in capitals": (
        lambda f: f["arms/fp8/receipts/w1.json"].update(token_sha256="A" * 64),
        ["arms/fp8/receipts/w1.json#/token_sha256"],
    ),
    "two hundred million resamples": (
        lambda f: _bundle(f)["protocol"]["intervals"]["bca95"].update(resamples=200_000_000),
        ["bundle.json#/protocol/intervals/bca95/resamples"],
    ),
    "raw logits that are absent": (
        lambda f: _fp8(f)["windows"][0].update(raw_path="arms/fp8/raw/w1"),
        ["arms/fp8/windows.json#/windows/0/raw_path"],
    ),
    "a title that moves the cursor": (
        lambda f: _bundle(f).update(title="\x1b[2J"),
        ["bundle.json#/title"],
    ),
}


@pytest.mark.parametrize("attack", BROKEN)
def test_a_broken_rule_is_a_violation_at_its_place(attack: str) -> None:
    change, expected = BROKEN[attack]
    files = documents()
    change(files)
    bundle = read(files)
    assert sorted(places(bundle)) == expected
    assert all(item.message and item.expected and item.actual for item in violations(bundle))


def test_a_bundle_with_one_broken_record_keeps_only_what_can_be_trusted() -> None:
    files = documents()
    files["arms/fp8/receipts/w1.json"]["rows"] = 0
    store = MemoryStore(sealed(packed(files)))
    bundle = READER.read(store, SCHEMAS)
    assert not bundle.readable
    assert places(bundle) == ["arms/fp8/receipts/w1.json#/rows"]
    assert (bundle.id, bundle.title, bundle.arms, bundle.figures) == ("memory", "", (), ())
    assert bundle.members == store.members
    assert bundle.seal is not None


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", b"[]", b"null", b"[" * 100 + b"]" * 100, b'{"format": NaN}', b"\xff"],
)
@pytest.mark.parametrize("path", sorted(path for path in documents() if path.endswith(".json")))
def test_a_record_of_rubbish_is_a_violation_or_a_problem_of_its_image(
    path: str, content: bytes
) -> None:
    bundle = read({**documents(), path: content})
    if path.startswith("images/"):
        (found,) = (d for image in bundle.images for d in image.documents if d.path == path)
        assert found.problem
    else:
        assert {place.partition("#")[0] for place in places(bundle)} == {path}


def test_a_link_where_a_record_belongs_is_not_followed() -> None:
    files = packed(documents())
    del files["arms/fp8/receipts/w1.json"], files["arms/fp8/scores/w1.npz"]
    store = MemoryStore(
        files,
        others={"arms/fp8/receipts/w1.json": "symlink", "arms/fp8/scores/w1.npz": "fifo"},
    )
    bundle = READER.read(store, SCHEMAS)
    assert sorted((item.location, item.actual) for item in violations(bundle)) == [
        ("arms/fp8/receipts/w1.json", "arms/fp8/receipts/w1.json: no such regular file"),
        ("arms/fp8/windows.json#/windows/0/receipt", "symlink"),
        ("arms/fp8/windows.json#/windows/0/score_path", "fifo"),
    ]


def test_a_file_that_the_seal_promises_is_left_to_the_seal() -> None:
    files = sealed(packed(documents()))
    gone = (
        "arms/fp8/receipts/w1.json",
        "arms/fp8/scores/w1.npz",
        "arms/fp8/launch.json",
        "arms/fp8/startup.log",
        "notes.txt",
    )
    for path in gone:
        del files[path]
    bundle = READER.read(MemoryStore(files), SCHEMAS)
    assert places(bundle) == []
    arm = bundle.arms[0]
    assert [receipt.window for receipt in arm.receipts] == ["w2"]
    assert [window.rows_path for window in arm.windows] == [None, "arms/fp8/scores/w2.npz"]
    assert not any(claim.location.startswith("arms/fp8/launch") for claim in bundle.image_claims)


def test_window_scores_are_needed_even_when_the_seal_promises_them() -> None:
    files = sealed(packed(documents()))
    del files["arms/fp8/windows.json"]
    assert places(READER.read(MemoryStore(files), SCHEMAS)) == ["arms/fp8/windows.json"]


def test_an_arm_without_image_launch_and_runtime_names_none() -> None:
    files = documents()
    arm = _bundle(files)["arms"][0]
    arm["image"] = None
    del arm["files"]["launch"], arm["files"]["runtime"]
    bundle = read(files)
    assert places(bundle) == []
    assert not any(claim.location.startswith("arms/fp8/") for claim in bundle.image_claims)


def _sealed_with(change: Callable[[Any], Any]) -> list[str]:
    retired = (
        Retired(
            path="arms/fp8/raw/w1",
            sha256=sha256("raw fp8 w1"),
            size=80,
            receipt="arms/fp8/receipts/w1.json",
            location="",
        ),
    )
    files = sealed(packed(documents()), retired)
    document = json.loads(files[seal.PATH])
    change(document)
    files[seal.PATH] = json.dumps(document).encode()
    bundle = READER.read(MemoryStore(files), SCHEMAS)
    assert (bundle.seal is None) == bool(places(bundle))
    return places(bundle)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda s: s.update(sealed_at="2026-01-03T00:00:00Z"), []),
        (lambda s: s["files"].append(s["files"][0]), ["seal.json#/files/31/path"]),
        (lambda s: s["retired"].append(s["retired"][0]), ["seal.json#/retired/1/path"]),
        (lambda s: s["files"].clear(), ["seal.json#/files"]),
        (lambda s: s["files"][0].update(path="../up"), ["seal.json#/files/0/path"]),
        (lambda s: s["files"][0].update(path="/abs"), ["seal.json#/files/0/path"]),
        (lambda s: s["files"][0].update(sha256="0"), ["seal.json#/files/0/sha256"]),
        (lambda s: s["files"][0].update(size=2**60), ["seal.json#/files/0/size"]),
        (lambda s: s.pop("root"), ["seal.json"]),
    ],
)
def test_a_malformed_seal_is_a_violation_and_no_seal(
    change: Callable[[Any], Any], expected: list[str]
) -> None:
    assert _sealed_with(change) == expected


def test_a_counter_file_in_json_gives_the_same_readings() -> None:
    files = documents()
    files["bundle.json"]["arms"][0]["files"]["counters"] = "arms/fp8/counters.json"
    series = [{"labels": {"engine": "0", "a": "b"}, "value": 0}]
    readings = [{"window": "w1", "phase": "before", "series": series}]
    document = {
        "format": "measurement-bundle/1",
        "arm": "fp8",
        "metric": "vllm:prefix_cache_hits_total",
        "readings": readings,
    }
    files["arms/fp8/counters.json"] = document
    (found,) = read(files).arms[0].counters or ()
    assert (found.location, found.window, found.phase) == (
        "arms/fp8/counters.json#/readings/0",
        "w1",
        "before",
    )
    assert found.series[0].labels == (("a", "b"), ("engine", "0"))
    assert type(found.series[0].value) is float
    readings.append(readings[0])
    document["arm"] = "nvfp4"
    assert places(read(files)) == [
        "arms/fp8/counters.json#/arm",
        "arms/fp8/counters.json#/readings/1",
    ]
    files["arms/fp8/counters.json"] = b"{"
    assert places(read(files)) == ["arms/fp8/counters.json"]


@pytest.mark.parametrize(
    ("content", "values", "problem"),
    [
        (scrape(1.0), [1.0], ""),
        (scrape(0.0) + scrape(2.0), [0.0, 2.0], ""),
        (b"", [], ""),
        (b"vllm:prefix_cache_hits 3\n", [], ""),
        (b"vllm:prefix_cache_hits_created 3\n", [], ""),
        (b"vllm:prefix_cache_hits_total {\n", [], "no Prometheus text: "),
        (b"vllm:prefix_cache_hits_total zero\n", [], "no Prometheus text: "),
        (b"\xff\n", [], "'utf-8' codec can't decode"),
        (b"a" * 16_385, [], "a line of more than 16384 characters"),
        (b"# x\n" * 1_048_577, [], "4194308 bytes are no scrape"),
    ],
    ids=["one", "two", "empty", "no suffix", "created", "brace", "word", "bytes", "line", "size"],
)
def test_a_scrape_gives_its_series_or_says_why_not(
    content: bytes, values: list[float], problem: str
) -> None:
    files = documents()
    files["arms/fp8/counters/w1.before.prom"] = content
    counters = read(files).arms[0].counters or ()
    (found,) = (item for item in counters if (item.window, item.phase) == ("w1", "before"))
    assert [series.value for series in found.series] == values
    assert found.problem.startswith(problem)
    assert bool(found.problem) == bool(problem)


def test_other_files_among_the_scrapes_and_missing_scrapes_are_left_to_the_checks() -> None:
    files = documents()
    del files["arms/fp8/counters/w1.before.prom"]
    files["arms/fp8/counters/notes.txt"] = b"x"
    files["arms/fp8/counters/deep/w1.before.prom"] = scrape(0.0)
    counters = read(files).arms[0].counters or ()
    assert [(item.window, item.phase) for item in counters] == [
        ("w1", "after"),
        ("w2", "after"),
        ("w2", "before"),
    ]


def test_a_scrape_that_is_a_link_is_a_problem() -> None:
    files = packed(documents())
    path = "arms/fp8/counters/w1.before.prom"
    del files[path]
    bundle = READER.read(MemoryStore(files, others={path: "symlink"}), SCHEMAS)
    (found,) = (item for item in bundle.arms[0].counters or () if item.location == path)
    assert found.problem == f"{path}: no such regular file"


RECORDS = sorted(path for path, content in documents().items() if isinstance(content, dict | list))


def _paths(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found: list[tuple[Any, ...]] = []
    for key, item in items:
        found.append((*at, key))
        if isinstance(item, dict | list):
            found += _paths(item, (*at, key))
    return found


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.text(max_size=5),
    st.floats(allow_nan=False, allow_infinity=False),
    st.just([]),
    st.just({}),
    st.just([{}]),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_no_value_anywhere_makes_the_reader_raise(data: st.DataObject) -> None:
    files = documents()
    path = data.draw(st.sampled_from(RECORDS))
    *parents, last = data.draw(st.sampled_from(_paths(files[path])))
    holder = files[path]
    for key in parents:
        holder = holder[key]
    holder[last] = data.draw(JUNK)
    bundle = read(files)
    assert bundle.readable or bundle.arms == ()


def test_arms_that_share_a_file_are_not_read_once_for_each_of_them() -> None:
    files = documents()
    arms = _bundle(files)["arms"]
    arms += [{**arms[0], "name": f"arm{number}"} for number in range(3)]
    store = _Counting(packed(files))

    bundle = READER.read(store, SCHEMAS)

    assert places(bundle)[0] == "bundle.json#/arms/2/files/counters"
    assert len(places(bundle)) == 3 * len(arms[0]["files"])
    assert store.read_paths.count("arms/fp8/windows.json") == 0


def test_an_arm_may_name_one_file_twice() -> None:
    files = documents()
    _bundle(files)["arms"][0]["files"].update(startup_log="arms/fp8/launch.json")

    bundle = read(files)

    assert (places(bundle), [arm.id for arm in bundle.arms]) == ([], ["fp8", "nvfp4"])


class _Counting(MemoryStore):
    """A store that remembers what was read."""

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__(files)
        self.read_paths: list[str] = []

    def read(self, path: str) -> bytes:
        self.read_paths.append(path)
        return super().read(path)


def test_readings_in_json_are_told_apart_by_window_and_phase_together() -> None:
    files = documents()
    files["bundle.json"]["arms"][0]["files"]["counters"] = "arms/fp8/counters.json"
    series = [{"labels": {"engine": "0"}, "value": 0}]
    readings = [
        {"window": window, "phase": phase, "series": series}
        for window in ("w1", "w2")
        for phase in ("before", "after")
    ]
    document = {
        "format": "measurement-bundle/1",
        "arm": "fp8",
        "metric": "vllm:prefix_cache_hits_total",
        "readings": readings,
    }
    files["arms/fp8/counters.json"] = document
    assert places(read(files)) == []
    readings.append(readings[2])
    (again,) = violations(read(files))
    assert (again.location, again.expected, again.actual) == (
        "arms/fp8/counters.json#/readings/4",
        "one reading per window and phase",
        "w2 before",
    )


@pytest.mark.parametrize(("kept", "dropped"), [("launch", "runtime"), ("runtime", "launch")])
def test_a_launch_or_a_runtime_file_alone_needs_the_image_that_ran(kept: str, dropped: str) -> None:
    files = documents()
    arm = _bundle(files)["arms"][0]
    del arm["files"][dropped], files[f"arms/fp8/{dropped}.json"]
    assert f"arms/fp8/{kept}.json" in files
    assert places(read(files)) == []
    arm["image"] = None
    assert places(read(files))[0] == "bundle.json#/arms/0/image"
