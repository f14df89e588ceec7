"""Speed of InducedCRF beside MALLET, and of TreeCRF beside SMILE's TreeCRF: one thread each.

The Java virtual machine is warm: each rival has trained once before it is timed. CPU seconds of the whole process.
"""

import numpy as np
import pytest

from treecrf import TreeCRF
from treecrf.models.linear.induced_crf import InducedCRF
from treecrf_studies import datasets
from treecrf_studies.methods.java.machine import java_problem
from treecrf_studies.methods.java.mallet import MalletCRF
from treecrf_studies.methods.java.smile import SmileCRF


@pytest.fixture(scope="module", autouse=True)
def java():
    """Benchmarks against Java are skipped where it cannot run."""
    problem = java_problem()
    if problem:
        pytest.skip(problem)


@pytest.mark.parametrize("name", ["protein", "hyphen", "nettalk"])
def test_induction_beside_mallet(record, load, size, tiny, name):
    train, _ = load(name)
    settings = {"variance": 5.0, "window": datasets.describe(name).window, "n_iterations": 40 if not tiny else 12}

    def seconds_of_an_induction(labeller):
        model = labeller(**settings).fit(train)
        return model.seconds_["induction"] / model.n_inductions_

    seconds_of_an_induction(MalletCRF)
    seconds_of_an_induction(InducedCRF)
    runs = [(seconds_of_an_induction(InducedCRF), seconds_of_an_induction(MalletCRF)) for _ in range(size(3))]
    ours, theirs = np.median(runs, axis=0)
    record(f"{name}: InducedCRF / MALLET, CPU seconds of an induction", f"{ours:.3f} / {theirs:.3f}")
    record(f"{name}: MALLET / InducedCRF, an induction", f"{np.median([b / a for a, b in runs]):.1f}", "at least 10")


@pytest.mark.parametrize(("name", "l2_regularization"), [("protein", 20.0), ("hyphen", 20.0)])
def test_tree_crf_beside_smile(record, load, size, name, l2_regularization):
    train, test = load(name)
    window, n_iterations = datasets.describe(name).window, size(100)  # as many trees, with as many leaves, in both

    smile, tree_crf = SmileCRF(5, window=window), TreeCRF(n_iterations, 100, l2_regularization, window)
    smile.fit(train)
    tree_crf.fit(train)
    smile.set_params(n_iterations=n_iterations)
    ours, theirs = (sum(model.fit(train).seconds_.values()) for model in (tree_crf, smile))
    record(f"{name}: TreeCRF / SMILE, CPU seconds of {n_iterations} iterations", f"{ours:.2f} / {theirs:.1f}")
    record(f"{name}: SMILE / TreeCRF", f"{theirs / ours:.0f}", "at least 20")
    accuracies = tree_crf.score(test), smile.score(test)
    record(f"{name}: TreeCRF / SMILE, forward-backward accuracy", "{:.4f} / {:.4f}".format(*accuracies), "not lower")
