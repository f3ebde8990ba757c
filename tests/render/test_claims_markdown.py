import pytest
from markdown_it import MarkdownIt

from tests.support.claim_results import document, problem, result
from verifier.claims.summary import summarised
from verifier.model.claim import DocumentResult
from verifier.render._claims_markdown import render


def rendered(*results: DocumentResult) -> str:
    return render(results, summarised(results))


def test_a_passed_check_is_a_heading_and_its_counts() -> None:
    assert rendered(document(result("SUPPORTED"), result("NOT A CLAIM"))) == (
        "## Claims: PASSED\n"
        "\n"
        "coverage 100.0 %: 1 owned, 0 without their source, 0 unbound, 1 ignored as no claims.\n"
        "\n"
        "### `README.md`\n"
    )


def test_what_is_wrong_stands_in_a_table_with_its_patch() -> None:
    text = rendered(
        document(
            result("CONTRADICTED", "0.25", expected="0.26", reason="The source gives 0.26."),
            result("SUPPORTED", "-0.0", flaws=("negative-zero",)),
            result("SUPPORTED"),
            patches=((3, "kld 0.25", "kld 0.26"),),
            problems=(problem(),),
        )
    )

    assert text == (
        "## Claims: FAILED\n"
        "\n"
        "- `1 binding cannot be used`\n"
        "- `1 contradicted`\n"
        "- `1 flaw`\n"
        "\n"
        "coverage 100.0 %: 3 owned, 0 without their source, 0 unbound, 0 ignored as no claims.\n"
        "\n"
        "### `README.md`\n"
        "\n"
        "- `claims.json#/claims/0`: `claim kld fits no place`\n"
        "\n"
        "| place | printed | verdict | right | why |\n"
        "|---|---|---|---|---|\n"
        "| `3:5` | `0.25` | `CONTRADICTED` | `0.26` | `The source gives 0.26.` |\n"
        "| `3:5` | `-0.0` | `SUPPORTED` |  | `negative-zero` |\n"
        "\n"
        "```diff\n"
        "@@ line 3 @@\n"
        "-kld 0.25\n"
        "+kld 0.26\n"
        "```\n"
    )


def test_a_document_that_claims_nothing_says_so() -> None:
    assert "\nno number claims anything: 0 owned," in rendered(document())


HOSTILE = "a|b`\n\n# PASSED <b>[x](https://example.org)\x1b``` \\"


@pytest.mark.parametrize(
    "hostile",
    [
        document(document=HOSTILE),
        document(result("UNBOUND", HOSTILE, expected=HOSTILE, reason=HOSTILE)),
        document(problems=(problem(HOSTILE),)),
        document(result("CONTRADICTED"), patches=((1, HOSTILE, HOSTILE),)),
    ],
)
def test_foreign_texts_are_no_markup(hostile: DocumentResult) -> None:
    text = rendered(hostile)

    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    inline = [child.type for token in tokens for child in token.children or ()]
    rows = text.count("\n| ")
    assert set(inline) <= {"text", "code_inline", "softbreak"}
    assert sum(token.type == "heading_open" for token in tokens) == 2
    assert sum(token.type in {"td_open", "th_open"} for token in tokens) == 5 * rows
    assert not any(token.type.startswith("html") for token in tokens)
    assert text.isascii()
    assert "\x1b" not in text
