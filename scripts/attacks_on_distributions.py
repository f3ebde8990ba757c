"""Attacks that redo every number which follows from the rows: only the distributions contradict."""

import numpy as np

from scripts.tampering import ALPHA, FIRST, Arrays, Attack, column, republished


def _halved(_arm: str, _window: str, held: Arrays) -> Arrays:
    return {**held, "kld": held["kld"] / 2}


def _renamed(arm: str, name: str, held: Arrays) -> Arrays:
    """Name another top-1 token on both sides, wherever both sides name the same one."""
    if (arm, name) != (ALPHA, FIRST):
        return held
    taught, learned = held["teacher_top1"], held["student_top1"]
    agree, last = taught == learned, held["teacher_topk_ids"][:, -1]
    renamed = {"teacher_top1": taught, "student_top1": learned}
    return {**held, **{key: np.where(agree, last, kept) for key, kept in renamed.items()}}


def _likelier(arm: str, name: str, held: Arrays) -> Arrays:
    """Raise the log probabilities of the tokens that came, by a tenth of each."""
    if (arm, name) != (ALPHA, FIRST):
        return held
    return {**held, "student_logp_realized": held["student_logp_realized"] * 0.9}


def _twice(ids: np.ndarray) -> np.ndarray:
    """List the third token as the fourth, too: no figure reads that far."""
    return np.concatenate((ids[:, :3], ids[:, 2:3]), axis=1)


ATTACKS = (
    Attack(
        check="score-distributions",
        name="divergences-halved",
        description="Every divergence was halved, and every mean and figure computed again.",
        change=republished(_halved),
        message="KL(teacher || student) is at least the divergence of the lists",
    ),
    Attack(
        check="score-distributions",
        name="top-1-renamed",
        description="The top-1 token was exchanged in both arrays that agreed on it, so that the "
        "agreement stays.",
        change=republished(_renamed),
        message="The likeliest token and the list of the likeliest tokens disagree",
    ),
    Attack(
        check="score-distributions",
        name="realised-tokens-likelier",
        description="The realised tokens of a window were made likelier, and the likelihoods "
        "published again.",
        change=republished(_likelier),
        message="A realised token has the listed log probability",
    ),
    Attack(
        check="score-distributions",
        name="token-listed-twice",
        description="The list of a row names one token twice.",
        change=column(ALPHA, FIRST, "teacher_topk_ids", _twice),
        message="names each of them once",
    ),
)
