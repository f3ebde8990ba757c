"""The shipped reference bundle is what the script builds from the public record."""

import json
from pathlib import Path

import pytest

from scripts import build_kv_bundle
from verifier import catalog
from verifier.measures.evaluator import Evaluator
from verifier.model.basis import Level
from verifier.model.bundle import Bundle
from verifier.model.figure import Figure
from verifier.model.plugin import Missing, Value
from verifier.numerics.bootstrap import interval
from verifier.scores import StoreRows
from verifier.store.folder import FolderStore, open_store

RECORD = build_kv_bundle.ROOT.parent / "shared" / "public-records" / "kv-20260909"

needs_record = pytest.mark.skipif(not RECORD.is_dir(), reason="the public record is not here")


@pytest.fixture(scope="module")
def store() -> FolderStore:
    return open_store(build_kv_bundle.OUTPUT)


@pytest.fixture(scope="module")
def bundle(store: FolderStore) -> Bundle:
    return catalog.reader_for(store).read(store, catalog.SCHEMAS)


@pytest.fixture(scope="module")
def measures(store: FolderStore, bundle: Bundle) -> Evaluator:
    return Evaluator(bundle=bundle, rows=StoreRows(store), statistics=catalog.statistics())


def _contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@needs_record
def test_the_script_gives_the_committed_bytes(tmp_path: Path) -> None:
    output = tmp_path / "bundle"
    assert build_kv_bundle.main([str(RECORD), str(output)]) == 0
    assert _contents(output) == _contents(build_kv_bundle.OUTPUT)


def test_the_script_overwrites_nothing_and_explains_its_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build_kv_bundle.main([str(tmp_path), str(tmp_path)]) == 1
    assert "exists; remove it first" in capsys.readouterr().err
    assert build_kv_bundle.main([]) == 2
    assert "usage:" in capsys.readouterr().err


def test_the_bundle_is_readable_sealed_and_holds_two_arms_of_32_windows(bundle: Bundle) -> None:
    assert bundle.readable
    assert bundle.seal is not None
    assert bundle.seal.root == bundle.seal.computed_root
    assert [(arm.id, len(arm.windows), len(arm.receipts)) for arm in bundle.arms] == [
        ("fp8", 32, 32),
        ("nvfp4", 32, 32),
    ]
    assert {arm.level for arm in bundle.arms} == {Level.WINDOW_SCORES}
    assert bundle.carries == ("c70b2892ee69287554c8a8879a4d848b9077df3d9febcdc818c780851de600db",)
    assert {(claim.kind, claim.value) for claim in bundle.image_claims} == {
        ("manifest", "sha256:ca6b80188dce154b91f49108b7d87792d2ba6328935afc71b44d1c0e6f6a1adf")
    }


def test_the_printed_figures_are_those_of_the_publication(bundle: Bundle) -> None:
    printed = {
        figure.id: figure.published.text
        for figure in bundle.figures
        if not figure.id.startswith(("fp8/full", "nvfp4/full", "fp8/kld/rows", "nvfp4/kld/rows"))
    }
    counts = {
        "windows": "32",
        "predicted-rows-per-window": "2047",
        "scored-rows-per-window": "2046",
    }
    assert printed == {
        "panel/windows": "32",
        "fp8/kld/mean": "0.0319451732",
        "fp8/kld/mean/bca95-low": "0.0268267482",
        "fp8/kld/mean/bca95-high": "0.0387948613",
        **{f"fp8/{name}": number for name, number in counts.items()},
        "nvfp4/kld/mean": "0.0354562238",
        "nvfp4/kld/mean/bca95-low": "0.0295558848",
        "nvfp4/kld/mean/bca95-high": "0.0434620368",
        **{f"nvfp4/{name}": number for name, number in counts.items()},
        "fp8-minus-nvfp4/kld/mean": "-0.0035110506",
        "fp8-minus-nvfp4/kld/mean/bca95-low": "-0.0081718772",
        "fp8-minus-nvfp4/kld/mean/bca95-high": "-0.0013675941",
        "fp8-lower-than-nvfp4/windows": "22",
        "fp8-lower-than-nvfp4/of-windows": "32",
    }


def _recomputed(figure: Figure, measures: Evaluator) -> float:
    assert figure.measure is not None
    if figure.recipe is None:
        value = measures.value(figure.measure)
        assert isinstance(value, Value)
        return value.number
    units = measures.units(figure.measure)
    assert not isinstance(units, Missing)
    drawn = interval(units.values, figure.recipe)
    return drawn.low if figure.end == "low" else drawn.high


def test_every_figure_but_the_row_quantiles_is_what_the_scores_give(
    bundle: Bundle, measures: Evaluator
) -> None:
    evaluated = [figure for figure in bundle.figures if figure.measure is not None]
    assert len(evaluated) == 30
    for figure in evaluated:
        decimals = len(figure.published.text.partition(".")[2])
        number = _recomputed(figure, measures)
        if decimals <= 10:
            assert f"{number:.{decimals}f}" == figure.published.text, figure.id
        else:
            assert number == pytest.approx(figure.published.value, rel=1e-15, abs=0), figure.id


def test_every_published_figure_has_a_measure(bundle: Bundle) -> None:
    assert [figure.id for figure in bundle.figures if figure.measure is None] == []


def test_the_bundle_names_its_source_and_licence_and_no_machine() -> None:
    text = (build_kv_bundle.OUTPUT / "bundle.json").read_text(encoding="utf-8")
    provenance = json.loads(text)["provenance"]
    assert provenance["revision"] == "03ff56b2"
    assert "Brandon M. Music" in provenance["attribution"]
    assert "/home" not in text
