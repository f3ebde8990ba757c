"""Strict JSON: every ambiguity is refused, with its place."""

import copy
import json
import math
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.support.pointers import resolve
from verifier.errors import JsonError
from verifier.jsontext import (
    MAX_INTEGER,
    NumberText,
    canonical,
    decode,
    pointer,
    published,
)
from verifier.model.number import Published


def refused(data: bytes, **limits: int) -> JsonError:
    with pytest.raises(JsonError) as caught:
        decode(data, name="record.json", **limits)
    assert caught.value.hint
    assert caught.value.message.startswith("record.json")
    return caught.value


class TestValues:
    def test_plain_document_decodes_as_json_does(self) -> None:
        data = '{"a": [1, true, null, "é😀", {}], "b": -7}'.encode()
        assert decode(data, name="x") == json.loads(data)

    def test_fraction_keeps_its_printed_digits(self) -> None:
        value = decode(b"[0.03545622380, 1E-3]", name="x")
        assert value == [0.0354562238, 0.001]
        assert [number.text for number in value] == ["0.03545622380", "1E-3"]

    def test_integer_stays_int(self) -> None:
        value = decode(b"[0, -1, 2047]", name="x")
        assert [type(number) for number in value] == [int, int, int]

    def test_minus_zero_keeps_its_text_and_sign(self) -> None:
        value = decode(b"-0", name="x")
        assert isinstance(value, NumberText)
        assert value.text == "-0"
        assert math.copysign(1, value) == -1

    @pytest.mark.parametrize("number", [MAX_INTEGER, -MAX_INTEGER])
    def test_largest_integers_are_exact(self, number: int) -> None:
        assert decode(str(number).encode(), name="x") == number

    def test_surrogate_pair_escape_is_one_character(self) -> None:
        assert decode(rb'{"\ud83d\ude00": "\uD83D\uDE00"}', name="x") == {"😀": "😀"}

    def test_brackets_and_escaped_quotes_in_strings_do_not_nest(self) -> None:
        text = '\\"' + "[{" * 100
        assert decode(json.dumps([text]).encode(), name="x") == [text]

    def test_sixty_four_levels_are_accepted(self) -> None:
        assert decode(b"[" * 64 + b"]" * 64, name="x") == json.loads("[" * 64 + "]" * 64)

    def test_siblings_do_not_add_up_to_depth(self) -> None:
        assert decode(b"[" + b"[{}]," * 100 + b"1]", name="x")[-1] == 1

    def test_number_text_is_a_number_for_json_schema(self) -> None:
        validator = Draft202012Validator({"type": "number", "exclusiveMinimum": 1.4})
        assert validator.is_valid(NumberText("1.50"))
        assert not validator.is_valid(NumberText("1.40"))

    def test_copy_of_number_text_keeps_the_literal(self) -> None:
        again = copy.deepcopy(NumberText("1.50"))
        assert (type(again), again, again.text) == (NumberText, 1.5, "1.50")


class TestRefusals:
    @pytest.mark.parametrize(
        ("data", "location", "words"),
        [
            (b"", "line 1 column 1", "empty file"),
            (b" \n ", "line 2 column 2", "expecting value"),
            (b"\xef\xbb\xbf{}", "line 1 column 1", "byte order mark"),
            ('{"é":\n "é'.encode() + b'\xff"}', "line 2 column 4", "byte 0xff is not UTF-8"),
            ("[]".encode("utf-16"), "line 1 column 1", "byte 0xff is not UTF-8"),
            (b'"\xed\xa0\x80"', "line 1 column 2", "byte 0xed is not UTF-8"),
            (b"{}\n{}", "line 2 column 1", "text after the end of the document"),
            (b"{} x", "line 1 column 4", "text after the end of the document"),
            (b"[1,\n 2,]", "line 2 column 4", "expecting value"),
            (b"{'a': 1}", "line 1 column 2", "expecting property name"),
            (b"01", "line 1 column 2", "text after the end"),
            (b'"a\nb"', "line 1 column 3", "invalid control character"),
            (b'"never closed', "line 1 column 1", "unterminated string"),
            (b'"\\', "line 1 column 1", "unterminated string"),
            (b"[" * 65 + b"]" * 65, "line 1 column 65", "nested deeper than 64 levels"),
            (b'{"a":\n' + b'{"a":' * 64 + b"1" + b"}" * 65, "line 2 column 316", "nested deeper"),
            (b"[" * 100_000, "line 1 column 65", "nested deeper than 64 levels"),
        ],
    )
    def test_place_is_a_line_and_column(self, data: bytes, location: str, words: str) -> None:
        error = refused(data)
        assert error.location == location
        assert words in error.message
        assert location in error.message or not data.strip(b"\xef\xbb\xbf{}")

    @pytest.mark.parametrize(
        ("data", "location", "words"),
        [
            (b'{"a": 1, "a": 1}', "/a", "duplicate key 'a'"),
            (b'[{}, {"b": {"x/y": 1, "z": 2, "x/y": 3}}]', "/1/b/x~1y", "duplicate key 'x/y'"),
            (b'{"a": 1, "\\u0061": 2}', "/a", "duplicate key 'a'"),
            (b'{"": 1, "": 2}', "/", "duplicate key ''"),
            (b'{"a": [1, NaN]}', "/a/1", "NaN is not a JSON number"),
            (b"Infinity", "", "Infinity is not a JSON number"),
            (b'{"a": -Infinity}', "/a", "-Infinity is not a JSON number"),
            (b"[1e400]", "/0", "1e400 overflows a double"),
            (b"[-1e400]", "/0", "-1e400 overflows a double"),
            (b"[9223372036854775808]", "/0", "outside +-(2**63-1)"),
            (b"[-9223372036854775808]", "/0", "outside +-(2**63-1)"),
            (b"[" + b"9" * 5000 + b"]", "/0", "outside +-(2**63-1)"),
            (rb'{"a": ["\ud800"]}', "/a/0", "half of a surrogate pair"),
            (rb'{"a": "\udc00\ud800"}', "/a", "half of a surrogate pair"),
            (rb'{"a": {"\uDFFF": 1}}', r"/a/\udfff", "half of a surrogate pair in a key"),
            (b'{"b": NaN, "a": 1e999}', "/b", "NaN"),
            (b'{"ok": "\\ud83d\\ude00", "a": NaN}', "/a", "NaN"),
        ],
    )
    def test_place_is_a_json_pointer(self, data: bytes, location: str, words: str) -> None:
        error = refused(data)
        assert error.location == location
        assert words in error.message
        assert error.message.startswith(f"record.json#{location}: ")

    def test_document_over_the_size_limit(self) -> None:
        assert decode(b"[1]", name="x", max_bytes=3) == [1]
        assert "4 bytes of JSON, over the limit of 3" in refused(b"[12]", max_bytes=3).message

    def test_depth_limit_can_be_set(self) -> None:
        assert "deeper than 1 levels" in refused(b"[[]]", max_depth=1).message

    def test_hostile_key_and_name_cannot_move_the_cursor(self) -> None:
        with pytest.raises(JsonError) as caught:
            decode(b'{"\\u001b[2J": NaN}', name="a\nb\x1b")
        assert caught.value.message == r"a\nb\x1b#/\x1b[2J: NaN is not a JSON number"
        assert caught.value.message.isprintable()

    def test_messages_stay_short(self) -> None:
        key = b'"' + b"k" * 100_000 + b'"'
        assert len(refused(b"{" + key + b":1," + key + b":2}").message) < 600
        assert len(refused(b"1" * 100_000).message) < 300

    def test_many_escaped_quotes_in_an_open_string_take_one_pass(self) -> None:
        assert "unterminated" in refused(b'["' + b'\\"' * 1_000_000).message

    @settings(deadline=None)
    @given(st.binary(max_size=200))
    def test_any_bytes_decode_or_are_refused(self, data: bytes) -> None:
        with suppress(JsonError):
            decode(data, name="x")

    @settings(deadline=None)
    @given(st.text(alphabet='{}[]",:\\u0d8eE+-. \n1truefalsn', max_size=60))
    def test_any_json_like_text_decodes_as_json_does_or_is_refused(self, text: str) -> None:
        try:
            value = decode(text.encode(), name="x")
        except JsonError:
            return
        assert value == json.loads(text)

    @settings(deadline=None)
    @given(
        st.recursive(
            st.none()
            | st.booleans()
            | st.integers(-MAX_INTEGER, MAX_INTEGER)
            | st.floats(allow_nan=False, allow_infinity=False)
            | st.text(),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
            max_leaves=20,
        )
    )
    def test_every_json_value_survives(self, value: Any) -> None:
        assert decode(json.dumps(value).encode(), name="x") == value


class TestHowMuch:
    @pytest.mark.parametrize(
        "data", [b"[1,2]", b"[[],1]", b'{"a":1,"b":{}}', b'["a,b",1]', b'["' + rb"\"" * 20 + b'"]']
    )
    def test_more_values_than_allowed_are_refused_before_they_are_decoded(
        self, data: bytes
    ) -> None:
        assert refused(data, max_values=2).message == "record.json: more than 2 values"

    def test_as_many_values_as_allowed_are_decoded(self) -> None:
        assert decode(b"[1,2]", name="x", max_values=3) == [1, 2]
        assert decode(b'{"a":"1","b":"2"}', name="x", max_values=3) == {"a": "1", "b": "2"}

    def test_brackets_without_a_beginning_are_a_syntax_error_at_the_first(self) -> None:
        assert refused(b"]" * 100 + b"[" * 100).location == "line 1 column 1"


class TestPointer:
    def test_parts_are_escaped(self) -> None:
        assert pointer() == ""
        assert pointer("a/b", "m~n", 0, "") == "/a~1b/m~0n/0/"

    @settings(deadline=None)
    @given(st.lists(st.text()))
    def test_resolve_undoes_pointer(self, parts: list[str]) -> None:
        document: Any = "end"
        for part in reversed(parts):
            document = {part: document}
        assert resolve(document, pointer(*parts)) == "end"

    def test_resolve_walks_arrays(self) -> None:
        assert resolve({"a": [10, [20, 30]]}, "/a/1/0") == 20

    def test_digits_name_a_key_in_an_object(self) -> None:
        assert resolve({"0": "key"}, "/0") == "key"

    @pytest.mark.parametrize("place", ["a", "/a~2", "/a~"])
    def test_malformed_pointer_is_refused(self, place: str) -> None:
        with pytest.raises(LookupError, match="not a JSON pointer"):
            resolve({"a": 1}, place)

    @pytest.mark.parametrize("place", ["/b", "/a/2", "/a/-", "/a/-1", "/a/01", "/a/0/x", "/a/²"])
    def test_pointer_to_nothing_is_refused(self, place: str) -> None:
        with pytest.raises(LookupError, match="names nothing: there is no "):
            resolve({"a": [1, 2]}, place)


class TestCanonical:
    def test_key_order_and_spacing_are_fixed(self) -> None:
        assert canonical({"b": 1, "a": [True, None]}) == b'{"a":[true,null],"b":1}'

    def test_number_text_counts_by_value(self) -> None:
        assert canonical(decode(b"[1.50, 1e2, -0]", name="x")) == b"[1.5,100,0]"

    @pytest.mark.parametrize("value", [math.nan, math.inf, 2**53, "\ud800", {1: 2}, b"x"])
    def test_value_without_a_canonical_form_is_refused(self, value: Any) -> None:
        with pytest.raises(JsonError, match="no canonical JSON form"):
            canonical(value)


class TestPublished:
    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            (26, Published(text="26", value=26)),
            (-3, Published(text="-3", value=-3)),
            (NumberText("0.0350"), Published(text="0.0350", value=0.035)),
            (NumberText("-0"), Published(text="-0", value=0)),
            ("0.0354562238", Published(text="0.0354562238", value=0.0354562238)),
            ("-1.5E-3", Published(text="-1.5E-3", value=-0.0015)),
            ("+6.1", Published(text="+6.1", value=6.1)),
            ("22", Published(text="22", value=22)),
        ],
    )
    def test_number_keeps_its_digits(self, value: Any, expected: Published) -> None:
        found = published(value)
        assert found == expected
        assert type(found.value) is type(expected.value)

    @pytest.mark.parametrize(
        "value",
        [
            True,
            None,
            1.5,
            [],
            {},
            "",
            "x",
            "NaN",
            "inf",
            "1e400",
            "9" * 5000,
            "1_0",
            " 1",
            "1\n",
            "0x1",
            "01",
            "1.",
            ".5",
            "²",
            "--1",
            "+-1",
        ],
    )
    def test_anything_else_is_refused(self, value: Any) -> None:
        with pytest.raises(
            JsonError, match=r"f#/a: expected a number or a decimal string"
        ) as caught:
            published(value, location="f#/a")
        assert caught.value.location == "f#/a"

    def test_message_without_a_location_starts_with_the_expectation(self) -> None:
        with pytest.raises(JsonError, match=r"^expected a number"):
            published(None)
