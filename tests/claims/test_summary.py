from collections.abc import Collection
from decimal import Decimal

import pytest

from tests.support.claim_results import document, problem, result
from verifier.claims.summary import DEFAULT_FAIL_ON, FAIL_ON, FailOn, percent, summarised
from verifier.model.claim import Status

EVERY: tuple[Status, ...] = (
    "SUPPORTED",
    "CONTRADICTED",
    "UNIT",
    "STALE",
    "UNSUPPORTED",
    "UNBOUND",
    "NOT A CLAIM",
)


def test_every_number_is_owned_missing_unbound_or_ignored() -> None:
    results = [document(*map(result, EVERY), result("SUPPORTED")), document(result("UNBOUND"))]

    summary = summarised(results)

    assert summary.numbers == {**dict.fromkeys(EVERY, 1), "SUPPORTED": 2, "UNBOUND": 2}
    assert (summary.owned, summary.missing, summary.unbound, summary.ignored) == (5, 1, 2, 1)
    assert summary.coverage == Decimal(100) * 5 / 8


def test_identities_are_counted_apart_and_cover_nothing() -> None:
    summary = summarised(
        [document(result("SUPPORTED", what="sha256"), result("UNBOUND", what="file"))]
    )

    assert sum(summary.numbers.values()) == 0
    assert (summary.identities["SUPPORTED"], summary.identities["UNBOUND"]) == (1, 1)
    assert summary.coverage is None


def test_nothing_fails_where_everything_is_supported_unbound_or_no_claim() -> None:
    fine = [result("SUPPORTED"), result("UNBOUND"), result("NOT A CLAIM")]

    assert summarised([document(*fine)]).failures == ()


@pytest.mark.parametrize("name", sorted(DEFAULT_FAIL_ON - {"flaw"}))
def test_a_wrong_number_fails_by_default(name: FailOn) -> None:
    (status,) = (status for status in EVERY if status.lower() == name)

    assert summarised([document(result(status))]).failures == (f"1 {name}",)
    assert summarised([document(result(status))], fail_on=()).failures == ()


@pytest.mark.parametrize("name", sorted(DEFAULT_FAIL_ON - {"flaw"}))
def test_a_wrong_identity_fails_as_well(name: FailOn) -> None:
    (status,) = (status for status in EVERY if status.lower() == name)

    assert summarised([document(result(status, what="commit"))]).failures == (f"1 {name}",)


def test_an_identity_that_nothing_names_is_no_unbound_number() -> None:
    results = [document(result("SUPPORTED"), result("UNBOUND", what="sha256"), result("UNBOUND"))]

    assert summarised(results, fail_on={"unbound"}).failures == ("1 unbound",)


def test_a_check_that_compared_nothing_never_passes() -> None:
    unbound = [document(result("UNBOUND"), result("UNBOUND", what="file"))]

    assert summarised(unbound, fail_on=frozenset()).failures == (
        "nothing binds any number, so nothing was compared",
    )
    assert summarised([document()]).failures == summarised(unbound).failures
    assert summarised([document(result("SUPPORTED", what="file"))]).failures == ()


def test_a_flaw_of_a_supported_number_fails() -> None:
    results = [document(result("SUPPORTED", flaws=("negative-zero",)))]

    summary = summarised(results)

    assert (summary.flaws, summary.failures) == (1, ("1 flaw",))


@pytest.mark.parametrize("fail_on", [(), DEFAULT_FAIL_ON])
@pytest.mark.parametrize(
    ("count", "says"), [(1, "1 binding cannot be used"), (2, "2 bindings cannot be used")]
)
def test_a_binding_that_cannot_be_used_fails_always(
    fail_on: Collection[FailOn], count: int, says: str
) -> None:
    results = [document(result("SUPPORTED"), problems=(problem(),) * count)]

    summary = summarised(results, fail_on=fail_on)

    assert (summary.problems, summary.failures) == (count, (says,))


def test_failures_come_in_a_fixed_order() -> None:
    results = [document(*map(result, reversed(EVERY)), problems=(problem(),))]

    assert summarised(results, fail_on=FAIL_ON, min_coverage=Decimal(100)).failures == (
        "1 binding cannot be used",
        "1 contradicted",
        "1 unit",
        "1 stale",
        "1 unsupported",
        "1 unbound",
        "coverage: 66.6 %, at least 100 % is asked for",
    )


@pytest.mark.parametrize(("least", "fails"), [("66.6", False), ("66.66", False), ("66.67", True)])
def test_coverage_is_compared_before_it_is_rounded(least: str, fails: bool) -> None:  # noqa: FBT001 - a case of a table
    results = [document(result("SUPPORTED"), result("SUPPORTED"), result("UNBOUND"))]

    assert bool(summarised(results, min_coverage=Decimal(least)).failures) is fails


def test_a_document_that_claims_nothing_reaches_no_coverage() -> None:
    results = [document(result("NOT A CLAIM"))]

    nothing = "nothing binds any number, so nothing was compared"
    assert summarised(results).failures == (nothing,)
    assert summarised(results, min_coverage=Decimal(0)).failures == (
        nothing,
        "coverage: no number claims anything, at least 0 % is asked for",
    )


@pytest.mark.parametrize(
    ("coverage", "told"), [("100", "100.0"), ("99.99", "99.9"), ("0", "0.0"), ("66.6666", "66.6")]
)
def test_coverage_is_rounded_down(coverage: str, told: str) -> None:
    assert percent(Decimal(coverage)) == told
