import json

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from verifier.attest import dsse, sigstore_bundle
from verifier.errors import AttestationError

MEDIA_TYPE = "application/vnd.dev.sigstore.bundle.v0.3+json"


def test_the_bundle_holds_the_same_envelope_and_a_hint_but_no_key(key: Ed25519PrivateKey) -> None:
    envelope = dsse.sign(b"{}", key)
    encoded = sigstore_bundle.wrap(envelope)

    assert encoded == sigstore_bundle.wrap(envelope)
    assert encoded.endswith(b"}\n")
    assert json.loads(encoded) == {
        "mediaType": MEDIA_TYPE,
        "verificationMaterial": {
            "publicKey": {"hint": envelope.keyid},
            "tlogEntries": [],
            "timestampVerificationData": {"rfc3161Timestamps": []},
        },
        "dsseEnvelope": json.loads(dsse.encode(envelope)),
    }


def test_unwrapping_gives_the_envelope_back(key: Ed25519PrivateKey) -> None:
    envelope = dsse.sign(b"{}", key)

    assert sigstore_bundle.unwrap(json.loads(sigstore_bundle.wrap(envelope))) == envelope


def test_an_envelope_is_told_from_a_bundle(key: Ed25519PrivateKey) -> None:
    envelope = dsse.sign(b"{}", key)

    assert sigstore_bundle.is_bundle(json.loads(sigstore_bundle.wrap(envelope)))
    assert not sigstore_bundle.is_bundle(dsse.to_json(envelope))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"dsseEnvelope": {}}, "Sigstore bundle: 'mediaType' is not a non-empty text"),
        (
            {"mediaType": "application/vnd.dev.sigstore.bundle+json;version=0.1"},
            (
                "the Sigstore bundle is 'application/vnd.dev.sigstore.bundle+json;version=0.1', "
                f"expected {MEDIA_TYPE}"
            ),
        ),
        (
            {"mediaType": MEDIA_TYPE, "messageSignature": {}},
            "Sigstore bundle: 'dsseEnvelope' is not an object",
        ),
    ],
    ids=["no media type", "another version", "no envelope"],
)
def test_other_bundles_are_refused(fields: dict[str, object], message: str) -> None:
    assert sigstore_bundle.is_bundle(fields)
    with pytest.raises(AttestationError) as caught:
        sigstore_bundle.unwrap(fields)
    assert caught.value.message == message
