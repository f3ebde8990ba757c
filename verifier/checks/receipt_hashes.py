"""The hashes of windows, receipts, score files and retired raw files tell one story.

Compared: every raw, score, teacher and token hash with the grammar of a SHA-256; the teacher and
token hash of a window in every place that names it (panel, arms, receipts, reference bundle); every
raw and score hash with all others, because none may occur twice (a score file whose hash nothing
records counts by its bytes; runs that are declared as repeats of one arm may agree, window by
window, and such a pair is only DECLARED); what each retained score file holds with what all others
hold, however it is packed (see below); row hashes with raw hashes, because a raw file is its rows
and nothing else: two of them are the same bytes exactly where all their row hashes agree; each
retained raw file with the hash that is recorded of it; the score hash of a raw file that the
reference bundle scored too; the size of each raw file with rows x vocabulary x bytes per logit
(where no vocabulary is declared, all sizes must imply one whole number, and the one that most of
them imply is taken); each receipt with its window, exactly one for each window of an arm that has
receipts; each retained score file with its receipt, or with the record where there is no receipt;
the time of retirement with the time of scoring; and the seal's retired files with the receipts,
both ways.

Two score files hold one measurement where `kld`, `student_entropy` or `student_logp_realized` has
the same value on every scored row, or `row_sha256` on every predicted row. What is equal must have
8 different values or more, several equal arrays taken together: a teacher diverges from itself by 0
in every window, and windows of one or two rows may coincide by chance. A copy is not found when a
scored row was changed in each of these arrays.

Basis: SEALED where a hash is compared with a recorded hash, SPEC for the rules, RECOMPUTED for
sizes. A statement of the record that its receipts were checked is only DECLARED. An arm that keeps
no receipt file is a gap.

Why it matters: the raw logits are gone. A receipt that belongs to another window, a score counted
twice or a raw file of the wrong size is how a number comes loose from what was measured.

A mismatch means that two places speak of different files. The message names both; find out which
one is right in the log of the scoring run.
"""

from collections.abc import Iterable

from verifier.checks._flags import flag_facts
from verifier.checks._hash_uses import (
    hash_uses,
    no_hash_twice,
    one_input_per_window,
    one_score_per_raw,
)
from verifier.checks._raw_sizes import raw_sizes
from verifier.checks._receipt_files import raw_files, receipts_of, retirement, score_files
from verifier.checks._row_copies import contents, row_uses, rows_and_raw_files
from verifier.checks._spec_rules import hash_text
from verifier.model.bundle import FlagTopic
from verifier.model.comparison import Fact, Gap
from verifier.model.plugin import Case, Check

_TOPIC: FlagTopic = "receipt-hashes"


def _applies(case: Case) -> str:
    stated = any(flag.topic == _TOPIC for flag in case.bundle.flags)
    if stated or hash_uses(case.bundle) or any(raw_sizes(case.bundle)):
        return ""
    return "the bundle names no hash of a window and keeps no receipt"


def _run(case: Case) -> Iterable[Fact]:
    bundle = case.bundle
    own = hash_uses(bundle)
    reference = hash_uses(case.reference) if case.reference else ()
    for use in own:
        yield hash_text(use.hash)
    yield from one_input_per_window(own, reference)
    repeats = {arm.id: arm.repeats for arm in bundle.arms if arm.repeats is not None}
    held = tuple(contents(case))
    yield from no_hash_twice((*own, *row_uses(held)), repeats)
    yield from rows_and_raw_files(held)
    yield from one_score_per_raw(own, reference)
    yield from raw_sizes(bundle)
    for arm in bundle.arms:
        yield from receipts_of(bundle, arm)
        if not arm.receipts:
            yield Gap(
                location=arm.location,
                reason="no receipt file is kept: only the record says which raw file was scored",
                concern="no-evidence",
            )
    yield from score_files(bundle)
    yield from raw_files(bundle)
    yield from retirement(bundle)
    yield from flag_facts(bundle, _TOPIC)


CHECK = Check(
    id="receipt-hashes",
    title="Hashes of windows, receipts, score files and retired files agree",
    applies=_applies,
    run=_run,
)
