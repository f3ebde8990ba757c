"""Lines within 80 columns."""

from verifier.render._layout import field, fill, pair, paragraph
from verifier.render._table import Row, table

DIGEST = "ab" * 32


def test_text_breaks_at_spaces_and_continues_under_itself() -> None:
    assert list(field("title", "word " * 20, width=8)) == [
        "  title   " + " ".join(["word"] * 14),
        "          " + " ".join(["word"] * 6),
    ]


def test_a_word_too_long_beside_its_label_moves_left_below_it() -> None:
    word = "x" * 75

    assert list(field("title", f"a {word}")) == ["  title      a", "     " + word]


def test_a_word_longer_than_a_line_is_never_broken_and_never_starts_in_column_0() -> None:
    word = "x" * 200

    assert list(paragraph(f"{word} tail", indent=4)) == [f"  {word}", "    tail"]


def test_a_label_without_text_leaves_no_trailing_space() -> None:
    assert list(fill("", first="  label  ", rest="  ")) == ["  label"]


def test_two_short_values_share_a_line() -> None:
    assert list(pair(("expected", "1"), ("actual", "2"), indent=6)) == [
        "      expected 1  actual 2"
    ]


def test_two_digests_stand_below_each_other_and_fit() -> None:
    lines = list(pair(("expected", DIGEST), ("actual", DIGEST), indent=6))

    assert lines == [f"      expected  {DIGEST}", f"      actual    {DIGEST}"]
    assert [len(line) for line in lines] == [80, 80]


def test_short_rows_are_one_line_each_and_aligned() -> None:
    rows = [
        Row(name="fp8", cells=("1", "22"), details=("      why",)),
        Row(name="a", cells=("333", "")),
    ]

    assert list(table(("arm", "n", "m"), rows)) == [
        "    arm  n    m",
        "    fp8  1    22",
        "      why",
        "    a    333",
    ]


def test_long_names_stand_above_their_cells() -> None:
    rows = [Row(name="n" * 70, cells=("1", "22")), Row(name="short", cells=("333", "4"))]

    assert list(table(("figure", "first", "second"), rows)) == [
        "      first  second",
        "    " + "n" * 70,
        "      1      22",
        "    short",
        "      333    4",
    ]


def test_a_cell_too_wide_for_a_column_is_labelled_and_leaves_the_others_aligned() -> None:
    rows = [Row(name="wide", cells=("9" * 40, "", "x")), Row(name="b", cells=("1", "2", "3"))]

    assert list(table(("figure", "first", "second", "third"), rows)) == [
        "      first  second  third",
        "    wide",
        "      first       " + "9" * 40,
        "      third       x",
        "    b",
        "      1      2       3",
    ]
