"""`ScoredChains`, whose potentials are made some sequences at a time, against `DenseChains`."""

import numpy as np
import pytest

from treecrf.chain import StateSpace
from treecrf.chain.trellis import constrain, forward_backward
from treecrf.models.chains import DenseChains, ScoredChains


@pytest.fixture(params=[(order, part) for order in (0, 1) for part in (1, 2000, 2**22)], ids=str)
def both(request, monkeypatch):
    order, part = request.param
    monkeypatch.setattr("treecrf.models.chains.PART_BYTES", part)
    rng = np.random.default_rng(order)
    offsets = np.concatenate([[0], np.cumsum(rng.integers(1, 12, 30))])
    scores = rng.normal(size=(offsets[-1], 4))
    scores[offsets[3] : offsets[4]] *= 400.0  # runs in logs
    by_state = rng.normal(size=(4, StateSpace(4, order).n_states))
    potentials = scores.T[:, :, None] + by_state[:, None, :]
    return ScoredChains(scores, by_state, offsets, order), DenseChains(potentials, offsets, order)


def test_potentials(both):
    scored, dense = both
    assert scored.potentials().tobytes() == np.ascontiguousarray(dense.potentials).tobytes()


def test_marginals_and_paths(both):
    scored, dense = both
    assert scored.marginals().tobytes() == dense.marginals().tobytes()
    assert scored.viterbi().tobytes() == dense.viterbi().tobytes()


@pytest.mark.parametrize("hidden", [0.0, 0.3])
def test_log_likelihood(both, hidden):
    scored, dense = both
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, len(scored.scores)).astype(np.int16)
    labels[rng.random(len(labels)) < hidden] = -1
    assert scored.log_likelihood(labels).tobytes() == dense.log_likelihood(labels).tobytes()


def test_constrained_paths(both):
    rng = np.random.default_rng(1)
    allowed = rng.random(both[0].scores.shape) < 0.7
    allowed[:, 0] = True
    first, second = (forward_backward(constrain(chains.trellis(), allowed)) for chains in both)
    assert first.labels.tobytes() == second.labels.tobytes()
    assert first.log_partition.tobytes() == second.log_partition.tobytes()
