from dataclasses import replace

import pytest

from tests.support.identities import bundle, case, claim, document, image, look, oci
from verifier.checks.image_digests import CHECK
from verifier.model.basis import Basis
from verifier.model.bundle import Bundle, ImageClaim, ImageDocument, ImageKind

MANIFEST, CONFIG, INDEX = oci("manifest"), oci("config"), oci("index")
CLAIMS = (
    claim("engine", "index", f"example/engine@{INDEX}"),
    claim("engine", "manifest", MANIFEST),
    claim("engine", "config", CONFIG),
)
Descriptor = tuple[ImageKind, str, int | None]

LAYER: Descriptor = ("layer", oci("layer"), 9)
KEPT_CONFIG = document("config", "config")
KEPT_MANIFEST = document("manifest", "manifest", ("config", CONFIG, len("config")), LAYER)
KEPT_INDEX = document("index", "index", ("manifest", MANIFEST, len("manifest")))
WHOLE = (KEPT_INDEX, KEPT_MANIFEST, KEPT_CONFIG)


def keeping(*documents: ImageDocument, claims: tuple[ImageClaim, ...] = CLAIMS) -> Bundle:
    return bundle(images=(image("engine", *documents),), image_claims=claims)


def test_a_whole_chain_of_documents_matches() -> None:
    found = look(CHECK, case(keeping(*WHOLE)))

    assert found.mismatches == []
    assert found.gaps == ()
    compared = {fact.location for fact in found.comparisons}
    assert {kept.path for kept in WHOLE} <= compared


@pytest.mark.parametrize("claims", [CLAIMS[:1], CLAIMS[:2], (CLAIMS[0], CLAIMS[2])])
def test_documents_tied_only_by_their_parents_match(claims: tuple[ImageClaim, ...]) -> None:
    found = look(CHECK, case(keeping(*WHOLE, claims=claims)))

    assert found.mismatches == []
    assert found.gaps == ()


@pytest.mark.parametrize("kept", WHOLE)
def test_one_changed_byte_in_a_document(kept: ImageDocument) -> None:
    altered = replace(kept, sha256="0" * 64)
    whole = tuple(altered if each is kept else each for each in WHOLE)

    found = look(CHECK, case(keeping(*whole)))

    assert found.mismatches == [(kept.path, oci(kept.kind), f"sha256:{'0' * 64}")]


def test_a_claim_that_names_another_config_is_one_mismatch() -> None:
    claims = (*CLAIMS[:2], claim("engine", "config", oci("other")))

    found = look(CHECK, case(keeping(*WHOLE, claims=claims)))

    assert found.mismatches == [(KEPT_CONFIG.path, oci("other"), CONFIG)]
    assert found.messages == [
        "These bytes are not the config document that bundle.json#/engine/config names."
    ]


def test_a_manifest_that_names_another_config() -> None:
    other = replace(KEPT_MANIFEST, names=(("config", oci("other"), 6), LAYER))

    found = look(CHECK, case(keeping(KEPT_INDEX, other, KEPT_CONFIG)))

    assert found.mismatches == [(other.path, CONFIG, oci("other"))]


@pytest.mark.parametrize("names", [(), (("config", CONFIG, 6), ("config", oci("b"), 6))])
def test_a_manifest_without_exactly_one_config(
    names: tuple[Descriptor, ...],
) -> None:
    odd = replace(KEPT_MANIFEST, names=names)

    found = look(CHECK, case(keeping(KEPT_INDEX, odd, KEPT_CONFIG)))

    assert found.mismatches == [(odd.path, 1, len(names))]


def test_a_manifest_that_promises_another_size_of_the_config() -> None:
    other = replace(KEPT_MANIFEST, names=(("config", CONFIG, 7), LAYER))

    found = look(CHECK, case(keeping(KEPT_INDEX, other, KEPT_CONFIG)))

    assert found.mismatches == [(KEPT_CONFIG.path, 7, 6)]
    assert found.messages == ["images/manifest.json promises another size in bytes."]


def test_a_descriptor_without_a_size_promises_none() -> None:
    other = replace(KEPT_MANIFEST, names=(("config", CONFIG, None), LAYER))

    found = look(CHECK, case(keeping(KEPT_INDEX, other, KEPT_CONFIG)))

    assert found.mismatches == []


@pytest.mark.parametrize(
    ("listed", "shown"), [((), "none"), ((oci("a"), oci("b")), f"{oci('a')}, {oci('b')}")]
)
def test_an_index_that_does_not_list_the_manifest(listed: tuple[str, ...], shown: str) -> None:
    other = replace(KEPT_INDEX, names=tuple(("manifest", digest, 8) for digest in listed))

    found = look(CHECK, case(keeping(other, KEPT_MANIFEST, KEPT_CONFIG)))

    assert found.mismatches == [(other.path, MANIFEST, shown)]


def test_an_index_that_does_not_list_a_manifest_which_only_it_could_tie() -> None:
    other = replace(KEPT_INDEX, names=(("manifest", oci("a"), 8),))

    found = look(CHECK, case(keeping(other, KEPT_MANIFEST, claims=CLAIMS[:1])))

    assert found.mismatches == [(other.path, MANIFEST, oci("a"))]
    assert found.gaps == ()


def test_the_manifests_of_other_platforms_under_one_index_match() -> None:
    arm64 = document("manifest", "arm64", ("config", oci("c"), 1), path="images/arm64.json")
    index = replace(KEPT_INDEX, names=(("manifest", oci("arm64"), 5), *KEPT_INDEX.names))

    found = look(CHECK, case(keeping(index, arm64, KEPT_MANIFEST, KEPT_CONFIG)))

    assert found.mismatches == []
    assert found.gaps == ()


def test_a_manifest_that_nothing_names_beside_the_right_one_is_a_gap() -> None:
    stray = document("manifest", "stray", path="images/stray.json")

    found = look(CHECK, case(keeping(*WHOLE, stray)))

    assert found.mismatches == []
    assert found.missing == [("images/stray.json", "no-evidence")]


def test_a_document_that_nothing_ties_to_its_image_is_a_gap() -> None:
    found = look(CHECK, case(keeping(KEPT_MANIFEST, claims=(CLAIMS[2],))))

    assert found.mismatches == []
    assert found.missing == [(KEPT_MANIFEST.path, "no-evidence")]


def test_a_document_below_an_unusable_parent_is_a_gap() -> None:
    broken = replace(KEPT_INDEX, names=(), problem="not JSON")

    found = look(CHECK, case(keeping(broken, KEPT_MANIFEST, claims=CLAIMS[:1])))

    assert found.mismatches == [(broken.path, "readable", "unusable: not JSON")]
    assert found.missing == [(KEPT_MANIFEST.path, "no-evidence")]


def test_an_unusable_manifest_is_one_mismatch() -> None:
    broken = replace(KEPT_MANIFEST, names=(), problem="readable")

    found = look(CHECK, case(keeping(KEPT_INDEX, broken, KEPT_CONFIG)))

    assert found.mismatches == [(broken.path, "readable", "unusable: readable")]


def test_documents_that_could_not_be_hashed_are_reported_once_each() -> None:
    unread = tuple(
        replace(kept, names=(), sha256="", problem="not a regular file")
        for kept in (KEPT_MANIFEST, KEPT_CONFIG)
    )

    found = look(CHECK, case(keeping(*unread)))

    assert found.mismatches == [
        (kept.path, "readable", "unusable: not a regular file") for kept in unread
    ]


@pytest.mark.parametrize("top", [KEPT_INDEX, KEPT_MANIFEST])
def test_a_reference_of_unstated_kind_is_read_by_the_retained_document(
    top: ImageDocument,
) -> None:
    reference = claim("engine", None, f"example/engine@sha256:{top.sha256}")

    found = look(CHECK, case(keeping(*WHOLE, claims=(reference,))))

    assert found.mismatches == []


def test_a_reference_of_unstated_kind_that_no_retained_document_bears_out() -> None:
    reference = claim("engine", None, f"example/engine@{oci('other')}")

    found = look(CHECK, case(keeping(*WHOLE, claims=(reference,))))

    assert found.mismatches == [(KEPT_INDEX.path, oci("other"), INDEX)]


def test_a_reference_that_pins_the_retained_index_needs_no_other_word() -> None:
    claims = (claim("engine", "manifest", MANIFEST), claim("engine", None, f"e@{oci('other')}"))

    found = look(CHECK, case(keeping(*WHOLE, claims=claims)))

    assert found.mismatches == [(KEPT_INDEX.path, oci("other"), INDEX)]
    assert found.gaps == ()


def test_a_layer_digest_in_the_place_of_a_config_is_recognised() -> None:
    claims = (*CLAIMS, claim("engine", "config", oci("layer"), "launch.json"))

    found = look(CHECK, case(keeping(*WHOLE, claims=claims)))

    assert found.mismatches == [("launch.json#/engine/config", CONFIG, oci("layer"))]
    assert found.messages[0].endswith(" This equals the layer digest of image 'engine'.")


def test_a_claim_in_another_algorithm_cannot_be_held_against_the_bytes() -> None:
    claims = (*CLAIMS[:2], claim("engine", "config", f"blake3:{'ab' * 32}"))

    found = look(CHECK, case(keeping(*WHOLE, claims=claims)))

    assert found.mismatches == []
    assert found.missing == [(KEPT_CONFIG.path, "not-recomputable")]


def test_bytes_and_sizes_rest_on_recorded_hashes_and_the_rest_on_the_format() -> None:
    found = look(CHECK, case(keeping(*WHOLE)))

    def bases(message: str) -> set[Basis]:
        return {fact.basis for fact in found.comparisons if message in fact.message}

    assert bases("These bytes are not the") == {Basis.SEALED}
    assert bases("promises another size") == {Basis.SEALED}
    assert bases("The index does not list") == {Basis.SEALED}
    assert bases("names another config") == {Basis.SEALED}
    assert bases("is unusable") == {Basis.SPEC}
    assert bases("names exactly one config") == {Basis.SPEC}


def test_a_document_that_cannot_be_read_as_json_is_still_held_against_its_digest() -> None:
    broken = replace(KEPT_CONFIG, sha256="0" * 64, problem="not JSON")

    found = look(CHECK, case(keeping(KEPT_INDEX, KEPT_MANIFEST, broken)))

    assert found.mismatches == [
        (broken.path, "readable", "unusable: not JSON"),
        (broken.path, CONFIG, f"sha256:{'0' * 64}"),
    ]


def test_a_document_without_a_digest_and_without_a_reason_does_not_pass() -> None:
    unexplained = replace(KEPT_CONFIG, sha256="")

    found = look(CHECK, case(keeping(KEPT_INDEX, KEPT_MANIFEST, unexplained)))

    assert (unexplained.path, CONFIG, "sha256:") in found.mismatches


def test_the_entry_of_an_oci_layout_is_tied_by_the_claimed_manifest_that_it_lists() -> None:
    beside = replace(KEPT_INDEX, names=(("manifest", oci("arm64"), 5), *KEPT_INDEX.names))

    found = look(CHECK, case(keeping(beside, KEPT_MANIFEST, KEPT_CONFIG, claims=CLAIMS[1:])))

    assert found.mismatches == []
    assert found.gaps == ()


def test_an_entry_of_an_oci_layout_that_lists_no_claimed_manifest_is_tied_by_nothing() -> None:
    lone = keeping(KEPT_INDEX, claims=CLAIMS[2:])
    other = replace(KEPT_INDEX, names=(("manifest", oci("a"), 8),))
    elsewhere = keeping(other, KEPT_MANIFEST, claims=CLAIMS[1:])

    assert look(CHECK, case(lone)).missing == [(KEPT_INDEX.path, "no-evidence")]
    assert look(CHECK, case(elsewhere)).missing == [(KEPT_INDEX.path, "no-evidence")]


def test_only_an_index_is_tied_by_the_manifest_that_it_lists() -> None:
    posing = document("manifest", "posing", ("manifest", MANIFEST, None), path="images/posing.json")

    found = look(CHECK, case(keeping(KEPT_MANIFEST, KEPT_CONFIG, posing, claims=CLAIMS[1:])))

    assert found.missing == [("images/posing.json", "no-evidence")]


def test_an_index_alone_promises_no_manifest_that_could_be_compared() -> None:
    found = look(CHECK, case(keeping(KEPT_INDEX, claims=CLAIMS[:1])))

    assert found.mismatches == []
    assert found.gaps == ()


def test_a_manifest_that_the_index_lists_as_something_else_is_not_listed() -> None:
    other = replace(KEPT_INDEX, names=(("layer", MANIFEST, 8),))

    found = look(CHECK, case(keeping(other, KEPT_MANIFEST, KEPT_CONFIG)))

    assert found.mismatches == [(other.path, MANIFEST, "none")]


def test_a_third_config_is_held_against_the_claimed_one() -> None:
    claims = (*CLAIMS[:2], claim("engine", "config", oci("claimed")))
    third = replace(KEPT_MANIFEST, names=(("config", oci("third"), 6), LAYER))

    found = look(CHECK, case(keeping(KEPT_INDEX, third, KEPT_CONFIG, claims=claims)))

    assert found.mismatches == [
        (KEPT_CONFIG.path, oci("claimed"), CONFIG),
        (third.path, oci("claimed"), oci("third")),
    ]


def test_without_an_index_a_reference_of_unstated_kind_is_held_against_the_manifest() -> None:
    reference = claim("engine", None, f"example/engine@{oci('other')}")

    found = look(CHECK, case(keeping(KEPT_MANIFEST, KEPT_CONFIG, claims=(reference,))))

    assert found.mismatches == [(KEPT_MANIFEST.path, oci("other"), MANIFEST)]


def test_one_document_retained_for_two_images_has_two_meanings() -> None:
    other = replace(KEPT_CONFIG, path="images/other.json")
    images = (image("engine", KEPT_CONFIG), image("other", other))

    found = look(CHECK, case(bundle(images=images)))

    assert found.mismatches == [
        (
            "images/other.json",
            "the config digest of image 'engine'",
            "the config digest of image 'other'",
        )
    ]


def test_the_digest_of_a_retained_document_in_the_place_of_another_is_recognised() -> None:
    claims = (CLAIMS[2], claim("engine", "config", MANIFEST, "launch.json"))

    found = look(CHECK, case(keeping(KEPT_MANIFEST, KEPT_CONFIG, claims=claims)))

    assert found.mismatches == [("launch.json#/engine/config", CONFIG, MANIFEST)]
    assert found.messages[0].endswith(" This equals the manifest digest of image 'engine'.")


def test_a_digest_is_not_said_to_equal_what_it_is_named_as() -> None:
    claims = (
        claim("engine", "config", oci("other")),
        claim("engine", "config", CONFIG, "launch.json"),
    )

    found = look(CHECK, case(keeping(KEPT_MANIFEST, KEPT_CONFIG, claims=claims)))

    [message] = [text for text in found.messages if text.startswith("bundle.json")]
    assert message == (
        "bundle.json#/engine/config gives another value for the config digest of image 'engine'."
    )


@pytest.mark.parametrize("unread", [KEPT_MANIFEST, KEPT_CONFIG])
def test_an_unclaimed_document_that_could_not_be_hashed_accuses_no_other(
    unread: ImageDocument,
) -> None:
    broken = replace(unread, names=(), sha256="", problem="not a regular file")
    whole = tuple(broken if kept is unread else kept for kept in WHOLE)
    claims = tuple(claim for claim in CLAIMS if claim.kind != unread.kind)

    found = look(CHECK, case(keeping(*whole, claims=claims)))

    assert found.mismatches == [(broken.path, "readable", "unusable: not a regular file")]
