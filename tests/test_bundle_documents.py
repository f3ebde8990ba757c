"""Which listed documents are read, as what, and what is said of those that cannot be."""

from collections.abc import Mapping

import pytest

from tests.support.memory import MemoryStore
from verifier import bundle_documents
from verifier.bundle_documents import format_of, held_documents
from verifier.catalog import SCHEMAS, document_formats
from verifier.model.bundle import ListedDocument
from verifier.model.claim import FigureValue, HeldDocument, Problem, QuoteLocator
from verifier.model.files import FileKind

CLAIMS = (
    b'{"format": "claims/1", "claims":'
    b' [{"id": "windows", "quote": "Over {}", "source": "figure:windows"}]}'
)
TEXT = b"# Title\n\nOver 2 windows.\n"


def listed(path: str, claims: str = "") -> ListedDocument:
    return ListedDocument(path=path, claims=claims, location=f"bundle.json#/documents/{path}")


def held(
    *entries: ListedDocument,
    files: Mapping[str, bytes],
    others: Mapping[str, FileKind] | None = None,
) -> list[HeldDocument]:
    store = MemoryStore(files, others=others)
    return list(held_documents(entries, store, SCHEMAS, document_formats()))


def problem(path: str, message: str) -> Problem:
    return Problem(location=f"bundle.json#/documents/{path}", message=message)


@pytest.mark.parametrize(
    ("name", "reader"),
    [
        ("README.md", "markdown"),
        ("docs/RESULTS.MD", "markdown"),
        ("a.markdown", "markdown"),
        ("page.html", "html"),
        ("page.htm", "html"),
        ("page.rst", "rst"),
        ("notes.txt", "plain"),
    ],
)
def test_a_document_is_read_by_the_ending_of_its_name(name: str, reader: str) -> None:
    found = format_of(name, document_formats())
    assert found is not None
    assert found.id == reader


@pytest.mark.parametrize("name", ["startup.log", "README", "md", "a.md/b", "a.md.gz", ""])
def test_another_ending_is_read_by_nobody(name: str) -> None:
    assert format_of(name, document_formats()) is None


def test_a_page_is_read_with_the_bindings_of_its_claims_file() -> None:
    (page,) = held(listed("page.md", "claims.json"), files={"page.md": TEXT, "claims.json": CLAIMS})

    assert page.path == "page.md"
    assert page.location == "bundle.json#/documents/page.md"
    assert page.problems == ()
    assert page.document is not None
    assert (page.document.name, page.document.format) == ("page.md", "markdown")
    assert page.document.source == TEXT.decode()
    assert [block.text for block in page.document.blocks] == ["Title", "Over 2 windows."]
    (binding,) = page.bindings
    assert binding.at == QuoteLocator(quote="Over {}")
    assert binding.sources == (FigureValue(id="windows"),)
    assert binding.location == "claims.json#/claims/0"


def test_a_page_without_a_claims_file_is_read_without_bindings() -> None:
    (page,) = held(listed("page.md"), files={"page.md": TEXT, "claims.json": CLAIMS})

    assert page.document is not None
    assert (page.bindings, page.problems) == ((), ())


def test_a_log_is_read_as_plain_text_only_with_a_claims_file() -> None:
    files = {"a.log": TEXT, "b.log": TEXT, "claims.json": CLAIMS}

    (page,) = held(listed("a.log"), listed("b.log", "claims.json"), files=files)

    assert page.path == "b.log"
    assert page.document is not None
    assert page.document.format == "plain"


def test_documents_keep_the_order_of_the_list() -> None:
    found = held(listed("b.md"), listed("a.txt"), files={"a.txt": TEXT, "b.md": TEXT})
    assert [page.path for page in found] == ["b.md", "a.txt"]


def test_a_document_that_is_gone_is_passed_over() -> None:
    assert held(listed("page.md", "claims.json"), files={"claims.json": CLAIMS}) == []


def test_a_document_whose_claims_file_is_gone_is_read_without_bindings() -> None:
    (page,) = held(listed("page.md", "claims.json"), files={"page.md": TEXT})

    assert page.document is not None
    assert (page.bindings, page.problems) == ((), ())


def test_a_link_in_the_place_of_a_document_is_not_followed() -> None:
    assert held(listed("page.md"), files={}, others={"page.md": "symlink"}) == [
        HeldDocument(
            path="page.md",
            location="bundle.json#/documents/page.md",
            document=None,
            problems=(problem("page.md", "page.md: no such regular file"),),
        )
    ]


def test_a_pipe_in_the_place_of_a_claims_file_is_not_opened() -> None:
    (page,) = held(
        listed("page.md", "claims.json"), files={"page.md": TEXT}, others={"claims.json": "fifo"}
    )

    assert page.document is None
    assert page.problems == (problem("page.md", "claims.json: no such regular file"),)


def test_a_document_that_is_not_utf_8_names_the_first_wrong_byte() -> None:
    (page,) = held(listed("page.md"), files={"page.md": b"Over \xc3( windows."})

    assert page.document is None
    assert page.problems == (problem("page.md", "page.md: not UTF-8 at byte 5"),)


def test_a_broken_claims_file_leaves_the_document_readable() -> None:
    (page,) = held(listed("page.md", "claims.json"), files={"page.md": TEXT, "claims.json": b"[]"})

    assert page.document is not None
    assert page.bindings == ()
    assert [found.location for found in page.problems] == ["claims.json#"]


def test_one_bad_entry_of_a_claims_file_spares_the_others() -> None:
    claims = CLAIMS.replace(b'"claims": [', b'"claims": [{"id": "bad"}, ')
    (page,) = held(listed("page.md", "claims.json"), files={"page.md": TEXT, "claims.json": claims})

    assert [binding.id for binding in page.bindings] == ["windows"]
    assert {found.location for found in page.problems} == {"claims.json#/claims/0"}


def test_documents_over_the_limit_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle_documents, "MOST_BYTES", 6)

    first, second = held(listed("a.md"), listed("b.md"), files={"a.md": b"1234", "b.md": b"123"})

    assert first.problems == ()
    assert second.document is None
    message = "b.md: 3 bytes, over the limit of 6 bytes for the documents of a bundle"
    assert second.problems == (problem("b.md", message),)
