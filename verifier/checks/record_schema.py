"""Every record obeys its schema, and no field in it is passed over in silence.

Compared: each record with its JSON Schema and with the rules of strict JSON; each place that
breaks them is listed. A field that the schema of a published record does not know is a gap: it is
not verified. Where the record's own audit states that it passed, that statement with true.

Basis: SPEC for schemas; DECLARED for an audit's own statement.

Why it matters: nothing can be said about a record that cannot be read in one way only. Duplicate
keys, NaN or a text where a number belongs let two readers see two different records.

A mismatch names the place and what belongs there. While one stands, the checks that read records
do not run, because nothing they would compare can be trusted. `verifier schemas NAME` prints the
schema.
"""

from collections.abc import Iterable, Iterator

from verifier.checks._flags import flag_facts
from verifier.model.basis import Basis
from verifier.model.bundle import FlagTopic, Record, Violation
from verifier.model.comparison import Comparison, Fact, Gap
from verifier.model.plugin import Case, Check

_TOPIC: FlagTopic = "record-schema"


def _applies(case: Case) -> str:
    if case.bundle.records or any(flag.topic == _TOPIC for flag in case.bundle.flags):
        return ""
    return "the bundle holds no record"


def _run(case: Case) -> Iterable[Fact]:
    for record in case.bundle.records:
        yield from _record(record)
    yield from flag_facts(case.bundle, _TOPIC)


def _record(record: Record) -> Iterator[Fact]:
    if not record.violations:
        valid = f"obeys {record.schema}"
        yield Comparison(location=record.path, expected=valid, actual=valid, basis=Basis.SPEC)
    for violation in record.violations:
        yield _violation(violation)
    for pointer in record.unknown:
        yield Gap(
            location=f"{record.path}#{pointer}",
            reason="not verified: no schema knows this field",
            concern="unknown-field",
        )


def _violation(violation: Violation) -> Comparison:
    actual = violation.actual
    if actual == violation.expected:
        # The texts of a violation quote the record, so a crafted value could imitate what was
        # expected of it; a violation must never be judged a match.
        actual = f"{actual} (which breaks the rule)"
    return Comparison(
        location=violation.location,
        expected=violation.expected,
        actual=actual,
        basis=Basis.SPEC,
        message=violation.message,
    )


CHECK = Check(
    id="record-schema",
    title="Every record obeys its schema",
    applies=_applies,
    run=_run,
    reads_records=False,
)
