"""Values of data files: exact where they are there, and a place and a reason where they are not."""

from decimal import Decimal

import pytest

from tests.support.memory_files import MemoryFiles, data_files
from verifier import jsontext
from verifier.claims import _data_formats
from verifier.claims.data import DataFiles
from verifier.errors import StoreError
from verifier.model.claim import Absent, Found, Pointer

RECORD = """{
  "arms": {
    "fp8": {"kld": 0.0319451732000, "interval": [0.0268, 3.87e-2], "printed": "0.0354562238"},
    "nvfp4": {"kld": 0.0354562238, "interval": [0.0295, 0.0434], "printed": "about 0.03"}
  },
  "windows": [
    {"id": "0056", "kld": 1.5, "excluded": true, "rows": [1, 2]},
    {"id": "0008", "kld": 2.5, "excluded": false, "rows": [3]}
  ],
  "nested": [[1, 2], [3, 4]],
  "mixed": [1, null, 3],
  "nothing": null,
  "empty": [],
  "none": {},
  "big": 9223372036854775807,
  "tiny": 1e-99999999,
  "a/b": {"m~n": 7},
  "": 8,
  "*": 9,
  "digits": "6182f750515d3d0a",
  "commit": "7e1234567"
}"""
DATA = data_files({"record.json": RECORD, "empty.json": "[]", "words.json": '["x"]'})


def value(pointer: str, file: str = "record.json") -> Found | Absent:
    return DATA.value(Pointer(file=file, pointer=pointer))


def elements(pointer: str, file: str = "record.json") -> int | Absent:
    return DATA.elements(Pointer(file=file, pointer=pointer))


def only(text: str, name: str, pointer: str = "") -> Found | Absent:
    return data_files({name: text}).value(Pointer(file=name, pointer=pointer))


@pytest.mark.parametrize(
    ("pointer", "text"),
    [
        ("/arms/fp8/kld", "0.0319451732000"),
        ("/arms/fp8/interval/1", "0.0387"),
        ("/arms/fp8/printed", "0.0354562238"),
        ("/big", "9223372036854775807"),
        ("/a~1b/m~0n", "7"),
        ("/", "8"),
        ("/*", "9"),
    ],
)
def test_a_number_is_exactly_the_literal_of_its_file(pointer: str, text: str) -> None:
    found = value(pointer)
    assert found == Found(value=Decimal(text), origin=f"record.json#{pointer}")
    assert str(found.value) == text


@pytest.mark.parametrize(
    ("pointer", "text"),
    [
        ("/arms/nvfp4/printed", "about 0.03"),
        ("/windows/0/id", "0056"),
        ("/digits", "6182f750515d3d0a"),
        ("/commit", "7e1234567"),
    ],
)
def test_a_text_that_is_no_plain_literal_stays_a_text(pointer: str, text: str) -> None:
    assert value(pointer) == Found(value=text, origin=f"record.json#{pointer}")


@pytest.mark.parametrize(
    ("pointer", "values"),
    [
        ("/arms/fp8/interval", ["0.0268", "0.0387"]),
        ("/arms/*/kld", ["0.0319451732000", "0.0354562238"]),
        ("/windows/*/kld", ["1.5", "2.5"]),
        ("/windows/*/rows", ["1", "2", "3"]),
        ("/windows/*/rows/*", ["1", "2", "3"]),
        ("/windows/1/rows", ["3"]),
        ("/nested/*", ["1", "2", "3", "4"]),
        ("/arms/*/interval/0", ["0.0268", "0.0295"]),
    ],
)
def test_a_list_and_a_star_give_all_values_in_the_order_of_the_file(
    pointer: str, values: list[str]
) -> None:
    numbers = tuple(map(Decimal, values))
    origin = f"record.json#{pointer}"
    assert value(pointer) == Found(value=numbers[0], values=numbers, origin=origin)


def test_a_star_that_is_a_key_is_that_key_even_beside_objects_that_lack_it() -> None:
    data = data_files({"a.json": '[{"*": {"x": null}}, {"a": {"y": 2}}]'})
    assert data.value(Pointer(file="a.json", pointer="/0/*/x")) == Absent(
        reason="a.json#/0/*/x is null, and a claim needs a number or a text", broken=True
    )
    assert data.value(Pointer(file="a.json", pointer="/*/*/y")) == Absent(
        reason="a.json#/0/* has no key 'y'"
    )
    assert data.value(Pointer(file="a.json", pointer="/1/*/x")) == Absent(
        reason="a.json#/1/a has no key 'x'"
    )


@pytest.mark.parametrize(
    ("pointer", "reason"),
    [
        ("/arms/fp9/kld", "record.json#/arms has no key 'fp9'; did you mean 'fp8'?"),
        ("/arms/FP8", "record.json#/arms has no key 'FP8'; did you mean 'fp8'?"),
        ("/arms/fp8/kld/mean", "record.json#/arms/fp8/kld is a number, which has no 'mean' in it"),
        ("/digits/x", "record.json#/digits is a text, which has no 'x' in it"),
        ("/nothing/x", "record.json#/nothing is null, which has no 'x' in it"),
        ("/windows/2", "record.json#/windows has no element '2'; the last is 1"),
        ("/empty/0", "record.json#/empty has no element '0'; it is empty"),
        ("/windows/00", "record.json#/windows is a list of 2 elements, so an index or '*' was"),
        ("/windows/-", "record.json#/windows is a list of 2 elements, so an index or '*' was"),
        ("/windows/*/nll", "record.json#/windows/0 has no key 'nll'"),
        ("/arms/*/interval/2", "record.json#/arms/fp8/interval has no element '2'; the last is 1"),
        ("/arms/*/kld/*", "record.json#/arms/fp8/kld is a number, which has no '*' in it"),
    ],
)
def test_a_missing_key_names_the_deepest_place_that_exists(pointer: str, reason: str) -> None:
    for absent in (value(pointer), elements(pointer)):
        assert isinstance(absent, Absent)
        assert absent.reason.startswith(reason)
        assert not absent.broken


@pytest.mark.parametrize(
    ("pointer", "what"),
    [
        ("/nothing", "record.json#/nothing is null, and"),
        ("/windows/0/excluded", "record.json#/windows/0/excluded is true, and"),
        ("/windows/*/excluded", "record.json#/windows/0/excluded is true, and"),
        ("/windows/1/excluded", "record.json#/windows/1/excluded is false, and"),
        ("/arms", "record.json#/arms is an object of 2 members, and"),
        ("/arms/*", "record.json#/arms/fp8 is an object of 3 members, and"),
        ("/nested", "record.json#/nested/0 is a list of 2 elements, and"),
        ("/mixed", "record.json#/mixed/1 is null, and"),
        ("/empty", "record.json#/empty is a list without elements"),
        ("/empty/*", "record.json#/empty/* is a list without elements"),
        ("/tiny", "record.json#/tiny is a number beyond FP64, and"),
    ],
)
def test_what_is_no_number_and_no_text_is_a_broken_source(pointer: str, what: str) -> None:
    absent = value(pointer)
    assert isinstance(absent, Absent)
    assert absent.reason.startswith(what)
    assert absent.broken


@pytest.mark.parametrize(
    ("pointer", "what"),
    [
        ("arms", "is no JSON pointer: one is empty or begins with '/'"),
        ("/a~2b", "is no JSON pointer: '~' is written '~0', and '/' in a key '~1'"),
        ("/a~", "is no JSON pointer: '~' is written '~0', and '/' in a key '~1'"),
        ("/x" * 65, "has over 64 steps, and no data file nests deeper"),
    ],
)
def test_a_text_that_is_no_pointer_is_a_broken_source(pointer: str, what: str) -> None:
    for absent in (value(pointer), elements(pointer)):
        assert isinstance(absent, Absent)
        assert absent.reason.endswith(what)
        assert absent.broken


@pytest.mark.parametrize(
    ("pointer", "count"),
    [
        ("/windows", 2),
        ("/windows/*", 2),
        ("/windows/*/excluded", 2),
        ("/windows/*/rows", 3),
        ("/arms", 2),
        ("/arms/*", 2),
        ("/empty", 0),
        ("/empty/*", 0),
        ("/none/*", 0),
        ("/none", 0),
        ("/mixed", 3),
        ("/nested", 2),
        ("/nested/*", 4),
        ("/arms/fp8/kld", 1),
        ("/windows/0/id", 1),
    ],
)
def test_elements_count_whatever_they_are(pointer: str, count: int) -> None:
    assert elements(pointer) == count


def test_null_is_nothing_to_count() -> None:
    absent = elements("/nothing")
    assert isinstance(absent, Absent)
    assert absent.broken


def test_the_empty_pointer_is_the_whole_document() -> None:
    assert value("", "words.json") == Found(value="x", values=("x",), origin="words.json#")
    assert elements("", "empty.json") == 0


@pytest.mark.parametrize(
    ("file", "hint"),
    [
        ("recrod.json", "; did you mean 'record.json'?"),
        ("other/record.json", "; did you mean 'record.json'?"),
        ("Record.JSON", "; did you mean 'record.json'?"),
        ("quite-different.toml", ""),
        ("x" * 100_000, ""),
    ],
)
def test_a_missing_file_names_the_one_that_was_probably_meant(file: str, hint: str) -> None:
    absent = value("/x", file)
    shown = file if len(file) < 80 else "x" * 80 + "..."
    assert absent == Absent(reason=f"there is no file '{shown}'{hint}")


def test_a_file_is_read_once_even_when_it_is_missing() -> None:
    files = MemoryFiles({"a.json": b"[1, 2]"})
    data = DataFiles(files)
    for index in range(2):
        assert data.value(Pointer(file="a.json", pointer=f"/{index}")) == Found(
            value=Decimal(index + 1), origin=f"a.json#/{index}"
        )
        assert isinstance(data.value(Pointer(file="b.json", pointer="/0")), Absent)
    assert files.reads == ["a.json", "b.json"]
    assert data.read("a.json") == b"[1, 2]"
    assert data.read("b.json") == Absent(reason="there is no file 'b.json'; did you mean 'a.json'?")
    assert list(data.names()) == ["a.json"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": 1, "a": 2}', "a.json#/a: duplicate key 'a'"),
        ('{"a": NaN}', "a.json#/a: NaN is not a JSON number"),
        ("[1, 2", "a.json: line 1 column 6"),
        ("", "a.json: empty file"),
        ("[" * 100_000, "a.json: line 1 column 65: nested deeper than 64 levels"),
    ],
)
def test_json_that_two_readers_may_read_differently_has_no_values(text: str, reason: str) -> None:
    absent = only(text, "a.json", "/a")
    assert isinstance(absent, Absent)
    assert absent.reason.startswith(reason)
    assert not absent.broken


def test_a_file_of_another_format_is_a_broken_source() -> None:
    absent = only("1", "values.parquet")
    assert isinstance(absent, Absent)
    assert absent.broken
    assert absent.reason == (
        "'values.parquet' is no data file: values are read from "
        ".json, .jsonl, .ndjson, .csv, .tsv, .toml"
    )
    assert isinstance(only("1", ".json"), Absent)


def test_a_file_over_the_limit_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsontext, "MAX_BYTES", 4)
    assert only("a\n1\n2\n", "a.csv") == Absent(reason="'a.csv' has 6 bytes, over the limit of 4")


def test_jsonl_is_the_list_of_its_lines() -> None:
    text = '{"kld": 0.10}\r\n{"kld": 0.20}\n\n'
    assert only(text.rstrip() + "\n", "a.jsonl", "/1/kld") == Found(
        value=Decimal("0.20"), origin="a.jsonl#/1/kld"
    )
    found = only('{"kld": 0.10}\n{"kld": 0.20}', "a.ndjson", "/*/kld")
    assert isinstance(found, Found)
    assert found.values == (Decimal("0.10"), Decimal("0.20"))


@pytest.mark.parametrize(
    ("text", "place"), [("1\n\n2\n", "a.jsonl line 2"), ('1\n{"a"}\n', "a.jsonl line 2")]
)
def test_a_broken_line_of_jsonl_is_named(text: str, place: str) -> None:
    absent = only(text, "a.jsonl", "/0")
    assert isinstance(absent, Absent)
    assert absent.reason.startswith(f"{place}: ")


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.tsv"])
def test_a_file_of_too_many_values_is_not_parsed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsontext, "MAX_VALUES", 2)
    assert only("1\n2\n3\n4", name) == Absent(reason=f"'{name}' holds over 2 values")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", 'window,kld,note\nw1,0.50,"a, b"\n\nw2, +1.5e-3 ,\n'),
        ("a.tsv", "window\tkld\tnote\r\nw1\t0.50\ta, b\r\nw2\t+1.5e-3\t\r\n"),
        ("A.CSV", '\ufeffwindow,kld,note\nw1,0.50,"a, b"\nw2,+1.5e-3,\n'),
    ],
)
def test_a_table_is_a_list_of_objects_by_header(name: str, text: str) -> None:
    data = data_files({name: text})
    assert data.value(Pointer(file=name, pointer="/0/window")) == Found(
        value="w1", origin=f"{name}#/0/window"
    )
    assert data.value(Pointer(file=name, pointer="/0/note")) == Found(
        value="a, b", origin=f"{name}#/0/note"
    )
    found = data.value(Pointer(file=name, pointer="/*/kld"))
    assert isinstance(found, Found)
    assert [str(number) for number in found.values] == ["0.50", "0.0015"]
    assert data.elements(Pointer(file=name, pointer="")) == 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"a,b,a\n1,2,3\n", "'a.csv': the header line names the column 'a' twice"),
        (b"", "'a.csv': the header line is empty"),
        (b"\n1\n", "'a.csv': the header line is empty"),
        (b"a,b\n1,2\n3\n", "'a.csv': line 3 has 1 fields, the header 2"),
        (b"a,b\n1,2,3\n", "'a.csv': line 2 has 3 fields, the header 2"),
        (b'a,b\n"1"x,2\n', "'a.csv': line 2: ',' expected after '\"'"),
        (b'a,b\n"1,2\n', "'a.csv': line 2: unexpected end of data"),
        (b"a\n" + b"1" * 200_000, "'a.csv': line 2: field larger than field limit (131072)"),
        (b"a\n\xff\n", "'a.csv': line 2: byte 0xff is not UTF-8; save the file as UTF-8"),
    ],
)
def test_a_table_that_does_not_fit_its_header_has_no_values(text: bytes, reason: str) -> None:
    data = data_files({"a.csv": text})
    assert data.value(Pointer(file="a.csv", pointer="/0/a")) == Absent(reason=reason)


def test_toml_keeps_its_literals() -> None:
    assert only("day = 2026-09-09", "a.toml", "/day/x") == Absent(
        reason="a.toml#/day is a text, which has no 'x' in it"
    )
    text = '[run]\nkld = 0.03190\nsteps = 1_000\nhex = 0x10\nday = 2026-09-09\nlow = "0.10"\n'
    found = [only(text, "a.toml", f"/run/{key}") for key in ("kld", "steps", "hex", "day", "low")]
    assert [str(one.value) for one in found if isinstance(one, Found)] == [
        "0.03190",
        "1000",
        "16",
        "2026-09-09",
        "0.10",
    ]


@pytest.mark.parametrize("literal", ["inf", "nan", "1e500", "0x" + "f" * 5000])
def test_a_toml_number_that_no_arithmetic_can_hold_is_refused(literal: str) -> None:
    assert only(f"a = {literal}", "a.toml", "/a") == Absent(
        reason="a.toml#/a is a number beyond FP64, and a claim needs a number or a text",
        broken=True,
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"a = 1\na = 2\n", "'a.toml': no TOML: "),
        (b"a = " + b"9" * 5000, "'a.toml': no TOML: "),
        (b"a = 1e" + b"9" * 50, "'a.toml': no TOML: "),
        (b"a = " + b"[" * 100_000, "'a.toml': no TOML that can be read: nested too deeply"),
        (b"\n[" + b"a." * 100_000 + b"a]", "'a.toml': line 2: a key of more than 64 parts"),
        (b"'a' . " * 64 + b"a = 1", "'a.toml': line 1: a key of more than 64 parts"),
        (rb'"\"".' * 100_000 + b"a = 1", "'a.toml': line 1: a key of more than 64 parts"),
        (
            b'x = {y = """ " """, ' + b"a." * 100_000 + b"a = 1}",
            "'a.toml': line 1: a key of more than 64 parts",
        ),
        (b'x = "' + rb"\"" * 100_000, "'a.toml': no TOML: "),
        (b"a = '\xff'", "'a.toml': line 1: byte 0xff is not UTF-8; save the file as UTF-8"),
    ],
)
def test_hostile_toml_has_no_values(text: bytes, reason: str) -> None:
    absent = data_files({"a.toml": text}).value(Pointer(file="a.toml", pointer="/a"))
    assert isinstance(absent, Absent)
    assert absent.reason.startswith(reason)


def test_long_toml_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_data_formats, "TOML_BYTES", 4)
    absent = only("a = 10", "a.toml", "/a")
    assert isinstance(absent, Absent)
    assert absent.reason == "'a.toml': 6 bytes of TOML, over the limit of 4"


def test_toml_with_many_dots_that_are_no_key_is_read() -> None:
    floats = ", ".join(["0.5"] * 200)
    prose = "a." * 200
    text = f"x = [{floats}]\n# {prose}\ny = '{prose}'\nz = '''\n{prose}'''\n" + "a." * 63 + "k = 1"
    data = data_files({"a.toml": text})
    assert data.elements(Pointer(file="a.toml", pointer="/x")) == 200
    assert data.value(Pointer(file="a.toml", pointer="/z")) == Found(
        value=prose, origin="a.toml#/z"
    )
    found = data.value(Pointer(file="a.toml", pointer="/a" * 63 + "/k"))
    assert isinstance(found, Found)
    assert found.value == 1


@pytest.mark.parametrize(
    "text", ["1" * 401, "1e401", "1e99999", "0x10", "1,000", "٣", "nan", "1.", "-", "", "01.5"]
)
def test_a_text_is_no_number_when_readers_could_differ(text: str) -> None:
    found = only(f'["{text}"]', "a.json", "/0")
    assert found == Found(value=text, origin="a.json#/0")


@pytest.mark.parametrize("text", [".5", "-0.0", "+3", "0", "1E5", "9" * 300])
def test_a_plain_literal_in_a_text_is_a_number(text: str) -> None:
    assert only(f'["{text}"]', "a.json", "/0") == Found(value=Decimal(text), origin="a.json#/0")


def test_only_some_hundred_names_are_compared_with_a_missing_one() -> None:
    members = ", ".join(f'"key{number:05d}": 1' for number in range(1000))
    absent = only(f"{{{members}}}", "a.json", "/kex00999")
    assert isinstance(absent, Absent)
    assert absent.reason.startswith("a.json# has no key 'kex00999'; did you mean 'key00")


def test_a_file_that_may_not_be_read_is_a_missing_source_that_says_why() -> None:
    class Guarded(MemoryFiles):
        def read(self, path: str) -> bytes | None:
            message = f"{path}: leaves the bundle"
            raise StoreError(message)

    data = DataFiles(Guarded({}))
    absent = Absent(reason="../a.json: leaves the bundle")
    assert data.value(Pointer(file="../a.json", pointer="/x")) == absent
    assert data.read("../a.json") == absent
