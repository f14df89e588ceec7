"""Kernel CRFs beside python-crfsuite with the kernel's monomials as features: the same objective."""

import time

import numpy as np
import pytest
from crfsuite_training import VARIANCE, follow, make_trainer

from treecrf.sequences import window_codes
from treecrf_studies.methods import KernelCRF
from treecrf_studies.methods.kernel.forms import monomial_weights, slot_sets

CLOSE = 1 + 2e-4
"""CRFsuite has arrived when its objective is within this factor of the lowest that either finds."""


def crfsuite_run(train, window, degree):
    """Objective and seconds since the start, after each iteration of python-crfsuite."""
    began = time.process_time()
    codes = window_codes(train, window).astype(str).tolist()
    n_slots = len(codes[0])
    sets = list(slot_sets(n_slots, degree))
    scales = np.sqrt(monomial_weights(degree, 1.0) / (n_slots + 1) ** degree).tolist()
    items = [
        {f"{slots}={','.join(row[slot] for slot in slots)}": scales[len(slots)] for slots in sets} for row in codes
    ]
    trainer = make_trainer(train, items)
    ready = time.process_time() - began
    losses, seconds = follow(trainer)
    return losses, ready + seconds


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize(("name", "window"), [("nettalk", (6, 6)), ("hyphen", (2, 3))])
def test_kernel_crf_beside_crfsuite(record, load, size, name, window, degree):
    train, _ = load(name)
    KernelCRF(degree, variance=VARIANCE, window=window).fit(train)  # compiles
    ratios, ours, theirs = [], [], []
    for _ in range(size(3)):  # in turn, so that a change of the machine's speed meets both
        model = KernelCRF(degree, variance=VARIANCE, window=window).fit(train)
        objectives, elapsed = crfsuite_run(train, window, degree)
        goal = CLOSE * min(objectives.min(), model.objective_)
        assert model.objective_ <= goal
        ours.append(sum(model.seconds_.values()))
        theirs.append(float(elapsed[np.argmax(objectives <= goal)]))
        ratios.append(ours[-1] / theirs[-1])
    record(
        f"{name}, degree {degree}: KernelCRF / python-crfsuite on its monomials, CPU seconds to the same objective",
        f"{np.median(ours):.2f} / {np.median(theirs):.2f}",
    )
    record(f"{name}, degree {degree}: KernelCRF / python-crfsuite", f"{np.median(ratios):.2f}", "at most 1")
