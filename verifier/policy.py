"""Built-in policies, and policies read from a file the user names.

Three built-ins form a ladder. ``review`` accepts that something could not be verified and names
it; ``publication`` also demands a seal; ``strict`` tolerates nothing that was not verified.
docs/adr/0004-policies.md says why.
"""

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, replace
from types import MappingProxyType
from typing import Any

from verifier import jsontext
from verifier.errors import JsonError, PolicyError
from verifier.model.basis import Level
from verifier.model.comparison import Concern
from verifier.model.policy import IntervalRules, Policy, Reaction, Tolerance
from verifier.model.recipe import METHODS, STREAMS

_TOLERANCE = Tolerance(
    mean_relative=1e-12,
    mean_ulp=4,
    interval_standard_errors=1e-9,
    interval_relative=1e-12,
)

_INTERVALS = IntervalRules(
    methods=METHODS,
    streams=STREAMS,
    min_resamples=9_999,
    min_level=0.9,
    seeds=(20260902,),
    resamples=(20_000,),
    level=0.95,
)

_WARN_ALL: Mapping[Concern, Reaction] = MappingProxyType(
    {
        "missing-member": "fail",
        "no-seal": "warn",
        "declared-only": "warn",
        "not-recomputable": "warn",
        "unknown-field": "warn",
        "reference-identity": "warn",
        "no-evidence": "warn",
    }
)

REVIEW = Policy(
    name="review",
    required_checks=("record-schema", "published-aggregates"),
    not_applicable="warn",
    reactions=_WARN_ALL,
    required_evidence=Level.WINDOW_SCORES,
    expected_evidence=Level.ROW_SCORES,
    intervals=_INTERVALS,
    tolerance=_TOLERANCE,
)

PUBLICATION = replace(
    REVIEW,
    name="publication",
    required_checks=(
        "published-aggregates",
        "receipt-hashes",
        "record-schema",
        "sealed-members",
        "window-alignment",
    ),
    reactions=MappingProxyType({**_WARN_ALL, "no-seal": "fail", "unknown-field": "fail"}),
)

STRICT = replace(
    PUBLICATION,
    name="strict",
    not_applicable="fail",
    reactions=MappingProxyType(dict.fromkeys(_WARN_ALL, "fail")),
    required_evidence=Level.ROW_SCORES,
)

BUILT_IN: Mapping[str, Policy] = MappingProxyType(
    {policy.name: policy for policy in (REVIEW, PUBLICATION, STRICT)}
)


def as_document(policy: Policy) -> dict[str, Any]:
    """The policy as plain JSON, in the form that a policy file has."""
    document = asdict(replace(policy, reactions={}))
    document["reactions"] = dict(policy.reactions)
    document["required_evidence"] = policy.required_evidence.label
    document["expected_evidence"] = policy.expected_evidence.label
    return {key: _lists(value) for key, value in document.items()}


def digest(policy: Policy) -> str:
    """SHA-256 (hex) of the policy's RFC 8785 form, allowances included."""
    return hashlib.sha256(jsontext.canonical(as_document(policy))).hexdigest()


def parse(data: bytes, *, name: str, schema: Mapping[str, Any]) -> Policy:
    """Read a policy file: TOML when its name ends in ``.toml``, strict JSON otherwise.

    A file states ``base`` (a built-in name) and only what differs from it.

    Raises:
        PolicyError: the file is malformed, breaks the schema or names an unknown base.
    """
    import jsonschema  # noqa: PLC0415 - slow to import, and built-in policies need none

    document = _decode(data, name)
    errors = sorted(
        jsonschema.Draft202012Validator(schema).iter_errors(document), key=lambda e: e.json_path
    )
    if errors:
        first = errors[0]
        message = f"policy {name}: {first.json_path}: {first.message}"
        raise PolicyError(message, hint="`verifier schemas policy-1` prints the schema.")
    return _overlay(BUILT_IN[document.get("base", "review")], document, name)


def _decode(data: bytes, name: str) -> Any:
    try:
        if name.endswith(".toml"):
            return tomllib.loads(data.decode("utf-8"))
        return _plain(jsontext.decode(data, name=name))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, JsonError, RecursionError) as error:
        message = f"policy {name} cannot be read: {error}"
        raise PolicyError(message, hint="A policy is TOML (*.toml) or strict JSON.") from error


def _overlay(base: Policy, document: Mapping[str, Any], name: str) -> Policy:
    plain = {key: document[key] for key in ("name", "not_applicable") if key in document}
    lists = {
        key: tuple(document[key])
        for key in ("required_checks", "images", "allowed_missing")
        if key in document
    }
    levels = {
        key: Level.from_label(document[key])
        for key in ("required_evidence", "expected_evidence")
        if key in document
    }
    intervals: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in document.get("intervals", {}).items()
    }
    changes: dict[str, Any] = {"name": name, **plain, **lists, **levels}
    if changes["name"] in BUILT_IN:
        message = f"policy {name}: $.name: {changes['name']!r} is the name of a built-in policy"
        raise PolicyError(message, hint="Give it its own name: a report names its policy.")
    rules = replace(base.intervals, **intervals)
    if rules.level < rules.min_level:
        message = (
            f"policy {name}: $.intervals: intervals are tried at level {rules.level:g}, below the "
            f"min_level {rules.min_level:g}"
        )
        raise PolicyError(message, hint="Set level too: records that declare no recipe are tried.")
    return replace(
        base,
        reactions=MappingProxyType({**base.reactions, **document.get("reactions", {})}),
        tolerance=replace(base.tolerance, **document.get("tolerance", {})),
        intervals=rules,
        **changes,
    )


def _plain(value: Any) -> Any:
    """JSON numbers without their digits; a whole one is an int, as JSON Schema has it."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return int(value) if value.is_integer() else float(value)
    return value


def _lists(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _lists(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_lists(item) for item in value]
    return value
