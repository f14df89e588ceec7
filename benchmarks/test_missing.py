"""Cost of growing trees where cells are missing, beside the same number of trees on complete data."""

import numpy as np
import pytest

from treecrf import TreeCRF
from treecrf.missing import inject

TARGETS = {
    "instance_weighting": {0.0: None, 0.05: 3, 0.1: 4, 0.2: 6, 0.4: 12},
    "surrogate_splitting": {0.0: None, 0.05: 3, 0.1: 3, 0.2: 3, 0.4: 3},
    "default_direction": {0.0: None, 0.05: 3, 0.1: 3, 0.2: 3, 0.4: 3},
}


def tree_seconds(data, missing, n_iterations):
    return TreeCRF(n_iterations, 100, 20.0, (5, 5), missing=missing).fit(data).seconds_["trees"]


@pytest.mark.parametrize("missing", TARGETS)
def test_tree_time_where_cells_are_missing(record, load, size, missing):
    train, _ = load("protein")
    n_iterations = size(40)
    tree_seconds(train, "error", n_iterations)
    for rate, target in TARGETS[missing].items():
        damaged = inject(train, rate, np.random.default_rng(0))
        pairs = [
            (tree_seconds(train, "error", n_iterations), tree_seconds(damaged, missing, n_iterations))
            for _ in range(size(7))  # in turn
        ]
        complete, with_holes = np.array(pairs).T
        record(
            f"protein, {missing} / complete data, tree time, {rate:.0%} missing",
            f"{np.median(with_holes / complete):.1f}",
            f"at most {target}" if target else "",
        )
