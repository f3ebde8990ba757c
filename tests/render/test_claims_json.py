import json
from typing import Any

import jsonschema

from tests.support.claim_results import document, problem, result
from verifier import catalog
from verifier.claims.summary import summarised
from verifier.model.claim import DocumentResult
from verifier.render._claims_json import render


def rendered(*results: DocumentResult) -> dict[str, Any]:
    text = render(results, summarised(results))
    assert text.isascii()
    assert text.endswith("}\n")
    parsed: dict[str, Any] = json.loads(text)
    jsonschema.validate(parsed, catalog.SCHEMAS.get("claims-report-1"))
    return parsed


def test_every_result_is_written_with_all_its_fields() -> None:
    report = rendered(
        document(
            result(
                "CONTRADICTED",
                "\u22120.25",
                table=2,
                row="fp8",
                column_label="KLD",
                claim="kld",
                expected="\u22120.26",
                reason="The source gives -0.26.",
                flaws=("truncated",),
                origin="a.json#/kld",
                context="fp8 \u22120.25",
            ),
            problems=(problem(),),
            patches=((3, "old", "new"),),
        )
    )

    assert report["format"] == "claims-report/1"
    assert report["verdict"] == "FAILED"
    assert report["failures"] == ["1 binding cannot be used", "1 contradicted", "1 flaw"]
    assert report["documents"] == [
        {
            "document": "README.md",
            "problems": [
                {"location": "claims.json#/claims/0", "message": "claim kld fits no place"}
            ],
            "patches": [{"line": 3, "old": "old", "new": "new"}],
            "results": [
                {
                    "line": 3,
                    "column": 5,
                    "table": 2,
                    "row": "fp8",
                    "column_label": "KLD",
                    "what": "number",
                    "text": "\u22120.25",
                    "claim": "kld",
                    "status": "CONTRADICTED",
                    "expected": "\u22120.26",
                    "reason": "The source gives -0.26.",
                    "flaws": ["truncated"],
                    "origin": "a.json#/kld",
                    "context": "fp8 \u22120.25",
                }
            ],
        }
    ]


def test_coverage_is_a_text_or_null() -> None:
    fine = rendered(document(result("SUPPORTED"), result("UNBOUND"), result("NOT A CLAIM")))
    empty = rendered(document())

    assert fine["coverage"] == {
        "percent": "50.0",
        "owned": 1,
        "unsupported": 0,
        "unbound": 1,
        "ignored": 1,
    }
    assert fine["verdict"] == "PASSED"
    assert empty["coverage"]["percent"] is None
    assert empty["documents"][0]["results"] == []


def test_foreign_texts_stay_exact() -> None:
    hostile = "\x1b[2J\n\N{RIGHT-TO-LEFT OVERRIDE}PASSED"

    report = rendered(document(result("UNBOUND", hostile), document=hostile))

    assert report["documents"][0]["document"] == hostile
    assert report["documents"][0]["results"][0]["text"] == hostile
