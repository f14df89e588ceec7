"""`treecrf.chain` against enumeration of all label sequences and the plain recursions."""

import itertools
import math

import naive
import numpy as np
import pytest
from random_chains import SMALL, random_chains, valid_states

from treecrf import chain
from treecrf.chain import inference


def assert_agrees(potentials, offsets, order, expected, tolerance=1e-10):
    marginals = chain.forward_backward(potentials, offsets, order)
    close = {"rtol": tolerance, "atol": tolerance}
    np.testing.assert_allclose(marginals.log_partition, expected.log_partition, **close)
    np.testing.assert_allclose(marginals.labels, expected.marginals, **close)
    np.testing.assert_allclose(chain.pairwise_marginals(potentials, offsets, order), expected.pairs, **close)
    paths = chain.viterbi(potentials, offsets, order)
    np.testing.assert_allclose(paths.scores, expected.best_scores, **close)
    np.testing.assert_array_equal(paths.labels, expected.best_labels)
    assert marginals.labels.dtype == marginals.log_partition.dtype == paths.scores.dtype == np.float64
    assert paths.labels.dtype == np.int16


# --- the numbering of states ------------------------------------------------------------------------


@pytest.mark.parametrize(("n_labels", "order"), SMALL)
def test_numbering_is_the_documented_one(n_labels, order):
    space = chain.StateSpace(n_labels, order)
    names = naive.states(n_labels, order)
    padded = [state + (n_labels,) * (order - len(state)) for state in names]
    assert space.n_states == len(names)
    assert space.labels_of_state.dtype == np.int16
    assert [tuple(row) for row in space.labels_of_state.tolist()] == padded
    assert [space.offset_of_depth(j) for j in range(order + 1)] == [
        next(i for i, state in enumerate(names) if len(state) == j) for j in range(order + 1)
    ]


@pytest.mark.parametrize(("n_labels", "order"), SMALL)
def test_state_sequence_names_the_previous_labels(n_labels, order):
    rng = np.random.default_rng([n_labels, order])
    offsets = np.array([0, 1, 3, 10, 16])
    labels = rng.integers(0, n_labels, 16)
    names = naive.states(n_labels, order)
    found = chain.state_sequence(labels, offsets, n_labels, order)
    assert found.dtype == np.int32
    for begin, end in itertools.pairwise(offsets):
        expected = [naive.state_before(labels[begin:end].tolist(), t, order) for t in range(end - begin)]
        assert [names[state] for state in found[begin:end]] == expected


# --- against naive versions -------------------------------------------------------------------------


@pytest.mark.parametrize(("n_labels", "order"), SMALL)
def test_agrees_with_enumeration(n_labels, order):
    potentials, offsets = random_chains([1, n_labels, order], n_labels, order, [1, 5, 2, 4, 3])
    assert_agrees(potentials, offsets, order, naive.enumerate_chains(potentials, offsets, order))


@pytest.mark.parametrize(("n_labels", "order"), [case for case in SMALL if case[1] > 0])
def test_log_recursion_agrees_with_enumeration(n_labels, order, monkeypatch):
    infer = inference.infer

    def infer_in_logs(potentials, offsets, order, in_logs, *outputs):
        assert in_logs.all()
        outputs[0][:] = np.nan  # the exponentials, which logs have no use for
        infer(potentials, offsets, order, in_logs, *outputs)

    monkeypatch.setattr(inference, "MAX_EXPONENT", -1.0)
    monkeypatch.setattr(inference, "infer", infer_in_logs)
    potentials, offsets = random_chains([2, n_labels, order], n_labels, order, [1, 5, 2, 4, 3])
    assert_agrees(potentials, offsets, order, naive.enumerate_chains(potentials, offsets, order))


@pytest.mark.parametrize(("n_labels", "order"), [(3, 0), (3, 1), (2, 4), (4, 2), (2, 6)])
def test_longer_chains_agree_with_the_plain_recursion(n_labels, order):
    potentials, offsets = random_chains([3, n_labels, order], n_labels, order, [40, 1, 25, 7])
    assert_agrees(potentials, offsets, order, naive.recursive_chains(potentials, offsets, order))


@pytest.mark.parametrize(("n_labels", "order"), SMALL)
def test_log_likelihood_is_score_less_log_partition(n_labels, order):
    potentials, offsets = random_chains([5, n_labels, order], n_labels, order, [3, 1, 5])
    labels = np.random.default_rng(6).integers(0, n_labels, offsets[-1])
    expected = []
    for begin, end in itertools.pairwise(offsets):
        scores = naive.chain_scores(potentials, begin, end, order)
        expected.append(scores[tuple(labels[begin:end].tolist())] - naive.log_sum(list(scores.values())))
    found = chain.log_likelihood(potentials, labels, offsets, order)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("order", range(5))
def test_ties_go_to_the_lowest_code_from_the_last_label_backwards(order):
    rng = np.random.default_rng(order)
    for _ in range(20):
        offsets = np.array([0, 5, 6, 8])
        shape = (3, 8, chain.StateSpace(3, order).n_states)
        potentials = rng.integers(0, 2, shape).astype(float)  # whole numbers: ties are exact, and frequent
        expected = naive.enumerate_chains(potentials, offsets, order)
        np.testing.assert_array_equal(chain.viterbi(potentials, offsets, order).labels, expected.best_labels)
    assert not chain.viterbi(np.zeros(shape), offsets, order).labels.any()


# --- properties -------------------------------------------------------------------------------------


def test_what_invalid_states_hold_does_not_matter():
    for order in range(4):
        answers = []
        for garbage in (np.nan, np.inf, -1e308, 0.0, 700.0):
            potentials, offsets = random_chains(11, 3, order, [6, 1, 2], garbage=garbage)
            labels = np.arange(offsets[-1]) % 3
            found = chain.forward_backward(potentials, offsets, order)
            likelihood = chain.log_likelihood(potentials, labels, offsets, order)
            pairs = chain.pairwise_marginals(potentials, offsets, order)
            assert not pairs[:, ~valid_states(chain.StateSpace(3, order), offsets)].any()
            answers.append([*found, likelihood, pairs, *chain.viterbi(potentials, offsets, order)])
        for other in answers[1:]:
            for one, two in zip(answers[0], other, strict=True):
                np.testing.assert_array_equal(one, two)


def test_sequences_do_not_touch_each_other():
    potentials, offsets = random_chains(12, 3, 2, [4, 9, 1, 3], scale=3.0)
    together = chain.forward_backward(potentials, offsets, 2)
    potentials[:, offsets[1] : offsets[2]] *= 500.0  # one sequence of the set now needs logs
    mixed = chain.forward_backward(potentials, offsets, 2)
    for i, (begin, end) in enumerate(itertools.pairwise(offsets)):
        alone = chain.forward_backward(potentials[:, begin:end], [0, end - begin], 2)
        np.testing.assert_array_equal(mixed.labels[begin:end], alone.labels)
        assert mixed.log_partition[i] == alone.log_partition[0]
        assert (mixed.log_partition[i] == together.log_partition[i]) == (i != 1)


def test_read_only_and_strided_arrays_are_taken_and_left_alone():
    potentials, offsets = random_chains(13, 3, 1, [4, 2], garbage=0.0)
    expected = chain.forward_backward(potentials, offsets, 1)
    copy = np.asfortranarray(potentials)
    potentials.setflags(write=False)
    offsets.setflags(write=False)
    labels = np.zeros(6, dtype=np.int16)
    labels.setflags(write=False)
    np.testing.assert_array_equal(chain.forward_backward(potentials, offsets, 1).labels, expected.labels)
    np.testing.assert_array_equal(chain.forward_backward(copy, offsets, 1).labels, expected.labels)
    assert chain.log_likelihood(potentials, labels, offsets, 1).shape == (2,)
    assert chain.state_sequence(labels, offsets, 3, 1).tolist() == [3, 0, 0, 0, 3, 0]


# --- long chains and large potentials ---------------------------------------------------------------


@pytest.mark.parametrize("scale", [2.0, 700.0])
def test_100_000_positions(scale):
    """A chain too long for unscaled recursions, whose label sequences are independent by construction."""
    n = 100_000
    rng = np.random.default_rng(14)
    unary = rng.uniform(-scale, scale, (3, n))
    potentials = np.ascontiguousarray(np.broadcast_to(unary[:, :, None], (3, n, 4)))
    found = chain.forward_backward(potentials, [0, n], 1)
    weights = np.exp(unary - unary.max(axis=0))
    np.testing.assert_allclose(found.labels, (weights / weights.sum(axis=0)).T, rtol=1e-9, atol=1e-11)
    expected = math.fsum(np.log(weights.sum(axis=0)) + unary.max(axis=0))
    assert found.log_partition[0] == pytest.approx(expected, rel=1e-11, abs=1e-7)
    paths = chain.viterbi(potentials, [0, n], 1)
    np.testing.assert_array_equal(paths.labels, unary.argmax(axis=0))
    assert paths.scores[0] == pytest.approx(math.fsum(unary.max(axis=0)), rel=1e-12)
    likelihood = chain.log_likelihood(potentials, paths.labels, [0, n], 1)[0]
    assert likelihood == pytest.approx(-math.fsum(np.log(weights.sum(axis=0))), rel=1e-9)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("factor", [0.99, 1.01])
def test_both_sides_of_the_change_to_logs_agree_with_the_plain_recursion(order, factor):
    spread = factor * inference.MAX_EXPONENT / (2 * order + 1)
    rng = np.random.default_rng([17, order])
    offsets = np.array([0, 12, 13, 40])
    potentials = rng.choice([0.0, spread], (2, 40, chain.StateSpace(2, order).n_states))
    potentials += rng.uniform(0.0, 1e-3, potentials.shape)
    expected = naive.recursive_chains(potentials, offsets, order)
    assert_agrees(potentials, offsets, order, expected, tolerance=1e-9)
    pairs = chain.pairwise_marginals(potentials, offsets, order)
    likely = expected.pairs > 1e-290
    np.testing.assert_allclose(pairs[likely], expected.pairs[likely], rtol=1e-8)  # the smallest, too


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize("spread", [50.0, 71.0, 73.0, 100.0, 150.0, 200.0, 230.0, 300.0, 500.0, 700.0, 1400.0])
def test_dead_ends_of_any_depth_agree_with_the_plain_recursion(order, spread):
    """Label 0 is the likeliest in the first k positions, and every state that remembers one then costs `spread`."""
    space = chain.StateSpace(2, order)
    offsets = np.array([0, 2 * order + 2])
    potentials = np.random.default_rng(21).uniform(0.0, 1.0, (2, offsets[-1], space.n_states))
    potentials[1, :order] -= spread
    potentials[:, order : 2 * order, (space.labels_of_state == 0).any(axis=1)] -= spread
    assert_agrees(potentials, offsets, order, naive.recursive_chains(potentials, offsets, order))


def test_viterbi_sees_small_differences_at_the_end_of_a_long_chain():
    n = 100_000
    unary = 1e6 + np.random.default_rng(22).integers(0, 2, (2, n)) * 2.0**-20  # sums to 1e11, where 1e-5 is lost
    potentials = np.ascontiguousarray(np.broadcast_to(unary[:, :, None], (2, n, 3)))
    np.testing.assert_array_equal(chain.viterbi(potentials, [0, n], 1).labels, unary.argmax(axis=0))


# --- refusals ---------------------------------------------------------------------------------------

FUNCTIONS = [chain.forward_backward, chain.pairwise_marginals, chain.viterbi]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e250])
def test_potentials_that_are_not_finite_are_refused_by_label_and_position(function, value):
    potentials, offsets = random_chains(20, 3, 2, [4, 5])
    potentials[1, 6, 8] = value  # position 6 is the third of its sequence, where states 0 to 8 are valid
    with pytest.raises(ValueError, match=r"label 1 at position 6 is NaN, infinite or beyond 1e\+200"):
        function(potentials, offsets, 2)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    ("shape", "offsets", "order", "message"),
    [
        ((2, 0, 3), [0], 1, "no sequences"),
        ((2, 0, 3), [], 1, "start at 0"),
        ((2, 3, 3), [1, 3], 1, "start at 0"),
        ((2, 3, 3), [0.0, 3.0], 1, "whole numbers"),
        ((2, 3, 3), [0, 2, 2, 3], 1, "sequence 1 has no positions"),
        ((2, 3, 3), [0, 2, 1, 3], 1, "sequence 1 has no positions"),
        ((2, 3, 3), [0, 4], 1, r"need \(2, 4, 3\)"),
        ((2, 3, 3), [0, 3], 2, r"need \(2, 3, 7\)"),
        ((2, 3), [0, 3], 1, r"shape \(n_labels, n_positions, n_states\)"),
        ((0, 3, 1), [0, 3], 0, "at least one label"),
        ((2, 3, 3), [0, 3], -1, "order is -1"),
        ((2, 3, 3), [0, 3], 64, "lower the order"),
    ],
)
def test_wrong_arguments_are_refused_in_one_sentence(function, shape, offsets, order, message):
    with pytest.raises(ValueError, match=message) as caught:
        function(np.zeros(shape), offsets, order)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 1, 2], "label 2 at position 2 is outside 0..1"),
        ([0, -1, 1], "label -1 at position 1 is outside 0..1"),
        ([70000, 0, 0], "label 70000 at position 0 is outside 0..1"),
        ([0, 1], r"shape \(3,\)"),
        ([0.0, 1.0, 1.0], "integers"),
    ],
)
def test_wrong_labels_are_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        chain.log_likelihood(np.zeros((2, 3, 3)), labels, [0, 3], 1)
    with pytest.raises(ValueError, match=message):
        chain.state_sequence(labels, [0, 3], 2, 1)


def test_impossible_depths_are_refused():
    with pytest.raises(ValueError, match=r"outside 0\.\.2"):
        chain.StateSpace(2, 2).offset_of_depth(3)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("seed", range(8))
def test_near_zero_probabilities_need_no_logs(order, seed, monkeypatch):
    """Potentials of -400 or -1000 beside others: products give what logs give, and logs are taken where products lose
    it.
    """
    rng = np.random.default_rng([30, order, seed])
    potentials, offsets = random_chains([31, order, seed], 3, order, [12, 30, 1])
    potentials = potentials - rng.choice([0.0, 0.0, 0.0, 400.0, 1000.0], potentials.shape)
    used = []
    infer = inference.infer

    def note(potentials, offsets, order, in_logs, *outputs):
        before = in_logs.copy()
        infer(potentials, offsets, order, in_logs, *outputs)
        used.extend(in_logs[before])

    monkeypatch.setattr(inference, "infer", note)
    found, alone = chain.forward_backward(potentials, offsets, order), chain.log_likelihood
    expected = naive.recursive_chains(potentials, offsets, order)
    np.testing.assert_allclose(found.log_partition, expected.log_partition, rtol=1e-12)
    np.testing.assert_allclose(found.labels, expected.marginals, atol=1e-12)
    labels = np.zeros(offsets[-1], dtype=int)
    scores = inference.check_chains(potentials, offsets, order).along(labels.astype(np.int16))
    by_sequence = np.add.reduceat(scores, offsets[:-1]) - expected.log_partition
    np.testing.assert_allclose(alone(potentials, labels, offsets, order), by_sequence, rtol=1e-12)
    assert used
    assert not all(used)
