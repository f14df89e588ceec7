"""Fuzzed files of the package's own formats: what was written, or one clear sentence."""

import io
import json
import warnings

import numpy as np
import pandas as pd
import pytest
from builders import binary_set
from fuzzing import assert_clear, check_set, flip, fuzz, mutate, mutations_of, quiet

import treecrf
from treecrf.automl.labeller import TableLabeller
from treecrf.io.files import read_frame, read_frames, read_json, write_frame, write_json
from treecrf.io.npz import read_npz, write_npz
from treecrf.models.boosted.treecrf import TreeCRF
from treecrf.models.linear.linear_crf import LinearCRF
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


def trained_parts(content):
    with np.load(io.BytesIO(content)) as archive:
        return {name: archive[name] for name in archive.files}


def with_parts(parts):
    stream = io.BytesIO()
    np.savez_compressed(stream, **parts)
    return stream.getvalue()


ODD_ARRAYS = (
    np.array(3), np.array([]), np.zeros((2, 0)), np.zeros((0, 3, 1)), np.array([0, 2**62, -5]), np.array([0.0, np.nan]),
    np.array([0.0, 1e300]), np.array(["a"]), np.array([b"\xff"]), np.array([1j]), np.array([0, 2**63], dtype=np.uint64),
    np.array([True]), np.array(["2020"], dtype="M8[D]"), np.zeros(2, dtype=[("a", int)]), np.full(7, -7),
)  # fmt: skip
ODD_JSON = (None, [], {}, 3, "x", [[]], [["a"]], [["a", 3]], {"a": 1}, [1, 2], [["x", ["1", "1"]]], True, 1e999)


def other_array(array, rng):
    """An array with something wrong about it."""
    match int(rng.integers(5)):
        case 0:
            return ODD_ARRAYS[rng.integers(len(ODD_ARRAYS))]
        case 1 if array.size:
            changed = array.copy()
            changed.flat[rng.integers(array.size)] = (
                rng.integers(0, 100) if array.dtype == np.uint8 else rng.integers(-5, 100)
            )
            return changed
        case 2:
            return array.ravel()[: rng.integers(array.size + 1)]
        case 3:
            return array[::-1]
        case _ if array.dtype.kind == "S":  # bytes may be no text
            return array.view(np.uint8)
        case _:
            return array.astype(("float64", "int8", "uint8", "U")[rng.integers(4)], copy=True)


def other_header(text, rng):
    header = json.loads(bytes(text))
    key = list(header)[rng.integers(len(header))]
    inner = header[key]
    if isinstance(inner, dict) and inner and rng.random() < 0.5:
        name = list(inner)[rng.integers(len(inner))]
        inner[name] = ODD_JSON[rng.integers(len(ODD_JSON))]
    elif rng.random() < 0.2:
        del header[key]
    else:
        header[key] = ODD_JSON[rng.integers(len(ODD_JSON))]
    return header


def other_parts(content, rng):
    """The same kind of file with a member changed, gone or new; its checksums are right."""
    parts = trained_parts(content)
    names = list(parts)
    name = names[rng.integers(len(names))]
    match int(rng.integers(4)):
        case 0:
            del parts[name]
        case 1:
            parts[("new", "values2", "attributes")[rng.integers(3)]] = ODD_ARRAYS[rng.integers(len(ODD_ARRAYS))]
        case _ if name == "header":
            parts[name] = np.frombuffer(json.dumps(other_header(parts[name], rng)).encode(), dtype=np.uint8)
        case _:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                parts[name] = other_array(parts[name], rng)
    return with_parts(parts)


def any_change(contents):
    def make(rng):
        content = contents[rng.integers(len(contents))]
        if rng.random() < 0.5:
            return other_parts(content, rng)
        return flip(content, rng) if rng.random() < 0.5 else mutate(content, rng)

    return make


def test_sets(tmp_path, small, set_bytes):
    def use(given):
        (tmp_path / "set.npz").write_bytes(given)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # zip's: two members of one name
            assert check_set(SequenceSet.load(tmp_path / "set.npz")) == small

    fuzz("sets", any_change([set_bytes]), use)


def test_sets_of_a_faulty_writer(tmp_path, set_bytes):
    """The digest is right, what it is of is not."""

    def make(rng):
        given = trained_parts(set_bytes)
        header = json.loads(bytes(given.pop("header")))
        del given["digest"]
        for _ in range(int(rng.integers(1, 3))):
            if rng.random() < 0.3:
                header = other_header(json.dumps(header).encode(), rng) or {"format": None}
                continue
            name = list(given)[rng.integers(len(given))]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                given[name] = other_array(given[name], rng)
        write_npz(tmp_path / "made.npz", header, given)
        return (tmp_path / "made.npz").read_bytes()

    def use(given):
        (tmp_path / "set.npz").write_bytes(given)
        return check_set(SequenceSet.load(tmp_path / "set.npz"))

    fuzz("sets of a faulty writer", make, use)


def test_models(tmp_path, models, small):
    expected = [probabilities for _, probabilities in models]

    def use(given):
        path = tmp_path / "model.npz"
        path.write_bytes(given)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model = treecrf.load(path)
        assert any(np.array_equal(model.predict_proba(small), probabilities) for probabilities in expected)

    fuzz("models", any_change([content for content, _ in models]), use)


def test_models_of_tables(tmp_path, models):
    def use(given):
        path = tmp_path / "model.npz"
        path.write_bytes(given)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return TableLabeller.load(path)

    fuzz("models of tables", any_change([content for content, _ in models]), use)


def test_models_of_another_version(tmp_path, models):
    def make(rng):
        content, _ = models[rng.integers(len(models))]
        given = trained_parts(content)
        header = other_header(given.pop("header"), rng)
        del given["digest"]
        write_npz(tmp_path / "made.npz", {"format": "treecrf.model/1"} | header, given)
        return (tmp_path / "made.npz").read_bytes()

    def use(given):
        path = tmp_path / "model.npz"
        path.write_bytes(given)
        return TableLabeller.load(path), treecrf.load(path)

    fuzz("models of another version", make, use)


def test_models_read_fuzzed_tables(tmp_path, models, small):
    content, _ = models[0]
    (tmp_path / "model.npz").write_bytes(content)
    model = TableLabeller.load(tmp_path / "model.npz")
    seed = small.to_frame().to_csv(index=False).encode()

    def use(given):
        from treecrf.automl.prediction import PredictOptions, add_predictions
        from treecrf.readers.reading import read_table

        path = tmp_path / "t.csv"
        path.write_bytes(given)
        with quiet():
            table = read_table(path)
            labelled = add_predictions(model, table, PredictOptions("viterbi", True))
            data = model.read(table, labelled=True)
            list(model.notices(table, 1.0))
        assert set(labelled["predicted"]) <= {"0", "1"}
        return check_set(data)

    fuzz("tables for a model", mutations_of([seed]), use)


# --- result files -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    n_rows = 30
    return pd.DataFrame(
        {"dataset": ["xor", "hmm"] * 15, "rate": rng.random(n_rows), "n": np.arange(n_rows), "note": ['a "b", c', None, "é"] * 10}
    )  # fmt: skip


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_frames(tmp_path, frame, suffix):
    path = tmp_path / f"frame.{suffix}"
    write_frame(frame, path)

    def use(given):
        path.write_bytes(given)
        found = read_frames([str(path)])
        assert len(set(found.columns)) == len(found.columns)
        return found

    fuzz(f"result files ({suffix})", mutations_of([path.read_bytes()]), use)


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

    fuzz("json", mutations_of([path.read_bytes(), b"[" * 5000 + b"]" * 5000]), use)


# --- what fuzzing found -----------------------------------------------------------------------------


def test_a_file_with_a_member_of_another_is_damaged(tmp_path, small, set_bytes):
    parts = trained_parts(set_bytes)
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
    parts = trained_parts(set_bytes)
    header = json.loads(bytes(parts.pop("header")))
    del parts["digest"]
    write_npz(tmp_path / "set.npz", header, parts | {name: array})
    assert message in assert_clear(lambda: SequenceSet.load(tmp_path / "set.npz"))
