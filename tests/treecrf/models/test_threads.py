"""One labeller in several threads answers as it does in one."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from treecrf import SequenceSet, TreeCRF
from treecrf.automl.fitting import average
from treecrf.models.linear.linear_crf import LinearCRF
from treecrf.models.pipelines import DerivingLabeller
from treecrf.models.window.classifiers import WindowLightGBM


def made(n_sequences=24, seed=0):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 40, n_sequences)
    n = int(lengths.sum())
    values = rng.integers(0, 4, (n, 2))
    numbers = rng.normal(size=(n, 1))
    labels = (values[:, 0] + (numbers[:, 0] > 0)) % 3
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    attributes = [("letter", "abcd"), ("noise", "wxyz")]
    return SequenceSet(values, offsets, attributes, labels, "uvw", numbers=numbers, number_names=("size",))


LABELLERS = {
    "trees": lambda: TreeCRF(n_iterations=5, max_leaves=6, window=(1, 1)),
    "linear": lambda: LinearCRF(window=(1, 1), max_iterations=10),
    "lightgbm": lambda: WindowLightGBM(n_iterations=5, window=(1, 1)),
    "derived": lambda: DerivingLabeller(LinearCRF(window=(1, 0), max_iterations=5), ("rolling",), spans=(3,)),
    "average": lambda: average([TreeCRF(n_iterations=3, max_leaves=4), LinearCRF(max_iterations=5)], ["error"] * 2),
}


@pytest.mark.parametrize("name", [*LABELLERS, "flat"])
def test_threads_share_a_labeller(name):
    data = made()
    labeller = LABELLERS["trees" if name == "flat" else name]().fit(data)
    labeller = labeller.flattened() if name == "flat" else labeller
    parts = [data[number] for number in range(len(data))] * 4

    def answer(part):
        return labeller.predict(part), labeller.predict_proba(part), labeller.predict(part, "viterbi")

    alone = list(map(answer, parts))
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(answer, parts))
    for one, other in zip(alone, together, strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_array_equal(a, b)
