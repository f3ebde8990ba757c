"""Which numbers are no claims, and by which rule."""

import pytest

from tests.support.prose import claimed, code, link, numbers, rules_of
from verifier.claims.rules import RULES
from verifier.model.document import Mark

HEX = "0123456789abcdef" * 4


def test_every_rule_says_in_a_sentence_what_a_number_is() -> None:
    assert set(RULES) == {
        "code-block",
        "code",
        "url",
        "identity",
        "file-name",
        "date",
        "version",
        "reference",
        "list-number",
        "name",
        "word",
        "length",
    }
    assert all(text.startswith("It ") and text.endswith(".") for text in RULES.values())


def only(text: str, rule: str, *marks: Mark) -> None:
    found = rules_of(text, *marks)
    assert found
    assert {name for _, name in found} == {rule}, found


def test_numbers_of_a_block_of_code_claim_nothing_but_are_grouped() -> None:
    found = numbers("x = [1.5, 2.5]", kind="code")
    assert [(number.rule, number.role) for number in found] == [
        ("code-block", "low"),
        ("code-block", "high"),
    ]
    assert rules_of("0.5", kind="code") == [("0.5", "code-block")]


@pytest.mark.parametrize("content", ["0.5", "-0.5 ms", "26/32", "[0.1, 0.2]", "5 \u00b1 1 %", "64"])
def test_a_code_mark_that_is_all_number_is_a_claim(content: str) -> None:
    text = f"it is {content} here"
    assert {rule for _, rule in rules_of(text, code(text, content))} == {""}
    assert {rule for _, rule in rules_of(content, code(content, content))} == {""}


@pytest.mark.parametrize("content", ["f(20260902)", "k = 5", "5 windows", "--top 5", "x"])
def test_a_number_in_a_longer_code_mark_is_no_claim(content: str) -> None:
    text = f"it is {content} and 7"
    found = rules_of(text, code(text, content))
    assert found.pop() == ("7", "")
    assert {rule for _, rule in found} <= {"code"}


def test_a_code_mark_inside_another_is_no_mark_of_its_own() -> None:
    text = "f(5 6)"
    marks = (Mark(kind="code", start=0, end=6), Mark(kind="code", start=2, end=3))
    assert rules_of(text, *marks) == [("5", "code"), ("6", "code")]


@pytest.mark.parametrize(
    "text", ["https://example.org/a/2048?x=1.5", "www.example.org/5000", "mailto:a5000@example.org"]
)
def test_a_number_in_an_address_is_no_claim(text: str) -> None:
    only(f"see {text}", "url")


def test_the_text_of_a_link_claims_and_a_marked_address_does_not() -> None:
    text = "64 windows at example.org/128"
    url = Mark(kind="url", start=14, end=len(text))
    assert rules_of(text, link(text, "64 windows", "https://example.org"), url) == [
        ("64", ""),
        ("128", "url"),
    ]
    assert rules_of("1.5", Mark(kind="url", start=0, end=3)) == [("1.5", "url")]


@pytest.mark.parametrize(
    "text",
    [
        f"sha256:{HEX}"[7:],
        HEX[:40],
        "c88fb8847",
        "550e8400-e29b-41d4-a716-446655440000",
        HEX * 2,
    ],
)
def test_a_number_in_a_digest_or_id_is_no_claim(text: str) -> None:
    only(text, "identity")
    only(f"at {text}, and", "identity")


@pytest.mark.parametrize(
    "text",
    [
        "r27-20260908.json",
        "runs/2048/kl.py:12:5",
        "kernel5000.cu:1200",
        "results/2048/rows",
        "./2048",
        "../r5000/a",
        "/data/2048",
        "~/2048",
        "docs5000/",
        "SHA256SUMS",
    ],
)
def test_a_number_in_a_path_is_no_claim(text: str) -> None:
    only(f"in {text}, the", "file-name")


@pytest.mark.parametrize(
    "text",
    [
        "September 9, 2026",
        "Sept. 9,\n2026",
        "9 September 2026",
        "9th of September",
        "the 9 May",
        "September 2026",
        "September 8 measurement",
        "September 8-9",
        "September 8 and 9",
        "2026-09-09",
        "2026/9/9",
        "2026-09-09T12:30:05.250Z",
        "2026-09-09 12:30",
        "9/8/2026",
        "12:30",
        "23:59:59",
        "in 2026",
        "since 2019",
        "In 2026 the",
        "the 1990s",
    ],
)
def test_a_date_or_time_is_no_claim(text: str) -> None:
    only(text, "date")


@pytest.mark.parametrize(
    "text",
    [
        "in 2048",
        "of 2000 rows",
        "in 2026 windows",
        "in -2026",
        "since 2019.5",
        "in 2026 ms",
        "may 9",
        "2046-2047",
        "1:5",
        "9/8",
        "40 September",
        "after 300",
        "2500s",
    ],
)
def test_a_number_that_only_resembles_a_date_is_a_claim(text: str) -> None:
    only(text, "")


def test_a_count_behind_a_date_is_a_claim() -> None:
    assert claimed("On September 8, 2048 tokens and 32 windows") == ["2048", "32"]
    assert claimed("September 8 measurement: 2048 tokens") == ["2048"]


@pytest.mark.parametrize(
    "text",
    [
        "v1.2.3",
        "1.2.3",
        "v2",
        "(V2)",
        "version 2.4",
        "Versions 2.4 and 2.5",
        "Python 3.11",
        "Python >= 3.11",
        "Python 3",
        "192.168.0.1",
    ],
)
def test_a_version_is_no_claim(text: str) -> None:
    only(text, "version")


@pytest.mark.parametrize("text", ["Python 0.03546", "version 5 ms", "numpy -0.5", "Python 1e5"])
def test_a_number_behind_a_product_with_what_versions_lack_is_a_claim(text: str) -> None:
    only(text, "")


def test_a_number_after_a_version_is_a_claim() -> None:
    assert claimed("Python 3.11 takes 0.5 s, and 3 of 4") == ["0.5", "3", "4"]


@pytest.mark.parametrize(
    "text",
    [
        "section 5",
        "Section 5.2",
        "\u00a7 5",
        "\u00a75.2",
        "Table 2",
        "fig. 3",
        "figure 3.1",
        "steps 2-3",
        "sections 5, 6 and 7",
        "Sections 5 and\n6"[:16],
        "issue #123",
        "#123",
        "PR 12",
        "[3]",
        "[^3]",
        "RFC 8785",
        "line 12",
        "(item 4)",
    ],
)
def test_a_reference_is_no_claim(text: str) -> None:
    only(text, "reference")


@pytest.mark.parametrize(
    "text",
    [
        "the published figure 0.03546",
        "figure 0.5",
        "item 5.2",
        "step 5 ms",
        "table -5",
        "line >= 5",
        "page about 5",
        "[300000]",
        "[1234]",
        "[0.5]",
        "stable 5",
        "the section. 5 windows",
    ],
)
def test_a_number_that_only_resembles_a_reference_is_a_claim(text: str) -> None:
    only(text, "")


def test_a_list_of_references_ends_where_only_one_was_meant() -> None:
    assert claimed("see section 5, 26 windows") == ["26"]
    assert claimed("table 2 and 45 windows") == ["45"]
    assert claimed("sections 5 of 64") == ["64"]
    assert claimed("sections 5, 0.25") == ["0.25"]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("3 Results", "reference"),
        ("3. results", "reference"),
        ("3.1 results", "reference"),
        ("2) results", "reference"),
        ("32 windows", ""),
        ("500 Results", ""),
        ("Results of 3", ""),
    ],
)
def test_a_heading_may_begin_with_a_section_number(text: str, rule: str) -> None:
    assert {name for _, name in rules_of(text, kind="heading")} == {rule}
    assert rules_of("3 Results") == [("3", "")]


def test_list_numbers_are_those_that_go_on_at_the_start_of_lines() -> None:
    text = "1. First\n2. of 5\n  3) third\n5. not\n"
    assert rules_of(text) == [
        ("1", "list-number"),
        ("2", "list-number"),
        ("5", ""),
        ("3", "list-number"),
        ("5", ""),
    ]
    assert rules_of("7. As before") == [("7", "list-number")]
    assert rules_of("So:\n1. a") == [("1", "list-number")]


@pytest.mark.parametrize(
    "text", ["lower in\n32. Next", "1.5 of", "2000. Then", "a 1. b", "5 .", "1.x"]
)
def test_a_sentence_that_ends_in_a_number_is_no_list(text: str) -> None:
    assert {rule for _, rule in rules_of(text)} == {""}


@pytest.mark.parametrize(
    "text",
    [
        "B12X",
        "SM120",
        "FP64",
        "TP4/DCP4",
        "TP4/8",
        "TP4/EP4/DCP4",
        "r27",
        "r27-20260908",
        "C2,",
        "H100",
        "x86",
        "0x1000",
        "4x300W",
        "fp8_ds_mla",
        "batch_4096",
        "1st",
        "22nd",
        "4-bit",
        "64K-token",
        "top-20",
        "c2-064k",
        "64\u2011window",
        "maxlen1M",
        "K3.25",
        "p99.9",
        "GLM-5.3-Flash",
        "Model-2.5",
        "glm-5.3-flash",
        "RFC8785",
        "007",
        "064",
        "F1/2",
    ],
)
def test_digits_in_a_name_are_no_claim(text: str) -> None:
    found = rules_of(f"the {text} of")
    assert found
    assert {rule for _, rule in found} <= {"name"}, found


def test_a_number_alone_with_leading_zeros_is_a_name() -> None:
    assert rules_of("007") == [("007", "name")]
    assert rules_of("| 007 |") == [("007", "name")]
    assert rules_of("0") == [("0", "")]


@pytest.mark.parametrize(
    ("text", "numbers_claimed"),
    [
        ("lower in26/32 windows", ["26", "32"]),
        ("in 26/32windows", ["26", "32"]),
        ("score is0.0318077613, whereas0.0341811459", ["0.0318077613", "0.0341811459"]),
        ("replay within1e-15.", ["1e-15"]),
        ("Both use20,000 BCa", ["20,000"]),
        ("20000resamples, seed20260902", ["20000", "20260902"]),
        ("histories,2046true-decode", ["2046"]),
        ("2048-token", ["2048"]),
        ("GMU.97,", [".97"]),
        ("p0.05", ["0.05"]),
        ("x1.5 faster", ["1.5"]),
        ("c2x1.5", ["1.5"]),
        ("within98%", ["98"]),
        ("temperature-0.7", ["0.7"]),
        ("temperature-1.5", ["1.5"]),
        ("Seed-20260902", ["20260902"]),
        ("Gain-0.123", ["0.123"]),
        ("64K-128K tokens", ["64", "128"]),
        ("FP8-0.5", ["0.5"]),
        ("32\u4e2a\u7a97\u53e3", ["32"]),
        ("5(6)", ["5", "6"]),
    ],
)
def test_a_number_glued_to_a_word_is_a_claim_if_names_have_no_such_digits(
    text: str, numbers_claimed: list[str]
) -> None:
    assert claimed(text) == numbers_claimed


@pytest.mark.parametrize("text", ["The32windows", "all64 scores", "in8 runs", "24slots"])
def test_a_count_glued_to_a_little_word_or_to_a_plural_is_a_claim(text: str) -> None:
    (found,) = rules_of(f"It has {text} here")
    assert found[1] == ""
