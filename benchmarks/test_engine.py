"""Sets of categories, Newton leaves and thresholds: their time beside that of the papers' trees, and of LightGBM."""

import os
import subprocess
import sys
import time

import numpy as np
import pytest

from treecrf import Attribute, SequenceSet, TreeCRF
from treecrf.models.boosted.training import DenseTraining
from treecrf.models.execution import Workers
from treecrf.models.registry import LABELLERS
from treecrf.trees.best_first import Sample

WINDOWS = {"hyphen": (3, 2), "nettalk": (6, 6), "protein": (5, 5)}
PAPERS = {"max_leaves": 100, "l2_regularization": 20.0}
NEWTON = dict(LABELLERS["treecrf_newton"].preset)


def seconds_of_trees(model, train):
    model.fit(train)
    return model.seconds_["trees"]


@pytest.mark.parametrize("name", WINDOWS)
def test_trees_beside_those_of_the_papers(record, load, size, name):
    train, _ = load(name)
    other = {
        "subsets / one against the rest": {"splits": "subsets"},
        "Newton / gradient leaves": {"leaf_values": "newton", "learning_rate": 0.1},
    }
    for max_leaves in (30, 100):
        shared = {
            "n_iterations": size(60),
            "window": WINDOWS[name],
            "l2_regularization": 20.0,
            "max_leaves": max_leaves,
        }
        models = [TreeCRF(**shared), *(TreeCRF(**shared | settings) for settings in other.values())]
        for model in models:
            model.fit(train)  # compiles
        seconds = np.array([[seconds_of_trees(model, train) for model in models] for _ in range(size(9))])
        ratios = np.median(seconds[:, 1:] / seconds[:, :1], axis=0)
        for (what, _), ratio, target in zip(other.items(), ratios, ("at most 1.4", "at most 1.3"), strict=True):
            record(f"{name}, {max_leaves} leaves, seconds of trees: {what}", f"{ratio:.2f}", target)


def mean_curve(name, train, test, size, settings):
    """CPU seconds and test accuracy by iteration: means over perturbed starts, as one curve peaks by chance."""
    times, curves = [], []
    for seed in range(size(5)):
        model, reached = TreeCRF(size(150), window=WINDOWS[name], random_state=seed, **settings), []
        begin = time.process_time()
        model.fit(train, monitor=lambda *_, reached=reached, begin=begin: reached.append(time.process_time() - begin))
        times.append(reached)
        curves.append(model.staged_score(test, ("forward_backward",))[:, 0])
    return np.mean(times, axis=0), np.mean(curves, axis=0)


@pytest.mark.parametrize("name", WINDOWS)
def test_time_to_the_accuracy_of_the_papers_trees(record, load, size, name):
    train, test = load(name)
    for settings in (PAPERS, NEWTON):
        TreeCRF(2, window=WINDOWS[name], random_state=0, **settings).fit(train)  # compiles
    old_times, old = mean_curve(name, train, test, size, PAPERS)
    best = int(old.argmax())
    for max_leaves in (8, 30):
        times, curve = mean_curve(name, train, test, size, NEWTON | {"max_leaves": max_leaves})
        as_good = np.flatnonzero(curve >= old[best])
        ratio = f"{times[as_good[0]] / old_times[best]:.2f}" if len(as_good) else "never"
        what = f"{name}, {max_leaves} leaves: time to the best test accuracy of the papers' trees, new / papers"
        record(what, ratio, "at most 0.5")


def real_numbers(n_positions, n_numbers):
    """Sequences with numbers that depend on the label before noise is added."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, n_positions)
    numbers = rng.normal(size=(n_positions, n_numbers)) + labels[:, None] * rng.normal(size=n_numbers)
    return SequenceSet(
        np.empty((n_positions, 0)),
        np.arange(0, n_positions + 1, 40),
        (),
        labels,
        "ABC",
        numbers=numbers,
        number_names=[f"x{i}" for i in range(n_numbers)],
    )


@pytest.mark.filterwarnings("ignore")
def test_one_tree_of_numbers_beside_lightgbm(record, size):
    import lightgbm

    data = real_numbers(200 * size(40), 6)  # 8,000 rows, and 42 slots with the window
    model = TreeCRF(1, 8, 1.0, (3, 3), 0, leaf_values="newton", learning_rate=0.3).fit(data)
    binned = model.inputs_.apply(data, "error")
    training = DenseTraining(model.boosting_params(), binned, model.start_, Workers())
    training.compute_gradient("likelihood")
    grower, sample = (
        training.idle_growers.pop(),
        Sample(np.arange(data.n_positions, dtype=np.int32), np.ones((0, 1), bool)),
    )

    def grow():
        grower.grow(training.rows.gradients[0], sample)

    first = np.repeat(data.offsets[:-1], data.lengths)
    last = np.repeat(data.offsets[1:], data.lengths) - 1
    places = np.arange(data.n_positions)[:, None] + np.arange(-3, 4)
    rows = data.numbers[np.clip(places, first[:, None], last[:, None])].reshape(data.n_positions, -1)
    settings = {
        "objective": "binary",
        "num_leaves": 8,
        "learning_rate": 0.3,
        "num_threads": 1,
        "lambda_l2": 1.0,
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 0,
        "verbose": -1,
        "force_row_wise": True,
    }
    booster = lightgbm.Booster(settings, lightgbm.Dataset(rows, (data.labels == 0).astype(int), params=settings))
    ours, theirs = [], []
    for _ in range(size(60)):  # in turn, so that a change of the machine's speed meets both
        for call, times in ((grow, ours), (booster.update, theirs)):
            before = time.perf_counter()
            call()
            times.append(time.perf_counter() - before)
    record("one tree of 8 leaves, 8,000 x 6 numbers, window 7", f"{np.median(ours) * 1e3:.2f} ms")
    record("the same rows: LightGBM / treecrf", f"{np.median(np.array(theirs) / np.array(ours)):.1f}", "at least 4")


@pytest.mark.filterwarnings("ignore")
def test_two_labels_beside_lightgbm(record, size):
    """Rows that are no sequences: the breast cancer table, 569 rows of 30 numbers."""
    import lightgbm
    from sklearn.datasets import load_breast_cancer

    values, labels = load_breast_cancer(return_X_y=True)
    rows = [row[None, :] for row in values]
    crf = TreeCRF(size(100), 31, window=(0, 0), leaf_values="newton", learning_rate=0.1, n_threads=1)
    classifier = lightgbm.LGBMClassifier(n_estimators=size(100), num_leaves=31, n_jobs=1, verbose=-1)
    ratios = []
    for _ in range(size(9)):
        before = time.process_time()
        classifier.fit(values, labels)
        between = time.process_time()
        crf.fit(rows, [[label] for label in labels])
        ratios.append((time.process_time() - between) / (between - before))
    record("two labels, 569 x 30 numbers: treecrf / LightGBM", f"{np.median(ratios):.1f}", "at most 2")


def many_labels(n_words, n_labels=120):
    """Words of 26 letters with several labels each, which depend on neighbouring letters and the label before."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(4, 11, n_words)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    letters = rng.choice(26, offsets[-1], p=rng.dirichlet(np.full(26, 3.0)))
    labels = np.zeros(offsets[-1], dtype=int)
    for position in range(1, offsets[-1]):
        kind = (letters[position - 1] + labels[position - 1]) % 4 if rng.random() < 0.8 else rng.integers(4)
        labels[position] = (4 * letters[position] + kind + rng.integers(2)) % n_labels
    names = tuple(f"y{i}" for i in range(n_labels))
    return SequenceSet(
        letters[:, None], offsets, (Attribute("letter", tuple("abcdefghijklmnopqrstuvwxyz")),), labels, names
    )


@pytest.mark.filterwarnings("ignore")
def test_many_labels(record, size):
    data = many_labels(size(500) * 2)
    shared = {"label_dictionary": "centre", "leaf_values": "newton", "learning_rate": 0.2, "l2_regularization": 3.0}
    shared |= {"window": (1, 1), "n_iterations": size(40)}
    for transitions, max_leaves in (("separable", 8), ("full", 16)):
        model = TreeCRF(**shared, transitions=transitions, max_leaves=max_leaves)
        for _ in range(2):  # the first time compiles
            begin = time.process_time()
            model.fit(data)
            trained = time.process_time() - begin
            begin = time.process_time()
            model.predict(data)
            predicted = time.process_time() - begin
        what = f"120 labels, {transitions}, {model.n_iterations} x {max_leaves} leaves"
        record(f"{what}: training on {data.n_positions:,} positions", f"{trained:.1f} CPU s", "at most 10 CPU s")
        record(f"{what}: positions a second labelled", f"{data.n_positions / predicted:,.0f}")


def test_first_fit_of_a_fresh_user(record, tmp_path):
    program = (
        "import time, sys; sys.argv = ['x']\n"
        "from treecrf import TreeCRF; from treecrf_studies import datasets\n"
        "from treecrf.models.registry import LABELLERS\n"
        "train, test = datasets.load('hmm')\n"
        "TreeCRF(**{**LABELLERS['treecrf_newton'].preset, 'n_iterations': 5}).fit(train).predict(test)\n"
        "print(time.process_time())\n"
    )
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    record("first fit of a fresh user, with compilation", f"{float(run.stdout):.1f} CPU s", "under 30 CPU s")
