"""A valid family of published records in memory, and one change at a time.

Every figure is computed here with NumPy and SciPy, never with the code under test.
"""

import copy
import hashlib
import json
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from tests.support.memory import MemoryStore
from verifier import audit, catalog
from verifier import policy as policies
from verifier.formats.published_record import READER
from verifier.measures.evaluator import Evaluator
from verifier.model.bundle import Bundle
from verifier.model.plugin import Case
from verifier.model.policy import Policy
from verifier.model.report import PolicyIdentity, Report
from verifier.policy import REVIEW
from verifier.scores import StoreRows

SEED = 20260902
RESAMPLES = 20_000
ROWS = 2047
VOCABULARY = 1000
DOMAINS = ("axis1_general", "axis2_legal")
ARMS = ("nvfp4", "fp8")
SINGLE = "historical-fp8-audit.json"
SYSTEM = "tr3"

REMOVED: Final = object()
"""The new value of a place that is to vanish."""

Vector = NDArray[np.float64]
Document = dict[str, Any]


@cache
def family(
    seed: int = 1, *, windows: int = 8, cross: bool = False, constant: bool = False
) -> Mapping[str, bytes]:
    """Files of a sealed folder: comparison, audit, single-arm record, text and hash list.

    Args:
        seed: of the scores and hashes.
        windows: windows of each arm, in two domains by turns.
        cross: whether the comparison is also held against ``reference(seed)``.
        constant: whether all windows of an arm have one score, and intervals are null.
    """
    rng = np.random.default_rng(seed)
    order = [f"window-{number:04d}" for number in rng.permutation(windows)]
    scores = {arm: _scores(rng, windows, constant=constant) for arm in ARMS}
    comparison = _comparison(rng, order, scores)
    if cross:
        reference_file = reference(seed, windows=windows)["comparison.json"]
        comparison |= _cross_system(scores, json.loads(reference_file))
        comparison["reference_comparison_sha256"] = _sha256(reference_file)
    inputs = comparison["arms"][ARMS[0]]["per_window"]
    files = {
        "comparison.json": encoded(comparison),
        "audit.json": encoded(_audit(rng, comparison["receipt_audit"])),
        SINGLE: encoded(_single(rng, inputs, comparison, constant=constant)),
        "README.md": b"Synthetic records of a test.\n",
        "SHA256.json": b"{}",
    }
    return MappingProxyType(resealed(files))


@cache
def reference(seed: int = 1, *, windows: int = 8) -> Mapping[str, bytes]:
    """Another record of the same panel, as a single file without a seal."""
    own = json.loads(family(seed, windows=windows)["comparison.json"])
    order = [window["window_id"] for window in own["arms"][ARMS[0]]["per_window"]]
    rng = np.random.default_rng([seed, 1])
    comparison = _comparison(rng, order, {arm: _scores(rng, windows) for arm in ARMS})
    for name, arm in comparison["arms"].items():
        for window, same in zip(arm["per_window"], own["arms"][name]["per_window"], strict=True):
            window |= {key: same[key] for key in ("teacher_sha256", "token_sha256")}
    return MappingProxyType({"comparison.json": encoded(comparison)})


def changed(files: Mapping[str, bytes], place: str, value: Any) -> dict[str, bytes]:
    """The files with another value at one place, the hash list as it was.

    Args:
        files: what to start from.
        place: ``file#/json/pointer``.
        value: the new value, ``REMOVED``, or a function from the old value to the new one.
    """
    path, _, pointer = place.partition("#")
    document = json.loads(files[path])
    holder: Any = {"": document}
    keys = ["", *(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])]
    for key in keys[:-1]:
        holder = holder[_key(holder, key)]
    last = _key(holder, keys[-1])
    if value is REMOVED:
        del holder[last]
    elif callable(value):
        holder[last] = value(copy.deepcopy(holder[last]))
    elif isinstance(holder, list) or last in holder:
        holder[last] = value
    else:
        holder |= {last: value}
    whole = holder[""] if len(keys) == 1 else document
    return {**files, path: encoded(whole)}


def resealed(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files with the hash list made anew over what is there now."""
    hashes = {path: _sha256(data) for path, data in sorted(files.items()) if path != "SHA256.json"}
    return {**files, "SHA256.json": encoded(hashes)}


def at(files: Mapping[str, bytes], place: str) -> Any:
    """The value at one place."""
    path, _, pointer = place.partition("#")
    value = json.loads(files[path])
    for part in pointer.split("/")[1:]:
        value = value[_key(value, part.replace("~1", "/").replace("~0", "~"))]
    return value


def encoded(document: Any) -> bytes:
    """A JSON file with full-precision numbers."""
    return json.dumps(document, indent=1).encode()


def read(files: Mapping[str, bytes]) -> Bundle:
    """The bundle that the reader makes of the files."""
    return READER.read(MemoryStore(files), catalog.SCHEMAS)


def report(
    files: Mapping[str, bytes],
    *,
    policy: Policy = REVIEW,
    reference: Mapping[str, bytes] | None = None,
) -> Report:
    """The report of a whole audit by every check, without the pipeline."""
    bundle, other = read(files), read(reference) if reference is not None else None
    rows = StoreRows(MemoryStore(files))
    measures = Evaluator(
        bundle=bundle,
        rows=rows,
        statistics=catalog.statistics(),
        reference=other,
        reference_rows=StoreRows(MemoryStore(reference)) if reference is not None else None,
    )
    identity = PolicyIdentity(
        name=policy.name, sha256=policies.digest(policy), allowed_missing=policy.allowed_missing
    )
    return audit.run(
        Case(bundle=bundle, policy=policy, rows=rows, measures=measures, reference=other),
        catalog.checks(),
        policy=identity,
        verifier=catalog.identity(),
    )


def failing(found: Report) -> set[str]:
    """Ids of the checks that failed or crashed."""
    return {item.check for item in found.outcomes if item.status in ("FAILED", "ERROR")}


def bca(values: Vector, generator: int | np.random.Generator = SEED) -> list[float | None]:
    """End points by SciPy: a seed is legacy RandomState, a Generator is itself; null if constant.

    The published family's estimator: BCa, 95 %, 20,000 resamples of the mean.
    """
    if values.max() == values.min():
        return [None, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        result = stats.bootstrap(
            (values,),
            np.mean,
            method="BCa",
            n_resamples=RESAMPLES,
            random_state=generator,
        )
    return [float(result.confidence_interval.low), float(result.confidence_interval.high)]


def _scores(rng: np.random.Generator, windows: int, *, constant: bool = False) -> Vector:
    return np.full(windows, 0.03125) if constant else rng.lognormal(-3.5, 0.4, windows)


def _comparison(
    rng: np.random.Generator, order: Sequence[str], scores: Mapping[str, Vector]
) -> Document:
    inputs = {window: (_hash(rng), _hash(rng)) for window in order}
    difference = scores["fp8"] - scores["nvfp4"]
    capture, parent = _oci(rng), _oci(rng)
    return {
        "schema": "synthetic.kv-cf8.v1",
        "arms": {name: _arm(rng, order, inputs, values) for name, values in scores.items()},
        "fp8_minus_nvfp4": float(np.mean(difference)),
        "paired_window_bca95": bca(difference),
        "fp8_lower_windows": int(np.sum(scores["fp8"] < scores["nvfp4"])),
        "true_decode_rows_per_window": ROWS - 1,
        "windows": len(order),
        "historical_dcp1_context_only": 0.0341,
        "receipt_audit": [_audited(rng, name, len(order)) for name in scores],
        "public_base_image": f"example/serving@{_oci(rng)}",
        "capture_image_local_id": capture,
        "capture_source": {
            "image_id": capture,
            "base_image_id": _oci(rng),
            "hook_files": {"capture/hook.py": _hash(rng)},
            "capture_parent_image_id": parent,
            "compiler_cache_only_delta": {
                "image_id": capture,
                "parent_capture_image_id": parent,
                "files": {"Dockerfile": _hash(rng)},
            },
        },
        "plan_seal": {"algorithm": "sha256", "plan_sha256": _hash(rng)},
        "metric_sha256": _hash(rng),
        "role_manifest_sha256": _hash(rng),
        "teacher_revision": _hash(rng)[:40],
    }


def _arm(
    rng: np.random.Generator,
    order: Sequence[str],
    inputs: Mapping[str, tuple[str, str]],
    values: Vector,
) -> Document:
    prefill = rng.uniform(0.5, 5.0, len(order))
    domains = np.array([DOMAINS[index % len(DOMAINS)] for index in range(len(order))])
    return {
        "mean_true_decode_kld": float(np.mean(values)),
        "window_bca95": bca(values),
        "per_window": [
            {
                "window_id": window,
                "domain": str(domains[index]),
                "prediction_rows": ROWS,
                "true_decode_rows": ROWS - 1,
                "true_decode_mean_kld": float(values[index]),
                "including_prefill_mean_kld": float(
                    ((ROWS - 1) * values[index] + prefill[index]) / ROWS
                ),
                "prefill_row_kld": float(prefill[index]),
                "raw_sha256": _hash(rng),
                "score_sha256": _hash(rng),
                "teacher_sha256": inputs[window][0],
                "token_sha256": inputs[window][1],
                "raw_bytes": ROWS * VOCABULARY * 4,
            }
            for index, window in enumerate(order)
        ],
        "domains": {name: float(np.mean(values[domains == name])) for name in DOMAINS},
        "correctness_profile_engine_capacity_tokens": [30760869],
    }


def _audited(rng: np.random.Generator, name: str, windows: int) -> Document:
    return {
        "arm": name,
        "windows": windows,
        "prediction_rows": windows * ROWS,
        "true_decode_rows": windows * (ROWS - 1),
        "all_receipt_hashes_and_masks_pass": True,
        "all_prefix_hit_counters_zero": True,
        "raw_logits_retired_after_scoring": True,
        "source_runtime_audit_sha256": _hash(rng),
        "source_startup_sha256": _hash(rng),
    }


def _audit(rng: np.random.Generator, arms: Sequence[Document]) -> Document:
    return {"status": "passed", "arms": arms, "verifier_sha256": _hash(rng)}


def _single(
    rng: np.random.Generator,
    inputs: Sequence[Document],
    comparison: Document,
    *,
    constant: bool,
) -> Document:
    values = _scores(rng, len(inputs), constant=constant)
    prefill = rng.uniform(0.5, 5.0, len(inputs))
    return {
        "status": "passed",
        "source_analysis_sha256": _hash(rng),
        "conditions": {"image_id": _oci(rng), "bpw": 4.65},
        "tp": 4,
        "mtp": False,
        "windows": len(inputs),
        "same_current_windows_and_order": True,
        "same_input_and_token_hashes": True,
        "role_manifest_sha256": comparison["role_manifest_sha256"],
        "mean_true_decode_kld": float(np.mean(values)),
        "window_bca95": bca(values, np.random.default_rng(SEED)),
        "bootstrap_rng": f"NumPy default_rng({SEED}),{RESAMPLES}resamples",
        "true_decode_rows_per_window": ROWS - 1,
        "per_window": [
            {
                "arm": "coupled_full",
                "window_id": window["window_id"],
                "domain": window["domain"],
                "prediction_rows": ROWS,
                "true_decode_rows": ROWS - 1,
                "true_decode_mean_kld": float(values[index]),
                "mean_kld": float(((ROWS - 1) * values[index] + prefill[index]) / ROWS),
                "one_token_prefill_kld": float(prefill[index]),
                "one_token_prefill_rows": 1,
                "raw_bytes": ROWS * VOCABULARY * 4,
                "raw_sha256": _hash(rng),
                "scores_sha256": _hash(rng),
                "token_values_sha256": window["token_sha256"],
                "input_sha256": _hash(rng),
            }
            for index, window in enumerate(inputs)
        ],
    }


def _cross_system(scores: Mapping[str, Vector], other: Document) -> Document:
    systems: Document = {}
    for name, own in scores.items():
        theirs = np.array([w["true_decode_mean_kld"] for w in other["arms"][name]["per_window"]])
        systems[name] = {
            f"{SYSTEM}_minus_reference": float(np.mean(own - theirs)),
            "paired_window_bca95": bca(own - theirs),
            f"{SYSTEM}_lower_windows": int(np.sum(own < theirs)),
            "reference_mean": float(np.mean(theirs)),
            f"{SYSTEM}_mean": float(np.mean(own)),
        }
    return {"cross_system_comparison": systems}


def _key(holder: Any, part: str) -> Any:
    return int(part) if isinstance(holder, list) else part


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _hash(rng: np.random.Generator) -> str:
    return rng.bytes(32).hex()


def _oci(rng: np.random.Generator) -> str:
    return f"sha256:{_hash(rng)}"
