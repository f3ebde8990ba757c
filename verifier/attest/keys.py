"""Key files: Ed25519 in PEM, made and read at the edge.

Private keys are unencrypted PKCS #8 (RFC 8410), as CI secrets are; public keys are
SubjectPublicKeyInfo. No passphrase is ever asked for.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from verifier.errors import KeyFileError, OutputError

_MAX_BYTES = 64 * 1024
_MAKE_ONE = "Make a pair with `verifier keygen --out PREFIX`."
_OTHER_FILES: Mapping[bytes, tuple[str, str]] = {
    b"OPENSSH PRIVATE KEY": ("is an OpenSSH key file, not PKCS #8", _MAKE_ONE),
    b"CERTIFICATE": ("is a certificate", "Take its key out with `openssl x509 -pubkey -noout`."),
}


def generate(prefix: Path) -> tuple[Path, Path]:
    """Make a key pair in two new files; existing files are never touched.

    Args:
        prefix: path without ending.

    Returns:
        PREFIX.key (private, mode 0600) and PREFIX.pub (public).

    Raises:
        OutputError: one of the files exists, or cannot be written; then neither is left behind.
    """
    private_path = Path(f"{prefix}.key")
    public_path = Path(f"{prefix}.pub")
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    _create(public_path, public, mode=0o644)
    try:
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        _create(private_path, private, mode=0o600)
    except OutputError:
        public_path.unlink(missing_ok=True)
        raise
    return private_path, public_path


def load_private(path: Path) -> Ed25519PrivateKey:
    """Read a private key.

    Raises:
        KeyFileError: missing, unreadable, not PEM, encrypted, a public key, or not Ed25519.
    """
    data = _read(path)
    if b"PUBLIC KEY-----" in data and b"PRIVATE KEY-----" not in data:
        hint = "Give the file PREFIX.key that `verifier keygen` made."
        raise _unusable(path, "holds a public key, a private key is needed to sign", hint)
    try:
        key = load_pem_private_key(data, password=None)
    except TypeError as error:
        hint = "Decrypt it with `openssl pkey -in FILE -out NEW`, or give an unencrypted key."
        raise _unusable(path, "is encrypted", hint) from error
    except (ValueError, UnsupportedAlgorithm) as error:
        raise _unusable(path, "holds no readable private key") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise _unusable(path, "is not an Ed25519 key")
    return key


def load_public(path: Path) -> Ed25519PublicKey:
    """Read a public key.

    Raises:
        KeyFileError: missing, unreadable, not PEM, a private key, or not Ed25519.
    """
    data = _read(path)
    if b"PRIVATE KEY-----" in data:
        hint = "Give the file PREFIX.pub, and keep PREFIX.key secret."
        raise _unusable(path, "holds a private key, trust is given to public keys", hint)
    try:
        key = load_pem_public_key(data)
    except (ValueError, UnsupportedAlgorithm) as error:
        raise _unusable(path, "holds no readable public key") from error
    if not isinstance(key, Ed25519PublicKey):
        raise _unusable(path, "is not an Ed25519 key")
    return key


def _unusable(path: Path, what: str, hint: str = _MAKE_ONE) -> KeyFileError:
    return KeyFileError(f"key file {path} {what}", hint=hint)


def _create(path: Path, content: bytes, *, mode: int) -> None:
    """Write a new file that has its final mode from its first instant."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except FileExistsError as error:
        message = f"{path} exists and is not overwritten"
        raise OutputError(
            message, hint="Choose another prefix, or move the old pair away."
        ) from error
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> OutputError:
    message = f"{path} cannot be written: {error.strerror or error}"
    return OutputError(message, hint="Choose a prefix in an existing, writable folder.")


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            data = stream.read(_MAX_BYTES)
    except FileNotFoundError as error:
        raise _unusable(path, "does not exist") from error
    except OSError as error:
        what = f"cannot be read: {error.strerror or error}"
        raise _unusable(path, what, "Give the path of one readable file.") from error
    if b"-----BEGIN " not in data:
        raise _unusable(path, "is not a PEM file")
    for label, (what, hint) in _OTHER_FILES.items():
        if b"-----BEGIN " + label in data:
            raise _unusable(path, what, hint)
    return data
