"""Plugins are found by looking, and whatever is odd is loud."""

import hashlib
import importlib
import itertools
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.support import snapshot
from tests.support.memory import MemoryStore
from verifier import __version__, catalog
from verifier.errors import CatalogError, UnknownFormat
from verifier.model.plugin import Statistic

_NUMBERS = itertools.count()

GOOD = """
from verifier.model.plugin import Statistic

STATISTIC = Statistic(
    id={plugin_id!r}, title="Fake", formula="x", unit="none", source="here", estimate=float
)
"""

Package = Callable[[Mapping[str, str]], str]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Package:
    """A function that writes an importable package of these modules and gives its name."""

    def make(modules: Mapping[str, str]) -> str:
        # A new name each time: Python remembers packages that it has imported.
        name = f"plugins_{next(_NUMBERS)}_of_a_test"
        folder = tmp_path / name
        folder.mkdir()
        for module, source in {"__init__": "", **modules}.items():
            (folder / f"{module}.py").write_text(source, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        importlib.invalidate_caches()
        return name

    return make


def discover(package: str) -> Mapping[str, Statistic]:
    return catalog.discover(package, "STATISTIC", Statistic)


def refused(package: str) -> CatalogError:
    with pytest.raises(CatalogError) as caught:
        discover(package)
    assert caught.value.exit_code == 3
    return caught.value


def test_plugins_are_found_by_their_names_in_sorted_order(package: Package) -> None:
    name = package(
        {
            "top_share": GOOD.format(plugin_id="top-share"),
            "max": GOOD.format(plugin_id="max"),
            "_helper": "VALUE = 1",
        }
    )
    found = discover(name)
    assert list(found) == ["max", "top-share"]
    assert [plugin.id for plugin in found.values()] == ["max", "top-share"]
    with pytest.raises(TypeError):
        found["min"] = found["max"]  # type: ignore[index] # the catalogue is read-only


def test_a_module_without_the_constant_is_refused(package: Package) -> None:
    name = package({"max": GOOD.format(plugin_id="max"), "median": "VALUE = 1"})
    error = refused(name)
    assert error.message == f"{name}.median exports no STATISTIC of type Statistic"
    assert error.hint == f"Every module in {name} exports STATISTIC."


def test_a_constant_of_another_type_is_refused(package: Package) -> None:
    name = package({"median": "STATISTIC = 'median'"})
    assert refused(name).message == f"{name}.median exports no STATISTIC of type Statistic"


def test_a_plugin_with_the_id_of_another_module_is_refused(package: Package) -> None:
    source = GOOD.format(plugin_id="max")
    name = package({"max": source, "max_copy": source})
    error = refused(name)
    assert error.message == f"{name}.max_copy has id 'max'"
    assert error.hint == "The id is the module's name with hyphens."


def test_an_id_with_underscores_is_refused(package: Package) -> None:
    name = package({"top_share": GOOD.format(plugin_id="top_share")})
    assert refused(name).message == f"{name}.top_share has id 'top_share'"


def test_a_package_without_plugins_is_refused(package: Package) -> None:
    name = package({"_helper": "VALUE = 1"})
    error = refused(name)
    assert error.message == f"{name} holds no plugin"
    assert error.hint == "The installation is incomplete; install it again."


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import no_such_module_anywhere", "ModuleNotFoundError: No module named"),
        ("def broken(:", "SyntaxError: "),
        ("1 / 0", "ZeroDivisionError: division by zero"),
    ],
)
def test_a_module_that_cannot_be_imported_is_refused_and_named(
    package: Package, source: str, reason: str
) -> None:
    name = package({"max": GOOD.format(plugin_id="max"), "median": source})
    assert refused(name).message.startswith(f"{name}.median cannot be imported: {reason}")


def test_the_catalogue_is_the_committed_one() -> None:
    committed = json.loads(snapshot.PATH.read_text(encoding="utf-8"))
    assert snapshot.current() == committed, (
        "Something was added to the catalogue or vanished from it. When that is meant, run "
        "`python -m tests.support.snapshot` and commit tests/data/catalog.json."
    )


def test_the_snapshot_is_written_as_it_is_committed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "PATH", tmp_path / "catalog.json")
    snapshot.write()
    assert json.loads(snapshot.PATH.read_text(encoding="utf-8")) == snapshot.current()


@pytest.mark.parametrize("check_id", catalog.checks())
def test_every_check_has_a_page_that_says_what_to_do_after_a_mismatch(check_id: str) -> None:
    page = catalog.check_page(check_id)
    assert page.splitlines()[0].endswith(".")
    for part in ("Compared", "Basis: ", "Why it matters: ", "A mismatch"):
        assert f"\n\n{part}" in page, part


def test_schemas_are_found_by_name() -> None:
    names = catalog.SCHEMAS.names()
    assert list(names) == sorted(names)
    for name in names:
        assert catalog.SCHEMAS.get(name) == json.loads(catalog.SCHEMAS.text(name))
        assert catalog.SCHEMAS.get(name)["$id"] == f"urn:verifier:schema:{name}"


@pytest.mark.parametrize("name", ["comparison-9", "../pyproject", "", "policy-1.schema.json"])
def test_a_schema_that_does_not_exist_is_refused_with_the_known_names(name: str) -> None:
    with pytest.raises(CatalogError) as caught:
        catalog.SCHEMAS.get(name)
    assert caught.value.message == f"no schema {name!r}"
    assert caught.value.hint.startswith("Known schemas: ")
    assert "policy-1" in caught.value.hint


def test_schemas_of_an_installed_package_are_preferred_to_those_of_a_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "only-1.schema.json").write_text("{}", encoding="utf-8")
    (tmp_path / "schemas" / "README.md").write_text("", encoding="utf-8")
    monkeypatch.setattr("verifier.catalog.resources.files", lambda _: tmp_path)
    assert catalog.SCHEMAS.names() == ("only-1",)


def test_one_reader_recognises_a_published_record() -> None:
    store = MemoryStore({"comparison.json": b"{}"})
    assert catalog.reader_for(store).id == "published-record"


def test_a_folder_of_no_known_format_is_refused_by_its_name() -> None:
    with pytest.raises(UnknownFormat) as caught:
        catalog.reader_for(MemoryStore({"notes.txt": b"looks OK"}, name="upload"))
    assert caught.value.message == "upload: no known bundle format"
    assert "comparison.json" in caught.value.hint


def test_a_folder_of_two_formats_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    known = dict(catalog.readers())
    reader = known["published-record"]
    monkeypatch.setattr(catalog, "readers", lambda: {"a": reader, "b": reader})
    with pytest.raises(UnknownFormat) as caught:
        catalog.reader_for(MemoryStore({"comparison.json": b"{}"}, name="upload"))
    assert caught.value.message == (
        "upload: more than one format fits (published-record, published-record)"
    )


def test_the_program_names_itself_by_the_hash_of_its_sources() -> None:
    identity = catalog.identity()
    assert (identity.name, identity.version) == ("verifier", __version__)
    folder = Path(catalog.__file__).parent
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.py")}
    files |= {f"schemas/{path.name[:-12]}": path for path in (folder.parent / "schemas").iterdir()}
    expected = hashlib.sha256()
    for name, path in sorted(files.items()):
        expected.update(f"{name}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    assert identity.sha256 == expected.hexdigest()
