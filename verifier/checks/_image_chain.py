"""The chain from a capture image to its base: every link named, no image its own ancestor."""

from collections.abc import Iterator, Mapping, Sequence

from verifier.checks._image_names import Use
from verifier.checks._spec_rules import rule
from verifier.model.basis import Basis
from verifier.model.bundle import Bundle
from verifier.model.comparison import Comparison, Fact, Gap

_ENDS = "ends at a base image"


def chain_facts(bundle: Bundle, named: Sequence[Use]) -> Iterator[Fact]:
    """One name per image, a digest for each, and a parent that exists and leads to a base."""
    aliases = _aliases(bundle, named)
    claimed = {claim.image for claim in bundle.image_claims}
    places: dict[str, str] = {}
    parents: dict[str, str | None] = {}
    for image in bundle.images:
        yield Comparison(
            location=image.location,
            expected=places.setdefault(image.name, image.location),
            actual=image.location,
            basis=Basis.SPEC,
            message=f"Two images are called {image.name!r}; give each its own name.",
        )
        parents.setdefault(image.name, aliases.get(image.parent or ""))
        if image.name not in claimed:
            yield Gap(
                location=image.location,
                reason=f"no place names a digest of image {image.name!r}: nothing says which it is",
                concern="no-evidence",
            )
        if image.role == "capture" and image.parent is None:
            yield Gap(
                location=image.location,
                reason=f"nothing says what the capture image {image.name!r} was derived from",
                concern="no-evidence",
            )
    circles = _circles(parents)
    for image in bundle.images:
        if image.parent is None:
            continue
        known = image.parent in aliases
        yield rule(
            location=f"{image.location}/parent",
            holds=known,
            demand="an image that the bundle names",
            actual=image.parent if known else repr(image.parent),
            message="The capture chain leads to an image that no other place names.",
        )
        yield Comparison(
            location=f"{image.location}/parent",
            expected=_ENDS,
            actual=circles.get(image.name, _ENDS),
            basis=Basis.SPEC,
            message="The capture chain runs in a circle; no image is its own ancestor.",
        )


def _aliases(bundle: Bundle, named: Sequence[Use]) -> Mapping[str, str]:
    """Every way to name an image (its name, a claim as written, a digest), with its name."""
    return {
        **{use.digest: use.image for use in reversed(named)},
        **{claim.value: claim.image for claim in reversed(bundle.image_claims)},
        **{claim.image: claim.image for claim in bundle.image_claims},
        **{image.name: image.name for image in bundle.images},
    }


def _circles(parents: Mapping[str, str | None]) -> Mapping[str, str]:
    """Each circle as text, by its first image in the bundle's order; each link is walked once."""
    found: dict[str, str] = {}
    finished: set[str] = set()
    order = {name: position for position, name in enumerate(parents)}
    for start in parents:
        walked: dict[str, None] = {}
        step: str | None = start
        while step is not None and step not in finished and step not in walked:
            walked[step] = None
            step = parents.get(step)
        if step is not None and step in walked:
            path = list(walked)
            circle = path[path.index(step) :]
            first = min(circle, key=order.__getitem__)
            turned = circle.index(first)
            found[first] = " -> ".join([*circle[turned:], *circle[:turned], first])
        finished.update(walked)
    return found
