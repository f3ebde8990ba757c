"""The report for people."""

import re
from dataclasses import replace

import pytest
from hypothesis import given

from tests.support.sample_report import (
    UNHURRIED,
    clean,
    digest,
    failure,
    figure,
    large,
    outcome,
    report,
    reports,
    unknown_figure,
    warning,
)
from verifier.model.report import BundleIdentity, Finding, Report
from verifier.render._words import NOTICE
from verifier.render.text import RENDERER, render

PRINTABLE = {chr(code) for code in range(0x20, 0x7F)}
SUCCESS = re.compile(
    r"\b(pass|passed|passes|ok|okay|success|successful|valid|verified)\b", re.IGNORECASE
)
OWN_WORDS = "not verified"


def section(text: str, title: str) -> list[str]:
    """The lines of one section, without its title and the empty line before the next."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(title)) + 1
    ends = [i for i, line in enumerate(lines) if i >= start and line[:1].strip()]
    return lines[start : ends[0] - 1 if ends else len(lines)]


def texts(lines: list[str]) -> str:
    """The words of some lines, however they are wrapped."""
    return " ".join(" ".join(lines).split())


@pytest.mark.parametrize(("name", "made"), [("clean", clean()), ("large", large())])
def test_the_report_reads_like_its_golden(
    name: str, made: Report, pytestconfig: pytest.Config
) -> None:
    golden = pytestconfig.rootpath / "tests" / "data" / "render" / f"{name}.txt"

    assert render(made) == golden.read_text(encoding="ascii")


@UNHURRIED
@given(reports())
def test_a_hostile_report_stays_printable_narrow_and_unforged(made: Report) -> None:
    text = render(made)
    lines = text.split("\n")

    assert lines.pop() == ""
    for line in lines:
        assert set(line) <= PRINTABLE
        assert len(line) <= 80 or len(line.split()) == 1
        assert line == line.rstrip()
    assert lines[0] == f"VERDICT: {made.verdict}"
    assert text.count("PASSED") == (made.verdict == "PASSED")
    titles = ("VERDICT", "FAILURES", "WARNINGS", "CHECKS", "FIGURES", "EVIDENCE", "ALLOWANCES")
    starts = [line for line in lines if line[:1].strip()]
    assert all(line.startswith((*titles, "REFERENCE")) for line in starts)
    assert len(starts) == len({line.split()[0] for line in starts})


def test_the_same_report_gives_the_same_text() -> None:
    assert render(large()) == render(large())


def test_a_failed_report_uses_no_word_of_success() -> None:
    text = render(large()).replace(OWN_WORDS, "")

    assert large().verdict == "FAILED"
    assert SUCCESS.findall(text) == []


def test_a_bundle_cannot_write_the_verdict_word_into_a_failed_report() -> None:
    forged = BundleIdentity(
        format="PASSED", id="PASSED", title="VERDICT: PASSED", root="PASSED", subjects=()
    )

    text = render(report(bundle=forged, reference=forged, allowed_missing=("PASSED",)))

    assert "PASSED" not in text
    assert r"title      VERDICT: PASS\x45D" in text


def test_a_report_in_which_no_check_ran_says_so() -> None:
    text = render(report())

    assert text.startswith(
        "VERDICT: FAILED\n  No check ran, so nothing is known about this bundle.\n"
    )
    assert section(text, "CHECKS") == []
    assert section(text, "FIGURES") == ["  The bundle publishes no figure, or none could be read."]


def test_the_verdict_block_counts_checks_and_figures() -> None:
    text = render(large())

    assert "  checks     9 agree, 2 warned, 2 failed, 1 in error, 1 not applicable\n" in text
    assert "  figures    53 reproduced, 1 mismatch, 5 not recomputable, 1 degenerate\n" in text


def test_a_bundle_without_a_seal_root_says_so() -> None:
    bundle = replace(large().bundle, root=None)

    assert "\n  seal root  no seal root\n" in render(report(bundle=bundle))


def test_every_alike_finding_is_listed_and_what_they_share_is_said_once() -> None:
    items = [failure(f"w{i}", "32", "31", "Rows differ.", basis="SPEC") for i in range(3)]

    text = render(report(outcomes=(outcome("row-masks", "FAILED", *items),)))

    assert section(text, "FAILURES (3)") == [
        "",
        "  row-masks: 3",
        "    Rows differ.",
        "    basis SPEC: a rule of the format",
        "    expected 32  actual 31",
        "    - w0",
        "    - w1",
        "    - w2",
    ]


def test_findings_with_other_values_show_the_values_of_each_place() -> None:
    items = [failure(f"w{i}", "32", str(i), "Rows differ.", basis="POLICY") for i in range(2)]

    text = render(report(outcomes=(outcome("row-masks", "FAILED", *items),)))

    assert section(text, "FAILURES (2)") == [
        "",
        "  row-masks: 2",
        "    Rows differ.",
        "    basis POLICY: what the policy demands",
        "    - w0",
        "      expected 32  actual 0",
        "    - w1",
        "      expected 32  actual 1",
    ]


def test_two_digests_of_a_changed_file_are_aligned_below_each_other() -> None:
    item = failure("a.npz", digest("a"), digest("b"), "", basis="SEALED")

    text = render(report(outcomes=(outcome("sealed-members", "FAILED", item),)))

    assert section(text, "FAILURES (1)")[3:] == [
        "    - a.npz",
        f"      expected  {digest('a')}",
        f"      actual    {digest('b')}",
    ]


def test_a_gap_shows_its_message_and_place_alone() -> None:
    gap = warning("SHA256.json", "There is no root.")

    text = render(report(outcomes=(outcome("sealed-members", "WARNED", gap),)))

    assert section(text, "WARNINGS (1)") == [
        "",
        "  sealed-members: 1",
        "    There is no root.",
        "    - SHA256.json",
    ]


def test_findings_that_say_other_things_are_set_apart() -> None:
    items = (warning("a", "One thing."), warning("b", "Another."), warning("c", "One thing."))

    text = render(report(outcomes=(outcome("sealed-members", "WARNED", *items),)))

    assert section(text, "WARNINGS (3)") == [
        "",
        "  sealed-members: 3",
        "    One thing.",
        "    - a",
        "    - c",
        "",
        "    Another.",
        "    - b",
    ]


def unverified(place: str, published: str) -> Finding:
    return warning(place, "Not recomputable.", expected=published, actual="", basis="DECLARED")


def test_tolerated_figures_that_nothing_gives_are_listed_once_in_the_figure_table() -> None:
    items = (unverified("a#/tp", "4"), warning("a", "Another thing."), unverified("a#/dcp", "1"))

    text = render(report(outcomes=(outcome("figure-coverage", "WARNED", *items),)))

    assert section(text, "WARNINGS (3)") == [
        "",
        "  figure-coverage: 3",
        "    Another thing.",
        "    - a",
        "",
        "    These published numbers cannot be recomputed; FIGURES lists each with what",
        "    is missing.",
    ]


def test_a_figure_that_nothing_gives_is_no_expectation_where_it_fails() -> None:
    item = replace(unverified("a#/tp", "4"), severity="failure")

    text = render(report(outcomes=(outcome("figure-coverage", "FAILED", item),)))

    assert section(text, "FAILURES (1)")[2:] == [
        "    Not recomputable.",
        "    basis DECLARED: declared, not verified",
        "    - a#/tp",
        "      published 4",
    ]


def test_a_value_found_where_none_was_expected_is_shown_beside_an_empty_one() -> None:
    item = failure("", "", "extra", "", basis="")

    text = render(report(outcomes=(outcome("sealed-members", "FAILED", item),)))

    assert section(text, "FAILURES (1)")[2:] == ["      expected (empty)  actual extra"]


def test_what_was_only_declared_is_marked_wherever_it_stands() -> None:
    flag = warning("a#/zero", "A flag.", expected="true", actual="true", basis="DECLARED")
    made = report(
        outcomes=(outcome("prefix-cache-hits", "WARNED", flag, compared=5, declared=1),),
        figures=(replace(figure("a#/b"), basis="DECLARED"), unknown_figure("a#/c", "needs rows")),
    )

    text = render(replace(made, evidence={"fp8": "declared"}))

    assert "    basis DECLARED: declared, not verified" in section(text, "WARNINGS")
    assert "        1 of 5: declared, not verified" in section(text, "CHECKS")
    assert "  REPRODUCED, declared, not verified (1)" in section(text, "FIGURES")
    assert "  NOT RECOMPUTABLE, declared, not verified (1)" in section(text, "FIGURES")
    assert section(text, "EVIDENCE") == ["  fp8: declared (declared, not verified)"]


def test_the_checks_table_gives_the_reason_of_a_check_that_did_not_run() -> None:
    made = report(
        outcomes=(
            outcome("row-masks", compared=3),
            outcome("score-arrays", "NOT_APPLICABLE", compared=0, reason="no arrays"),
        )
    )

    assert section(render(made), "CHECKS (2)") == [
        "    check         status  compared  declared",
        "    row-masks     agrees  3         0",
        "    score-arrays  n/a     0         0",
        "        no arrays",
    ]


def test_a_mismatch_comes_first_with_all_its_digits_its_recipe_and_its_place() -> None:
    wrong = replace(
        figure("fp8-low", "0.25", "0.2500001", "different; BCa 95 %"),
        status="MISMATCH",
        location="figures.json#/3",
    )

    lines = section(render(report(figures=(figure("fp8-mean"), wrong))), "FIGURES (2)")

    assert lines[:9] == [
        "",
        "  MISMATCH (1)",
        "    fp8-low",
        "      published   0.25",
        "      recomputed  0.2500001",
        "      difference  1.0000000000287557e-07",
        "      recipe      BCa 95 %",
        "      basis       from window-scores",
        "      at          figures.json#/3",
    ]


def test_a_mismatch_explained_in_other_words_keeps_them() -> None:
    wrong = replace(figure("a", how="mean of 32 windows"), status="MISMATCH", level=None)

    lines = section(render(report(figures=(wrong,))), "FIGURES")

    assert lines[-1] == "      recipe      mean of 32 windows"


def test_figures_that_need_the_same_thing_are_listed_under_it() -> None:
    made = report(
        figures=(
            unknown_figure("a#/x", "needs rows", "1"),
            unknown_figure("a#/y", "", "2"),
            unknown_figure("a#/z", "needs rows", "3"),
        )
    )

    assert section(render(made), "FIGURES (3)") == [
        "",
        "  NOT RECOMPUTABLE, declared, not verified (3)",
        "    missing: needs rows",
        "    - a#/x  published 1",
        "    - a#/z  published 3",
        "    missing: nothing says what would be needed",
        "    - a#/y  published 2",
    ]


def test_a_long_name_stands_above_its_published_number() -> None:
    name = "comparison.json#/" + "x" * 55

    lines = section(render(report(figures=(unknown_figure(name, "needs rows"),))), "FIGURES")

    assert lines[-2:] == [f"    - {name}", "      published 0.25"]


def test_a_recipe_is_written_out_once_and_numbered_where_it_was_used() -> None:
    made = report(
        figures=(
            figure("low", "1", "1.0", "exact; BCa 95 %"),
            figure("high", "2", "2.0", "tolerance; BCa 95 %"),
            figure("other", "3", "3.0", "percentile 95 %"),
            replace(figure("plain", "4", "4.5", ""), difference=None),
        )
    )

    assert section(render(made), "FIGURES (4)") == [
        "",
        "  REPRODUCED, from window-scores (4)",
        "    figure  published  recomputed  matched        difference",
        "    low     1          1.0         exact [1]      0",
        "    high    2          2.0         tolerance [1]  0",
        "    other   3          3.0         [2]            0",
        "    plain   4          4.5",
        "",
        "  [1]  BCa 95 %",
        "  [2]  percentile 95 %",
    ]


def test_a_figure_without_a_recomputed_number_or_a_numeric_difference_is_still_shown() -> None:
    odd = replace(figure("a", "1", "1"), recomputed=None, difference="one unit", level=None)

    assert section(render(report(figures=(odd,))), "FIGURES")[1:] == [
        "  REPRODUCED (1)",
        "    figure  published  recomputed  matched  difference",
        "    a       1                      printed  one unit",
    ]


def test_evidence_allowances_and_the_reference_are_named() -> None:
    text = render(large())

    assert section(text, "EVIDENCE") == ["  fp8: window-scores", "  nvfp4: row-scores"]
    assert section(text, "ALLOWANCES") == ["  verify_evidence.py", "  README.md"]
    assert section(text, "REFERENCE")[0] == "  bundle     kv-cache-kld-20260909"
    assert section(render(report()), "ALLOWANCES")[0] == "  none"
    assert "REFERENCE" not in render(report())


def test_raw_logits_of_some_windows_are_named_beside_the_level() -> None:
    levels = {"fp8": "row-scores", "nvfp4": "row-scores", "bf16": "raw-logits"}
    made = replace(large(), evidence=levels, raw_windows={"fp8": 1, "nvfp4": 2, "bf16": 32})
    assert section(render(made), "EVIDENCE") == [
        "  fp8: row-scores, and the raw logits of 1 window",
        "  nvfp4: row-scores, and the raw logits of 2 windows",
        "  bf16: raw-logits",
    ]


def test_the_number_of_units_stands_beside_what_a_number_was_held_against() -> None:
    held = replace(figure("mean"), measure="mean of kld, fp8", n=32)
    assert "= mean of kld, fp8 (n = 32)" in render(report(figures=(held,)))
    wrong = replace(held, status="MISMATCH", how="different")
    assert "mean of kld, fp8 (n = 32)" in render(report(figures=(wrong,)))


def test_a_report_without_arms_says_that_none_is_retained() -> None:
    text = render(replace(report(), evidence={}))

    assert section(text, "EVIDENCE") == ["  No arm is retained."]


def test_the_last_words_are_that_nothing_was_recaptured() -> None:
    for made in (clean(), large(), report()):
        assert texts(render(made).splitlines()).endswith(NOTICE)
    assert "not an independent recapture" in NOTICE


def test_the_renderer_is_called_text() -> None:
    assert (RENDERER.id, RENDERER.render) == ("text", render)
