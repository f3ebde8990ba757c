"""Which files are read as what, and what the bundle then holds."""

from dataclasses import replace
from hashlib import sha256

import pytest

from tests.support.memory import MemoryStore
from tests.support.published import (
    SINGLE,
    at,
    changed,
    encoded,
    failing,
    family,
    read,
    reference,
    report,
    resealed,
)
from verifier import catalog
from verifier.errors import StoreError, UnknownFormat
from verifier.formats.published_record import READER
from verifier.model.bundle import ReferenceName
from verifier.model.files import FileKind
from verifier.model.measure import Measure

COMPARISON = family()["comparison.json"]


def schemas(files: dict[str, bytes]) -> list[tuple[str, str]]:
    return [(record.path, record.schema) for record in read(files).records]


def test_a_folder_is_read_as_comparison_audit_single_arm_record_and_hash_list() -> None:
    bundle = read(family())

    assert bundle.readable
    assert [(record.path, record.schema, record.published) for record in bundle.records] == [
        ("comparison.json", "published-comparison-1", True),
        ("audit.json", "published-audit-1", False),
        (SINGLE, "published-arm-1", True),
        ("SHA256.json", "sha256-list-1", False),
    ]
    assert [(arm.id, arm.name, arm.location) for arm in bundle.arms] == [
        ("nvfp4", "nvfp4", "comparison.json#/arms/nvfp4"),
        ("fp8", "fp8", "comparison.json#/arms/fp8"),
        (SINGLE, "coupled_full", f"{SINGLE}#"),
    ]
    assert bundle.title == "synthetic.kv-cf8.v1"


def test_key_names_of_both_kinds_of_window_mean_the_same() -> None:
    files = family()
    comparison, single = (read(files).arms[index].windows[3] for index in (0, 2))
    theirs = at(files, "comparison.json#/arms/nvfp4/per_window/3")
    other = at(files, f"{SINGLE}#/per_window/3")

    assert comparison.values == {"kld": theirs["true_decode_mean_kld"]}
    assert comparison.including_prefill == theirs["including_prefill_mean_kld"]
    assert comparison.prefill == theirs["prefill_row_kld"]
    assert (comparison.predicted_rows, comparison.scored_rows) == (2047, 2046)
    assert comparison.raw_bytes == 2047 * 1000 * 4
    assert single.including_prefill == other["mean_kld"]
    assert single.prefill == other["one_token_prefill_kld"]
    assert single.teacher is None
    for window, record, at_ in (
        (comparison, theirs, "comparison.json#/arms/nvfp4/per_window/3"),
        (single, other, f"{SINGLE}#/per_window/3"),
    ):
        for hash_, key in ((window.raw, "raw_sha256"), (window.score, "score"), (window.token, "")):
            assert hash_ is not None
            assert hash_.location.startswith(f"{at_}/{key}")
            assert hash_.value == record[hash_.location.rpartition("/")[2]]


def test_the_panel_is_the_first_arm() -> None:
    bundle = read(family())

    assert [window.id for window in bundle.panel] == [w.window for w in bundle.arms[0].windows]
    assert {window.groups["domain"] for window in bundle.panel} == {"axis1_general", "axis2_legal"}


def test_a_comparison_alone_has_no_seal_and_no_other_record() -> None:
    bundle = read({"comparison.json": COMPARISON})

    assert [record.path for record in bundle.records] == ["comparison.json"]
    assert bundle.seal is None
    assert [arm.id for arm in bundle.arms] == ["nvfp4", "fp8"]


def test_records_under_other_names_are_recognised_by_their_shape() -> None:
    files = family()
    renamed = {
        "r28.json": files["comparison.json"],
        "checked.json": files["audit.json"],
        "a.json": files[SINGLE],
    }

    assert READER.recognises(MemoryStore(renamed))
    assert schemas(renamed) == [
        ("r28.json", "published-comparison-1"),
        ("checked.json", "published-audit-1"),
        ("a.json", "published-arm-1"),
    ]
    figures = {figure.id for figure in read(renamed).figures}
    assert {"r28.json#/fp8_minus_nvfp4", "checked.json#/arms/0/windows"} <= figures
    assert "a.json#/mean_true_decode_kld" in figures


def test_single_arm_records_in_folders_below_are_read_too() -> None:
    files = {"comparison.json": COMPARISON, f"old/{SINGLE}": family()[SINGLE]}

    assert [arm.id for arm in read(files).arms] == ["nvfp4", "fp8", f"old/{SINGLE}"]


def test_json_files_of_another_shape_are_no_records() -> None:
    files = {
        "comparison.json": COMPARISON,
        "list.json": b"[1, 2]",
        "text.json": b'"per_window"',
        "package.json": b'{"arms": [], "version": 3}',
        "arms.json": b'{"arms": {"fp8": {}, "n": 3}}',
        "broken.json": b'{"a": NaN}',
        "broken-too.json": b"",
        "notes.txt": COMPARISON,
    }

    assert [path for path, _ in schemas(files)] == ["comparison.json"]


def test_unknown_json_files_are_still_covered_by_the_seal() -> None:
    files = {**family(), "package.json": b"{}"}

    outcome = next(o for o in report(files).outcomes if o.check == "sealed-members")

    assert [finding.location for finding in outcome.findings] == ["package.json"]
    assert outcome.status == "FAILED"


@pytest.mark.parametrize(
    "files",
    [
        {"bundle.json": b"{}", "comparison.json": COMPARISON},
        {SINGLE: family()[SINGLE]},
        {"audit.json": family()["audit.json"]},
        {"r28.json": COMPARISON[:-1]},
        {"SHA256.json": COMPARISON},
        {"README.md": b""},
    ],
    ids=["our own format", "single arm", "audit", "broken, other name", "hash list", "text"],
)
def test_folders_without_a_comparison_are_not_recognised(files: dict[str, bytes]) -> None:
    assert not READER.recognises(MemoryStore(files))


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        (["comparison.json", "other.json"], "comparison.json, other.json"),
        (["comparison.json", "old/comparison.json"], "comparison.json, old/comparison.json"),
        (["a/comparison.json", "b/comparison.json"], "a/comparison.json, b/comparison.json"),
        (["r27/comparison.json"], "r27/comparison.json"),
        (["comparison.json", "\x1b[2J.json"], "\\x1b[2J.json, comparison.json"),
        (
            [f"{number}.json" for number in range(10)],
            ", ".join(f"{number}.json" for number in range(8)) + " and 2 more",
        ),
    ],
)
def test_anything_but_one_comparison_at_the_root_asks_for_a_name(
    paths: list[str], found: str
) -> None:
    store = MemoryStore(dict.fromkeys(paths, COMPARISON), name="records")

    assert READER.recognises(store)
    with pytest.raises(UnknownFormat) as caught:
        READER.read(store, catalog.SCHEMAS)

    assert caught.value.message == (
        f"records: expected one comparison record at the root of the folder, found {found}"
    )
    assert caught.value.hint == "Name one of them, or the folder it lies in."


def test_a_comparison_with_another_records_shape_is_a_broken_comparison() -> None:
    bundle = read({"comparison.json": family()[SINGLE]})

    assert [record.schema for record in bundle.records] == ["published-comparison-1"]
    assert [v.location for v in bundle.records[0].violations] == ["comparison.json"]
    assert bundle.records[0].violations[0].expected == "a field 'arms'"


@pytest.mark.parametrize("kind", ["symlink", "fifo"])
@pytest.mark.parametrize("path", ["comparison.json", "audit.json", "SHA256.json", "SHA256SUMS"])
def test_a_record_that_is_no_regular_file_is_a_violation(path: str, kind: FileKind) -> None:
    files = {name: data for name, data in family().items() if name != path}
    bundle = READER.read(MemoryStore(files, others={path: kind}), catalog.SCHEMAS)

    broken = [record for record in bundle.records if record.violations]
    assert [record.path for record in broken] == [path]
    assert [flaw.expected for flaw in broken[0].violations] == ["a readable file"]


def test_other_links_named_json_are_left_to_the_seal() -> None:
    bundle = READER.read(MemoryStore(family(), others={"x.json": "symlink"}), catalog.SCHEMAS)

    assert bundle.readable


@pytest.mark.parametrize(
    "data",
    [
        b'{"per_window": [], "per_window": []}',
        b'{"per_window": [{"mean_kld": NaN}]}',
        b'{"per_window": [',
        b'{"per_window": ' + b"[" * 100 + b"]" * 100 + b"}",
        b'{"per_window": [1e400]}',
        b'{"per_window": []} {}',
    ],
)
def test_a_broken_file_that_speaks_of_windows_does_not_vanish(data: bytes) -> None:
    bundle = read({**family(), "later.json": data})

    broken = [record for record in bundle.records if record.violations]
    assert [record.path for record in broken] == ["later.json"]
    assert not bundle.arms


def test_the_named_reference_is_the_sha256_of_its_file() -> None:
    files = family(cross=True)

    assert read(files).reference == ReferenceName(
        location="comparison.json#/reference_comparison_sha256",
        sha256=sha256(reference()["comparison.json"]).hexdigest(),
    )
    assert read(reference()).reference is None


def test_a_record_without_optional_parts_is_valid() -> None:
    window = {
        "window_id": "w",
        "prediction_rows": 3,
        "true_decode_rows": 2,
        "true_decode_mean_kld": 0.5,
    }
    bundle = read({"comparison.json": encoded({"arms": {"a": {"per_window": [window]}}})})

    assert bundle.readable
    assert bundle.title == ""
    assert bundle.figures == ()
    assert (bundle.images, bundle.image_claims, bundle.sources, bundle.flags) == ((), (), (), ())
    entry = bundle.arms[0].windows[0]
    assert entry == replace(
        entry, groups={}, including_prefill=None, prefill=None, raw=None, raw_bytes=None, token=None
    )


def test_other_records_without_optional_parts_are_valid_too() -> None:
    window = {
        "window_id": "w",
        "prediction_rows": 3,
        "true_decode_rows": 2,
        "true_decode_mean_kld": 0.5,
    }
    bundle = read(
        {
            "comparison.json": encoded({"arms": {"a": {"per_window": [window]}}}),
            "audit.json": encoded({"arms": [{"arm": "a"}]}),
            "single.json": encoded({"per_window": [window, {**window, "window_id": "v"}]}),
        }
    )

    assert bundle.readable
    assert (bundle.figures, bundle.sources, bundle.flags) == ((), (), ())
    assert bundle.image_claims == ()
    assert [(arm.id, arm.name) for arm in bundle.arms] == [
        ("a", "a"),
        ("single.json", "single.json"),
    ]
    assert [window.excluded for window in bundle.arms[1].windows] == [(0,), (0,)]


def test_the_image_of_a_single_arm_record_is_a_local_id_of_its_own() -> None:
    files = family()
    claim = read(files).image_claims[-1]

    assert (claim.location, claim.image, claim.kind) == (
        f"{SINGLE}#/conditions/image_id",
        SINGLE,
        "config",
    )
    assert claim.value == at(files, f"{SINGLE}#/conditions/image_id")


def test_the_excluded_rows_of_a_single_arm_record_are_those_that_it_states() -> None:
    files = changed(family(), f"{SINGLE}#/per_window/1/one_token_prefill_rows", 3)

    assert [window.excluded for window in read(files).arms[2].windows[:3]] == [
        (0,),
        (0, 1, 2),
        (0,),
    ]
    assert failing(report(resealed(files))) == {"row-masks"}


def test_a_json_file_that_cannot_be_read_is_left_to_the_seal() -> None:
    class Unreadable(MemoryStore):
        def read(self, path: str) -> bytes:
            if path == "big.json":
                message = "big.json: over the limit"
                raise StoreError(message)
            return super().read(path)

    store = Unreadable({**family(), "big.json": b"[]"})

    assert READER.read(store, catalog.SCHEMAS).readable


def test_a_single_arm_file_called_reference_is_no_arm_of_the_reference() -> None:
    files = {"comparison.json": COMPARISON, "reference:fp8.json": family()[SINGLE]}
    bundle = read(files)

    assert bundle.arms[2].id == "./reference:fp8.json"
    figure = next(f for f in bundle.figures if f.id == "reference:fp8.json#/mean_true_decode_kld")
    assert figure.measure == Measure(statistic="mean", arms=("./reference:fp8.json",))


def test_a_status_other_than_passed_is_a_false_statement() -> None:
    bundle = read(changed(family(), "audit.json#/status", "passed with remarks"))

    values = {flag.location: flag.value for flag in bundle.flags if flag.topic == "record-schema"}
    assert values == {"audit.json#/status": False, f"{SINGLE}#/status": True}


def test_images_follow_the_capture_chain_and_are_named_where_they_stand_first() -> None:
    images = {image.name: image for image in read(family()).images}

    assert {name: image.parent for name, image in images.items()} == {
        "public-base": None,
        "capture": "capture-parent",
        "capture-parent": "capture-base",
        "capture-base": None,
    }
    assert images["capture"].location == "comparison.json#/capture_image_local_id"
    assert {image.role for image in images.values()} == {"base", "capture"}
