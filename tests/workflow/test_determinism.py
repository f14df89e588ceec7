"""The same configuration gives the same bits: on one core and on two, in another folder, in another run."""

import pytest
from comparing import differences, result_digests
from runs import FUTURE, MISSING, NOT_MEASURED, TRAINING, run

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

SETTINGS = {
    "methods_per_job": 20,
    "datasets": {"xor": {}},
    "cost": NOT_MEASURED,
    "coding": {"datasets": []},
    "kernels": {"datasets": []},
    "ensembles": {"datasets": []},
    "training": TRAINING | {"datasets": ["xor"], "methods": ["treecrf", "linear_crf"]},
    "missing": MISSING | {"datasets": ["xor"], "methods": ["surrogate_splitting", "imputation"], "rates": [0.3]},
    "future": FUTURE
    | {
        "datasets": ["xor"],
        "methods": ["sliding_window", "ff_memm_0"],
        "n_seeds": 1,
        "n_iterations": 4,
        "chain_iterations": 5,
        "g0": [-7],
        "overrides": {"xor": {"each_label": False}},
    },
}


def results_of(folder, cores):
    """Digests of what a run in `folder` makes."""
    folder.mkdir()
    run(folder, SETTINGS, "--cores", cores)
    return result_digests(folder / "results")


def test_cores_folder_and_run_change_no_bit(tmp_path):
    one = results_of(tmp_path / "one", "1")
    two = results_of(tmp_path / "two", "2")
    assert differences(one, two) == []
    for kind in ("training/xor/summary.csv", "missing/xor/comparisons.csv", "future/xor/runs.csv"):
        assert kind in one
    for kind in ("training/figure_3_1.svg", "training/figure_3_1.pdf", "missing/figure_4_1.png", "future/orders.svg"):
        assert kind in one
