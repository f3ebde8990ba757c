"""The arms: which configurations of the server are measured, and how often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from examples.tinylm.attention import SumOrder

if TYPE_CHECKING:
    from examples.tinylm.formats import Precision

_ONE_SPAN: Final = SumOrder()

TEACHER: Final = "teacher-f32"
FP8: Final = "kv-fp8-p1"
FP8_AGAIN: Final = "kv-fp8-p2"
NVFP4: Final = "kv-nvfp4-l1"
NVFP4_AGAIN: Final = "kv-nvfp4-l2"
RUNS: Final = (NVFP4, NVFP4_AGAIN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One arm.

    Attributes:
        name: Its name in every file.
        precision: In which the server stores keys and values.
        run: Which pass or launch of this configuration it is, from 1.
        repeats: The arm of which it is another run; None for the first.
        long_order: Order of attention's sums in requests of at least ``long_from`` tokens, as
            kernels split the sums of long requests over several workers; the others run in one
            span.
        long_from: Tokens, prompt and continuation, from which a request counts as long.
    """

    name: str
    precision: Precision
    run: int = 1
    repeats: str | None = None
    long_order: SumOrder = _ONE_SPAN
    long_from: int = 1024

    def order(self, tokens: int) -> SumOrder:
        """Order of the sums in a request of so many tokens."""
        return self.long_order if tokens >= self.long_from else _ONE_SPAN


ARMS: Final = (
    Arm(name=TEACHER, precision="float32"),
    Arm(name=FP8, precision="fp8-e4m3"),
    Arm(name=FP8_AGAIN, precision="fp8-e4m3", run=2, repeats=FP8),
    Arm(name=NVFP4, precision="nvfp4"),
    Arm(
        name=NVFP4_AGAIN,
        precision="nvfp4",
        run=2,
        repeats=NVFP4,
        long_order=SumOrder(splits=4, reverse=True),
    ),
)
