"""Every place that names a container image names the same image, by the right kind of digest.

Compared: each image name with the grammar of a digest (`sha256:<64 lower-case hex>`, or
`repository[:tag]@sha256:<hex>`; sha256, sha512 and blake3 are the registered algorithms) and with
the kinds of digest that its form can carry; each place with the first place that names the same
digest of the same image (record, audit, launch, runtime); each digest with what else it stands
for; the chain from a capture image to its base; retained OCI documents with the claimed digests,
with the descriptors that point at them and with their sizes; and the images that the policy
demands with the ones that are named.

Basis: SPEC for grammar, kinds, double meanings and the capture chain, because the format alone
decides them. SEALED for two places that name one digest and for retained documents: the expected
side is a recorded hash, and a contradiction would show. POLICY for demanded images. A capture image
without a stated parent is a gap.

Why it matters: an image has an index, a manifest, a config (the local image id) and layers, each
with its own digest. People mix them up, and then nobody can pull what was measured. A capture that
ran in another image than the record names measured something else.

A mismatch means that two places speak of different images or of different digests of one image.
The message says when a digest is known under another name. Ask the author which image ran; read
`docker image inspect` for the image id and the registry for the manifest digest.
"""

from collections.abc import Iterable, Iterator, Sequence

from verifier.checks._digests import ALGORITHMS, Flaw, Reference, parse_reference
from verifier.checks._image_chain import chain_facts
from verifier.checks._image_documents import agreement, document_facts
from verifier.checks._image_names import (
    Leaders,
    Use,
    described,
    leaders,
    permitted_kinds,
    retained,
    uses,
)
from verifier.checks._spec_rules import rule
from verifier.checks._wording import front
from verifier.model.basis import Basis
from verifier.model.bundle import Bundle, ImageClaim
from verifier.model.comparison import Comparison, Fact, Gap
from verifier.model.plugin import Case, Check

_GRAMMAR = f"repository[:tag]@DIGEST or DIGEST, algorithm one of {', '.join(ALGORITHMS)}"


def _applies(case: Case) -> str:
    bundle = case.bundle
    if bundle.images or bundle.image_claims or case.policy.images:
        return ""
    return "the bundle names no container image and the policy demands none"


def _run(case: Case) -> Iterable[Fact]:
    bundle = case.bundle
    for claim in bundle.image_claims:
        yield from _form(claim)
    named = uses(bundle)
    first = leaders(named)
    kept = retained(bundle)
    yield from _same_everywhere(named, first, (*kept, *described(bundle)))
    yield from _assumed(first, kept)
    yield from _one_meaning(bundle, (*first.values(), *kept))
    yield from chain_facts(bundle, named)
    for image in bundle.images:
        yield from document_facts(image, first)
    yield from _demanded(case, named)


def _form(claim: ImageClaim) -> Iterator[Fact]:
    reference = parse_reference(claim.value)
    flaw = reference.reason if isinstance(reference, Flaw) else ""
    yield rule(
        location=claim.location,
        holds=not flaw,
        demand=_GRAMMAR,
        actual=repr(claim.value) if flaw else claim.value,
        message=f"Not a usable image name: {flaw}.",
    )
    if isinstance(reference, Reference) and claim.kind is not None:
        kinds = permitted_kinds(reference)
        yield Comparison(
            location=claim.location,
            expected=claim.kind if claim.kind in kinds else " or ".join(kinds),
            actual=claim.kind,
            basis=Basis.SPEC,
            message="An image cannot be named this way by this kind of digest.",
        )


def _same_everywhere(
    named: Sequence[Use], first: Leaders, elsewhere: Sequence[Use]
) -> Iterator[Fact]:
    known: dict[str, dict[str, None]] = {}
    for use in (*first.values(), *elsewhere):
        known.setdefault(use.digest, {})[use.label] = None
    for use in named:
        leader = first[use.image, use.meaning]
        if use is leader:
            continue
        also = [label for label in known.get(use.digest, {}) if label != use.label]
        yield agreement(
            use.location,
            leader.digest,
            use.digest,
            f"{leader.location} gives another value for {use.label}."
            + (f" This equals {also[0]}." if also else ""),
        )


def _assumed(first: Leaders, kept: Sequence[Use]) -> Iterator[Fact]:
    held = {(use.image, use.meaning) for use in kept}
    for thing, use in first.items():
        if use.assumed and thing not in held:
            yield Gap(
                location=use.location,
                reason=f"this is not the other registry digest of image {use.image!r}; it may be "
                f"the {use.meaning}, but no {use.meaning} document is retained to show it",
                concern="no-evidence",
            )


def _one_meaning(bundle: Bundle, known: Sequence[Use]) -> Iterator[Fact]:
    related = {(image.name, image.parent) for image in bundle.images}
    first: dict[str, Use] = {}
    for use in known:
        other = first.setdefault(use.digest, use)
        message = f"This equals {other.label} ({other.location}): one digest has one meaning."
        if {(use.image, other.image), (other.image, use.image)} & related:
            message += " A capture image that equals its parent changed nothing."
        yield Comparison(
            location=use.location,
            expected=other.label,
            actual=use.label,
            basis=Basis.SPEC,
            message=message,
        )


def _demanded(case: Case, named: Sequence[Use]) -> Iterator[Fact]:
    places = {use.digest: use.location for use in reversed(named)}
    for demanded in case.policy.images:
        digest = demanded.rpartition("@")[2]
        yield Comparison(
            location=places.get(digest, front(case.bundle)),
            expected=demanded,
            actual=demanded if digest in places else "not named by this bundle",
            basis=Basis.POLICY,
            message="The policy demands this image, and no place of the bundle names it.",
        )


CHECK = Check(
    id="image-digests",
    title="Every place that names a container image names the same image",
    applies=_applies,
    run=_run,
)
