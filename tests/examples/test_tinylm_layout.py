"""The shape of the example: what measures and computes the figures never leans on the verifier.

Two codes that agree show something only if they are two.
"""

import ast
import sys
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pytest

from examples import tinylm

ROOT = Path(tinylm.__file__).parent
SEALS = "capture"
"""The one module that may import the verifier: it seals what was captured."""


def name_of(path: Path) -> str:
    """``published.tails`` for ``published/tails.py``; the package itself is ``__init__``."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


TREES = {name_of(path): ast.parse(path.read_text("utf-8")) for path in sorted(ROOT.rglob("*.py"))}


def imports(tree: ast.AST) -> Iterator[str]:
    """Every module or name that is imported anywhere in the source, in full."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


IMPORTS = {name: frozenset(imports(tree)) for name, tree in TREES.items()}


def is_verifier(name: str) -> bool:
    return name == "verifier" or name.startswith("verifier.")


def own(name: str, modules: Mapping[str, Collection[str]]) -> str | None:
    """Which module of the example an import names, if any."""
    inside = name.removeprefix("examples.tinylm").removeprefix(".")
    if inside == name:
        return None
    while inside not in modules and "." in inside:
        inside = inside.rpartition(".")[0]
    return inside if inside in modules else "__init__"


def reached(start: str, modules: Mapping[str, Collection[str]]) -> set[str]:
    """A module and everything of the example that it imports, directly or through others."""
    found, waiting = {start}, [start]
    while waiting:
        named = {own(name, modules) for name in modules[waiting.pop()]} - {None}
        waiting += [name for name in named if name is not None and name not in found]
        found |= {name for name in named if name is not None}
    return found


def leans_on_the_verifier(start: str, modules: Mapping[str, Collection[str]]) -> list[str]:
    """Modules through which a module would load the verifier."""
    return [
        name for name in sorted(reached(start, modules)) if any(map(is_verifier, modules[name]))
    ]


def test_the_figures_are_computed_by_the_modules_that_are_looked_at() -> None:
    computing = {"analysis", "derived", "resample", "figures", "score"}
    assert computing | {"published.intervals", "published.figure"} <= TREES.keys()
    assert reached("figures", IMPORTS) >= {
        *("analysis", "derived", "resample", "arms", "recipes", "files"),
        *(name for name in TREES if name.startswith("published.") and "__init__" not in name),
    }


@pytest.mark.parametrize("module", sorted(TREES.keys() - {SEALS}))
def test_only_the_capture_reaches_the_verifier(module: str) -> None:
    assert leans_on_the_verifier(module, IMPORTS) == []


@pytest.mark.parametrize("module", sorted(TREES.keys() - {SEALS}))
def test_numpy_is_all_that_the_others_need(module: str) -> None:
    packages = {name.partition(".")[0] for name in IMPORTS[module]}
    assert packages - sys.stdlib_module_names <= {"numpy", "examples"}
    outside = {name for name in IMPORTS[module] if name.partition(".")[0] == "examples"}
    assert all(name.startswith("examples.tinylm") for name in outside)


def test_the_capture_itself_seals_with_the_verifier() -> None:
    assert leans_on_the_verifier(SEALS, IMPORTS) == [SEALS]


LOADERS = frozenset({"__import__", "import_module", "exec_module", "load_module", "exec", "eval"})


@pytest.mark.parametrize("module", sorted(TREES))
def test_no_module_loads_another_by_a_computed_name(module: str) -> None:
    nodes = list(ast.walk(TREES[module]))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    imported = {name.rpartition(".")[2] for name in IMPORTS[module]}
    assert not LOADERS & (names | attributes | imported)


@pytest.mark.parametrize(
    "source",
    [
        "import verifier",
        "from verifier import pipeline",
        "def late():\n    import verifier.stats.mean as other",
        "import examples.tinylm.helper",
        "from examples.tinylm import helper",
        "from examples.tinylm.helper import mean",
        "if TYPE_CHECKING:\n    from examples.tinylm.helper import Mean",
    ],
)
def test_an_import_of_the_verifier_is_noticed_however_it_is_written(source: str) -> None:
    modules = {
        "analysis": list(imports(ast.parse(source))),
        "helper": ["verifier.stats.mean"],
        "__init__": [],
    }
    assert leans_on_the_verifier("analysis", modules) != []
    assert leans_on_the_verifier("__init__", modules) == []
