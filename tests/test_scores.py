import io
import math
import struct
import zipfile
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.bundles import MemoryStore, npy, npz, row_arrays
from verifier.model.plugin import Column, Rows
from verifier.scores import StoreRows, load_arrays, parse_columns
from verifier.scores import zip as archives

KLD = np.array([2.0, 0.1, 0.2])
GOOD = npy(KLD)
WRONG_BYTES = "the entry cannot be unpacked: its bytes do not have the recorded CRC-32"


def archive(
    entries: Iterable[tuple[str, bytes]], *, compression: int = zipfile.ZIP_STORED
) -> bytes:
    """A zip file with these entries, whatever they are."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as written:
        for name, content in entries:
            written.writestr(name, content)
    return stream.getvalue()


def document(header: str, content: bytes = b"", *, version: tuple[int, int] = (1, 0)) -> bytes:
    """An npy document with this header text."""
    encoded = header.encode("latin-1")
    length = struct.pack("<H" if version == (1, 0) else "<I", len(encoded))
    return b"\x93NUMPY" + bytes(version) + length + encoded + content


def described(
    descr: str, shape: str, content: bytes = b"", *, version: tuple[int, int] = (1, 0)
) -> bytes:
    """An npy document that claims this type and shape."""
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n"
    return document(header, content, version=version)


def problem_of(entry: bytes) -> str:
    """What is wrong with the only array of a file, which then cannot be loaded."""
    data = archive([("kld.npy", entry)])
    [column] = parse_columns(data)
    assert (column.name, column.dtype, column.shape) == ("kld", "", ())
    assert load_arrays(data, ["kld"]) == {}
    return column.problem


def file_problem(data: bytes) -> str:
    """What is wrong with a whole file, none of which can be loaded."""
    [column] = parse_columns(data)
    assert column.name == ""
    assert load_arrays(data, ["kld", ""]) == {}
    return column.problem


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_arrays_come_back_as_they_were_written(compression: int) -> None:
    arrays = row_arrays()
    data = archive(
        ((f"{name}.npy", npy(array)) for name, array in arrays.items()), compression=compression
    )
    assert parse_columns(data) == tuple(
        Column(name=name, dtype=array.dtype.str, shape=array.shape)
        for name, array in arrays.items()
    )
    loaded = load_arrays(data, [*arrays, "absent"])
    assert list(loaded) == list(arrays)
    for name, array in arrays.items():
        assert loaded[name].dtype == array.dtype
        assert loaded[name].tolist() == array.tolist()


def test_what_numpy_itself_writes_is_read() -> None:
    stream = io.BytesIO()
    np.savez_compressed(stream, kld=KLD)
    assert load_arrays(stream.getvalue(), ["kld"])["kld"].tolist() == KLD.tolist()


def test_only_the_named_arrays_are_loaded() -> None:
    data = npz({"kld": KLD, "history": KLD})
    assert list(load_arrays(data, iter(["history"]))) == ["history"]


def test_loaded_arrays_cannot_be_written_and_neither_can_their_collection() -> None:
    loaded: Any = load_arrays(npz({"kld": KLD}), ["kld"])
    with pytest.raises(ValueError, match="read-only"):
        loaded["kld"][0] = 0.0
    with pytest.raises(TypeError, match="item assignment"):
        loaded["kld"] = KLD


def test_fortran_order_keeps_its_rows() -> None:
    table = np.asfortranarray(np.arange(6.0).reshape(3, 2))
    assert load_arrays(npz({"kld": table}), ["kld"])["kld"].tolist() == table.tolist()


def test_empty_and_single_values_are_arrays_too() -> None:
    data = npz({"none": np.zeros((0, 3)), "one": np.array(2.5)})
    assert [column.shape for column in parse_columns(data)] == [(0, 3), ()]
    loaded = load_arrays(data, ["none", "one"])
    assert (loaded["none"].shape, float(loaded["one"])) == ((0, 3), 2.5)


def test_version_two_headers_are_read() -> None:
    entry = described("'<f8'", "(3,)", KLD.tobytes(), version=(2, 0))
    assert load_arrays(archive([("kld.npy", entry)]), ["kld"])["kld"].tolist() == KLD.tolist()


def test_big_endian_arrays_are_described_but_not_loaded() -> None:
    data = npz({"kld": KLD.astype(">f8")})
    assert parse_columns(data) == (Column(name="kld", dtype=">f8", shape=(3,)),)
    assert load_arrays(data, ["kld"]) == {}


@pytest.mark.parametrize("data", [b"", b"PK", GOOD, b"\0" * 1000])
def test_bytes_that_are_no_archive(data: bytes) -> None:
    assert file_problem(data) == "not an npz file: BadZipFile: File is not a zip file"


def test_an_archive_cut_anywhere_is_never_read_as_a_shorter_one() -> None:
    data = npz({"kld": KLD})
    for size in range(len(data)):
        assert load_arrays(data[:size], ["kld"]) == {}


def test_an_archive_without_entries_has_no_columns() -> None:
    assert parse_columns(archive([])) == ()


def test_an_archive_of_countless_entries_is_not_walked() -> None:
    data = archive((f"a{number}.npy", b"") for number in range(257))
    assert file_problem(data) == "257 entries; a score file has at most 256"


def test_countless_entries_are_not_even_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    data = archive((f"a{number}.npy", b"") for number in range(300))
    monkeypatch.setattr(zipfile, "ZipFile", None)
    assert file_problem(data) == "300 entries; a score file has at most 256"


def test_a_bomb_is_refused_before_anything_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    zeros = np.zeros(9_000_000)
    data = archive([("kld.npy", npy(zeros))], compression=zipfile.ZIP_DEFLATED)
    monkeypatch.setattr(zipfile.ZipFile, "open", None)
    promised = 72_000_128
    assert file_problem(data) == (
        f"{len(data)} bytes that promise to unpack to {promised}; refused over {64 * 1024**2}"
    )


def test_an_absolute_bound_holds_where_the_ratio_would_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = npz({"kld": KLD})
    monkeypatch.setattr(archives, "_MAX_UNPACKED", 100)
    assert file_problem(data).endswith("bytes that promise to unpack to 152; refused over 100")


def test_an_entry_that_unpacks_to_more_than_it_promised_is_cut_and_refused() -> None:
    data = archive([("kld.npy", npy(np.zeros(1_000_000)))], compression=zipfile.ZIP_DEFLATED)
    size = struct.pack("<I", 8_000_128)
    assert data.count(size) == 2
    [column] = parse_columns(data.replace(size, struct.pack("<I", 1000)))
    assert column.problem == WRONG_BYTES


def test_an_entry_that_unpacks_to_less_than_it_promised_is_truncated() -> None:
    data = archive([("kld.npy", GOOD)], compression=zipfile.ZIP_DEFLATED)
    size = struct.pack("<I", len(GOOD))
    assert data.count(size) == 2
    [column] = parse_columns(data.replace(size, struct.pack("<I", len(GOOD) + 8)))
    assert column.problem == f"truncated: {len(GOOD)} of {len(GOOD) + 8} promised bytes"


@pytest.mark.filterwarnings("ignore:Duplicate name:UserWarning")
def test_two_entries_of_one_name_are_not_chosen_between() -> None:
    data = archive([("kld.npy", GOOD), ("history.npy", GOOD), ("kld.npy", npy(KLD * 2))])
    assert parse_columns(data) == (
        Column(
            name="kld",
            dtype="",
            shape=(),
            problem="two entries with this name, and readers differ in which one they take",
        ),
        Column(name="history", dtype="<f8", shape=(3,)),
    )
    assert list(load_arrays(data, ["kld", "history"])) == ["history"]


@pytest.mark.parametrize(
    "name",
    [
        "kld",
        "kld.txt",
        "sub/kld.npy",
        "sub/",
        "../kld.npy",
        "/kld.npy",
        "sub\\kld.npy",
        ".npy",
        "1.npy",
        "kld\n.npy",
        "k\u00e4ld.npy",
        "x" * 129 + ".npy",
    ],
)
def test_an_entry_of_another_name_is_listed_and_not_read(name: str) -> None:
    data = archive([(name, GOOD), ("kld.npy", GOOD)])
    odd, good = parse_columns(data)
    assert odd.name == ascii(name)
    assert odd.problem == (
        "the entry is not NAME.npy with a name of letters, digits and underscores"
    )
    assert good == Column(name="kld", dtype="<f8", shape=(3,))
    assert list(load_arrays(data, ["kld", odd.name])) == ["kld"]


def test_a_name_that_hides_its_end_behind_a_zero_byte() -> None:
    data = archive([("kld.npy_.npy", GOOD)]).replace(b"kld.npy_.npy", b"kld.npy\0.npy")
    [column] = parse_columns(data)
    assert column.name == "'kld.npy\\x00.npy'"
    assert load_arrays(data, ["kld"]) == {}


def test_a_name_that_differs_between_directory_and_entry() -> None:
    data = archive([("kld.npy", GOOD)])
    forged = data[:40].replace(b"kld.npy", b"nll.npy") + data[40:]
    [column] = parse_columns(forged)
    assert column.problem == "the entry cannot be unpacked: the directory and the entry differ"


def test_an_encrypted_entry() -> None:
    data = bytearray(archive([("kld.npy", GOOD)]))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    [column] = parse_columns(bytes(data))
    assert column.problem == "the entry is encrypted"


def test_a_compression_that_score_files_do_not_use() -> None:
    data = archive([("kld.npy", GOOD)], compression=zipfile.ZIP_BZIP2)
    [column] = parse_columns(data)
    assert column.problem == "compression method 12; only stored and deflated are read"


def test_a_flipped_bit_in_the_values_breaks_the_checksum() -> None:
    data = bytearray(npz({"kld": KLD}))
    data[data.index(KLD.tobytes())] ^= 1
    [column] = parse_columns(bytes(data))
    assert column.problem == WRONG_BYTES
    assert load_arrays(bytes(data), ["kld"]) == {}


def test_an_entry_outside_the_file() -> None:
    data = bytearray(archive([("kld.npy", GOOD)]))
    offset = data.index(b"PK\x01\x02") + 42
    data[offset : offset + 4] = b"\xff\xff\xff\x7f"
    [column] = parse_columns(bytes(data))
    assert column.problem.startswith("the entry cannot be unpacked: ")


def test_a_pickle_is_described_and_never_run() -> None:
    entry = npy(np.array([print], dtype=object))
    assert problem_of(entry) == "holds pickled Python objects, which are never loaded"


@pytest.mark.parametrize("descr", ["[('a', '<f8')]", "('<f8', (3,))", "'|V0'", "'<U0'"])
def test_a_type_that_is_no_plain_number(descr: str) -> None:
    assert problem_of(described(descr, "(1,)", b"\0" * 24)).startswith("holds no plain numbers")


@pytest.mark.parametrize(
    ("shape", "content", "problem"),
    [
        ("(3,)", 23, "truncated: 23 of 24 bytes that its shape needs"),
        ("(3,)", 0, "truncated: 0 of 24 bytes that its shape needs"),
        ("(3,)", 25, "1 bytes after the end of the array"),
        ("(0,)", 8, "8 bytes after the end of the array"),
        ("(2147483647, 2147483647)", 8, f"truncated: 8 of {(2**31 - 1) ** 2 * 8} bytes"),
        ("(-1,)", 8, "impossible shape (-1,)"),
        ("(2147483648, 0)", 0, "impossible shape (2147483648, 0)"),
        (f"({'1, ' * 70})", 8, "impossible shape (1, 1,"),
        ("(2147483647, 2147483647, 2147483647, 0)", 0, "impossible shape (2147483647,"),
    ],
)
def test_a_shape_that_the_bytes_do_not_bear_out(shape: str, content: int, problem: str) -> None:
    assert problem_of(described("'<f8'", shape, b"\0" * content)).startswith(problem)


def test_a_shape_of_truth_values_is_a_shape_of_ones() -> None:
    data = archive([("kld.npy", described("'<f8'", "(True, 3)", KLD.tobytes()))])
    assert parse_columns(data) == (Column(name="kld", dtype="<f8", shape=(1, 3)),)


@pytest.mark.parametrize(
    "entry",
    [
        b"",
        b"\x93NUMPY",
        b"\x93NUMPX\x01\x00",
        GOOD[:9],
        GOOD[:50],
        described("'<f8'", "(3,)", version=(3, 0)),
        described("'<f8'", "(3,)", version=(9, 9)),
        described("'<f8'", "3"),
        described("'<f8'", "(3.0,)"),
        described("'nonsense'", "(3,)"),
        described("()", "(3,)"),
        described("7", "(3,)"),
        described("[('a',)]", "(3,)"),
        described("'<f8'", "(3L,)"),
        document("{}"),
        document("[]"),
        document("{[]: 1}"),
        document("{1: 1, 'descr': 2}"),
        document("__import__('os')"),
        document("(" * 900),
        document("-" * 900 + "1"),
        document("'''"),
        document("\0"),
        document("{'descr': '<f8', 'fortran_order': 0, 'shape': (3,)}"),
        described("'<f8'", "(3,)" + " " * 2000),
        described("'\\p'", "(3,)"),
    ],
)
def test_a_crafted_header_is_a_problem_and_never_an_exception(entry: bytes) -> None:
    problem = problem_of(entry)
    assert problem.startswith("not a npy document: ")
    assert problem.isascii()
    assert problem.isprintable()
    assert len(problem) < 300


def test_a_type_that_only_older_numpy_knows_is_a_problem_too() -> None:
    """NumPy 1 still read "a5" as five bytes, NumPy 2 knows no such type; neither is a score."""
    assert problem_of(described("'a5'", "(3,)")) != ""


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_any_bytes_changed_anywhere_never_end_in_an_exception(data: st.DataObject) -> None:
    original = npz({"kld": KLD, "history": np.arange(3)})
    changed = bytearray(original)
    for _ in range(data.draw(st.integers(1, 4))):
        changed[data.draw(st.integers(0, len(original) - 1))] = data.draw(st.integers(0, 255))
    columns = {column.name: column for column in parse_columns(bytes(changed))}
    for name, array in load_arrays(bytes(changed), ["kld", "history"]).items():
        assert columns[name].problem == ""
        assert columns[name].shape == array.shape
        assert math.prod(array.shape) == array.size


@settings(max_examples=200, deadline=None)
@given(
    st.text(alphabet="{}[]()'\",:0123456789-+<f8descrshapefortran_order TrueFalse\\", max_size=90)
)
def test_any_header_text_never_ends_in_an_exception(header: str) -> None:
    [column] = parse_columns(archive([("kld.npy", document(header))]))
    assert column.name == "kld"


def test_rows_of_a_store_are_read_by_path() -> None:
    rows: Rows = StoreRows(MemoryStore(files={"a.npz": npz({"kld": KLD})}))
    assert rows.columns("a.npz") == (Column(name="kld", dtype="<f8", shape=(3,)),)
    assert rows.load("a.npz", ["kld"])["kld"].tolist() == KLD.tolist()


def test_rows_of_a_file_that_cannot_be_read_are_a_problem() -> None:
    rows: Rows = StoreRows(MemoryStore(files={}))
    assert rows.columns("../x") == (
        Column(name="", dtype="", shape=(), problem="../x: no such file"),
    )
    assert rows.load("../x", ["kld"]) == {}


@pytest.mark.filterwarnings("ignore:Duplicate name:UserWarning")
def test_a_name_twice_in_a_row_hides_no_later_array() -> None:
    data = archive([("kld.npy", GOOD), ("kld.npy", GOOD), ("history.npy", GOOD)])
    assert [(column.name, bool(column.problem)) for column in parse_columns(data)] == [
        ("kld", True),
        ("history", False),
    ]


@pytest.mark.parametrize("name", ["kld.npy.npy", "kld.npyx", "kld.npy ", "kld.npy/", "kld.npy\n"])
def test_a_name_that_only_begins_like_an_array_is_not_read(name: str) -> None:
    data = archive([(name, GOOD)])
    [column] = parse_columns(data)
    assert (column.name, column.dtype) == (ascii(name), "")
    assert load_arrays(data, [column.name, "kld"]) == {}


def test_a_file_may_hold_256_arrays() -> None:
    data = archive((f"a{number}.npy", GOOD) for number in range(256))
    assert len(parse_columns(data)) == 256


def test_a_large_file_may_unpack_to_a_hundred_times_its_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = npz({"kld": KLD})
    monkeypatch.setattr(archives, "_ALWAYS_UNPACKED", 0)
    assert parse_columns(data) == (Column(name="kld", dtype="<f8", shape=(3,)),)
    zeros = archive([("kld.npy", npy(np.zeros(100_000)))], compression=zipfile.ZIP_DEFLATED)
    assert file_problem(zeros).endswith(f"refused over {100 * len(zeros)}")


def test_a_file_may_unpack_to_exactly_what_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "_MAX_UNPACKED", len(GOOD))
    assert parse_columns(npz({"kld": KLD})) == (Column(name="kld", dtype="<f8", shape=(3,)),)


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_table_keeps_its_rows_and_columns_however_it_was_stored(order: Any) -> None:
    table = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], order=order)
    data = archive([("student_topk_logp.npy", npy(table))])
    loaded = load_arrays(data, ["student_topk_logp"])["student_topk_logp"]
    assert loaded.tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def test_an_entry_that_calls_itself_encrypted_beside_the_bytes_only() -> None:
    data = bytearray(archive([("kld.npy", GOOD)]))
    data[6] |= 1
    [column] = parse_columns(bytes(data))
    assert column.problem == "the entry is encrypted"


def test_an_entry_that_is_a_patch() -> None:
    data = bytearray(archive([("kld.npy", GOOD)]))
    data[data.index(b"PK\x01\x02") + 8] |= 0x20
    [column] = parse_columns(bytes(data))
    assert column.problem == "the entry is a patch"


def test_an_entry_whose_deflated_bytes_are_none() -> None:
    data = bytearray(archive([("kld.npy", GOOD)], compression=zipfile.ZIP_DEFLATED))
    data[37] = 0xFF
    [column] = parse_columns(bytes(data))
    assert column.problem.startswith("the entry cannot be unpacked: error: Error -3")


def test_an_empty_entry_is_no_array() -> None:
    for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        [column] = parse_columns(archive([("kld.npy", b"")], compression=compression))
        assert column.problem.startswith("not a npy document: ")


def test_an_entry_whose_own_header_is_none() -> None:
    data = archive([("kld.npy", GOOD)])
    [column] = parse_columns(b"XX" + data[2:])
    assert column.problem == "the entry cannot be unpacked: the directory and the entry differ"


def test_bytes_before_an_archive_and_a_comment_after_it_are_passed_over() -> None:
    stream = io.BytesIO()
    stream.write(b"something else")
    with zipfile.ZipFile(stream, "a") as written:
        written.writestr("kld.npy", GOOD)
        written.comment = b"remark"
    assert load_arrays(stream.getvalue(), ["kld"])["kld"].tolist() == KLD.tolist()


def test_countless_entries_behind_a_comment_are_not_listed_either(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as written:
        for number in range(300):
            written.writestr(f"a{number}.npy", b"")
        written.comment = b"remark"
    monkeypatch.setattr(zipfile, "ZipFile", None)
    assert file_problem(stream.getvalue()) == "300 entries; a score file has at most 256"


def test_values_that_look_like_entries_are_values() -> None:
    marks = np.frombuffer(b"PK\x01\x02" * 2000, dtype=np.uint8)
    assert load_arrays(npz({"kld": marks}), ["kld"])["kld"].tolist() == marks.tolist()
