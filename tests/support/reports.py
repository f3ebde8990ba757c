"""Reports made in memory, for tests of what is done with a finished report."""

from dataclasses import replace
from hashlib import sha256

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

FILES = {
    "figures.json": sha256(b"figures").hexdigest(),
    "bundle.json": sha256(b"bundle").hexdigest(),
    "arms/fp8/windows.json": sha256(b"windows").hexdigest(),
}
"""Every file of the bundle that the reports speak of, with its sha256."""

ROOT = sha256(b"root").hexdigest()
NOW = "2026-09-09T12:00:00Z"


def subject(name: str) -> Subject:
    """A file of the bundle as a subject."""
    return Subject(name=name, sha256=FILES[name])


def bundle(
    *, root: str | None = ROOT, subjects: tuple[Subject, ...] | None = None
) -> BundleIdentity:
    """The identity of a sealed bundle with two published records."""
    published = (subject("figures.json"), subject("bundle.json"))
    return BundleIdentity(
        format="measurement-bundle/1",
        id="kv-cache-kld",
        title="FP8 against NVFP4 KV cache, KL divergence from the teacher",
        root=root,
        subjects=published if subjects is None else subjects,
    )


def outcome(check: str, status: Status = "PASSED", *, compared: int = 3) -> Outcome:
    """The outcome of one check, with a finding where its status asks for one."""
    severities = {"FAILED": "failure", "WARNED": "warning"}
    finding = Finding(
        severity="failure" if severities.get(status) == "failure" else "warning",
        location="figures.json#/0",
        expected="1",
        actual="2",
        basis="RECOMPUTED",
        message="the published value is not what the scores give",
    )
    return Outcome(
        check=check,
        status=status,
        compared=compared,
        declared=0,
        findings=(finding,) if status in severities else (),
        reason="" if status in ("PASSED", *severities) else "nothing of this kind was retained",
    )


def figure(figure_id: str, status: FigureStatus = "REPRODUCED") -> FigureResult:
    """What became of one published number."""
    known = status != "NOT_RECOMPUTABLE"
    return FigureResult(
        id=figure_id,
        status=status,
        published="0.0319451732",
        recomputed="0.03194517319871" if known else None,
        how="mean of 32 window means" if known else "needs row scores",
        difference="1.3e-12" if known else None,
        basis="RECOMPUTED" if known else "DECLARED",
        level="window-scores" if known else None,
        location=f"figures.json#/{figure_id}",
    )


def report(
    *statuses: Status,
    figures: tuple[FigureResult, ...] | None = None,
    identity: BundleIdentity | None = None,
) -> Report:
    """A report whose checks ``check-0``, ``check-1``... ended with these statuses.

    Without statuses: one passed check, so the verdict is PASSED.
    """
    return Report(
        bundle=bundle() if identity is None else identity,
        policy=PolicyIdentity(
            name="review", sha256=sha256(b"policy").hexdigest(), allowed_missing=()
        ),
        verifier=VerifierIdentity(
            name="verifier", version="0.1.0", sha256=sha256(b"verifier").hexdigest()
        ),
        outcomes=tuple(
            outcome(f"check-{number}", status)
            for number, status in enumerate(statuses or ("PASSED",))
        ),
        figures=(figure("mean-fp8"),) if figures is None else figures,
        evidence={"fp8": "window-scores", "nvfp4": "row-scores"},
    )


def with_reference(original: Report) -> Report:
    """The same report, made with a reference bundle of one published record."""
    reference = replace(bundle(root=None), id="kv-cache-reference")
    return replace(original, reference=replace(reference, subjects=(subject("figures.json"),)))


def allowing(original: Report, *names: str) -> Report:
    """The same report, under a policy that lets these files be absent."""
    return replace(original, policy=replace(original.policy, allowed_missing=names))
