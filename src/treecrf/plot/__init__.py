"""Figures of a model on a file, by matplotlib: a labelled sequence, importances, errors, calibration, contributions."""

from treecrf.plot.model import plot_calibration, plot_confusion, plot_importance
from treecrf.plot.sequence import plot_contributions, plot_sequence

__all__ = ["plot_calibration", "plot_confusion", "plot_contributions", "plot_importance", "plot_sequence"]
