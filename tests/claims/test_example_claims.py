"""The claims files under examples/claims, without the documents that they bind.

For the one whose bundle is shipped, a document is made of its quotes, with the right values printed
in their braces: all of them are supported, and one with any digit changed is not.
"""

import json
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import cache, reduce
from pathlib import Path
from typing import Any

import pytest

from verifier import catalog, pipeline
from verifier.claims.files import bindings
from verifier.claims_pipeline import Bench, Options
from verifier.model.claim import ClaimResult, DocumentResult, QuoteLocator

ROOT = Path(__file__).parents[2]
CLAIMS = ROOT / "examples" / "claims"
BUNDLE = ROOT / "bundles" / "kv-cache-kld-20260909"
NAME = "kv-cache-kld-20260909"

DOCUMENTS = {
    NAME: f"{NAME}.txt",
    "r27-20260908": "r27-20260908/README.md",
    "tr3-20260909": "tr3-20260909/README.md",
}

ABSENT = {
    "server/length",
    "record",
    "server/nccl",
    "server/plain-cutoff",
    "server/fused-cutoff",
    "server/shared-expert",
    "production",
}
"""Claims on something that the bundle does not keep."""

DIGITS = 39
"""Of the image's digest, which has more of them than any number; its letters do not count."""

_LONGEST_QUOTE = 50
_LONG_NUMBER = re.compile(r"[0-9]{3}")
_MADE_UP = "5"
_MADE_UP_NAME = "comparison.json"


def _entries(name: str) -> list[Any]:
    content: dict[str, Any] = json.loads((CLAIMS / f"{name}.claims.json").read_bytes())
    entries: list[Any] = content["claims"]
    return entries


@cache
def _published() -> Mapping[str, str]:
    figures = json.loads((BUNDLE / "figures.json").read_bytes())
    return {figure["id"]: str(figure["published"]) for figure in figures}


@cache
def _file(name: str) -> Any:
    return json.loads((BUNDLE / name).read_bytes(), parse_float=Decimal)


def _walked(pointer: str) -> Any:
    file, _, path = pointer.partition("#")
    steps = path.split("/")[1:]
    return reduce(lambda at, key: at[int(key) if isinstance(at, list) else key], steps, _file(file))


def _right(source: Any, after: str) -> str:
    """A value as the figures of the bundle publish it, or as its files have it."""
    if isinstance(source, dict):
        return str(sum(len(_walked(pointer)) for pointer in source["count"]))
    if source.startswith("figure:"):
        return _published()[source.removeprefix("figure:")]
    value = _walked(source)
    return f"{value * 100:f}".removesuffix(".00") if after.startswith("%") else str(value)


def _printed(entry: Any) -> Iterator[str]:
    """The quote of an entry with values in place of its braces, piece by piece."""
    first, *pieces = entry["quote"].split("{}")
    sources = entry.get("sources") or [entry["source"]]
    yield first
    for source, piece in zip(sources, pieces, strict=True):
        if entry["id"] in ABSENT:
            yield _MADE_UP_NAME if "kind" in entry else _MADE_UP
        else:
            yield _right(source, piece)
        yield piece


@cache
def _stand_in() -> str:
    return "\n\n".join("".join(_printed(entry)) for entry in _entries(NAME)) + "\n"


class _Held:
    """Holds documents that lie nowhere against the bundle.

    Args:
        folder: outside of any git checkout, so that no history makes a wrong value a stale one.
    """

    def __init__(self, folder: Path) -> None:
        claims = CLAIMS / f"{NAME}.claims.json"
        policy = pipeline.load_policy("review")
        self._path = folder / DOCUMENTS[NAME]
        self._bench = Bench([self._path], Options(policy=policy, bundle=BUNDLE, claims=claims))

    def look(self, text: str) -> DocumentResult:
        return self._bench.look(self._path, text.encode()).result

    def bound(self, text: str, claim: str = "") -> list[ClaimResult]:
        """What came of the numbers that are bound, by all claims or one."""
        return [one for one in self.look(text).results if one.claim and claim in {"", one.claim}]


@pytest.fixture(scope="module", name="held")
def _held(tmp_path_factory: pytest.TempPathFactory) -> _Held:
    return _Held(tmp_path_factory.mktemp("documents"))


def _digits(text: str, one: ClaimResult) -> list[int]:
    """Where the digits of a number, digest or name stand in the document."""
    return [place for place in range(*one.span) if text[place].isdigit()]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_file_is_valid_and_binds_one_document(name: str) -> None:
    data = (CLAIMS / f"{name}.claims.json").read_bytes()

    found, problems = bindings(data, name=name, schemas=catalog.SCHEMAS)

    assert problems == ()
    assert {binding.document for binding in found} == {DOCUMENTS[name]}
    ids = [binding.id for binding in found]
    assert ids == [entry["id"] for entry in _entries(name)]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_quote_carries_a_few_words_only_and_no_value_of_a_document(name: str) -> None:
    data = (CLAIMS / f"{name}.claims.json").read_bytes()
    found, _ = bindings(data, name=name, schemas=catalog.SCHEMAS)
    quotes = [binding.at.quote for binding in found if isinstance(binding.at, QuoteLocator)]

    long = [quote for quote in quotes if len(quote) > _LONGEST_QUOTE]
    values = [quote for quote in quotes if _LONG_NUMBER.search(quote)]

    assert (long, values) == ([], [])


def test_right_values_are_supported_and_what_the_bundle_lacks_is_not(held: _Held) -> None:
    result = held.look(_stand_in())

    assert result.problems == ()
    bound = [one for one in result.results if one.claim]
    assert [(one.claim, one.status, one.flaws) for one in bound] == [
        (entry["id"], "UNSUPPORTED" if entry["id"] in ABSENT else "SUPPORTED", ())
        for entry in _entries(NAME)
        for _ in range(entry["quote"].count("{}"))
    ]
    reasons = {one.claim: one.reason for one in bound if one.status == "UNSUPPORTED"}
    lacking = "bundle.json#/arms/0/declared has no key"
    assert reasons == {
        "server/length": f"{lacking} 'max_model_length'",
        "record": "there is no file 'comparison.json'; did you mean 'claims.json'?",
        "server/nccl": f"{lacking} 'nccl_channels'",
        "server/plain-cutoff": f"{lacking} 'plain_one_shot_cutoff'",
        "server/fused-cutoff": f"{lacking} 'fused_cutoff'",
        "server/shared-expert": f"{lacking} 'shared_expert_threshold'",
        "production": "there is no file 'production-recipe.json'",
    }


@pytest.mark.parametrize("nth", range(DIGITS))
def test_a_changed_digit_is_contradicted_whichever_it_is(held: _Held, nth: int) -> None:
    """The same digit of each number, and of the image's digest, at once: each is judged alone."""
    text = _stand_in()
    right = [one for one in held.bound(text) if one.status == "SUPPORTED"]
    changed = {one.span: digits[nth] for one in right if len(digits := _digits(text, one)) > nth}
    letters = list(text)
    for place in changed.values():
        letters[place] = str((int(letters[place]) + 1) % 10)

    found = {one.span: one.status for one in held.bound("".join(letters))}

    wrong = {span for span, status in found.items() if status in {"CONTRADICTED", "UNIT"}}
    assert changed
    assert wrong == changed.keys()
    assert {found[one.span] for one in right if one.span not in changed} <= {"SUPPORTED"}


def test_every_digit_of_the_longest_text_is_changed_once(held: _Held) -> None:
    text = _stand_in()
    digits = [len(_digits(text, one)) for one in held.bound(text)]

    assert max(digits) == DIGITS


@pytest.mark.parametrize("claim", ["difference", "difference/interval"])
def test_a_lost_minus_is_a_mix_up_of_signs(held: _Held, claim: str) -> None:
    text = _stand_in()
    mine = held.bound(text, claim)
    assert [one.text[0] for one in mine] == ["-"] * len(mine) != []

    for one in mine:
        start, end = one.span
        other = held.bound(text[:start] + text[start + 1 : end] + text[end:])
        wrong = [found for found in other if found.status not in {"SUPPORTED", "UNSUPPORTED"}]
        assert [(found.claim, found.status, found.expected) for found in wrong] == [
            (claim, "UNIT", one.text)
        ]


def test_values_of_the_arms_in_each_others_place_are_contradicted(held: _Held) -> None:
    text = _stand_in()
    values = _published()
    first, second = values["fp8/kld/mean"], values["nvfp4/kld/mean"]
    swapped = text.replace(first, "@").replace(second, first).replace("@", second)

    wrong = [one for one in held.bound(swapped) if one.status == "CONTRADICTED"]

    assert [(one.claim, one.text, one.expected) for one in wrong] == [
        ("nvfp4/kld", first, second),
        ("fp8/kld", second, first),
    ]
