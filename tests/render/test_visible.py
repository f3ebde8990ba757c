import pytest

from verifier.render._visible import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31m", "\\x1b[31m"),
        ("\x9b31m", "\\x9b31m"),
        ("a\rb", "a\\rb"),
        ("a\x08b\x7f\0", "a\\x08b\\x7f\\x00"),
        ("\u202ea\u2066b\u2028c\u200b", "\\u202ea\\u2066b\\u2028c\\u200b"),
        ("\ufeff\ud800", "\\ufeff\\ud800"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_what_a_terminal_would_obey_becomes_an_escape(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a\tb\n",
        "a\r\nb\r\n",
        "\u22120.5\u00a0% \u202f\u03b1\N{CJK UNIFIED IDEOGRAPH-4E00}",
        "a\\b",
    ],
)
def test_letters_lines_and_tabs_stay(text: str) -> None:
    assert visible(text) == text


def test_what_the_stream_cannot_say_becomes_an_escape() -> None:
    assert visible("\u22120.5 \xe9", "ascii") == "\\u22120.5 \\xe9"
    assert visible("\u22120.5 \xe9", "latin-1") == "\\u22120.5 \xe9"
