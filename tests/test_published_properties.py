"""For any valid family of records: no change, no failure; any change of what is covered, failure.

The hash list is made anew after each change, so that nothing but the content can tell.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.published import (
    ARMS,
    REMOVED,
    SINGLE,
    at,
    changed,
    encoded,
    failing,
    family,
    reference,
    report,
    resealed,
)

SEEDS = st.integers(1, 6)
WINDOWS = 8

# Figures at full precision: a mean is compared to 1e-12 relative, an end point to 1e-9 standard
# errors.
AGGREGATE = re.compile(
    r"/(mean_true_decode_kld|fp8_minus_nvfp4|domains/\w+|\w+_minus_reference|\w+_mean)$"
)
END = re.compile(r"bca95/[01]$")
COUNT = re.compile(
    r"/(windows|true_decode_rows_per_window|prediction_rows|true_decode_rows|\w+_lower_windows"
    r"|raw_bytes|one_token_prefill_rows)$"
)
SCORE = re.compile(
    r"/per_window/\d+/(true_decode_mean_kld|including_prefill_mean_kld|prefill_row_kld|mean_kld"
    r"|one_token_prefill_kld)$"
)
# Places that name the same thing as another place; a hash that stands alone cannot be wrong.
TWICE = re.compile(
    r"/(token_sha256|teacher_sha256|token_values_sha256|source_runtime_audit_sha256"
    r"|source_startup_sha256|role_manifest_sha256|capture_image_local_id|image_id"
    r"|capture_parent_image_id|parent_capture_image_id)$"
)
FLAG = re.compile(r"/(all_\w+|raw_logits_retired_after_scoring|same_\w+)$")


def leaves(value: Any, place: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{place}/{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from leaves(item, f"{place}/{index}")
    else:
        yield place


def places(pattern: re.Pattern[str], *, without: str = "nothing") -> st.SearchStrategy[str]:
    """Leaves of the records that match; every family has the same ones."""
    found = [
        place
        for path in ("comparison.json", "audit.json", SINGLE)
        for place in leaves(json.loads(family(cross=True)[path]), f"{path}#")
        if pattern.search(place) and without not in place
    ]
    assert found
    return st.sampled_from(found)


def verdict(seed: int, files: Mapping[str, bytes]) -> str:
    return report(resealed(files), reference=reference(seed)).verdict


@settings(max_examples=6, deadline=None, database=None)
@given(seed=SEEDS, cross=st.booleans())
def test_no_change_gives_no_failure_and_every_known_figure(seed: int, *, cross: bool) -> None:
    found = report(family(seed, cross=cross), reference=reference(seed) if cross else None)

    assert found.verdict == "WARNED"
    assert failing(found) == set()
    assert found.coverage == {
        "REPRODUCED": 45 if cross else 33,
        "MISMATCH": 0,
        "NOT_RECOMPUTABLE": 5,
        "DEGENERATE": 0,
    }


@settings(max_examples=50, deadline=None, database=None)
@given(
    seed=SEEDS,
    place=places(SCORE) | places(AGGREGATE),
    exponent=st.floats(-9, -0.01) | st.floats(0.01, 0.5),
    up=st.booleans(),
)
def test_a_number_moved_by_one_part_in_a_billion_or_more_fails(
    seed: int, place: str, exponent: float, *, up: bool
) -> None:
    # Never to 0.0: those printed digits claim no more than "below 0.05", which is so.
    step = 10**exponent if up else -(10**exponent)
    files = changed(family(seed, cross=True), place, lambda number: number * (1 + step))

    assert verdict(seed, files) == "FAILED"


@settings(max_examples=15, deadline=None, database=None)
@given(seed=SEEDS, place=places(END), exponent=st.floats(-7, 1), up=st.booleans())
def test_an_end_point_moved_by_a_ten_millionth_of_the_width_or_more_fails(
    seed: int, place: str, exponent: float, *, up: bool
) -> None:
    files = family(seed, cross=True)
    low, high = at(files, place.rpartition("/")[0])
    step = (high - low) * 10**exponent * (1 if up else -1)

    assert verdict(seed, changed(files, place, lambda number: number + step)) == "FAILED"


@settings(max_examples=15, deadline=None, database=None)
@given(seed=SEEDS, place=places(COUNT), step=st.sampled_from([-1, 1, 1000]))
def test_a_count_that_is_off_fails(seed: int, place: str, step: int) -> None:
    files = changed(family(seed, cross=True), place, lambda count: count + step)

    assert verdict(seed, files) == "FAILED"


@settings(max_examples=15, deadline=None, database=None)
@given(
    seed=SEEDS,
    place=places(TWICE, without="conditions"),
    digit=st.integers(-40, -1),
    step=st.integers(1, 15),
)
def test_a_digit_of_an_identity_that_stands_twice_fails(
    seed: int, place: str, digit: int, step: int
) -> None:
    def flipped(text: str) -> str:
        other = f"{(int(text[digit], 16) + step) % 16:x}"
        return text[:digit] + other + text[len(text) + digit + 1 :]

    files = changed(family(seed, cross=True), place, flipped)

    assert verdict(seed, files) == "FAILED"


@settings(max_examples=15, deadline=None, database=None)
@given(seed=SEEDS, place=places(FLAG))
def test_a_record_that_denies_itself_fails(seed: int, place: str) -> None:
    assert verdict(seed, changed(family(seed, cross=True), place, value=False)) == "FAILED"


LISTS = [*(f"comparison.json#/arms/{arm}/per_window" for arm in ARMS), f"{SINGLE}#/per_window"]


@settings(max_examples=15, deadline=None, database=None)
@given(
    seed=SEEDS,
    place=st.sampled_from(LISTS),
    pair=st.lists(st.integers(0, WINDOWS - 1), min_size=2, max_size=2, unique=True),
)
def test_two_windows_swapped_in_one_arm_fail(seed: int, place: str, pair: list[int]) -> None:
    def swapped(windows: list[Any]) -> list[Any]:
        left, right = pair
        windows[left], windows[right] = windows[right], windows[left]
        return windows

    assert verdict(seed, changed(family(seed, cross=True), place, swapped)) == "FAILED"


@settings(max_examples=12, deadline=None, database=None)
@given(seed=SEEDS, place=st.sampled_from(LISTS), index=st.integers(0, WINDOWS - 1))
def test_a_window_dropped_from_one_arm_fails(seed: int, place: str, index: int) -> None:
    files = changed(family(seed, cross=True), f"{place}/{index}", REMOVED)

    assert verdict(seed, files) == "FAILED"


@settings(max_examples=6, deadline=None, database=None)
@given(seed=SEEDS, index=st.integers(0, WINDOWS - 1))
def test_a_window_dropped_everywhere_fails(seed: int, index: int) -> None:
    files: Mapping[str, bytes] = family(seed, cross=True)
    for place in LISTS:
        files = changed(files, f"{place}/{index}", REMOVED)

    assert verdict(seed, files) == "FAILED"


@settings(max_examples=12, deadline=None, database=None)
@given(seed=SEEDS, place=st.sampled_from(LISTS), index=st.integers(0, WINDOWS - 1))
def test_a_window_moved_to_another_domain_fails(seed: int, place: str, index: int) -> None:
    files = changed(family(seed, cross=True), f"{place}/{index}/domain", "axis3_code")

    assert verdict(seed, files) == "FAILED"


@settings(max_examples=12, deadline=None, database=None)
@given(
    seed=SEEDS,
    key=st.sampled_from(["raw_sha256", "score_sha256"]),
    arms=st.sampled_from([("fp8", "fp8"), ("fp8", "nvfp4")]),
    pair=st.lists(st.integers(0, WINDOWS - 1), min_size=2, max_size=2, unique=True),
)
def test_a_hash_that_stands_for_two_measurements_fails(
    seed: int, key: str, arms: tuple[str, str], pair: list[int]
) -> None:
    files = family(seed, cross=True)
    places = [
        f"comparison.json#/arms/{arm}/per_window/{k}" for arm, k in zip(arms, pair, strict=True)
    ]
    copied = at(files, f"{places[0]}/{key}")

    found = report(resealed(changed(files, f"{places[1]}/{key}", copied)))

    assert failing(found) == {"receipt-hashes"}


def _trade_names(arms: dict[str, Any]) -> dict[str, Any]:
    return dict(zip(arms, reversed([*arms.values()]), strict=True))


@pytest.mark.parametrize("seed", range(1, 4))
def test_two_arms_that_trade_their_names_fail(seed: int) -> None:
    files = changed(family(seed), "comparison.json#/arms", _trade_names)

    assert report(resealed(files)).verdict == "FAILED"


@settings(max_examples=12, deadline=None, database=None)
@given(
    seed=SEEDS,
    path=st.sampled_from(["comparison.json", "audit.json", SINGLE, "README.md"]),
    data=st.data(),
)
def test_one_bit_of_any_file_without_a_new_seal_fails(
    seed: int, path: str, data: st.DataObject
) -> None:
    content = bytearray(family(seed)[path])
    content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))

    found = report({**family(seed), path: bytes(content)})

    assert "sealed-members" in failing(found)


@pytest.mark.parametrize("path", ["comparison.json", "audit.json", SINGLE, "README.md"])
def test_a_hash_list_with_another_digit_fails(path: str) -> None:
    hashes = json.loads(family()["SHA256.json"])
    hashes[path] = f"{(int(hashes[path][0], 16) + 1) % 16:x}{hashes[path][1:]}"

    assert failing(report({**family(), "SHA256.json": encoded(hashes)})) == {"sealed-members"}
