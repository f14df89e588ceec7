"""Files of arrays: what is refused before memory is taken."""

import io
import tracemalloc
import zipfile

import numpy as np
import pytest

from treecrf import Attribute, LinearCRF, SequenceSet
from treecrf.io import process
from treecrf.io.npz import read_npz, write_npz

HEADER = {"format": "test/1"}


def header_of(shape, dtype="<f8"):
    """The bytes that begin a member which says that it has this shape."""
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": dtype, "fortran_order": False, "shape": shape})
    return stream.getvalue()


def write_members(path, **members):
    """A zip of these members, beside what a good file has."""
    write_npz(path, HEADER, {})
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return path


def test_the_name_of_another_format_is_refused(tmp_path):
    model = LinearCRF(max_iterations=2).fit([["a", "b"]], [["x", "y"]])
    data = SequenceSet([[0]], [0, 1], [Attribute("x", ("a",))])
    for name, write in (("model.PKL", model.save), ("set.joblib", data.save)):
        with pytest.raises(
            ValueError, match=rf"{name} is written as \.npz, whatever its name; give it that ending in place of "
        ):
            write(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_arrays_and_header_come_back(tmp_path):
    arrays = {"numbers": np.arange(6.0).reshape(2, 3), "none": np.empty((0, 4)), "one": np.array(3)}
    write_npz(tmp_path / "a.npz", HEADER | {"x": [1]}, arrays)
    header, found = read_npz(tmp_path / "a.npz", "test/1")
    assert header == HEADER | {"x": [1]}
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (header_of((10**12,)), r"its part big\.npy has another size than it says"),
        (header_of((10**30, 10**30)), r"its part big\.npy has another size than it says"),
        (header_of((-1,)) + bytes(8), r"its part big\.npy has another size than it says"),
        (header_of((1,)), r"its part big\.npy has another size than it says"),
        (header_of((1,)) + bytes(16), r"its part big\.npy has another size than it says"),
        (header_of((1,)).replace(b"NUMPY\x01", b"NUMPY\x02") + bytes(8), r"its part big\.npy has another version"),
        (header_of((1,), "|O") + bytes(8), r"its part big\.npy holds objects"),
        (b"", r"EOF: reading magic string"),
    ],
)
def test_members_that_say_too_much_are_refused(tmp_path, content, message):
    path = write_members(tmp_path / "a.npz", big=content)
    with pytest.raises(
        ValueError, match=rf"a\.npz is damaged or not a treecrf file \(.*{message}.*\); write it again\.$"
    ):
        read_npz(path, "test/1")


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    path = write_members(tmp_path / "a.npz", big=header_of((10**7,), "|u1") + bytes(10**7))
    assert path.stat().st_size < 20_000
    monkeypatch.setattr(process, "available_memory", lambda: 10**6)
    with pytest.raises(ValueError, match=r"its parts would take 0\.0 GiB of memory"):
        read_npz(path, "test/1")


def test_a_part_that_says_more_than_its_bytes_can_hold_is_refused_before_memory_is_taken(tmp_path):
    path = write_members(tmp_path / "a.npz", big=header_of((3 * 2**28,), "|u1") + bytes(1000))
    data = path.read_bytes()
    place = data.rindex(b"PK\x01\x02") + 24  # the size in the directory
    path.write_bytes(data[:place] + (3 * 2**28 + 128).to_bytes(4, "little") + data[place + 4 :])
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"its part big\.npy has another size than it says"):
        read_npz(path, "test/1")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10**7


def test_what_is_unpacked_is_in_memory_once(tmp_path):
    write_npz(tmp_path / "a.npz", HEADER, {"zeros": np.zeros(10**6)})
    tracemalloc.start()
    read_npz(tmp_path / "a.npz", "test/1")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * 10**6 + 4 * 10**6
