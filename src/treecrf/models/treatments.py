"""The registry of ways to treat missing values."""

from __future__ import annotations

IN_TREES = ("instance_weighting", "surrogate_splitting", "default_direction")
"""Treatments that only trees know: values of ``TreeCRF(missing=)``; the others are transforms of `treecrf.missing`."""

TREATMENTS = ("instance_weighting", "surrogate_splitting", "imputation", "indicator", "default_direction")
"""All of them, in the order of lines and columns."""

CHOICES = (*IN_TREES, *(name for name in TREATMENTS if name not in IN_TREES))
"""All of them, in the order in which a user chooses."""
