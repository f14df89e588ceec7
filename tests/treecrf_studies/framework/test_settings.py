"""The configuration: defaults, schema, and one sentence for what is wrong."""

from pathlib import Path

import pytest
from builders import ROOT

from treecrf.io.files import read_configuration
from treecrf_studies.framework.settings import Settings, TableDataset, load_settings
from treecrf_studies.framework.settings import json_schema as current_schema
from treecrf_studies.framework.settings_reference import update

CONFIG = ROOT / "config"
OTHERS = ["short", "demo"]
MINIMAL = {"profile": "own", "datasets": {"protein": {}, "nettalk": None, "hyphen": {"kind": "builtin"}}}


def test_defaults_are_the_protocol():
    training = load_settings(MINIMAL).training
    assert training.l2_regularizations == [0, 5, 10, 20, 40, 80]
    assert (training.n_iterations, training.max_leaves, training.n_folds, training.n_perturbed_runs) == (
        250,
        100,
        5,
        10,
    )
    assert training.decoders == ["forward_backward", "viterbi"]
    assert training.order == 1


def test_defaults_of_the_missing_study_are_the_protocol():
    missing = load_settings(MINIMAL).missing
    assert missing.methods[:4] == ["instance_weighting", "surrogate_splitting", "imputation", "indicator"]
    assert missing.rates == [0, 0.05, 0.1, 0.2, 0.4]
    assert (missing.n_training_sets, missing.n_test_sets) == (20, 20)
    assert missing.held_out == pytest.approx(1 / 3)
    assert (missing.scale_gain, missing.n_surrogates, missing.either_polarity) == (False, None, True)
    assert (missing.decoder, missing.baseline_of("protein")) == ("forward_backward", "instance_weighting")
    assert missing.baseline_of("faq_ai_general") == "imputation"


def test_short_and_demo_are_laid_over_the_protocol():
    known = load_settings(read_configuration([CONFIG / "config.yaml"]))
    short, demo = (
        load_settings(read_configuration([CONFIG / "config.yaml", CONFIG / f"{name}.yaml"])) for name in OTHERS
    )
    assert [each.profile for each in (known, short, demo)] == ["protocol", *OTHERS]
    assert len({each.results for each in (known, short, demo)}) == 3
    assert (known.banner, short.banner[:48]) == ("", "Shortened protocol: decides no claim.")
    assert (known.training.n_iterations, short.training.n_iterations, short.training.n_folds) == (250, 200, 2)
    assert short.future.of("xor").g0 == known.future.of("xor").g0 == [0, -1, -5, -7]


def test_schema_is_current():
    assert (CONFIG / "schema.json").read_text() == current_schema(), (
        "rewrite it: python -m treecrf_studies.framework.settings > config/schema.json"
    )


def test_reference_of_keys_is_current():
    text = (CONFIG / "README.md").read_text()
    assert text == update(text), "rewrite it: python -m treecrf_studies.framework.settings_reference"
    assert [name for name in Settings.model_fields if f"| `{name}` |" not in text] == []
    assert (
        "| `n_perturbed_runs` | `10` | Runs from a perturbed start that show the part of chance. At least 2. |" in text
    )


def test_an_infinite_argument_of_your_own_method_reaches_its_jobs():
    own = {"mine": {"class": "m:C", "settings": {"a": float("inf")}, "grid": {"b": [1, float("inf")]}}}
    settings = load_settings({**MINIMAL, "labellers": own})
    assert settings.training.used_by("mine")["labellers"]["mine"]["settings"] == {"a": float("inf")}
    assert settings.missing.used_by("mine")["labellers"]["mine"]["grid"] == {"b": [1, float("inf")]}


@pytest.mark.parametrize(
    ("groups", "column"), [("person", "person"), ("copies", None), ({"length": 3}, None), (None, None)]
)
def test_groups_of_a_table_are_a_rule_or_a_column(groups, column):
    table = {"kind": "table", "path": "mine.csv", "groups": groups}
    settings = load_settings({"profile": "own", "datasets": {"mine": table}, "training": {"datasets": ["mine"]}})
    assert settings.datasets["mine"].groups_column == column


def test_a_table_of_your_own():
    table = {"kind": "table", "path": "mine.csv", "sequence": "s", "label": "y", "window": [1, 1]}
    settings = load_settings({"profile": "own", "datasets": {"mine": table}, "training": {"datasets": ["mine"]}})
    assert settings.datasets["mine"] == TableDataset(
        kind="table", path="mine.csv", sequence="s", label="y", window=(1, 1)
    )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"trainig": {}}, "configuration: 'trainig': extra inputs are not permitted; see config/README.md"),
        (
            {"training": {"n_iterations": 0}},
            "configuration: 'training.n_iterations' (0): input should be greater than or equal to 1; see",
        ),
        ({"training": {"l2_regularizations": [-1]}}, "'training.l2_regularizations.0' (-1): input"),
        ({"training": {"l2_regularizations": [float("nan")]}}, "'training.l2_regularizations.0' (nan): input"),
        ({"training": {"l2_regularizations": [5, 5.0]}}, "'training.l2_regularizations' names 5.0 more than once"),
        ({"training": {"overrides": {"protein": {"n_fold": 2}}}}, "'training.n_fold': extra inputs are not permitted"),
        (
            {"training": {"overrides": {"protein": {"datasets": []}}}},
            "'training' overrides 'datasets' for 'protein', which belongs to no data set",
        ),
        (
            {"missing": {"overrides": {"protein": {"rates": [0]}}}},
            "'missing' overrides 'rates' for 'protein', which belongs to no data set",
        ),
        ({"missing": {"trees": ["papers", "oak"]}}, "'missing' names the trees 'oak', which are none of papers"),
        ({"missing": {"trees": []}}, "'missing' has trees without 'papers', which most tables are about; add them."),
        ({"missing": {"mechanisms": ["chance"]}}, "'missing.mechanisms.0' ('chance'): input should be 'mcar', 'mar'"),
        (
            {"missing": {"mechanism_datasets": ["typo"]}},
            "missing.mechanism_datasets names 'typo', which is not under datasets (protein",
        ),
        ({"training": {"max_leaves": 1}}, "'training.max_leaves' (1): input"),
        ({"training": {"decoders": ["beam"]}}, "'training.decoders.0' ('beam'): input"),
        ({"training": {"datasets": ["mine"]}}, "training.datasets names 'mine', which is not under datasets (protein"),
        (
            {"cost": {"window_datasets": ["typo"]}},
            "cost.window_datasets names 'typo', which is not under datasets (protein",
        ),
        (
            {"cost": {"sampling_datasets": ["typo"]}},
            "cost.sampling_datasets names 'typo', which is not under datasets (",
        ),
        ({"datasets": {"protein": {"window": [-1, 2]}}}, "'datasets.protein.window.0' (-1): input"),
        ({"datasets": {"protein": {"kind": "database"}}}, "'datasets.protein' ("),
        ({"datasets": {"a/b": {}}}, "'datasets.a/b' ('a/b'): string should match pattern"),
        ({"datasets": {"mine": {"kind": "table"}}}, "'datasets.mine.table.path': field required"),
        (
            {"datasets": {"mine": {"kind": "table", "path": "a.csv", "separator": "::"}}},
            "'datasets.mine.table' separator='::': give one character, such as ; or tab.",
        ),
        (
            {"datasets": {"mine": {"kind": "table", "path": "a.csv", "encoding": "utf-5"}}},
            "'datasets.mine.table' encoding='utf-5' is not known; give one such as utf-8, cp1252, latin-1 or utf-16.",
        ),
        ({"datasets": None}, "'datasets' (None): input"),
        ({"seed": "x"}, "'seed' ('x'): input"),
        (
            {"labellers": {"mine": {"class": "m:C", "grid": {"a": [{1: 2}]}}}},
            "holds {1: 2}, which has a key that is not text",
        ),
        *(
            ({"results": path}, f"'results' is {path!r}, which holds the working")
            for path in ("/", ".", "a/..", str(Path.cwd().parent))
        ),
        *(
            ({name: ""}, f"'{name}' is empty; name a file or folder")
            for name in ("results", "raw", "archives", "mirror", "compare")
        ),
        *(({name: "$HOME/x"}, f"'{name}' is '$HOME/x', where no shell") for name in ("results", "reports", "compare")),
        ({"mirror": "~/x"}, "'mirror' is '~/x', where no shell fills in ~ or $; write the whole path."),
        ({"archives": "a\nb"}, "'archives' is 'a\\nb', which has a line break or tab; rename it."),
        ({"reports": "a/../../b"}, "'reports' is 'a/../../b', outside the working folder; name a folder inside it"),
        ({"raw": "{x}"}, "'raw' is '{x}', and braces have a meaning for Snakemake; choose another name."),
        ({"results": "x "}, "'results' is 'x ', which begins or ends with a blank; remove it."),
        (
            {"results": "./data/raw/"},
            "results and raw are the same folder, 'data/raw'; choose another for one of them.",
        ),
        (
            {"datasets": {"mine": {"kind": "table", "path": "~/a.csv"}}},
            "'datasets.mine.table.path' is '~/a.csv', where",
        ),
    ],
)
def test_errors_are_one_sentence(change, sentence):
    with pytest.raises(ValueError) as caught:
        load_settings({**MINIMAL, **change})
    message = str(caught.value)
    assert sentence in message
    assert "\n" not in message
    assert message.endswith(".")


@pytest.mark.parametrize("path", ["x", "x/", "./x", "a/../x", "x//"])
def test_a_folder_has_one_name(path):
    assert load_settings({**MINIMAL, "results": path, "reports": "/tmp/a b"}).results == "x"


def test_datasets_and_a_profile_are_needed():
    with pytest.raises(ValueError, match="'datasets': field required; see config/README"):
        load_settings({"profile": "own"})
    with pytest.raises(ValueError, match=r"^configuration: 'profile': field required; see config/README\.md\.$"):
        load_settings({"datasets": {"protein": {}}})


def test_a_baseline_must_be_a_method():
    config = {**MINIMAL, "missing": {"datasets": ["protein"], "methods": ["imputation", "indicator"]}}
    with pytest.raises(ValueError, match="baseline 'instance_weighting' for 'protein', which is not among methods"):
        load_settings(config)
