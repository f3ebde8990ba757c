"""Columns that need nothing stored."""

from tests.support.columns import derived


def test_rows_are_numbered_from_zero() -> None:
    assert derived("row", {}, rows=4, window=9).tolist() == [0.0, 1.0, 2.0, 3.0]


def test_every_row_carries_the_position_of_its_window() -> None:
    assert derived("window", {}, rows=3, window=9).tolist() == [9.0, 9.0, 9.0]


def test_one_counts_rows() -> None:
    assert derived("one", {}, rows=5, window=9).sum() == 5.0


def test_a_window_without_rows_has_no_values() -> None:
    assert [derived(name, {}, rows=0).size for name in ("row", "window", "one")] == [0, 0, 0]
