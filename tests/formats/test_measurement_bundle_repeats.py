"""Arms that are declared to be another run of an earlier one."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.support.own_bundle import FORMAT, Documents, documents, places, read


def _runs(*fields: Mapping[str, Any]) -> Documents:
    """The sample bundle with one arm per entry; None removes a field.

    Arms beyond the second keep window scores and nothing else.
    """
    files = documents()
    arms = files["bundle.json"]["arms"]
    for number in range(len(arms), len(fields)):
        path = f"arms/more-{number}/windows.json"
        arms.append({**arms[0], "name": f"more-{number}", "files": {"windows": path}})
        files[path] = {
            "format": FORMAT,
            "arm": f"more-{number}",
            "windows": [
                {
                    key: window[key]
                    for key in ("id", "predicted_rows", "scored_rows", "excluded", "values")
                }
                for window in files["arms/fp8/windows.json"]["windows"]
            ],
        }
    for arm, changed in zip(arms, fields, strict=True):
        arm.update(changed)
        for name in [name for name, value in changed.items() if value is None]:
            del arm[name]
    return files


def test_several_runs_of_one_configuration_break_no_rule() -> None:
    files = _runs({}, {"repeats": "fp8", "run": 2}, {"repeats": "fp8", "run": 3})
    bundle = read(files)
    assert places(bundle) == []
    assert [arm.repeats for arm in bundle.arms] == [None, "fp8", "fp8"]


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        pytest.param([{}, {"repeats": "bf16", "run": 2}], 1, id="of an arm that is not listed"),
        pytest.param([{}, {"repeats": "nvfp4", "run": 2}], 1, id="of itself"),
        pytest.param([{"repeats": "nvfp4", "run": 2}, {}], 0, id="of a later arm"),
        pytest.param([{}, {"repeats": "fp8", "run": 1}], 1, id="under the same run"),
        pytest.param([{}, {"repeats": "fp8", "run": None}], 1, id="without a run"),
        pytest.param([{"run": None}, {"repeats": "fp8", "run": 2}], 1, id="of one without a run"),
        pytest.param(
            [{}, {"repeats": "fp8", "run": 2, "image": "serving"}], 1, id="on another image"
        ),
        pytest.param(
            [{}, {"repeats": "fp8", "run": 2}, {"repeats": "fp8", "run": 2}],
            2,
            id="under the run of another repeat",
        ),
        pytest.param(
            [{}, {"repeats": "fp8", "run": 2}, {"repeats": "nvfp4", "run": 3}],
            2,
            id="of a repeat",
        ),
    ],
)
def test_a_repeat_that_is_no_other_run_of_an_earlier_arm_is_refused(
    fields: list[Mapping[str, Any]], place: int
) -> None:
    assert places(read(_runs(*fields))) == [f"bundle.json#/arms/{place}/repeats"]
