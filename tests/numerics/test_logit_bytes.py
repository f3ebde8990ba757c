"""Raw logits as bytes and back."""

import numpy as np
import pytest

from verifier.numerics.logit_bytes import LOGIT_TYPES, decoded, encoded, row_bytes


@pytest.mark.parametrize(
    ("dtype", "size"), [("float64", 8), ("float32", 4), ("float16", 2), ("bfloat16", 2)]
)
def test_a_row_is_as_long_as_its_logits(dtype: str, size: int) -> None:
    assert row_bytes(10, dtype) == 10 * size
    assert dtype in LOGIT_TYPES


def test_a_type_that_no_raw_file_has() -> None:
    with pytest.raises(ValueError, match="logits of type 'int8'; expected float64, float32"):
        row_bytes(10, "int8")


@pytest.mark.parametrize("vocabulary", [-1, 0, 2**22 + 1])
def test_a_row_that_is_too_short_or_too_long_to_be_held(vocabulary: int) -> None:
    with pytest.raises(ValueError, match=f"a vocabulary of {vocabulary}; expected 1 to 4194304"):
        row_bytes(vocabulary, "float32")


def test_the_longest_row_is_permitted() -> None:
    assert row_bytes(2**22, "float16") == 2**23


@pytest.mark.parametrize("dtype", LOGIT_TYPES)
def test_every_row_gives_its_bytes_back_bit_for_bit(dtype: str) -> None:
    data = np.random.default_rng(2).bytes(3 * row_bytes(50, dtype))
    rows = decoded(data, 50, dtype)
    assert rows.shape == (3, 50)
    assert b"".join(encoded(row, dtype) for row in rows) == data


def test_bfloat16_is_the_upper_half_of_single_precision() -> None:
    data = bytes.fromhex("803f 00c0 807f 80ff 0080")
    assert decoded(data, 5, "bfloat16").tolist() == [[1.0, -2.0, np.inf, -np.inf, -0.0]]


def test_bytes_are_little_endian() -> None:
    assert decoded(bytes.fromhex("000000000000f03f"), 1, "float64").tolist() == [[1.0]]
    assert decoded(bytes.fromhex("0000803f"), 1, "float32").tolist() == [[1.0]]
    assert decoded(bytes.fromhex("003c"), 1, "float16").tolist() == [[1.0]]
