"""What a number was held against stands beside its id, because the author chose the id."""

from dataclasses import replace

from tests.support.sample_report import clean, figure
from verifier.model.report import FigureResult
from verifier.render.text import RENDERER


def lines(*figures: FigureResult) -> list[str]:
    return RENDERER.render(replace(clean(), figures=figures)).splitlines()


def test_beside_the_id_where_it_fits() -> None:
    shown = lines(replace(figure("fp8/mean"), measure="mean of kld, nvfp4"))

    assert "    fp8/mean = mean of kld, nvfp4" in shown


def test_below_a_long_id() -> None:
    long_id = "comparison.json#/arms/nvfp4/domains/axis4_reasoning_termination"
    shown = lines(replace(figure(long_id), measure="mean of kld, nvfp4"))

    assert shown[shown.index(f"    {long_id}") + 1] == "      = mean of kld, nvfp4"


def test_a_long_id_without_a_measure_has_nothing_below_it() -> None:
    long_id = "comparison.json#/" + "x" * 50
    shown = lines(figure(long_id))

    assert shown[shown.index(f"    {long_id}") + 1].split()[0] == "0.0319451732"


def test_of_a_mismatch_too() -> None:
    wrong = replace(
        figure("fp8/mean", how="different"), status="MISMATCH", measure="mean of kld, nvfp4"
    )

    assert any(line.split() == ["measure", "mean", "of", "kld,", "nvfp4"] for line in lines(wrong))
