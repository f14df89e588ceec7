"""`MEMM` against naive boosting of local models and against enumeration of its chain."""

import itertools

import naive
import naive_holes
import numpy as np
import pytest
from builders import assert_potentials, larger_set, named_start, random_set

from treecrf import MEMM, SlidingWindow, TreeCRF
from treecrf.missing import inject
from treecrf.sequences import slot_sizes, window_codes


@pytest.mark.parametrize("order", [0, 1, 2, 3])
@pytest.mark.parametrize("rate", [0.0, 0.3])
@pytest.mark.parametrize("missing", ["instance_weighting", "surrogate_splitting", "default_direction"])
def test_potentials_equal_naive_boosting(order, rate, missing):
    rng = np.random.default_rng([order, int(10 * rate)])
    n_labels = 3 if order < 3 else 2
    train, test = (inject(random_set(rng, 12, n_labels, longest=6), rate, rng) for _ in range(2))
    model = MEMM(3, 6, 1.0, (1, 1), order, missing=missing, random_state=order, start_noise=0.3).fit(train)
    expected = naive_holes.boost_with_unknown(
        *[(window_codes(data, (1, 1)), data.offsets) for data in (train, test)],
        slot_sizes(train.attributes, (1, 1)),
        train.labels,
        n_labels,
        order,
        named_start(model),
        3,
        6,
        1.0,
        naive_holes.Policy(missing),
        naive.local_row_gradients,
    )
    for data, part in zip((train, test), expected, strict=True):
        assert_potentials(model, data, naive.normalize_locally(part, n_labels))
    if not rate:
        plain = MEMM(3, 6, 1.0, (1, 1), order, random_state=order, start_noise=0.3).fit(train)
        np.testing.assert_array_equal(plain.potentials(test), model.potentials(test))


@pytest.mark.parametrize("order", [1, 2])
def test_predictions_are_those_of_the_directed_chain(order):
    data = random_set(np.random.default_rng(order), 6, longest=5)
    model = MEMM(5, 8, 0.5, (1, 0), order).fit(larger_set())
    potentials, marginals, paths = model.potentials(data), model.predict_proba(data), model.predict(data, "viterbi")
    likelihoods = model.log_likelihood(data)
    for sequence, (begin, end) in enumerate(itertools.pairwise(data.offsets)):
        scores = naive.chain_scores(potentials, begin, end, order)
        assert np.exp(list(scores.values())).sum() == pytest.approx(1.0)  # no normalization is left to do
        for t, label in itertools.product(range(end - begin), range(3)):
            expected = sum(np.exp(score) for labels, score in scores.items() if labels[t] == label)
            assert marginals[begin + t, label] == pytest.approx(expected, abs=1e-10)
        assert tuple(paths[begin:end]) == max(scores, key=lambda labels: scores[labels])
        assert likelihoods[sequence] == pytest.approx(scores[tuple(data.labels[begin:end])])


def test_order_0_is_the_sliding_window():
    data, other = larger_set(), larger_set(1)
    memm, tree_crf = (kind(6, 20, 1.0, (2, 1), 0).fit(data) for kind in (MEMM, TreeCRF))
    np.testing.assert_allclose(memm.predict_proba(other), tree_crf.predict_proba(other), atol=1e-12)
    window = SlidingWindow(6, 20, 1.0, (2, 1)).fit(data)
    np.testing.assert_array_equal(window.potentials(other), memm.potentials(other))
    assert window.get_params() == memm.get_params()
