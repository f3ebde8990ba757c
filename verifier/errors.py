"""Every error that this program raises on purpose.

VerifierError
├── UsageError          the options do not fit together              exit 2
├── CannotLook          there is nothing we could give a verdict on  exit 3
│   ├── StoreError      no such path, unreadable, over a limit, changed while read
│   ├── UnknownFormat   no reader recognises the files
│   ├── PolicyError     a policy file that cannot be used
│   ├── KeyFileError    a key file that cannot be used
│   └── OutputError     a file that cannot be written
├── JsonError           text that is not strict JSON (a finding when it lies in a bundle)
├── AttestationError    an attestation that is not what it claims    exit 1
└── CatalogError        this program itself is put together wrongly  exit 3
"""


class VerifierError(Exception):
    """Base of all deliberate errors; it carries what to do next.

    Attributes:
        message: what is wrong, with the place.
        hint: the next step for the person who reads it, as a sentence.
    """

    exit_code = 3

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(VerifierError):
    """Options that do not fit together."""

    exit_code = 2


class CannotLook(VerifierError):  # noqa: N818 - a base class named for the situation
    """Nothing could be looked at, so there is no verdict."""


class StoreError(CannotLook):
    """A path that cannot be read as a bundle."""


class UnknownFormat(CannotLook):
    """No reader recognises the files."""


class PolicyError(CannotLook):
    """A policy file that cannot be used."""


class KeyFileError(CannotLook):
    """A key file that cannot be used."""


class OutputError(CannotLook):
    """A file that cannot be written."""


class JsonError(VerifierError):
    """Text that is not strict JSON; ``location`` is a pointer or ``line:column``."""

    def __init__(self, message: str, *, location: str = "", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.location = location


class AttestationError(VerifierError):
    """An attestation that is not what it claims to be."""

    exit_code = 1


class CatalogError(VerifierError):
    """A plugin module that breaks the catalogue's rules."""
