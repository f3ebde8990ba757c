import pytest

from verifier.model.figure import Measure


@pytest.mark.parametrize(
    ("measure", "label"),
    [
        (Measure(statistic="mean", arms=("fp8",)), "mean of kld, fp8"),
        (
            Measure(statistic="mean", arms=("fp8", "nvfp4"), pair="difference"),
            "mean of kld, fp8 minus nvfp4",
        ),
        (
            Measure(statistic="count", arms=("fp8", "nvfp4"), pair="lower"),
            "count of kld, fp8 lower than nvfp4",
        ),
        (
            Measure(statistic="mean", arms=("fp8",), group=("domain", "legal")),
            "mean of kld, fp8, domain legal",
        ),
        (
            Measure(statistic="mean", column="nll", arms=("fp8",), scale="exp"),
            "exp(mean of nll, fp8)",
        ),
        (Measure(statistic="size", arms=()), "number of windows, panel"),
        (Measure(statistic="size", arms=("fp8",)), "number of windows, fp8"),
        (
            Measure(statistic="common", column="scored_rows", arms=("fp8", "nvfp4")),
            "common value of scored_rows, fp8 and nvfp4",
        ),
    ],
)
def test_a_measure_says_in_one_line_what_it_computes(measure: Measure, label: str) -> None:
    assert measure.label == label
