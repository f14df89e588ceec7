"""Trees that are grown: leaf values, and sets of all sizes."""

import numpy as np
import pytest
from builders import larger_set

from treecrf import Attribute, SequenceSet, TreeCRF


def test_large_sets_are_grown_as_small_ones():
    # One more attribute that is constant changes how attributes are swept together, not the trees.
    data = larger_set(n_sequences=300, longest=60)
    constant = np.zeros((len(data.values), 1), dtype=np.int16)
    attributes = (data.attributes[0], Attribute("same", tuple("abcdefg")), data.attributes[1])
    wider = data.with_values(np.hstack([data.values[:, :1], constant, data.values[:, 1:]]), attributes)
    first, second = (TreeCRF(3, 30, 1.0, order=1).fit(one) for one in (data, wider))
    assert first.log_likelihood_history_.tobytes() == second.log_likelihood_history_.tobytes()
    np.testing.assert_array_equal(first.predict_proba(data), second.predict_proba(wider))


def test_leaf_values_shrink_as_equation_3_1_says():
    # One label per value, order 0: before the first tree P = 1/2, so each gradient is +-1/2.
    data = SequenceSet(
        np.array([[0], [1]] * 10), np.arange(0, 21, 2), (Attribute("a", ("x", "y")),), np.array([0, 1] * 10), ("A", "B")
    )
    for penalty in (0.0, 5.0, 90.0):
        tree = TreeCRF(1, 2, penalty, order=0).fit(data).forest_.tree(0)
        assert sorted(tree.values) == pytest.approx([-5.0 / (10 + penalty), 5.0 / (10 + penalty)], abs=1e-12)
