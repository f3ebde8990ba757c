"""The transformer's parts against values worked out by hand, and the committed weights."""

import math
from importlib import resources

import numpy as np
import pytest

from examples.tinylm import model
from examples.tinylm.attention import MASKED, SumOrder, attend, distance_bias, slopes
from examples.tinylm.corpus import held_out_texts
from examples.tinylm.model import Config, Weights
from examples.tinylm.train import held_out_loss

TINY = Config(layers=2, width=32, heads=2, hidden=48)


@pytest.fixture(scope="module")
def committed() -> Weights:
    return model.load_weights()


def test_four_heads_have_the_published_slopes() -> None:
    assert slopes(4).tolist() == [1 / 4, 1 / 16, 1 / 64, 1 / 256]


def test_bias_falls_with_distance_and_masks_what_is_ahead() -> None:
    bias = distance_bias(2, first=1, queries=2)
    masked = np.float32(MASKED)
    assert bias[0].tolist() == [[-1 / 16, 0, masked], [-2 / 16, -1 / 16, 0]]
    assert bias[1].tolist() == [[-1 / 256, 0, masked], [-2 / 256, -1 / 256, 0]]
    assert distance_bias(2, first=2, queries=1)[1].tolist() == [[-2 / 256, -1 / 256, 0]]


def test_attention_weighs_values_by_the_softmax_of_scores() -> None:
    queries = np.array([[[2.0, 0, 0, 0]]], np.float32)  # divided by sqrt(4): 1
    keys = np.array([[[0, 5, 0, 0], [math.log(3), 5, 0, 0]]], np.float32)
    values = np.array([[[1, 0, 0, 4], [5, 0, 0, 8]]], np.float32)
    mixed = attend(queries, keys, values, bias=np.zeros((1, 1, 2), np.float32), order=SumOrder())
    assert mixed[0] == pytest.approx([4, 0, 0, 7], rel=1e-6)


@pytest.mark.parametrize(
    ("order", "spans"),
    [
        (SumOrder(), [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]),
        (SumOrder(splits=4), [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9]]),
        (SumOrder(splits=3, reverse=True), [[8, 9], [4, 5, 6, 7], [0, 1, 2, 3]]),
        (SumOrder(splits=99), [[0], [1], [2], [3], [4], [5], [6], [7], [8], [9]]),
    ],
)
def test_a_sum_order_covers_every_key_once(order: SumOrder, spans: list[list[int]]) -> None:
    assert [list(range(10))[span] for span in order.spans(10)] == spans


def test_a_sum_in_no_splits_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^0 splits of a sum: expected at least 1$"):
        SumOrder(splits=0)


@pytest.mark.parametrize("order", [SumOrder(splits=3), SumOrder(splits=7, reverse=True)])
def test_another_order_changes_last_bits_only(order: SumOrder) -> None:
    stream = np.random.default_rng(3)
    queries, keys, values = (stream.standard_normal((2, n, 8), np.float32) for n in (40, 50, 50))
    bias = distance_bias(2, first=10, queries=40)
    plain = attend(queries, keys, values, bias=bias, order=SumOrder())
    other = attend(queries, keys, values, bias=bias, order=order)
    assert plain.tobytes() != other.tobytes()
    assert other == pytest.approx(plain, abs=1e-5)


def test_rms_norm_divides_by_the_root_mean_square() -> None:
    normed = model.rms_norm(np.array([[3, -4]], np.float32), np.array([1, 10], np.float32))
    assert normed[0] == pytest.approx([3 / math.sqrt(12.5), -40 / math.sqrt(12.5)], rel=1e-6)


def test_sigmoid_cannot_overflow() -> None:
    found = model.sigmoid(np.array([-1e30, 0, math.log(3), 1e30], np.float32))
    assert found == pytest.approx([0, 0.5, 0.75, 1], rel=1e-6)
    assert found.dtype == np.float32


def test_a_row_depends_on_no_later_token() -> None:
    weights = model.random_weights(TINY, 0)
    rows = model.forward(weights, b"abcdef")
    changed = model.forward(weights, b"abcdXY")
    assert rows.shape == (6, 256)
    assert rows.dtype == np.float32
    assert changed[:4] == pytest.approx(rows[:4], abs=1e-5)
    assert np.abs(changed[4] - rows[4]).max() > 0.1


def test_a_row_depends_on_every_earlier_token_and_on_its_place() -> None:
    weights = model.random_weights(TINY, 0)
    last = model.forward(weights, b"abcdef")[-1]
    for other in (b"Xbcdef", b"badcef", b"bcdef"):
        assert np.abs(model.forward(weights, other)[-1] - last).max() > 1e-4


def test_names_and_shapes_come_back_as_the_same_weights() -> None:
    weights = model.random_weights(TINY, 5)
    again = model.from_arrays(weights.arrays(), heads=2)
    assert again.config == TINY
    assert len(weights.arrays()) == 2 + 2 * 6
    assert all(again.arrays()[name] is array for name, array in weights.arrays().items())


def test_random_weights_follow_their_seed() -> None:
    one, same, other = (model.random_weights(TINY, seed).embedding for seed in (1, 1, 2))
    assert one.tobytes() == same.tobytes()
    assert one.tobytes() != other.tobytes()


@pytest.mark.parametrize(
    ("tokens", "message"),
    [
        (b"", r"^tokens of shape \(0,\): expected at least one, in one dimension$"),
        ([1, 2, 256], r"^token 256 at place 2: expected a byte, 0 to 255$"),
        ([-1, 300], r"^token -1 at place 0: expected a byte, 0 to 255$"),
    ],
)
def test_what_is_no_byte_is_named(tokens: list[int] | bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        model.token_array(tokens)


def test_tokens_in_two_dimensions_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^tokens of shape \(1, 2\): expected at least one"):
        model.token_array(np.array([[1, 2]]))


def test_the_committed_weights_are_small_and_whole(committed: Weights) -> None:
    file = resources.files("examples.tinylm").joinpath("weights.npz")
    assert len(file.read_bytes()) < 1_000_000
    assert committed.config == Config()
    assert sum(array.size for array in committed.arrays().values()) == 357_024
    for array in committed.arrays().values():
        assert array.dtype == np.float32
        assert np.isfinite(array).all()
        assert (array == array.astype(np.float16)).all()


@pytest.mark.parametrize("name", ["prose", "queue"])
def test_the_committed_weights_predict_text_never_seen(committed: Weights, name: str) -> None:
    assert held_out_loss(committed, held_out_texts()[name][:1024]) < 1.9
