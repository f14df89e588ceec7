"""Ensembles on predictions: boosting of path experts, votes, and cross-validation of the rounds, in one thread."""

import time

import numpy as np

from treecrf.ensembles.espboost import Cells, ESPBoost, boost, cross_validated_losses

N_EXPERTS, N_CLASSES, N_LABELS = 10, 5, 26


def predicted(n_positions):
    """Experts whose mistakes correlate, of accuracies that differ by class."""
    rng = np.random.default_rng(0)
    labels, classes = rng.integers(0, N_LABELS, n_positions), rng.integers(0, N_CLASSES, n_positions)
    hardness = rng.normal(size=(n_positions, 1)) + 0.7 * rng.normal(size=(n_positions, N_EXPERTS))
    wrong = hardness > rng.uniform(0.8, 1.4, (N_CLASSES, N_EXPERTS))[classes]
    common = rng.integers(1, 3, (n_positions, 1))
    step = np.where(rng.random(wrong.shape) < 0.7, common, rng.integers(1, 4, wrong.shape))
    predictions = (labels[:, None] + wrong * step) % N_LABELS
    return predictions.astype(np.uint8), labels, classes, np.arange(n_positions) // 10


def milliseconds(call, n_runs):
    """CPU milliseconds of this thread, the median of some runs after a first one."""
    call()
    found = []
    for _ in range(n_runs):
        before = time.thread_time()
        call()
        found.append(time.thread_time() - before)
    return 1000 * np.median(found)


def test_boosting_votes_and_cross_validation(record, tiny, size):
    *given, sequences = predicted(2_000 if tiny else 200_000)
    predictions, labels, classes = given
    cells = Cells.pack(*given)
    model = ESPBoost().fit(*given)
    n_rounds = len(model.alphas_)
    of_rounds = milliseconds(lambda: boost(cells, cells.sizes(), N_CLASSES, 100), size(9)) / n_rounds * 100
    of_packing = milliseconds(lambda: Cells.pack(*given), size(9))
    record(
        "ESPBoost, 200,000 positions, 10 experts: ms to pack and for 100 rounds",
        f"{of_packing + of_rounds:.0f}",
        "at most 50",
    )
    of_vote = milliseconds(lambda: model.vote(predictions, classes), size(9))
    record("its vote on 200,000 positions: ms", f"{of_vote:.0f}", "at most 50")
    seconds = milliseconds(lambda: cross_validated_losses(predictions, labels, classes, sequences), size(5)) / 1000
    record(f"its 5-fold cross-validation ({n_rounds} rounds): seconds", f"{seconds:.2f}", "at most 0.5")
