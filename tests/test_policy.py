"""The ladder of built-in policies, and files that cannot be misread as another bar."""

import json
from dataclasses import replace
from typing import Any, get_args

import pytest

from tests.support import core
from verifier import pipeline, policy
from verifier.catalog import SCHEMAS, checks
from verifier.errors import PolicyError
from verifier.model.basis import Level
from verifier.model.comparison import Concern
from verifier.model.policy import Policy
from verifier.policy import BUILT_IN, PUBLICATION, REVIEW, STRICT

SCHEMA = SCHEMAS.get("policy-1")


def parsed(document: Any, name: str = "mine.json") -> Policy:
    return policy.parse(json.dumps(document).encode(), name=name, schema=SCHEMA)


def refused(data: bytes, name: str = "mine.json") -> PolicyError:
    with pytest.raises(PolicyError) as caught:
        policy.parse(data, name=name, schema=SCHEMA)
    return caught.value


def test_the_built_in_policies_are_a_ladder() -> None:
    assert list(BUILT_IN) == ["review", "publication", "strict"]
    for lower, higher in ((REVIEW, PUBLICATION), (PUBLICATION, STRICT)):
        assert set(lower.required_checks) <= set(higher.required_checks)
        assert lower.required_evidence <= higher.required_evidence
        assert lower.expected_evidence <= higher.expected_evidence
        tolerated = {name for name, reaction in lower.reactions.items() if reaction == "warn"}
        assert {name for name, how in higher.reactions.items() if how == "warn"} < tolerated
        assert (lower.intervals, lower.tolerance) == (higher.intervals, higher.tolerance)
    assert [one.not_applicable for one in BUILT_IN.values()] == ["warn", "warn", "fail"]


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_policy_answers_every_concern(name: str) -> None:
    assert set(BUILT_IN[name].reactions) == set(get_args(Concern))


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_policy_requires_checks_that_exist(name: str) -> None:
    assert set(BUILT_IN[name].required_checks) <= checks().keys()
    assert "record-schema" in BUILT_IN[name].required_checks


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_policy_written_as_a_file_and_read_again_is_the_same(name: str) -> None:
    document = policy.as_document(BUILT_IN[name])
    document["name"] = "copy"
    assert parsed(document) == replace(BUILT_IN[name], name="copy")


def test_review_warns_of_everything_but_a_missing_member() -> None:
    assert not REVIEW.tolerates("missing-member", "a.json")
    assert replace(REVIEW, allowed_missing=("a.json",)).tolerates("missing-member", "a.json")
    assert not replace(REVIEW, allowed_missing=("b.json",)).tolerates("missing-member", "a.json")
    assert REVIEW.tolerates("no-seal", "")
    assert not PUBLICATION.tolerates("no-seal", "")
    assert not REVIEW.tolerates("", "")


@pytest.mark.parametrize("concern", get_args(Concern))
def test_strict_tolerates_nothing(concern: str) -> None:
    assert not STRICT.tolerates(concern, "anything")


def test_the_tolerance_is_the_one_the_documentation_names() -> None:
    assert policy.as_document(REVIEW)["tolerance"] == {
        "mean_relative": 1e-12,
        "mean_ulp": 4,
        "interval_standard_errors": 1e-9,
        "interval_relative": 1e-12,
    }


def test_an_empty_file_is_the_review_policy_under_the_name_of_the_file() -> None:
    assert parsed({}) == replace(REVIEW, name="mine.json")
    empty = policy.parse(b"", name="mine.toml", schema=SCHEMA)
    assert empty == replace(REVIEW, name="mine.toml")


def test_json_and_toml_say_the_same() -> None:
    document = {
        "name": "lab",
        "base": "strict",
        "required_checks": ["record-schema"],
        "not_applicable": "warn",
        "reactions": {"no-seal": "warn"},
        "required_evidence": "window-scores",
        "expected_evidence": "row-distributions",
        "intervals": {"methods": ["bca"], "min_resamples": 1000, "seeds": [1, 2], "level": 0.9},
        "tolerance": {"mean_relative": 1e-10, "mean_ulp": 8},
        "images": ["sha256:" + 64 * "0"],
        "allowed_missing": ["verify_evidence.py"],
    }
    toml = f"""
        name = "lab"
        base = "strict"
        required_checks = ["record-schema"]
        not_applicable = "warn"
        required_evidence = "window-scores"
        expected_evidence = "row-distributions"
        images = ["sha256:{64 * "0"}"]
        allowed_missing = ["verify_evidence.py"]
        [reactions]
        no-seal = "warn"
        [intervals]
        methods = ["bca"]
        min_resamples = 1000
        seeds = [1, 2]
        level = 0.9
        [tolerance]
        mean_relative = 1e-10
        mean_ulp = 8
        """
    expected = replace(
        STRICT,
        name="lab",
        required_checks=("record-schema",),
        not_applicable="warn",
        reactions={**STRICT.reactions, "no-seal": "warn"},
        required_evidence=Level.WINDOW_SCORES,
        expected_evidence=Level.ROW_DISTRIBUTIONS,
        intervals=replace(
            STRICT.intervals, methods=("bca",), min_resamples=1000, seeds=(1, 2), level=0.9
        ),
        tolerance=replace(STRICT.tolerance, mean_relative=1e-10, mean_ulp=8),
        images=("sha256:" + 64 * "0",),
        allowed_missing=("verify_evidence.py",),
    )
    from_json = parsed(document)
    from_toml = policy.parse(toml.encode(), name="lab.toml", schema=SCHEMA)
    assert from_json == from_toml == expected
    assert policy.digest(from_json) == policy.digest(from_toml) == policy.digest(expected)


def test_whole_numbers_of_json_are_integers_wherever_an_integer_is_asked_for() -> None:
    data = b'{"intervals": {"resamples": [2e4], "seeds": [7.0]}, "tolerance": {"mean_ulp": 4.0}}'
    found = policy.parse(data, name="mine.json", schema=SCHEMA)
    assert found.intervals.resamples == (20_000,)
    assert [type(number) for number in (*found.intervals.resamples, *found.intervals.seeds)] == [
        int,
        int,
    ]
    assert type(found.tolerance.mean_ulp) is int


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ([], "$: "),
        ({"base": "lenient"}, "$.base: "),
        ({"base": None}, "$.base: "),
        ({"requried_checks": ["record-schema"]}, "$: "),
        ({"required_checks": []}, "$.required_checks: "),
        ({"required_checks": ["a b"]}, "$.required_checks[0]: "),
        ({"reactions": {"no-seal": "ignore"}}, "$.reactions"),
        ({"reactions": {"everything": "warn"}}, "$.reactions: "),
        ({"required_evidence": "vibes"}, "$.required_evidence: "),
        ({"intervals": {"methods": []}}, "$.intervals.methods: "),
        ({"intervals": {"level": 1}}, "$.intervals.level: "),
        ({"intervals": {"min_resamples": 0}}, "$.intervals.min_resamples: "),
        ({"tolerance": {"mean_relative": 0.1}}, "$.tolerance.mean_relative: "),
        ({"tolerance": {"mean_relative": -1}}, "$.tolerance.mean_relative: "),
        ({"tolerance": {"mean_ulp": True}}, "$.tolerance.mean_ulp: "),
        ({"images": ["latest"]}, "$.images[0]: "),
        ({"allowed_missing": "a.json"}, "$.allowed_missing: "),
    ],
)
def test_a_policy_that_breaks_the_schema_is_refused_with_the_place(
    document: Any, place: str
) -> None:
    error = refused(json.dumps(document).encode())
    assert error.message.startswith(f"policy mine.json: {place}")
    assert error.hint == "`verifier schemas policy-1` prints the schema."
    assert error.exit_code == 3


@pytest.mark.parametrize(
    ("data", "name"),
    [
        pytest.param(b"", "mine.json", id="empty JSON"),
        pytest.param(b"{", "mine.json", id="cut JSON"),
        pytest.param(b'{"name": "a", "name": "b"}', "mine.json", id="a key given twice"),
        pytest.param(b'{"tolerance": {"mean_relative": NaN}}', "mine.json", id="NaN in JSON"),
        pytest.param(b"[" * 100 + b"]" * 100, "mine.json", id="deep JSON"),
        pytest.param(b"\xff", "mine.toml", id="no UTF-8"),
        pytest.param(b"name = ", "mine.toml", id="cut TOML"),
        pytest.param(b"a = 1\na = 2\n", "mine.toml", id="a TOML key given twice"),
        pytest.param(b"a = " + b"[" * 20_000, "mine.toml", id="deep TOML"),
        pytest.param(b'name = "x"', "mine.json", id="TOML in a JSON file"),
    ],
)
def test_a_file_that_is_no_policy_is_refused_with_its_name(data: bytes, name: str) -> None:
    error = refused(data, name)
    assert error.message.startswith(f"policy {name} cannot be read: ")
    assert error.hint == "A policy is TOML (*.toml) or strict JSON."


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "1e-2"])
def test_toml_numbers_that_would_switch_a_tolerance_off_are_refused(number: str) -> None:
    error = refused(f"[tolerance]\nmean_relative = {number}".encode(), "mine.toml")
    assert error.message.startswith("policy mine.toml: $.tolerance.mean_relative: ")


def test_a_search_below_the_lowest_level_that_a_policy_permits_is_refused() -> None:
    error = refused(json.dumps({"intervals": {"min_level": 0.99}}).encode())
    assert error.message == (
        "policy mine.json: $.intervals: intervals are tried at level 0.95, below the min_level 0.99"
    )
    both = parsed({"intervals": {"min_level": 0.99, "level": 0.99}})
    assert (both.intervals.min_level, both.intervals.level) == (0.99, 0.99)


@pytest.mark.parametrize("taken", BUILT_IN)
def test_a_file_cannot_pass_for_a_built_in_policy(taken: str) -> None:
    message = f"$.name: {taken!r} is the name of a built-in policy"
    assert refused(json.dumps({"name": taken}).encode()).message == f"policy mine.json: {message}"
    assert refused(b"{}", name=taken).message == f"policy {taken}: {message}"


def test_an_allowance_changes_the_digest_and_its_order_does_not() -> None:
    plain = pipeline.load_policy("review")
    assert plain == REVIEW
    allowing = pipeline.load_policy("review", ("b.py", "a.py", "b.py"))
    assert allowing.allowed_missing == ("a.py", "b.py")
    assert policy.digest(allowing) == policy.digest(
        pipeline.load_policy("review", ("a.py", "b.py"))
    )
    assert policy.digest(allowing) != policy.digest(plain)
    assert pipeline.identify_policy(allowing).allowed_missing == ("a.py", "b.py")


def test_each_demand_moves_the_digest() -> None:
    variants = [
        *BUILT_IN.values(),
        replace(REVIEW, tolerance=replace(REVIEW.tolerance, mean_ulp=5)),
        replace(REVIEW, intervals=replace(REVIEW.intervals, seeds=(1,))),
        replace(REVIEW, reactions={**REVIEW.reactions, "no-seal": "fail"}),
        replace(REVIEW, expected_evidence=Level.RAW_LOGITS),
        replace(REVIEW, images=("sha256:" + 64 * "0",)),
    ]
    digests = {policy.digest(variant) for variant in variants}
    assert len(digests) == len(variants)
    assert all(len(digest) == 64 for digest in digests)


def test_nothing_in_a_bundle_reaches_the_policy() -> None:
    # A case pairs the bundle with the user's policy; no reader is given a policy to change.
    figures = core.ends("i", "0.1", "0.2", core.MEAN_FP8, recipe=replace(core.RECIPE, resamples=10))
    looked_at = core.case(core.bundle(*figures), policy=STRICT)
    before = policy.digest(looked_at.policy)
    core.audited(looked_at, *checks().values())
    assert policy.digest(looked_at.policy) == before
    with pytest.raises(TypeError):
        looked_at.policy.reactions["no-seal"] = "warn"  # type: ignore[index] # that is the point
