"""Fuzzed configurations: accepted and the same when read again, or refused in one clear sentence."""

import datetime
import json

import pytest
from builders import ROOT
from fuzzing import assert_clear, changed_tree, damaged, fuzz, outcome
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

    fuzz(damaged(*(file.read_bytes() for file in FILES)), use)


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

NUMBERS = (0, -1, 1, 3, 10**9, 10**30, -(10**4000), 2**63, 0.5, -0.0, 1e308, float("nan"), float("inf"), 1j)
TEXTS = (
    *["0", "1e5", "nan", "protein", "hmm", "treecrf", "a/b", "../x", "2020-01-01"],
    "",
    " ",
    "no such",
    "\x00",
    "\ud800",
    "é\u2028",
    "x" * 5000,
)
LISTS = ([], [[]], ["protein"], ["protein", "protein"], [None], [[[[1]]]], [1, 1.0, "1"], (1, 2), {1, 2})
SMALL = ({}, {"": None}, {None: 1}, {1: 2}, {"kind": "table"}, {"kind": []}, {"n_iterations": -1}, {"class": "a:B"})
NESTED = ({"a": {"b": {"c": [1, {}]}}}, {"class": "a:B", "grid": {"x": []}}, {"own": {"class": "m:C"}})
OF_PROTEIN = ({"labellers": 1}, {"overrides": {}}, {"n_iterations": {"a": 1}}, {1: 1})
OTHERS = (None, True, False, b"\xff", datetime.date(2020, 1, 1))
ODD = (*NUMBERS, *TEXTS, *LISTS, *SMALL, *NESTED, *({"protein": value} for value in OF_PROTEIN), *OTHERS)
NAMES = (
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
)
SCALARS = st.sampled_from(ODD) | st.integers() | st.floats() | st.text(max_size=20) | st.binary(max_size=3)
MAPPINGS = st.dictionaries(
    st.sampled_from(NAMES) | st.text(max_size=8),
    st.recursive(
        SCALARS,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
        max_leaves=12,
    ),
    max_size=5,
)


def test_values():
    own = {"mine": {"class": "m:C", "settings": {"a": 1}, "grid": {"b": [1, 2]}}}
    table = {"kind": "table", "path": "t.csv", "attributes": ["a"], "window": [1, 1]}
    overrides = {"datasets": ["protein"], "overrides": {"protein": {"n_iterations": 3}}}
    accepted = [read_configuration(FILES), {**MINIMAL, "labellers": own}, {**MINIMAL, "training": overrides}]
    accepted.append({**MINIMAL, "datasets": {"protein": {}, "table": table}})
    fuzz(st.one_of([changed_tree(tree, ODD, (*NAMES, 1, None, True)) for tree in accepted]), load)


def test_values_of_any_kind():
    fuzz(SCALARS | MAPPINGS | MAPPINGS.map(lambda tree: MINIMAL | tree), load)


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
        (
            {"seed": 10**5000},
            "'seed' holds a number of 16,610 bits, which is beyond 9,223,372,036,854,775,807; change it",
        ),
        ({"results": "a\x00b"}, "'results' holds 'a\\x00b', which has a control character"),
        ({"results": "\ud800"}, "'results' holds '\\ud800', which has a control character"),
        ({"future": {"g0": [float("nan")]}}, "'future.g0.0' (nan): input should be a finite number"),
        ({"future": {"tolerance": float("inf")}}, "'future.tolerance' (inf): input"),
        ({"datasets": {"protein": {"window": [0, 10**9]}}}, "'datasets.protein.window.1' (1000000000): input"),
        (
            {"datasets": {"protein": {"options": {"x": datetime.date(2020, 1, 1)}}}},
            "which is of the type date (text needs quotes)",
        ),
        ({"datasets": {"x" * 300: {}}}, "): string should have at most 80 characters"),
        ({"seed": "x" * 100_000}, "'seed' ('xxxx"),
        ({"x" * 100_000: 1}, "extra inputs are not permitted"),
        ({"training": {"datasets": nested(200)}}, "is nested too deep"),
        ({"training": {"datasets": endless()}}, "is nested too deep"),
        ({"training": {"datasets": referred(8)}}, "holds more than 100,000 values; leave some out"),
        ({"future": {"max_leaves": list(range(2, 90_000)) * 1}}, None),
    ],
)
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
