"""Arms of the published record family, from a comparison or from a single-arm record.

Both say the same things under other names: a single-arm record writes ``mean_kld`` for the mean
that includes the prefill row, ``one_token_prefill_kld`` for that row, ``scores_sha256`` and
``token_values_sha256`` for the hashes.
"""

from collections.abc import Mapping
from typing import Any

from verifier.jsontext import pointer
from verifier.model.bundle import Arm, Hash, Window, WindowScore
from verifier.model.measure import REFERENCE

# In this family row 0 is the one-token prefill and never counts; no record lists it, and only
# single-arm records say how many rows that are.
EXCLUDED = (0,)

_COMPARISON_KEYS = {
    "including_prefill": "including_prefill_mean_kld",
    "prefill": "prefill_row_kld",
    "score": "score_sha256",
    "token": "token_sha256",
}
_SINGLE_KEYS = {
    "excluded": "one_token_prefill_rows",
    "including_prefill": "mean_kld",
    "prefill": "one_token_prefill_kld",
    "score": "scores_sha256",
    "token": "token_values_sha256",
}


def comparison_arms(document: Mapping[str, Any], path: str) -> tuple[Arm, ...]:
    """The arms of a ``comparison.json`` that obeys its schema, in the record's order."""
    return tuple(
        Arm(
            id=name,
            name=name,
            location=f"{path}#{pointer('arms', name)}",
            windows=_windows(arm, f"{path}#{pointer('arms', name)}", _COMPARISON_KEYS),
        )
        for name, arm in document["arms"].items()
    )


def single_arm(document: Mapping[str, Any], path: str) -> Arm:
    """The arm of a single-arm record that obeys its schema."""
    names = {window.get("arm", "") for window in document["per_window"]}
    return Arm(
        id=single_arm_id(path),
        name=" / ".join(sorted(names)) or path,
        location=f"{path}#",
        windows=_windows(document, f"{path}#", _SINGLE_KEYS),
    )


def single_arm_id(path: str) -> str:
    """The id of a single-arm record's arm: its path, which no arm of a comparison can be called.

    ``reference:`` before a name means an arm of the reference bundle, also where a file is called
    so.
    """
    return f"./{path}" if path.startswith(REFERENCE) else path


def panel(arms: tuple[Arm, ...]) -> tuple[Window, ...]:
    """The panel of the family: the windows of its first arm."""
    return tuple(
        Window(
            id=window.window,
            location=window.location,
            groups=window.groups,
            token=window.token,
            teacher=window.teacher,
        )
        for arm in arms[:1]
        for window in arm.windows
    )


def _windows(
    arm: Mapping[str, Any], location: str, keys: Mapping[str, str]
) -> tuple[WindowScore, ...]:
    return tuple(
        _window(window, f"{location}{pointer('per_window', index)}", keys)
        for index, window in enumerate(arm["per_window"])
    )


def _window(window: Mapping[str, Any], location: str, keys: Mapping[str, str]) -> WindowScore:
    return WindowScore(
        window=window["window_id"],
        location=location,
        groups={"domain": window["domain"]} if "domain" in window else {},
        predicted_rows=int(window["prediction_rows"]),
        scored_rows=int(window["true_decode_rows"]),
        excluded=_excluded(window, keys),
        values={"kld": float(window["true_decode_mean_kld"])},
        including_prefill=_number(window, keys["including_prefill"]),
        prefill=_number(window, keys["prefill"]),
        raw=_hash(window, "raw_sha256", location),
        raw_bytes=int(window["raw_bytes"]) if "raw_bytes" in window else None,
        score=_hash(window, keys["score"], location),
        teacher=_hash(window, "teacher_sha256", location),
        token=_hash(window, keys["token"], location),
    )


def _excluded(window: Mapping[str, Any], keys: Mapping[str, str]) -> tuple[int, ...]:
    stated = keys.get("excluded", "")
    return tuple(range(int(window[stated]))) if stated in window else EXCLUDED


def _number(window: Mapping[str, Any], key: str) -> float | None:
    return float(window[key]) if key in window else None


def _hash(window: Mapping[str, Any], key: str, location: str) -> Hash | None:
    if key not in window:
        return None
    return Hash(value=window[key], location=f"{location}/{key}")
