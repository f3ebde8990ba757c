"""Stored arrays, taken as they are."""

from verifier.columns._arrays import fp64
from verifier.model.column import RowColumn, RowInput
from verifier.model.plugin import FloatArray

_SOURCE = "row array of the measurement-bundle/1 format"


def _stored(name: str, unit: str, definition: str) -> RowColumn:
    def derive(given: RowInput) -> FloatArray:
        return fp64(given.arrays[0], name)

    return RowColumn(
        name=name,
        needs=(name,),
        unit=unit,
        definition=definition,
        source=_SOURCE,
        derive=derive,
    )


COLUMNS: tuple[RowColumn, ...] = (
    _stored(
        "kld",
        "nats",
        "KL(teacher || student) over the full vocabulary, sum of p log(p / q), as the scorer "
        "stored it.",
    ),
    _stored(
        "teacher_entropy",
        "nats",
        "Entropy of the teacher's distribution over the full vocabulary, as the scorer stored it.",
    ),
    _stored(
        "student_entropy",
        "nats",
        "Entropy of the student's distribution over the full vocabulary, as the scorer stored it.",
    ),
    _stored(
        "teacher_top1_p",
        "probability",
        "Probability that the teacher gives to its likeliest token.",
    ),
    _stored(
        "student_top1_p",
        "probability",
        "Probability that the student gives to its likeliest token.",
    ),
    _stored("history", "tokens", "Number of tokens before the one that the row predicts."),
    _stored("realized_token", "token id", "The token that really follows, whatever was predicted."),
    _stored(
        "teacher_top1",
        "token id",
        "The teacher's likeliest token; among equally likely ones the one that the scorer stored.",
    ),
    _stored(
        "student_top1",
        "token id",
        "The student's likeliest token; among equally likely ones the one that the scorer stored.",
    ),
    _stored(
        "teacher_logp_realized",
        "nats",
        "Log probability that the teacher gives to the realised token; -inf for a token it rules "
        "out.",
    ),
    _stored(
        "student_logp_realized",
        "nats",
        "Log probability that the student gives to the realised token; -inf for a token it rules "
        "out.",
    ),
)
