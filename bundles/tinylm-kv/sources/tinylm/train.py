"""Train the model: ``python -m examples.tinylm.train OUTPUT``.

Adam (Kingma and Ba 2015, algorithm 1) with a linear warm-up, a cosine decay to nothing, and clipped
gradients, on windows drawn at random from ``corpus.training_text``. The last part of training uses
longer windows, so that the wide heads see what they are for. About a quarter of an hour on one core
(set ``OMP_NUM_THREADS=1`` and ``OPENBLAS_NUM_THREADS=1``). Weights are stored as float16.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from examples.tinylm import corpus
from examples.tinylm.backprop import loss_and_gradients
from examples.tinylm.model import Config, forward, from_arrays, random_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from examples.tinylm.model import F32, Weights

SEED: Final = 20260902
_REPORT_EVERY: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """How training runs.

    Attributes:
        steps: Updates in all.
        batch_tokens: Predicted bytes per update.
        short: Length of the windows at first.
        long: Length of the windows from ``long_from`` on.
        long_from: Fraction of the steps before the windows grow.
        rate: The highest learning rate.
        warm_up: Steps until it is reached.
    """

    steps: int = 2100
    batch_tokens: int = 4096
    short: int = 256
    long: int = 1024
    long_from: float = 0.93
    rate: float = 4e-3
    warm_up: int = 100

    def length(self, step: int) -> int:
        """Length of the windows at a step."""
        return self.short if step < self.long_from * self.steps else self.long

    def learning_rate(self, step: int) -> float:
        """Linear up, then half a cosine down to 0 after the last step."""
        if step < self.warm_up:
            return self.rate * (step + 1) / self.warm_up
        done = (step - self.warm_up) / (self.steps - self.warm_up)
        return self.rate * 0.5 * (1 + math.cos(math.pi * done))


class Adam:
    """Adam over arrays that it updates in place.

    Args:
        arrays: The weights by name.
        clip: The largest Euclidean norm that the gradients may have together.
    """

    def __init__(self, arrays: dict[str, F32], *, clip: float = 1.0) -> None:
        self._arrays = arrays
        self._clip = clip
        self._means = {name: np.zeros_like(array) for name, array in arrays.items()}
        self._squares = {name: np.zeros_like(array) for name, array in arrays.items()}
        self._step = 0

    def update(self, gradients: dict[str, F32], rate: float) -> None:
        """One step down the gradients."""
        self._step += 1
        beta, gamma = 0.9, 0.98
        norm = math.sqrt(sum(float(np.square(part).sum()) for part in gradients.values()))
        scale = min(1.0, self._clip / norm) if norm else 1.0
        corrected = rate * math.sqrt(1 - gamma**self._step) / (1 - beta**self._step)
        for name in self._arrays:
            gradient = gradients[name] * scale
            mean, square = self._means[name], self._squares[name]
            mean += (1 - beta) * (gradient - mean)
            square += (1 - gamma) * (np.square(gradient) - square)
            self._arrays[name][...] -= corrected * mean / (np.sqrt(square) + 1e-8)


def draw_windows(
    text: npt.NDArray[np.uint8], *, length: int, count: int, stream: np.random.Generator
) -> npt.NDArray[np.uint8]:
    """``(count, length + 1)`` bytes: windows that start anywhere in ``text``, equally likely."""
    starts = stream.integers(0, len(text) - length, size=count)
    drawn: npt.NDArray[np.uint8] = text[starts[:, None] + np.arange(length + 1)]
    return drawn


def train(text: bytes, config: Config, schedule: Schedule, seed: int) -> Weights:
    """Train from scratch, saying the loss now and then.

    Args:
        text: Longer than the longest window.
        config: The sizes.
        schedule: Of the updates.
        seed: Of the first weights and of the windows.

    Returns:
        The trained weights, float32.
    """
    weights = random_weights(config, seed)
    adam = Adam(weights.arrays())
    stream = np.random.default_rng(seed + 1)
    array = np.frombuffer(text, np.uint8)
    recent: list[float] = []
    for step in range(schedule.steps):
        length = schedule.length(step)
        count = max(1, schedule.batch_tokens // length)
        windows = draw_windows(array, length=length, count=count, stream=stream)
        loss, gradients = loss_and_gradients(weights, windows)
        adam.update(gradients, schedule.learning_rate(step))
        recent.append(loss)
        if len(recent) == _REPORT_EVERY or step + 1 == schedule.steps:
            _say(f"step {step + 1}: {sum(recent) / len(recent):.4f} nats per byte")
            recent.clear()
    return weights


def held_out_loss(weights: Weights, text: bytes, *, length: int = 1024) -> float:
    """Mean cross entropy in nats per byte of ``text``, cut into windows of at most ``length``."""
    total = 0.0
    for start in range(0, len(text) - 1, length):
        window = text[start : start + length + 1]
        scores = forward(weights, window[:-1]).astype(np.float64)
        norms = np.logaddexp.reduce(scores, axis=1)
        targets = np.frombuffer(window[1:], np.uint8)
        total += float((norms - scores[np.arange(len(targets)), targets]).sum())
    return total / (len(text) - 1)


def main(arguments: Sequence[str]) -> int:
    """Train, store as float16, and say the losses of what was stored on texts never seen."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m examples.tinylm.train OUTPUT.npz\n")
        return 2
    weights = train(corpus.training_text(), Config(), Schedule(), SEED)
    stored = {name: array.astype(np.float16) for name, array in weights.arrays().items()}
    np.savez_compressed(arguments[0], allow_pickle=False, **stored)
    rounded = from_arrays({name: array.astype(np.float32) for name, array in stored.items()})
    for name, text in corpus.held_out_texts().items():
        _say(f"{name}: {held_out_loss(rounded, text):.4f} nats per byte, held out")
    return 0


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
