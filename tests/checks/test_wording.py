"""Lists that a person can read, however many names there are."""

from collections.abc import Iterable

import pytest

from verifier.checks._wording import listed


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], ""),
        (["a"], "a"),
        (iter("abcde"), "a, b, c, d, e"),
        (iter("abcdef"), "a, b, c, d, e and 1 more"),
        (iter("abcdefg"), "a, b, c, d, e and 2 more"),
    ],
)
def test_five_names_are_shown_and_the_others_are_counted(names: Iterable[str], text: str) -> None:
    assert listed(names) == text
