"""Words of labels, sentences, paths and ids: what means the same becomes the same word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.claims.words import mentions, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mean KL divergence", {"mean", "kld"}),
        ("mean_true_decode_kld", {"mean-true-decode-kld", "mean", "true", "decode", "kld"}),
        ("meanTrueKLD", {"meantruekld", "mean", "true", "kld"}),
        ("kv-nvfp4-l1", {"kv-nvfp4-l1", "kv", "nvfp4", "l1"}),
        ("stream-005k-code", {"stream-005k-code", "stream", "005k", "code"}),
        ("Window BCa 95%", {"window", "bca", "95"}),
        ("window_bca95", {"window-bca95", "window", "bca95", "bca", "95"}),
        ("bca95-scipy-1.16", {"bca95-scipy-1.16", "bca95", "bca", "95", "scipy", "1.16"}),
        ("windows.json", {"windows.json", "window", "json"}),
        ("upper end of the CI", {"high", "end", "interval"}),
        ("Share (%)", {"fraction", "percent"}),
        ("share in per cent", {"fraction", "percent"}),
        ("negative log-likelihood", {"nll"}),
        ("top-1 agreement", {"top1", "agreement"}),
        ("top1_agreement", {"top1-agreement", "top1", "agreement"}),
        ("std of the entropies", {"standard", "deviation", "entropy"}),
        ("bias, loss, basis, corpus", {"bias", "loss", "basis", "corpus"}),
        ("of the and", set()),
        ("", set()),
        ("___ - .", set()),
    ],
)
def test_texts_that_mean_the_same_give_the_same_words(text: str, expected: set[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("p99", "p99"),
        ("99th percentile", "p99"),
        ("99 % quantile", "p99"),
        ("99.9th percentile", "p99.9"),
        ("quantile (probability 0.99", "p99"),
        ("quantile (probability 0.999", "p99.9"),
        ("quantile (probability 0.5", "p50"),
        ("quantile (probability 0.05", "p5"),
        ("quantile (probability 0.001", "p0.1"),
    ],
)
def test_a_quantile_is_one_word_however_it_is_written(text: str, level: str) -> None:
    assert words(text) == {level, "quantile"}


def test_the_level_of_an_interval_is_no_percentage() -> None:
    assert words("95 % interval") == {"95", "interval"}
    assert words("95 per cent interval") == {"95", "interval"}


@pytest.mark.parametrize("joint", ["minus", "vs", "against", "−", "versus"])  # noqa: RUF001 - a minus sign
def test_the_order_of_two_names_is_kept(joint: str) -> None:
    assert "fp8-nvfp4" in words(f"FP8 {joint} NVFP4")
    assert "nvfp4-fp8" not in words(f"FP8 {joint} NVFP4")


def test_a_joint_passes_over_stop_words_and_needs_two_names() -> None:
    assert words("FP8 minus the NVFP4") == {"fp8", "difference", "nvfp4", "fp8-nvfp4"}
    assert words("minus the NVFP4") == {"difference", "nvfp4"}
    assert words("FP8 minus") == {"fp8", "difference"}
    assert words("FP8 is minus NVFP4") == {"fp8", "difference", "nvfp4", "fp8-nvfp4"}
    assert words("FP8 minus " + "x" * 65) == {"fp8", "difference"}


def test_a_digest_or_a_line_of_digits_is_no_word() -> None:
    assert words("a1" * 32 + "b") == frozenset()
    assert words("7" * 1_000_000) == frozenset()


def test_mentions_stand_where_their_words_do() -> None:
    text = "the mean KLD of kv-fp8"
    found = [(text[item.start : item.end], set(item.words)) for item in mentions(text)]
    assert found == [
        ("mean", {"mean"}),
        ("KLD", {"kld"}),
        ("kv-fp8", {"kv-fp8", "kv", "fp8"}),
    ]


@given(st.text(max_size=200))
def test_any_text_has_words_in_lower_case_without_blanks(text: str) -> None:
    for word in words(text):
        assert word
        assert word.split() == [word]


@given(st.text(alphabet="aB1-_. %/(", max_size=80))
def test_words_of_words_are_among_them(text: str) -> None:
    for item in mentions(text):
        assert 0 <= item.start < item.end <= len(text)
        assert item.words
