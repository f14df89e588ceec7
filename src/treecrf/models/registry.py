"""The labellers by name, and the treatments of missing values. It loads no labeller.

Other packages add labellers by an entry point of the group `GROUP`, a mapping of names to `Row`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

GROUP = "treecrf.labellers"

IN_TREES = {
    "instance_weighting": "instance weighting",
    "surrogate_splitting": "surrogate splitting",
    "default_direction": "default direction",
    "incorporated": "incorporated in tests",
}
"""Treatments of missing values that only trees know, values of ``TreeCRF(missing=)``, and what readers see of each."""

TRANSFORMS = {
    "imputation": "imputation",
    "indicator": "indicator",
    "imputation_indicator": "imputation-with-indicator",
}
"""Treatments by a transform of `treecrf.missing`."""

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Row(NamedTuple):
    """A labeller.

    Attributes
    ----------
    class_path : str
        ``module:Class``.
    is_offered : bool
        Whether ``treecrf fit`` offers it.
    preset : mapping
        Values of its settings, where they are not the defaults of the class.
    as_expert : mapping or None
        Further values that it has as an expert of an `Ensemble`; None: it is no expert.
    iterations : str
        Its setting with the number of iterations.
    start : "perturbed", "random" or "fixed"
        Whether a seed perturbs its start (``random_state``, ``start_noise``), the start is always random
        (``random_state``), or it has no seed.
    """

    class_path: str
    is_offered: bool = True
    preset: Mapping[str, Any] = _NOTHING
    as_expert: Mapping[str, Any] | None = _NOTHING
    iterations: str = "n_iterations"
    start: Literal["perturbed", "random", "fixed"] = "perturbed"

    @property
    def family(self) -> str:
        """The folder of the module, such as boosted, linear, window, neural or ensembles."""
        return self.class_path.split(".")[-2]

    @property
    def class_name(self) -> str:
        """The name of the class."""
        return self.class_path.partition(":")[2]


LABELLERS = {
    "treecrf": Row("treecrf.models.boosted.treecrf:TreeCRF"),
    "treecrf_newton": Row(
        "treecrf.models.boosted.treecrf:TreeCRF",
        preset={
            "splits": "subsets",
            "leaf_values": "newton",
            "max_leaves": 30,
            "l2_regularization": 5.0,
            "learning_rate": 0.1,
        },
    ),
    "linear_crf": Row(
        "treecrf.models.linear.linear_crf:LinearCRF",
        preset={"features": "labels"},
        as_expert={"features": "pairs"},
        iterations="max_iterations",
    ),
    "induced_crf": Row("treecrf.models.linear.induced_crf:InducedCRF"),
    "voted_perceptron": Row(
        "treecrf.models.linear.perceptron:VotedPerceptron", False, as_expert=None, iterations="n_epochs", start="fixed"
    ),
    "crfsuite": Row(
        "treecrf.models.linear.crfsuite:CRFSuite", False, as_expert=None, iterations="max_iterations", start="fixed"
    ),
    "memm": Row("treecrf.models.boosted.treecrf:MEMM"),
    "sliding_window": Row("treecrf.models.boosted.treecrf:SlidingWindow", as_expert={"order": 0}),
    "neural_network": Row("treecrf.models.window.classifiers:NeuralNetwork", iterations="n_epochs", start="random"),
    "neural_crf": Row(
        "treecrf.models.neural.neural_crf:NeuralCRF",
        as_expert={"window": (1, 1)},
        iterations="n_epochs",
        start="random",
    ),
    "lightgbm": Row("treecrf.models.window.classifiers:WindowLightGBM"),
    "stacking": Row("treecrf.ensembles.labeller:Ensemble", as_expert=None),
}
"""This package's, by name, in the order in which a user chooses."""

CLASS_PATHS = {row.class_name: row.class_path for row in LABELLERS.values()}
"""By name of the class."""

WRAPPERS = {
    "DerivingLabeller": "treecrf.models.pipelines:DerivingLabeller",
    "ImputingLabeller": "treecrf.models.pipelines:ImputingLabeller",
    "StackedSequential": "treecrf.ensembles.sequential:StackedSequential",
}
"""Labellers around another one, by name of the class."""


@cache
def labellers() -> Mapping[str, Row]:
    """All labellers by name: this package's, then those of the packages that are installed."""
    from importlib.metadata import entry_points

    installed: dict[str, Row] = {}
    for point in entry_points(group=GROUP):
        with suppress(ImportError):  # its package is not there any more
            installed |= point.load()
    return LABELLERS | installed | LABELLERS


def offered() -> tuple[str, ...]:
    """The labellers that ``treecrf fit`` offers."""
    return tuple(name for name, row in labellers().items() if row.is_offered)


def find(name: str) -> Row:
    """The labeller of a name; packages are asked where this one does not have it."""
    return LABELLERS.get(name) or labellers()[name]


def class_path_of(name: str) -> str | None:
    """The path of a class of labellers, None where no package has it."""
    paths = CLASS_PATHS | WRAPPERS
    return paths.get(name) or {row.class_name: row.class_path for row in labellers().values()}.get(name)
