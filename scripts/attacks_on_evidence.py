"""Attacks on what was kept: masks, windows, counters, images, sources, row arrays."""

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scripts.example_arms import archived, hex_digest, npy, npy_document
from scripts.tampering import (
    ALPHA,
    BETA,
    FIRST,
    SECOND,
    Attack,
    Change,
    arrays,
    chain,
    column,
    copied,
    edit,
    receipt,
    replace_text,
    rescored,
    score_path,
    window,
    without,
)
from tests.support.build import Files

_SCRAPE = f"arms/{ALPHA}/counters/{FIRST}.after.prom"
_SERIES = 'vllm:prefix_cache_hits_total{engine="0",model_name="synthetic"}'
_RUNTIME = f"arms/{BETA}/runtime.json"


def _swapped(document: Any) -> None:
    document["windows"].reverse()


def _dropped(content: Files) -> Files:
    """Remove one window of one arm from its records, and its files."""
    return chain(
        edit(f"arms/{BETA}/windows.json", lambda document: document["windows"].pop()),
        edit(
            f"arms/{BETA}/counters.json",
            lambda document: document.update(readings=document["readings"][:2]),
        ),
        without(score_path(BETA, SECOND), f"arms/{BETA}/receipts/{SECOND}.json"),
    )(content)


def _without_rows(content: Files) -> Files:
    """Drop one arm's row arrays and every mention of them."""
    steps: list[Change] = []
    for at, name in enumerate((FIRST, SECOND)):
        digest = hex_digest(content[score_path(BETA, name)])
        steps += [
            window(BETA, at, score_path=None),
            receipt(BETA, name, score={"path": None, "sha256": digest}),
            without(score_path(BETA, name)),
        ]
    return chain(*steps)(content)


def _pickled(content: Files) -> Files:
    held = {key: npy(array) for key, array in arrays(content, ALPHA, FIRST).items()}
    # Whoever unpickles this calls print: harmless, and seen at once.
    held["kld"] = npy_document("|O", (4,), b"cbuiltins\nprint\n(S'unpickled'\ntR.")
    return rescored(content, ALPHA, FIRST, archived(held))


def _config_as_manifest(document: Any) -> None:
    image = document["images"][0]
    image["manifest_digest"] = image["config_digest"]


def _launched_from(content: Files) -> Files:
    """Launch one arm from the image before the capture image in the chain."""
    serving = json.loads(content["bundle.json"])["images"][1]["reference"]
    launch = edit(f"arms/{BETA}/launch.json", lambda document: document.update(image=serving))
    return launch(content)


def _first_raised(values: NDArray[Any]) -> NDArray[Any]:
    return np.where(np.arange(values.size) == 0, values * 2, values)


def _infinite(values: NDArray[Any]) -> NDArray[Any]:
    return np.where(np.arange(values.size) == 1, np.inf, values)


ATTACKS = (
    Attack(
        check="row-masks",
        name="row-unmasked",
        description="One window counts its prefill row, in the record and in its receipt.",
        change=chain(
            window(ALPHA, 0, excluded=[], scored_rows=4), receipt(ALPHA, FIRST, excluded=[])
        ),
        message="other excluded rows than the protocol declares",
        also=(
            "published-aggregates",
            "published-counts",
            "published-decisions",
            "published-intervals",
        ),
    ),
    Attack(
        check="row-masks",
        name="scored-rows-off-by-one",
        description="A window claims one scored row more than its mask leaves.",
        change=window(ALPHA, 0, scored_rows=4),
        message="does not follow from the mask",
        also=("published-counts",),
    ),
    Attack(
        check="row-masks",
        name="including-prefill-changed",
        description="The mean with the prefill row does not belong to the other two numbers.",
        change=window(ALPHA, 0, including_prefill=0.25),
        message="do not belong to the same rows",
    ),
    Attack(
        check="row-masks",
        name="prefill-row-changed",
        description="The row arrays give the excluded row another value than the record.",
        change=column(ALPHA, FIRST, "kld", _first_raised),
        message="The row arrays give the excluded row another value",
    ),
    Attack(
        check="window-alignment",
        name="windows-swapped",
        description="One arm holds its windows in another order than the panel.",
        change=edit(f"arms/{ALPHA}/windows.json", _swapped),
        message="in another order",
    ),
    Attack(
        check="window-alignment",
        name="window-dropped",
        description="One arm lost a window with all its files.",
        change=_dropped,
        message="hold different windows",
        also=("published-aggregates", "published-counts"),
    ),
    Attack(
        check="prefix-cache-hits",
        name="counter-of-one",
        description="One token came from the prefix cache.",
        change=replace_text(_SCRAPE, f"{_SERIES} 0.0", f"{_SERIES} 1.0"),
        message="served from the prefix cache",
    ),
    Attack(
        check="prefix-cache-hits",
        name="counter-of-one-in-json",
        description="One token came from the prefix cache, by counters.json.",
        change=edit(
            f"arms/{BETA}/counters.json",
            lambda document: document["readings"][3]["series"][0].update(value=1),
        ),
        message="served from the prefix cache",
    ),
    Attack(
        check="prefix-cache-hits",
        name="reading-missing",
        description="There is no reading after one window, and the seal was redone.",
        change=without(_SCRAPE),
        message="exactly one reading before and one after it",
    ),
    Attack(
        check="prefix-cache-hits",
        name="series-missing",
        description="A reading holds other counters only.",
        change=replace_text(_SCRAPE, f"{_SERIES} 0.0\n", ""),
        message="exactly one vllm:prefix_cache_hits_total series",
    ),
    Attack(
        check="prefix-cache-hits",
        name="two-series",
        description="Two engines answered.",
        change=replace_text(
            _SCRAPE, f"{_SERIES} 0.0\n", f"{_SERIES} 0.0\n{_SERIES.replace('0', '1')} 0.0\n"
        ),
        message="exactly one vllm:prefix_cache_hits_total series",
    ),
    Attack(
        check="image-digests",
        name="digest-of-another-kind",
        description="The record gives the image id where the manifest digest belongs.",
        change=edit("bundle.json", _config_as_manifest),
        message="one digest has one meaning",
    ),
    Attack(
        check="image-digests",
        name="launch-of-another-image",
        description="The arm was launched from the serving image, not from the capture image.",
        change=_launched_from,
        message="gives another value for the manifest digest of image 'capture'",
    ),
    Attack(
        check="image-digests",
        name="another-image-was-running",
        description="The container engine reports another image id than the record.",
        change=edit(
            _RUNTIME,
            lambda document: document.update(image_id="sha256:" + hex_digest(b"another image")),
        ),
        message="gives another value for the config digest of image 'capture'",
    ),
    Attack(
        check="image-digests",
        name="retained-config-changed",
        description="The retained config of the base image was edited, and the seal redone.",
        change=replace_text("images/base/config.json", "amd64", "arm64"),
        message="These bytes are not the config document",
    ),
    Attack(
        check="source-identities",
        name="another-revision-was-running",
        description="The server ran another revision of the engine than the record names.",
        change=edit(
            _RUNTIME, lambda document: document["sources"].update(engine=hex_digest(b"")[:40])
        ),
        message="names another identity of 'engine'",
    ),
    Attack(
        check="source-identities",
        name="retained-source-changed",
        description="A retained source file is not the one whose hash the record names.",
        change=replace_text("sources/scorer/scores.txt", "FP64", "FP32"),
        message="is not the file that was named",
    ),
    Attack(
        check="source-identities",
        name="retained-tokens-changed",
        description="Retained input tokens are not the ones whose hash the record names.",
        change=copied(f"inputs/{SECOND}.tokens.npy", f"inputs/{FIRST}.tokens.npy"),
        message="is not the file that was named",
    ),
    Attack(
        check="score-arrays",
        name="pickle",
        description="An array is a pickle that calls a function when it is loaded.",
        change=_pickled,
        message="holds pickled Python objects, which are never loaded",
    ),
    Attack(
        check="score-arrays",
        name="single-precision",
        description="An array is stored in single precision.",
        change=column(ALPHA, FIRST, "kld", lambda values: values.astype("<f4")),
        message="stored as another type",
        also=("published-aggregates", "published-intervals", "row-masks"),
    ),
    Attack(
        check="score-arrays",
        name="big-endian",
        description="An array is stored with its most significant byte first.",
        change=column(ALPHA, FIRST, "kld", lambda values: values.astype(">f8")),
        message="stored as another type",
    ),
    Attack(
        check="score-arrays",
        name="one-row-short",
        description="An array lacks its last row.",
        change=column(ALPHA, FIRST, "kld", lambda values: values[:-1]),
        message="one entry per predicted row",
    ),
    Attack(
        check="score-arrays",
        name="infinite-row",
        description="A scored row has an infinite divergence.",
        change=column(ALPHA, FIRST, "kld", _infinite),
        message="infinite or not a number",
    ),
    Attack(
        check="evidence-level",
        name="rows-dropped",
        description="One arm keeps no row arrays, and the strict policy demands them.",
        change=_without_rows,
        message="would have to keep row arrays",
        also=("figure-coverage",),
        policy="strict",
    ),
)
