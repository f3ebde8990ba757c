"""Records made to break the reader: all end in violations at their place, none in a crash."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from tests.support.memory import MemoryStore
from tests.support.pointers import resolve
from tests.support.published import (
    REMOVED,
    SINGLE,
    changed,
    encoded,
    failing,
    family,
    read,
    report,
    resealed,
)
from verifier import catalog
from verifier.errors import UnknownFormat
from verifier.formats.published_record import READER
from verifier.jsontext import pointer

ARM = "comparison.json#/arms/fp8"
WINDOW = f"{ARM}/per_window/2"
CROSS = "comparison.json#/cross_system_comparison/a b"
ODD: tuple[Any, ...] = (
    None,
    True,
    -1,
    2**63 - 1,
    1e300,
    "",
    "reference:fp8",
    [],
    {},
    [[None]],
    {"per_window": 5},
    [{"arm": 5}],
    {"hook_files": {"a": 5}, "plan_sha256": 5},
    {"/": {"image_id": 1, "hook_files": [1]}},
)


def violations(files: Mapping[str, bytes]) -> list[tuple[str, str, str]]:
    return [
        (flaw.location, flaw.expected, flaw.actual)
        for record in read(files).records
        for flaw in record.violations
    ]


def unknown(files: Mapping[str, bytes]) -> list[str]:
    return [f"{item.path}#{place}" for item in read(files).records for place in item.unknown]


@pytest.mark.parametrize(
    ("place", "value", "location", "expected", "actual"),
    [
        ("comparison.json#", [], "comparison.json", "type object", "a list of 0"),
        ("comparison.json#", {}, "comparison.json", "a field 'arms'", "an object with 0 fields"),
        ("comparison.json#/arms", {}, None, "minProperties 1", "an object with 0 fields"),
        ("comparison.json#/arms", ["fp8"], None, "type object", "a list of 1"),
        (ARM, [], None, "type object", "a list of 0"),
        (f"{ARM}/per_window", [], None, "minItems 1", "a list of 0"),
        (f"{ARM}/per_window", {"0": {}}, None, "type array", "an object with 1 fields"),
        (WINDOW, 7, None, "type object", "7"),
        (f"{WINDOW}/window_id", REMOVED, WINDOW, "a field 'window_id'", "an object with 11 fields"),
        (f"{WINDOW}/window_id", "", None, "minLength 1", "''"),
        (f"{WINDOW}/window_id", 3, None, "type string", "3"),
        (f"{WINDOW}/prediction_rows", 2047.5, None, "type integer", "2047.5"),
        (f"{WINDOW}/prediction_rows", 1e300, None, "maximum 9007199254740991", "1e+300"),
        (f"{WINDOW}/prediction_rows", 0, None, "minimum 1", "0"),
        (f"{WINDOW}/raw_bytes", -1, None, "minimum 0", "-1"),
        (f"{WINDOW}/raw_bytes", 2**63 - 1, None, "maximum 9007199254740991", str(2**63 - 1)),
        (f"{WINDOW}/true_decode_mean_kld", "0.03", None, "type number", "'0.03'"),
        (f"{WINDOW}/true_decode_mean_kld", True, None, "type number", "True"),
        (f"{WINDOW}/true_decode_mean_kld", 1e308, None, "maximum 1000000", "1e+308"),
        (f"{WINDOW}/prefill_row_kld", None, None, "type number", "None"),
        (f"{WINDOW}/raw_sha256", ["a"], None, "type string", "a list of 1"),
        (f"{ARM}/window_bca95", [0.1], None, "minItems 2", "a list of 1"),
        (f"{ARM}/window_bca95", [0.1, 0.2, 0.3], None, "maxItems 2", "a list of 3"),
        (f"{ARM}/window_bca95/1", "0.2", None, "type number or null", "'0.2'"),
        (f"{ARM}/domains", [0.1], None, "type object", "a list of 1"),
        (f"{ARM}/domains/\n", "x", f"{ARM}/domains/\n", "type number", "'x'"),
        ("comparison.json#/fp8_minus_nvfp4", [1], None, "type number", "a list of 1"),
        ("comparison.json#/fp8_lower_windows", 2.5, None, "type integer", "2.5"),
        ("comparison.json#/windows", True, None, "type integer", "True"),
        ("comparison.json#/cross_system_comparison", {"a b": 7}, CROSS, "type object", "7"),
        ("comparison.json#/receipt_audit/0", [], None, "type object", "a list of 0"),
        ("comparison.json#/receipt_audit/0/windows", "8", None, "type integer", "'8'"),
        ("comparison.json#/capture_source/hook_files/~1etc", 5, None, "type string", "5"),
        ("comparison.json#/public_base_image", 5, None, "type string", "5"),
        ("audit.json#/arms", {}, None, "type array", "an object with 0 fields"),
        ("audit.json#/arms", [], None, "minItems 1", "a list of 0"),
        ("audit.json#/arms/0/all_prefix_hit_counters_zero", 1, None, "type boolean", "1"),
        (f"{SINGLE}#/per_window", {}, None, "type array", "an object with 0 fields"),
        (f"{SINGLE}#/per_window", [], None, "minItems 1", "a list of 0"),
        (f"{SINGLE}#/domains", 5, None, "type object", "5"),
        (f"{SINGLE}#/conditions", [], None, "type object", "a list of 0"),
        (f"{SINGLE}#/bootstrap_rng", 5, None, "type string", "5"),
        ("SHA256.json#", {}, "SHA256.json", "minProperties 1", "an object with 0 fields"),
        ("SHA256.json#", [], "SHA256.json", "type object", "a list of 0"),
        ("SHA256.json#/audit.json", 5, None, "type string", "5"),
    ],
)
def test_a_wrong_value_is_one_violation_at_its_place(
    place: str, value: Any, location: str | None, expected: str, actual: str
) -> None:
    files = changed(family(), place, value)

    assert violations(files) == [(location or place, expected, actual)]


@pytest.mark.parametrize(
    "name",
    ["reference:fp8", "", "fp8\n", "a\x1b[2Jb", "x" * 201, f"{SINGLE}", "a\u2028b", "\x85"],
)
@pytest.mark.parametrize(
    "place", ["/arms", "/cross_system_comparison", "/receipt_audit/0/arm", "audit.json#/arms/0/arm"]
)
def test_a_name_that_could_stand_for_another_arm_is_refused(name: str, place: str) -> None:
    place = place if "#" in place else f"comparison.json#{place}"
    named: Any = name if place.endswith("/arm") else (lambda arms: {name: arms["fp8"]})
    files = family(cross=True) if "cross" in place else family()

    found = violations(changed(files, place, named))

    assert [location for location, _, _ in found] == [place]
    assert found[0][1].startswith("an arm name of 1 to 200 printable characters")


@pytest.mark.parametrize("name", ["fp8 (DCP4)", "nvfp4_ds_mla", "a/b~c", "\u4e2d", "a_minus_b"])
def test_an_unusual_arm_name_is_read_and_its_figures_recomputed(name: str) -> None:
    # Every key and name of the arm starts so: "fp8", "fp8_minus_nvfp4", "fp8_lower_windows".
    data = family()["comparison.json"].replace(b'"fp8', json.dumps(name)[:-1].encode())
    files = {"comparison.json": data}
    statuses = {figure.id: figure.status for figure in report(files).figures}

    at = f"comparison.json#{pointer('arms', name)}"
    assert unknown(files) == []
    assert {
        status
        for figure, status in statuses.items()
        if figure.startswith(f"{at}/") and "capacity" not in figure
    } == {"REPRODUCED"}
    for key in (f"{name}_minus_nvfp4", f"{name}_lower_windows"):
        assert statuses[f"comparison.json#{pointer(key)}"] == "REPRODUCED"
    assert statuses["comparison.json#/paired_window_bca95/0"] == "REPRODUCED"


FOREIGN = (
    *(
        f"{ARM}/per_window/2/{key}"
        for key in ("arm", "mean_kld", "one_token_prefill_rows", "scores_sha256")
    ),
    f"{ARM}/windows",
    *(f"comparison.json#/{key}" for key in ("per_window", "producing_analysis_sha256", "status")),
    "audit.json#/arms/0/per_window",
    *(
        f"audit.json#/{key}"
        for key in ("bootstrap_rng", "capture_source", "metric_sha256", "receipt_audit")
    ),
    *(f"{SINGLE}#/{key}" for key in ("arms", "capture_source", "plan_seal", "public_base_image")),
    *(
        f"{SINGLE}#/per_window/2/{key}"
        for key in ("including_prefill_mean_kld", "score_sha256", "token_sha256")
    ),
)


@pytest.mark.parametrize("value", ODD, ids=repr)
def test_fields_of_other_records_are_unknown_and_harmless_whatever_they_hold(value: Any) -> None:
    files: Mapping[str, bytes] = family()
    for place in FOREIGN:
        files = changed(files, place, value)

    found = report(resealed(files))

    assert sorted(unknown(files)) == sorted(FOREIGN)
    assert violations(files) == []
    # A text in the place of a hash is a malformed hash in any record.
    assert failing(found) == ({"source-identities"} if isinstance(value, str) else set())
    assert "ERROR" not in {outcome.status for outcome in found.outcomes}


def test_at_most_a_hundred_violations_are_listed() -> None:
    files = changed(family(), f"{ARM}/per_window", lambda _: [7] * 500)

    found = violations(files)

    assert len(found) == 101
    assert found[-1][:2] == ("comparison.json", "at most 100 violations listed")


def test_a_broken_record_fails_the_schema_check_and_nothing_is_figured() -> None:
    found = report(resealed(changed(family(), f"{ARM}/per_window", [])))

    assert found.verdict == "FAILED"
    assert failing(found) == {"record-schema"}
    assert found.figures == ()


def test_a_window_that_stands_twice_fails_alignment() -> None:
    files = changed(family(), f"{ARM}/per_window", lambda windows: [*windows[:-1], {**windows[-2]}])

    found = report(resealed(files))

    assert found.verdict == "FAILED"
    assert failing(found) == {"window-alignment"}
    mean = next(item for item in found.figures if item.id == f"{ARM}/mean_true_decode_kld")
    assert (mean.status, mean.how) == ("NOT_RECOMPUTABLE", "arm 'fp8' lists a window twice")


def nodes(document: Any, parts: tuple[str | int, ...] = ()) -> Iterator[str]:
    """Pointers of every value; of long lists the first entry stands for all."""
    yield pointer(*parts)
    if isinstance(document, dict):
        for key, value in document.items():
            yield from nodes(value, (*parts, key))
    elif isinstance(document, list):
        for index, value in enumerate(document[:2]):
            yield from nodes(value, (*parts, index))


PLACES = [
    f"{path}#{place}"
    for path, data in family(cross=True).items()
    if path.endswith(".json")
    for place in nodes(json.loads(data))
]


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)
@given(
    place=st.sampled_from(PLACES),
    value=st.sampled_from(ODD)
    | st.recursive(
        st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.text() | st.sampled_from(["arms", "per_window", "arm", "fp8"]), inner, max_size=3
            )
        ),
        max_leaves=6,
    ),
)
def test_any_value_anywhere_gives_a_report(place: str, value: Any) -> None:
    files = resealed(changed(family(cross=True), place, value))
    try:
        bundle = read(files)
    except UnknownFormat:  # another file became a comparison too
        reject()
    found = report(files)

    assert found.verdict in ("WARNED", "FAILED")
    assert not [item for item in found.outcomes if "crashed" in item.reason], found.outcomes
    for record in bundle.records:
        for flaw in record.violations:
            file, _, where = flaw.location.partition("#")
            assert file == record.path
            if flaw.expected != "strict JSON":
                resolve(json.loads(files[file]), where)


@settings(max_examples=100, deadline=None, database=None)
@given(
    path=st.sampled_from([*family()]),
    cut=st.integers(0, 400),
    patch=st.binary(max_size=8),
)
def test_damaged_bytes_never_escape_the_tree_of_errors(path: str, cut: int, patch: bytes) -> None:
    data = family()[path]
    where = cut * len(data) // 400
    files = {**family(), path: data[:where] + patch + data[where + len(patch) :]}

    store = MemoryStore(files)

    assert READER.recognises(store)
    bundle = READER.read(store, catalog.SCHEMAS)
    assert path in bundle.members


def test_encoding_is_the_plain_json_of_the_values() -> None:
    assert encoded({"a": 0.1}) == b'{\n "a": 0.1\n}'
