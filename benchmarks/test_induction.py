"""Cost of one round of feature induction (PhD table 3.6 has 48.9 s on protein), and of the parts of training."""

import numpy as np
import pytest

from treecrf import InducedCRF
from treecrf_studies import datasets


@pytest.mark.parametrize("name", ["protein", "nettalk", "hyphen", "faq_ai_general"])
def test_induction(record, load, size, name):
    train, _ = load(name)
    model = InducedCRF(5.0, datasets.describe(name).window)
    model.fit(train)
    rounds, gradients = [], []
    for _ in range(size(3)):
        model.fit(train)
        rounds.append(model.seconds_["induction"] / model.n_inductions_)
        gradients.append(model.seconds_["gradient"] / len(model.stages_))
    target = "0.2" if name == "protein" else ""
    record(f"{name}: InducedCRF, CPU seconds of an induction, one thread", f"{np.median(rounds):.3f}", target)
    record(f"{name}: InducedCRF, CPU ms of an iteration, one thread", f"{1000 * np.median(gradients):.1f}")
