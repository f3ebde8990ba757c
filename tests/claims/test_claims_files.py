"""Claims files: from bytes to bindings."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from verifier.catalog import SCHEMAS
from verifier.claims.files import bindings
from verifier.model.claim import (
    Binding,
    Derived,
    Displayed,
    FigureValue,
    FileDigest,
    MeasureValue,
    Pointer,
    Problem,
    QuoteLocator,
    Source,
    TableLocator,
)

KLD = Pointer(file="a.json", pointer="/kld")
N = Pointer(file="a.json", pointer="/n")


def claim(**fields: Any) -> dict[str, Any]:
    """A claim that can be used, with changes; a field that is None is left out."""
    good = {"id": "kld", "quote": "the mean is {} nats", "source": "a.json#/kld"}
    return {key: value for key, value in (good | fields).items() if value is not None}


def encoded(*claims: Any, **fields: Any) -> bytes:
    return json.dumps({"format": "claims/1", "claims": claims} | fields).encode()


def read(data: bytes, name: str = "claims.json") -> tuple[tuple[Binding, ...], tuple[Problem, ...]]:
    return bindings(data, name=name, schemas=SCHEMAS)


def only(**fields: Any) -> Binding:
    """The binding of a file with one good claim."""
    found, problems = read(encoded(claim(**fields)))
    assert problems == ()
    (binding,) = found
    return binding


def complaints(*claims: Any, **fields: Any) -> list[tuple[str, str]]:
    """Places and messages of a file that gives no bindings."""
    found, problems = read(encoded(*claims, **fields))
    assert found == ()
    return [(problem.location, problem.message) for problem in problems]


def test_a_claim_is_a_binding() -> None:
    assert only() == Binding(
        id="kld",
        document="",
        at=QuoteLocator(quote="the mean is {} nats"),
        sources=(KLD,),
        location="claims.json#/claims/0",
    )


def test_a_claim_states_everything_that_a_binding_has() -> None:
    binding = only(
        document="r27/README.md",
        quote="{}/{}",
        source=None,
        sources=["a.json#/kld", "figure:fp8/kld"],
        unit="%",
        sign="dropped",
        kind="number",
        n="a.json#/n",
    )
    assert binding == Binding(
        id="kld",
        document="r27/README.md",
        at=QuoteLocator(quote="{}/{}"),
        sources=(KLD, FigureValue(id="fp8/kld")),
        unit="percent",
        sign="dropped",
        n=N,
        location="claims.json#/claims/0",
    )


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (
            {"table": 1, "row": 2, "column": 3},
            TableLocator(table=1, row=2, column=3),
        ),
        (
            {"table": "KLD", "row": "fp8", "column": "mean"},
            TableLocator(table="KLD", row="fp8", column="mean"),
        ),
        ({"row": "fp8", "column": 2.0}, TableLocator(table=None, row="fp8", column=2)),
    ],
)
def test_a_cell_is_named_by_numbers_or_texts(at: Mapping[str, Any], expected: TableLocator) -> None:
    assert only(quote=None, at=at).at == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("claim:before", Displayed(claim="before")),
        (
            {"difference": ["a.json#/kld", "a.json#/n"]},
            Derived(form="difference", operands=(KLD, N)),
        ),
        ({"ratio": ["a.json#/kld", "a.json#/n"]}, Derived(form="ratio", operands=(KLD, N))),
        (
            {"relative-change": ["claim:a", "claim:b"]},
            Derived(form="relative-change", operands=(Displayed(claim="a"), Displayed(claim="b"))),
        ),
        (
            {"percent-of": ["a.json#/kld", "a.json#/n"]},
            Derived(form="percent-of", operands=(KLD, N)),
        ),
        ({"sum": ["a.json#/kld", "a.json#/n"]}, Derived(form="sum", operands=(KLD, N))),
        ({"mean": ["a.json#/kld"]}, Derived(form="mean", operands=(KLD,))),
        ({"min": "a.json#/kld"}, Derived(form="min", operands=(KLD,))),
        (
            {"max": {"sum": ["a.json#/n"]}},
            Derived(form="max", operands=(Derived(form="sum", operands=(N,)),)),
        ),
        ({"count": "a.json#/kld"}, Derived(form="count", operands=(KLD,))),
        (
            {"measure": {"statistic": "mean", "arm": "fp8"}},
            MeasureValue(measure={"statistic": "mean", "arm": "fp8"}),
        ),
    ],
)
def test_a_source_is_a_text_or_an_object_with_one_form(source: Any, expected: Source) -> None:
    assert only(source=source).sources == (expected,)


def test_a_digest_is_an_identity_without_saying_so() -> None:
    binding = only(source="sha256:a.json")
    assert (binding.kind, binding.sources) == ("identity", (FileDigest(file="a.json"),))
    assert only(kind="identity").kind == "identity"


HINT = "; `verifier schemas claims-1` prints what a claims file may hold"
AT = "claims.json#/claims/0"


@pytest.mark.parametrize(
    ("fields", "place", "message"),
    [
        ({"id": None}, "", "expected a field id"),
        ({"colour": "red"}, "", "there is no field 'colour'; expected id, document, at, quote"),
        ({"quote": None}, "", "expected exactly one of the fields at or quote"),
        ({"at": {"row": 1, "column": 1}}, "", "expected exactly one of the fields at or quote"),
        ({"source": None}, "", "expected exactly one of the fields source or sources"),
        ({"sources": ["a.json#/n"]}, "", "expected exactly one of the fields source or sources"),
    ],
)
def test_a_field_that_is_missing_or_too_much_is_named(
    fields: Mapping[str, Any], place: str, message: str
) -> None:
    ((where, said),) = complaints(claim(**fields))
    assert where == f"{AT}{place}"
    assert said.startswith(message)
    assert said.endswith(HINT)


WANTED_ID = "expected an id of letters, digits and . _ + / - that starts with a letter or digit"
WANTED_QUOTE = "expected a text of 1 to 4000 characters, found "
WANTED_FORM = "expected a text or an object with one form, found "
WANTED_LABEL = "expected a number from 1, or a text, found "
WANTED_UNIT = "expected a unit such as ms, percent or token/s, found "


@pytest.mark.parametrize(
    ("fields", "place", "message"),
    [
        ({"id": "two words"}, "/id", f"{WANTED_ID}, found 'two words'"),
        ({"id": 7}, "/id", f"{WANTED_ID}, found 7"),
        ({"quote": "no"}, "/quote", "expected {} for each number that is bound, found 'no'"),
        (
            {"quote": "a\0{}"},
            "/quote",
            r"expected {} for each number that is bound, found 'a\x00{}'",
        ),
        ({"quote": 5}, "/quote", f"{WANTED_QUOTE}5"),
        ({"quote": ""}, "/quote", f"{WANTED_QUOTE}''"),
        ({"quote": "{}" + "x" * 4000}, "/quote", f"{WANTED_QUOTE}'{{}}{'x' * 78}...'"),
        ({"document": ""}, "/document", "expected a text of 1 to 4096 characters, found ''"),
        ({"document": {}}, "/document", "expected a text of 1 to 4096 characters, found an object"),
        ({"source": None, "sources": []}, "/sources", "expected a list of 1 to 64 sources, found"),
        ({"source": None, "sources": "a.json#/n"}, "/sources", "expected a list of 1 to 64"),
        ({"source": None, "sources": ["a.json#/n"] * 65}, "/sources", "expected a list of 1 to"),
        ({"source": None, "sources": ["a.json"]}, "/sources/0", "'a.json' is no source: expected"),
        ({"source": "../a.json#/x"}, "/source", "'../a.json#/x' does not name a file"),
        ({"source": 5}, "/source", f"{WANTED_FORM}5"),
        ({"source": {}}, "/source", f"{WANTED_FORM}an object with 0 fields"),
        ({"source": {"sum": "a.json#/n", "mean": "a.json#/n"}}, "/source", WANTED_FORM),
        ({"source": {"median": ["a.json#/n"]}}, "/source", "expected measure or one of difference"),
        ({"source": {"measure": {}}}, "/source/measure", "expected A measure as in figures.json"),
        ({"source": {"measure": "x"}}, "/source/measure", "expected A measure as in figures.json"),
        (
            {"source": {"ratio": "a.json#/n"}},
            "/source/ratio",
            "expected two sources for ratio, found 'a.json#/n'",
        ),
        ({"source": {"ratio": ["a.json#/n"]}}, "/source/ratio", "expected two sources for ratio"),
        ({"source": {"sum": []}}, "/source/sum", "expected a source, or 1 to 1000 of them for sum"),
        ({"source": {"sum": 7}}, "/source/sum", "expected a source, or 1 to 1000 of them for sum"),
        ({"source": {"sum": [7]}}, "/source/sum/0", f"{WANTED_FORM}7"),
        ({"source": {"sum": {"sum": "x"}}}, "/source/sum/sum", "'x' is no source"),
        ({"sign": "minus"}, "/sign", "expected same, flipped or dropped, found 'minus'"),
        ({"sign": []}, "/sign", "expected same, flipped or dropped, found a list of 0"),
        ({"kind": "digest"}, "/kind", "expected number or identity, found 'digest'"),
        ({"kind": True}, "/kind", "expected number or identity, found True"),
        ({"unit": ""}, "/unit", f"{WANTED_UNIT}''"),
        ({"unit": 5}, "/unit", f"{WANTED_UNIT}5"),
        ({"n": 32}, "/n", f"{WANTED_FORM}32"),
        (
            {"quote": None, "at": {"row": 1}},
            "/at",
            "expected the fields row and column, and table if need be, found 'row'",
        ),
        ({"quote": None, "at": 5}, "/at", "expected the fields row and column"),
        ({"quote": None, "at": {"row": 0, "column": 1}}, "/at/row", f"{WANTED_LABEL}0"),
        (
            {"quote": None, "at": {"row": 1, "column": ""}},
            "/at/column",
            "expected a text of 1 to 4000 characters, found ''",
        ),
        ({"quote": None, "at": {"row": True, "column": 1}}, "/at/row", f"{WANTED_LABEL}True"),
        ({"quote": None, "at": {"row": 1.5, "column": 1}}, "/at/row", f"{WANTED_LABEL}1.5"),
        ({"quote": None, "at": {"row": 10**6 + 1, "column": 1}}, "/at/row", WANTED_LABEL),
        ({"quote": None, "at": {"row": None, "column": 1}}, "/at/row", f"{WANTED_LABEL}None"),
        ({"quote": None, "at": {"row": 1, "column": 1, "x": 1}}, "/at", "expected the fields row"),
        ({"quote": None, "at": {"table": [], "row": 1, "column": 1}}, "/at/table", WANTED_LABEL),
    ],
)
def test_a_field_of_the_wrong_kind_is_told_with_what_was_expected(
    fields: Mapping[str, Any], place: str, message: str
) -> None:
    ((where, said),) = complaints(claim(**fields))
    assert where == f"{AT}{place}"
    assert said.startswith(message)


@pytest.mark.parametrize(
    ("fields", "place", "message"),
    [
        (
            {"kind": "identity", "source": None, "sources": ["a.json#/a", "a.json#/b"]},
            "/sources",
            "an identity has one source, found 2",
        ),
        (
            {"kind": "number", "source": "sha256:a.json"},
            "/kind",
            "sha256:FILE is a digest and no number; bind it in an entry of its own",
        ),
        (
            {"kind": "identity", "quote": "{} {}"},
            "/quote",
            "2 times {}; a quote of this kind has at most 1",
        ),
        ({"quote": "{}" * 65}, "/quote", "65 times {}; a quote of this kind has at most 64"),
        (
            {"unit": "furlong"},
            "/unit",
            "expected a unit such as ms, percent or token/s, found 'furlong'",
        ),
    ],
)
def test_what_no_schema_can_say_is_said_all_the_same(
    fields: Mapping[str, Any], place: str, message: str
) -> None:
    assert complaints(claim(**fields)) == [(f"{AT}{place}", message)]


def nested(depth: int) -> Any:
    source: Any = "a.json#/n"
    for _ in range(depth):
        source = {"sum": [source]}
    return source


def test_forms_are_nested_eight_deep_at_most() -> None:
    only(source=nested(8))
    place = "/sum/0" * 8
    assert complaints(claim(source=nested(9))) == [
        (f"{AT}/source{place}", "forms within forms, more than 8 deep")
    ]


def test_a_wrong_claim_leaves_the_others_alone() -> None:
    found, problems = read(encoded(claim(id="a"), claim(id="b", source="x"), claim(id="c")))
    assert [(item.id, item.location) for item in found] == [
        ("a", "claims.json#/claims/0"),
        ("c", "claims.json#/claims/2"),
    ]
    assert [problem.location for problem in problems] == ["claims.json#/claims/1/source"]


def test_every_fault_of_a_claim_is_told() -> None:
    places = [where for where, _ in complaints(claim(id="", sign="x", n=1))]
    assert sorted(places) == [f"{AT}/id", f"{AT}/n", f"{AT}/sign"]


def test_an_id_that_occurs_twice_is_a_problem_of_the_second() -> None:
    found, problems = read(encoded(claim(), claim(quote="{} other")))
    assert [item.location for item in found] == ["claims.json#/claims/0"]
    assert problems == (
        Problem(
            location="claims.json#/claims/1/id",
            message="the id kld is taken by claims.json#/claims/0",
        ),
    )


@pytest.mark.parametrize("entry", [None, [], "kld", 5, True])
def test_an_entry_that_is_no_object_is_a_problem(entry: Any) -> None:
    ((place, message),) = complaints(entry)
    assert place == AT
    assert message.startswith(
        "expected Numbers of a document, or one identity, and where they come"
    )


def test_a_file_of_nothing_but_problems_names_the_first_hundred() -> None:
    found, problems = read(encoded(*[claim(source="x")] * 5000))
    assert found == ()
    assert len(problems) == 102
    assert problems[-1] == Problem(
        location="claims.json", message="more than 100 problems; correct those first"
    )


@pytest.mark.parametrize(
    ("fields", "place", "message"),
    [
        ({"format": "claims/2"}, "/format", "expected The format and its version (const"),
        ({"claims": {}}, "/claims", "expected One entry for each claim"),
        ({"extra": 1}, "", "there is no field 'extra'; expected format, claims, review"),
        ({"review": "look"}, "/review", "expected What a person has still to look at"),
        ({"review": [1]}, "/review/0", "expected "),
    ],
)
def test_a_file_that_is_no_claims_file_gives_nothing(
    fields: Mapping[str, Any], place: str, message: str
) -> None:
    ((where, said),) = complaints(claim(), **fields)
    assert where == f"claims.json#{place}"
    assert said.startswith(message)


@pytest.mark.parametrize("data", [b"[]", b"5", b'"claims/1"', b"null", b"{}"])
def test_a_file_of_something_else_is_told_what_is_expected(data: bytes) -> None:
    found, problems = read(data)
    assert found == ()
    assert problems
    assert {problem.location for problem in problems} == {"claims.json#"}


def test_a_file_with_too_many_claims_gives_nothing() -> None:
    data = b'{"format": "claims/1", "claims": [' + b"0," * 100_000 + b"0]}"
    found, problems = read(data)
    assert found == ()
    assert problems == (
        Problem(
            location="claims.json",
            message="expected format claims/1 and a list of at most 100000 claims",
        ),
    )


def test_what_a_person_has_to_review_binds_nothing() -> None:
    found, problems = read(encoded(claim(), review=["row fp8: two candidates"]))
    assert ([item.id for item in found], problems) == (["kld"], ())


@pytest.mark.parametrize(
    ("data", "location", "message"),
    [
        (b"", "claims.json", "claims.json: empty file, expected a JSON document"),
        (b"{", "claims.json", "claims.json: line 1 column 2:"),
        (b"\xff{}", "claims.json", "claims.json: line 1 column 1: byte 0xff is not UTF-8"),
        (
            b'{"format": 1, "format": 1}',
            "claims.json#/format",
            "claims.json#/format: duplicate key",
        ),
        (b'{"a": NaN}', "claims.json#/a", "claims.json#/a: NaN is not a JSON number"),
        (b"[" * 100, "claims.json", "claims.json: line 1 column 65: nested deeper"),
    ],
)
def test_a_file_that_is_no_strict_json_gives_nothing(
    data: bytes, location: str, message: str
) -> None:
    found, problems = read(data)
    assert found == ()
    assert [problem.location for problem in problems] == [location]
    assert problems[0].message.startswith(message)


TOML = """
format = "claims/1"

[[claims]]
id = "kld"
document = "README.md"
quote = '''
the mean
is {} nats'''
source = "a.json#/kld"

[[claims]]
id = "gain"
at = { table = 1, row = "fp8", column = "gain" }
source.relative-change = ["a.json#/kld", { sum = "a.json#/n" }]
unit = "percent"
"""


def test_a_claims_file_may_be_toml() -> None:
    found, problems = read(TOML.encode(), "claims.TOML")
    assert problems == ()
    assert [item.location for item in found] == ["claims.TOML#/claims/0", "claims.TOML#/claims/1"]
    assert found[0].at == QuoteLocator(quote="the mean\nis {} nats")
    assert found[1].at == TableLocator(table=1, row="fp8", column="gain")
    total = Derived(form="sum", operands=(N,))
    assert found[1].sources == (Derived(form="relative-change", operands=(KLD, total)),)
    assert found[1].unit == "percent"


@pytest.mark.parametrize(
    ("text", "location", "message"),
    [
        ("format = ", "claims.toml", "no TOML: 'Invalid value (at end of document)'"),
        ("a = 1\na = 2", "claims.toml", "no TOML: 'Cannot overwrite a value"),
        ("a = " + "[" * 2000, "claims.toml", "no TOML that can be read: nested too deeply"),
        ("a = " + "9" * 5000, "claims.toml", "no TOML: "),
        ("a = 0x" + "9" * 500, "claims.toml#/a", "expected what JSON can hold, found int"),
        ("a.b = [1, nan]", "claims.toml#/a/b/1", "expected what JSON can hold, found float nan"),
        ("a = 2026-09-09", "claims.toml#/a", "expected what JSON can hold, found date 2026-09-09"),
        ("a = " + "[" * 70 + "]" * 70, "claims.toml#/a" + "/0" * 63, "nested deeper than 64"),
        ("x = 1\n" + "a." * 65 + "a = 1", "claims.toml", "line 2: a key of more than 64 parts"),
        ("[" + "a . " * 65 + "a]", "claims.toml", "line 1: a key of more than 64 parts"),
        ('"a".' * 65 + "a = 1", "claims.toml", "line 1: a key of more than 64 parts"),
        ("'a'." * 65 + "a = 1", "claims.toml", "line 1: a key of more than 64 parts"),
    ],
)
def test_a_file_that_is_no_plain_toml_gives_nothing(text: str, location: str, message: str) -> None:
    found, problems = read(text.encode(), "claims.toml")
    assert found == ()
    assert [problem.location for problem in problems] == [location]
    assert problems[0].message.startswith(message)


@pytest.mark.parametrize(
    "text",
    [
        "# " + "a." * 100,
        "review = ['" + "a." * 100 + "']",
        'review = ["' + "a." * 100 + '"]',
        "review = ['''" + "a.'" * 100 + "''']",
        'review = ["""' + 'a.\\"' * 100 + '"""]',
        "review = ['', \"\"] # ''' " + "a." * 100,
    ],
)
def test_dots_that_part_no_key_are_no_long_key(text: str) -> None:
    toml = TOML.replace('format = "claims/1"\n', f'format = "claims/1"\n{text}\n')
    found, problems = read(toml.encode(), "claims.toml")
    assert problems == ()
    assert [item.id for item in found] == ["kld", "gain"]


def test_a_file_in_another_encoding_gives_nothing() -> None:
    found, problems = read(b"a = '\xff'", "claims.toml")
    assert found == ()
    assert problems == (
        Problem(
            location="claims.toml", message="line 1: byte 0xff is not UTF-8; save the file as UTF-8"
        ),
    )


def test_a_file_over_the_limit_gives_nothing() -> None:
    for name, most in (("claims.toml", 2 * 1024 * 1024), ("claims.json", 8 * 1024 * 1024)):
        found, problems = read(b"#" * (most + 1), name)
        assert found == ()
        assert f"over the limit of {most}" in problems[0].message


def test_of_a_claim_with_hundreds_of_values_only_the_first_fault_is_told() -> None:
    source = {"sum": ["a.json#/n"] * 300}
    assert complaints(claim(id="", sign="x", source=source)) == [
        (f"{AT}/id", f"{WANTED_ID}, found ''")
    ]


TEXTS = st.sampled_from(
    ["", "kld", "a b", "{}", "a {} b", "{} {}", "a.json#/x", "a.json#", "../a#/x", "figure:a",
     "claim:a", "claim:", "sha256:a.json", "same", "flipped", "identity", "number", "ms", "x\0{}"]
)  # fmt: skip
SCALARS = (
    TEXTS | st.none() | st.booleans() | st.integers(-1, 2) | st.sampled_from([1.0, 1.5, 1e300])
)
FORMS = ["difference", "ratio", "sum", "count", "percent-of", "measure", "other"]
SOURCES = st.recursive(
    TEXTS | SCALARS,
    lambda inner: st.dictionaries(
        st.sampled_from(FORMS), inner | st.lists(inner, max_size=3), max_size=2
    ),
    max_leaves=6,
)
CELLS = SCALARS | st.dictionaries(st.sampled_from(["table", "row", "column", "x"]), SCALARS)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "id": SCALARS,
    "document": SCALARS,
    "at": CELLS,
    "quote": SCALARS,
    "source": SOURCES,
    "sources": SCALARS | st.lists(SOURCES, max_size=3),
    "unit": SCALARS,
    "sign": SCALARS,
    "kind": SCALARS,
    "n": SOURCES,
    "extra": SCALARS,
}
CHANGES = st.fixed_dictionaries({}, optional=FIELDS)
VALIDATOR = Draft202012Validator(
    {"$ref": "#/$defs/claim", "$defs": SCHEMAS.get("claims-1")["$defs"]}
)
BEYOND = (
    "an identity has",
    "sha256:FILE is a digest",
    "2 times {}",
    "expected a unit such as",
    "forms within forms",
)
"""Messages of rules that the schema does not have."""


@given(CHANGES, st.booleans())
def test_a_claim_is_read_exactly_when_the_schema_allows_it(
    changes: dict[str, Any],
    by_cell: bool,  # noqa: FBT001 - hypothesis passes by position
) -> None:
    base = claim(quote=None, at={"row": 1, "column": 1}) if by_cell else claim()
    entry = base | changes
    found, problems = read(encoded(entry))
    if VALIDATOR.is_valid(entry):
        assert found or problems[0].message.startswith(BEYOND)
        assert not (found and problems)
    else:
        assert found == ()
        assert problems
        assert all(problem.location.startswith(AT) for problem in problems)


@given(st.binary(max_size=40) | st.text(max_size=40).map(str.encode))
def test_no_file_makes_the_reader_raise(data: bytes) -> None:
    for name in ("claims.json", "claims.toml"):
        found, problems = read(data, name)
        assert found == ()
        assert problems


def test_the_schema_obeys_draft_2020_12_and_describes_every_field() -> None:
    schema = SCHEMAS.get("claims-1")
    Draft202012Validator.check_schema(schema)
    parts = [schema, *schema["$defs"].values()]
    for part in parts:
        assert part["description"]
        for field in part.get("properties", {}).values():
            assert field["description"]
