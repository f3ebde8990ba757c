"""DSSE envelopes: one Ed25519 signature over payload type and payload.

What is signed is the pre-authentication encoding (PAE), so neither the payload nor its type can be
changed. The key id is a hint for people and tools that hold several keys; it decides nothing.

Format: DSSE 1.0.2. The signature is plain Ed25519 (RFC 8032), not the pre-hashed variant.
"""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import rfc8785
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from verifier.attest.fields import array, document, shown, text
from verifier.errors import AttestationError

PAYLOAD_TYPE = "application/vnd.in-toto+json"
ENVELOPE_HINT = "Expected a DSSE envelope as `--attest` or `--sigstore-bundle` writes it."

_SSH_KEY_TYPE = b"ssh-ed25519"


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """A payload, its type and the one signature over both.

    Attributes:
        payload: the signed bytes.
        payload_type: media type of the payload, as the envelope gives it.
        signature: 64 bytes from a signer; anything, in an envelope that somebody else wrote.
        keyid: hint at the signing key, "" without one.
    """

    payload: bytes
    payload_type: str
    signature: bytes
    keyid: str = ""


def pae(payload_type: str, payload: bytes) -> bytes:
    """The bytes that are signed: ``DSSEv1 LEN(type) type LEN(payload) payload``.

    Lengths count encoded bytes, in decimal without leading zeros (DSSE protocol, "PAE").
    """
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def keyid(key: Ed25519PublicKey) -> str:
    """The OpenSSH SHA-256 fingerprint of a key, ``SHA256:`` and 43 base64 characters.

    It equals what ``ssh-keygen -lf`` prints: the hash of the SSH wire form (RFC 8709, section 4:
    length-prefixed key type and key), base64 without padding.
    """
    fields = (_SSH_KEY_TYPE, key.public_bytes_raw())
    wire = b"".join(len(field).to_bytes(4, "big") + field for field in fields)
    return "SHA256:" + base64.b64encode(hashlib.sha256(wire).digest()).decode().rstrip("=")


def sign(payload: bytes, key: Ed25519PrivateKey) -> Envelope:
    """An envelope around an in-toto payload; the same payload and key give the same envelope."""
    return Envelope(
        payload=payload,
        payload_type=PAYLOAD_TYPE,
        signature=key.sign(pae(PAYLOAD_TYPE, payload)),
        keyid=keyid(key.public_key()),
    )


def signed_by(envelope: Envelope, key: Ed25519PublicKey) -> bool:
    """Whether this key made the envelope's signature, whatever key id it names."""
    try:
        key.verify(envelope.signature, pae(envelope.payload_type, envelope.payload))
    except InvalidSignature:
        return False
    return True


def to_json(envelope: Envelope) -> dict[str, Any]:
    """The envelope as JSON values, in standard padded base64."""
    return {
        "payload": base64.b64encode(envelope.payload).decode(),
        "payloadType": envelope.payload_type,
        "signatures": [
            {"keyid": envelope.keyid, "sig": base64.b64encode(envelope.signature).decode()}
        ],
    }


def encode(envelope: Envelope) -> bytes:
    """The content of an envelope file: one line of canonical JSON."""
    return rfc8785.dumps(to_json(envelope)) + b"\n"


def decode(data: bytes) -> Envelope:
    """Read an envelope file without trusting anything in it.

    Raises:
        AttestationError: not strict JSON, not an envelope, not exactly one signature, bad base64.
    """
    return from_json(document(data, name="the attestation", hint=ENVELOPE_HINT))


def from_json(fields: Mapping[str, Any]) -> Envelope:
    """Read an envelope from JSON values; fields that DSSE does not define are ignored, as it asks.

    Raises:
        AttestationError: not an envelope, not exactly one signature, bad base64.
    """
    signatures = array(fields, "signatures", "envelope")
    if len(signatures) != 1:
        message = f"the envelope holds {len(signatures)} signatures, expected exactly one"
        raise AttestationError(message, hint="Sign again with one key, or check a single envelope.")
    signature = signatures[0]
    hint = signature.get("keyid", "")
    if not isinstance(hint, str):
        message = "envelope: 'keyid' is not a text"
        raise AttestationError(message, hint=ENVELOPE_HINT)
    return Envelope(
        payload=_unbase64(text(fields, "payload", "envelope"), "payload"),
        payload_type=text(fields, "payloadType", "envelope"),
        signature=_unbase64(text(signature, "sig", "envelope signature"), "sig"),
        keyid=hint,
    )


def _unbase64(value: str, field: str) -> bytes:
    """Decode padded base64 of either alphabet; a second spelling of the same bytes is refused."""
    altchars = b"-_" if set(value) & set("-_") else b"+/"
    try:
        data = base64.b64decode(value, altchars=altchars, validate=True)
    except ValueError:
        data = None
    if data is None or base64.b64encode(data, altchars=altchars).decode() != value:
        message = f"envelope: {field!r} is not base64: {shown(value[:24])}"
        raise AttestationError(message, hint="Expected padded base64 without line breaks.")
    return data
