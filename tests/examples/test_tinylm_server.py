"""The server: the prefix cache saves work, counts tokens, and changes nothing else."""

import numpy as np
import pytest
from prometheus_client.parser import text_string_to_metric_families

from examples.tinylm import model
from examples.tinylm.attention import SumOrder
from examples.tinylm.engine import Engine
from examples.tinylm.formats import PRECISIONS, Precision
from examples.tinylm.model import Config
from examples.tinylm.server import Server

WEIGHTS = model.random_weights(Config(layers=2, width=32, heads=2, hidden=48), 11)
PROMPT = b"A prompt of exactly forty bytes, no more"
OTHER = PROMPT[::-1]


def counts(server: Server) -> tuple[float, float]:
    """Tokens looked up and tokens found."""
    found = {
        sample.name: sample.value
        for family in text_string_to_metric_families(server.expose())
        for sample in family.samples
    }
    return (
        found["vllm:prefix_cache_queries_total"],
        found["vllm:prefix_cache_hits_total"],
    )


def test_a_fresh_server_exposes_zeros_in_the_text_format() -> None:
    assert Server(WEIGHTS).expose() == (
        "# HELP vllm:prefix_cache_queries_total Prompt tokens looked up in the prefix cache.\n"
        "# TYPE vllm:prefix_cache_queries_total counter\n"
        'vllm:prefix_cache_queries_total{model_name="tinylm"} 0\n'
        "# HELP vllm:prefix_cache_hits_total Prompt tokens found in the prefix cache.\n"
        "# TYPE vllm:prefix_cache_hits_total counter\n"
        'vllm:prefix_cache_hits_total{model_name="tinylm"} 0\n'
    )


def test_a_repeated_prompt_is_found_in_whole_blocks() -> None:
    server = Server(WEIGHTS)
    server.open(PROMPT)
    assert counts(server) == (40, 0)
    server.open(PROMPT)
    assert counts(server) == (80, 32)
    server.open(PROMPT[:20] + OTHER)
    assert counts(server) == (140, 48)


def test_the_last_token_of_a_prompt_is_always_computed() -> None:
    server = Server(WEIGHTS)
    server.open(PROMPT[:32])
    server.open(PROMPT[:32])
    assert counts(server) == (64, 16)
    server.open(PROMPT[:33])
    assert counts(server) == (97, 48)


def test_a_known_block_after_another_prefix_is_not_found() -> None:
    server = Server(WEIGHTS)
    server.open(PROMPT)
    server.open(OTHER[:16] + PROMPT[16:])
    assert counts(server) == (80, 0)


def test_after_a_reset_nothing_is_found() -> None:
    server = Server(WEIGHTS)
    server.open(PROMPT)
    server.reset_prefix_cache()
    server.open(PROMPT)
    assert counts(server) == (80, 0)


def test_a_request_without_prefix_caching_neither_looks_nor_keeps() -> None:
    server = Server(WEIGHTS)
    server.open(PROMPT, prefix_caching=False)
    assert counts(server) == (0, 0)
    server.open(PROMPT)
    assert counts(server) == (40, 0)
    server.open(PROMPT, prefix_caching=False)
    assert counts(server) == (40, 0)


def test_a_server_without_prefix_caching_can_use_it_for_one_request() -> None:
    server = Server(WEIGHTS, prefix_caching=False)
    server.open(PROMPT)
    server.open(PROMPT)
    assert counts(server) == (0, 0)
    for _ in range(2):
        server.open(PROMPT, prefix_caching=True)
    assert counts(server) == (80, 32)


def test_decoded_tokens_are_not_kept() -> None:
    server = Server(WEIGHTS)
    session = server.open(PROMPT[:17])
    for token in PROMPT[17:]:
        session.decode(token)
    assert session.length == 40
    server.open(PROMPT)
    assert counts(server) == (57, 16)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_a_hit_gives_the_bytes_that_a_miss_gives(precision: Precision) -> None:
    order = SumOrder(splits=3, reverse=True)
    without = Server(WEIGHTS, precision=precision, order=order, prefix_caching=False)
    server = Server(WEIGHTS, precision=precision, order=order)
    server.open(PROMPT[:20])
    wanted = without.forced(PROMPT, OTHER)
    for hits in (16, 48):
        assert server.forced(PROMPT, OTHER).tobytes() == wanted.tobytes()
        assert counts(server)[1] == hits


def test_a_forced_continuation_is_prefill_then_decode() -> None:
    order = SumOrder(splits=2)
    engine = Engine(WEIGHTS, precision="fp8-e4m3", order=order)
    wanted = [engine.prefill(PROMPT), *map(engine.decode, OTHER[:-1])]
    rows = Server(WEIGHTS, precision="fp8-e4m3", order=order).forced(PROMPT, OTHER)
    assert rows.shape == (40, 256)
    assert rows.dtype == np.float32
    assert rows.tolist() == [row.tolist() for row in wanted]


def test_greedy_bytes_are_the_largest_logits_of_their_own_forced_rows() -> None:
    server = Server(WEIGHTS)
    chosen = server.greedy(PROMPT, 12)
    rows = server.forced(PROMPT, chosen, prefix_caching=False)
    assert list(chosen) == rows.argmax(axis=1).tolist()
    assert server.greedy(PROMPT, 5, prefix_caching=False) == chosen[:5]
    assert server.greedy(PROMPT, 0) == b""


def test_a_session_holds_the_logits_of_its_last_token() -> None:
    session = Server(WEIGHTS).open(PROMPT)
    after_prompt = session.logits
    returned = session.decode(65)
    assert returned is session.logits
    assert returned.tobytes() != after_prompt.tobytes()


@pytest.mark.parametrize(("prompt", "continuation"), [(b"", b"a"), (b"a", b"")])
def test_an_empty_part_is_refused(prompt: bytes, continuation: bytes) -> None:
    server = Server(WEIGHTS)
    with pytest.raises(ValueError, match=r"^tokens of shape \(0,\): expected at least one"):
        server.forced(prompt, continuation)
    assert counts(server) == (0, 0)
