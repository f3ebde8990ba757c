"""The shape of the tree: sizes, names, who imports whom, and who may touch the outside world."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from verifier import catalog

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "verifier"
MODULES = sorted(PACKAGE.rglob("*.py"))
MOST_LINES = 400

# Lowest first: a module imports from its own layer and from those below it.
LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"__init__", "errors"}),
    frozenset({"model"}),
    frozenset({"numerics", "jsontext", "arms", "progress"}),
    frozenset(
        {
            "stats",
            "columns",
            "judge",
            "figures",
            "recipes",
            "scores",
            "seal",
            "policy",
            "exactness",
            "raw_files",
        }
    ),
    frozenset({"measures", "intervals", "decisions", "rulings", "documents"}),
    frozenset({"explain", "recompute", "claims"}),
    frozenset({"checks"}),
    frozenset({"formats", "render", "attest", "store"}),
    frozenset({"coverage", "audit", "catalog"}),
    frozenset({"bundle_documents"}),
    frozenset({"pipeline", "lists"}),
    frozenset({"claims_pipeline"}),
    frozenset({"claims_cli"}),
    frozenset({"cli"}),
    frozenset({"__main__"}),
)

# Layers that stand side by side: neither may lean on the other.
APART = (
    ("checks", "formats"),
    ("checks", "store"),
    ("formats", "store"),
    ("render", "checks"),
    ("render", "formats"),
    ("render", "store"),
    ("claims", "measures"),
    ("documents", "measures"),
    ("attest", "checks"),
    ("attest", "formats"),
    ("stats", "measures"),
)

EDGE = frozenset(
    {
        "claims_cli",
        "claims_pipeline",
        "cli",
        "pipeline",
        "store",
        "attest.keys",
        "catalog",
        "progress",
    }
)
OUTSIDE = re.compile(
    r"(os|socket|subprocess|random|time|shutil|tempfile|glob|urllib|http|ssl)(\..*)?"
    r"|pathlib(\.Path)?|numpy\.random(\..*)?"
)
CLOCKS = frozenset({"now", "utcnow", "today"})


def name_of(module: Path) -> str:
    """``checks.row_masks`` for ``verifier/checks/row_masks.py``."""
    return ".".join(module.relative_to(PACKAGE).with_suffix("").parts)


def unit_of(name: str) -> str:
    """The layer's member that a module belongs to."""
    return name.partition(".")[0]


def layer_of(name: str) -> int:
    """Where a module stands; an unknown one has no place yet."""
    unit = unit_of(name)
    places = [place for place, layer in enumerate(LAYERS) if unit in layer]
    assert places, f"verifier/{unit} has no place in LAYERS of tests/test_layout.py"
    return places[0]


def imports(tree: ast.AST) -> Iterator[str]:
    """Every module or name that is imported anywhere in the source, in full."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def own_imports(module: Path) -> set[str]:
    """Modules of this package that a module imports, without the package's name."""
    found = set()
    for name in imports(ast.parse(module.read_text(encoding="utf-8"))):
        if name == "verifier" or name.startswith("verifier."):
            found.add(name.removeprefix("verifier").removeprefix("."))
    return found


def tracked() -> list[Path]:
    """Every file that the repository would hold; skipped where there is no repository."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],  # noqa: S607 - git as the developer has it
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    names = listed.stdout.decode().split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_no_module_is_long(module: Path) -> None:
    lines = len(module.read_text(encoding="utf-8").splitlines())
    assert lines <= MOST_LINES, f"{lines} lines; split it"


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_imports_point_downwards(module: Path) -> None:
    own = name_of(module)
    for imported in sorted(own_imports(module)):
        # ``from verifier import __version__`` and the like name the package itself.
        below = imported if unit_of(imported) in set().union(*LAYERS) else "__init__"
        assert layer_of(below) <= layer_of(own), f"{own} imports {imported} from above"


@pytest.mark.parametrize(("first", "second"), APART)
def test_neighbours_do_not_lean_on_each_other(first: str, second: str) -> None:
    for module in MODULES:
        own = unit_of(name_of(module))
        if own in {first, second}:
            units = {unit_of(imported) for imported in own_imports(module)}
            assert not units & ({first, second} - {own}), name_of(module)


def test_a_check_does_not_ask_which_format_a_bundle_has() -> None:
    for module in sorted((PACKAGE / "checks").glob("*.py")):
        assert not {name for name in own_imports(module) if name.startswith("formats")}
        assert "bundle.format" not in module.read_text(encoding="utf-8"), name_of(module)


def is_edge(name: str) -> bool:
    return name in EDGE or unit_of(name) in EDGE or name == "__main__"


@pytest.mark.parametrize(
    "module", [module for module in MODULES if not is_edge(name_of(module))], ids=name_of
)
def test_the_core_touches_neither_files_nor_clock_nor_chance(module: Path) -> None:
    tree = ast.parse(module.read_text(encoding="utf-8"))
    assert [name for name in imports(tree) if OUTSIDE.fullmatch(name)] == []
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    names = {node.id for node in calls if isinstance(node, ast.Name)}
    assert not names & {"open", "input", "print", "eval", "exec", "__import__", "breakpoint"}
    attributes = {node.attr for node in calls if isinstance(node, ast.Attribute)}
    assert not attributes & CLOCKS


def test_the_rules_of_this_file_notice_what_they_forbid() -> None:
    source = "import os.path\nfrom pathlib import Path\nfrom random import random\nimport numpy\n"
    found = [name for name in imports(ast.parse(source)) if OUTSIDE.fullmatch(name)]
    assert found == ["os.path", "pathlib.Path", "random.random"]
    assert layer_of("cli") > layer_of("audit") > layer_of("formats.x") > layer_of("model.basis")


@pytest.mark.parametrize("check_id", catalog.checks())
def test_every_check_has_a_test_file_of_its_name(check_id: str) -> None:
    assert (ROOT / "tests" / "checks" / f"test_{check_id.replace('-', '_')}.py").is_file()


@pytest.mark.parametrize("statistic", catalog.statistics())
def test_every_statistic_has_a_test_file_of_its_name(statistic: str) -> None:
    assert (ROOT / "tests" / "stats" / f"test_{statistic.replace('-', '_')}.py").is_file()


def test_every_test_of_a_check_names_a_check() -> None:
    known = {check.replace("-", "_") for check in catalog.checks()}
    helpers = {path.stem for path in (PACKAGE / "checks").glob("_*.py")}
    for path in (ROOT / "tests" / "checks").glob("test_*.py"):
        name = path.stem.removeprefix("test_")
        assert name in known or f"_{name}" in helpers, path.name


def test_every_tampered_bundle_lies_in_the_folder_of_a_check() -> None:
    folder = ROOT / "bundles" / "tampered"
    if not folder.is_dir():
        pytest.skip("the tampered corpus is not built")
    names = {path.name for path in folder.iterdir() if path.is_dir()}
    assert names
    assert names <= catalog.checks().keys()


def test_test_files_have_names_that_are_unique_in_their_folder_and_helpers_none() -> None:
    for path in (ROOT / "tests").rglob("*.py"):
        if "support" in path.parts:
            assert not path.name.startswith("test_"), path
        assert path.name != "__init__.py", path


# Folders of the machine that a file was written on; pieces, so that this file is not one of them.
MACHINE = re.compile("|".join(re.escape(f"/{name}/") for name in ("work", "root", "home", "tmp")))


def test_no_file_names_a_folder_of_somebodys_machine() -> None:
    found: list[str] = []
    for path in tracked():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found.extend(
            f"{path.relative_to(ROOT)}:{number}"
            for number, line in enumerate(text.splitlines(), start=1)
            if MACHINE.search(line)
        )
    assert found == []


def test_a_hint_is_a_sentence() -> None:
    hints = [
        (name_of(module), keyword.value.value)
        for module in MODULES
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "hint" and isinstance(keyword.value, ast.Constant)
    ]
    assert hints
    for module, hint in hints:
        assert re.fullmatch(r"(?:[A-Z`].*\.)?", str(hint)), f"{module}: {hint!r}"


def test_public_functions_and_classes_of_the_package_are_documented() -> None:
    bare = []
    for module in MODULES:
        tree = ast.parse(module.read_text(encoding="utf-8"))
        if module.name != "__main__.py" and not ast.get_docstring(tree):
            bare.append(name_of(module))
        bare.extend(
            f"{name_of(module)}.{node.name}"
            for node in tree.body
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
            and not node.name.startswith("_")
            and not ast.get_docstring(node)
        )
    assert bare == []


@pytest.mark.parametrize("package", ["claims", "documents"])
def test_no_group_of_a_pattern_is_repeated_possessively(package: str) -> None:
    """Python 3.11.2 loops there or goes on behind what did not match (cpython issue 101955)."""
    found = [
        f"{name_of(module)}:{number}"
        for module in sorted((PACKAGE / package).rglob("*.py"))
        for number, line in enumerate(module.read_text(encoding="utf-8").splitlines(), start=1)
        if re.search(r"\)[?*+]\+", line)
    ]
    assert found == []
