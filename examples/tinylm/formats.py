"""Narrow number formats for a KV cache: FP8 E4M3, and E2M1 in blocks with FP8 scales.

Element encodings follow the OCP 8-bit Floating Point Specification (E4M3: bias 7, no infinities,
largest 448, NaN 0x7F) and the OCP Microscaling Formats Specification (E2M1: bias 1; 0, 0.5, 1, 1.5,
2, 3, 4, 6). Rounding is to nearest, ties to even; what is too large saturates. The block layout is
NVFP4's: 16 elements share an E4M3 scale, and one float32 scale keeps those scales in range.

A cache vector is stored as one *record* of bytes, whatever its precision:

- ``float32``: the values, little endian, 4 bytes each;
- ``fp8-e4m3``: one code per value, without a scale;
- ``nvfp4``: two codes a byte (the even element in the low half), then one E4M3 scale per 16 values,
  then one float32 scale.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

F32: TypeAlias = npt.NDArray[np.float32]
U8: TypeAlias = npt.NDArray[np.uint8]

Precision: TypeAlias = Literal["float32", "fp8-e4m3", "nvfp4"]
PRECISIONS: Final[tuple[Precision, ...]] = get_args(Precision)

BLOCK: Final = 16
E4M3_MAX: Final = 448.0
E2M1_MAX: Final = 6.0
_E4M3_NAN: Final = 0x7F
_FLOAT32_MANTISSA: Final = 23
_FLOAT32_BIAS: Final = 127


def _encode(values: F32, *, mantissa: int, bias: int, top: int, sign: int) -> U8:
    """Round float32 to the codes of a narrow float format.

    Args:
        values: Any shape.
        mantissa: Explicit mantissa bits of the format.
        bias: Its exponent bias.
        top: Code of its largest magnitude, which also takes everything beyond.
        sign: The sign bit.

    Returns:
        Codes of the same shape; NaN gives no sensible code.
    """
    magnitude = np.abs(values, dtype=np.float32)
    # Subnormals are multiples of one step, so the code is the multiple (its carry is a normal).
    # fmin drops NaN, which has no integer to be cast to.
    small = np.rint(np.fmin(magnitude, 1.0) * np.float32(2.0 ** (bias - 1 + mantissa)))
    # For normals the codes are the leading bits of float32 with another bias, and adding just under
    # half of what is cut off, plus the last kept bit, rounds ties to even.
    cut = _FLOAT32_MANTISSA - mantissa
    bits = magnitude.view(np.uint32)
    half = np.uint32((1 << (cut - 1)) - 1)
    kept = (bits + half + ((bits >> cut) & 1)) >> cut
    normal = kept.astype(np.int32) - ((_FLOAT32_BIAS - bias) << mantissa)
    is_small = magnitude < 2.0 ** (1 - bias)
    code = np.minimum(np.where(is_small, small.astype(np.int32), normal), top)
    return (code | np.where(np.signbit(values), sign, 0)).astype(np.uint8)


def _table(*, mantissa: int, bias: int, codes: int) -> F32:
    """The values of all codes, sign bit on top; ``(codes,)`` float32."""
    code = np.arange(codes // 2)
    exponent, fraction = code >> mantissa, code & ((1 << mantissa) - 1)
    implicit = np.where(exponent > 0, 1 << mantissa, 0)
    scale = np.exp2(np.maximum(exponent, 1) - bias - mantissa)
    positive = (implicit + fraction) * scale
    return np.concatenate((positive, -positive)).astype(np.float32)


E2M1_VALUES: Final = _table(mantissa=1, bias=1, codes=16)
E4M3_VALUES: Final = _table(mantissa=3, bias=7, codes=256)
E4M3_VALUES[[_E4M3_NAN, _E4M3_NAN | 0x80]] = np.nan
for _values in (E2M1_VALUES, E4M3_VALUES):
    _values.setflags(write=False)


def encode_e4m3(values: F32) -> U8:
    """Float32 of any shape to E4M3 codes; beyond 448 (infinity too) saturates, NaN stays NaN."""
    codes = _encode(values, mantissa=3, bias=7, top=0x7E, sign=0x80)
    return np.where(np.isnan(values), np.uint8(_E4M3_NAN), codes)


def decode_e4m3(codes: U8) -> F32:
    """E4M3 codes of any shape to the float32 they stand for; exact."""
    return E4M3_VALUES[codes]


def encode_e2m1(values: F32) -> U8:
    """Float32 of any shape, without NaN, to 4-bit E2M1 codes (0 to 15); beyond 6 saturates."""
    return _encode(values, mantissa=1, bias=1, top=7, sign=8)


def decode_e2m1(codes: U8) -> F32:
    """4-bit E2M1 codes of any shape to the float32 they stand for; exact."""
    return E2M1_VALUES[codes]


def encode_nvfp4(vectors: F32) -> U8:
    """Vectors to NVFP4-like records.

    The float32 scale maps the vector's largest magnitude to the largest block scale times the
    largest element (448 * 6); a block's scale maps its own largest magnitude to 6.

    Args:
        vectors: ``(n, width)`` float32, width a multiple of 16.

    Returns:
        ``(n, width / 2 + width / 16 + 4)`` bytes.

    Raises:
        ValueError: If a value is not finite: E2M1 has no code for it.
    """
    if not np.isfinite(vectors).all():
        message = "a vector with NaN or infinity cannot be stored as nvfp4: E2M1 has no such code"
        raise ValueError(message)
    blocks = vectors.reshape(len(vectors), -1, BLOCK)
    peaks = np.abs(blocks).max(axis=2)
    whole = peaks.max(axis=1, keepdims=True) / np.float32(E4M3_MAX * E2M1_MAX)
    whole[whole == 0] = 1
    scales = encode_e4m3(peaks / np.float32(E2M1_MAX) / whole)
    step = decode_e4m3(scales) * whole
    step[step == 0] = np.inf  # a block that small is stored as zeros
    codes = encode_e2m1(blocks / step[:, :, None]).reshape(vectors.shape)
    packed = codes[:, ::2] | (codes[:, 1::2] << 4)
    return np.concatenate((packed, scales, whole.astype("<f4").view(np.uint8)), axis=1)


def decode_nvfp4(records: U8) -> F32:
    """NVFP4-like records to float32: ``element * (block scale * vector scale)``.

    Args:
        records: ``(n, bytes)`` as :func:`encode_nvfp4` made them.

    Returns:
        ``(n, width)`` float32.
    """
    count = (records.shape[1] - 4) // (BLOCK // 2 + 1)  # 8 bytes of codes and 1 of scale a block
    packed, scales, whole = np.split(records, (count * BLOCK // 2, count * BLOCK // 2 + count), 1)
    codes = np.stack((packed & 0xF, packed >> 4), axis=-1).reshape(len(records), count, BLOCK)
    step = decode_e4m3(scales) * np.ascontiguousarray(whole).view("<f4")
    values: F32 = decode_e2m1(codes) * step[:, :, None]
    return values.reshape(len(records), -1)


def record_bytes(precision: Precision, width: int) -> int:
    """How many bytes one stored vector of ``width`` values takes."""
    match precision:
        case "float32":
            return 4 * width
        case "fp8-e4m3":
            return width
        case "nvfp4":
            return width // 2 + width // BLOCK + 4


def encode(precision: Precision, vectors: F32) -> U8:
    """``(n, width)`` float32 vectors to ``(n, record_bytes)`` records."""
    match precision:
        case "float32":
            return np.ascontiguousarray(vectors, dtype="<f4").view(np.uint8)
        case "fp8-e4m3":
            return encode_e4m3(vectors)
        case "nvfp4":
            return encode_nvfp4(vectors)


def decode(precision: Precision, records: U8) -> F32:
    """``(n, record_bytes)`` records to ``(n, width)`` float32 vectors; exact."""
    match precision:
        case "float32":
            return np.ascontiguousarray(records).view("<f4").astype(np.float32, copy=False)
        case "fp8-e4m3":
            return decode_e4m3(records)
        case "nvfp4":
            return decode_nvfp4(records)
