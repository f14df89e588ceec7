"""Trees of patterns against naive ones on all instances of all bags."""

import naive
import numpy as np
import pytest

from treecrf import Attribute, SequenceSet, chain
from treecrf.trees.forest import Evaluator
from treecrf_studies.methods.future.features import NO_STATES, columns_of
from treecrf_studies.methods.future.training import tree_grower


@pytest.mark.parametrize("l2_regularization", [0.0, 2.0])
def test_patterns_are_grown_on_every_instance_of_every_bag(l2_regularization):
    """Section 5.3.2 fits g(x_{t+j}) of all t and j; equal instances never part, so their sums are enough."""
    rng = np.random.default_rng(7)
    attributes = tuple(Attribute(name, ("a", "b", "c")) for name in "xyz")
    data = SequenceSet(rng.integers(0, 3, (40, 3)), np.array([0, 40]), attributes)
    counts = rng.integers(0, 4, 40)
    instance = np.repeat(np.arange(40), counts)
    gradients = rng.normal(0.0, 1e-6, len(instance))  # of many bags, hence tiny
    columns = columns_of(data)
    grow = tree_grower(columns, chain.StateSpace(1, 0), np.zeros(40, dtype=np.int32), 6, l2_regularization)
    tree = grow(np.bincount(instance, gradients, 40), counts)
    found = np.zeros((40, 1))
    Evaluator(columns, NO_STATES, len(tree.values)).add(tree, found)
    sizes = [4] * 3  # the last is outside the sequence
    features = np.array([naive.one_hot(data.values[i], (), sizes, 1) for i in instance])
    expected = naive.cart(features, 1e6 * gradients, 6, l2_regularization)
    assert len(tree.values) == 6
    np.testing.assert_allclose(1e6 * found[instance, 0], expected, atol=1e-6)
