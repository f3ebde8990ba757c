"""Arms and groups are found once, as a walk over the bundle would find them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tests.support.core import FP8, NVFP4, arm, bundle
from verifier.arms import ArmIndex
from verifier.model.bundle import Window
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


def test_the_panel_is_counted_by_group() -> None:
    def window(name: str, groups: Mapping[str, str]) -> Window:
        return Window(id=name, location=name, groups=groups)

    panel = (window("a", {"domain": "law"}), window("b", {}), window("c", {"domain": "code"}))
    index = ArmIndex(replace(bundle(), panel=panel))
    assert index.panel_size(None) == 3
    assert index.panel_size(("domain", "law")) == 1
    assert index.panel_size(("domain", "poetry")) == 0
    assert index.panel_size(("tongue", "law")) == 0
