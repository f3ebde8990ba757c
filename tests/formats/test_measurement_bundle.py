"""A valid bundle in our own format, onto the types that checks see."""

import json

from tests.support.memory import MemoryStore
from tests.support.own_bundle import (
    ARMS,
    CONFIG,
    CONFIG_DIGEST,
    MANIFEST_DIGEST,
    REVISION,
    WINDOWS,
    documents,
    packed,
    places,
    read,
    sealed,
    sha256,
    violations,
)
from verifier import catalog, seal
from verifier.catalog import SCHEMAS
from verifier.formats.measurement_bundle import READER
from verifier.model.basis import Level
from verifier.model.bundle import (
    CounterSeries,
    Flag,
    Hash,
    ImageClaim,
    ImageDocument,
    Protocol,
    Receipt,
    SourceClaim,
    Window,
    WindowScore,
)
from verifier.model.recipe import Recipe


def test_a_store_with_bundle_json_is_ours_and_no_other_is() -> None:
    assert READER.recognises(MemoryStore({"bundle.json": b""}))
    assert not READER.recognises(MemoryStore({"a/bundle.json": b""}))
    assert not READER.recognises(MemoryStore({}, others={"bundle.json": "symlink"}))
    assert catalog.readers()["measurement-bundle"] is READER


def test_a_valid_bundle_breaks_no_rule_and_every_record_file_is_accounted_for() -> None:
    bundle = read(documents())
    assert violations(bundle) == []
    assert bundle.readable
    expected = {"bundle.json": "bundle-1", "figures.json": "figures-1"}
    for arm in ARMS:
        expected[f"arms/{arm}/windows.json"] = "windows-1"
        expected[f"arms/{arm}/launch.json"] = "launch-1"
        expected[f"arms/{arm}/runtime.json"] = "runtime-1"
        expected.update({f"arms/{arm}/receipts/{name}.json": "receipt-1" for name in WINDOWS})
    assert {record.path: record.schema for record in bundle.records} == expected
    assert [record.path for record in bundle.records if record.published] == ["figures.json"]


def test_identity_protocol_and_panel_are_those_of_bundle_json() -> None:
    bundle = read(documents())
    assert (bundle.format, bundle.id, bundle.title) == (
        "measurement-bundle/1",
        "sample",
        "A synthetic bundle",
    )
    assert bundle.carries == (sha256("record"),)
    assert bundle.protocol == Protocol(
        vocabulary=10,
        excluded=(0,),
        predicted_rows=4,
        bytes_per_logit=2,
        logits_dtype="bfloat16",
        intervals={
            "bca95": Recipe(method="bca", level=0.95, resamples=20_000, seed=20260902),
        },
    )
    assert bundle.panel[1] == Window(
        id="w2",
        location="bundle.json#/windows/1",
        groups={"domain": "domain of w2"},
        token=Hash(value=sha256("token w2"), location="bundle.json#/windows/1/token_sha256"),
        teacher=Hash(value=sha256("teacher w2"), location="bundle.json#/windows/1/teacher_sha256"),
    )
    assert set(bundle.members) == set(documents())


def test_a_window_score_keeps_every_value_with_its_place() -> None:
    (arm, _) = read(documents()).arms
    where = "arms/fp8/windows.json#/windows/1"
    assert (arm.id, arm.name, arm.location) == ("fp8", "fp8", "bundle.json#/arms/0")
    assert arm.windows[1] == WindowScore(
        window="w2",
        location=where,
        groups={"domain": "domain of w2"},
        predicted_rows=4,
        scored_rows=3,
        excluded=(0,),
        values={"kld": 1.25, "nll": 1.0},
        including_prefill=0.5,
        prefill=2.0,
        raw=Hash(value=sha256("raw fp8 w2"), location=f"{where}/raw_sha256"),
        raw_bytes=80,
        score=Hash(value=sha256("scores fp8 w2"), location=f"{where}/score_sha256"),
        teacher=Hash(value=sha256("teacher w2"), location=f"{where}/teacher_sha256"),
        token=Hash(value=sha256("token w2"), location=f"{where}/token_sha256"),
        rows_path="arms/fp8/scores/w2.npz",
        receipt_path="arms/fp8/receipts/w2.json",
    )
    assert type(arm.windows[1].values["nll"]) is float
    assert type(arm.windows[1].values["kld"]) is float


def test_a_window_score_may_hold_no_more_than_its_values() -> None:
    files = documents()
    keep = ("id", "predicted_rows", "scored_rows", "excluded", "values")
    for window in files["arms/fp8/windows.json"]["windows"]:
        for field in [field for field in window if field not in keep]:
            del window[field]
    arm = read(files).arms[0]
    assert arm.receipts == ()
    assert arm.windows[0] == WindowScore(
        window="w1",
        location="arms/fp8/windows.json#/windows/0",
        groups={"domain": "domain of w1"},
        predicted_rows=4,
        scored_rows=3,
        excluded=(0,),
        values={"kld": 0.25, "nll": 1.0},
    )


def test_raw_logits_that_are_retained_are_named_and_raise_the_level_when_all_are() -> None:
    files = documents()
    kept = {f"arms/fp8/raw/{name}": f"raw fp8 {name}".encode() for name in WINDOWS}
    for window, path in zip(files["arms/fp8/windows.json"]["windows"], kept, strict=True):
        window["raw_path"] = path
    arm, other = read({**files, **kept}).arms
    assert [window.raw_path for window in arm.windows] == list(kept)
    assert [window.raw_path for window in other.windows] == [None, None]
    assert (arm.level, other.level) == (Level.RAW_LOGITS, Level.ROW_SCORES)


def test_a_receipt_keeps_every_value_with_its_place() -> None:
    (arm, _) = read(documents()).arms
    where = "arms/fp8/receipts/w2.json#"
    assert [receipt.window for receipt in arm.receipts] == list(WINDOWS)
    assert arm.receipts[1] == Receipt(
        location=where,
        arm="fp8",
        window="w2",
        rows=4,
        excluded=(0,),
        raw=Hash(value=sha256("raw fp8 w2"), location=f"{where}/raw/sha256"),
        raw_bytes=80,
        score=Hash(value=sha256("scores fp8 w2"), location=f"{where}/score/sha256"),
        score_path="arms/fp8/scores/w2.npz",
        teacher=Hash(value=sha256("teacher w2"), location=f"{where}/teacher_sha256"),
        token=Hash(value=sha256("token w2"), location=f"{where}/token_sha256"),
        scored_at="2026-01-01T01:00:00Z",
        retired_at="2026-01-01T02:00:00Z",
    )


def test_a_receipt_may_not_know_the_raw_file() -> None:
    files = documents()
    receipt = files["arms/fp8/receipts/w1.json"]
    receipt.update(raw=None, retired=None, scored_at=None)
    receipt["score"]["path"] = None
    found = read(files).arms[0].receipts[0]
    assert (found.raw, found.raw_bytes, found.scored_at) == (None, None, None)
    assert (found.retired_at, found.score_path) == (None, None)


def test_the_level_is_the_deepest_that_every_window_retains() -> None:
    files = documents()
    topk = ["teacher_topk_ids", "teacher_topk_logp", "student_topk_ids", "student_topk_logp"]
    files["bundle.json"]["arms"][0]["row_columns"] = ["kld", *topk]
    files["bundle.json"]["arms"][1]["row_columns"] = ["kld", *topk[:3]]
    assert [arm.level for arm in read(files).arms] == [
        Level.ROW_DISTRIBUTIONS,
        Level.ROW_SCORES,
    ]
    for arm in ARMS:
        del files[f"arms/{arm}/windows.json"]["windows"][0]["score_path"]
    assert [arm.level for arm in read(files).arms] == [Level.WINDOW_SCORES] * 2


def test_counters_are_read_from_scrapes_by_the_exact_name_of_the_metric() -> None:
    counters = read(documents()).arms[0].counters
    assert counters is not None
    series = (CounterSeries(labels=(("engine", "0"), ("model_name", "m")), value=0.0),)
    assert {(item.window, item.phase): item.series for item in counters} == {
        (window, phase): series for window in WINDOWS for phase in ("before", "after")
    }
    assert counters[0].location == "arms/fp8/counters/w1.after.prom"
    assert [item.problem for item in counters] == [""] * 4


def test_an_arm_that_retains_no_counters_has_none() -> None:
    files = documents()
    del files["bundle.json"]["arms"][0]["files"]["counters"]
    assert read(files).arms[0].counters is None


def test_every_place_that_names_an_image_is_a_claim_of_the_right_kind() -> None:
    claims = read(documents()).image_claims
    expected = [
        ("bundle.json#/images/0/index_digest", "serving", "index", f"sha256:{sha256('index')}"),
        ("bundle.json#/images/1/manifest_digest", "capture", "manifest", MANIFEST_DIGEST),
        ("bundle.json#/images/1/config_digest", "capture", "config", CONFIG_DIGEST),
        ("bundle.json#/images/1/reference", "capture", "manifest", MANIFEST_DIGEST),
        ("arms/fp8/launch.json#/image", "capture", "manifest", MANIFEST_DIGEST),
        ("arms/fp8/runtime.json#/image_id", "capture", "config", CONFIG_DIGEST),
        ("arms/nvfp4/launch.json#/image", "capture", "manifest", MANIFEST_DIGEST),
        ("arms/nvfp4/runtime.json#/image_id", "capture", "config", CONFIG_DIGEST),
    ]
    assert [(c.location, c.image, c.kind, c.value) for c in claims] == expected


def test_a_reference_to_the_declared_index_claims_an_index() -> None:
    files = documents()
    image = files["bundle.json"]["images"][1]
    image["index_digest"] = MANIFEST_DIGEST
    assert (
        ImageClaim(
            location="bundle.json#/images/1/reference",
            image="capture",
            kind="index",
            value=MANIFEST_DIGEST,
        )
        in read(files).image_claims
    )


def test_retained_image_documents_are_read_and_the_layout_marker_is_not() -> None:
    serving, capture = read(documents()).images
    assert (serving.name, serving.role, serving.parent) == ("serving", "serving", None)
    assert serving.documents == ()
    assert (capture.location, capture.parent) == ("bundle.json#/images/1", "serving")
    config, manifest = capture.documents
    assert config == ImageDocument(
        path="images/capture/config.json",
        kind="config",
        sha256=CONFIG_DIGEST.removeprefix("sha256:"),
        size=len(CONFIG),
    )
    assert (manifest.kind, f"sha256:{manifest.sha256}") == ("manifest", MANIFEST_DIGEST)
    assert manifest.names == (
        ("config", CONFIG_DIGEST, len(CONFIG)),
        ("layer", f"sha256:{sha256('layer')}", 7),
    )


def test_sources_name_revisions_files_and_what_is_retained_of_them() -> None:
    sources = read(documents()).sources
    assert sources[:4] == (
        SourceClaim(
            location="bundle.json#/sources/0/revision",
            subject="scorer",
            kind="git",
            value=REVISION,
        ),
        SourceClaim(
            location="bundle.json#/sources/0/files/src~1score.py",
            subject="scorer/src/score.py",
            kind="file",
            value=sha256(b"score"),
            path="sources/scorer/src/score.py",
        ),
        SourceClaim(
            location="bundle.json#/sources/0/files/gone.py",
            subject="scorer/gone.py",
            kind="file",
            value=sha256("gone"),
        ),
        SourceClaim(
            location="bundle.json#/sources/1/files/plan.json",
            subject="plan/plan.json",
            kind="file",
            value=sha256("plan"),
        ),
    )
    assert [source.location for source in sources[4:]] == [
        f"arms/{arm}/runtime.json#/sources/scorer" for arm in ARMS
    ]


def test_a_declared_fact_about_the_cache_is_a_flag() -> None:
    files = documents()
    files["bundle.json"]["arms"][1]["declared"]["all_prefix_cache_hits_zero"] = False
    del files["bundle.json"]["arms"][0]["declared"]
    assert read(files).flags == (
        Flag(
            location="bundle.json#/arms/1/declared/all_prefix_cache_hits_zero",
            topic="prefix-cache-hits",
            statement="all_prefix_cache_hits_zero",
            value=False,
        ),
    )


def test_a_sealed_bundle_keeps_its_seal_and_the_root_is_computed_again() -> None:
    files = sealed(packed(documents()))
    found = READER.read(MemoryStore(files), SCHEMAS).seal
    assert found is not None
    assert found.root == found.computed_root
    assert found.closed
    assert found.unsealed == {"seal.json", "seal.dsse.json"}
    assert [entry.path for entry in found.entries] == sorted(documents())
    assert found.entries[0].location == "seal.json#/files/0"
    document = json.loads(files[seal.PATH])
    document["files"][0]["size"] += 1
    files[seal.PATH] = json.dumps(document).encode()
    forged = READER.read(MemoryStore(files), SCHEMAS).seal
    assert forged is not None
    assert forged.root == found.root
    assert forged.computed_root != found.root


def test_members_under_odd_names_are_no_obstacle() -> None:
    files = {**packed(documents()), "extra/ä b#c?.txt": b"x", "extra/.hidden": b"y"}
    bundle = READER.read(MemoryStore(files), SCHEMAS)
    assert places(bundle) == []
    assert "extra/ä b#c?.txt" in bundle.members
