"""The transformer: what it is made of and how one pass runs, in float32.

Pre-norm blocks (RMSNorm, attention, RMSNorm, SiLU feed-forward) around a residual stream, the
embedding tied to the output head, no biases. Positions enter only as linear penalties on the
attention scores (``attention.py``), so nothing is tied to the lengths seen in training.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from examples.tinylm.attention import SumOrder, attend, distance_bias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

F32: TypeAlias = npt.NDArray[np.float32]
Attention: TypeAlias = Callable[[int, F32, F32, F32], F32]
"""``(layer, queries, keys, values)``, each ``(tokens, width)`` -> mixed values of that shape."""

VOCABULARY = 256
HEADS = 4
EPSILON = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The sizes of a model; ``width`` is a multiple of ``heads`` and of 16 (the NVFP4 block)."""

    layers: int = 3
    width: int = 96
    heads: int = HEADS
    hidden: int = 384


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Layer:
    """One block's float32 weights, used as ``activations @ matrix``.

    ``attention_norm``, ``mlp_norm``: ``(width,)``; ``qkv``: ``(width, 3 * width)``; ``out``:
    ``(width, width)``; ``up``: ``(width, hidden)``; ``down``: ``(hidden, width)``.
    """

    attention_norm: F32
    qkv: F32
    out: F32
    mlp_norm: F32
    up: F32
    down: F32


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Weights:
    """All weights; ``embedding``: ``(256, width)``, also the head; ``norm``: ``(width,)``."""

    config: Config
    embedding: F32
    norm: F32
    layers: tuple[Layer, ...]

    def arrays(self) -> dict[str, F32]:
        """The very arrays (no copies) under the names that a weights file uses."""
        named = {"embedding": self.embedding, "norm": self.norm}
        for index, layer in enumerate(self.layers):
            named |= {f"{index}.{name}": getattr(layer, name) for name in Layer.__slots__}
        return named


def from_arrays(arrays: Mapping[str, F32], *, heads: int = HEADS) -> Weights:
    """Build weights from the names that :meth:`Weights.arrays` gives; sizes follow the shapes."""
    count = sum(name.endswith(".qkv") for name in arrays)
    layers = tuple(
        Layer(**{name: arrays[f"{index}.{name}"] for name in Layer.__slots__})
        for index in range(count)
    )
    width, hidden = arrays["0.up"].shape
    config = Config(layers=count, width=width, heads=heads, hidden=hidden)
    return Weights(config=config, embedding=arrays["embedding"], norm=arrays["norm"], layers=layers)


def random_weights(config: Config, seed: int) -> Weights:
    """Untrained weights: normal, matrices scaled by 1/sqrt(inputs), residual writes by depth too.

    Args:
        config: The sizes.
        seed: Of a PCG64 stream; equal seeds give equal weights.

    Returns:
        Float32 weights whose logits have a standard deviation of about 1.
    """
    stream = np.random.default_rng(seed)

    def matrix(inputs: int, outputs: int, scale: float = 1.0) -> F32:
        drawn = stream.standard_normal((inputs, outputs), dtype=np.float32)
        return drawn * np.float32(scale / inputs**0.5)

    width, hidden = config.width, config.hidden
    residual = (2 * config.layers) ** -0.5
    layers = tuple(
        Layer(
            attention_norm=np.ones(width, np.float32),
            qkv=matrix(width, 3 * width),
            out=matrix(width, width, residual),
            mlp_norm=np.ones(width, np.float32),
            up=matrix(width, hidden),
            down=matrix(hidden, width, residual),
        )
        for _ in range(config.layers)
    )
    embedding = np.ascontiguousarray(matrix(width, VOCABULARY).T)
    return Weights(
        config=config, embedding=embedding, norm=np.ones(width, np.float32), layers=layers
    )


def load_weights() -> Weights:
    """The committed weights: stored as float16, returned as float32, the type all sums run in."""
    file = resources.files("examples.tinylm").joinpath("weights.npz")
    with file.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
        return from_arrays({name: stored[name].astype(np.float32) for name in stored.files})


def token_array(tokens: Sequence[int] | npt.NDArray[np.integer] | bytes) -> npt.NDArray[np.int64]:
    """Tokens as ``(n,)`` int64, checked.

    Raises:
        ValueError: If there is none, or one is no byte; names the first offender and its place.
    """
    array = np.asarray(list(tokens) if isinstance(tokens, bytes) else tokens, dtype=np.int64)
    if array.ndim != 1 or not array.size:
        message = f"tokens of shape {array.shape}: expected at least one, in one dimension"
        raise ValueError(message)
    outside = np.flatnonzero((array < 0) | (array >= VOCABULARY))
    if outside.size:
        first = int(outside[0])
        message = f"token {array[first]} at place {first}: expected a byte, 0 to {VOCABULARY - 1}"
        raise ValueError(message)
    return array


def rms_norm(activations: F32, gain: F32) -> F32:
    """``x / sqrt(mean(x^2) + 1e-6) * gain`` over the last axis (Zhang and Sennrich 2019, eq. 4)."""
    power: F32 = np.mean(np.square(activations), axis=-1, keepdims=True)
    scaled: F32 = activations / np.sqrt(power + EPSILON) * gain
    return scaled


def sigmoid(activations: F32) -> F32:
    """The logistic function through tanh, which cannot overflow."""
    logistic: F32 = 0.5 + 0.5 * np.tanh(0.5 * activations)
    return logistic


def run(weights: Weights, tokens: npt.NDArray[np.int64], attention: Attention) -> F32:
    """One pass over tokens; what attention can see is the caller's business.

    Args:
        weights: Of the model.
        tokens: ``(n,)``, checked bytes.
        attention: Mixes values; called once per layer, in order.

    Returns:
        ``(n, width)``: the residual stream after the last norm, which :func:`logits` reads.
    """
    stream: F32 = weights.embedding[tokens]
    for index, layer in enumerate(weights.layers):
        projected = rms_norm(stream, layer.attention_norm) @ layer.qkv
        queries, keys, values = np.split(projected, 3, axis=-1)
        stream += attention(index, queries, keys, values) @ layer.out
        hidden: F32 = rms_norm(stream, layer.mlp_norm) @ layer.up
        stream += (hidden * sigmoid(hidden)) @ layer.down
    return rms_norm(stream, weights.norm)


def logits(weights: Weights, states: F32) -> F32:
    """``(..., width)`` states -> ``(..., 256)`` scores of the next byte, in nats."""
    return states @ weights.embedding.T


def heads_first(vectors: F32, heads: int) -> F32:
    """``(tokens, width)`` -> a view ``(heads, tokens, width / heads)``."""
    return vectors.reshape(len(vectors), heads, -1).swapaxes(0, 1)


def forward(weights: Weights, tokens: Sequence[int] | bytes) -> F32:
    """Logits of all positions in one pass without a cache: the reference for the engine.

    Args:
        weights: Of the model.
        tokens: n bytes; memory grows with n squared.

    Returns:
        ``(n, 256)`` float32; row i scores the byte after token i.
    """
    array, heads = token_array(tokens), weights.config.heads
    bias = distance_bias(heads, first=0, queries=len(array))

    def attention(_: int, queries: F32, keys: F32, values: F32) -> F32:
        split = (heads_first(part, heads) for part in (keys, values))
        return attend(heads_first(queries, heads), *split, bias=bias, order=SumOrder())

    return logits(weights, run(weights, array, attention))
