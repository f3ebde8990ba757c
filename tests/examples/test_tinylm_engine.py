"""The engine: decode through the cache is what one full pass is, in every precision."""

import numpy as np
import numpy.typing as npt
import pytest

from examples.tinylm import formats, model
from examples.tinylm.attention import SumOrder, attend, distance_bias
from examples.tinylm.corpus import held_out_texts
from examples.tinylm.engine import Engine
from examples.tinylm.formats import PRECISIONS, Precision
from examples.tinylm.model import Config, heads_first

F32 = npt.NDArray[np.float32]
TINY = Config(layers=2, width=32, heads=2, hidden=48)
WEIGHTS = model.random_weights(TINY, 7)
TEXT = b"The engine reads what the cache holds, and nothing else."


def decoded(text: bytes, prompt: int, precision: Precision, order: SumOrder | None = None) -> F32:
    """Rows ``prompt - 1`` to the last: one from prefill, the others from decode."""
    engine = Engine(WEIGHTS, precision=precision, order=order)
    return np.array([engine.prefill(text[:prompt]), *map(engine.decode, text[prompt:])])


def quantised_forward(text: bytes, precision: Precision) -> F32:
    """All rows in one pass without a cache, keys and values rounded as they would be stored."""
    bias = distance_bias(2, first=0, queries=len(text))

    def attention(_: int, queries: F32, keys: F32, values: F32) -> F32:
        k, v = (
            heads_first(formats.decode(precision, formats.encode(precision, part)), 2)
            for part in (keys, values)
        )
        return attend(heads_first(queries, 2), k, v, bias=bias, order=SumOrder())

    return model.logits(WEIGHTS, model.run(WEIGHTS, model.token_array(text), attention))


def mean_kl(teacher: F32, student: F32) -> float:
    """Mean over rows of KL(teacher || student), in nats."""
    p, q = (rows.astype(np.float64) for rows in (teacher, student))
    p -= np.logaddexp.reduce(p, axis=1, keepdims=True)
    q -= np.logaddexp.reduce(q, axis=1, keepdims=True)
    return float((np.exp(p) * (p - q)).sum(axis=1).mean())


@pytest.mark.parametrize("prompt", [1, 15, 16, 17, 40, len(TEXT)])
def test_decode_after_prefill_is_one_full_pass(prompt: int) -> None:
    wanted = model.forward(WEIGHTS, TEXT)[prompt - 1 :]
    assert decoded(TEXT, prompt, "float32") == pytest.approx(wanted, abs=1e-4)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_attention_reads_keys_and_values_as_stored(precision: Precision) -> None:
    wanted = quantised_forward(TEXT, precision)[19:]
    assert decoded(TEXT, 20, precision) == pytest.approx(wanted, abs=1e-4)


def test_narrow_caches_differ_measurably_and_the_narrower_more() -> None:
    exact = decoded(TEXT, 16, "float32")
    fp8, nvfp4 = (mean_kl(exact, decoded(TEXT, 16, name)) for name in ("fp8-e4m3", "nvfp4"))
    assert 1e-7 < fp8 < nvfp4 / 4 < 0.1


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("order", [None, SumOrder(splits=3, reverse=True)])
def test_two_passes_of_one_order_are_the_same_bytes(
    precision: Precision, order: SumOrder | None
) -> None:
    once, again = (decoded(TEXT, 20, precision, order) for _ in range(2))
    assert once.dtype == np.float32
    assert once.tobytes() == again.tobytes()


def test_another_order_gives_other_bits_of_the_same_numbers() -> None:
    plain = decoded(TEXT, 20, "float32")
    other = decoded(TEXT, 20, "float32", SumOrder(splits=4, reverse=True))
    assert plain.tobytes() != other.tobytes()
    assert other == pytest.approx(plain, abs=1e-4)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_prefill_in_parts_at_whole_chunks_is_the_same_bytes(precision: Precision) -> None:
    whole, parts = (Engine(WEIGHTS, precision=precision) for _ in range(2))
    last = whole.prefill(TEXT)
    parts.prefill(TEXT[:16])
    parts.prefill(TEXT[16:48])
    assert parts.prefill(TEXT[48:]).tobytes() == last.tobytes()
    assert parts.length == whole.length == len(TEXT)


def test_a_restored_engine_continues_with_the_same_bytes() -> None:
    first = Engine(WEIGHTS, precision="nvfp4")
    first.prefill(TEXT[:32])
    second = Engine(WEIGHTS, precision="nvfp4")
    second.restore(first.cache.records(0, 32))
    assert second.length == 32
    assert second.decode(65).tobytes() == first.decode(65).tobytes()


@pytest.mark.parametrize("token", [-1, 256])
def test_a_forced_token_that_is_no_byte_is_refused(token: int) -> None:
    engine = Engine(WEIGHTS)
    with pytest.raises(ValueError, match=rf"^token {token} at place 0: expected a byte, 0 to 255$"):
        engine.decode(token)
    assert engine.length == 0


def test_an_empty_prompt_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^tokens of shape \(0,\): expected at least one"):
        Engine(WEIGHTS).prefill(b"")


@pytest.mark.parametrize("precision", PRECISIONS)
def test_the_committed_weights_foretell_text_through_every_cache(precision: Precision) -> None:
    text = held_out_texts()["ipaddress"][:576]
    engine = Engine(model.load_weights(), precision=precision)
    rows = np.array([engine.prefill(text[:512]), *map(engine.decode, text[512:-1])], np.float64)
    rows -= np.logaddexp.reduce(rows, axis=1, keepdims=True)
    entropy = -(np.exp(rows) * rows).sum(axis=1)
    surprise = -rows[np.arange(64), list(text[512:])]
    assert 0.3 < entropy.mean() < 2
    assert surprise.mean() < 2
