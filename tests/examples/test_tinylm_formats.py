"""Narrow formats: values worked out by hand, and the nearest of all codes as an oracle."""

import math
from collections.abc import Callable
from typing import get_args

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples.tinylm import formats
from examples.tinylm.formats import PRECISIONS, Precision

F32 = npt.NDArray[np.float32]
Codes = npt.NDArray[np.uint8]
FORMATS = pytest.mark.parametrize(
    ("encode", "values"),
    [
        pytest.param(formats.encode_e4m3, formats.E4M3_VALUES, id="e4m3"),
        pytest.param(formats.encode_e2m1, formats.E2M1_VALUES, id="e2m1"),
    ],
)


def f32(*values: float) -> F32:
    return np.array(values, np.float32)


@pytest.mark.parametrize(
    ("code", "value"),
    [
        (0x00, 0.0),
        (0x01, 2.0**-9),
        (0x07, 7 * 2.0**-9),
        (0x08, 2.0**-6),
        (0x38, 1.0),
        (0x39, 1.125),
        (0x7E, 448.0),
        (0x81, -(2.0**-9)),
        (0xB8, -1.0),
        (0xFE, -448.0),
    ],
)
def test_e4m3_codes_stand_for_the_values_of_the_specification(code: int, value: float) -> None:
    assert formats.decode_e4m3(np.array([code], np.uint8)).tolist() == [value]
    assert formats.encode_e4m3(f32(value)).tolist() == [code]


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (0.3, 0x2A),  # 1.2 * 2^-2: 1.25 is nearer than 1.125
        (1.0625, 0x38),  # half way between 0x38 and 0x39
        (1.1875, 0x3A),  # half way between 0x39 and 0x3A
        (1.9375, 0x40),  # half way to the next power of two
        (2.0**-10, 0x00),  # half way between zero and the smallest
        (3 * 2.0**-10, 0x02),
        (7.5 * 2.0**-9, 0x08),  # half way between the last subnormal and the first normal
        (464.0, 0x7E),
        (1e30, 0x7E),
        (math.inf, 0x7E),
        (-math.inf, 0xFE),
        (-0.0, 0x80),
        (1e-45, 0x00),
    ],
)
def test_e4m3_rounds_to_even_and_saturates(value: float, code: int) -> None:
    assert formats.encode_e4m3(f32(value)).tolist() == [code]


def test_e4m3_keeps_nan() -> None:
    assert formats.encode_e4m3(f32(math.nan, -math.nan)).tolist() == [0x7F, 0x7F]
    assert np.isnan(formats.decode_e4m3(np.array([0x7F, 0xFF], np.uint8))).all()


def test_e2m1_has_the_sixteen_values_of_the_specification() -> None:
    positive = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]
    assert formats.decode_e2m1(np.arange(16, dtype=np.uint8)).tolist() == [
        *positive,
        *(-value for value in positive),
    ]


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (0.25, 0),
        (0.75, 2),
        (1.25, 2),
        (1.75, 4),
        (2.5, 4),
        (3.5, 6),
        (5.0, 6),
        (5.1, 7),
        (7.0, 7),
        (1e30, 7),
        (-0.75, 10),
        (-100.0, 15),
    ],
)
def test_e2m1_rounds_to_even_and_saturates(value: float, code: int) -> None:
    assert formats.encode_e2m1(f32(value)).tolist() == [code]


@FORMATS
def test_every_code_comes_back_as_itself(encode: Callable[[F32], Codes], values: F32) -> None:
    codes = np.flatnonzero(~np.isnan(values))
    assert encode(values[codes]).tolist() == codes.tolist()


@FORMATS
def test_rounding_finds_the_nearest_of_all_codes(
    encode: Callable[[F32], Codes], values: F32
) -> None:
    finite = values[np.isfinite(values)].astype(np.float64)
    ordered = np.unique(finite)
    middles = ((ordered[1:] + ordered[:-1]) / 2).astype(np.float32)
    stream = np.random.default_rng(1)
    drawn = stream.standard_normal(4000, np.float32) * np.exp2(stream.integers(-14, 11, 4000))
    tried = np.concatenate(
        [
            drawn.astype(np.float32),
            middles,
            np.nextafter(middles, np.float32(np.inf)),
            np.nextafter(middles, np.float32(-np.inf)),
        ]
    )
    half = len(values) // 2
    magnitudes = np.where(np.isnan(values[:half]), np.inf, values[:half]).astype(np.float64)
    distance = np.abs(np.abs(tried).astype(np.float64)[:, None] - magnitudes)
    nearest = distance == distance.min(axis=1, keepdims=True)
    even = nearest & (np.arange(half) % 2 == 0)
    wanted = np.where(even.any(axis=1), even.argmax(axis=1), nearest.argmax(axis=1))
    wanted = np.where(np.signbit(tried), wanted + half, wanted)
    assert nearest.sum(axis=1).max() == 2
    assert encode(tried).tolist() == wanted.tolist()


def test_an_nvfp4_record_is_packed_codes_then_block_scales_then_one_float() -> None:
    vector = np.zeros((1, 32), np.float32)
    vector[0, :4] = [2688, -448, 224, 672]  # the peak makes the float scale 1 and this scale 448
    vector[0, 16:19] = [6, -0.5, 3]  # scale 1
    record = formats.encode_nvfp4(vector)
    codes = [0x7 | 0xA << 4, 0x1 | 0x3 << 4, *[0] * 6, 0x7 | 0x9 << 4, 0x5, *[0] * 6]
    assert record.tolist() == [[*codes, 0x7E, 0x38, *np.float32(1).tobytes()]]
    assert formats.decode_nvfp4(record).tolist() == vector.tolist()


def test_each_vector_has_scales_of_its_own() -> None:
    small = f32(*[0.5] * 8, *[-3] * 8)[None]
    vectors = np.concatenate((small, small * np.float32(2.0**60), small * np.float32(2.0**-60)))
    assert formats.decode_nvfp4(formats.encode_nvfp4(vectors)).tolist() == vectors.tolist()


@pytest.mark.parametrize("value", [0.0, 1e-45, -1e-42])
def test_a_vector_too_small_for_scales_is_stored_as_zeros(value: float) -> None:
    vector = np.full((1, 16), value, np.float32)
    assert np.abs(formats.decode_nvfp4(formats.encode_nvfp4(vector))).max() <= abs(2 * value)


def test_a_block_far_below_its_vector_is_stored_as_zeros() -> None:
    vector = np.ones((1, 32), np.float32)
    vector[0, 16:] = 1e-9
    decoded = formats.decode_nvfp4(formats.encode_nvfp4(vector))
    assert decoded[0, 16:].tolist() == [0.0] * 16
    assert decoded[0, :16] == pytest.approx(1.0, rel=1e-6)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_value_without_an_nvfp4_code_is_refused(value: float) -> None:
    vector = np.ones((1, 16), np.float32)
    vector[0, 3] = value
    with pytest.raises(ValueError, match=r"^a vector with NaN or infinity cannot be stored"):
        formats.encode_nvfp4(vector)


@settings(max_examples=40)
@given(
    st.lists(
        st.floats(-(2.0**100), 2.0**100, width=32).filter(lambda x: x == 0 or abs(x) > 2.0**-60),
        min_size=32,
        max_size=32,
    )
)
def test_nvfp4_errs_by_at_most_a_step_of_its_block(values: list[float]) -> None:
    vector = np.array([values], np.float32)
    error = np.abs(formats.decode_nvfp4(formats.encode_nvfp4(vector)) - vector).astype(np.float64)
    blocks = np.abs(vector).reshape(2, 16).max(axis=1).astype(np.float64)
    # Half of the widest gap (4 to 6) is a sixth of the peak, up to the rounding of the block scale,
    # which is relative (1/16) or, below its normal range, half of the smallest scale.
    floor = np.abs(vector).max().astype(np.float64) / 448 / 6 * 2.0**-10 * 6
    bound = blocks / 6 * (17 / 16) + floor
    assert (error.reshape(2, 16) <= bound[:, None] * (1 + 1e-6)).all()


def test_the_precisions_are_three() -> None:
    assert get_args(Precision) == PRECISIONS == ("float32", "fp8-e4m3", "nvfp4")


@pytest.mark.parametrize(
    ("precision", "size"), [("float32", 384), ("fp8-e4m3", 96), ("nvfp4", 48 + 6 + 4)]
)
def test_a_record_has_the_size_that_is_promised(precision: Precision, size: int) -> None:
    vectors = np.random.default_rng(0).standard_normal((5, 96), np.float32)
    records = formats.encode(precision, vectors)
    assert formats.record_bytes(precision, 96) == size
    assert records.shape == (5, size)
    assert records.dtype == np.uint8
    assert formats.decode(precision, records).shape == (5, 96)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_what_was_decoded_is_stored_without_further_loss(precision: Precision) -> None:
    vectors = np.random.default_rng(0).standard_normal((50, 96), np.float32)
    once = formats.decode(precision, formats.encode(precision, vectors))
    again = formats.decode(precision, formats.encode(precision, once))
    if precision == "float32":
        assert once.tobytes() == vectors.tobytes()
    assert again == pytest.approx(once, rel=1e-6)
    assert again.dtype == once.dtype == np.float32
