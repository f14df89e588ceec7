"""The registry of ways to treat missing values: one row each."""

from __future__ import annotations

from typing import NamedTuple

from treecrf.models.drawing import Drawing


class Treatment(NamedTuple):
    """A way to treat missing values.

    Attributes
    ----------
    in_trees : bool
        Whether it is a value of ``TreeCRF(missing=)``; otherwise a transform of `treecrf.missing`.
    drawing : Drawing
    """

    in_trees: bool
    drawing: Drawing


TREATMENTS = {
    "instance_weighting": Treatment(True, Drawing("instance weighting", "#0072B2", "o", "-")),
    "surrogate_splitting": Treatment(True, Drawing("surrogate splitting", "#D55E00", "s", (0, (4, 1.2)))),
    "imputation": Treatment(False, Drawing("imputation", "#009E73", "^", (0, (6, 1.2, 1.2, 1.2)))),
    "indicator": Treatment(False, Drawing("indicator", "#CC79A7", "D", (0, (1.2, 1.2)))),
    "imputation_indicator": Treatment(
        False, Drawing("imputation and indicator", "#56B4E9", "P", (0, (1.2, 1.2, 4, 1.2)))
    ),
    "default_direction": Treatment(True, Drawing("default direction", "#000000", "v", (0, (3, 1, 1, 1, 1, 1)))),
    "incorporated": Treatment(True, Drawing("incorporated in tests", "#E69F00", "X", (0, (2, 0.8)))),
}
"""By name, in the order of lines and columns."""

IN_TREES = tuple(name for name, treatment in TREATMENTS.items() if treatment.in_trees)
"""Treatments that only trees know."""

CHOICES = (*IN_TREES, *(name for name in TREATMENTS if name not in IN_TREES))
"""All of them, in the order in which a user chooses."""
