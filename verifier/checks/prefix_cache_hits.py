"""No window was answered from the prefix cache: the hit counter stood at zero before and after.

Compared: for each arm that retains counters, one reading before and one after each window; in each
reading exactly one `vllm:prefix_cache_hits_total` series; each value with zero. Where only a flag
says so, the flag with true.

Basis: SPEC for counters: the protocol demands one series at zero. DECLARED for a flag, because
nothing retained could contradict it; SEALED once the counters of every arm show it. An arm with
neither gives a gap.

Why it matters: a token taken from the prefix cache was not computed in this run, so its logits
belong to another request and perhaps to another configuration.

A mismatch means that a window may have been served from a cache, that a reading is missing or
cannot be read, or that several servers answered. Run the window again on a fresh server with prefix
caching switched off.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from verifier.checks._flags import flag_facts
from verifier.model.basis import Basis
from verifier.model.bundle import Arm, CounterReading, FlagTopic, Phase
from verifier.model.comparison import Comparison, Fact, Gap
from verifier.model.plugin import Case, Check

_TOPIC: FlagTopic = "prefix-cache-hits"
_SERIES = "vllm:prefix_cache_hits_total"
_READABLE = "readable"
_PHASES: tuple[Phase, ...] = ("before", "after")


def _applies(case: Case) -> str:
    if case.bundle.arms or any(flag.topic == _TOPIC for flag in case.bundle.flags):
        return ""
    return "the bundle holds no arm"


def _run(case: Case) -> Iterable[Fact]:
    flagged = any(flag.topic == _TOPIC for flag in case.bundle.flags)
    for arm in case.bundle.arms:
        if arm.counters is not None:
            yield from _present(arm, arm.counters)
            for reading in arm.counters:
                yield from _reading(reading)
        elif not flagged:
            yield Gap(
                location=arm.location,
                reason=f"arm {arm.name!r} keeps no counter readings and no flag speaks of prefix-"
                f"cache hits; keep {_SERIES} before and after each window",
                concern="no-evidence",
            )
    arms = case.bundle.arms
    borne_out = bool(arms) and all(_all_zero(arm) for arm in arms)
    basis = Basis.SEALED if borne_out else Basis.DECLARED
    yield from flag_facts(case.bundle, _TOPIC, basis=basis)


def _all_zero(arm: Arm) -> bool:
    """Whether retained counters show what a flag would only declare."""
    readings = arm.counters or ()
    return bool(readings) and all(
        len(reading.series) == 1 and reading.series[0].value == 0.0 for reading in readings
    )


def _present(arm: Arm, readings: Sequence[CounterReading]) -> Iterator[Fact]:
    """One reading per window and phase; an arm without any is one mismatch, not one per window."""
    if not readings:
        yield _count(arm.location, "two readings per window", "no reading")
        return
    windows = {window.window: window.location for window in arm.windows}
    found = Counter((reading.window, reading.phase) for reading in readings)
    for window, location in windows.items():
        for phase in _PHASES:
            yield _count(
                location,
                f"1 reading {phase} window {window!r}",
                f"{found[window, phase]} reading{'s' * (found[window, phase] != 1)} {phase} "
                f"window {window!r}",
            )
    for reading in readings:
        if reading.window not in windows:
            yield _count(reading.location, f"a window of arm {arm.name!r}", repr(reading.window))


def _count(location: str, expected: str, actual: str) -> Comparison:
    return Comparison(
        location=location,
        expected=expected,
        actual=actual,
        basis=Basis.SPEC,
        message="Each window needs exactly one reading before and one after it.",
    )


def _reading(reading: CounterReading) -> Iterator[Fact]:
    yield Comparison(
        location=reading.location,
        expected=_READABLE,
        actual=f"unreadable: {reading.problem}" if reading.problem else _READABLE,
        basis=Basis.SPEC,
        message="A counter reading that cannot be read proves nothing.",
    )
    if reading.problem:
        return
    yield Comparison(
        location=reading.location,
        expected=1,
        actual=len(reading.series),
        basis=Basis.SPEC,
        message=f"A reading needs exactly one {_SERIES} series: one server, one model.",
    )
    for series in reading.series:
        yield Comparison(
            location=reading.location,
            expected=0.0,
            actual=series.value,
            basis=Basis.SPEC,
            message=f"The counter {reading.phase} window {reading.window!r} is not zero: tokens "
            "were served from the prefix cache.",
        )


CHECK = Check(
    id="prefix-cache-hits",
    title="The prefix-cache hit counter stood at zero before and after each window",
    applies=_applies,
    run=_run,
)
