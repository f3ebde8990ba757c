"""The pages of results of the shipped bundles: every number bound, and every digit counts."""

import json
from pathlib import Path

import pytest

from scripts.attacks_on_documents import with_page
from scripts.results_documents import LISTED, PAGE, results
from tests.support.build import case, valid
from tests.support.identities import look
from verifier import pipeline
from verifier.checks.document_claims import CHECK
from verifier.policy import REVIEW

BUNDLES = Path(__file__).parent.parent / "bundles"
NAMES = ("example-rows", "kld-cf128-20260925", "kv-cache-kld-20260909", "tinylm-kv")
NEXT = {str(digit): str((digit + 1) % 10) for digit in range(10)}


@pytest.mark.parametrize("name", NAMES)
def test_every_number_of_a_shipped_page_is_bound_and_right(name: str) -> None:
    _, opened = pipeline.opened(BUNDLES / name, pipeline.Options(policy=REVIEW))

    told = look(CHECK, opened)

    assert [held.path for held in opened.documents] == [PAGE]
    assert told.mismatches == []
    assert told.gaps == ()
    assert len(told.comparisons) >= 30


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_page_is_listed_with_its_claims_file(name: str) -> None:
    documents = json.loads((BUNDLES / name / "bundle.json").read_bytes())["documents"]
    assert LISTED in documents


@pytest.mark.parametrize("name", NAMES[:3])
def test_a_shipped_page_is_the_one_that_the_build_copies(name: str) -> None:
    assert results(name) == {path: (BUNDLES / name / path).read_bytes() for path in results(name)}


def test_one_changed_digit_anywhere_in_a_page_is_found_in_its_place() -> None:
    content = with_page(valid())
    lines = content[PAGE].decode().splitlines(keepends=True)
    right = look(CHECK, case(content)).comparisons
    assert len(right) == 16
    for fact in right:
        _, line, column = fact.location.split(":")
        at, start = int(line) - 1, int(column) - 1
        printed = str(fact.expected)
        last = start + len(printed) - 1
        words = lines[at]
        assert words[start : last + 1] == printed
        changed = words[:last] + NEXT.get(words[last], "0") + words[last + 1 :]
        page = "".join([*lines[:at], changed, *lines[at + 1 :]])

        told = look(CHECK, case({**content, PAGE: page.encode()}))

        assert [place for place, _, _ in told.mismatches] == [fact.location]
        assert told.gaps == ()
