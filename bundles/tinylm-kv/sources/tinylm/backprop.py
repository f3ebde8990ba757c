"""The loss of a batch and its gradients, by hand.

The forward half repeats ``model.run`` over a batch because every intermediate is needed again; a
test holds the two equal, and another holds the gradients against finite differences.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from examples.tinylm.attention import distance_bias
from examples.tinylm.model import EPSILON, sigmoid

if TYPE_CHECKING:
    import numpy.typing as npt

    from examples.tinylm.model import F32, Layer, Weights


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Normed:
    """What RMSNorm leaves for its backward: input over its root mean square, and one over that."""

    unit: F32
    inverse: F32

    def times(self, gain: F32) -> F32:
        """What RMSNorm gave."""
        product: F32 = self.unit * gain
        return product


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Tape:
    """What one block leaves for its backward, all flat ``(batch * length, ...)`` but attention.

    ``split``: ``(3, batch, heads, length, d)``; ``weights``: ``(batch, heads, length, length)``;
    ``mixed``: ``(batch, heads, length, d)``.
    """

    before: _Normed
    split: F32
    weights: F32
    mixed: F32
    between: _Normed
    hidden: F32
    gate: F32


def _norm(stream: F32) -> _Normed:
    inverse: F32 = (np.square(stream).mean(axis=-1, keepdims=True) + EPSILON) ** -0.5
    return _Normed(unit=stream * inverse, inverse=inverse)


def _norm_back(normed: _Normed, gain: F32, gradient: F32) -> tuple[F32, F32]:
    """Gradients of RMSNorm: of its input and of its gain."""
    scaled: F32 = gradient * gain
    along = (scaled * normed.unit).mean(axis=-1, keepdims=True)
    return normed.inverse * (scaled - normed.unit * along), (gradient * normed.unit).sum(axis=0)


def _softmax(scores: F32) -> F32:
    """Softmax over the last axis, in place."""
    scores -= scores.max(axis=-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=-1, keepdims=True)
    return scores


def _heads_joined(by_head: F32) -> F32:
    """``(batch, heads, length, d)`` -> ``(batch * length, heads * d)``."""
    batch, heads, length, d = by_head.shape
    return by_head.swapaxes(1, 2).reshape(batch * length, heads * d)


def _mix(split: F32, bias: F32) -> tuple[F32, F32]:
    """Attention, sequence by sequence so that the scores of one stay in the processor's cache.

    Args:
        split: ``(3, batch, heads, length, d)``: queries, keys, values.
        bias: ``(heads, length, length)``.

    Returns:
        The softmax weights and the mixed values ``(batch, heads, length, d)``.
    """
    queries, keys, values = split
    _, batch, heads, length, d = split.shape
    weights = np.empty((batch, heads, length, length), split.dtype)
    mixed = np.empty_like(queries)
    for at in range(batch):
        scores = np.matmul(queries[at] * d**-0.5, keys[at].swapaxes(1, 2), out=weights[at])
        scores += bias
        np.matmul(_softmax(scores), values[at], out=mixed[at])
    return weights, mixed


def _mix_back(tape: _Tape, gradient: F32) -> F32:
    """Gradient of :func:`_mix`: of ``split``, from that of the mixed values."""
    queries, keys, values = tape.split
    back = np.empty_like(tape.split)
    scale = queries.shape[-1] ** -0.5
    for at, weights in enumerate(tape.weights):
        scores = gradient[at] @ values[at].swapaxes(1, 2)
        np.matmul(weights.swapaxes(1, 2), gradient[at], out=back[2, at])
        # The sum over keys of weights * scores, without a pass over the whole matrix.
        scores -= (gradient[at] * tape.mixed[at]).sum(axis=-1, keepdims=True)
        scores *= weights
        np.matmul(scores, keys[at], out=back[0, at])
        np.matmul(scores.swapaxes(1, 2), queries[at], out=back[1, at])
    back[:2] *= scale
    return back


def _block(layer: Layer, stream: F32, bias: F32, batch: int) -> _Tape:
    """One block forward; adds to the flat residual stream ``(batch * length, width)`` in place."""
    heads, length = bias.shape[:2]
    before = _norm(stream)
    projected: F32 = before.times(layer.attention_norm) @ layer.qkv
    split: F32 = projected.reshape(batch, length, 3, heads, -1).transpose(2, 0, 3, 1, 4)
    split = np.ascontiguousarray(split)
    weights, mixed = _mix(split, bias)
    stream += _heads_joined(mixed) @ layer.out
    between = _norm(stream)
    hidden: F32 = between.times(layer.mlp_norm) @ layer.up
    gate = sigmoid(hidden)
    tape = _Tape(
        before=before,
        split=split,
        weights=weights,
        mixed=mixed,
        between=between,
        hidden=hidden,
        gate=gate,
    )
    stream += (hidden * gate) @ layer.down
    return tape


def _block_back(layer: Layer, tape: _Tape, gradient: F32) -> dict[str, F32]:
    """One block backward: the gradients of its weights; ``gradient`` becomes its input's."""
    active: F32 = tape.hidden * tape.gate
    found: dict[str, F32] = {"down": active.T @ gradient}
    hidden: F32 = gradient @ layer.down.T
    hidden *= tape.gate + active * (1 - tape.gate)
    found["up"] = tape.between.times(layer.mlp_norm).T @ hidden
    inner, found["mlp_norm"] = _norm_back(tape.between, layer.mlp_norm, hidden @ layer.up.T)
    gradient += inner
    found["out"] = _heads_joined(tape.mixed).T @ gradient
    _, batch, heads, length, d = tape.split.shape
    by_head = (gradient @ layer.out.T).reshape(batch, length, heads, d).swapaxes(1, 2)
    split = _mix_back(tape, np.ascontiguousarray(by_head))
    projected = split.transpose(1, 3, 0, 2, 4).reshape(batch * length, -1)
    found["qkv"] = tape.before.times(layer.attention_norm).T @ projected
    inner, found["attention_norm"] = _norm_back(
        tape.before, layer.attention_norm, projected @ layer.qkv.T
    )
    gradient += inner
    return found


def loss_and_gradients(
    weights: Weights, windows: npt.NDArray[np.integer]
) -> tuple[float, dict[str, F32]]:
    """The mean cross entropy of next bytes, and its gradient by every weight.

    Args:
        weights: Of the model.
        windows: ``(batch, length + 1)`` bytes; each of the first ``length`` predicts its successor.

    Returns:
        The loss in nats per byte, and gradients under the names of :meth:`Weights.arrays`.
    """
    batch, length = windows.shape[0], windows.shape[1] - 1
    tokens, targets = windows[:, :-1].ravel(), windows[:, 1:].ravel()
    bias = distance_bias(weights.config.heads, first=0, queries=length)
    stream: F32 = weights.embedding[tokens]
    tapes = [_block(layer, stream, bias, batch) for layer in weights.layers]
    last = _norm(stream)
    states = last.times(weights.norm)
    probabilities = _softmax(states @ weights.embedding.T)
    rows = np.arange(len(targets))
    loss = float(-np.log(probabilities[rows, targets]).mean())

    probabilities[rows, targets] -= 1
    probabilities /= len(targets)
    found: dict[str, F32] = {"embedding": probabilities.T @ states}
    gradient, found["norm"] = _norm_back(last, weights.norm, probabilities @ weights.embedding)
    for index in reversed(range(len(tapes))):
        inner = _block_back(weights.layers[index], tapes[index], gradient)
        found |= {f"{index}.{name}": part for name, part in inner.items()}
    np.add.at(found["embedding"], tokens, gradient)
    return loss, found
