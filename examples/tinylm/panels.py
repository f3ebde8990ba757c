"""The windows that are measured: what is read as the prompt, and which bytes are then forced.

Three panels, each in the domains prose and code, of text that training never saw:

- ``natural``: a passage and the bytes that really follow, after prompts of four lengths;
- ``generated``: a short natural prompt and what the teacher itself continues it with, greedily;
- ``long``: windows whose last 4,096 rows are scored. Three of them are prefixes of one stream of
  Python source that says much twice (IPv4 and IPv6); the fourth is prose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from examples.tinylm import corpus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

Domain = Literal["prose", "code"]

PROMPTS: Final = (128, 384, 768, 1536)
"""Prompt lengths of natural windows: one for each bucket of history that is published."""

GENERATED_PROMPT: Final = 64
LONG_SCORED: Final = 4096
STREAM_CONTEXTS: Final = (5 * 1024, 7 * 1024, 9 * 1024)
PROSE_CONTEXT: Final = 6 * 1024
_STREAM: Final = ("ipaddress", 41472)
_NATURAL_CODE: Final = ("statistics", "heapq", "trace", "profile", "textwrap", "fractions")
_GENERATED_CODE: Final = ("queue", "shlex", "filecmp", "codeop", "mimetypes", "unittest.mock")
_PROSE_STEP: Final = 2100
_CODE_START: Final = 3000


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """One window.

    Attributes:
        id: Its name in every file.
        panel: ``natural``, ``generated`` or ``long``.
        domain: ``prose`` or ``code``.
        prompt: Bytes that are prefilled.
        continuation: Bytes that are forced, one row each; the first row comes from prefill.
    """

    id: str
    panel: Literal["natural", "generated", "long"]
    domain: Domain
    prompt: bytes
    continuation: bytes

    @property
    def tokens(self) -> bytes:
        """The whole stream; row i scores the byte at ``len(prompt) + i``."""
        return self.prompt + self.continuation

    @property
    def groups(self) -> dict[str, str]:
        """What the bundle groups windows by."""
        return {"panel": self.panel, "domain": self.domain}


def natural(texts: Mapping[str, bytes], rows: int) -> Iterator[Window]:
    """Twelve windows: six passages of prose, and one of each of six source files.

    Args:
        texts: Held-out texts, as ``corpus.held_out_texts`` gives them.
        rows: Bytes to force in each.
    """
    for place in range(len(_NATURAL_CODE)):
        yield _natural(f"n{place + 1:02d}-prose", texts["prose"], place, rows, _PROSE_STEP * place)
    for place, module in enumerate(_NATURAL_CODE):
        yield _natural(f"n{place + 7:02d}-code", texts[module], place + 6, rows, _CODE_START)


def _natural(name: str, text: bytes, place: int, rows: int, start: int) -> Window:
    cut = start + PROMPTS[place % len(PROMPTS)]
    return Window(
        id=name,
        panel="natural",
        domain="prose" if name.endswith("prose") else "code",
        prompt=text[start:cut],
        continuation=_exactly(text[cut : cut + rows], rows, name),
    )


def generated(
    texts: Mapping[str, bytes], rows: int, greedy: Callable[[bytes, int], bytes]
) -> Iterator[Window]:
    """Twelve windows that the teacher wrote after short natural prompts.

    Args:
        texts: Held-out texts.
        rows: Bytes to generate, and later to force, in each.
        greedy: Prompt and count to the teacher's greedy continuation.
    """
    prompts: list[tuple[str, Domain, bytes]] = []
    for place in range(len(_GENERATED_CODE)):
        start = 15000 + _PROSE_STEP * place
        passage = texts["prose"][start : start + GENERATED_PROMPT]
        prompts.append((f"g{place + 1:02d}-prose", "prose", passage))
    for place, module in enumerate(_GENERATED_CODE):
        passage = texts[module][_CODE_START : _CODE_START + GENERATED_PROMPT]
        prompts.append((f"g{place + 7:02d}-code", "code", passage))
    for name, domain, prompt in prompts:
        yield Window(
            id=name,
            panel="generated",
            domain=domain,
            prompt=prompt,
            continuation=greedy(prompt, rows),
        )


def long(texts: Mapping[str, bytes], scored: int = LONG_SCORED) -> Iterator[Window]:
    """Three prefixes of one stream of source code, and one passage of prose.

    Args:
        texts: Held-out texts.
        scored: Rows after the prefill row.
    """
    module, start = _STREAM
    for context in STREAM_CONTEXTS:
        yield _long(f"stream-{context // 1024:03d}k-code", texts[module][start:], context, scored)
    yield _long(
        f"passage-{PROSE_CONTEXT // 1024:03d}k-prose", texts["prose"], PROSE_CONTEXT, scored
    )


def _long(name: str, text: bytes, context: int, scored: int) -> Window:
    cut = context - scored - 1
    return Window(
        id=name,
        panel="long",
        domain="prose" if name.endswith("prose") else "code",
        prompt=text[:cut],
        continuation=_exactly(text[cut:context], scored + 1, name),
    )


def _exactly(found: bytes, wanted: int, name: str) -> bytes:
    if len(found) != wanted:
        message = f"{name}: the text has {len(found)} bytes where {wanted} are needed"
        raise ValueError(message)
    return found


def all_windows(rows: int, greedy: Callable[[bytes, int], bytes]) -> tuple[Window, ...]:
    """The whole panel in manifest order.

    Args:
        rows: Rows of natural and generated windows, the prefill row included.
        greedy: The teacher's greedy continuation.

    Raises:
        ValueError: If this Python's texts are too short.
    """
    texts = corpus.held_out_texts()
    return (*natural(texts, rows), *generated(texts, rows, greedy), *long(texts))
