"""The options of TreeCRF that the study compares, as readers see them."""

from __future__ import annotations

from treecrf_studies.rendering.style import training_method_name

SAMPLING_NAMES = {
    "none": "all rows and features",
    "row_fraction": "share of the rows",
    "feature_fraction": "share of the features",
    "influence_trimming": "influence trimmed",
    "pseudo_likelihood_iterations": "first iterations by pseudo-likelihood",
}
"""Options of the sampling study as readers see them."""


OPTION = ["dataset", "option", "setting"]
"""Columns that tell trainings with options apart."""

SECONDS, TREE_SECONDS, RELATIVE, SPEED_UP = "CPU seconds", "CPU seconds of trees", "relative CPU seconds", "speed-up"
"""Values of `quantity`: of a training or iteration; of growing its trees; by those of plain training; how many times
faster the log likelihood rises to what plain training reaches too.
"""


def option_name(method: str) -> str:
    """What readers see of a method, or of TreeCRF with an option ("row_fraction=0.5")."""
    option, _, value = method.partition("=")
    if option not in SAMPLING_NAMES:
        return training_method_name(method)
    return f"TreeCRF ({SAMPLING_NAMES[option]}{'' if option == 'none' else f' {value}'})"
