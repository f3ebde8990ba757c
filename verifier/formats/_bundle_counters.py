"""Readings of the prefix-cache hit counter: scrapes in Prometheus text, or one JSON file."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from verifier.errors import StoreError
from verifier.formats._bundle_windows import other_arm
from verifier.formats._records import Loaded, load, short, violation, with_violations
from verifier.jsontext import pointer
from verifier.model.bundle import CounterReading, CounterSeries, Record, Violation
from verifier.model.files import Store
from verifier.model.plugin import Schemas

METRIC = "vllm:prefix_cache_hits_total"

_SCRAPE = re.compile(r"(?P<window>[^/]+)\.(?P<phase>before|after)\.prom")
_LARGEST_SCRAPE = 4 * 1024 * 1024
# The parser takes quadratic time in the length of a line.
_LONGEST_LINE = 16 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadCounters:
    """Counter readings and the record they stand in, if that is a JSON file."""

    readings: tuple[CounterReading, ...]
    records: tuple[Record, ...] = ()


def read_counters(store: Store, path: str, arm: str, schemas: Schemas) -> ReadCounters:
    """All readings of one arm.

    Args:
        store: where the files lie.
        path: a folder of ``<window>.before.prom`` and ``<window>.after.prom``, or a JSON file.
        arm: the arm that the readings must speak of.
        schemas: where schemas come from.
    """
    if path not in store.paths:
        return ReadCounters(readings=tuple(_scrapes(store, f"{path}/")))
    loaded = load(store, path, "counters-1", schemas, published=False)
    if loaded.document is None:
        return ReadCounters(readings=(), records=(loaded.record,))
    record = with_violations(loaded.record, _broken(loaded, arm))
    return ReadCounters(readings=tuple(_from_json(loaded.document, path)), records=(record,))


def _scrapes(store: Store, folder: str) -> Iterator[CounterReading]:
    for path in sorted(store.paths):
        match = _SCRAPE.fullmatch(path.removeprefix(folder)) if path.startswith(folder) else None
        if match is None:
            continue
        phase: Literal["before", "after"] = "before" if match["phase"] == "before" else "after"
        try:
            series, problem = _parsed(store.read(path)), ""
        except (StoreError, ValueError) as error:
            series, problem = (), str(error)
        yield CounterReading(
            location=path, window=match["window"], phase=phase, series=series, problem=problem
        )


def _parsed(data: bytes) -> tuple[CounterSeries, ...]:
    """The series of the metric in one scrape.

    Raises:
        ValueError: the text is no Prometheus exposition.
    """
    if len(data) > _LARGEST_SCRAPE:
        message = f"{len(data)} bytes are no scrape; at most {_LARGEST_SCRAPE} are read"
        raise ValueError(message)
    from prometheus_client.parser import (  # noqa: PLC0415 - paid only when a scrape is retained
        text_string_to_metric_families,
    )

    text = data.decode("utf-8")
    if max(map(len, text.split("\n"))) > _LONGEST_LINE:
        message = f"a line of more than {_LONGEST_LINE} characters"
        raise ValueError(message)
    try:
        # A family drops the suffix _total of its samples, so samples are matched, not families.
        return tuple(
            CounterSeries(labels=tuple(sorted(sample.labels.items())), value=sample.value)
            for family in text_string_to_metric_families(text)
            for sample in family.samples
            if sample.name == METRIC
        )
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        # The parser indexes into what it expects; hostile text makes it fail in all these ways.
        message = f"no Prometheus text: {short(str(error))}"
        raise ValueError(message) from error


def _from_json(document: Any, path: str) -> Iterator[CounterReading]:
    for index, reading in enumerate(document["readings"]):
        yield CounterReading(
            location=f"{path}#{pointer('readings', index)}",
            window=reading["window"],
            phase=reading["phase"],
            series=tuple(
                CounterSeries(
                    labels=tuple(sorted(series["labels"].items())), value=float(series["value"])
                )
                for series in reading["series"]
            ),
        )


def _broken(loaded: Loaded, arm: str) -> Iterator[Violation]:
    path, document = loaded.record.path, loaded.document
    if document["arm"] != arm:
        yield other_arm(path, document["arm"], arm)
    seen: set[tuple[str, str]] = set()
    for index, reading in enumerate(document["readings"]):
        key = (reading["window"], reading["phase"])
        if key in seen:
            yield violation(
                path,
                pointer("readings", index),
                expected="one reading per window and phase",
                actual=" ".join(key),
                message="Keep the reading that was taken right before or after the window.",
            )
        seen.add(key)
