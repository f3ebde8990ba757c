"""Evidence levels have an order and names that read back."""

import pytest

from verifier.model.basis import Level


def test_levels_are_ordered_from_shallow_to_deep() -> None:
    assert [level.label for level in sorted(Level)] == [
        "declared",
        "window-scores",
        "row-scores",
        "row-distributions",
        "raw-logits",
    ]


@pytest.mark.parametrize("level", Level)
def test_a_label_names_its_level(level: Level) -> None:
    assert Level.from_label(level.label) is level


def test_an_unknown_label_is_refused() -> None:
    with pytest.raises(KeyError):
        Level.from_label("vibes")
