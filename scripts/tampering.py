"""What an attack on a bundle is, and the edits that attacks are made of."""

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scripts.example_arms import encoded, npz, scored_values
from scripts.example_figures import figures
from scripts.example_panel import Panel
from scripts.example_scores import row_columns
from tests.support.build import SMALL, Files, with_json

FIRST, SECOND = "w01-legal", "w02-code"
ALPHA, BETA = "alpha", "beta"

Change = Callable[[Files], Files]
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """One way to tamper with the small bundle.

    Attributes:
        check: the check whose business it is; it is among the failing ones.
        name: names the folder.
        description: what was done, in one sentence.
        change: the files after it; all but the seal, unless ``keeps_seal``.
        also: other checks that fail.
        message: a text that one failure holds.
        policy: under which it fails.
        keeps_seal: the change is made after sealing, or to the seal itself.
    """

    check: str
    name: str
    description: str
    change: Change
    message: str
    also: tuple[str, ...] = ()
    policy: str = "review"
    keeps_seal: bool = False

    @property
    def failing(self) -> list[str]:
        """Every check that fails, sorted."""
        return sorted({self.check, *self.also})


def edit(path: str, change: Callable[[Any], object]) -> Change:
    """Edit one record in place."""
    return lambda content: with_json(content, path, change)


def replace_text(path: str, old: str, new: str) -> Change:
    """Replace a text of one file, which must be there once at least."""

    def change(content: Files) -> Files:
        text = content[path].decode()
        if old not in text:
            message = f"{path} does not hold {old!r}"
            raise ValueError(message)
        return {**content, path: text.replace(old, new, 1).encode()}

    return change


def chain(*changes: Change) -> Change:
    """One change after the other."""

    def change(content: Files) -> Files:
        for step in changes:
            content = step(content)
        return content

    return change


def window(arm: str, index: int, **fields: Any) -> Change:
    """Change fields of one entry of an arm's window scores; None removes a field."""
    return edit(
        f"arms/{arm}/windows.json", lambda document: _update(document["windows"][index], fields)
    )


def receipt(arm: str, name: str, **fields: Any) -> Change:
    """Change fields of one receipt."""
    return edit(f"arms/{arm}/receipts/{name}.json", lambda document: _update(document, fields))


def figure(name: str, published: Callable[[Any], Any]) -> Change:
    """Publish another number."""
    return entry(name, lambda found: found.update(published=published(found["published"])))


def entry(name: str, change: Callable[[dict[str, Any]], object]) -> Change:
    """Change one entry of figures.json in place."""

    def changed(document: Any) -> None:
        change(next(found for found in document if found["id"] == name))

    return edit("figures.json", changed)


def without(*paths: str) -> Change:
    """Remove files."""
    return lambda content: {path: data for path, data in content.items() if path not in paths}


def copied(source: str, target: str) -> Change:
    """Replace a file by a copy of another."""
    return lambda content: {**content, target: content[source]}


def arrays(content: Mapping[str, bytes], arm: str, name: str) -> Arrays:
    """The arrays of one score file."""
    with np.load(io.BytesIO(content[score_path(arm, name)])) as loaded:
        return {key: loaded[key] for key in loaded.files}


def score_path(arm: str, name: str) -> str:
    """Where the score file of a window lies."""
    return f"arms/{arm}/scores/{name}.npz"


def column(arm: str, name: str, key: str, change: Callable[[NDArray[Any]], NDArray[Any]]) -> Change:
    """Change one array of a score file, with its hash redone wherever it is named."""

    def changed(content: Files) -> Files:
        held = arrays(content, arm, name)
        return rescored(content, arm, name, npz({**held, key: change(held[key])}))

    return changed


def rescored(content: Files, arm: str, name: str, data: bytes) -> Files:
    """Another score file, with its hash redone in the window scores and in the receipt."""
    digest = sha256(data).hexdigest()
    at = [entry["id"] for entry in json.loads(content[f"arms/{arm}/windows.json"])["windows"]]
    rehashed = chain(
        window(arm, at.index(name), score_sha256=digest),
        receipt(arm, name, score={"path": score_path(arm, name), "sha256": digest}),
    )
    return rehashed({**content, score_path(arm, name): data})


def panel_of(content: Mapping[str, bytes]) -> Panel:
    """What the figures of the small bundle speak of, from its score files."""
    return Panel(
        domains=SMALL.domains,
        arms={
            arm: [row_columns(arrays(content, arm, name)) for name in SMALL.names]
            for arm in SMALL.arms
        },
    )


def republished(change: Callable[[str, str, Arrays], Arrays]) -> Change:
    """Change row arrays by arm and window, and redo every number and hash that rests on them."""

    def changed(content: Files) -> Files:
        for arm in SMALL.arms:
            for at, name in enumerate(SMALL.names):
                held = change(arm, name, arrays(content, arm, name))
                scored = window(arm, at, **scored_values(row_columns(held)))
                content = rescored(scored(content), arm, name, npz(held))
        return {**content, "figures.json": encoded(figures(panel_of(content)))}

    return changed


def _update(entry: dict[str, Any], fields: Mapping[str, Any]) -> None:
    for name, value in fields.items():
        if value is None:
            entry.pop(name)
        else:
            entry[name] = value
