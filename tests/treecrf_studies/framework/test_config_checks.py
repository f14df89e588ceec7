"""What a dry run says of classes, files and columns that a configuration names."""

import pytest
from builders import ROOT
from runs import NOTHING

from treecrf_studies.framework.config_checks import class_problems, file_problems, time_problems
from treecrf_studies.framework.settings import load_settings

WORDS = {"kind": "table", "path": str(ROOT / "examples/words.csv"), "sequence": "word", "label": "hyphen"}


def problems(dataset=WORDS, labeller=None, **more):
    labellers = {} if labeller is None else {"mine": labeller}
    settings = load_settings(
        {"profile": "own", "datasets": {"words": dataset}, "labellers": labellers, **NOTHING, **more}
    )
    return [*class_problems(settings), *file_problems(settings)]


def test_what_is_right_has_no_sentence():
    hgb = {"class": "sklearn.ensemble:HistGradientBoostingClassifier", "grid": {"max_iter": [5, 10]}}
    assert problems(labeller=hgb) == []


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"dataset": WORDS | {"path": "no.csv"}}, "'datasets.words': table no.csv does not exist"),
        ({"dataset": WORDS | {"test": "no.csv"}}, "'datasets.words': table no.csv does not exist"),
        ({"dataset": WORDS | {"label": "tag"}}, "has no column 'tag'; its columns are 'word', 'letter', 'hyphen'"),
        ({"dataset": WORDS | {"attributes": ["leter"]}}, "has no column 'leter'"),
        ({"dataset": WORDS | {"groups": "person"}}, "has no column 'person'"),
        ({"dataset": WORDS | {"split": "fold"}}, "has no column 'fold'"),
        ({"dataset": WORDS | {"kinds": {"size": "number"}}}, "'size'"),
        ({"labeller": {"class": "sklearn.svm:Nobody"}}, "'labellers.mine': sklearn.svm:Nobody: the module"),
        ({"labeller": {"class": "sklearn.svm:SVC", "settings": {"kernels": 1}}}, "does not take these settings"),
        (
            {"labeller": {"class": "sklearn.neighbors:KNeighborsClassifier", "grid": {"n_neighbors": [5, -1]}}},
            "The 'n_neighbors' parameter of KNeighborsClassifier must be an int",
        ),
        ({"mirror": "/no/such/folder"}, "'mirror': there is no folder /no/such/folder"),
    ],
)
def test_what_is_wrong_has_one(given, sentence):
    [said] = problems(**given)
    assert sentence in said
    assert said.startswith("configuration: ")
    assert said.endswith(".")
    assert "\n" not in said


def test_a_table_from_a_clock_that_was_ahead(tmp_path):
    table = tmp_path / "a.csv"
    table.touch()
    settings = load_settings(
        NOTHING | {"profile": "own", "datasets": {"mine": {"kind": "table", "path": str(table)}, "hmm": {}}}
    )
    later = table.stat().st_mtime
    assert list(time_problems(settings, later)) == []
    (sentence,) = time_problems(settings, later - 3600)
    assert sentence.endswith(
        f"'datasets.mine': {table} was changed in a time to come; correct the clock, or touch the file."
    )
