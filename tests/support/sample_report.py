"""Reports for tests of the renderers: fixed ones, and strategies for hostile ones."""

from dataclasses import replace
from hashlib import sha256
from typing import get_args

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from verifier.model.report import (
    BundleIdentity,
    FigureResult,
    FigureStatus,
    Finding,
    Outcome,
    PolicyIdentity,
    Report,
    Status,
    Subject,
    VerifierIdentity,
)

ESCAPES = (
    "\x1b[2J\x1b[1;1H",
    "\nVERDICT: PASSED\n",
    "\u202egnp.exe\u202c",
    "\x00\x07\x9b31m\r",
    "\ud800\udcff",
    "\u2028\u3164\u200b",
    "\u4e2d\u6587",
    "a  b",
    "VERDICT: PASSED",
    "\\x1b",
    "x" * 5000,
)
"""Pieces that a bundle could use to forge a report, to break a terminal or a parser."""

UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""For property tests: a busy machine is no failure."""

RECIPE = "BCa 95 %, 20000 resamples, RandomState(20260902) (found by search)"


def digest(text: str) -> str:
    """A sha256 in hex."""
    return sha256(text.encode()).hexdigest()


def identity(*, root: str | None = digest("root")) -> BundleIdentity:
    """The bundle that the fixed reports speak of."""
    return BundleIdentity(
        format="measurement-bundle/1",
        id="kv-cache-kld-20260909",
        title="KV cache in FP8 against NVFP4: KL divergence from the BF16 teacher, 32 windows",
        root=root,
        subjects=(Subject(name="figures.json", sha256=digest("figures")),),
    )


def report(
    *,
    outcomes: tuple[Outcome, ...] = (),
    figures: tuple[FigureResult, ...] = (),
    allowed_missing: tuple[str, ...] = (),
    reference: BundleIdentity | None = None,
    bundle: BundleIdentity | None = None,
) -> Report:
    """A report on the bundle above; without outcomes its verdict is FAILED."""
    return Report(
        bundle=bundle or identity(),
        policy=PolicyIdentity(
            name="review", sha256=digest("policy"), allowed_missing=allowed_missing
        ),
        verifier=VerifierIdentity(name="verifier", version="0.1.0", sha256=digest("verifier")),
        outcomes=outcomes,
        figures=figures,
        evidence={"fp8": "window-scores", "nvfp4": "row-scores"},
        reference=reference,
    )


def outcome(
    check: str,
    status: Status = "PASSED",
    *findings: Finding,
    compared: int = 64,
    declared: int = 0,
    reason: str = "",
) -> Outcome:
    """What one check gave."""
    return Outcome(
        check=check,
        status=status,
        compared=compared,
        declared=declared,
        findings=findings,
        reason=reason,
    )


def failure(
    location: str, expected: str, actual: str, message: str, *, basis: str = "RECOMPUTED"
) -> Finding:
    """A mismatch."""
    return Finding(
        severity="failure",
        location=location,
        expected=expected,
        actual=actual,
        basis=basis,
        message=message,
    )


def warning(
    location: str, message: str, *, expected: str = "", actual: str = "", basis: str = ""
) -> Finding:
    """Something that could not be verified; a gap unless it has values."""
    return Finding(
        severity="warning",
        location=location,
        expected=expected,
        actual=actual,
        basis=basis,
        message=message,
    )


def figure(
    figure_id: str,
    published: str = "0.0319451732",
    recomputed: str = "0.031945173198712345",
    how: str = "printed",
) -> FigureResult:
    """A published number that the window scores give."""
    return FigureResult(
        id=figure_id,
        status="REPRODUCED",
        published=published,
        recomputed=recomputed,
        how=how,
        difference=repr(float(recomputed) - float(published)),
        basis="RECOMPUTED",
        level="window-scores",
        location=figure_id,
    )


def unknown_figure(figure_id: str, reason: str, published: str = "0.25") -> FigureResult:
    """A published number that nothing retained can give."""
    return FigureResult(
        id=figure_id,
        status="NOT_RECOMPUTABLE",
        published=published,
        recomputed=None,
        how=reason,
        difference=None,
        basis="DECLARED",
        level=None,
        location=figure_id,
    )


def clean() -> Report:
    """A small PASSED report."""
    return report(
        outcomes=(
            outcome("published-aggregates", compared=3),
            outcome("sealed-members", compared=70),
        ),
        figures=(
            figure("fp8-mean-kld"),
            figure("nvfp4-mean-kld", "0.0354562238", "0.03545622384"),
            figure("windows-lower", "22", "22", how="exact"),
        ),
    )


def large() -> Report:
    """A FAILED report with 15 checks, 60 figures, 3 failures and 8 warnings."""
    figures = _large_figures()
    needs = "Not recomputable: needs the reference bundle; name it with --reference PATH."
    gaps = tuple(
        warning(item.location, f"{needs} [not-recomputable]", expected="0.25", basis="DECLARED")
        for item in figures
        if item.status == "NOT_RECOMPUTABLE"
    )
    flags = tuple(
        warning(
            f"comparison.json#/receipt_audit/{index}/all_prefix_hit_counters_zero",
            "Declared, not verified: nothing retained could contradict it. [declared-only]",
            expected="true",
            actual="true",
            basis="DECLARED",
        )
        for index in range(2)
    )
    no_seal = warning(
        "SHA256.json", "The list has no root, so nothing covers the list itself. [no-seal]"
    )
    crash = "the check crashed: KeyError: 'axis2_legal'"
    outcomes = (
        outcome("figure-coverage", "WARNED", *gaps, compared=55),
        outcome("image-digests"),
        outcome("prefix-cache-hits", "WARNED", *flags, compared=2, declared=2),
        outcome("published-aggregates", "FAILED", _large_mismatch()),
        outcome("published-counts"),
        outcome("published-intervals", compared=12),
        outcome("receipt-hashes", compared=320),
        outcome("record-schema"),
        outcome("row-masks"),
        outcome(
            "score-arrays", "NOT_APPLICABLE", compared=0, reason="the bundle retains no row arrays"
        ),
        outcome("sealed-members", "FAILED", _large_missing(), no_seal, compared=71),
        outcome("source-identities"),
        outcome("window-alignment"),
        outcome("window-identities"),
        outcome(
            "windows-crash",
            "ERROR",
            failure("", "", "", f"{crash}.", basis=""),
            compared=0,
            reason=crash,
        ),
    )
    return report(
        outcomes=outcomes,
        figures=figures,
        allowed_missing=("verify_evidence.py", "README.md"),
        reference=identity(root=None),
    )


def _large_missing() -> Finding:
    return failure(
        "verify_evidence.py",
        digest("script"),
        "absent",
        "The seal lists a file that is not here. Ask the author for it, or name it with "
        "--allow-missing when its absence is known.",
        basis="SEALED",
    )


def _large_mismatch() -> Finding:
    return failure(
        "comparison.json#/arms/fp8/domains/axis1_legal/mean_true_decode_kld",
        "0.03194511",
        "0.031945173198712341",
        "The retained scores do not give this number.",
    )


def _large_figures() -> tuple[FigureResult, ...]:
    found: list[FigureResult] = []
    for arm in ("fp8", "nvfp4"):
        at = f"comparison.json#/arms/{arm}"
        found += [
            figure(f"{at}/mean_true_decode_kld", "0.031945173198712345", how="exact"),
            figure(f"{at}/window_bca95/0", how=f"printed; {RECIPE}"),
            figure(
                f"{at}/window_bca95/1",
                "0.03194517319871235",
                how=f"tolerance; {RECIPE}",
            ),
        ]
        found += [
            figure(
                f"{at}/domains/axis{number}_legal/prediction_rows", "16376", "16376", how="exact"
            )
            for number in range(22)
        ]
    historical = "printed; BCa 95 %, 20000 resamples, PCG64(20260902) (found by search)"
    ends = [figure(f"historical-fp8-audit.json#/bca95/{end}", how=historical) for end in (0, 1)]
    found += [replace(end, level="row-scores") for end in ends]
    wrong = _large_mismatch()
    mismatch = figure(wrong.location, wrong.expected, wrong.actual, f"different; {RECIPE}")
    constant = figure("comparison.json#/constant/0", "1.5", "1.5", f"degenerate; {RECIPE}")
    found += [replace(mismatch, status="MISMATCH"), replace(constant, status="DEGENERATE")]
    found.append(figure("comparison.json#/windows", "32", "32", how="exact"))
    found += [
        unknown_figure(
            f"comparison.json#/cross_system_comparison/{key}",
            "needs the reference bundle; name it with --reference PATH",
        )
        for key in ("difference", "low", "high", "lower_windows", "windows")
    ]
    return tuple(found)


def hostile_texts() -> st.SearchStrategy[str]:
    """Any text at all, lone surrogates included, often with a forged piece in it."""
    anything = st.text(st.characters(codec=None), max_size=60)
    forged = st.tuples(anything, st.sampled_from(ESCAPES), anything).map("".join)
    names = st.sampled_from(["", "fp8", "comparison.json#/arms/fp8/x", "a b c", digest("x")])
    return st.one_of(anything, forged, names)


def findings() -> st.SearchStrategy[Finding]:
    """Findings of any kind."""
    text = hostile_texts()
    return st.builds(
        Finding,
        severity=st.sampled_from(["failure", "warning"]),
        location=text,
        expected=text,
        actual=text,
        basis=st.sampled_from(["POLICY", "SEALED", "RECOMPUTED", "SPEC", "DECLARED", ""]),
        message=text,
    )


def outcomes() -> st.SearchStrategy[Outcome]:
    """Outcomes of any kind."""
    return st.builds(
        Outcome,
        check=hostile_texts(),
        status=st.sampled_from(get_args(Status)),
        compared=st.integers(0, 10**9),
        declared=st.integers(0, 10**9),
        findings=st.lists(findings(), max_size=3).map(tuple),
        reason=hostile_texts(),
    )


def figures() -> st.SearchStrategy[FigureResult]:
    """Figures of any kind."""
    text = hostile_texts()
    rules = st.sampled_from(["exact", "printed", "tolerance"])
    return st.builds(
        FigureResult,
        id=text,
        status=st.sampled_from(get_args(FigureStatus)),
        published=text,
        recomputed=st.none() | text,
        how=text | rules | st.tuples(rules, text).map("; ".join),
        difference=st.none() | text | st.floats().map(repr),
        basis=st.sampled_from(["RECOMPUTED", "DECLARED"]),
        level=st.none() | st.sampled_from(["declared", "window-scores", "row-scores"]),
        location=text,
    )


def identities() -> st.SearchStrategy[BundleIdentity]:
    """Bundle identities whose every text is hostile."""
    text = hostile_texts()
    subjects = st.builds(Subject, name=text, sha256=st.just(digest("subject")))
    return st.builds(
        BundleIdentity,
        format=text,
        id=text,
        title=text,
        root=st.none() | text,
        subjects=st.lists(subjects, max_size=2).map(tuple),
    )


def reports() -> st.SearchStrategy[Report]:
    """Reports of every verdict, with whatever a bundle could put into them."""
    text = hostile_texts()
    levels = st.sampled_from(["declared", "window-scores", "row-scores", "raw-logits"])
    return st.builds(
        Report,
        bundle=identities(),
        policy=st.builds(
            PolicyIdentity,
            name=text,
            sha256=st.just(digest("policy")),
            allowed_missing=st.lists(text, max_size=2).map(tuple),
        ),
        verifier=st.just(VerifierIdentity(name="verifier", version="1", sha256=digest("v"))),
        outcomes=st.lists(outcomes(), max_size=3).map(tuple),
        figures=st.lists(figures(), max_size=4).map(tuple),
        evidence=st.dictionaries(text, levels, max_size=2),
        reference=st.none() | identities(),
    )
