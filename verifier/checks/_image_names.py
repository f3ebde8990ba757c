"""Which of an image's digests a claim means, and where each digest is named first.

A place that does not say what it means is read by its form: a registry reference pins an index or
a manifest, a bare digest is a local image id and so a config digest, unless another place of the
same image already names that very digest as something else.
"""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from verifier.checks._digests import Reference, parse_reference
from verifier.model.bundle import Bundle, ImageClaim, ImageDocument, ImageKind

Meaning = ImageKind | Literal["registry"]
"""``registry``: an index or a manifest, and nothing in the bundle says which."""

IN_REGISTRY: tuple[ImageKind, ...] = ("manifest", "index")
_NAMES_AN_IMAGE: tuple[ImageKind, ...] = ("config", "manifest", "index")


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A digest with what it stands for and the place that says so.

    ``assumed`` is true when the meaning was found by elimination and nothing else bears it out.
    """

    image: str
    meaning: Meaning
    digest: str
    location: str
    assumed: bool = False

    @property
    def label(self) -> str:
        """For people, for example ``the config digest of image 'serving'``."""
        return f"the {self.meaning} digest of image {self.image!r}"


Leaders = Mapping[tuple[str, Meaning], Use]
"""The first use of each (image, meaning), which the later ones are held against."""


def digest_of(document: ImageDocument) -> str:
    """The digest that a registry would give the retained bytes."""
    return f"sha256:{document.sha256}"


def permitted_kinds(reference: Reference) -> tuple[ImageKind, ...]:
    """The kinds that a place may mean: a registry serves no image by config or layer digest."""
    return IN_REGISTRY if reference.repository else _NAMES_AN_IMAGE


def uses(bundle: Bundle) -> tuple[Use, ...]:
    """What every well-formed claim stands for, in the bundle's order.

    Claims that break the grammar, or state a kind which their form cannot have, are left out.
    """
    sound = tuple(_sound(bundle.image_claims))
    stated = {
        (claim.image, claim.kind, reference.digest) for claim, reference in sound if claim.kind
    } | {(use.image, use.meaning, use.digest) for use in retained(bundle)}
    pinned = {(claim.image, claim.kind) for claim, _ in sound}
    return tuple(_use(claim, reference, stated, pinned) for claim, reference in sound)


def leaders(found: Iterable[Use]) -> Leaders:
    """The first use of each meaning of each image, in the bundle's order."""
    first: dict[tuple[str, Meaning], Use] = {}
    for use in found:
        first.setdefault((use.image, use.meaning), use)
    return first


def retained(bundle: Bundle) -> tuple[Use, ...]:
    """What the retained documents stand for."""
    return tuple(
        Use(
            image=image.name,
            meaning=document.kind,
            digest=digest_of(document),
            location=document.path,
        )
        for image in bundle.images
        for document in image.documents
        if document.sha256
    )


def described(bundle: Bundle) -> tuple[Use, ...]:
    """What the descriptors inside the retained documents stand for."""
    return tuple(
        Use(image=image.name, meaning=kind, digest=digest, location=document.path)
        for image in bundle.images
        for document in image.documents
        for kind, digest, _ in document.names
    )


def _sound(claims: Iterable[ImageClaim]) -> Iterable[tuple[ImageClaim, Reference]]:
    for claim in claims:
        reference = parse_reference(claim.value)
        if isinstance(reference, Reference) and (
            claim.kind is None or claim.kind in permitted_kinds(reference)
        ):
            yield claim, reference


def _use(
    claim: ImageClaim,
    reference: Reference,
    stated: Container[tuple[str, Meaning, str]],
    pinned: Container[tuple[str, ImageKind | None]],
) -> Use:
    kinds = permitted_kinds(reference)
    borne_out = [kind for kind in kinds if (claim.image, kind, reference.digest) in stated]
    known = [kind for kind in IN_REGISTRY if (claim.image, kind) in pinned]
    meaning: Meaning = "registry" if reference.repository else "config"
    assumed = False
    if claim.kind or borne_out:
        meaning = claim.kind or borne_out[0]
    elif reference.repository and known:
        # A registry serves an image by two digests: what is not the one must be the other. When
        # both are known this one contradicts them.
        assumed = len(known) == 1
        meaning = "index" if known == ["manifest"] else "manifest"
    return Use(
        image=claim.image,
        meaning=meaning,
        digest=reference.digest,
        location=claim.location,
        assumed=assumed,
    )
