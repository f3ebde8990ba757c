"""Training: gradients against finite differences, Adam by hand, and the command."""

import math
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from examples.tinylm import corpus, model, train
from examples.tinylm.backprop import loss_and_gradients
from examples.tinylm.model import Config, Weights, from_arrays, random_weights
from examples.tinylm.train import Adam, Schedule

TINY = Config(layers=2, width=16, heads=4, hidden=24)
SHORT = Schedule(steps=60, batch_tokens=128, short=16, long=32, long_from=0.5, warm_up=5)
TEXT = b"tick tock, tick tock, " * 20


def doubled(weights: Weights) -> Weights:
    """The same weights in float64, so that differences are exact enough."""
    arrays = {name: array.astype(np.float64) for name, array in weights.arrays().items()}
    return from_arrays(arrays)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", random_weights(TINY, 0).arrays())
def test_gradients_are_the_slopes_of_the_loss(name: str) -> None:
    weights = doubled(random_weights(TINY, 1))
    stream = np.random.default_rng(2)
    windows = stream.integers(0, 256, (2, 9))
    _, gradients = loss_and_gradients(weights, windows)
    array, step = weights.arrays()[name], 1e-5
    assert gradients[name].shape == array.shape
    rows = [int(windows[0, 3]), int(windows[1, 8])] if name == "embedding" else [0, -1]
    places = [(row, column) for row in rows for column in (0, 7, 15)]
    for place in [place[-array.ndim :] for place in places]:
        kept = array[place]
        losses = []
        for moved in (kept + step, kept - step):
            array[place] = moved
            losses.append(loss_and_gradients(weights, windows)[0])
        array[place] = kept
        slope = (losses[0] - losses[1]) / (2 * step)
        assert gradients[name][place] == pytest.approx(slope, abs=1e-8)


def test_the_loss_is_the_cross_entropy_of_the_model() -> None:
    weights = random_weights(TINY, 4)
    windows = np.random.default_rng(5).integers(0, 256, (3, 11))
    losses = [train.held_out_loss(weights, bytes(window.tolist())) for window in windows]
    loss, gradients = loss_and_gradients(weights, windows)
    assert loss == pytest.approx(sum(losses) / 3, rel=1e-5)
    assert set(gradients) == set(weights.arrays())
    assert all(part.dtype == np.float32 for part in gradients.values())


def test_a_loss_over_several_windows_counts_every_byte_but_the_first() -> None:
    weights = random_weights(TINY, 4)
    text = TEXT[:10]
    scores = [model.forward(weights, part) for part in (text[:4], text[4:8], text[8:9])]
    rows = np.concatenate(scores).astype(np.float64)
    norms = np.log(np.exp(rows).sum(axis=1))
    wanted = (norms - rows[np.arange(9), list(text[1:])]).mean()
    assert train.held_out_loss(weights, text, length=4) == pytest.approx(wanted, rel=1e-6)


def test_the_first_step_of_adam_moves_every_weight_by_the_rate() -> None:
    array = np.array([1.0, 2.0, 3.0], np.float32)
    Adam({"a": array}).update({"a": np.array([0.5, -0.001, 0.0], np.float32)}, 0.01)
    assert array == pytest.approx([0.99, 2.01, 3.0], rel=1e-5)


def test_the_second_step_of_adam_follows_the_published_update() -> None:
    array = np.array([1.0], np.float32)
    adam = Adam({"a": array}, clip=math.inf)
    for gradient in (2.0, -1.0):
        adam.update({"a": np.array([gradient], np.float32)}, 0.1)
    mean = (0.9 * 0.1 * 2 + 0.1 * -1) / (1 - 0.9**2)
    square = (0.98 * 0.02 * 4 + 0.02 * 1) / (1 - 0.98**2)
    assert array[0] == pytest.approx(1 - 0.1 - 0.1 * mean / math.sqrt(square), rel=1e-5)


def test_gradients_are_clipped_together() -> None:
    clipped, small = (np.zeros(2, np.float32) for _ in range(2))
    one, two = Adam({"a": clipped}, clip=1), Adam({"a": small}, clip=1)
    for large, unit in (([30.0, 40.0], [0.6, 0.8]), ([0.1, 0.0], [0.1, 0.0])):
        one.update({"a": np.array(large, np.float32)}, 0.1)
        two.update({"a": np.array(unit, np.float32)}, 0.1)
    assert clipped == pytest.approx(small, rel=1e-5)
    assert clipped[0] != clipped[1]


def test_gradients_of_zero_change_nothing() -> None:
    array = np.ones(2, np.float32)
    Adam({"a": array}).update({"a": np.zeros(2, np.float32)}, 0.1)
    assert array.tolist() == [1, 1]


def test_the_rate_warms_up_and_decays_to_nothing() -> None:
    schedule = Schedule(steps=110, warm_up=10, rate=0.4)
    rates = [schedule.learning_rate(step) for step in (0, 4, 9, 10, 60, 110)]
    assert rates == pytest.approx([0.04, 0.2, 0.4, 0.4, 0.2, 0], abs=1e-12)


def test_windows_grow_late() -> None:
    assert [SHORT.length(step) for step in (0, 29, 30, 59)] == [16, 16, 32, 32]


def test_windows_are_pieces_of_the_text_from_end_to_end() -> None:
    text = np.arange(6, dtype=np.uint8)
    stream = np.random.default_rng(0)
    drawn = train.draw_windows(text, length=3, count=200, stream=stream)
    assert {tuple(window) for window in drawn.tolist()} == {
        (0, 1, 2, 3),
        (1, 2, 3, 4),
        (2, 3, 4, 5),
    }


def test_training_learns_and_repeats_itself(capsys: pytest.CaptureFixture[str]) -> None:
    once, again = (train.train(TEXT, TINY, SHORT, 3) for _ in range(2))
    assert train.held_out_loss(once, TEXT[:100]) < 1.6
    assert train.held_out_loss(random_weights(TINY, 3), TEXT[:100]) > 5.0
    for one, other in zip(once.arrays().values(), again.arrays().values(), strict=True):
        assert one.tobytes() == other.tobytes()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == ["step 50", "step 60"] * 2


def test_the_command_writes_float16_weights_and_says_their_losses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(train, "Config", lambda: TINY)
    monkeypatch.setattr(train, "Schedule", lambda: SHORT)
    monkeypatch.setattr(corpus, "training_text", lambda: TEXT)
    monkeypatch.setattr(corpus, "held_out_texts", lambda: {"clock": TEXT[:50]})
    output = tmp_path / "weights.npz"
    assert train.main([str(output)]) == 0
    with np.load(output) as stored:
        arrays: dict[str, npt.NDArray[np.float32]] = dict(stored)
    assert {array.dtype.name for array in arrays.values()} == {"float16"}
    weights = from_arrays({name: array.astype(np.float32) for name, array in arrays.items()})
    assert weights.config == TINY
    loss = train.held_out_loss(weights, TEXT[:50])
    said = capsys.readouterr().out.splitlines()[-1]
    assert said == f"clock: {loss:.4f} nats per byte, held out"


@pytest.mark.parametrize("arguments", [[], ["one", "two"]])
def test_the_command_without_one_output_says_its_usage(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert train.main(arguments) == 2
    assert capsys.readouterr().err == "usage: python -m examples.tinylm.train OUTPUT.npz\n"


def test_held_out_text_is_not_in_the_training_text() -> None:
    training = corpus.training_text()
    assert len(training) > 3_000_000
    assert not set(corpus.TRAINING_MODULES) & set(corpus.HELD_OUT_MODULES)
    texts = corpus.held_out_texts()
    assert set(texts) == {"prose", *corpus.HELD_OUT_MODULES}
    for text in texts.values():
        middle = len(text) // 2
        assert text[middle : middle + 400] not in training


def test_every_tenth_topic_is_held_out() -> None:
    kept, held = (corpus.prose(held_out=flag) for flag in (False, True))
    assert 5 < len(kept) / len(held) < 20


@pytest.mark.parametrize("module", ["math", "no_such_module"])
def test_a_module_without_source_is_named(module: str) -> None:
    with pytest.raises(LookupError, match=rf"^no source of {module}: a full installation"):
        corpus.source(module)
