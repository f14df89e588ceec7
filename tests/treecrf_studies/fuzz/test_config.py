"""Fuzzed configurations: accepted and the same when read again, or refused in one clear sentence."""

import copy
import datetime
import json

import pytest
from builders import ROOT
from fuzzing import FULL, N_INPUTS, assert_clear, fuzz, mutations_of, outcome
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from treecrf.io.files import read_configuration
from treecrf_studies.framework.settings import Settings, load_settings

CONFIG = ROOT / "config"
FILES = [CONFIG / "config.yaml", CONFIG / "demo.yaml"]
MINIMAL = {"profile": "own", "datasets": {"protein": {}}, "training": {"datasets": ["protein"]}}


def load(mapping):
    """Settings that are the same when read again from JSON."""
    found = load_settings(mapping)
    values = found.model_dump(mode="json")
    assert load_settings(json.loads(json.dumps(values, allow_nan=True))) == found
    for study in (found.training, found.future):
        for dataset in study.datasets:
            study.of(dataset)
    return found


# --- files ------------------------------------------------------------------------------------------


def test_files(tmp_path):
    def use(content):
        path = tmp_path / "config.yaml"
        path.write_bytes(content)
        return load(read_configuration([path]))

    fuzz("configuration files", mutations_of([file.read_bytes() for file in FILES]), use)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a: [1, 2", ", line 1: not readable as YAML ("),
        ("a: 1\nb: 'x\n", ", line 3: not readable as YAML ("),
        ("a: 2020-99-99\n", ": a value is not readable ('month must be in 1..12')"),
        ("seed: " + "9" * 5000, ": a value is not readable ("),
        ("a: !!bool maybe\n", ": a value is not readable ("),
        ("a: !!timestamp x\n", ": a value is not readable ("),
        ("[" * 20_000, ": a value is not readable ("),
        ("a: \x00", ": not readable as YAML ("),
        ("- a\n", ": holds ['a'], not keys with values"),
        ("x" * 1_000_001, ": has 1,000,001 bytes, and 1,000,000 are enough"),
    ],
)
def test_files_that_are_no_configuration(tmp_path, content, message):
    path = tmp_path / "config.yaml"
    path.write_text(content)
    assert assert_clear(lambda: read_configuration([path])).startswith(f"configuration {path}{message}")


def test_files_are_laid_over_each_other(tmp_path):
    texts = ["a: {b: {c: 1, d: [2, 3]}, e: 4}\nf: 5\n", "# nothing\n", "a: {b: {d: [6]}, e: {g: 7}}\nf: null\n"]
    paths = [tmp_path / f"{i}.yaml" for i in range(3)]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    assert read_configuration(paths) == {"a": {"b": {"c": 1, "d": [6]}, "e": {"g": 7}}, "f": None}


# --- trees of values --------------------------------------------------------------------------------

ODD = (
    None, True, False, 0, -1, 1, 3, 10**9, 10**30, -(10**5000), 2**63, 0.5, -0.0, 1e308, float("nan"), float("inf"), "", " ", "0", "1e5",
    "nan", "protein", "hmm", "treecrf", "no such", "a/b", "../x", "x" * 5000, "\x00", "\ud800", "é\u2028", "2020-01-01", [], [[]], {},
    {"": None}, {None: 1}, {1: 2}, {"kind": "table"}, {"kind": []}, ["protein"], ["protein", "protein"], [None], [[[[1]]]],
    {"a": {"b": {"c": [1, {}]}}}, b"\xff", datetime.date(2020, 1, 1), {1, 2}, (1, 2), 1j, [1, 1.0, "1"], {"n_iterations": -1},
    {"class": "a:B"}, {"class": "a:B", "grid": {"x": []}}, {"own": {"class": "m:C"}}, {"protein": {"labellers": 1}},
    {"protein": {"overrides": {}}}, {"protein": {"n_iterations": {"a": 1}}}, {"protein": {1: 1}},
)  # fmt: skip
KEYS = (
    *Settings.model_fields,
    "overrides",
    "kind",
    "window",
    "options",
    "class",
    "own",
    "n_iterations",
    "x" * 300,
    "",
    "é",
    1,
    None,
    True,
)


def places(tree, path=()):
    """All places in nested mappings and lists."""
    yield path
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


def changed(tree, rng):
    """A tree with one place changed."""
    tree = copy.deepcopy(tree)
    found = list(places(tree))
    path = found[rng.integers(len(found))]
    if not path:
        return ODD[rng.integers(len(ODD))] if rng.random() < 0.02 else tree
    parent = tree
    for key in path[:-1]:
        parent = parent[key]
    value = ODD[rng.integers(len(ODD))]
    match int(rng.integers(5)):
        case 0:
            del parent[path[-1]]
        case 1 if isinstance(parent, dict):
            parent[KEYS[rng.integers(len(KEYS))]] = value
        case 1:
            parent.insert(int(rng.integers(len(parent) + 1)), value)
        case 2:
            other = tree
            for key in found[rng.integers(len(found))]:
                other = (
                    other[key]
                    if not isinstance(other, dict | list)
                    or key in (other if isinstance(other, dict) else range(len(other)))
                    else other
                )
            parent[path[-1]] = copy.deepcopy(other)
        case _:
            parent[path[-1]] = value
    return tree


def test_changed_values():
    whole = read_configuration(FILES)
    own = {"mine": {"class": "m:C", "settings": {"a": 1}, "grid": {"b": [1, 2]}}}
    table = {"kind": "table", "path": "t.csv", "attributes": ["a"], "window": [1, 1]}
    trees = [whole, {**MINIMAL, "labellers": own}, {**MINIMAL, "datasets": {"protein": {}, "table": table}}]
    trees.append({**MINIMAL, "training": {"datasets": ["protein"], "overrides": {"protein": {"n_iterations": 3}}}})

    def make(rng):
        tree = trees[rng.integers(len(trees))]
        for _ in range(int(rng.integers(1, 4))):
            tree = changed(tree, rng) if isinstance(tree, dict) else tree
        return tree

    fuzz("configuration values", make, load)


PRINTABLE = [value for value in ODD if value != -(10**5000)]  # hypothesis writes what it gives
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.sampled_from(PRINTABLE) | st.binary(max_size=3)
)  # fmt: skip
NAMES = st.sampled_from([key for key in KEYS if isinstance(key, str)]) | st.text(max_size=8)
TREES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=12
)


@seed(0)
@settings(
    max_examples=N_INPUTS, deadline=None, database=None, derandomize=not FULL, suppress_health_check=list(HealthCheck)
)
@given(st.dictionaries(NAMES, TREES, max_size=5) | TREES, st.booleans())
def test_any_values(tree, complete):
    if complete and isinstance(tree, dict):
        tree = {**MINIMAL, **tree}
    outcome(lambda: load(tree))


# --- what fuzzing found -----------------------------------------------------------------------------


def nested(depth):
    value = 1
    for _ in range(depth):
        value = [value]
    return value


def referred(levels):
    """The billion laughs: each level refers ten times to the one before."""
    value = ["ha"]
    for _ in range(levels):
        value = [value] * 10
    return value


def endless():
    value = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"seed": 10**5000}, "'seed' holds a number of 16,610 bits, which is beyond 9,223,372,036,854,775,807; change it"),
        ({"results": "a\x00b"}, "'results' holds 'a\\x00b', which has a control character"),
        ({"results": "\ud800"}, "'results' holds '\\ud800', which has a control character"),
        ({"future": {"g0": [float("nan")]}}, "'future.g0.0' (nan): input should be a finite number"),
        ({"future": {"tolerance": float("inf")}}, "'future.tolerance' (inf): input"),
        ({"datasets": {"protein": {"window": [0, 10**9]}}}, "'datasets.protein.window.1' (1000000000): input"),
        ({"datasets": {"protein": {"options": {"x": datetime.date(2020, 1, 1)}}}}, "which is of the type date (text needs quotes)"),
        ({"datasets": {"x" * 300: {}}}, "): string should have at most 80 characters"),
        ({"seed": "x" * 100_000}, "'seed' ('xxxx"),
        ({"x" * 100_000: 1}, "extra inputs are not permitted"),
        ({"training": {"datasets": nested(200)}}, "is nested too deep"),
        ({"training": {"datasets": endless()}}, "is nested too deep"),
        ({"training": {"datasets": referred(8)}}, "holds more than 100,000 values; leave some out"),
        ({"future": {"max_leaves": list(range(2, 90_000)) * 1}}, None),
    ],
)  # fmt: skip
def test_values_that_would_stop_a_run_later(change, sentence):
    if sentence is None:
        assert outcome(lambda: load_settings({**MINIMAL, **change}))[1] is None
    else:
        assert sentence in assert_clear(lambda: load_settings({**MINIMAL, **change}))


@pytest.mark.parametrize("value", [None, [], "text", 3, [("datasets", {})]])
def test_no_mapping(value):
    assert assert_clear(lambda: load_settings(value)).endswith("not keys with values; see config/README.md.")


@pytest.mark.parametrize(
    "name", ["../up", "/absolute", "a b", "$(touch x)", "a;b", "a'b", 'a"b', "..", "a/b", "-x", "a\n", ""]
)
def test_names_of_data_sets_cannot_leave_the_results_or_reach_a_shell(name):
    with pytest.raises(ValueError, match=r"string should match pattern"):
        load_settings({"profile": "own", "datasets": {name: {}}})
