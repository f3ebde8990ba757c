"""What kind of truth a line of the report is, and how deep the evidence behind a figure goes."""

from enum import Enum, IntEnum


class Basis(Enum):
    """What the expected side of a comparison rests on.

    "The bundle agrees with itself" must never read as "the bundle is right", so every line of a
    report carries one of these.
    """

    POLICY = "POLICY"
    """Compared with what the user demands."""
    SEALED = "SEALED"
    """Compared with a recorded hash."""
    RECOMPUTED = "RECOMPUTED"
    """Compared with our own arithmetic over retained values."""
    SPEC = "SPEC"
    """Compared with a rule of a format."""
    DECLARED = "DECLARED"
    """The bundle merely says so; nothing retained could contradict it."""


class Level(IntEnum):
    """How deep the retained evidence goes, shallowest first (docs/format.md, evidence levels)."""

    DECLARED = 0
    WINDOW_SCORES = 1
    ROW_SCORES = 2
    ROW_DISTRIBUTIONS = 3
    RAW_LOGITS = 4

    @property
    def label(self) -> str:
        """The name used in policies and reports, for example ``window-scores``."""
        return self.name.lower().replace("_", "-")

    @classmethod
    def from_label(cls, label: str) -> "Level":
        """The level a label names.

        Raises:
            KeyError: the label names no level.
        """
        return cls[label.upper().replace("-", "_")]
