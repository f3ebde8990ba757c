"""Find readers, checks, statistics and renderers by looking into their folders.

Adding one is adding one file that exports one constant. Anything odd is a loud error, because a
plugin that silently vanishes is a check that silently passes. A committed snapshot
(tests/data/catalog.json) shows every addition and deletion in review.
"""

import hashlib
import importlib
import json
import pkgutil
from collections.abc import Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, Protocol, TypeVar

from verifier import __version__
from verifier.errors import CatalogError, UnknownFormat
from verifier.model.document import DocumentFormat
from verifier.model.files import Store
from verifier.model.plugin import Check, Reader, Renderer, Statistic
from verifier.model.report import VerifierIdentity


class _Named(Protocol):
    @property
    def id(self) -> str: ...


T = TypeVar("T", bound=_Named)


def discover(package: str, constant: str, kind: type[T]) -> Mapping[str, T]:
    """Every plugin of one package, by id, in sorted order.

    A module whose name starts with an underscore is a helper and is passed over.

    Raises:
        CatalogError: a module cannot be imported, lacks the constant, it has another type, its id
            is not the module's name with hyphens, or the package holds no plugin at all.
    """
    found: dict[str, T] = {}
    for info in sorted(pkgutil.iter_modules(importlib.import_module(package).__path__)):
        if info.name.startswith("_"):
            continue
        plugin = getattr(_imported(f"{package}.{info.name}"), constant, None)
        if not isinstance(plugin, kind):
            message = f"{package}.{info.name} exports no {constant} of type {kind.__name__}"
            raise CatalogError(message, hint=f"Every module in {package} exports {constant}.")
        if plugin.id != info.name.replace("_", "-"):
            message = f"{package}.{info.name} has id {plugin.id!r}"
            raise CatalogError(message, hint="The id is the module's name with hyphens.")
        found[plugin.id] = plugin
    if not found:
        message = f"{package} holds no plugin"
        raise CatalogError(message, hint="The installation is incomplete; install it again.")
    return MappingProxyType(found)


def _imported(module: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except Exception as error:
        message = f"{module} cannot be imported: {type(error).__name__}: {error}"
        raise CatalogError(
            message, hint="The installation is incomplete; install it again."
        ) from error


@cache
def checks() -> Mapping[str, Check]:
    """Every check, by id."""
    return discover("verifier.checks", "CHECK", Check)


@cache
def readers() -> Mapping[str, Reader]:
    """Every bundle format, by id."""
    return discover("verifier.formats", "READER", Reader)


@cache
def statistics() -> Mapping[str, Statistic]:
    """Every statistic, by id."""
    return discover("verifier.stats", "STATISTIC", Statistic)


@cache
def renderers() -> Mapping[str, Renderer]:
    """Every output format, by id."""
    return discover("verifier.render", "RENDERER", Renderer)


@cache
def document_formats() -> Mapping[str, DocumentFormat]:
    """Every reader of documents, by id."""
    return discover("verifier.documents", "DOCUMENT", DocumentFormat)


def check_page(check_id: str) -> str:
    """The published page of a check: its module docstring."""
    module = importlib.import_module(f"verifier.checks.{check_id.replace('-', '_')}")
    return (module.__doc__ or "").strip()


def reader_for(store: Store) -> Reader:
    """The one reader that recognises the files.

    Raises:
        UnknownFormat: no reader does, or more than one.
    """
    matching = [reader for reader in readers().values() if reader.recognises(store)]
    if len(matching) == 1:
        return matching[0]
    if matching:
        names = ", ".join(reader.id for reader in matching)
        message = f"{store.name}: more than one format fits ({names})"
        raise UnknownFormat(message, hint="Keep one bundle per folder.")
    message = f"{store.name}: no known bundle format"
    raise UnknownFormat(
        message,
        hint="A bundle holds bundle.json (our format) or comparison.json (a published record).",
    )


class PackagedSchemas:
    """The JSON Schemas that the wheel carries (``schemas/`` in a checkout)."""

    def names(self) -> tuple[str, ...]:
        """Every schema id, sorted."""
        suffix = ".schema.json"
        return tuple(
            sorted(
                entry.name.removesuffix(suffix)
                for entry in _schema_folder().iterdir()
                if entry.name.endswith(suffix)
            )
        )

    def text(self, name: str) -> str:
        """One schema as its file holds it.

        Raises:
            CatalogError: there is no such schema.
        """
        if name not in self.names():
            message = f"no schema {name!r}"
            raise CatalogError(message, hint=f"Known schemas: {', '.join(self.names())}.")
        return _schema_folder().joinpath(f"{name}.schema.json").read_text(encoding="utf-8")

    def get(self, name: str) -> Mapping[str, Any]:
        """One schema document.

        Raises:
            CatalogError: there is no such schema.
        """
        return _parsed(name)


SCHEMAS = PackagedSchemas()


@cache
def _parsed(name: str) -> Mapping[str, Any]:
    document: Mapping[str, Any] = json.loads(SCHEMAS.text(name))
    return document


def _schema_folder() -> Traversable:
    packaged = resources.files("verifier").joinpath("schemas")
    if packaged.is_dir():
        return packaged
    return Path(__file__).parent.parent / "schemas"


@cache
def identity() -> VerifierIdentity:
    """Name, version and the SHA-256 over every source file and schema of the installed package.

    Hashed are name, length and content of each, so a checkout and its wheel give the same.
    """
    folder = Path(__file__).parent
    sources = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.py")}
    contents = {name: path.read_bytes() for name, path in sources.items()}
    contents |= {f"schemas/{name}": SCHEMAS.text(name).encode() for name in SCHEMAS.names()}
    sha256 = hashlib.sha256()
    for name in sorted(contents):
        sha256.update(f"{name}\0{len(contents[name])}\0".encode())
        sha256.update(contents[name])
    return VerifierIdentity(name="verifier", version=__version__, sha256=sha256.hexdigest())
