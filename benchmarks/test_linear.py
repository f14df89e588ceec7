"""Training speed of LinearCRF beside python-crfsuite, to the same value of the same objective."""

import numpy as np
import pytest
from crfsuite_training import VARIANCE, follow, make_trainer

from treecrf import LinearCRF
from treecrf.sequences import window_codes

CLOSE = 1 + 1e-5
"""Both have arrived when their objective is within this factor of the lowest that either finds."""


def crfsuite_run(train, window):
    """Objective and seconds since the start, after each iteration of python-crfsuite."""
    items = [[f"{slot}={code}" for slot, code in enumerate(row)] for row in window_codes(train, window)]
    return follow(make_trainer(train, items))


def linear_run(train, window):
    """Objective and seconds of `LinearCRF`, preparation included."""
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
