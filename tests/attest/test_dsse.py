import base64
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from verifier.attest import dsse
from verifier.errors import AttestationError

# Its base64 is padded and has both characters in which the two alphabets differ.
PAYLOAD = b'{"a":"\xc3\xbf\xc3\xbe\xef\xbf\xbd~~~???>>>!"}'


@pytest.fixture(name="fields")
def _fields(key: Ed25519PrivateKey) -> dict[str, Any]:
    return dsse.to_json(dsse.sign(PAYLOAD, key))


def _decode(fields: Any) -> dsse.Envelope:
    return dsse.decode(json.dumps(fields).encode())


@pytest.mark.parametrize(
    ("payload_type", "payload", "expected"),
    [
        ("", b"", b"DSSEv1 0  0 "),
        ("text/plain", b"hello world", b"DSSEv1 10 text/plain 11 hello world"),
        ("typ\u00e9/\u65e5", b"\x00\xff \n", b"DSSEv1 9 typ\xc3\xa9/\xe6\x97\xa5 4 \x00\xff \n"),
        ("a" * 12, b"b" * 100, b"DSSEv1 12 " + b"a" * 12 + b" 100 " + b"b" * 100),
    ],
    ids=["empty", "ascii", "non-ascii type counts bytes", "decimal lengths"],
)
def test_pae_vectors(payload_type: str, payload: bytes, expected: bytes) -> None:
    assert dsse.pae(payload_type, payload) == expected


def test_pae_keeps_a_moved_boundary_apart() -> None:
    assert dsse.pae("a", b"b c") != dsse.pae("a b", b"c")


def test_key_id_of_a_known_key(key: Ed25519PrivateKey) -> None:
    public = key.public_key()

    assert public.public_bytes_raw().hex() == (
        "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8"
    )
    assert dsse.keyid(public) == "SHA256:lbmsoA0yIEcEiVDRnMWuzm+nV+3ZEEpVIURqFoeSspg"


def test_signing_is_deterministic_and_names_type_and_key(key: Ed25519PrivateKey) -> None:
    envelope = dsse.sign(PAYLOAD, key)

    assert envelope == dsse.sign(PAYLOAD, key)
    assert envelope.payload == PAYLOAD
    assert envelope.payload_type == "application/vnd.in-toto+json"
    assert envelope.keyid == dsse.keyid(key.public_key())
    assert len(envelope.signature) == 64
    key.public_key().verify(envelope.signature, dsse.pae(envelope.payload_type, PAYLOAD))


def test_signed_by_looks_at_the_key_and_not_at_its_name(
    key: Ed25519PrivateKey, other_key: Ed25519PrivateKey
) -> None:
    envelope = dsse.sign(PAYLOAD, key)

    assert dsse.signed_by(envelope, key.public_key())
    assert not dsse.signed_by(envelope, other_key.public_key())


def test_an_envelope_file_has_the_fields_of_the_format_in_standard_base64(
    key: Ed25519PrivateKey,
) -> None:
    envelope = dsse.sign(PAYLOAD, key)
    encoded = dsse.encode(envelope)

    assert encoded.endswith(b"}\n")
    assert encoded.count(b"\n") == 1
    assert json.loads(encoded) == {
        "payload": base64.b64encode(PAYLOAD).decode(),
        "payloadType": "application/vnd.in-toto+json",
        "signatures": [
            {
                "keyid": envelope.keyid,
                "sig": base64.b64encode(envelope.signature).decode(),
            }
        ],
    }
    assert dsse.decode(encoded) == envelope


def test_url_safe_base64_is_accepted(key: Ed25519PrivateKey, fields: dict[str, Any]) -> None:
    standard = fields["payload"]
    fields["payload"] = base64.urlsafe_b64encode(PAYLOAD).decode()
    signature = base64.b64decode(fields["signatures"][0]["sig"])
    fields["signatures"][0]["sig"] = base64.urlsafe_b64encode(signature).decode()

    assert fields["payload"] != standard
    assert _decode(fields) == dsse.sign(PAYLOAD, key)


@pytest.mark.parametrize("absent", [True, False], ids=["absent", "empty"])
def test_a_key_id_may_be_absent_or_empty(fields: dict[str, Any], *, absent: bool) -> None:
    if absent:
        del fields["signatures"][0]["keyid"]
    else:
        fields["signatures"][0]["keyid"] = ""

    assert _decode(fields).keyid == ""


def test_fields_that_the_format_does_not_define_are_ignored(
    key: Ed25519PrivateKey, fields: dict[str, Any]
) -> None:
    fields["note"] = "x"
    fields["signatures"][0]["cert"] = "y"

    assert _decode(fields) == dsse.sign(PAYLOAD, key)


@pytest.mark.parametrize("count", [0, 2])
def test_exactly_one_signature_is_expected(fields: dict[str, Any], count: int) -> None:
    fields["signatures"] = fields["signatures"] * count

    with pytest.raises(AttestationError, match=f"holds {count} signatures, expected exactly one"):
        _decode(fields)


@pytest.mark.parametrize(
    "spell",
    [
        lambda text: text.rstrip("="),
        lambda text: text + "\n",
        lambda text: text[:8] + " " + text[8:],
        lambda text: "_" + text[1:4] + "+" + text[5:],
        lambda text: "\u00e9" + text[1:],
        lambda text: text + "====",
        lambda _: "QR==",
        lambda _: "A",
    ],
    ids=[
        "no padding",
        "newline",
        "blank",
        "both alphabets",
        "not ascii",
        "more padding",
        "unused bits set",
        "one character",
    ],
)
@pytest.mark.parametrize("field", ["payload", "sig"])
def test_other_spellings_of_base64_are_refused(
    fields: dict[str, Any], field: str, spell: Any
) -> None:
    holder = fields if field == "payload" else fields["signatures"][0]
    assert holder[field].endswith("=")
    holder[field] = spell(holder[field])

    with pytest.raises(AttestationError, match=f"envelope: '{field}' is not base64"):
        _decode(fields)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"payload": None}, "envelope: 'payload' is not a non-empty text"),
        ({"payload": ""}, "envelope: 'payload' is not a non-empty text"),
        ({"payloadType": 1}, "envelope: 'payloadType' is not a non-empty text"),
        ({"signatures": {}}, "envelope: 'signatures' is not an array of objects"),
        ({"signatures": ["x"]}, "envelope: 'signatures' is not an array of objects"),
        ({"signatures": [{"keyid": ""}]}, "envelope signature: 'sig' is not a non-empty text"),
        ({"signatures": [{"keyid": None, "sig": "QQ=="}]}, "envelope: 'keyid' is not a text"),
    ],
)
def test_malformed_fields_are_named(
    fields: dict[str, Any], change: dict[str, Any], message: str
) -> None:
    with pytest.raises(AttestationError) as caught:
        _decode({**fields, **change})
    assert caught.value.message == message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not strict JSON: the attestation: empty file, expected a JSON document"),
        (b"\x00\x01", "not strict JSON: the attestation: line 1 column 1"),
        (b'{"payload":"QQ==","payload":"Qg=="}', "duplicate key 'payload'"),
        (b"[" * 100, "nested deeper than 64 levels"),
        (b"[]", "the attestation is not a JSON object"),
        (b" " * (16 * 1024 * 1024 + 1), "over the limit of 16777216"),
    ],
    ids=["empty", "binary", "duplicate key", "deep", "array", "too long"],
)
def test_files_that_are_no_strict_json_object_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(AttestationError) as caught:
        dsse.decode(data)
    assert message in caught.value.message
    assert caught.value.hint == dsse.ENVELOPE_HINT
