"""Trees on data with missing cells against the naive versions, the worked examples, and what is promised."""

import naive
import numpy as np
import pytest

from treecrf import Attribute, SequenceSet, TreeCRF, chain
from treecrf.missing import inject
from treecrf.sequences import slot_sizes, window_codes

METHODS = ("instance_weighting", "surrogate_splitting", "default_direction")
POLICIES = [
    {"missing": "instance_weighting"},
    {"missing": "instance_weighting", "scale_gain": True},
    {"missing": "surrogate_splitting"},
    {"missing": "surrogate_splitting", "scale_gain": True, "n_surrogates": 1},
    {"missing": "surrogate_splitting", "n_surrogates": 2, "either_polarity": False, "all_missing": "both"},
    {"missing": "default_direction"},
    {"missing": "default_direction", "unseen_missing": "both"},
]


def random_set(rng, n_sequences, n_labels=3, longest=5, n_categories=3, n_attributes=2, unlabelled=1):
    """Sequences with attributes that depend on each other, so that surrogates exist."""
    lengths = rng.integers(1, longest + 1, n_sequences)
    observed = lengths + rng.integers(0, unlabelled + 1, n_sequences)
    offsets, observation_offsets = (np.concatenate([[0], np.cumsum(part)]) for part in (lengths, observed))
    first = rng.integers(0, n_categories, observation_offsets[-1])
    columns = [np.where(rng.random(len(first)) < 0.7, first, rng.integers(0, n_categories, len(first)))]
    columns += [rng.permutation(n_categories)[columns[0]] if j == 1 else first for j in range(1, n_attributes)]
    attributes = [Attribute(f"a{j}", tuple("abcdefgh"[:n_categories])) for j in range(n_attributes)]
    labels = rng.integers(0, n_labels, offsets[-1])
    values = np.stack(columns, axis=1)
    return SequenceSet(values, offsets, attributes, labels, tuple("ABC"[:n_labels]), observation_offsets)


def assert_equals_naive(train, test, policy, order, seed, window=(1, 1), n_iterations=3, max_leaves=8, penalty=1.0):
    n_labels = len(train.label_names)
    model = TreeCRF(
        n_iterations, max_leaves, penalty, window, order, random_state=seed, start_noise=0.3, **policy
    ).fit(train)  # fmt: skip
    space = chain.StateSpace(n_labels, order)
    names = [tuple(int(label) for label in row) for row in space.labels_of_state]
    start = [dict(zip(names, row, strict=True)) for row in model.start_]
    expected = naive.boost_with_unknown(
        *[(window_codes(data, window), data.offsets) for data in (train, test)],
        slot_sizes(train.attributes, window), train.labels, n_labels, order, start, n_iterations, max_leaves, penalty,
        naive.Policy(**policy),
    )  # fmt: skip
    for data, part in zip((train, test), expected, strict=True):
        potentials = model.potentials(data)
        for (label, position, state), value in part.items():
            assert potentials[label, position, names.index(state)] == pytest.approx(value, abs=1e-8)
    assert model.log_likelihood_history_[-1] == pytest.approx(model.log_likelihood(train).sum(), abs=1e-7)
    return model


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("rate", [0.0, 0.1, 0.4, 0.8])
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: " ".join(map(str, policy.values())))
def test_potentials_equal_naive_boosting(policy, rate, order):
    rng = np.random.default_rng([order, int(100 * rate), POLICIES.index(policy)])
    train, test = (inject(random_set(rng, 6 if order < 2 else 4), rate, rng) for _ in range(2))
    assert_equals_naive(train, test, policy, order, seed=order)
