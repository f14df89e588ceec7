"""The choice among equal splits."""

import numpy as np

from treecrf import Attribute, SequenceSet, TreeCRF


def test_equal_splits_go_to_the_lowest_feature():
    # Both attributes carry the same information; the tests on the first one must win.
    values = np.array([[0, 0], [1, 1]] * 10)
    labels = np.array([0, 1] * 10)
    attributes = (Attribute("first", ("x", "y")), Attribute("second", ("x", "y")))
    data = SequenceSet(values, np.arange(0, 21, 2), attributes, labels, ("A", "B"))
    model = TreeCRF(1, 2, 1.0, order=0).fit(data)
    for index in range(2):
        tree = model.forest_.tree(index)
        assert (tree.columns[0], tree.codes[0]) == (0, 0)
