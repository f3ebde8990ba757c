from dataclasses import replace

import pytest

from tests.support.identities import (
    bundle,
    case,
    claim,
    hex_of,
    image,
    look,
    oci,
)
from verifier.checks.image_digests import CHECK
from verifier.model.basis import Basis
from verifier.model.bundle import Bundle, ImageClaim, ImageKind
from verifier.policy import REVIEW

MANIFEST, CONFIG, INDEX = oci("manifest"), oci("config"), oci("index")
PINNED = f"example/engine:v1@{MANIFEST}"
GRAMMAR = "repository[:tag]@DIGEST or DIGEST, algorithm one of sha256, sha512, blake3"


def named(*claims: ImageClaim) -> Bundle:
    """Every image named by a claim, without documents or parents."""
    names = dict.fromkeys(each.image for each in claims)
    return bundle(images=tuple(image(name) for name in names), image_claims=claims)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("manifest", PINNED),
        ("index", f"registry.example:5000/a/b__c-d.e@{MANIFEST}"),
        ("manifest", MANIFEST),
        ("config", CONFIG),
        (None, PINNED),
        (None, CONFIG),
        ("config", f"sha512:{'ab' * 64}"),
        ("config", f"blake3:{'ab' * 32}"),
    ],
)
def test_a_well_formed_image_name_matches(kind: ImageKind | None, value: str) -> None:
    found = look(CHECK, case(named(claim("engine", kind, value))))

    assert found.mismatches == []
    assert found.gaps == ()
    assert found.bases == {Basis.SPEC}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (CONFIG[:-1], "63 hex digits instead of 64"),
        (f"{CONFIG}0", "65 hex digits instead of 64"),
        (f"sha512:{hex_of('config')}", "64 hex digits instead of 128"),
        (f"sha256:{hex_of('config').upper()}", "upper-case hex digits"),
        (f"{CONFIG[:-1]}g", "a character that is no hex digit"),
        (f"{CONFIG}\n", "a character that is no hex digit"),
        (CONFIG.upper(), "'SHA256' is no registered algorithm (sha256, sha512, blake3)"),
        (f"engine@md5:{'a' * 32}", "'md5' is no registered algorithm (sha256, sha512, blake3)"),
        (hex_of("config"), "no algorithm before the hex digits"),
        ("", "no algorithm before the hex digits"),
        ("example/engine:latest", "no registered digest pins it, and a tag can move"),
        ("engine", "no registered digest pins it, and a tag can move"),
        ("a" * 256 + "/" + "b" * 9, "no algorithm before the hex digits"),
        (f"Engine@{CONFIG}", "the part before @ is no repository name"),
        (f"@{CONFIG}", "the part before @ is no repository name"),
        (f"../engine@{CONFIG}", "the part before @ is no repository name"),
        (f"{'a/' * 200}b@{CONFIG}", "the part before @ is no repository name"),
        (GRAMMAR, "no algorithm before the hex digits"),
    ],
)
def test_an_image_name_that_breaks_the_grammar(value: str, reason: str) -> None:
    found = look(CHECK, case(named(claim("engine", None, value))))

    assert found.mismatches == [("bundle.json#/engine/None", GRAMMAR, repr(value))]
    assert found.messages == [f"Not a usable image name: {reason}."]


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("config", PINNED, "manifest or index"),
        ("layer", PINNED, "manifest or index"),
        ("layer", CONFIG, "config or manifest or index"),
    ],
)
def test_a_digest_kind_that_the_form_cannot_carry(
    kind: ImageKind, value: str, expected: str
) -> None:
    found = look(CHECK, case(named(claim("engine", kind, value))))

    assert found.mismatches == [(f"bundle.json#/engine/{kind}", expected, kind)]


def test_places_that_agree_are_compared_with_the_first() -> None:
    found = look(
        CHECK,
        case(
            named(
                claim("engine", "manifest", PINNED),
                claim("engine", "config", CONFIG),
                claim("engine", "manifest", MANIFEST, "launch.json"),
                claim("engine", None, CONFIG, "runtime.json"),
            )
        ),
    )

    assert found.mismatches == []
    assert found.gaps == ()
    agreed = [fact.location for fact in found.comparisons if fact.basis is Basis.SEALED]
    assert agreed == ["launch.json#/engine/manifest", "runtime.json#/engine/None"]


def test_a_capture_image_that_differs_between_record_and_launch() -> None:
    found = look(
        CHECK,
        case(
            named(
                claim("capture", "config", CONFIG),
                claim("capture", None, oci("other"), "launch.json"),
            )
        ),
    )

    assert found.mismatches == [("launch.json#/capture/None", CONFIG, oci("other"))]
    assert found.messages == [
        "bundle.json#/capture/config gives another value for the config digest of image 'capture'."
    ]


def test_the_config_digest_where_the_manifest_digest_belongs() -> None:
    found = look(
        CHECK,
        case(
            named(
                claim("engine", "manifest", PINNED),
                claim("engine", "config", CONFIG),
                claim("engine", "manifest", CONFIG, "launch.json"),
            )
        ),
    )

    assert found.mismatches == [("launch.json#/engine/manifest", MANIFEST, CONFIG)]
    assert found.messages[0].endswith(" This equals the config digest of image 'engine'.")


def test_one_digest_of_one_image_as_two_kinds() -> None:
    found = look(
        CHECK, case(named(claim("engine", "config", CONFIG), claim("engine", "manifest", CONFIG)))
    )

    assert found.mismatches == [
        (
            "bundle.json#/engine/manifest",
            "the config digest of image 'engine'",
            "the manifest digest of image 'engine'",
        )
    ]
    assert found.wrong[0].basis is Basis.SPEC
    assert found.messages[0].startswith("This equals the config digest of image 'engine'")


def test_one_digest_for_two_images() -> None:
    found = look(
        CHECK, case(named(claim("engine", "config", CONFIG), claim("other", "config", CONFIG)))
    )

    assert found.mismatches == [
        (
            "bundle.json#/other/config",
            "the config digest of image 'engine'",
            "the config digest of image 'other'",
        )
    ]
    assert "changed nothing" not in found.messages[0]


def test_a_registry_reference_that_carries_a_config_digest() -> None:
    reference = f"example/engine@{CONFIG}"

    found = look(
        CHECK, case(named(claim("engine", "config", CONFIG), claim("engine", None, reference)))
    )

    assert found.mismatches == [
        (
            "bundle.json#/engine/None",
            "the config digest of image 'engine'",
            "the registry digest of image 'engine'",
        )
    ]


def test_two_references_of_unstated_kind_that_differ() -> None:
    other = f"example/engine@{oci('other')}"

    found = look(
        CHECK,
        case(named(claim("engine", None, PINNED), claim("engine", None, other, "launch.json"))),
    )

    assert found.mismatches == [("launch.json#/engine/None", MANIFEST, oci("other"))]


@pytest.mark.parametrize(("stated", "other"), [("manifest", "index"), ("index", "manifest")])
def test_a_reference_that_could_be_the_other_registry_digest_is_a_gap(
    stated: ImageKind, other: str
) -> None:
    pinned = f"example/engine@{INDEX}"

    found = look(
        CHECK,
        case(
            named(
                claim("engine", stated, MANIFEST),
                claim("engine", None, pinned),
                claim("engine", None, pinned, "launch.json"),
            )
        ),
    )

    assert found.mismatches == []
    assert found.missing == [("bundle.json#/engine/None", "no-evidence")]
    assert f"no {other} document is retained" in found.gaps[0].reason


def test_a_reference_that_is_neither_of_the_two_registry_digests() -> None:
    other = f"example/engine@{oci('other')}"

    found = look(
        CHECK,
        case(
            named(
                claim("engine", "manifest", MANIFEST),
                claim("engine", "index", INDEX),
                claim("engine", None, other, "launch.json"),
            )
        ),
    )

    assert found.mismatches == [("launch.json#/engine/None", MANIFEST, oci("other"))]


def test_digests_of_different_algorithms_cannot_be_compared() -> None:
    found = look(
        CHECK,
        case(
            named(
                claim("engine", "config", CONFIG),
                claim("engine", "config", f"sha512:{'ab' * 64}", "launch.json"),
            )
        ),
    )

    assert found.mismatches == []
    assert found.missing == [("launch.json#/engine/config", "not-recomputable")]


def test_an_image_that_no_place_gives_a_digest_is_a_gap() -> None:
    found = look(CHECK, case(bundle(images=(image("engine"),))))

    assert found.mismatches == []
    assert found.missing == [("bundle.json#/images/engine", "no-evidence")]


def test_two_images_of_one_name() -> None:
    twin = replace(image("engine"), location="bundle.json#/images/1")

    found = look(
        CHECK,
        case(
            bundle(
                images=(image("engine"), twin), image_claims=(claim("engine", "config", CONFIG),)
            )
        ),
    )

    assert found.mismatches == [
        ("bundle.json#/images/1", "bundle.json#/images/engine", "bundle.json#/images/1")
    ]


def chained(parents: dict[str, str | None]) -> Bundle:
    return bundle(
        images=tuple(image(name, parent=parent) for name, parent in parents.items()),
        image_claims=tuple(claim(name, "config", oci(name)) for name in parents),
    )


@pytest.mark.parametrize("base", ["base", oci("base")])
def test_a_capture_chain_that_ends_at_a_base_image_matches(base: str) -> None:
    found = look(CHECK, case(chained({"base": None, "engine": base, "capture": "engine"})))

    assert found.mismatches == []
    assert found.gaps == ()


def test_a_parent_that_only_a_claim_names_matches() -> None:
    found = look(
        CHECK,
        case(
            bundle(
                images=(image("capture", parent=PINNED),),
                image_claims=(
                    claim("base", "manifest", PINNED),
                    claim("capture", "config", CONFIG),
                ),
            )
        ),
    )

    assert found.mismatches == []


@pytest.mark.parametrize("parent", ["engine", "", "an image that the bundle names"])
def test_a_parent_that_nothing_names(parent: str) -> None:
    found = look(CHECK, case(chained({"capture": parent})))

    assert found.mismatches == [
        ("bundle.json#/images/capture/parent", "an image that the bundle names", repr(parent))
    ]


@pytest.mark.parametrize(
    ("parents", "first", "circle"),
    [
        ({"a": "a"}, "a", "a -> a"),
        ({"a": oci("a")}, "a", "a -> a"),
        ({"tail": "b", "a": "b", "b": "c", "c": "a"}, "a", "a -> b -> c -> a"),
        ({"a": "b", "b": "a", "tail": "a"}, "a", "a -> b -> a"),
    ],
)
def test_a_capture_chain_in_a_circle_is_one_mismatch(
    parents: dict[str, str | None], first: str, circle: str
) -> None:
    found = look(CHECK, case(chained(parents)))

    assert found.mismatches == [
        (f"bundle.json#/images/{first}/parent", "ends at a base image", circle)
    ]


def test_a_capture_image_that_equals_its_parent() -> None:
    found = look(
        CHECK,
        case(
            bundle(
                images=(image("base"), image("capture", parent="base")),
                image_claims=(
                    claim("base", "config", CONFIG),
                    claim("capture", "config", CONFIG),
                ),
            )
        ),
    )

    assert [fact.location for fact in found.wrong] == ["bundle.json#/capture/config"]
    assert found.messages[0].endswith(" A capture image that equals its parent changed nothing.")


@pytest.mark.parametrize("demanded", [MANIFEST, PINNED, CONFIG])
def test_an_image_that_the_policy_demands_and_the_bundle_names(demanded: str) -> None:
    policy = replace(REVIEW, images=(demanded,))
    claims = (claim("engine", "manifest", PINNED), claim("engine", "config", CONFIG))

    found = look(CHECK, case(named(*claims), policy=policy))

    assert found.mismatches == []
    assert Basis.POLICY in found.bases


def test_an_image_that_the_policy_demands_and_nothing_names() -> None:
    policy = replace(REVIEW, images=(MANIFEST, CONFIG))

    found = look(CHECK, case(bundle(), policy=policy))

    assert found.mismatches == [
        ("bundle.json", MANIFEST, "not named by this bundle"),
        ("bundle.json", CONFIG, "not named by this bundle"),
    ]
    assert found.bases == {Basis.POLICY}


def test_a_bundle_without_images_and_a_policy_without_demands() -> None:
    reason = "the bundle names no container image and the policy demands none"

    assert CHECK.applies(case(bundle())) == reason


@pytest.mark.parametrize(("role", "missing"), [("capture", 1), ("serving", 0)])
def test_a_capture_image_that_comes_from_nowhere_is_a_gap(role: str, missing: int) -> None:
    lone = chained({"capture": None})
    orphan = replace(lone, images=(replace(lone.images[0], role=role),))

    assert len(look(CHECK, case(orphan)).missing) == missing


def test_a_reference_of_unstated_kind_is_what_another_place_says_it_is() -> None:
    claims = (
        claim("engine", "manifest", MANIFEST),
        claim("engine", None, PINNED, "launch.json"),
        claim("engine", None, MANIFEST, "runtime.json"),
    )

    found = look(CHECK, case(named(*claims)))

    assert found.mismatches == []
    assert found.gaps == ()
    agreed = [fact.location for fact in found.comparisons if fact.basis is Basis.SEALED]
    assert agreed == ["launch.json#/engine/None", "runtime.json#/engine/None"]


def test_what_another_image_says_of_a_digest_gives_it_no_meaning_here() -> None:
    claims = (
        claim("base", "index", MANIFEST),
        claim("engine", "manifest", MANIFEST),
        claim("engine", "index", INDEX),
        claim("engine", None, PINNED, "launch.json"),
    )

    found = look(CHECK, case(named(*claims)))

    assert [fact.location for fact in found.wrong] == ["bundle.json#/engine/manifest"]
    assert found.messages[0].startswith("This equals the index digest of image 'base'")


def test_a_bare_digest_beside_a_known_manifest_is_the_local_image_id() -> None:
    claims = (claim("engine", "manifest", PINNED), claim("engine", None, CONFIG, "runtime.json"))

    found = look(CHECK, case(named(*claims)))

    assert found.mismatches == []
    assert found.gaps == ()


def test_a_claim_that_its_form_cannot_carry_leads_no_other() -> None:
    claims = (claim("engine", "config", PINNED), claim("engine", "config", CONFIG, "launch.json"))

    found = look(CHECK, case(named(*claims)))

    assert [fact.location for fact in found.wrong] == ["bundle.json#/engine/config"]


def test_a_capture_image_behind_its_base_still_has_its_parent_looked_up() -> None:
    found = look(CHECK, case(chained({"base": None, "capture": "nowhere"})))

    assert found.mismatches == [
        ("bundle.json#/images/capture/parent", "an image that the bundle names", "'nowhere'")
    ]


def test_a_capture_image_that_says_where_it_comes_from_is_no_gap() -> None:
    whole = chained({"base": None, "capture": "base"})
    images = tuple(
        replace(each, role="capture" if each.name == "capture" else "serving")
        for each in whole.images
    )

    assert look(CHECK, case(replace(whole, images=images))).missing == []


def test_a_circle_is_named_by_its_first_image_in_the_bundle_and_breaks_the_format() -> None:
    found = look(CHECK, case(chained({"z": "b", "b": "z"})))

    assert found.mismatches == [
        ("bundle.json#/images/z/parent", "ends at a base image", "z -> b -> z")
    ]
    assert {fact.basis for fact in found.comparisons} == {Basis.SPEC}


@pytest.mark.parametrize(
    "parent",
    [
        pytest.param("base", id="its name, though no place gives it a digest"),
        pytest.param("claimed", id="a name that only a claim holds"),
        pytest.param("example/base:latest", id="a claim as it is written"),
        pytest.param(MANIFEST, id="the digest of a claim"),
    ],
)
def test_a_parent_may_be_named_in_every_way_that_an_image_is_named(parent: str) -> None:
    found = look(
        CHECK,
        case(
            bundle(
                images=(image("base"), image("capture", parent=parent)),
                image_claims=(
                    claim("claimed", "manifest", f"example/base@{MANIFEST}"),
                    claim("tagged", None, "example/base:latest"),
                    claim("third", None, oci("third")),
                    claim("capture", "config", oci("capture")),
                ),
            )
        ),
    )

    parents = [fact for fact in found.comparisons if fact.location.endswith("/capture/parent")]
    assert [fact.expected for fact in parents] == [parent, "ends at a base image"]
    assert [fact.location for fact in found.wrong if fact in parents] == []


def test_a_demanded_image_is_located_where_the_bundle_names_it_first() -> None:
    policy = replace(REVIEW, images=(MANIFEST,))
    claims = (
        claim("engine", "manifest", PINNED),
        claim("engine", "manifest", MANIFEST, "launch.json"),
    )

    found = look(CHECK, case(named(*claims), policy=policy))

    demanded = [fact.location for fact in found.comparisons if fact.basis is Basis.POLICY]
    assert demanded == ["bundle.json#/engine/manifest"]


@pytest.mark.parametrize("rest", ["/../x", "//x", " x", ":v1:v2", "/X", "-", "@example/engine"])
def test_a_repository_that_only_begins_well_is_no_repository(rest: str) -> None:
    value = f"example/engine{rest}@{CONFIG}"

    found = look(CHECK, case(named(claim("engine", None, value))))

    assert found.mismatches == [("bundle.json#/engine/None", GRAMMAR, repr(value))]


@pytest.mark.parametrize(("length", "wrong"), [(255, 0), (256, 1)])
def test_a_repository_may_have_255_characters(length: int, wrong: int) -> None:
    value = f"{'a' * length}@{MANIFEST}"

    found = look(CHECK, case(named(claim("engine", "manifest", value))))

    assert len(found.mismatches) == wrong


def test_a_tag_that_begins_like_a_digest_is_told_apart_from_one() -> None:
    found = look(CHECK, case(named(claim("engine", None, "cafe/engine:latest"))))

    assert found.messages == [
        "Not a usable image name: no registered digest pins it, and a tag can move."
    ]


def test_a_claim_of_an_image_that_the_bundle_does_not_list_is_looked_at() -> None:
    found = look(CHECK, case(bundle(image_claims=(claim("engine", None, "engine"),))))

    assert found.mismatches == [("bundle.json#/engine/None", GRAMMAR, "'engine'")]


def test_a_capture_image_that_equals_its_parent_is_named_in_either_order() -> None:
    found = look(
        CHECK,
        case(
            bundle(
                images=(image("capture", parent="base"), image("base")),
                image_claims=(
                    claim("capture", "config", CONFIG),
                    claim("base", "config", CONFIG),
                ),
            )
        ),
    )

    assert [fact.location for fact in found.wrong] == ["bundle.json#/base/config"]
    assert found.messages[0].endswith(" A capture image that equals its parent changed nothing.")


def test_two_images_of_one_digest_that_are_not_related_are_not_called_parent_and_child() -> None:
    claims = (claim("a", "config", CONFIG), claim("b", "config", CONFIG))

    found = look(CHECK, case(named(*claims)))

    [message] = found.messages
    assert message == (
        "This equals the config digest of image 'a' (bundle.json#/a/config): "
        "one digest has one meaning."
    )
