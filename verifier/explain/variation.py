"""One alternative to a measure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from verifier.model.bundle import Arm
from verifier.model.measure import Measure, Operand

STRICTNESS: Mapping[str, str] = MappingProxyType(
    {"above": "at_least", "at_least": "above", "below": "at_most", "at_most": "below"}
)
"""The same bound with and without the value that lies on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variation:
    """A measure that differs in one choice; ``words`` completes "the same measure ..."."""

    words: str
    measure: Measure


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the bundle offers in the place of a measure's choices.

    Attributes:
        arms: of the bundle, by id.
        windows: ids of the windows that the measure selects, in its order.
    """

    arms: Mapping[str, Arm]
    windows: Sequence[str]

    def first_arm(self, measure: Measure) -> Arm | None:
        """The first arm of the measure, where it lies in the bundle itself."""
        for operand in measure.arms[:1]:
            return self.arms.get(operand if isinstance(operand, str) else operand[0])
        return None


def named(operand: Operand) -> str:
    """An operand in words."""
    return operand if isinstance(operand, str) else f"the mean of {' and '.join(operand)}"
