"""What the bundles built from public records share: tables in, files of our own format out.

A record holds one table of windows per arm (tab-separated, one row per window, manifest order) and
published.json. Every time in a bundle is a constant, so the same record gives the same bytes.
"""

import csv
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scripts.results_documents import results
from verifier import seal
from verifier.store.folder import open_store

FORMAT = "measurement-bundle/1"
CREATED = "2026-11-29T00:00:00Z"
RECIPE = "bca95"

_ARGUMENTS = (1, 2)

Row = Mapping[str, str]
Arms = Mapping[str, Sequence[Row]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How the tables of a record read, and what all of its windows have in common.

    Attributes:
        values: column of the table by column of the bundle; means over the scored rows.
        prefill: column of the table by name in windows.json: what it says of the prefill row.
        predicted_rows: captured rows per window.
        scored_rows: rows that count per window.
        excluded: rows that do not count.
        raw_bytes: size of the raw logits of a window, None when the tables do not name them.
    """

    values: Mapping[str, str]
    prefill: Mapping[str, str] = field(default_factory=dict)
    predicted_rows: int
    scored_rows: int
    excluded: Sequence[int]
    raw_bytes: int | None = None


def read_published(record: Path) -> Any:
    """The figures of the record as printed."""
    return json.loads((record / "published.json").read_text(encoding="utf-8"))


def read_arms(record: Path, names: Sequence[str]) -> dict[str, list[Row]]:
    """The windows of each arm in manifest order."""
    return {name: _rows(record / f"{name}.tsv") for name in names}


def _rows(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def protocol(
    layout: Layout, *, vocabulary: int, input_tokens: int, interval: Mapping[str, Any]
) -> dict[str, Any]:
    """The protocol of FP64 KL(teacher || student) over FP32 logits, with one BCa recipe."""
    return {
        "metric": {
            "name": "kld",
            "direction": "teacher||student",
            "unit": "nats",
            "dtype": "float64",
            "logits_dtype": "float32",
            "vocabulary": vocabulary,
        },
        "rows": {"predicted": layout.predicted_rows, "excluded": layout.excluded},
        "input_tokens": input_tokens,
        "aggregation": "equal-window",
        "intervals": {
            RECIPE: {
                "method": "bca",
                "level": interval["level"],
                "resamples": interval["resamples"],
                "seed": interval["seed"],
                "stream": "randomstate",
                "draw": "index-matrix",
                "quantile": "linear",
                "ties": "midrank",
                "order": "manifest",
            }
        },
    }


def panel(arms: Arms) -> list[dict[str, Any]]:
    """The windows of bundle.json; all arms ran over those of the first."""
    return [
        {
            "id": row["window_id"],
            "groups": {"domain": row["domain"]},
            "token_sha256": row["token_sha256"],
            "teacher_sha256": row["teacher_sha256"],
        }
        for row in next(iter(arms.values()))
    ]


def windows_path(arm: str) -> str:
    """Where the window scores of an arm lie."""
    return f"arms/{arm}/windows.json"


def _receipt_path(arm: str, row: Row) -> str:
    return f"arms/{arm}/receipts/{row['window_id']}.json"


def _windows(arm: str, rows: Sequence[Row], layout: Layout) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "arm": arm,
        "windows": [
            {
                "id": row["window_id"],
                "predicted_rows": layout.predicted_rows,
                "scored_rows": layout.scored_rows,
                "excluded": layout.excluded,
                "values": {name: float(row[column]) for name, column in layout.values.items()},
                **{name: float(row[column]) for name, column in layout.prefill.items()},
                **{f"raw_{key}": value for key, value in (_raw(row, layout) or {}).items()},
                "score_sha256": row["score_sha256"],
                "token_sha256": row["token_sha256"],
                "teacher_sha256": row["teacher_sha256"],
                "receipt": _receipt_path(arm, row),
            }
            for row in rows
        ],
    }


def _receipt(row: Row, layout: Layout) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "window": row["window_id"],
        "rows": layout.predicted_rows,
        "excluded": layout.excluded,
        "raw": _raw(row, layout),
        "score": {"path": None, "sha256": row["score_sha256"]},
        "token_sha256": row["token_sha256"],
        "teacher_sha256": row["teacher_sha256"],
        "scored_at": None,
        "retired": None,
    }


def _raw(row: Row, layout: Layout) -> dict[str, Any] | None:
    if layout.raw_bytes is None:
        return None
    return {"sha256": row["raw_sha256"], "bytes": layout.raw_bytes}


def write_bundle(output: Path, *, bundle: Any, figures: Any, arms: Arms, layout: Layout) -> None:
    """Write and seal a bundle, its page of results included, in a folder that does not exist yet.

    Args:
        output: the bundle.
        bundle: document of bundle.json; its id names the page.
        figures: document of figures.json.
        arms: windows by arm.
        layout: what the columns of the windows mean.

    Raises:
        FileExistsError: the output exists.
    """
    output.mkdir(parents=True)
    _write(output / "bundle.json", bundle)
    _write(output / "figures.json", figures)
    for name, rows in arms.items():
        _write(output / windows_path(name), _windows(name, rows, layout))
        for row in rows:
            _write(output / _receipt_path(name, row), _receipt(row, layout))
    for path, data in results(bundle["id"]).items():
        (output / path).write_bytes(data)
    members = open_store(output).members.values()
    (output / seal.PATH).write_bytes(seal.document(members, (), CREATED))


def _write(path: Path, document: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(document, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def run(
    arguments: Sequence[str], *, script: str, build: Callable[[Path, Path], None], output: Path
) -> int:
    """Build a bundle from the command line; its folder must not exist.

    Args:
        arguments: RECORD, and OUTPUT when it is not the usual one.
        script: name of the script, for its usage.
        build: makes the bundle of a record in a folder.
        output: the usual folder.

    Returns:
        The exit code: 0, 1 when the output exists, 2 for wrong arguments.
    """
    if len(arguments) not in _ARGUMENTS:
        print(f"usage: python -m scripts.{script} RECORD [OUTPUT]", file=sys.stderr)
        return 2
    record, target = Path(arguments[0]), Path(arguments[1]) if arguments[1:] else output
    if target.exists():
        print(f"{target} exists; remove it first", file=sys.stderr)
        return 1
    build(record, target)
    print(f"wrote {target}")
    return 0
