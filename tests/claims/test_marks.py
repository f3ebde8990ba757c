"""Inline marks: comments that bind numbers."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.support.claim_documents import document, marked_text, text
from verifier.claims.marks import marked
from verifier.model.claim import Binding, Displayed, FigureValue, FileDigest, Pointer, Source
from verifier.model.document import NO_PLACE, Block, Document, Mark

KLD = Pointer(file="a.json", pointer="/kld")


def only(words: str) -> Binding:
    """The binding of the only mark of a paragraph."""
    bindings, problems = marked(document(marked_text(words)))
    assert problems == ()
    (binding,) = bindings
    return binding


def complaint(words: str) -> str:
    """What is said of the only mark of a paragraph, without the hint."""
    bindings, problems = marked(document(marked_text(words)))
    assert bindings == ()
    (problem,) = problems
    said, hint = problem.message.split("; a mark reads ")
    assert hint == "`claim: SOURCE` or `claim: ID = SOURCE, SOURCE; unit=ms`"
    return said


def test_a_mark_without_an_id_is_called_after_its_place() -> None:
    doc = document("Words.", marked_text("The mean\nis 0.5<!-- claim: a.json#/kld --> nats."))
    bindings, problems = marked(doc)
    assert problems == ()
    assert bindings == (
        Binding(
            id="mark-4-7",
            document="",
            at=None,
            mark=(1, 15),
            sources=(KLD,),
            location="README.md:4:7",
        ),
    )


@pytest.mark.parametrize(
    ("content", "claim", "sources"),
    [
        ("claim: a.json#/kld", "mark-1-2", (KLD,)),
        ("claim:a.json#/kld", "mark-1-2", (KLD,)),
        ("\n  claim:\n  a.json#/kld\n", "mark-1-2", (KLD,)),
        ("claim: kld = a.json#/kld", "kld", (KLD,)),
        ("claim: kld=a.json#/kld", "kld", (KLD,)),
        ("claim: kld = a.json#/x=y", "kld", (Pointer(file="a.json", pointer="/x=y"),)),
        ("claim: a.json#/x=y", "mark-1-2", (Pointer(file="a.json", pointer="/x=y"),)),
        ("claim: figure:a=b", "mark-1-2", (FigureValue(id="a=b"),)),
        (
            "claim: a.json#/kld, claim:b,figure:c d",
            "mark-1-2",
            (KLD, Displayed(claim="b"), FigureValue(id="c d")),
        ),
    ],
)
def test_a_mark_names_its_sources_and_maybe_itself(
    content: str, claim: str, sources: Sequence[Source]
) -> None:
    binding = only(f"5<!--{content}-->")
    assert (binding.id, binding.sources) == (claim, sources)
    assert (binding.unit, binding.sign, binding.kind, binding.n) == ("", "same", "number", None)


def test_a_mark_states_what_a_claims_file_can() -> None:
    binding = only("5<!-- claim: a.json#/kld; unit = nats ;sign=flipped; n=a.json#/n -->")
    assert binding.unit == "nat"
    assert binding.sign == "flipped"
    assert binding.n == Pointer(file="a.json", pointer="/n")


def test_a_mark_of_a_digest_is_an_identity_without_saying_so() -> None:
    binding = only("5<!--claim: sha256:a.json-->")
    assert (binding.kind, binding.sources) == ("identity", (FileDigest(file="a.json"),))
    assert only("5<!--claim: a.json#/image; kind=identity-->").kind == "identity"


@pytest.mark.parametrize("content", ["a.json#/kld", "Claim: a.json#/kld", "claims: a", "", "claim"])
def test_a_comment_that_does_not_begin_with_claim_is_no_mark(content: str) -> None:
    assert marked(document(marked_text(f"5<!--{content}-->"))) == ((), ())


def test_only_comments_are_marks() -> None:
    code = Mark(kind="code", start=0, end=5, value="claim: a.json#/kld")
    assert marked(document(text("claim", code))) == ((), ())


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("claim:", "'' is no source: expected FILE#/pointer, figure:ID, claim:ID or sha256:FILE"),
        ("claim: kld", "'kld' is no source: expected FILE#/pointer"),
        ("claim: kld =", "'' is no source"),
        ("claim: -kld = a.json#/kld", "expected an id of letters, digits and . _ + / - that"),
        ("claim: a.json#/kld,", "'' is no source"),
        ("claim: a.json#/kld; x=red", "expected unit=, sign=, kind= or n= once each, found 'x'"),
        ("claim: a.json#/kld;", "expected unit=, sign=, kind= or n= once each, found ''"),
        (
            "claim: a.json#/kld; n=a.json#/n; n=a.json#/m",
            "expected unit=, sign=, kind= or n= once each, found 'n' a second time",
        ),
        ("claim: a.json#/kld; sign=minus", "expected same, flipped or dropped, found 'minus'"),
        ("claim: a.json#/kld; unit=", "expected a unit such as ms, percent or token/s, found ''"),
        (
            "claim: a.json#/kld; unit=furlong",
            "expected a unit such as ms, percent or token/s, found 'furlong'",
        ),
        ("claim: a.json#/kld; kind=digest", "expected number or identity, found 'digest'"),
        ("claim: a.json#/kld; n=7", "'7' is no source"),
        ("claim: sha256:a.json, a.json#/kld", "sha256:FILE is a digest and no number; bind it"),
        ("claim: sha256:a.json; kind=number", "sha256:FILE is a digest and no number; bind it"),
        ("claim: sha256:a.json, sha256:b.json", "an identity has one source, found 2"),
        ("claim: " + "a.json#/kld," * 64 + "a.json#/kld", "65 sources; a mark has at most 64"),
        ("claim: ../a.json#/kld", "'../a.json#/kld' does not name a file: expected a relative"),
    ],
)
def test_a_mark_that_cannot_be_read_is_a_problem(content: str, expected: str) -> None:
    assert complaint(f"5<!--{content}-->").startswith(expected)


def test_the_problem_of_a_mark_has_its_place_and_the_other_marks_stay() -> None:
    doc = document("One.", marked_text("5<!--claim: x--> and 6<!--claim: a.json#/kld-->"))
    bindings, problems = marked(doc)
    assert [problem.location for problem in problems] == ["README.md:3:2"]
    assert [binding.location for binding in bindings] == ["README.md:3:8"]


def test_two_marks_of_one_id_are_a_problem() -> None:
    words = "5<!--claim: a = a.json#/x--> 6<!--claim: a = a.json#/y-->"
    bindings, problems = marked(document(marked_text(words)))
    assert [binding.sources for binding in bindings] == [(Pointer(file="a.json", pointer="/x"),)]
    assert problems[0].location == "README.md:1:4"
    assert problems[0].message.startswith("the id a is taken by that at README.md:1:2; a mark")


def test_marks_in_one_place_have_names_of_their_own() -> None:
    mark = "<!--claim: a.json#/kld-->"
    bindings, problems = marked(document(marked_text(f"5{mark}{mark}{mark}")))
    assert problems == ()
    assert [item.id for item in bindings] == ["mark-1-2", "mark-1-2-2", "mark-1-2-3"]


def marked_at(block: Block, offsets: Sequence[int]) -> str:
    source = "first line\nsecond line\n"
    doc = Document(
        name="a.md",
        format="markdown",
        source=source,
        blocks=(replace(block, offsets=offsets, line=2),),
    )
    bindings, _ = marked(doc)
    return bindings[0].location


@pytest.mark.parametrize(
    ("words", "offsets", "expected"),
    [
        ("<!--claim: a.json#/kld-->", (), "a.md:2:1"),
        ("<!--claim: a.json#/kld-->xy", (11, 12), "a.md:2:1"),
        ("xy<!--claim: a.json#/kld-->", (11, 12), "a.md:2:3"),
        ("xy<!--claim: a.json#/kld-->", (11, NO_PLACE), "a.md:2:2"),
        ("xy<!--claim: a.json#/kld-->", (NO_PLACE, NO_PLACE), "a.md:2:1"),
        ("e\n<!--claim: a.json#/kld-->", (9, 10), "a.md:2:1"),
        ("e" + "." * 64 + "<!--claim: a.json#/kld-->", (9, *[NO_PLACE] * 64), "a.md:2:1"),
    ],
)
def test_a_mark_stands_behind_the_last_character_that_has_a_place(
    words: str, offsets: Sequence[int], expected: str
) -> None:
    assert marked_at(marked_text(words), offsets) == expected
