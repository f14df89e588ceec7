"""The one real run that all tests of the workflow read, and the same with a job for each method."""

import shutil

import numpy as np
import pytest
from runs import CODING, COST, ENSEMBLES, FUTURE, KERNELS, MISSING, TRAINING, run

from treecrf.missing import inject
from treecrf_studies import datasets


@pytest.fixture(scope="session")
def whole():
    """The configuration of the run: all studies, on generated sets and on a table that has holes of its own."""
    return {
        "methods_per_job": 20,  # starting a job takes longer than most trainings here
        "portions": {"cost.measure_scaling": 2},
        "datasets": {
            "hmm": {},
            "xor": {},
            "or": {"options": {"n_train": 40, "n_validation": 20, "n_test": 20, "length": 10}},
            "transition": {"options": {"n_train": 24, "n_test": 8, "length": 12}},
            "mine": {"kind": "table", "path": "train.csv", "test": "test.csv", "window": [1, 1]},
        },
        "training": TRAINING | {"datasets": ["hmm", "xor", "mine"]},
        "cost": COST,
        "missing": MISSING | {"datasets": ["xor", "mine"]},
        "future": FUTURE | {"datasets": ["or"]},
        "coding": CODING | {"datasets": ["transition"]},
        "kernels": KERNELS
        | {name: ["or"] for name in ("datasets", "solver_datasets", "rank_datasets", "size_datasets")},
        "ensembles": ENSEMBLES | {"datasets": ["hmm"]},
    }


@pytest.fixture(scope="session")
def finished(whole, tmp_path_factory):
    """A folder in which the run has finished; no test changes it for good."""
    folder = tmp_path_factory.mktemp("finished")
    for side, data in zip(("train", "test"), datasets.load("hmm"), strict=True):
        holed = inject(data.select(range(30)), 0.3, np.random.default_rng(len(side)))
        holed.to_frame().to_csv(folder / f"{side}.csv", index=False)
    run(folder, whole)
    return folder


@pytest.fixture(scope="session")
def whole_by_method(whole):
    """The configuration of the run, with a job for each method."""
    return whole | {"methods_per_job": 1}


@pytest.fixture(scope="session")
def finished_by_method(finished, whole_by_method, tmp_path_factory):
    """A copy of the folder in which three studies have finished with a job for each method; no test changes it for
    good.
    """
    folder = tmp_path_factory.mktemp("by_method") / "finished"
    shutil.copytree(finished, folder)  # with the times of the files
    run(folder, whole_by_method, "--keep-going", "training", "missing", "future")
    return folder
