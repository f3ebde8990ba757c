"""Everybody who may be handed an attestation accepts ours and refuses every altered one."""

import base64
import copy
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from google.protobuf import json_format
from in_toto_attestation.v1 import statement as in_toto
from in_toto_attestation.v1 import statement_pb2
from securesystemslib.dsse import Envelope as ReferenceEnvelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import SSlibKey  # type: ignore[attr-defined]
from sigstore.dsse import Statement as SigstoreStatement
from sigstore.hashes import Hashed
from sigstore_models.common.v1 import HashAlgorithm

from tests.support import reports
from verifier.attest import dsse, sigstore_bundle, statement
from verifier.attest.check import check
from verifier.errors import AttestationError
from verifier.model.report import Status

Fields = dict[str, Any]
Consumer = Callable[[Fields, Ed25519PublicKey, Path], bool]

_HERE = Path(__file__).parent
_NODE_SOURCES = _HERE / "sigstore_verify"


def _program(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def _run(*command: str | Path, timeout: int = 60, cwd: Path | None = None) -> tuple[int, str]:
    done = subprocess.run(  # noqa: S603 - fixed programs on files that the test wrote
        command, capture_output=True, text=True, timeout=timeout, check=False, cwd=cwd
    )
    return done.returncode, done.stdout + done.stderr


def _pem(key: Ed25519PublicKey) -> bytes:
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def _payload(*statuses: Status) -> bytes:
    figures = (reports.figure("mean"), reports.figure("capacity", "NOT_RECOMPUTABLE"))
    report = reports.with_reference(reports.report(*statuses, figures=figures))
    return statement.encode(statement.build(report, reports.NOW))


def _ourselves(fields: Fields, key: Ed25519PublicKey, _: Path) -> bool:
    try:
        check(json.dumps(fields).encode(), [key], bundle=None, require="WARNED")
    except AttestationError:
        return False
    return True


def _securesystemslib(fields: Fields, key: Ed25519PublicKey, _: Path) -> bool:
    # from_dict() empties its argument; the key id has to be given, its default is another one.
    envelope = ReferenceEnvelope.from_dict(copy.deepcopy(fields))
    trusted = SSlibKey.from_crypto(key, keyid=fields["signatures"][0]["keyid"])
    try:
        envelope.verify([trusted], threshold=1)
    except VerificationError:
        return False
    return True


def _openssl(fields: Fields, key: Ed25519PublicKey, folder: Path) -> bool:
    pae, signature, public = folder / "pae.bin", folder / "sig.bin", folder / "pub.pem"
    pae.write_bytes(ReferenceEnvelope.from_dict(copy.deepcopy(fields)).pae())
    signature.write_bytes(base64.b64decode(fields["signatures"][0]["sig"]))
    public.write_bytes(_pem(key))
    options = ("-verify", "-pubin", "-inkey", public, "-rawin", "-in", pae, "-sigfile", signature)
    code, output = _run(_program("openssl"), "pkeyutl", *options)
    assert ("Verified Successfully" in output) == (code == 0), output
    assert ("Verification Failure" in output) == (code == 1), output
    return code == 0


@pytest.fixture(name="sigstore_verify", scope="session")
def _sigstore_verify(tmp_path_factory: pytest.TempPathFactory) -> Consumer:
    node, npm = _program("node"), _program("npm")
    home = tmp_path_factory.mktemp("sigstore_verify")
    for source in ("package.json", "package-lock.json", "verify.mjs"):
        shutil.copyfile(_NODE_SOURCES / source, home / source)
    try:
        options = ("--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=0")
        code, output = _run(npm, "install", *options, timeout=180, cwd=home)
    except subprocess.TimeoutExpired:
        pytest.skip("npm install did not end in time")
    if code != 0:
        pytest.skip(f"npm install failed: {output.partition(chr(10))[0]}")

    def verify(fields: Fields, key: Ed25519PublicKey, folder: Path) -> bool:
        bundle = json.loads(sigstore_bundle.wrap(dsse.from_json(fields)))
        bundle["dsseEnvelope"] = fields
        (folder / "bundle.json").write_text(json.dumps(bundle))
        (folder / "pub.pem").write_bytes(_pem(key))
        script = home / "verify.mjs"
        code, output = _run(node, script, folder / "bundle.json", folder / "pub.pem")
        assert code in (0, 1), output
        assert output.startswith("accepted" if code == 0 else "refused"), output
        return code == 0

    return verify


@pytest.fixture(
    name="accepts", params=["ourselves", "securesystemslib", "openssl", "sigstore_verify"]
)
def _accepts(request: pytest.FixtureRequest) -> Consumer:
    consumers = {
        "ourselves": _ourselves,
        "securesystemslib": _securesystemslib,
        "openssl": _openssl,
    }
    name: str = request.param
    found: Consumer = consumers.get(name) or request.getfixturevalue(name)
    return found


@pytest.fixture(name="fields")
def _fields(key: Ed25519PrivateKey) -> Fields:
    return dsse.to_json(dsse.sign(_payload(), key))


@pytest.mark.parametrize("status", ["PASSED", "WARNED"])
def test_every_consumer_accepts_our_envelope(
    accepts: Consumer, key: Ed25519PrivateKey, tmp_path: Path, status: Status
) -> None:
    fields = dsse.to_json(dsse.sign(_payload(status), key))

    assert accepts(fields, key.public_key(), tmp_path)


def _flip(encoded: str, position: int) -> str:
    raw = bytearray(base64.b64decode(encoded))
    raw[position] ^= 1
    return base64.b64encode(raw).decode()


def _flip_payload(fields: Fields) -> None:
    fields["payload"] = _flip(fields["payload"], 200)


def _flip_payload_type(fields: Fields) -> None:
    fields["payloadType"] = "application/vnd.in-toto+jsoo"


def _flip_signature(fields: Fields) -> None:
    fields["signatures"][0]["sig"] = _flip(fields["signatures"][0]["sig"], 10)


@pytest.mark.parametrize("alter", [_flip_payload, _flip_payload_type, _flip_signature])
def test_every_consumer_refuses_one_flipped_bit(
    accepts: Consumer,
    key: Ed25519PrivateKey,
    fields: Fields,
    tmp_path: Path,
    alter: Callable[[Fields], None],
) -> None:
    alter(fields)

    assert not accepts(fields, key.public_key(), tmp_path)


def test_every_consumer_refuses_another_key(
    accepts: Consumer, other_key: Ed25519PrivateKey, fields: Fields, tmp_path: Path
) -> None:
    assert not accepts(fields, other_key.public_key(), tmp_path)


def test_pae_is_that_of_the_reference_library_for_a_type_that_is_not_ascii() -> None:
    payload_type = "application/\u00e9\u65e5+json"
    reference = ReferenceEnvelope(b"\x00payload\xff", payload_type, {})

    assert dsse.pae(payload_type, b"\x00payload\xff") == reference.pae()


@pytest.mark.parametrize("status", ["PASSED", "WARNED", "FAILED"])
def test_the_in_toto_binding_parses_and_validates_the_statement(status: Status) -> None:
    payload = _payload(status)
    message = json_format.Parse(payload, statement_pb2.Statement())
    parsed = in_toto.Statement.copy_from_pb(message)
    parsed.validate()

    assert [subject.name for subject in parsed.pb.subject] == [
        "figures.json",
        "bundle.json",
        "seal-root",
    ]
    assert parsed.pb.predicate_type == statement.PREDICATE_TYPE
    # A predicate becomes a protobuf Struct: what comes back unchanged holds no number to round.
    assert json_format.MessageToDict(parsed.pb.predicate) == json.loads(payload)["predicate"]


def test_sigstore_parses_the_statement_and_finds_a_published_record_in_it() -> None:
    parsed = SigstoreStatement(_payload())
    found = Hashed(
        algorithm=HashAlgorithm.SHA2_256, digest=bytes.fromhex(reports.FILES["figures.json"])
    )
    absent = Hashed(algorithm=HashAlgorithm.SHA2_256, digest=bytes(32))

    assert parsed._matches_digest(found)  # noqa: SLF001 - what its verifier calls
    assert not parsed._matches_digest(absent)  # noqa: SLF001 - what its verifier calls


def test_the_key_id_is_the_fingerprint_that_openssh_prints(
    key: Ed25519PrivateKey, tmp_path: Path
) -> None:
    public = tmp_path / "key.pub"
    public.write_bytes(key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH))
    code, output = _run(_program("ssh-keygen"), "-l", "-E", "sha256", "-f", public)

    assert code == 0, output
    assert output.split()[1] == dsse.keyid(key.public_key())
