import pytest

from tests.support.claim_results import document, problem, result
from verifier.claims.summary import summarised
from verifier.model.claim import DocumentResult
from verifier.render._claims_text import render


def rendered(*results: DocumentResult) -> str:
    return render(results, summarised(results))


def test_a_passed_check_says_what_was_counted() -> None:
    text = rendered(document(result("SUPPORTED"), result("NOT A CLAIM", reason="It is a date.")))

    assert text == (
        "CLAIMS: PASSED\n"
        "  coverage   100.0 %\n"
        "  numbers    1 owned, 0 without their source, 0 unbound, 1 ignored as no claims\n"
        "  verdicts   1 SUPPORTED, 1 NOT A CLAIM\n"
        "  identities none\n"
        "\n"
        f"{80 * '='}\n"
        "  README.md\n"
        f"{80 * '='}\n"
        "SUPPORTED (1)\n"
        "NOT A CLAIM (1)\n"
        "  1     It is a date.\n"
    )


def test_a_wrong_number_comes_with_all_that_is_known_of_it() -> None:
    text = rendered(
        document(
            result(
                "CONTRADICTED",
                "0.25",
                table=2,
                row="fp8",
                column_label="KLD",
                claim="kld",
                expected="0.26",
                reason="The source gives 0.26.",
                flaws=("truncated",),
                origin="a.json#/kld",
                context="| fp8 | 0.25 |",
            ),
            patches=((3, "| fp8 | 0.25 |", "| fp8 | 0.26 |"),),
        )
    )

    assert text.startswith("CLAIMS: FAILED\n  1 contradicted\n  1 flaw\n")
    assert (
        "CONTRADICTED (1)\n"
        "  README.md:3:5\n"
        "    cell       table 2, row fp8, column KLD\n"
        "    printed    0.25\n"
        "    right      0.26\n"
        "    claim      kld\n"
        "    source     a.json#/kld\n"
        "    odd        truncated\n"
        "    why        The source gives 0.26.\n"
        "    text       | fp8 | 0.25 |\n"
        "PATCH\n"
        "  line 3\n"
        "  - | fp8 | 0.25 |\n"
        "  + | fp8 | 0.26 |\n"
    ) in text


def test_what_is_not_known_is_left_out() -> None:
    text = rendered(document(result("UNBOUND", "7")))

    assert "UNBOUND (1)\n  README.md:3:5\n    printed    7\nSUPPORTED (0)\n" in text


def test_verdicts_come_from_the_worst_on() -> None:
    text = rendered(
        document(
            result("UNBOUND"),
            result("UNSUPPORTED"),
            result("STALE"),
            result("UNIT"),
            result("CONTRADICTED"),
            result("SUPPORTED", flaws=("negative-zero",)),
            problems=(problem(),),
        )
    )

    headings = [line for line in text.splitlines() if line.endswith(")") and line[0].isupper()]
    assert headings == [
        "BINDINGS THAT CANNOT BE USED (1)",
        "CONTRADICTED (1)",
        "UNIT (1)",
        "STALE (1)",
        "UNSUPPORTED (1)",
        "UNBOUND (1)",
        "SUPPORTED, AND ODD (1)",
        "SUPPORTED (1)",
        "NOT A CLAIM (0)",
    ]


def test_a_problem_names_its_place() -> None:
    text = rendered(document(problems=(problem("claim kld fits no place"),)))

    assert (
        "BINDINGS THAT CANNOT BE USED (1)\n  claims.json#/claims/0\n    claim kld fits no place\n"
    ) in text
    assert "  coverage   no number claims anything\n" in text
    assert "  verdicts   none\n" in text


def test_identities_are_counted_apart() -> None:
    text = rendered(document(result("SUPPORTED", what="sha256"), result("UNBOUND", what="commit")))

    assert "  identities 1 SUPPORTED, 1 UNBOUND\n" in text


def test_each_document_has_its_own_part() -> None:
    text = rendered(document(), document(document="docs/other.md"))

    assert text.count("=" * 80) == 4
    assert text.index("  README.md\n") < text.index("  docs/other.md\n")


HOSTILE = "\x1b[2JPASSED\nCLAIMS: PASSED\N{RIGHT-TO-LEFT OVERRIDE}"


@pytest.mark.parametrize(
    "hostile",
    [
        document(document=HOSTILE),
        document(result("UNBOUND", HOSTILE)),
        document(result("UNBOUND", row=HOSTILE, column_label=HOSTILE, table=1)),
        document(result("UNBOUND", claim=HOSTILE, origin=HOSTILE, reason=HOSTILE)),
        document(result("UNBOUND", expected=HOSTILE, context=HOSTILE)),
        document(result("NOT A CLAIM", reason=HOSTILE)),
        document(problems=(problem(HOSTILE),)),
        document(result("CONTRADICTED"), patches=((1, HOSTILE, HOSTILE),)),
    ],
)
def test_foreign_texts_neither_move_the_cursor_nor_forge_a_verdict(hostile: DocumentResult) -> None:
    first, _, rest = rendered(hostile).partition("\n")

    assert first in {"CLAIMS: PASSED", "CLAIMS: FAILED"}
    assert rest.isascii()
    assert rest.replace("\n", "").isprintable()
    assert "PASSED" not in rest
