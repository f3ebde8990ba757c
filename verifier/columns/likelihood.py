"""How likely the realised token was."""

import numpy as np

from verifier.columns._arrays import fp64
from verifier.model.column import RowColumn, RowInput
from verifier.model.plugin import FloatArray
from verifier.numerics.relative_entropy import two_bucket

_STUDENT = "student_logp_realized"
_TEACHER = "teacher_logp_realized"
_NEGATED = "negative log-likelihood of one token, Bengio et al. (2003)"


def _logp(given: RowInput, name: str) -> FloatArray:
    return fp64(given.arrays[0], name)


def _nll(given: RowInput) -> FloatArray:
    return -_logp(given, _STUDENT)


def _teacher_nll(given: RowInput) -> FloatArray:
    return -_logp(given, _TEACHER)


def _excess_nll(given: RowInput) -> FloatArray:
    # Two infinities have no difference: such a row is NaN.
    with np.errstate(invalid="ignore"):
        return _nll(given) - _teacher_nll(given)


def _realized_p(given: RowInput) -> FloatArray:
    return _probability(_logp(given, _STUDENT))


def _teacher_realized_p(given: RowInput) -> FloatArray:
    return _probability(_logp(given, _TEACHER))


def _probability(logp: FloatArray) -> FloatArray:
    # A hostile log probability of a thousand becomes +inf, which is located like any infinity.
    with np.errstate(over="ignore"):
        found: FloatArray = np.exp(logp)
    return found


def _kl_two_bucket(given: RowInput) -> FloatArray:
    return two_bucket(_logp(given, _TEACHER), _logp(given, _STUDENT))


COLUMNS: tuple[RowColumn, ...] = (
    RowColumn(
        name="nll",
        needs=(_STUDENT,),
        unit="nats",
        definition="-log q(realised token) of the student; +inf for a token that it rules out. "
        "exp of its mean is the perplexity.",
        source=_NEGATED,
        derive=_nll,
    ),
    RowColumn(
        name="teacher_nll",
        needs=(_TEACHER,),
        unit="nats",
        definition="-log p(realised token) of the teacher; +inf for a token that it rules out.",
        source=_NEGATED,
        derive=_teacher_nll,
    ),
    RowColumn(
        name="excess_nll",
        needs=(_STUDENT, _TEACHER),
        unit="nats",
        definition="nll - teacher_nll = log p - log q of the realised token; NaN where both rule "
        "it out.",
        source="log-likelihood ratio of one observation, Kullback and Leibler (1951)",
        derive=_excess_nll,
    ),
    RowColumn(
        name="realized_p",
        needs=(_STUDENT,),
        unit="probability",
        definition="Probability that the student gives to the realised token, "
        "exp(student_logp_realized).",
        source="stored log probability, exponentiated",
        derive=_realized_p,
    ),
    RowColumn(
        name="teacher_realized_p",
        needs=(_TEACHER,),
        unit="probability",
        definition="Probability that the teacher gives to the realised token, "
        "exp(teacher_logp_realized).",
        source="stored log probability, exponentiated",
        derive=_teacher_realized_p,
    ),
    RowColumn(
        name="kl_two_bucket",
        needs=(_TEACHER, _STUDENT),
        unit="nats",
        definition="KL(teacher || student) of the realised token against everything else, "
        "p log(p / q) + (1 - p) log((1 - p) / (1 - q)): a lower bound of kld. 0 log 0 is 0; +inf "
        "where the teacher gives mass and the student none, save that up to 1e-12 of everything "
        "else is taken for rounding.",
        source="log sum inequality, Cover and Thomas, Elements of Information Theory (2006), "
        "section 2.7",
        derive=_kl_two_bucket,
    ),
)
