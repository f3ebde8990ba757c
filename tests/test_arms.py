"""Arms and groups are found once, as a walk over the bundle would find them."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.support.core import FP8, NVFP4, arm, bundle
from verifier.arms import ArmIndex
from verifier.model.bundle import Window
from verifier.model.measure import WindowSelection
from verifier.model.plugin import Missing


def ids(windows: Sequence[object]) -> list[str]:
    return [getattr(window, "window", "") for window in windows]


def test_the_first_arm_of_an_id_counts() -> None:
    first, second = arm("fp8", FP8), arm("fp8", NVFP4)
    assert ArmIndex(bundle(arms=(first, second))).usable("fp8") is first


def test_an_arm_that_is_absent_or_lists_a_window_twice_is_missing() -> None:
    held = arm("fp8", FP8)
    twice = replace(held, windows=(*held.windows, held.windows[0]))
    index = ArmIndex(bundle(arms=(twice,)))
    assert index.usable("fp8") == Missing(reason="arm 'fp8' lists a window twice")
    assert index.usable("int4") == Missing(reason="no arm 'int4' is retained in study")


def test_a_group_keeps_the_order_of_its_arm() -> None:
    held = arm("fp8", FP8)
    index = ArmIndex(bundle(arms=(held,)))
    law = [window for window in held.windows if window.groups == {"domain": "law"}]
    assert list(index.windows(held, ("domain", "law"))) == law != []
    assert list(index.windows(held, None)) == list(held.windows)
    assert ids(index.windows(held, ("domain", "poetry"))) == []
    assert ids(index.windows(held, ("tongue", "law"))) == []


PANEL = tuple(
    Window(id=name, location=name, groups=groups)
    for name, groups in (
        ("a", {"domain": "law"}),
        ("b", {}),
        ("c", {"domain": "code"}),
        ("d", {"domain": "law"}),
    )
)
LAW = ("domain", "law")


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        (WindowSelection(), "abcd"),
        (WindowSelection(first=2), "ab"),
        (WindowSelection(first=9), "abcd"),
        (WindowSelection(group=LAW), "ad"),
        (WindowSelection(group=LAW, first=3), "a"),
        (WindowSelection(group=("domain", "poetry")), ""),
        (WindowSelection(group=("tongue", "law")), ""),
        (WindowSelection(ids=("d", "b", "d")), "bd"),
        (WindowSelection(ids=("d", "x")), "d"),
        (WindowSelection(ids=("d", "b", "a"), group=LAW), "ad"),
        (WindowSelection(ids=("d", "b", "a"), first=3), "ab"),
        (WindowSelection(omit=("b", "x")), "acd"),
        (WindowSelection(ids=("a", "b"), omit=("b",)), "a"),
        (WindowSelection(first=3, omit=("a",)), "bc"),
        (WindowSelection(group=LAW, omit=("a",)), "d"),
    ],
)
def test_windows_of_the_panel_are_selected_in_their_order(
    selection: WindowSelection, expected: str
) -> None:
    index = ArmIndex(replace(bundle(), panel=PANEL))
    # Twice, because groups are looked up once and kept.
    assert [index.panel(selection) for _ in range(2)] == [tuple(expected)] * 2


def test_an_arm_with_a_lookup_of_its_groups_is_looked_up_again_in_others() -> None:
    held = arm("fp8", FP8)
    index = ArmIndex(bundle(arms=(held,)))
    first = ids(index.windows(held, ("domain", "law")))
    assert ids(index.windows(held, ("domain", "law"))) == first
    assert ids(index.windows(held, ("domain", "code"))) == ["w0", "w2", "w4", "w6"]
