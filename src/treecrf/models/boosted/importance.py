"""Gains of the splits of a trained TreeCRF, by the observation that they look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from treecrf.models.boosted.treecrf import TreeCRF


def split_gains(labeller: TreeCRF) -> NDArray[np.float64]:
    """Total gain of all splits on an input at a distance (Breiman et al. 1984, section 5.3; Friedman 2001, section 8.1).

    The gain of a split is the decrease of the squared error that its leaf values give (PhD section 3.2), or with Newton
    leaves twice the rise of the log likelihood by a second-order step.

    Returns
    -------
    float64, shape (n_attributes, n_places)
        In the order of ``attributes_``, and of the distances ``-window[0]`` to ``window[1]`` from the position.

    Raises
    ------
    ValueError
        If the trees are from a file of a version that did not keep gains.
    """
    n_attributes, n_places = len(labeller.attributes_), sum(labeller.shape_["window"]) + 1
    sums = _sums_by_column(labeller, n_attributes * n_places)[: n_attributes * n_places]
    return sums.reshape(n_places, n_attributes).T


def label_gains(labeller: TreeCRF) -> NDArray[np.float64]:
    """Total gain of all splits on the label 1, 2, .. places back, float64, shape (order,); see `split_gains`."""
    n_slots = len(labeller.attributes_) * (sum(labeller.shape_["window"]) + 1)
    return _sums_by_column(labeller, n_slots + labeller.shape_["order"])[n_slots:]


def _sums_by_column(labeller: TreeCRF, n_columns: int) -> NDArray[np.float64]:
    forest = labeller.forest_
    if np.isnan(forest.gains).any():
        raise ValueError("the trees are from a file that does not say what their splits gained; train them again.")
    return np.bincount(forest.columns, forest.gains, n_columns).astype(
        np.float64
    )  # whole numbers where there are no splits
