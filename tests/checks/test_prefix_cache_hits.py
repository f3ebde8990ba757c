from dataclasses import replace
from itertools import product

import pytest

from tests.support.identities import arm, bundle, case, look
from verifier.checks.prefix_cache_hits import CHECK
from verifier.model.basis import Basis
from verifier.model.bundle import Arm, CounterReading, CounterSeries, Flag, Phase

ZERO = CounterSeries(labels=(("engine", "0"),), value=0.0)
FLAG = Flag(
    location="audit.json#/arms/0/all_prefix_hit_counters_zero",
    topic="prefix-cache-hits",
    statement="all_prefix_hit_counters_zero",
    value=True,
)


def reading(window: str, phase: Phase, *series: CounterSeries) -> CounterReading:
    return CounterReading(
        location=f"arms/fp8/counters/{window}.{phase}.prom",
        window=window,
        phase=phase,
        series=series or (ZERO,),
    )


PHASES: tuple[Phase, ...] = ("before", "after")
READINGS = {
    (window, phase): reading(window, phase) for window, phase in product(("w0", "w1"), PHASES)
}


def measured(*readings: CounterReading) -> Arm:
    return replace(arm("fp8", "w0", "w1"), counters=readings)


def changed(window: str, phase: Phase, other: CounterReading) -> Arm:
    return measured(*{**READINGS, (window, phase): other}.values())


def test_zero_before_and_after_every_window_matches() -> None:
    found = look(CHECK, case(bundle(arms=(measured(*READINGS.values()),))))

    assert found.mismatches == []
    assert found.missing == []
    assert found.bases == {Basis.SPEC}
    # per reading: it is there, it is readable, it has one series, and that is zero
    assert len(found.comparisons) == 4 * len(READINGS)


@pytest.mark.parametrize("value", [1.0, -1.0, float("inf")])
@pytest.mark.parametrize("phase", PHASES)
def test_a_counter_that_is_not_zero(phase: Phase, value: float) -> None:
    hit = reading("w1", phase, replace(ZERO, value=value))

    found = look(CHECK, case(bundle(arms=(changed("w1", phase, hit),))))

    assert found.mismatches == [(hit.location, 0.0, value)]
    assert f"{phase} window 'w1' is not zero" in found.messages[0]


def test_a_counter_that_is_not_a_number() -> None:
    odd = reading("w1", "after", replace(ZERO, value=float("nan")))

    found = look(CHECK, case(bundle(arms=(changed("w1", "after", odd),))))

    assert [fact.location for fact in found.wrong] == [odd.location]


def test_a_missing_counter() -> None:
    kept = [found for key, found in READINGS.items() if key != ("w0", "after")]

    found = look(CHECK, case(bundle(arms=(measured(*kept),))))

    assert found.mismatches == [
        (
            "arms/fp8/windows.json#/w0",
            "1 reading after window 'w0'",
            "0 readings after window 'w0'",
        )
    ]


def test_a_counter_that_was_read_twice() -> None:
    found = look(CHECK, case(bundle(arms=(measured(*READINGS.values(), reading("w0", "before")),))))

    assert found.mismatches == [
        (
            "arms/fp8/windows.json#/w0",
            "1 reading before window 'w0'",
            "2 readings before window 'w0'",
        )
    ]


def test_two_series_in_one_reading() -> None:
    two = reading("w0", "after", ZERO, replace(ZERO, labels=(("engine", "1"),)))

    found = look(CHECK, case(bundle(arms=(changed("w0", "after", two),))))

    assert found.mismatches == [(two.location, 1, 2)]


def test_a_reading_without_the_series() -> None:
    bare = replace(reading("w0", "after"), series=())

    found = look(CHECK, case(bundle(arms=(changed("w0", "after", bare),))))

    assert found.mismatches == [(bare.location, 1, 0)]


def test_a_reading_that_cannot_be_read_is_one_mismatch() -> None:
    broken = replace(reading("w0", "after"), series=(), problem="readable")

    found = look(CHECK, case(bundle(arms=(changed("w0", "after", broken),))))

    assert found.mismatches == [(broken.location, "readable", "unreadable: readable")]


def test_a_reading_of_a_window_that_the_arm_does_not_hold() -> None:
    stray = reading("w9", "before")

    found = look(CHECK, case(bundle(arms=(measured(*READINGS.values(), stray),))))

    assert found.mismatches == [(stray.location, "a window of arm 'fp8'", "'w9'")]


@pytest.mark.parametrize("windows", [(), ("w0", "w1")])
def test_an_empty_folder_of_counters_is_one_mismatch(windows: tuple[str, ...]) -> None:
    empty = replace(arm("fp8", *windows), counters=())

    found = look(CHECK, case(bundle(arms=(empty,))))

    assert found.mismatches == [(empty.location, "two readings per window", "no reading")]


def test_a_bare_flag_is_only_declared() -> None:
    found = look(CHECK, case(bundle(arms=(arm("fp8", "w0"),), flags=(FLAG,))))

    assert found.mismatches == []
    assert found.missing == []
    assert found.bases == {Basis.DECLARED}


def test_a_flag_that_denies_it_is_a_mismatch_no_policy_tolerates() -> None:
    found = look(CHECK, case(bundle(arms=(), flags=(replace(FLAG, value=False),))))

    assert found.mismatches == [(FLAG.location, True, False)]
    assert found.wrong[0].concern == ""


def test_a_flag_does_not_outweigh_a_counter() -> None:
    hit = reading("w1", "after", replace(ZERO, value=3.0))

    found = look(CHECK, case(bundle(arms=(changed("w1", "after", hit),), flags=(FLAG,))))

    assert found.mismatches == [(hit.location, 0.0, 3.0)]


def test_neither_counters_nor_a_flag_is_a_gap_for_each_such_arm() -> None:
    other_topic = replace(FLAG, topic="receipt-hashes")
    bare = arm("nvfp4", "w0")

    found = look(
        CHECK,
        case(bundle(arms=(measured(*READINGS.values()), bare), flags=(other_topic,))),
    )

    assert found.mismatches == []
    assert found.missing == [(bare.location, "no-evidence")]


def test_a_bundle_without_arms_has_no_counter_to_compare() -> None:
    assert CHECK.applies(case(bundle())) == "the bundle holds no arm"


def test_counters_of_every_arm_bear_a_flag_out() -> None:
    counted = bundle(arms=(measured(*READINGS.values()),), flags=(FLAG,))

    assert look(CHECK, case(counted)).bases == {Basis.SPEC, Basis.SEALED}


def test_counters_of_one_arm_do_not_speak_for_another() -> None:
    arms = (measured(*READINGS.values()), arm("nvfp4", "w0", "w1"))

    assert Basis.DECLARED in look(CHECK, case(bundle(arms=arms, flags=(FLAG,)))).bases


def flag_basis(*arms: Arm) -> set[Basis]:
    found = look(CHECK, case(bundle(arms=arms, flags=(FLAG,))))
    return {fact.basis for fact in found.comparisons if fact.location == FLAG.location}


def test_only_counters_that_are_all_zero_bear_a_flag_out() -> None:
    hit = replace(ZERO, value=1.0)
    twice = reading("w1", "after", ZERO, replace(ZERO, labels=(("engine", "1"),)))
    unreadable = replace(reading("w1", "after"), series=(), problem="no text")

    assert flag_basis(measured(*READINGS.values())) == {Basis.SEALED}
    assert flag_basis(changed("w1", "after", reading("w1", "after", hit))) == {Basis.DECLARED}
    assert flag_basis(changed("w1", "after", twice)) == {Basis.DECLARED}
    assert flag_basis(changed("w1", "after", unreadable)) == {Basis.DECLARED}


def test_a_flag_without_any_arm_is_only_declared() -> None:
    assert flag_basis() == {Basis.DECLARED}


def test_a_flag_stands_for_an_arm_without_counters_whatever_other_flags_there_are() -> None:
    other = replace(FLAG, topic="window-alignment", location="elsewhere")

    found = look(CHECK, case(bundle(arms=(arm("fp8", "w0"),), flags=(other, FLAG))))

    assert found.missing == []
