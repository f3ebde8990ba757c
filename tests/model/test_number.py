"""A published number is its digits; what is no plain decimal is refused."""

import pytest

from verifier.model.number import Published


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("22", 22),
        ("-7", -7),
        ("+7", 7),
        ("0", 0),
        ("0.0354562238", 0.0354562238),
        ("-0.0035", -0.0035),
        ("1.50e-3", 0.0015),
        ("1E5", 100_000.0),
        ("1.", 1.0),
        ("9007199254740993", 9_007_199_254_740_993),
    ],
)
def test_a_decimal_keeps_its_text_and_its_kind(text: str, value: float) -> None:
    found = Published.parse(text)
    assert found == Published(text=text, value=value)
    assert type(found.value) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "nan",
        "null",
        "inf",
        "1e400",
        "-1e400",
        "1 ",
        " 1",
        "1\n",
        "1.5 ",
        "1.5\n",
        "1_000.5",
        "--1",
        "+-1",
        ".5",
        "0x10",
        "1,5",
        "1e",
        "\u0661",
        "\u0661.5",
        "1.\u0661",
    ],
)
def test_what_is_no_plain_decimal_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"not a decimal number|invalid literal"):
        Published.parse(text)
