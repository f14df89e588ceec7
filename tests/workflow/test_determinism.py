"""The same configuration gives the same bits: on one core and on two, in another folder, in another run."""

import json
import shutil

import pytest
from builders import ROOT, run
from comparing import differences, result_digests

pytestmark = pytest.mark.workflow

TRAINING = {
    "datasets": ["xor"], "methods": ["treecrf", "linear_crf"], "l2_regularizations": [20], "variances": [5],
    "n_iterations": 3, "test_every": 1, "max_leaves": 4, "n_folds": 2, "n_perturbed_runs": 2,
}  # fmt: skip
MISSING = {
    "datasets": ["xor"], "methods": ["surrogate_splitting", "imputation"], "baseline": "imputation", "rates": [0.3],
    "n_training_sets": 1, "n_test_sets": 2, "l2_regularizations": [20], "n_iterations": 3, "max_leaves": 4,
}  # fmt: skip
FUTURE = {
    "datasets": ["xor"], "methods": ["sliding_window", "ff_memm_0"], "n_seeds": 1, "n_iterations": 4, "chain_iterations": 5, "g0": [-7], "alpha_uppers": [40],
    "beta_uppers": [1e5], "eta_uppers": [10], "overrides": {"xor": {"each_label": False}},
}  # fmt: skip


def results_of(folder, cores):
    """Digests of what a run in `folder` makes."""
    shutil.copytree(ROOT / "config", folder / "config")
    (folder / "small.yaml").write_text(json.dumps({"datasets": {"xor": {}}}))
    run(folder, TRAINING, "--cores", cores, missing=MISSING, future=FUTURE, configfile="small.yaml")
    return result_digests(folder / "results")


def test_cores_folder_and_run_change_no_bit(tmp_path):
    one = results_of(tmp_path / "one", "1")
    two = results_of(tmp_path / "two", "2")
    assert differences(one, two) == []
    for kind in ("training/xor/summary.csv", "missing/xor/comparisons.csv", "future/xor/runs.csv"):
        assert kind in one
    for kind in ("training/figure_3_1.svg", "training/figure_3_1.pdf", "missing/figure_4_1.png", "future/orders.svg"):
        assert kind in one
