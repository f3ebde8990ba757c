"""Divergences and entropies from retained top-k lists."""

from collections.abc import Callable

from verifier.model.column import Arrays, RowColumn, RowInput
from verifier.model.plugin import FloatArray
from verifier.numerics import divergence_topk
from verifier.numerics.divergence_topk import Partition, TopK

_STUDENT = ("student_topk_ids", "student_topk_logp")
_BOTH = ("teacher_topk_ids", "teacher_topk_logp", *_STUDENT)

_LISTS = (
    " Of each list, as retained, the first top_k tokens count (default all); ties stand in the "
    "order written."
)
_BUCKETS = (
    " Buckets are the tokens that both lists hold, and all else as one: a token that one list "
    "lacks joins the rest, and no probability is invented for it. Where the rests of both "
    "sides are at most 1e-12 they are rounding, and the shared tokens are everything."
)
_ZEROS = (
    " 0 log 0 is 0; +inf where the reference gives mass and the other none, save that a rest of "
    "up to 1e-12 is taken for rounding."
)
_KL = (
    "sum of p log(p / q): a lower bound of the KL over the whole vocabulary, equal to it when the "
    "lists hold the whole vocabulary, and 0 when they share no token (see topk_missing)."
)
_NORMALISED = (
    "over the tokens that both lists hold, each side renormalised to 1 among them: sum of "
    "p' log(p' / q'), not a bound of the whole KL. NaN where they share none with probability on "
    "both sides; 0 log 0 is 0; +inf for a shared token to which only the reference gives mass."
)
_JS = "KL(p || m) / 2 + KL(q || m) / 2 with m = (p + q) / 2, from 0 to log 2. 0 log 0 is 0."

_COARSER = (
    "log sum inequality and data processing, Cover and Thomas, Elements of Information Theory "
    "(2006), sections 2.7 and 2.8"
)
_CONDITIONAL = (
    "relative entropy, Cover and Thomas (2006), section 2.3, of conditional distributions"
)
_LIN = "Lin (1991), Divergence measures based on the Shannon entropy"

_Measure = Callable[[Partition], FloatArray]


def _of_teacher(measure: _Measure) -> Callable[[RowInput], FloatArray]:
    def derive(given: RowInput) -> FloatArray:
        (arrays,) = given.arrays
        k = given.options.top_k
        teacher = _listed(arrays, "teacher_topk", "teacher_topk", k)
        student = _listed(arrays, "student_topk", "student_topk", k)
        return measure(divergence_topk.partition(teacher, student))

    return derive


def _of_arms(measure: _Measure) -> Callable[[RowInput], FloatArray]:
    def derive(given: RowInput) -> FloatArray:
        first, second = given.arrays
        k = given.options.top_k
        reference = _listed(first, "student_topk", "student_topk of the first arm", k)
        other = _listed(second, "student_topk", "student_topk of the second arm", k)
        return measure(divergence_topk.partition(reference, other))

    return derive


def _listed(arrays: Arrays, prefix: str, name: str, k: int | None) -> TopK:
    return divergence_topk.top_k(arrays[f"{prefix}_ids"], arrays[f"{prefix}_logp"], name=name, k=k)


def _topk_entropy(given: RowInput) -> FloatArray:
    (arrays,) = given.arrays
    student = _listed(arrays, "student_topk", "student_topk", given.options.top_k)
    return divergence_topk.entropy(student)


def _between(name: str, measure: _Measure, definition: str, source: str) -> RowColumn:
    return RowColumn(
        name=name,
        takes=("top_k",),
        needs=_STUDENT,
        unit="nats",
        definition=definition,
        source=source,
        derive=_of_arms(measure),
        arms=2,
    )


COLUMNS: tuple[RowColumn, ...] = (
    RowColumn(
        name="kl_topk",
        takes=("top_k",),
        needs=_BOTH,
        unit="nats",
        definition=f"KL(teacher || student) with the rest as one bucket, {_KL}{_BUCKETS}{_ZEROS}"
        f"{_LISTS}",
        source=_COARSER,
        derive=_of_teacher(divergence_topk.kl),
    ),
    RowColumn(
        name="kl_topk_normalised",
        takes=("top_k",),
        needs=_BOTH,
        unit="nats",
        definition=f"KL(teacher || student) {_NORMALISED}{_LISTS}",
        source=_CONDITIONAL,
        derive=_of_teacher(divergence_topk.kl_normalised),
    ),
    RowColumn(
        name="js_topk",
        takes=("top_k",),
        needs=_BOTH,
        unit="nats",
        definition=f"Jensen-Shannon divergence of teacher and student, {_JS}{_BUCKETS}{_LISTS}",
        source=_LIN,
        derive=_of_teacher(divergence_topk.jensen_shannon),
    ),
    RowColumn(
        name="topk_missing",
        takes=("top_k",),
        needs=_BOTH,
        unit="tokens",
        definition=f"How many of the teacher's top-k tokens the student's list lacks.{_LISTS}",
        source="set difference of the two lists",
        derive=_of_teacher(divergence_topk.missing),
    ),
    RowColumn(
        name="topk_entropy",
        takes=("top_k",),
        needs=_STUDENT,
        unit="nats",
        definition="Entropy of the student's list with all other tokens as one bucket, -sum of "
        "q log q: a lower bound of student_entropy. 0 log 0 is 0."
        f"{_LISTS}",
        source="Shannon (1948), section 6; the grouping property",
        derive=_topk_entropy,
    ),
    _between(
        "kl_topk_between",
        divergence_topk.kl,
        "KL(first arm || second arm) of the students' lists with the rest as one bucket, "
        f"{_KL}{_BUCKETS}{_ZEROS}{_LISTS}",
        _COARSER,
    ),
    _between(
        "kl_topk_normalised_between",
        divergence_topk.kl_normalised,
        f"KL(first arm || second arm) of the students' lists {_NORMALISED}{_LISTS}",
        _CONDITIONAL,
    ),
    _between(
        "js_topk_between",
        divergence_topk.jensen_shannon,
        f"Jensen-Shannon divergence of the students of two arms, {_JS}{_BUCKETS}{_LISTS}",
        _LIN,
    ),
)
