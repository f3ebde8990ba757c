"""Why a measure cannot be evaluated, on its way out of the pipeline."""

from verifier.errors import VerifierError


class LackingError(VerifierError):
    """Something that a measure needs is not there; it becomes a ``Missing`` with this reason."""


def lacking(reason: str) -> LackingError:
    """The error to raise."""
    return LackingError(reason)
