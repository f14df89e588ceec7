"""Training speed of TreeCRF: on the papers' data, beside LightGBM and python-crfsuite, and as data grow."""

import os
import subprocess
import sys
import time

import numpy as np
import pytest

from treecrf import TreeCRF
from treecrf.models.boosted.boosting import split_iterations
from treecrf.models.boosted.training import DenseTraining
from treecrf.models.execution import Workers
from treecrf.sequences import window_codes
from treecrf.statistics.selection import sequence_folds
from treecrf.trees.best_first import Sample
from treecrf.trees.packing import unpack

WINDOW = (5, 5)


def median_seconds(call, repeats=5):
    call()
    times = []
    for _ in range(repeats):
        before = time.perf_counter()
        call()
        times.append(time.perf_counter() - before)
    return float(np.median(times))


@pytest.mark.parametrize("n_threads", [1, 2])
def test_protein(benchmark, record, load, size, n_threads):
    train, _ = load("protein")
    model = TreeCRF(size(142), 100, 20.0, WINDOW, n_threads=n_threads)
    benchmark.pedantic(model.fit, args=(train,), rounds=size(7), warmup_rounds=1)
    target = {1: "0.30 s", 2: "0.20 s"}[n_threads]
    record(
        f"protein, 142 iterations, 100 leaves, lambda 20, threads: {n_threads}",
        f"{benchmark.stats.stats.median:.3f} s",
        target,
    )


def test_nettalk(benchmark, record, load, size):
    train, _ = load("nettalk")
    model = TreeCRF(size(169), 100, 40.0, (6, 6), n_threads=2)
    benchmark.pedantic(model.fit, args=(train,), rounds=size(5), warmup_rounds=1)
    record(
        "nettalk, 169 iterations, 100 leaves, lambda 40, threads: 2", f"{benchmark.stats.stats.median:.3f} s", "0.30 s"
    )


def test_protein_grid(record, load, size):
    train, _ = load("protein")
    before = time.process_time()
    for penalty in (0, 5, 10, 20, 40, 80):
        for held_out in sequence_folds(train.groups, 5, seed=0):
            fitted = np.setdiff1d(np.arange(len(train)), held_out)
            model = TreeCRF(size(200), 100, penalty, WINDOW).fit(train.select(fitted))
            model.staged_score(train.select(held_out), ("forward_backward",))
    record(
        "protein grid: 6 lambdas x 5 folds x 200 iterations, held-out curve",
        f"{time.process_time() - before:.1f} CPU s",
        "12.7 CPU s",
    )


def gradients_at(model, train, n_iterations):
    """The training state of `model` after some iterations: gradients of all rows."""
    training = DenseTraining(model.boosting_params(), train, model.start_, Workers())
    for iteration in split_iterations(model.forest_, model.transitions_)[:n_iterations]:
        training.add(iteration)
    training.compute_gradient("likelihood")
    return training


@pytest.mark.filterwarnings("ignore")
def test_one_tree_beside_lightgbm(record, load, size):
    import lightgbm

    train, _ = load("protein")
    model = TreeCRF(size(40), 100, 20.0, WINDOW).fit(train)
    training = gradients_at(model, train, size(40))
    sample = Sample(np.arange(train.n_positions, dtype=np.int32), np.ones((0, 1), dtype=bool))  # all rows and tests

    grower = training.idle_growers.pop()

    def grow():
        grower.grow(training.rows.gradients[0], sample)

    # The same rows: (position, previous label) pairs with their gradients; the same splits: one category of
    # one column against the rest; the same penalty; 100 leaves; no minimum leaf size.
    _, gradients = unpack(training.rows.gradients[0], training.rows.packing)
    codes = window_codes(train, WINDOW)
    rows = np.hstack([np.repeat(codes, 3, axis=0), np.tile(np.arange(3), len(codes))[:, None]]).astype(float)
    assert rows.shape == (3 * train.n_positions, 12)
    settings = {
        "objective": "regression",
        "num_leaves": 100,
        "lambda_l2": 20.0,
        "learning_rate": 1.0,
        "num_threads": 1,
        "max_cat_to_onehot": 64,
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 0,
        "min_data_per_group": 1,
        "cat_l2": 0.0,
        "cat_smooth": 0.0,
        "boost_from_average": False,
        "verbose": -1,
        "force_row_wise": True,
    }
    data = lightgbm.Dataset(rows, gradients[:3].T.ravel(), categorical_feature=list(range(12)), params=settings)
    booster = lightgbm.Booster(settings, data)
    ours, theirs = [], []
    for _ in range(size(30)):  # in turn, so that a change of the machine's speed meets both
        ours.append(median_seconds(grow, 3))
        theirs.append(median_seconds(booster.update, 3))
    record("one tree of 100 leaves on protein", f"{np.median(ours) * 1e3:.2f} ms", "0.53 ms")
    record("the same in LightGBM", f"{np.median(theirs) * 1e3:.2f} ms", "2.2 ms")
    record("LightGBM / treecrf", f"{np.median(np.array(theirs) / np.array(ours)):.1f}", "at least 4")


def test_training_beside_crfsuite(record, load, size):
    import pycrfsuite

    train, _test = load("protein")
    codes = window_codes(train, WINDOW)
    items = [[f"{slot}={code}" for slot, code in enumerate(row)] for row in codes]
    names = [train.label_names[label] for label in train.labels]

    def fit_crfsuite():
        trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
        for begin, end in zip(train.offsets[:-1], train.offsets[1:], strict=True):
            trainer.append(items[begin:end], names[begin:end])
        before = time.perf_counter()
        trainer.train(os.devnull)
        return time.perf_counter() - before

    def fit_ours():
        before = time.perf_counter()
        TreeCRF(size(142), 100, 20.0, WINDOW).fit(train)
        return time.perf_counter() - before

    fit_ours()
    ours, theirs = np.array([(fit_ours(), fit_crfsuite()) for _ in range(size(5))]).T  # in turn, as above
    record("protein: treecrf, 142 iterations, one thread", f"{np.median(ours):.2f} s")
    record("protein: python-crfsuite (L-BFGS, same window features), training alone", f"{np.median(theirs):.2f} s")
    record("crfsuite / treecrf", f"{np.median(theirs / ours):.1f}", "at least 2.5")


def test_fresh_process_predicts_without_compiling(record, load, size, tmp_path):
    train, _ = load("protein")
    model = TreeCRF(size(20), 100, 20.0, WINDOW).fit(train)
    model.predict(train, "viterbi")
    model.save(tmp_path / "model.npz")
    train.save(tmp_path / "data.npz")
    program = (
        "import sys, treecrf\n"
        "model, data = treecrf.load(sys.argv[1]), treecrf.SequenceSet.load(sys.argv[2])\n"
        "model.predict(data); model.predict(data, 'viterbi')\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "model.npz"), str(tmp_path / "data.npz")]
    seconds = median_seconds(lambda: subprocess.run(command, check=True))
    record(
        "a fresh process: import, load a model, predict protein with both decoders", f"{seconds:.2f} s", "under 1.5 s"
    )


def fitted_exponent(sizes, seconds):
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def test_cost_is_linear(record, load, size):
    multiples = (1, 2, 4, 8)
    sets = [load("hyphen_moby", n_train=1951 * m, n_test=10)[0] for m in multiples]
    seconds = [median_seconds(lambda data=data: TreeCRF(size(20), 100, 20.0, (2, 3)).fit(data), 3) for data in sets]
    for multiple, data, second in zip(multiples, sets, seconds, strict=True):
        record(f"hyphen_moby x{multiple}: {data.n_positions} positions, 20 iterations", f"{second:.3f} s")
    record("exponent of cost in positions", f"{fitted_exponent(multiples, seconds):.2f}", "1 or less")

    seconds = [median_seconds(lambda n=n: TreeCRF(n, 100, 20.0, (2, 3)).fit(sets[0]), 3) for n in (20, 40, 80, 160)]
    record("exponent of cost in iterations", f"{fitted_exponent((20, 40, 80, 160), seconds):.2f}", "1 or less")

    windows = ((1, 1), (3, 3), (7, 7))
    n_slots = [left + right + 1 for left, right in windows]
    seconds = [median_seconds(lambda w=w: TreeCRF(size(20), 100, 20.0, w).fit(sets[2]), 3) for w in windows]
    record("exponent of cost in window slots", f"{fitted_exponent(n_slots, seconds):.2f}", "1 or less")
