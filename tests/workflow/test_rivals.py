"""A run that takes what its rivals found from another run's file."""

import pandas as pd
import pytest
from builders import NOTHING, run
from pandas.testing import assert_frame_equal

from treecrf import datasets

TRAINING = {
    "datasets": ["mine"], "methods": ["lightgbm", "bayes"], "lightgbm_leaves": [3], "n_iterations": 4, "n_folds": 2,
    "n_perturbed_runs": 2,
}  # fmt: skip
FULL = NOTHING | {
    "datasets": {"mine": {"kind": "table", "path": "mine.csv", "window": [1, 1]}},
    "labellers": {"bayes": {"class": "sklearn.naive_bayes:BernoulliNB", "grid": {"alpha": [0.1, 1]}}},
    "training": TRAINING, "results": "full",
}  # fmt: skip
OWN = FULL | {"results": "own", "rivals": "rivals.parquet"}
SUMMARY = ("summary", "comparisons", "peak_comparisons", "ranks", "curves")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder in which the full run has written its file of rivals."""
    folder = tmp_path_factory.mktemp("rivals")
    train, _ = datasets.load("hmm", n_train=30, n_test=5)
    train.to_frame().to_csv(folder / "mine.csv", index=False)
    for results in ("full", "own"):  # neither method has compiled routines
        (folder / results / "training").mkdir(parents=True)
        (folder / results / "training/kernels.json").write_text("{}")
    run(folder, FULL, "--keep-going", "full/training/mine/summary.csv", "full/treecrf-rivals.parquet")
    (folder / "full/treecrf-rivals.parquet").rename(folder / "rivals.parquet")
    return folder


@pytest.mark.slow
def test_only_the_new_method_is_trained_and_every_test_is_there(folder):
    said = run(folder, OWN, "--keep-going", "own/training/mine/summary.csv").stdout
    assert "Trains and tests bayes on mine" in said
    for name in ("folds", "choice", "curves", "predictions", "phases", "notes"):
        full, own = (folder / results / f"training/mine/lightgbm.{name}.parquet" for results in ("full", "own"))
        assert full.read_bytes() == own.read_bytes()
    for name in SUMMARY:
        full, own = (pd.read_csv(folder / results / f"training/mine/{name}.csv") for results in ("full", "own"))
        times = [column for column in full if "seconds" in column]  # bayes was trained twice
        assert_frame_equal(full.drop(columns=times), own.drop(columns=times))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (
            {"training": TRAINING | {"n_folds": 3}},
            "lightgbm of training on mine was run with n_folds: 2, and here it is 3",
        ),
        ({"rivals": "mine.csv"}, "rivals: mine.csv is no file of rivals"),
        ({"rivals": "own/treecrf-rivals.parquet"}, "rivals: there is no file own/treecrf-rivals.parquet"),
    ],
)
def test_what_does_not_fit_is_one_sentence(folder, changed, sentence):
    process = run(folder, OWN | changed, "--dry-run", check=False)
    assert process.returncode != 0
    assert sentence in process.stdout


@pytest.mark.slow
def test_other_data_stop_the_job(folder):
    file = folder / "mine.csv"
    before = file.read_text()
    file.write_text("\n".join(before.splitlines()[:-20]) + "\n")
    process = run(
        folder, OWN | {"results": "other"}, "--keep-going", "other/training/mine/lightgbm.folds.parquet", check=False
    )
    file.write_text(before)
    log = (folder / "other/logs/training/train/mine_lightgbm.log").read_text()
    assert process.returncode != 0
    assert "rivals: the train set of mine is not the one that rivals.parquet was made with" in log
