"""Decide whether an attestation says, under a trusted key, that this bundle passed.

The signature is verified before the payload is parsed, and only keys that the caller trusts count:
nothing in the attestation or in the bundle can add one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from verifier.attest import dsse, sigstore_bundle
from verifier.attest.claims import Claims, parse
from verifier.attest.fields import document, shown
from verifier.errors import AttestationError
from verifier.model.report import Subject

Require = Literal["PASSED", "WARNED"]

_ACCEPTED: Mapping[Require, tuple[Require, ...]] = {
    "PASSED": ("PASSED",),
    "WARNED": ("PASSED", "WARNED"),
}
_OTHER_BUNDLE = "The attestation is for other files; verify this bundle and sign anew."


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleFiles:
    """The files of the bundle at hand, as hashed now.

    Attributes:
        sha256: hex by path.
        root: the root that these very files have, None for a bundle without a rooted seal. A root
            merely read from the seal file would say nothing about the files.
        departures: paths whose bytes are not those the seal promises, or that it does not list.
        absent: paths that the seal lists and that are not there.
        vouching: paths that only the attestation can vouch for, so that it has to name them.
    """

    sha256: Mapping[str, str]
    root: str | None = None
    departures: tuple[str, ...] = ()
    absent: frozenset[str] = frozenset()
    vouching: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What an accepted attestation establishes.

    Attributes:
        result: ``PASSED``, or ``WARNED`` where that was good enough.
        keyid: fingerprint of the trusted key that signed, not what the envelope claims.
        subjects: the published records that the verdict speaks of.
        root: the seal root that it speaks of, None for a bundle without one.
        time: when the bundle was verified, as the signer says.
        policy: name and sha256 of the policy that judged.
        verifier: name with version, and sha256, of the program that judged.
        compared: whether the subjects were held against the files of a bundle.
    """

    result: Require
    keyid: str
    subjects: tuple[Subject, ...]
    root: str | None
    time: str
    policy: Subject
    verifier: Subject
    compared: bool


def check(
    envelope_bytes: bytes,
    public_keys: Sequence[Ed25519PublicKey],
    *,
    bundle: BundleFiles | None,
    require: Require,
) -> Checked:
    """Accept an attestation or say in one line why not.

    Args:
        envelope_bytes: a DSSE envelope, or a Sigstore bundle v0.3 around one.
        public_keys: the keys that the caller trusts; one of them must have signed.
        bundle: the files of the bundle at hand; None to look at the attestation alone.
        require: the least result to accept; ``FAILED`` never is.

    Raises:
        AttestationError: anything else than a verdict of this program, good enough, over this
            bundle, under a trusted key.
    """
    envelope = _read(envelope_bytes)
    keyid = _verified_by(envelope, public_keys)
    claims = parse(envelope.payload)
    if bundle is not None:
        _compare(claims, bundle)
    return Checked(
        result=_accepted(claims, require),
        keyid=keyid,
        subjects=claims.subjects,
        root=claims.root,
        time=claims.time,
        policy=claims.policy,
        verifier=claims.verifier,
        compared=bundle is not None,
    )


def _read(data: bytes) -> dsse.Envelope:
    fields = document(data, name="the attestation", hint=dsse.ENVELOPE_HINT)
    unwrapped = sigstore_bundle.is_bundle(fields)
    envelope = sigstore_bundle.unwrap(fields) if unwrapped else dsse.from_json(fields)
    if envelope.payload_type != dsse.PAYLOAD_TYPE:
        found = shown(envelope.payload_type)
        message = f"the payload type is {found}, expected {dsse.PAYLOAD_TYPE!r}"
        raise AttestationError(message, hint=dsse.ENVELOPE_HINT)
    return envelope


def _verified_by(envelope: dsse.Envelope, public_keys: Sequence[Ed25519PublicKey]) -> str:
    for key in public_keys:
        if dsse.signed_by(envelope, key):
            return dsse.keyid(key)
    trusted = [dsse.keyid(key) for key in public_keys]
    if envelope.keyid in trusted:
        message = f"the signature does not fit: trusted key {envelope.keyid} did not sign this"
        raise AttestationError(
            message, hint="The payload or the signature was altered; get the original file."
        )
    claimed = shown(envelope.keyid) if envelope.keyid else "none"
    message = (
        "no trusted key made this signature: "
        f"the envelope names key {claimed}, trusted: {', '.join(trusted) or 'none'}"
    )
    raise AttestationError(
        message,
        hint="Pass the signer's public key with --trust; get it from the signer.",
    )


def _compare(claims: Claims, bundle: BundleFiles) -> None:
    for subject in claims.subjects:
        actual = bundle.sha256.get(subject.name)
        if actual is None:
            message = f"the bundle has no file {shown(subject.name)}, which the attestation names"
            raise AttestationError(message, hint=_OTHER_BUNDLE)
        if actual != subject.sha256:
            message = f"{shown(subject.name)} has sha256 {actual}, attested was {subject.sha256}"
            raise AttestationError(message, hint=_OTHER_BUNDLE)
    for path in bundle.departures:
        message = f"{shown(path)} is not as the seal promises"
        raise AttestationError(message, hint=_OTHER_BUNDLE)
    for path in sorted(bundle.vouching - {subject.name for subject in claims.subjects}):
        message = f"the attestation does not speak of {shown(path)}, which the bundle holds"
        raise AttestationError(message, hint=_OTHER_BUNDLE)
    for path in sorted(bundle.absent - claims.allowed_missing):
        message = f"the bundle has no file {shown(path)}, which its seal lists"
        raise AttestationError(message, hint=_OTHER_BUNDLE)
    if claims.root != bundle.root:
        message = (
            f"the bundle's seal root is {bundle.root or 'none'}, "
            f"attested was {claims.root or 'none'}"
        )
        raise AttestationError(message, hint=_OTHER_BUNDLE)


def _accepted(claims: Claims, require: Require) -> Require:
    for result in _ACCEPTED[require]:
        if claims.result == result:
            return result
    if claims.result in ("FAILED", "WARNED"):
        wanted = " or ".join(_ACCEPTED[require])
        message = f"the attested result is {claims.result}, required: {wanted}"
        raise AttestationError(message, hint="Read the report for the findings behind the result.")
    message = f"the attested result is {shown(claims.result)}, which is no result word"
    raise AttestationError(message, hint="Expected PASSED, WARNED or FAILED.")
