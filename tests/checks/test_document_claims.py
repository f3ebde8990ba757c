"""Prose of a bundle against the bundle: what is compared, what is a gap, what stops nothing."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from scripts.attacks_on_documents import with_page
from scripts.results_documents import PAGE
from tests.support.build import Files, audit, case, failing, resealed, valid, with_json
from tests.support.identities import Found, look
from verifier.checks.document_claims import CHECK
from verifier.model.basis import Basis
from verifier.model.comparison import Comparison

CAPTURE = "bb1a4ace0e26ebe2c5e044185457b9b6814ec34998481ac27b3be192555e5f41"


def listed(*entries: Mapping[str, str], **files: bytes) -> Files:
    """The small bundle with these documents and no others."""
    described = [{"description": "Made up.", **entry} for entry in entries]
    content = with_json(valid(), "bundle.json", lambda found: found.update(documents=described))
    del content[PAGE]
    return {**content, **files}


def saying(text: str | bytes, *claims: Mapping[str, Any], name: str = "page.md") -> Files:
    """The small bundle with one document, and a claims file when there are claims."""
    data = text.encode() if isinstance(text, str) else text
    if not claims:
        return listed({"path": name}, **{name: data})
    return claiming(data, json.dumps({"format": "claims/1", "claims": claims}).encode(), name)


def claiming(data: bytes, claims: bytes, name: str = "page.md") -> Files:
    return listed({"path": name, "claims": "claims.json"}, **{name: data, "claims.json": claims})


def found(content: Files, **others: Any) -> Found:
    return look(CHECK, case(content, **others))


def reasons(told: Found) -> list[tuple[str, str, str]]:
    return [(gap.location, gap.concern, gap.reason) for gap in told.gaps]


def page(old: str = "", new: str = "") -> Files:
    """The small bundle with its page of results, one text of it replaced."""
    content = with_page(valid())
    text = content[PAGE].decode()
    assert text.count(old) == 1 or not old
    return {**content, PAGE: text.replace(old, new).encode()}


def test_every_number_and_digest_of_a_right_page_agrees() -> None:
    told = found(page())

    assert told.mismatches == []
    assert told.gaps == ()
    assert [fact.location for fact in told.comparisons][:5] == [
        "RESULTS.md:3:23",
        "RESULTS.md:3:36",
        "RESULTS.md:4:8",
        "RESULTS.md:6:40",
        "RESULTS.md:8:11",
    ]
    assert len(told.comparisons) == 16


def test_a_comparison_rests_on_what_gave_the_value() -> None:
    basis = {fact.location: (fact.basis, fact.how) for fact in found(page()).comparisons}

    assert basis["RESULTS.md:8:11"] == (Basis.RECOMPUTED, "recomputed: mean of kld, alpha")
    assert basis["RESULTS.md:4:8"] == (Basis.SEALED, "bundle.json#/images/2/manifest_digest")
    assert basis["RESULTS.md:6:40"] == (
        Basis.SEALED,
        "bundle.json#/protocol/intervals/bca95/level",
    )


@pytest.mark.parametrize(
    ("right", "wrong", "mismatch"),
    [
        ("0.02193", "0.02198", ("RESULTS.md:8:11", "0.02198", "0.02193")),
        ("0.03377]", "0.03378]", ("RESULTS.md:9:30", "0.03378", "0.03377")),
        ("by 0.00785", "by 0.00786", ("RESULTS.md:11:34", "0.00786", "0.00785")),
        ("[\N{MINUS SIGN}0.01013", "[0.01013", ("RESULTS.md:11:49", "0.01013", "-0.01013")),
        ("26.4 %", "0.264 %", ("RESULTS.md:12:1", "0.264", "26.360")),
        ("over 2 windows", "over 3 windows", ("RESULTS.md:3:23", "3", "2")),
        ("95 %", "90 %", ("RESULTS.md:6:40", "90", "95")),
        ("bb1a4ace", "bb1a4acf", ("RESULTS.md:4:8", f"bb1a4acf{CAPTURE[8:]}", CAPTURE)),
    ],
)
def test_one_wrong_number_is_one_mismatch_in_its_place(
    right: str, wrong: str, mismatch: tuple[str, str, str]
) -> None:
    told = found(page(right, wrong))

    assert told.mismatches == [mismatch]
    assert told.gaps == ()


def test_a_fraction_with_the_sign_for_per_cent_is_called_so() -> None:
    (message,) = found(page("26.4 %", "0.264 %")).messages
    assert "a factor of 100" in message


def test_an_impossible_count_is_called_odd() -> None:
    (message,) = found(page("in 2/2 windows", "in 3/2 windows")).messages
    assert message.endswith(" Odd: impossible-count.")


def test_a_zero_with_a_minus_is_a_mismatch_although_it_agrees() -> None:
    text = "It is \N{MINUS SIGN}0.0 nat."
    content = saying(text, {"id": "a", "quote": "is {} nat", "source": "a.json#/a"})
    (told,) = found({**content, "a.json": b'{"a": 0}'}).comparisons

    assert (told.expected, told.actual) == ("\N{MINUS SIGN}0.0", "0.0")
    assert told.message == "Odd: negative-zero."


def test_a_count_that_cannot_be_is_a_mismatch_although_its_source_repeats_it() -> None:
    claim = {"id": "a", "quote": "{} of {} did", "sources": ["a.json#/a", "a.json#/n"]}
    content = saying("9 of 8 did.", claim)
    part, whole = found({**content, "a.json": b'{"a": 9, "n": 8}'}).comparisons

    assert (part.expected, part.actual) == ("9", "impossible-count")
    assert part.message == "Odd: impossible-count."
    assert (whole.expected, whole.actual) == ("8", "8")


def test_two_rows_of_a_table_that_changed_places_are_six_mismatches() -> None:
    swapped = page("| alpha |", "| gamma |")
    text = swapped[PAGE].decode().replace("| beta |", "| alpha |").replace("| gamma |", "| beta |")

    told = found({**swapped, PAGE: text.encode()})

    assert [location for location, _, _ in told.mismatches] == [
        f"RESULTS.md:{line}:{column}" for line, column in [(8, 10), (8, 21), (8, 30)]
    ] + [f"RESULTS.md:{line}:{column}" for line, column in [(9, 11), (9, 22), (9, 31)]]


def test_a_source_that_is_not_there_is_a_gap_of_its_number() -> None:
    told = found(
        saying(
            "It took 12 hours, and then 0.5.",
            {"id": "hours", "quote": "took {} hours", "source": "clocks/day.csv#/0/hours"},
            {"id": "rest", "quote": "then {}", "source": "figure:gamma/kld"},
        )
    )

    assert told.comparisons == ()
    assert reasons(told) == [
        ("page.md:1:9", "declared-only", "12 has no source: there is no file 'clocks/day.csv'"),
        (
            "page.md:1:28",
            "declared-only",
            "0.5 has no source: the bundle publishes no figure 'gamma/kld'",
        ),
    ]


def test_unbound_numbers_are_one_gap_that_names_their_lines() -> None:
    told = found(saying("It took 12 hours, or 13.\n\nThen 7 days.\n"))

    assert told.comparisons == ()
    assert reasons(told) == [
        ("page.md", "declared-only", "3 numbers are bound to nothing, in lines 1, 3")
    ]


def test_one_unbound_number_is_one() -> None:
    told = found(saying("It took 12 hours."))
    assert reasons(told) == [
        ("page.md", "declared-only", "1 number is bound to nothing, in line 1")
    ]


def test_of_many_lines_with_unbound_numbers_the_first_eight_are_named() -> None:
    told = found(saying("\n\n".join(f"It took {hours} hours." for hours in range(20, 30))))
    assert [gap.reason for gap in told.gaps] == [
        "10 numbers are bound to nothing, in lines 1, 3, 5, 7, 9, 11, 13, 15, ..."
    ]


def test_numbers_that_a_rule_passes_over_are_neither_compared_nor_missed() -> None:
    told = found(saying("Version 1.2.3 of 9 September 2026, `--rows 48`, from figures.json."))

    assert [(fact.location, fact.how) for fact in told.comparisons] == [
        ("page.md:1:54", "figures.json")
    ]
    assert told.gaps == ()


def test_a_document_without_numbers_is_no_fault() -> None:
    told = found(saying("Nothing was measured.\n"))

    assert told.comparisons == (
        Comparison(
            location="page.md",
            expected=0,
            actual=0,
            basis=Basis.SPEC,
            how="numbers in it that would need a source",
        ),
    )
    assert told.gaps == ()


def test_inline_marks_bind_without_a_claims_file() -> None:
    text = "Over 2 <!-- claim: figure:windows --> windows of 5 <!-- claim: figure:alpha/rows -->."
    told = found(saying(text))

    assert told.mismatches == [("page.md:1:50", "5", "6")]
    assert len(told.comparisons) == 2


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("page.html", "<p>Over <b>3</b> windows.</p>", "page.html:1:12"),
        ("page.rst", "Over **3** windows.\n", "page.rst:1:8"),
        ("page.txt", "Over 3 windows.\n", "page.txt:1:6"),
        ("startup.log", "Over 3 windows.\n", "startup.log:1:6"),
    ],
)
def test_each_format_is_held_and_a_log_only_with_a_claims_file(
    name: str, text: str, place: str
) -> None:
    claim = {"id": "windows", "quote": "Over {} windows", "source": "figure:windows"}
    assert found(saying(text, claim, name=name)).mismatches == [(place, "3", "2")]


def test_a_log_without_a_claims_file_is_not_read() -> None:
    looked = case(saying("Over 3 windows.\n", name="startup.log"))

    assert looked.documents == ()
    assert CHECK.applies(looked) == "the bundle lists no document that is read"


@pytest.mark.parametrize(
    ("claims", "place", "words"),
    [
        (b"{", "claims.json", "expecting property name"),
        (b"\xff", "claims.json", "UTF-8"),
        (b"{}", "claims.json#", "expected a field format and a field claims"),
        (b'{"format":"claims/2","claims":[]}', "claims.json#/format", "expected"),
        (
            b'{"format":"claims/1","claims":[{"id":"a","quote":"{}"}]}',
            "claims.json#/claims/0",
            "source",
        ),
        (
            b'{"format":"claims/1","claims":[{"id":"a","quote":"up {} it","source":"figure:b"}]}',
            "claims.json#/claims/0",
            "claim a fits no place",
        ),
    ],
)
def test_a_claims_file_that_cannot_be_used_fails_in_its_place(
    claims: bytes, place: str, words: str
) -> None:
    told = found(claiming(b"Over 2 windows.", claims))

    assert told.mismatches == [(place, "a binding that can be used", "none")]
    assert told.bases == {Basis.SPEC}
    assert words in told.messages[0]
    assert reasons(told) == [
        ("page.md", "declared-only", "1 number is bound to nothing, in line 1")
    ]


def test_a_document_that_is_not_utf_8_cannot_be_held() -> None:
    told = found(saying(b"Over \xff windows."))

    assert told.mismatches == [("bundle.json#/documents/0", "a binding that can be used", "none")]
    assert told.messages == ["page.md: not UTF-8 at byte 5"]


def test_a_sealed_page_that_is_gone_is_the_business_of_the_seal() -> None:
    content = resealed(with_page(valid()))
    del content[PAGE]

    report = audit(content)

    assert failing(report) == {"sealed-members"}
    (outcome,) = (found for found in report.outcomes if found.check == "document-claims")
    assert outcome.reason == "the bundle lists no document that is read"


def test_without_its_sealed_claims_file_a_page_has_nothing_that_binds_it() -> None:
    content = resealed(with_page(valid()))
    del content["claims.json"]

    report = audit(content)

    assert failing(report) == {"sealed-members"}
    (outcome,) = (found for found in report.outcomes if found.check == "document-claims")
    assert [(finding.severity, finding.message) for finding in outcome.findings] == [
        (
            "warning",
            "15 numbers are bound to nothing, in lines 3, 6, 8, 9, 11, 12 [declared-only]",
        )
    ]


@pytest.mark.parametrize("path", ["../secret.json", "/secret.json", "a/../../secret.json"])
def test_a_claims_file_cites_nothing_outside_the_bundle(path: str) -> None:
    claim = {"id": "a", "quote": "Over {}", "source": f"{path}#/windows"}
    told = found(saying("Over 2 windows.", claim))

    assert told.mismatches == [
        ("claims.json#/claims/0/source", "a binding that can be used", "none")
    ]
    assert "does not name a file" in told.messages[0]


def test_a_link_is_not_followed() -> None:
    claim = {"id": "a", "quote": "Over {}", "source": "link.json#/windows"}
    told = found(saying("Over 2 windows.", claim), others={"link.json": "symlink"})

    assert told.comparisons == ()
    assert reasons(told) == [
        (
            "page.md:1:6",
            "declared-only",
            "2 has no source: link.json: no such regular file",
        )
    ]


def test_a_digest_in_prose_that_nearly_is_one_of_the_bundle_is_a_mismatch() -> None:
    told = found(saying(f"It ran from sha256:bb1a4acf{CAPTURE[8:]}."))
    assert told.mismatches == [("page.md:1:20", f"bb1a4acf{CAPTURE[8:]}", CAPTURE)]


def test_a_digest_in_prose_that_the_bundle_names_agrees() -> None:
    told = found(saying(f"It ran from sha256:{CAPTURE}."))

    assert [fact.actual for fact in told.comparisons] == [CAPTURE]
    assert told.mismatches == []


def test_a_page_does_not_vouch_for_its_own_digest() -> None:
    told = found(saying(f"It ran from {'0123456789abcdef' * 4}.", name="page.txt"))
    assert [fact.location for fact in told.comparisons] == ["page.txt"]


MEASURE = {"statistic": "mean", "column": "nll", "arm": "alpha"}


def test_a_measure_that_no_figure_publishes_is_computed() -> None:
    claim = {"id": "a", "quote": "of {} nats", "source": {"measure": MEASURE}}
    told = found(saying("A likelihood of 1.130 nats.", claim))

    assert told.mismatches == [("page.md:1:17", "1.130", "1.120")]
    assert told.bases == {Basis.RECOMPUTED}


def test_a_measure_that_the_bundle_cannot_have_is_a_binding_that_cannot_be_used() -> None:
    claim = {
        "id": "a",
        "quote": "of {} nats",
        "source": {"measure": {**MEASURE, "arm": "gamma"}},
    }
    told = found(saying("A likelihood of 1.130 nats.", claim))

    assert [place for place, _, _ in told.mismatches] == ["claims.json#/claims/0"]
    assert [gap.location for gap in told.gaps] == ["page.md:1:17"]


def test_without_files_and_queries_nothing_is_cited_and_nothing_crashes() -> None:
    claims = (
        {"id": "a", "quote": "of {} nats", "source": {"measure": MEASURE}},
        {"id": "b", "quote": "over {} rows", "source": "bundle.json#/protocol/rows/predicted"},
    )
    whole = case(saying("A likelihood of 1.120 nats over 4 rows.", *claims))

    told = look(CHECK, replace(whole, files=None, query=None))

    assert told.messages == ["no measure can be asked for here"]
    assert reasons(told) == [
        (
            "page.md:1:17",
            "declared-only",
            "1.120 has no source: no measure can be asked for here",
        ),
        ("page.md:1:33", "declared-only", "4 has no source: there is no file 'bundle.json'"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "\0" * 1000,
        "[" * 20_000,
        "> " * 20_000 + "1",
        "|" * 20_000 + "\n" + "|-" * 20_000 + "|",
        "<!-- claim: " * 5_000,
        "`" * 20_001,
        "\u202e\u2066[x](y",
        "&#0;&#x110000;" * 1_000,
    ],
    ids=["nul", "brackets", "quotes", "pipes", "marks", "ticks", "bidi", "entities"],
)
@pytest.mark.parametrize("name", ["page.md", "page.html", "page.rst", "page.txt"])
def test_hostile_text_without_numbers_is_read_to_its_end(name: str, text: str) -> None:
    told = found(saying(text + "\n\nOver 3 windows.\n", name=name))

    assert {expected for _, expected, _ in told.mismatches} <= {"a binding that can be used"}
    assert len(told.comparisons) + len(told.gaps) > 0


def test_a_line_of_a_million_digits_is_no_number_that_anybody_could_bind() -> None:
    told = found(saying("Over " + "7" * 1_000_000 + " of 2 windows."))
    assert reasons(told) == [
        ("page.md", "declared-only", "1 number is bound to nothing, in line 1")
    ]


def test_each_document_has_its_own_bindings() -> None:
    claims = [
        {"id": "a", "document": "one.md", "quote": "Over {}", "source": "figure:windows"},
        {"id": "b", "document": "two.md", "quote": "Over {}", "source": "figure:alpha/rows"},
    ]
    content = listed(
        {"path": "one.md", "claims": "claims.json"},
        {"path": "two.md", "claims": "claims.json"},
        **{
            "one.md": b"Over 2 windows.",
            "two.md": b"Over 7 rows.",
            "claims.json": json.dumps({"format": "claims/1", "claims": claims}).encode(),
        },
    )
    told = found(content)

    assert [fact.location for fact in told.comparisons] == ["one.md:1:6", "two.md:1:6"]
    assert told.mismatches == [("two.md:1:6", "7", "6")]
