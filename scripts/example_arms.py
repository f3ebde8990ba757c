"""The arms of the synthetic bundle: made-up windows, their records and their files."""

import io
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scripts import example_scores as scores
from scripts.example_images import ExampleImage
from scripts.example_panel import EXCLUDED_ROWS

FORMAT = "measurement-bundle/1"
PREFILL_ROW = 0

_DOMAINS = ("legal", "code")
_BYTES_PER_LOGIT = 4
_ALIGNMENT = 64
_EPOCH = (1980, 1, 1, 0, 0, 0)
_UNIX = 3
_MAGIC = b"\x93NUMPY\x01\x00"
_SCRAPE = """\
# HELP vllm:prefix_cache_hits_total Prefix cache hits, in terms of number of cached tokens.
# TYPE vllm:prefix_cache_hits_total counter
vllm:prefix_cache_hits_total{engine="0",model_name="synthetic"} 0.0
# HELP vllm:prompt_tokens_total Number of prefill tokens processed.
# TYPE vllm:prompt_tokens_total counter
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much is made up.

    Attributes:
        arms: names of the arms; the first keeps scrapes, the others counters.json.
        windows: windows of the panel; a single one has no intervals.
        rows: predicted rows per window, the first of which is excluded.
        vocabulary: logits per row.
        top_k: most probable tokens kept per row; 0 keeps only the arrays that figures need.
    """

    arms: Sequence[str] = ("alpha", "beta")
    windows: int = 8
    rows: int = 48
    vocabulary: int = 512
    top_k: int = 4

    @property
    def names(self) -> tuple[str, ...]:
        """Window ids in manifest order."""
        return tuple(f"w{number:02d}-{domain}" for number, domain in enumerate(self.domains, 1))

    @property
    def domains(self) -> tuple[str, ...]:
        """Domain of every window: the first half of the panel, then the second."""
        return tuple(_DOMAINS[2 * at // self.windows] for at in range(self.windows))


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """One window of one arm, with everything that was made up for it."""

    name: str
    domain: str
    tokens: bytes
    teacher: bytes
    raw: bytes
    score: bytes
    columns: scores.Columns

    @property
    def inputs(self) -> dict[str, str]:
        """The hashes that are the same in every arm."""
        return {"token_sha256": hex_digest(self.tokens), "teacher_sha256": hex_digest(self.teacher)}


def measured(seed: int, size: Size) -> dict[str, list[Window]]:
    """What was made up for every window, by arm."""
    arms: dict[str, list[Window]] = {arm: [] for arm in size.arms}
    for at, name in enumerate(size.names):
        taught = scores.teacher(seed, at, size.rows, size.vocabulary)
        inputs = scores.tokens(seed, at, taught)
        for number, windows in enumerate(arms.values()):
            learned = scores.student(seed, at, number, taught)
            arrays = scores.row_arrays(taught, learned, inputs, size.top_k)
            windows.append(
                Window(
                    name=name,
                    domain=size.domains[at],
                    tokens=npy(inputs),
                    teacher=taught.raw,
                    raw=learned.raw,
                    score=npz(arrays),
                    columns=scores.row_columns(arrays),
                )
            )
    return arms


def arm_files(
    arm: str, windows: Sequence[Window], size: Size, image: ExampleImage, *, scrapes: bool
) -> Iterator[tuple[str, bytes]]:
    """Every file of one arm by path."""
    folder = f"arms/{arm}"
    entries = []
    for window in windows:
        facts = {"raw": hex_digest(window.raw), "score": hex_digest(window.score)}
        yield f"{folder}/scores/{window.name}.npz", window.score
        receipt = _receipt(f"{folder}/scores/{window.name}.npz", window, size)
        yield f"{folder}/receipts/{window.name}.json", encoded(receipt)
        entries.append(_entry(folder, window, size, facts))
    yield f"{folder}/windows.json", encoded({"format": FORMAT, "arm": arm, "windows": entries})
    yield from _counters(folder, arm, windows, scrapes=scrapes)
    yield f"{folder}/launch.json", encoded(_launch(arm, image))
    yield f"{folder}/runtime.json", encoded(_runtime(arm, image))
    yield f"{folder}/startup.log", f"synthetic: server of arm {arm} is ready\n".encode()


def _entry(folder: str, window: Window, size: Size, facts: Mapping[str, str]) -> dict[str, Any]:
    return {
        "id": window.name,
        "predicted_rows": size.rows,
        "scored_rows": size.rows - 1,
        "excluded": [PREFILL_ROW],
        **scored_values(window.columns),
        "raw_sha256": facts["raw"],
        "raw_bytes": size.rows * size.vocabulary * _BYTES_PER_LOGIT,
        "score_sha256": facts["score"],
        "score_path": f"{folder}/scores/{window.name}.npz",
        **window.inputs,
        "receipt": f"{folder}/receipts/{window.name}.json",
    }


def scored_values(columns: scores.Columns) -> dict[str, Any]:
    """The fields of a window's entry that follow from its rows."""
    return {
        "values": scores.window_means(columns, EXCLUDED_ROWS),
        "including_prefill": scores.mean(columns["kld"]),
        "prefill": columns["kld"][PREFILL_ROW],
    }


def _receipt(path: str, window: Window, size: Size) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "window": window.name,
        "rows": size.rows,
        "excluded": [PREFILL_ROW],
        "raw": {"sha256": hex_digest(window.raw), "bytes": len(window.raw)},
        "score": {"path": path, "sha256": hex_digest(window.score)},
        **window.inputs,
        "scored_at": "2026-09-09T11:00:00Z",
        "retired": {"at": "2026-09-09T11:30:00Z", "reason": "scored; raw logits are not kept"},
    }


def _counters(
    folder: str, arm: str, windows: Sequence[Window], *, scrapes: bool
) -> Iterator[tuple[str, bytes]]:
    phases = [(window.name, phase) for window in windows for phase in ("before", "after")]
    if scrapes:
        for number, (window, phase) in enumerate(phases):
            rest = f'vllm:prompt_tokens_total{{engine="0",model_name="synthetic"}} {number}.0\n'
            yield f"{folder}/counters/{window}.{phase}.prom", (_SCRAPE + rest).encode()
        return
    series = {"labels": {"engine": "0", "model_name": "synthetic"}, "value": 0.0}
    readings = [{"window": window, "phase": phase, "series": [series]} for window, phase in phases]
    document = {
        "format": FORMAT,
        "arm": arm,
        "metric": "vllm:prefix_cache_hits_total",
        "readings": readings,
    }
    yield f"{folder}/counters.json", encoded(document)


def _launch(arm: str, image: ExampleImage) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "arm": arm,
        "image": image.reference,
        "command": ["serve", "--synthetic", arm],
        "environment": {"SYNTHETIC": "1"},
        "started_at": "2026-09-09T10:00:00Z",
    }


def _runtime(arm: str, image: ExampleImage) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "arm": arm,
        "image_id": image.config_digest,
        "sources": {"engine": revision("engine"), "model": revision("model")},
        "versions": {"engine": "0.0.0"},
        "recorded_at": "2026-09-09T10:01:00Z",
    }


def revision(name: str) -> str:
    """A made-up revision: 40 hex digits."""
    return hex_digest(name.encode())[:40]


def hex_digest(data: bytes) -> str:
    """SHA-256 in lower-case hex."""
    return sha256(data).hexdigest()


def encoded(document: Any) -> bytes:
    """A record file."""
    return (json.dumps(document, indent=1) + "\n").encode()


def npz(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """A score file with these arrays."""
    return archived({name: npy(array) for name, array in arrays.items()})


def archived(documents: Mapping[str, bytes]) -> bytes:
    """An archive of ``NAME.npy`` documents: stored, in the order given, with a fixed time.

    NumPy's own writer stamps the entries, and compressors differ between versions.
    """
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, document in documents.items():
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=_EPOCH)
            entry.create_system = _UNIX
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, document)
    return stream.getvalue()


def npy(array: NDArray[Any]) -> bytes:
    """One array as a NumPy file."""
    array = np.ascontiguousarray(array)
    return npy_document(array.dtype.str, array.shape, array.tobytes())


def npy_document(dtype: str, shape: tuple[int, ...], data: bytes) -> bytes:
    """A NumPy file, format version 1.0, from its parts."""
    fields = {"descr": dtype, "fortran_order": False, "shape": tuple(map(int, shape))}
    header = repr(fields).encode()
    padding = -(len(_MAGIC) + len(b"??") + len(header) + 1) % _ALIGNMENT
    header += b" " * padding + b"\n"
    return _MAGIC + len(header).to_bytes(2, "little") + header + data
