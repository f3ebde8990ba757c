"""Divergences, entropies and likelihoods over the full vocabulary, from retained raw logits."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from verifier.model.column import LogitSide, RowColumn, RowInput
from verifier.model.plugin import FloatArray
from verifier.numerics.divergence import divergence

_BOTH: Final[tuple[LogitSide, ...]] = ("teacher", "student")
_REALIZED: Final = "realized_token"
_FILES = (
    " The teacher's logits are the retained raw file, of any arm, whose SHA-256 is the window's "
    "teacher hash."
)
_NONE = " NaN where logits hold NaN or +inf, or nothing but -inf."
_SHANNON = "Shannon (1948), section 6"


def _by_block(
    given: RowInput, measure: Callable[[tuple[NDArray[Any], ...], slice], FloatArray | None]
) -> FloatArray:
    """What a measure gives for every row (rows,), block by block.

    Raises:
        ValueError: the files cannot be read to their end, or hold another number of rows.
    """
    values = np.full(given.rows, np.nan)
    done = 0
    for blocks in given.logits or ():
        at = slice(done, done + len(blocks[0]))
        done = at.stop
        if done <= given.rows:
            values[at] = measure(blocks, at)
    if done != given.rows:
        message = f"expected raw logits of {given.rows} rows, found {done}"
        raise ValueError(message)
    return values


def _kl_logits(given: RowInput) -> FloatArray:
    return _by_block(given, lambda pair, _: divergence(pair[0], pair[1], precise=True).kl)


def _js_logits(given: RowInput) -> FloatArray:
    def measure(pair: tuple[NDArray[Any], ...], _: slice) -> FloatArray | None:
        return divergence(pair[0], pair[1], with_jensen_shannon=True, precise=True).jensen_shannon

    return _by_block(given, measure)


def _entropy(given: RowInput) -> FloatArray:
    def measure(blocks: tuple[NDArray[Any], ...], _: slice) -> FloatArray | None:
        (block,) = blocks
        return divergence(block, block, with_entropies=True).teacher.entropy

    return _by_block(given, measure)


def _nll_logits(given: RowInput) -> FloatArray:
    (arrays,) = given.arrays
    tokens = arrays[_REALIZED]
    if tokens.dtype.kind not in "iu":
        message = f"{_REALIZED}: expected whole numbers, found {tokens.dtype}"
        raise ValueError(message)

    def measure(blocks: tuple[NDArray[Any], ...], at: slice) -> FloatArray:
        (block,) = blocks
        return -divergence(block, block, tokens[at]).student.logp

    return _by_block(given, measure)


COLUMNS: tuple[RowColumn, ...] = (
    RowColumn(
        name="kl_logits",
        needs=(),
        unit="nats",
        definition="KL(teacher || student) over the full vocabulary from raw logits in FP64, "
        "sum of p log(p / q). +inf where the student rules out a token that the teacher does not; "
        f"a token that the teacher rules out adds nothing.{_NONE}{_FILES}",
        source="Kullback and Leibler (1951), of the softmax of the logits",
        derive=_kl_logits,
        needs_logits=_BOTH,
    ),
    RowColumn(
        name="js_logits",
        needs=(),
        unit="nats",
        definition="Jensen-Shannon divergence of teacher and student over the full vocabulary from "
        "raw logits in FP64, KL(p || m) / 2 + KL(q || m) / 2 with m = (p + q) / 2, from 0 to "
        f"log 2. 0 log 0 is 0.{_NONE}{_FILES}",
        source="Lin (1991), Divergence measures based on the Shannon entropy",
        derive=_js_logits,
        needs_logits=_BOTH,
    ),
    RowColumn(
        name="teacher_entropy_logits",
        needs=(),
        unit="nats",
        definition="Entropy of the teacher over the full vocabulary from raw logits in FP64, -sum "
        f"of p log p. 0 log 0 is 0.{_NONE}{_FILES}",
        source=_SHANNON,
        derive=_entropy,
        needs_logits=("teacher",),
    ),
    RowColumn(
        name="student_entropy_logits",
        needs=(),
        unit="nats",
        definition="Entropy of the student over the full vocabulary from raw logits in FP64, -sum "
        f"of q log q. 0 log 0 is 0.{_NONE}",
        source=_SHANNON,
        derive=_entropy,
        needs_logits=("student",),
    ),
    RowColumn(
        name="nll_logits",
        needs=(_REALIZED,),
        unit="nats",
        definition="-log q(realised token) of the student over the full vocabulary from raw logits "
        "in FP64; +inf for a token that it rules out, NaN for one outside the vocabulary."
        f"{_NONE}",
        source="negative log-likelihood of one token, Bengio et al. (2003)",
        derive=_nll_logits,
        needs_logits=("student",),
    ),
)
