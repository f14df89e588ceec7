"""What trees promise, on words and proteins."""

import numpy as np
from builders import assert_methods_agree

from treecrf import TreeCRF
from treecrf_studies import datasets


def test_without_missing_cells_all_methods_grow_the_same_trees_for_letters():
    train, test = datasets.load("hyphen_tex", n_train=120, n_test=60)
    assert_methods_agree(train, test, n_iterations=4, max_leaves=30, l2_regularization=2.0, window=(3, 4))


def test_without_missing_cells_all_methods_grow_the_same_trees_for_real_words(mirror):
    train, test = datasets.load("hyphen", raw=mirror)
    window = datasets.describe("hyphen").window
    assert_methods_agree(train, test, n_iterations=5, max_leaves=100, l2_regularization=20.0, window=window)


def test_real_labels_stay(mirror):
    for name, window in (("protein", (5, 5)), ("hyphen", (2, 3))):
        train, test = datasets.load(name, raw=mirror)
        model = TreeCRF(20, 100, 20.0, window).fit(train)
        flat = model.flattened()
        np.testing.assert_allclose(flat.potentials(test), model.potentials(test), rtol=0, atol=1e-9)
        for decoder in ("forward_backward", "viterbi"):
            np.testing.assert_array_equal(flat.predict(test, decoder), model.predict(test, decoder))
