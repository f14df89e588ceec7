"""Changes to a finished run: a method more, or another setting, computes only what is new."""

import pandas as pd
import pytest
from runs import NOTHING, run

from treecrf_studies import datasets

TRAINING = {
    "datasets": ["mine"],
    "methods": ["lightgbm"],
    "lightgbm_leaves": [3],
    "n_iterations": 4,
    "n_folds": 2,
    "n_perturbed_runs": 2,
}
FINISHED = NOTHING | {
    "datasets": {"mine": {"kind": "table", "path": "mine.csv", "window": [1, 1]}},
    "labellers": {"bayes": {"class": "sklearn.naive_bayes:BernoulliNB", "grid": {"alpha": [0.1, 1]}}},
    "training": TRAINING,
}
WITH_BAYES = FINISHED | {"training": TRAINING | {"methods": ["lightgbm", "bayes"]}}
SUMMARY = "results/training/mine/summary.csv"


def train(folder, settings):
    """The messages of a run, and the files that each method has after it, with their times."""
    said = run(folder, settings, "--keep-going", SUMMARY).stdout
    return said, {path.name: path.stat().st_mtime_ns for path in (folder / "results/training/mine").glob("*.parquet")}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A folder with a finished run, and its files."""
    folder = tmp_path_factory.mktemp("finished")
    data, _ = datasets.load("hmm", n_train=30, n_test=5)
    data.to_frame().to_csv(folder / "mine.csv", index=False)
    (folder / "results/training").mkdir(parents=True)
    (folder / "results/training/kernels.json").write_text("{}")  # neither method has compiled routines
    return folder, train(folder, FINISHED)[1]


@pytest.mark.slow
def test_only_the_new_method_is_trained_and_compared_with_those_before(finished):
    folder, before = finished
    said, after = train(folder, WITH_BAYES)
    assert "Trains and tests on mine: bayes" in said
    assert "lightgbm on mine" not in said
    assert before.items() < after.items()
    assert set(pd.read_csv(folder / SUMMARY)["method"]) == {"lightgbm", "bayes"}
    pairs = pd.read_csv(folder / SUMMARY.replace("summary", "comparisons"))
    assert {"lightgbm", "bayes"} <= {*pairs["method"], *pairs["other"]}


@pytest.mark.slow
def test_a_setting_of_one_method_trains_that_method_alone(finished):
    folder, _ = finished
    _, before = train(folder, WITH_BAYES)
    other = WITH_BAYES | {"training": WITH_BAYES["training"] | {"lightgbm_leaves": [4]}}
    stopped = run(folder, other, "--keep-going", SUMMARY, check=False)
    assert stopped.returncode == 1
    assert "training.lightgbm_leaves: [3] -> [4] (1 job)\nRestore the settings, name another folder" in stopped.stdout
    assert train(folder, WITH_BAYES)[1] == before
    assert "training.lightgbm_leaves: [3] -> [4] (1 job)" in run(folder, other, "--dry-run", SUMMARY).stdout
    said, after = train(folder, other | {"overwrite": True})
    assert "Trains and tests on mine: lightgbm" in said
    assert "bayes on mine" not in said
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {name for name in after if name.startswith("lightgbm.")}
