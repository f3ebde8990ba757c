"""Attacks on the form of records and on the seal."""

import json
from typing import Any

from scripts.tampering import ALPHA, Attack, Change, chain, edit, replace_text, without
from tests.support.build import Files, as_json, flipped
from verifier import seal

_LOG = "arms/alpha/startup.log"
_WINDOWS = "arms/alpha/windows.json"


def _first_value(text: str) -> Change:
    """Replace the first window's KL divergence by other text."""

    def change(content: Files) -> Files:
        value = json.loads(content[_WINDOWS])["windows"][0]["values"]["kld"]
        return replace_text(_WINDOWS, f'"kld": {value!r}', f'"kld": {text}')(content)

    return change


def _appended(path: str, data: bytes) -> Change:
    return lambda content: {**content, path: content[path] + data}


def _in_seal(old: str, new: str) -> Change:
    """Rename a file in the seal and make the root fit again."""

    def change(content: Files) -> Files:
        document = json.loads(content[seal.PATH])
        for entry in document["files"]:
            if entry["path"] == old:
                entry["path"] = new
        return {**content, seal.PATH: as_json(_rooted(document))}

    return change


def _rooted(document: Any) -> Any:
    return {**document, "root": seal.root(document["files"], document["retired"])}


def _size_recorded(path: str, size: int) -> Change:
    def change(content: Files) -> Files:
        document = json.loads(content[seal.PATH])
        next(entry for entry in document["files"] if entry["path"] == path)["size"] = size
        return {**content, seal.PATH: as_json(_rooted(document))}

    return change


def _root_of_before(document: Any) -> None:
    document["files"].pop()


ATTACKS = (
    Attack(
        check="sealed-members",
        name="one-bit-flipped",
        description="One bit of a retained log was flipped after sealing.",
        change=lambda content: flipped(content, _LOG, 3),
        message="The SHA-256 differs",
        keeps_seal=True,
    ),
    Attack(
        check="sealed-members",
        name="file-removed",
        description="A log that the seal lists was removed.",
        change=without(_LOG),
        message="the bundle does not hold it",
        keeps_seal=True,
    ),
    Attack(
        check="sealed-members",
        name="file-added",
        description="A file was added after sealing.",
        change=lambda content: {**content, "notes.txt": b"added later\n"},
        message="The seal does not list this",
        keeps_seal=True,
    ),
    Attack(
        check="sealed-members",
        name="wrong-size",
        description="The seal records another size of a file, and its root was redone.",
        change=_size_recorded(_LOG, 1),
        message="another size in bytes",
        keeps_seal=True,
    ),
    Attack(
        check="sealed-members",
        name="entry-removed-from-seal",
        description="A file was removed together with its entry in the seal; the root was not.",
        change=chain(edit(seal.PATH, _root_of_before), without("sources/scorer/scores.txt")),
        message="The root does not cover this list",
        keeps_seal=True,
    ),
    Attack(
        check="record-schema",
        name="absolute-name-in-seal",
        description="The seal names a file by an absolute path.",
        change=_in_seal(_LOG, "/etc/hostname"),
        message="a relative POSIX path",
        keeps_seal=True,
    ),
    Attack(
        check="record-schema",
        name="parent-name-in-seal",
        description="The seal names a file outside the folder through '..'.",
        change=_in_seal(_LOG, "arms/../../outside.log"),
        message="a relative POSIX path",
        keeps_seal=True,
    ),
    Attack(
        check="record-schema",
        name="nan",
        description="A window score is NaN.",
        change=_first_value("NaN"),
        message="NaN is not a JSON number",
    ),
    Attack(
        check="record-schema",
        name="infinity",
        description="A window score is -Infinity.",
        change=_first_value("-Infinity"),
        message="-Infinity is not a JSON number",
    ),
    Attack(
        check="record-schema",
        name="number-too-large",
        description="A window score is 1e400, which no FP64 number can hold.",
        change=_first_value("1e400"),
        message="1e400 overflows a double",
    ),
    Attack(
        check="record-schema",
        name="decimal-too-large",
        description="A figure is published as the decimal text 1e400.",
        change=edit("figures.json", lambda document: document[3].update(published="1e400")),
        message="1e400",
    ),
    Attack(
        check="record-schema",
        name="duplicate-key",
        description="A window has two KL divergences, so two readers see two records.",
        change=_first_value('0.001, "kld": 0.002'),
        message="duplicate key 'kld'",
    ),
    Attack(
        check="record-schema",
        name="trailing-bytes",
        description="Text follows the end of a record.",
        change=_appended("figures.json", b"[]\n"),
        message="text after the end of the document",
    ),
    Attack(
        check="record-schema",
        name="hundred-levels",
        description="A record is nested a hundred levels deep.",
        change=lambda content: {**content, f"arms/{ALPHA}/launch.json": b"[" * 100 + b"]" * 100},
        message="nested deeper than 64 levels",
    ),
    Attack(
        check="record-schema",
        name="no-arms",
        description="The bundle lists no arm at all.",
        change=edit("bundle.json", lambda document: document.update(arms=[])),
        message="minItems 1",
    ),
    Attack(
        check="record-schema",
        name="no-windows-in-an-arm",
        description="An arm lists no window at all.",
        change=edit(_WINDOWS, lambda document: document.update(windows=[])),
        message="minItems 1",
    ),
    Attack(
        check="record-schema",
        name="no-figures",
        description="Nothing is published, so nothing could be contradicted.",
        change=lambda content: {**content, "figures.json": b"[]\n"},
        message="minItems 1",
    ),
    Attack(
        check="record-schema",
        name="unknown-field",
        description="A record of our own format holds a field that nobody knows.",
        change=edit(_WINDOWS, lambda document: document.update(verified=True)),
        message="the schema is closed",
    ),
    Attack(
        check="record-schema",
        name="window-twice",
        description="An arm lists one window twice.",
        change=edit(_WINDOWS, lambda document: document["windows"].append(document["windows"][0])),
        message="Two entries of one name cannot be told apart",
    ),
)
