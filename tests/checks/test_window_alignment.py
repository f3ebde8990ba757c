from dataclasses import replace

import pytest

from tests.support.identities import arm, bundle, case, look, panel, record, score
from verifier.checks.window_alignment import CHECK
from verifier.model.basis import Basis
from verifier.model.bundle import Arm, Bundle, Flag, Window
from verifier.model.figure import Figure
from verifier.model.measure import Measure
from verifier.model.number import Published

PANEL = panel("w0", "w1", "w2", "w3")
FP8 = arm("fp8", "w0", "w1", "w2", "w3")
FLAG = Flag(
    location="audit.json#/same_current_windows_and_order",
    topic="window-alignment",
    statement="same_current_windows_and_order",
    value=True,
)


def beside_fp8(*windows: str) -> Bundle:
    return bundle(panel=PANEL, arms=(FP8, arm("nvfp4", *windows)))


def using(*arms: str) -> Figure:
    return Figure(
        id="difference",
        location="figures.json#/0",
        published=Published.parse("0.5"),
        kind="aggregate",
        measure=Measure(statistic="mean", arms=arms),
    )


def test_the_same_windows_in_the_same_order_match() -> None:
    found = look(CHECK, case(beside_fp8("w0", "w1", "w2", "w3")))

    assert found.mismatches == []
    assert found.gaps == ()
    assert found.bases == {Basis.SPEC, Basis.RECOMPUTED}


def test_two_windows_swapped_is_one_mismatch_at_the_first_place() -> None:
    found = look(CHECK, case(beside_fp8("w0", "w2", "w1", "w3")))

    assert found.mismatches == [("arms/nvfp4/windows.json#/w2", "w1", "w2")]
    assert found.wrong[0].basis is Basis.RECOMPUTED


def test_a_window_dropped_from_one_arm() -> None:
    found = look(CHECK, case(beside_fp8("w0", "w2", "w3")))

    assert found.mismatches == [("bundle.json#/arms/nvfp4", "no missing window", "missing: w1")]


def test_a_window_that_the_panel_does_not_list() -> None:
    found = look(CHECK, case(beside_fp8("w9", "w0", "w1", "w2", "w3")))

    assert found.mismatches == [("bundle.json#/arms/nvfp4", "no extra window", "extra: w9")]


def test_other_windows_altogether_are_listed_compactly() -> None:
    many = tuple(f"w{number}" for number in range(9))
    wide = bundle(panel=panel(*many), arms=(arm("fp8", *many), arm("nvfp4", "v0")))

    found = look(CHECK, case(wide))

    assert found.mismatches == [
        (
            "bundle.json#/arms/nvfp4",
            "no missing window",
            "missing: w0, w1, w2, w3, w4 and 4 more",
        ),
        ("bundle.json#/arms/nvfp4", "no extra window", "extra: v0"),
    ]


def test_a_window_twice_in_an_arm() -> None:
    found = look(CHECK, case(beside_fp8("w0", "w1", "w1", "w2", "w3", "w1")))

    assert found.mismatches == [
        ("bundle.json#/arms/nvfp4", "every window once", "more than once: w1")
    ]


def test_a_window_twice_in_the_panel() -> None:
    found = look(CHECK, case(bundle(panel=panel("w0", "w1", "w0"), arms=(arm("fp8", "w0", "w1"),))))

    assert found.mismatches == [("bundle.json#/windows", "every window once", "more than once: w0")]


def test_an_empty_per_window_is_one_mismatch() -> None:
    found = look(CHECK, case(beside_fp8()))

    assert found.mismatches == [("bundle.json#/arms/nvfp4", "at least one window", "no window")]


def test_empty_arms_are_never_a_pass() -> None:
    found = look(CHECK, case(bundle(panel=PANEL)))

    assert found.mismatches == [("bundle.json", "at least one arm", "no arm")]


def test_an_empty_bundle_is_never_a_pass() -> None:
    found = look(CHECK, case(bundle(records=())))

    assert found.mismatches == [
        ("tiny", "at least one arm", "no arm"),
        ("tiny", "at least one window", "no window"),
    ]


def test_without_a_panel_the_arms_are_held_against_the_first() -> None:
    records = (record("figures.json", published=False), record())
    swapped = bundle(records=records, arms=(FP8, arm("nvfp4", "w1", "w0", "w2", "w3")))

    found = look(CHECK, case(swapped))

    assert found.mismatches == [
        ("bundle.json", "at least one window", "no window"),
        ("arms/nvfp4/windows.json#/w1", "w0", "w1"),
    ]


def test_a_panel_without_pointers_is_located_by_the_published_record() -> None:
    bare = tuple(replace(window, location=window.id) for window in (*PANEL, PANEL[0]))

    found = look(CHECK, case(bundle(panel=bare, arms=(FP8,))))

    assert [fact.location for fact in found.wrong] == ["bundle.json"]


def grouped(name: str, **domains: str) -> Arm:
    scores = tuple(score(window, name, domain=domain) for window, domain in domains.items())
    return replace(arm(name), windows=scores)


def test_a_window_of_another_domain_in_one_arm_is_one_mismatch() -> None:
    arms = (grouped("fp8", w0="legal", w1="code"), grouped("nvfp4", w0="legal", w1="general"))

    found = look(CHECK, case(bundle(panel=panel("w0", "w1"), arms=arms)))

    assert found.mismatches == [("arms/nvfp4/windows.json#/w1", "code", "general")]
    assert found.messages == [
        "Window 'w1' has another 'domain' here than at arms/fp8/windows.json#/w1."
    ]


def test_a_window_of_another_domain_than_the_panel_says() -> None:
    window = Window(id="w0", location="bundle.json#/windows/0", groups={"domain": "legal"})

    found = look(CHECK, case(bundle(panel=(window,), arms=(grouped("fp8", w0="code"),))))

    assert found.mismatches == [("arms/fp8/windows.json#/w0", "legal", "code")]


def test_a_group_that_only_one_place_states() -> None:
    window = Window(id="w0", location="bundle.json#/windows/0", groups={"language": "en"})

    found = look(CHECK, case(bundle(panel=(window,), arms=(grouped("fp8", w0="code"),))))

    assert found.mismatches == [
        ("arms/fp8/windows.json#/w0", None, "code"),
        ("arms/fp8/windows.json#/w0", "en", None),
    ]


def test_an_arm_that_states_no_groups_contradicts_none() -> None:
    arms = (grouped("fp8", w0="legal"), arm("nvfp4", "w0"))

    found = look(CHECK, case(bundle(panel=panel("w0"), arms=arms)))

    assert found.mismatches == []


def test_a_reference_arm_that_a_figure_uses_is_held_against_the_panel() -> None:
    used = bundle(panel=PANEL, arms=(FP8,), figures=(using("fp8", "reference:base"), using("fp8")))
    other = bundle(arms=(arm("base", "w0", "w1", "w3", "w2"), arm("unused", "v0")))

    found = look(CHECK, case(used, reference=other))

    assert found.mismatches == [("reference:arms/base/windows.json#/w3", "w2", "w3")]


def test_a_reference_that_is_not_given_or_not_used_is_not_compared() -> None:
    unmeasured = replace(using(), measure=None)
    used = bundle(panel=PANEL, arms=(FP8,), figures=(using("fp8", "reference:base"), unmeasured))
    other = bundle(arms=(arm("unused", "v0"),))

    alone, beside = look(CHECK, case(used)), look(CHECK, case(used, reference=other))

    assert alone.comparisons == beside.comparisons
    assert alone.mismatches == []


def test_a_flag_that_the_arms_bear_out_is_recomputed() -> None:
    aligned = replace(beside_fp8("w0", "w1", "w2", "w3"), flags=(FLAG,))

    found = look(CHECK, case(aligned))

    assert found.mismatches == []
    assert [fact.basis for fact in found.comparisons if fact.location == FLAG.location] == [
        Basis.RECOMPUTED
    ]


def test_a_flag_that_claims_an_order_which_is_not_so() -> None:
    swapped = replace(beside_fp8("w1", "w0", "w2", "w3"), flags=(FLAG,))

    found = look(CHECK, case(swapped))

    assert found.mismatches == [
        ("arms/nvfp4/windows.json#/w1", "w0", "w1"),
        (FLAG.location, True, False),
    ]


def test_a_flag_that_denies_what_is_so() -> None:
    aligned = replace(beside_fp8("w0", "w1", "w2", "w3"), flags=(replace(FLAG, value=False),))

    found = look(CHECK, case(aligned))

    assert found.mismatches == [(FLAG.location, False, True)]


@pytest.mark.parametrize("value", [True, False])
def test_a_flag_about_one_arm_is_only_declared(*, value: bool) -> None:
    other_topic = replace(FLAG, topic="receipt-hashes", location="elsewhere")
    flags = (replace(FLAG, value=value), other_topic)

    found = look(CHECK, case(bundle(panel=PANEL, arms=(FP8,), flags=flags)))

    assert found.mismatches == ([] if value else [(FLAG.location, True, False)])
    assert Basis.DECLARED in found.bases
    assert "elsewhere" not in {fact.location for fact in found.comparisons}


def test_a_window_dropped_from_every_arm_is_missed_by_the_panel() -> None:
    arms = (arm("fp8", "w0", "w2", "w3"), arm("nvfp4", "w0", "w2", "w3"))

    found = look(CHECK, case(bundle(panel=PANEL, arms=arms)))

    assert found.mismatches == [
        ("bundle.json#/arms/fp8", "no missing window", "missing: w1"),
        ("bundle.json#/arms/nvfp4", "no missing window", "missing: w1"),
    ]


def test_no_list_of_windows_is_compared_with_itself() -> None:
    arms = (grouped("fp8", w0="legal"), grouped("nvfp4", w0="legal"))

    found = look(CHECK, case(bundle(arms=arms)))

    between = [fact for fact in found.comparisons if fact.basis is Basis.RECOMPUTED]
    # Missing, extra and moved windows of the second arm, and the group of its one window.
    assert [fact.location for fact in between] == [
        *["bundle.json#/arms/nvfp4"] * 3,
        "arms/nvfp4/windows.json#/w0",
    ]


def test_an_arm_of_the_reference_that_only_shares_a_name_is_not_compared() -> None:
    used = bundle(panel=PANEL, arms=(FP8,), figures=(using("fp8", "reference:base"),))
    other = bundle(arms=(arm("base", "w0", "w1", "w2", "w3"), arm("fp8", "v0")))

    assert look(CHECK, case(used, reference=other)).mismatches == []
