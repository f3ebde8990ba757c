import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from verifier.attest import dsse, keys
from verifier.errors import KeyFileError, OutputError

Load = Callable[[Path], object]

both_loaders = pytest.mark.parametrize("load", [keys.load_private, keys.load_public])


@pytest.fixture(name="pair")
def _pair(tmp_path: Path) -> tuple[Path, Path]:
    return keys.generate(tmp_path / "release.2026")


def _private_pem(
    key: Ed25519PrivateKey | ec.EllipticCurvePrivateKey,
    layout: PrivateFormat = PrivateFormat.PKCS8,
    encryption: KeySerializationEncryption | None = None,
) -> bytes:
    return key.private_bytes(Encoding.PEM, layout, encryption or NoEncryption())


def _public_pem(key: Ed25519PrivateKey | ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def _refusal(load: Load, path: Path) -> KeyFileError:
    with pytest.raises(KeyFileError) as caught:
        load(path)
    assert str(path) in caught.value.message
    assert caught.value.hint
    assert caught.value.exit_code == 3
    return caught.value


def test_a_generated_pair_signs_and_verifies(pair: tuple[Path, Path]) -> None:
    private, public = pair
    envelope = dsse.sign(b"{}", keys.load_private(private))

    assert private.name == "release.2026.key"
    assert public.name == "release.2026.pub"
    assert dsse.signed_by(envelope, keys.load_public(public))


def test_generated_files_are_plain_pem(pair: tuple[Path, Path]) -> None:
    private, public = pair

    assert private.read_bytes().startswith(b"-----BEGIN PRIVATE KEY-----\n")
    assert public.read_bytes().startswith(b"-----BEGIN PUBLIC KEY-----\n")


def test_every_pair_is_another(tmp_path: Path) -> None:
    first = keys.load_public(keys.generate(tmp_path / "a")[1])
    second = keys.load_public(keys.generate(tmp_path / "b")[1])

    assert dsse.keyid(first) != dsse.keyid(second)


def test_the_private_file_is_its_owners_alone_even_under_an_open_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        private, _ = keys.generate(tmp_path / "k")
    finally:
        os.umask(before)

    assert stat.S_IMODE(private.stat().st_mode) == 0o600


@pytest.mark.parametrize("ending", ["key", "pub"])
def test_an_existing_file_is_never_overwritten_and_nothing_is_written(
    tmp_path: Path, ending: str
) -> None:
    existing = tmp_path / f"k.{ending}"
    existing.write_bytes(b"precious")

    with pytest.raises(OutputError, match="exists and is not overwritten"):
        keys.generate(tmp_path / "k")
    assert existing.read_bytes() == b"precious"
    assert list(tmp_path.iterdir()) == [existing]


def test_a_dangling_link_is_not_followed(tmp_path: Path) -> None:
    link = tmp_path / "k.key"
    link.symlink_to(tmp_path / "elsewhere")

    with pytest.raises(OutputError, match="exists and is not overwritten"):
        keys.generate(tmp_path / "k")
    assert list(tmp_path.iterdir()) == [link]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(OutputError) as caught:
        keys.generate(tmp_path / "absent" / "k")

    assert caught.value.message.endswith("k.pub cannot be written: No such file or directory")
    assert "existing, writable folder" in caught.value.hint


def test_a_full_disk_leaves_no_half_pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.fdopen

    def full(descriptor: int, mode: str) -> object:
        if "k.key" in {path.name for path in tmp_path.iterdir()}:
            os.close(descriptor)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(descriptor, mode)

    monkeypatch.setattr(os, "fdopen", full)
    with pytest.raises(OutputError, match=r"k\.key cannot be written: No space left on device"):
        keys.generate(tmp_path / "k")
    assert list(tmp_path.iterdir()) == []


@both_loaders
def test_a_missing_file_is_named(tmp_path: Path, load: Load) -> None:
    error = _refusal(load, tmp_path / "absent.pem")

    assert error.message.endswith("does not exist")
    assert "verifier keygen" in error.hint


@both_loaders
def test_a_folder_is_not_a_key(tmp_path: Path, load: Load) -> None:
    assert "cannot be read: Is a directory" in _refusal(load, tmp_path).message


@both_loaders
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not a PEM file"),
        (b"\x00\xff" * 100_000, "is not a PEM file"),
        (b"ssh-ed25519 AAAA someone\n", "is not a PEM file"),
        (b"-----BEGIN OPENSSH PRIVATE KEY-----\n", "is an OpenSSH key file, not PKCS #8"),
        (b"-----BEGIN CERTIFICATE-----\nQQ==\n-----END CERTIFICATE-----\n", "is a certificate"),
        (b"-----BEGIN X-----\nQQ==\n-----END X-----\n", "holds no readable"),
    ],
    ids=["empty", "binary", "ssh public key", "ssh private key", "certificate", "other label"],
)
def test_other_files_are_not_keys(tmp_path: Path, load: Load, content: bytes, message: str) -> None:
    path = tmp_path / "key"
    path.write_bytes(content)

    assert message in _refusal(load, path).message


@pytest.mark.parametrize("layout", ["PRIVATE", "PUBLIC"])
def test_damaged_pem_is_not_a_key(tmp_path: Path, layout: str) -> None:
    path = tmp_path / "key"
    path.write_text(f"-----BEGIN {layout} KEY-----\nQUJD\n-----END {layout} KEY-----\n")
    load = keys.load_private if layout == "PRIVATE" else keys.load_public

    assert f"holds no readable {layout.lower()} key" in _refusal(load, path).message


def test_an_encrypted_private_key_is_refused_without_asking(
    tmp_path: Path, key: Ed25519PrivateKey
) -> None:
    path = tmp_path / "key"
    path.write_bytes(_private_pem(key, encryption=BestAvailableEncryption(b"secret")))

    error = _refusal(keys.load_private, path)
    assert error.message.endswith("is encrypted")
    assert "openssl pkey" in error.hint


def test_another_algorithm_is_refused(tmp_path: Path) -> None:
    other = ec.generate_private_key(ec.SECP256R1())
    path = tmp_path / "key"

    path.write_bytes(_private_pem(other))
    assert _refusal(keys.load_private, path).message.endswith("is not an Ed25519 key")
    path.write_bytes(_public_pem(other))
    assert _refusal(keys.load_public, path).message.endswith("is not an Ed25519 key")


def test_a_public_key_cannot_sign(pair: tuple[Path, Path]) -> None:
    error = _refusal(keys.load_private, pair[1])

    assert "holds a public key, a private key is needed" in error.message
    assert "PREFIX.key" in error.hint


@pytest.mark.parametrize("encrypted", [False, True])
def test_a_private_key_is_not_what_trust_is_given_to(
    tmp_path: Path, key: Ed25519PrivateKey, *, encrypted: bool
) -> None:
    path = tmp_path / "key"
    secret = BestAvailableEncryption(b"secret") if encrypted else None
    path.write_bytes(_private_pem(key, encryption=secret))

    error = _refusal(keys.load_public, path)
    assert "holds a private key, trust is given to public keys" in error.message
    assert "PREFIX.pub" in error.hint


def test_a_private_file_that_others_can_read_is_accepted(pair: tuple[Path, Path]) -> None:
    pair[0].chmod(0o644)

    assert keys.load_private(pair[0]).public_key() == keys.load_public(pair[1])


def test_a_key_may_come_through_a_pipe(tmp_path: Path, key: Ed25519PrivateKey) -> None:
    reader, writer = os.pipe()
    os.write(writer, _private_pem(key))
    os.close(writer)
    path = tmp_path / "fd"
    path.symlink_to(f"/dev/fd/{reader}")
    try:
        assert keys.load_private(path).public_key() == key.public_key()
    finally:
        os.close(reader)
