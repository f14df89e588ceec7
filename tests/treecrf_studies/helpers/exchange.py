"""Models that one set of packages saves and another one loads: ``exchange.py write FOLDER``, then ``exchange.py check
FOLDER``.
"""

import sys
from pathlib import Path

import numpy as np
from builders import number_set

import treecrf
from treecrf import MEMM, CRFSuite, InducedCRF, LinearCRF, NeuralNetwork, TreeCRF, WindowLightGBM
from treecrf.models.pipelines import DerivingLabeller, ImputingLabeller
from treecrf_studies.methods import KernelCRF

TREES = {"n_iterations": 5, "max_leaves": 6}
MODELS = {
    "trees": TreeCRF(**TREES, window=(1, 1)),
    "separable": TreeCRF(**TREES, transitions="separable"),
    "memm": MEMM(**TREES),
    "linear": LinearCRF(max_iterations=10),
    "induced": InducedCRF(n_iterations=5),
    "kernel": KernelCRF(tolerance=0.1),
    "crfsuite": CRFSuite(max_iterations=5),
    "network": NeuralNetwork(n_epochs=2),
    "lightgbm": WindowLightGBM(n_iterations=3),
    "imputing": ImputingLabeller(TreeCRF(**TREES)),
    "deriving": DerivingLabeller(TreeCRF(**TREES), spans=(3,)),
}
TRAIN, TEST = (number_set(seed, 30, 2, longest=8) for seed in (0, 1))


def write(folder):
    """Save each model with its probabilities on `TEST`."""
    for name, model in MODELS.items():
        model.fit(TRAIN).save(folder / f"{name}.npz")
        np.save(folder / f"{name}.npy", model.predict_proba(TEST))


def check(folder):
    """Compare what the models say here with what they said where they were saved."""
    for name in MODELS:
        said = np.load(folder / f"{name}.npy")
        np.testing.assert_allclose(
            treecrf.load(folder / f"{name}.npz").predict_proba(TEST), said, rtol=1e-12, atol=1e-15, err_msg=name
        )
    print(f"{len(MODELS)} models of another set of packages say the same.")


if __name__ == "__main__":
    {"write": write, "check": check}[sys.argv[1]](Path(sys.argv[2]))
