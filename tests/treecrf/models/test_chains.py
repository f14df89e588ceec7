"""`ScoredChains`, whose potentials are made some sequences at a time, against `DenseChains`."""

from itertools import pairwise

import numpy as np
import pytest

from treecrf.chain import StateSpace
from treecrf.chain.trellis import constrain, trellis_marginals
from treecrf.models.chains import DenseChains, ScoredChains, greedy_labels


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


@pytest.mark.parametrize("n_labels", [1, 2, 3, 17])
@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_scores_of_labels_need_no_potentials(n_labels, scale):
    rng = np.random.default_rng(n_labels)
    offsets = np.concatenate([[0], np.cumsum(rng.integers(1, 12, 30))])
    scores, by_state = (
        scale * rng.normal(size=(offsets[-1], n_labels)),
        scale * rng.normal(size=(n_labels, n_labels + 1)),
    )
    scores[: offsets[15]] = np.round(scores[: offsets[15]])  # ties
    scored = ScoredChains(scores, np.round(by_state), offsets, 1)
    dense = DenseChains(scored.potentials(), offsets, 1)
    np.testing.assert_allclose(scored.marginals(), dense.marginals(), rtol=1e-9, atol=1e-14)
    np.testing.assert_array_equal(scored.viterbi(), dense.viterbi())


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e250])
def test_scores_that_are_not_finite_are_refused(value):
    scored = ScoredChains(np.array([[0.0, value], [1.0, 0.0]]), np.zeros((2, 3)), np.array([0, 2]), 1)
    for ask in (scored.marginals, scored.viterbi):
        with pytest.raises(ValueError, match="every valid potential must be finite"):
            ask()


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
    first, second = (trellis_marginals(constrain(chains.trellis(), allowed)) for chains in both)
    assert first.labels.tobytes() == second.labels.tobytes()
    assert first.log_partition.tobytes() == second.log_partition.tobytes()


# --- greedy ----------------------------------------------------------------------------------------


def slow_labels(potentials, offsets, order):
    """Each position in turn: the state is found by the labels that it stands for."""
    space = StateSpace(len(potentials), order)
    start, found = space.n_labels, []
    for begin, end in pairwise(offsets):
        labels = []
        for position in range(begin, end):
            before = [*labels[::-1], *[start] * order][:order]
            state = next(s for s, row in enumerate(space.labels_of_state.tolist()) if row == before)
            scores = potentials[:, position, state].tolist()
            labels.append(scores.index(max(scores)))
        found += labels
    return found


@pytest.mark.parametrize("order", [0, 1, 2, 3])
@pytest.mark.parametrize("n_labels", [2, 3])
def test_labels_are_those_of_a_loop(order, n_labels):
    rng = np.random.default_rng([order, n_labels])
    offsets = np.array([0, 1, 6, 8, 15])
    shape = (n_labels, 15, StateSpace(n_labels, order).n_states)
    for potentials in (rng.normal(size=shape), rng.integers(0, 2, shape).astype(float)):  # the second has ties
        assert greedy_labels(potentials, offsets, order).tolist() == slow_labels(potentials, offsets, order)
