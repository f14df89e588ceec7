"""Damaged files of the package's own formats: what was written, or one clear sentence."""

import io
import json
import warnings

import numpy as np
import pandas as pd
import pytest
from builders import binary_set
from fuzzing import (
    ODD_ARRAYS,
    assert_clear,
    changed_array,
    changed_tree,
    check_set,
    damaged,
    fuzz,
    quiet,
)
from hypothesis import strategies as st

import treecrf
from treecrf.automl.labeller import TableLabeller
from treecrf.automl.prediction import PredictOptions, add_predictions
from treecrf.io.files import read_frame, read_frames, read_json, write_frame, write_json
from treecrf.io.npz import read_npz, write_npz
from treecrf.models.boosted.treecrf import TreeCRF
from treecrf.models.linear.linear_crf import LinearCRF
from treecrf.readers.reading import read_table
from treecrf.readers.tables import TableColumns
from treecrf.sequences import SequenceSet

# --- arrays and headers -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small():
    return binary_set()


@pytest.fixture(scope="module")
def set_bytes(small, tmp_path_factory):
    path = tmp_path_factory.mktemp("set") / "set.npz"
    small.save(path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def models(small, tmp_path_factory):
    """Saved labellers of tables: bytes and what the labeller predicts."""
    folder, found = tmp_path_factory.mktemp("models"), []
    columns = TableColumns("sequence", "label", tuple(a.name for a in small.attributes))
    for model in (TreeCRF(n_iterations=2, max_leaves=4), LinearCRF(max_iterations=2)):
        with quiet():
            model.fit(small)
        TableLabeller(model, columns).save(folder / "model.npz")
        found.append(((folder / "model.npz").read_bytes(), model.predict_proba(small)))
    return found


def parts_of(content):
    """The members of a file; of the header its values."""
    with np.load(io.BytesIO(content)) as archive:
        parts = {name: archive[name] for name in archive.files}
    return parts | {"header": json.loads(bytes(parts["header"]))}


def with_parts(parts):
    """A file of these members."""
    stream = io.BytesIO()
    coded = {"header": np.frombuffer(json.dumps(parts["header"]).encode(), np.uint8)} if "header" in parts else {}
    np.savez_compressed(stream, **parts | coded)
    return stream.getvalue()


ODD_JSON = (None, [], {}, 3, "x", [[]], [["a"]], [["a", 3]], {"a": 1}, [1, 2], [["x", ["1", "1"]]], True, 1e999)


@st.composite
def changed_parts(draw, content):
    """The members of a file with one or two of them changed, gone or new."""
    parts = parts_of(content)
    for _ in range(draw(st.integers(1, 2))):
        name, odd = draw(st.sampled_from(list(parts))), draw(st.sampled_from(ODD_ARRAYS))
        kind = draw(st.sampled_from(["gone", "new", "odd", "changed", "changed"]))
        if kind == "gone":
            del parts[name]
        elif kind == "new":
            parts[draw(st.sampled_from(["new", "values2", "attributes"]))] = odd
        elif name == "header":
            parts[name] = draw(changed_tree(parts[name], ODD_JSON))
        else:
            parts[name] = odd if kind == "odd" else draw(changed_array(parts[name]))
    return parts


def damaged_files(*contents):
    """Files whose bytes were changed, or their members, with the right checksums of an archive."""
    return damaged(*contents) | st.one_of([changed_parts(content).map(with_parts) for content in contents])


def write_parts(path, parts, **header):
    """A file with the right digest."""
    arrays = {name: array for name, array in parts.items() if name not in ("header", "digest")}
    write_npz(path, header | parts.get("header", {}), arrays)


def loaded(load, path, content):
    """What is read from bytes."""
    path.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # zip's: two members of one name
        return load(path)


def test_sets(tmp_path, small, set_bytes):
    def use(content):
        assert check_set(loaded(SequenceSet.load, tmp_path / "set.npz", content)) == small

    use(set_bytes)
    fuzz(damaged_files(set_bytes), use)


def test_sets_of_a_faulty_writer(tmp_path, set_bytes):
    """The digest is right, what it is of is not."""

    def use(parts):
        write_parts(tmp_path / "set.npz", parts, format=None)
        return check_set(SequenceSet.load(tmp_path / "set.npz"))

    fuzz(changed_parts(set_bytes), use)


def test_models(tmp_path, models, small):
    expected = [probabilities for _, probabilities in models]

    def use(content):
        model = loaded(treecrf.load, tmp_path / "model.npz", content)
        assert any(np.array_equal(model.predict_proba(small), probabilities) for probabilities in expected)
        return loaded(TableLabeller.load, tmp_path / "model.npz", content)

    fuzz(damaged_files(*(content for content, _ in models)), use, 2)


def test_models_read_damaged_tables(tmp_path, models, small):
    (tmp_path / "model.npz").write_bytes(models[0][0])
    model = TableLabeller.load(tmp_path / "model.npz")

    def use(content):
        path = tmp_path / "t.csv"
        path.write_bytes(content)
        with quiet():
            table = read_table(path)
            labelled = add_predictions(model, table, PredictOptions("viterbi", True))
            data = model.read(table, labelled=True)
            list(model.notices(table, 1.0))
        assert set(labelled["predicted"]) <= {"0", "1"}
        return check_set(data)

    fuzz(damaged(small.to_frame().to_csv(index=False).encode()), use)


# --- result files -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    n_rows = 30
    return pd.DataFrame(
        {
            "dataset": ["xor", "hmm"] * 15,
            "rate": rng.random(n_rows),
            "n": np.arange(n_rows),
            "note": ['a "b", c', None, "é"] * 10,
        }
    )


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_frames(tmp_path, frame, suffix):
    path = tmp_path / f"frame.{suffix}"
    write_frame(frame, path)

    def use(given):
        path.write_bytes(given)
        found = read_frames([str(path)])
        assert len(set(found.columns)) == len(found.columns)
        return found

    fuzz(damaged(path.read_bytes()), use)


def test_frames_cut_off(tmp_path, frame):
    """Nothing that is cut off is taken for whole, unless it is cut off between rows."""
    path = tmp_path / "frame.csv"
    write_frame(frame, path)
    content = path.read_bytes()
    pd.testing.assert_frame_equal(read_frame(path), frame.astype(read_frame(path).dtypes))
    for end in range(len(content)):
        path.write_bytes(content[:end])
        if content[:end].endswith(b"\n"):
            assert len(read_frame(path)) == content[:end].count(b"\n") - 1
        else:
            assert assert_clear(lambda: read_frame(path)).startswith(f"file {path} is damaged (")


def test_json(tmp_path):
    path = tmp_path / "description.json"
    write_json({"source": "xor", "stand_in": None, "numbers": [1, 2.5, {"a": "é"}]}, path)

    def use(given):
        path.write_bytes(given)
        return read_json(path)

    fuzz(damaged(path.read_bytes(), b"[" * 5000 + b"]" * 5000), use)


# --- what fuzzing found -----------------------------------------------------------------------------


def test_a_file_with_a_member_of_another_is_damaged(tmp_path, small, set_bytes):
    parts = parts_of(set_bytes)
    (tmp_path / "set.npz").write_bytes(with_parts(parts | {"labels": 1 - parts["labels"]}))
    message = assert_clear(lambda: SequenceSet.load(tmp_path / "set.npz"))
    assert message.endswith("is damaged or not a treecrf file (its contents have another digest); write it again.")
    (tmp_path / "set.npz").write_bytes(with_parts(parts))
    assert SequenceSet.load(tmp_path / "set.npz") == small
    header, _ = read_npz(tmp_path / "set.npz", "treecrf.SequenceSet/1")
    assert "digest" not in header


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("labels", np.array(1), "labels must have shape"),
        ("labels", np.zeros((48, 1)), "labels must have shape"),
        ("offsets", np.array([0.0, 1e300]), "offsets must start at 0 and never fall"),
        ("new", np.array([1]), "unexpected keyword argument 'new'"),
    ],
)
def test_sets_with_odd_arrays(tmp_path, set_bytes, name, array, message):
    write_parts(tmp_path / "set.npz", parts_of(set_bytes) | {name: array})
    assert message in assert_clear(lambda: SequenceSet.load(tmp_path / "set.npz"))
