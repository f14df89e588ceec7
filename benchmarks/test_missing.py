"""Cost of growing trees where cells are missing, beside the same number of trees on complete data."""

import numpy as np
import pytest

from treecrf import TreeCRF, datasets
from treecrf.missing import inject

TARGETS = {
    "instance_weighting": {0.0: None, 0.05: 3, 0.1: 4, 0.2: 6, 0.4: 12},
    "surrogate_splitting": {0.0: None, 0.05: 3, 0.1: 3, 0.2: 3, 0.4: 3},
    "default_direction": {0.0: None, 0.05: 3, 0.1: 3, 0.2: 3, 0.4: 3},
}


def tree_seconds(data, missing):
    return TreeCRF(40, 100, 20.0, (5, 5), missing=missing).fit(data).seconds_["trees"]


@pytest.mark.parametrize("missing", TARGETS)
def test_tree_time_where_cells_are_missing(record, raw, missing):
    train, _ = datasets.load("protein", raw=raw)
    tree_seconds(train, "error")
    for rate, target in TARGETS[missing].items():
        damaged = inject(train, rate, np.random.default_rng(0))
        pairs = [(tree_seconds(train, "error"), tree_seconds(damaged, missing)) for _ in range(7)]  # in turn
        complete, with_holes = np.array(pairs).T
        record(
            f"protein, {missing} / complete data, tree time, {rate:.0%} missing",
            f"{np.median(with_holes / complete):.1f}",
            f"at most {target}" if target else "",
        )
