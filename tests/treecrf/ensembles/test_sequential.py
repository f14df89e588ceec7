"""The second pass: what it sees, that nothing leaks into it, and what it gains."""

from itertools import pairwise

import numpy as np
import pytest
from builders import dependent_set, random_set
from naive_ensembles import marginal_numbers
from numpy.testing import assert_array_equal

import treecrf
from treecrf import SequenceSet, StackedSequential, TreeCRF
from treecrf.ensembles import sequential
from treecrf.ensembles.sequential import PASS_BINS, with_marginals
from treecrf.statistics.selection import sequence_folds

TREES = {"n_iterations": 5, "max_leaves": 6}


def test_numbers_are_those_of_the_naive_version():
    data = dependent_set(np.random.default_rng(0), 12, unlabelled=2)
    marginals = np.random.default_rng(1).dirichlet(np.ones(3), data.n_positions)
    found = with_marginals(data, marginals, data.label_names)
    np.testing.assert_allclose(found.numbers, marginal_numbers(data, marginals.tolist()), atol=1e-12)
    assert found.number_names[::3] == ("P(A)", "P(A) before", "P(A) after")
    assert_array_equal(found.values, data.values)


def test_numbers_do_not_depend_on_other_sequences():
    data = dependent_set(np.random.default_rng(0), 12)
    marginals = np.random.default_rng(1).dirichlet(np.ones(3), data.n_positions)
    whole = with_marginals(data, marginals, data.label_names)
    alone = with_marginals(data[5], marginals[data.offsets[5] : data.offsets[6]], data.label_names)
    assert whole[5].numbers.tobytes() == alone.numbers.tobytes()


def test_the_second_pass_sees_marginals_of_labellers_that_did_not_see_the_sequence(monkeypatch):
    train = random_set(np.random.default_rng(0), 20)
    seen = []
    monkeypatch.setattr(sequential, "with_marginals", lambda *given: seen.append(given[:2]) or with_marginals(*given))
    StackedSequential(TreeCRF(**TREES), n_folds=4, seed=3).fit(train)
    [(ordered, marginals)] = seen
    begin = 0
    for fold in sequence_folds(train.groups, 4, 3):
        rest = train.select(np.setdiff1d(np.arange(len(train)), fold))
        expected = TreeCRF(**TREES).fit(rest).predict_proba(train.select(fold))
        assert_array_equal(marginals[begin : begin + len(expected)], expected)
        begin += len(expected)
    assert begin == ordered.n_positions == train.n_positions


def counting_set(n_sequences, seed):
    """The second x of a sequence is labelled b, every other one a: a chain of order 1 cannot count."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(6, 15, n_sequences)
    values = rng.integers(0, 2, lengths.sum())
    offsets = np.append(0, lengths.cumsum())
    labels = np.zeros(len(values), dtype=int)
    for begin, end in pairwise(offsets.tolist()):
        labels[begin:end] = np.where(values[begin:end], np.where(values[begin:end].cumsum() == 2, 2, 1), 0)
    return SequenceSet(values[:, None], offsets, (("symbol", ("o", "x"), False),), labels, ("o", "a", "b"))


def test_sums_of_marginals_let_it_count():
    train, test = counting_set(150, 0), counting_set(80, 1)
    first = TreeCRF(**TREES, window=(1, 1)).fit(train)
    both = StackedSequential(TreeCRF(**TREES, window=(1, 1))).fit(train)
    assert both.score(test) > first.score(test) + 0.02
    assert_array_equal(both.first_.predict_proba(test), first.predict_proba(test))
    seen = with_marginals(test, first.predict_proba(test), test.label_names)
    expected = (first.predict_proba(test) + both.second_.predict_proba(seen)) / 2
    assert_array_equal(both.predict_proba(test), expected)


def test_another_labeller_may_be_the_second(tmp_path):
    train = random_set(np.random.default_rng(0), 20)
    model = StackedSequential(TreeCRF(**TREES), treecrf.LinearCRF(max_iterations=4)).fit(train)
    assert isinstance(model.second_, treecrf.LinearCRF)
    assert StackedSequential(TreeCRF(**TREES)).fit(train).second_.n_bins == PASS_BINS
    model.save(tmp_path / "model.npz")
    again = treecrf.load(tmp_path / "model.npz")
    assert_array_equal(again.predict_proba(train), model.predict_proba(train))


def test_one_group_of_sequences_is_refused():
    train = random_set(np.random.default_rng(0), 5).with_groups(np.zeros(5))
    with pytest.raises(ValueError, match=r"no two unrelated sequences, so the first pass cannot be cross-fitted"):
        StackedSequential(TreeCRF(**TREES)).fit(train)
