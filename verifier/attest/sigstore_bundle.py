"""Wrap an envelope as a Sigstore bundle v0.3, the form that cosign 3 reads, and unwrap one.

The bundle carries the same signature and nothing that could replace a key given by the user: the
``hint`` names a key, and any key or certificate in a bundle that somebody else wrote is ignored.

Format: sigstore/protobuf-specs, ``sigstore_bundle.proto`` v0.3, with a self-managed key.
"""

from collections.abc import Mapping
from typing import Any

import rfc8785

from verifier.attest.dsse import Envelope, from_json, to_json
from verifier.attest.fields import mapping, shown, text
from verifier.errors import AttestationError

MEDIA_TYPE = "application/vnd.dev.sigstore.bundle.v0.3+json"


def wrap(envelope: Envelope) -> bytes:
    """The content of a bundle file: one line of canonical JSON, without log entry or time stamp."""
    bundle: dict[str, Any] = {
        "mediaType": MEDIA_TYPE,
        "verificationMaterial": {
            "publicKey": {"hint": envelope.keyid},
            "tlogEntries": [],
            "timestampVerificationData": {"rfc3161Timestamps": []},
        },
        "dsseEnvelope": to_json(envelope),
    }
    return rfc8785.dumps(bundle) + b"\n"


def is_bundle(fields: Mapping[str, Any]) -> bool:
    """Whether JSON values are a Sigstore bundle of some version rather than a bare envelope."""
    return "mediaType" in fields or "dsseEnvelope" in fields


def unwrap(fields: Mapping[str, Any]) -> Envelope:
    """The envelope inside a bundle; keys, certificates and log entries beside it are not read.

    Raises:
        AttestationError: another version or kind of bundle, or a malformed envelope.
    """
    media_type = text(fields, "mediaType", "Sigstore bundle")
    if media_type != MEDIA_TYPE:
        message = f"the Sigstore bundle is {shown(media_type)}, expected {MEDIA_TYPE}"
        raise AttestationError(message, hint="Check the file that `--sigstore-bundle` wrote.")
    return from_json(mapping(fields, "dsseEnvelope", "Sigstore bundle"))
