"""Training speed of LinearCRF beside python-crfsuite, to the same value of the same objective."""

import os
import re

import numpy as np
import pytest

from treecrf import LinearCRF
from treecrf.sequences import window_codes

VARIANCE = 10.0
CLOSE = 1 + 1e-5
"""Both have arrived when their objective is within this factor of the lowest that either finds."""


def crfsuite_run(train, window):
    """Objective and seconds since the start, after each iteration of python-crfsuite."""
    import pycrfsuite

    items = [[f"{slot}={code}" for slot, code in enumerate(row)] for row in window_codes(train, window)]
    names = [train.label_names[label] for label in train.labels]
    logged = []
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.message = logged.append
    trainer.set_params(
        {
            "c2": 1 / (2 * VARIANCE),
            "max_iterations": 1000,
            "epsilon": 1e-9,
            "delta": 1e-7,
            "feature.possible_states": True,
            "feature.possible_transitions": True,
        }
    )
    for begin, end in zip(train.offsets[:-1], train.offsets[1:], strict=True):
        trainer.append(items[begin:end], names[begin:end])
    trainer.train(os.devnull)
    text = "".join(logged)
    losses, seconds = (
        [float(value) for value in re.findall(rf"{name}: ([\d.e+-]+)", text)]
        for name in ("Loss", "Seconds required for this iteration")
    )
    return np.array(losses), np.cumsum(seconds)


def linear_run(train, window):
    """The same for `LinearCRF`, preparation included."""
    elapsed = []
    model = LinearCRF(VARIANCE, window, max_iterations=1000, tolerance=1e-8)
    model.fit(train, monitor=lambda _iteration, seconds, _log_likelihood: elapsed.append(sum(seconds.values())))
    return model.objective_history_[1:], np.array(elapsed)


@pytest.mark.parametrize(("name", "window"), [("protein", (5, 5)), ("nettalk", (6, 6)), ("faq_ai_general", (0, 0))])
def test_linear_crf_beside_crfsuite(record, load, size, name, window):
    train, _ = load(name)
    linear_run(train, window)
    ratios, ours, theirs = [], [], []
    for _ in range(size(3)):  # in turn, so that a change of the machine's speed meets both
        runs = [run(train, window) for run in (linear_run, crfsuite_run)]
        goal = CLOSE * min(objectives.min() for objectives, _ in runs)
        linear, crfsuite = (float(seconds[np.argmax(objectives <= goal)]) for objectives, seconds in runs)
        ours.append(linear)
        theirs.append(crfsuite)
        ratios.append(crfsuite / linear)
    record(
        f"{name}: LinearCRF / python-crfsuite, CPU seconds to the same objective",
        f"{np.median(ours):.2f} / {np.median(theirs):.2f}",
    )
    record(f"{name}: python-crfsuite / LinearCRF", f"{np.median(ratios):.1f}", "at least 1")
