"""The prepared validator says what jsonschema says of the same schema, place by place."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from verifier import catalog
from verifier.formats._closed_schema import prepared

BUNDLE = Path("bundles/example-rows")
DOCUMENTS = {
    "bundle-1": "bundle.json",
    "figures-1": "figures.json",
    "seal-1": "seal.json",
    "windows-1": "arms/alpha/windows.json",
}

odd_values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=3),
    st.just([]),
    st.just({}),
    st.just({"odd": [1]}),
)


def places(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of every value below the root."""
    children: Any = ()
    if isinstance(document, dict):
        children = document.items()
    elif isinstance(document, list):
        children = enumerate(document)
    found = []
    for key, value in children:
        found += [(*path, key), *places(value, (*path, key))]
    return found


def said(validator: Any, document: Any) -> list[tuple[Any, ...]]:
    """What is wrong and where, in a comparable order."""
    return sorted(
        (list(map(str, error.absolute_path)), error.validator, error.message)
        for error in validator.iter_errors(document)
    )


# Reports are written only; the sources of a claim hold sources, which the prepared form cannot.
@pytest.mark.parametrize("name", sorted({*catalog.SCHEMAS.names()} - {"reports-1", "claims-1"}))
def test_an_odd_field_is_called_the_same_under_every_schema_that_files_are_read_with(
    name: str,
) -> None:
    schema = catalog.SCHEMAS.get(name)
    expected = said(Draft202012Validator(schema), {"odd": 1})
    assert expected
    assert said(prepared(json.dumps(schema)), {"odd": 1}) == expected


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_a_changed_place_is_called_the_same(name: str, data: st.DataObject) -> None:
    document = json.loads((BUNDLE / DOCUMENTS[name]).read_text())
    schema = catalog.SCHEMAS.get(name)
    spots = places(document)
    for _ in range(data.draw(st.integers(1, 3))):
        *path, last = data.draw(st.sampled_from(spots))
        changed = copy.deepcopy(document)
        inner = changed
        for key in path:
            inner = inner[key]
        inner[last] = data.draw(odd_values)
        assert said(prepared(json.dumps(schema)), changed) == said(
            Draft202012Validator(schema), changed
        )
