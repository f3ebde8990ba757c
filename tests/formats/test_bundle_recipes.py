"""Interval recipes of bundle.json: every field, conventions, and clusters that cannot be."""

from typing import Any

import pytest

from tests.support.own_bundle import WINDOWS, documents, read, violations
from verifier.formats._bundle_recipes import broken_recipes, read_recipes
from verifier.model.recipe import CONVENTIONS, Clusters, Recipe

Json = dict[str, Any]
AT = "bundle.json#/protocol/intervals/r"

DRAWN: Json = {
    "method": "percentile",
    "level": 0.9,
    "resamples": 1000,
    "seed": 7,
    "stream": "pcg64",
    "draw": "replicate",
    "quantile": "truncate",
    "ties": "strict",
    "order": "manifest",
}


def declared(recipe: Json) -> Recipe:
    files = documents()
    files["bundle.json"]["protocol"]["intervals"]["r"] = recipe
    bundle = read(files)
    assert violations(bundle) == []
    return bundle.protocol.intervals["r"]


def broken(recipe: Json) -> list[tuple[str, str, str]]:
    """(place below the recipe, expected, actual) of every violation."""
    files = documents()
    files["bundle.json"]["protocol"]["intervals"]["r"] = recipe
    found = violations(read(files))
    assert all(violation.location.startswith(AT) for violation in found)
    return [(v.location.removeprefix(AT), v.expected, v.actual) for v in found]


def test_every_field_of_a_recipe_is_read() -> None:
    recipe = {
        **DRAWN,
        "unit": "cluster",
        "clusters": [["w1"], ["w2"]],
        "strata": "domain",
        "start": "continue",
        "comparisons": 3,
    }
    assert declared(recipe) == Recipe(
        method="percentile",
        level=0.9,
        resamples=1000,
        seed=7,
        stream="pcg64",
        draw="replicate",
        quantile="truncate",
        ties="strict",
        unit="cluster",
        clusters=Clusters(lists=(("w1",), ("w2",))),
        strata="domain",
        start="continue",
        comparisons=3,
        name="r",
    )


def test_clusters_may_be_computed_from_the_tokens() -> None:
    recipe = {**DRAWN, "unit": "cluster", "clusters": {"shared": 2, "span": 16}}
    assert declared(recipe).clusters == Clusters(shared=2, span=16)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_a_convention_stands_for_its_tie_and_quantile_rules(convention: str) -> None:
    rules = {key: value for key, value in DRAWN.items() if key not in {"ties", "quantile"}}
    found = declared({**rules, "convention": convention})
    assert (found.ties, found.quantile) == CONVENTIONS[convention]  # type: ignore[index]


@pytest.mark.parametrize("method", ["normal", "student-t"])
def test_a_method_that_draws_nothing_needs_no_stream(method: str) -> None:
    found = declared({"method": method, "level": 0.95})
    assert (found.method, found.draws, found.resamples) == (method, False, 0)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"resamples": 0}, "/resamples"),
        ({"resamples": 10**9}, "/resamples"),
        ({"seed": 2**32}, "/seed"),
        ({"level": 1}, "/level"),
        ({"comparisons": 0}, "/comparisons"),
        ({"convention": "scipy-1.17"}, ""),
        ({"unit": "cluster"}, ""),
        ({"clusters": [["w1", "w2"]]}, ""),
        ({"method": "normal"}, ""),
        ({"draw": "rows"}, "/draw"),
    ],
)
def test_what_the_schema_refuses_is_refused_at_its_place(change: Json, place: str) -> None:
    assert [found[0] for found in broken({**DRAWN, **change})] == [place]


@pytest.mark.parametrize(
    ("clusters", "expected"),
    [
        pytest.param(
            [["w1", "w2"], ["w2"]],
            [
                ("/clusters/0/1", "each window in one cluster", "w2 2 times"),
                ("/clusters/1/0", "each window in one cluster", "w2 2 times"),
            ],
            id="overlapping",
        ),
        pytest.param(
            [["w2"]],
            [
                (
                    "/clusters",
                    "every window of the panel in a cluster",
                    "1 left out, the first is w1",
                )
            ],
            id="missing a window",
        ),
        pytest.param(
            [["w1", "w3"], ["w2"]],
            [("/clusters/0/1", "a window of the panel", "w3")],
            id="an unknown window",
        ),
        pytest.param(
            [["w9"], ["w9"]],
            [
                (
                    "/clusters",
                    "every window of the panel in a cluster",
                    "2 left out, the first is w1",
                ),
                ("/clusters/0/0", "a window of the panel", "w9"),
                ("/clusters/1/0", "a window of the panel", "w9"),
            ],
            id="nothing but an unknown window, twice",
        ),
    ],
)
def test_clusters_hold_every_window_once(
    clusters: list[list[str]], expected: list[tuple[str, str, str]]
) -> None:
    assert broken({**DRAWN, "unit": "cluster", "clusters": clusters}) == expected


def test_strata_are_a_group_of_the_windows() -> None:
    assert broken({**DRAWN, "strata": "tongue"}) == [("/strata", "one of domain", "tongue")]


def test_strata_without_any_group_say_so() -> None:
    files = documents()
    files["bundle.json"]["protocol"]["intervals"]["r"] = {**DRAWN, "strata": "domain"}
    for window in files["bundle.json"]["windows"]:
        del window["groups"]
    (found,) = violations(read(files))
    assert (found.location, found.expected) == (f"{AT}/strata", "one of no group at all")


def test_only_a_few_of_many_groups_are_listed() -> None:
    document = documents()["bundle.json"]
    document["windows"][0]["groups"] = {f"g{number:02}": "x" for number in range(40)}
    document["protocol"]["intervals"] = {"r": {**DRAWN, "strata": "tongue"}}
    (found,) = broken_recipes(document)
    assert found.expected == "one of domain, g00, g01, g02, g03, g04, g05, g06, ..."


def test_recipes_are_read_by_name() -> None:
    document = documents()["bundle.json"]
    assert list(read_recipes(document)) == ["bca95"]
    assert list(WINDOWS) == ["w1", "w2"]


def test_only_a_recipe_whose_stream_is_continued_has_a_name() -> None:
    assert declared(DRAWN).name == ""
    assert declared({**DRAWN, "start": "restart"}).name == ""
    assert declared({**DRAWN, "start": "continue"}).name == "r"
