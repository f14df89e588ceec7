"""The registry of labellers and of treatments of missing values, one row each, with their looks in figures. It loads no labeller."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple


class Drawing(NamedTuple):
    """How readers see a method; colour, marker and line style are matplotlib's.

    Colours are from the palette of Okabe and Ito; methods of one colour differ in marker and line.
    """

    name: str
    color: str
    marker: str
    linestyle: str | tuple[int, tuple[float, ...]]

    @property
    def style(self) -> dict[str, Any]:
        """Colour, marker and line style as keyword arguments of matplotlib."""
        return {"color": self.color, "marker": self.marker, "linestyle": self.linestyle}


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
        False, Drawing("imputation-with-indicator", "#56B4E9", "P", (0, (1.2, 1.2, 4, 1.2)))
    ),
    "default_direction": Treatment(True, Drawing("default direction", "#000000", "v", (0, (3, 1, 1, 1, 1, 1)))),
    "incorporated": Treatment(True, Drawing("incorporated in tests", "#E69F00", "X", (0, (2, 0.8)))),
}
"""By name, in the order of lines and columns."""

IN_TREES = tuple(name for name, treatment in TREATMENTS.items() if treatment.in_trees)
"""Treatments that only trees know."""

CHOICES = (*IN_TREES, *(name for name in TREATMENTS if name not in IN_TREES))
"""All of them, in the order in which a user chooses."""


FORWARD_BACKWARD = ["gradient", "update"]
INDUCTION = ["trees", "induction"]
"""Phases in a labeller's ``seconds_`` that table 3.6 calls forward-backward and feature induction."""

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class TrainingRow(NamedTuple):
    """A labeller in the training study.

    Attributes
    ----------
    grid : mapping
        The labeller's settings that cross-validation chooses, to the study's settings with the candidates for each.
    taken : mapping
        The labeller's other settings to the study's settings with their values.
    fixed : mapping
        The labeller's settings that the study does not vary.
    alone : tuple of str
        The study's settings, apart from the grid, that no other labeller looks at.
    class_path : str or None
        Another class than the row's.
    in_cost : bool
        Whether the cost study measures it too.
    """

    grid: Mapping[str, str]
    taken: Mapping[str, str] = _NOTHING
    fixed: Mapping[str, Any] = _NOTHING
    alone: tuple[str, ...] = ()
    class_path: str | None = None
    in_cost: bool = False


class FutureRow(NamedTuple):
    """A labeller in the study of future features: the study's name of it without the order, and its look.

    A configuration may ask for one of the `orders`; without orders the name has none, and the order is 0.
    """

    family: str
    orders: tuple[int, ...]
    drawing: Drawing


class Row(NamedTuple):
    """A labeller.

    Attributes
    ----------
    class_path : str
        ``module:Class``.
    family : str
        Folder of the module.
    drawing : Drawing or None
        In the figures and tables of the training and cost studies.
    training : TrainingRow or None
    future : FutureRow or None
    in_tables : bool
        Whether ``treecrf fit`` offers it.
    preset : mapping
        Values of its settings, where they are not the defaults of the class.
    iterations : str
        Its setting with the number of iterations.
    start : "perturbed", "random" or "fixed"
        Whether a seed perturbs its start (``random_state``, ``start_noise``), the start is always random
        (``random_state``), or it has no seed.
    """

    class_path: str
    drawing: Drawing | None = None
    training: TrainingRow | None = None
    future: FutureRow | None = None
    in_tables: bool = True
    preset: Mapping[str, Any] = _NOTHING
    iterations: str = "n_iterations"
    start: Literal["perturbed", "random", "fixed"] = "perturbed"

    @property
    def family(self) -> str:
        """The folder of the module: boosted, linear, kernel, coding, window, neural, future, java or ensembles."""
        return self.class_path.split(".")[-2]

    @property
    def class_name(self) -> str:
        """The name of the class."""
        return self.class_path.partition(":")[2]


_TREECRF = "treecrf.models.boosted.treecrf:TreeCRF"
_COMPLETE = {"missing": "error"}
_ITERATIONS = {"n_iterations": "n_iterations"}
_BOOSTING = {"n_iterations": "n_iterations", "max_leaves": "max_leaves", "order": "order"}
_NEURAL = {
    "kind": "neural_kinds",
    "width": "neural_widths",
    "n_layers": "neural_layers",
    "dropout": "neural_dropouts",
}
_NEWTON = {
    "splits": "subsets",
    "leaf_values": "newton",
    "max_leaves": 30,
    "l2_regularization": 5.0,
    "learning_rate": 0.1,
}
_NEWTON_GRID = {
    "max_leaves": "newton_leaves",
    "l2_regularization": "newton_regularizations",
    "learning_rate": "newton_rates",
}
_WINDOW_BOOSTING = {"n_iterations": "n_iterations", "max_leaves": "max_leaves"}

LABELLERS = {
    "treecrf": Row(
        _TREECRF,
        Drawing("TreeCRF", "#0072B2", "o", "-"),
        TrainingRow({"l2_regularization": "l2_regularizations"}, _BOOSTING, _COMPLETE, in_cost=True),
        FutureRow("crf", (1, 2, 3, 4), Drawing("TreeCRF", "#0072B2", "o", "-")),
    ),
    "treecrf_newton": Row(
        _TREECRF,
        Drawing("TreeCRF-Newton", "#882255", "p", (0, (5, 1, 1, 1))),
        TrainingRow(
            {**_NEWTON_GRID, "transitions": "newton_transitions"},
            {"n_iterations": "n_iterations", "order": "order"},
            _COMPLETE,
            in_cost=True,
        ),
        preset=_NEWTON,
    ),
    "treecrf_anchored": Row(
        _TREECRF,
        Drawing("TreeCRF-Newton (anchors)", "#882255", "$A$", (0, (5, 1, 1, 1, 1, 1))),
        TrainingRow(
            {**_NEWTON_GRID, "anchors": "anchors", "order": "anchored_orders"},
            _ITERATIONS,
            _COMPLETE,
            alone=("anchors", "anchored_orders"),
        ),
        in_tables=False,
        preset=_NEWTON,
    ),
    "treecrf_original": Row(
        _TREECRF,
        Drawing("TreeCRF-2004", "#56B4E9", "h", (0, (5, 1))),
        TrainingRow({"max_leaves": "original_max_leaves"}, _BOOSTING, {"l2_regularization": 0.0, **_COMPLETE}),
        in_tables=False,
    ),
    "treecrf_flat": Row(_TREECRF, Drawing("TreeCRF (flattened)", "#CC79A7", "8", (0, (3, 1.2))), in_tables=False),
    "linear_crf": Row(
        "treecrf.models.linear.linear_crf:LinearCRF",
        Drawing("linear CRF", "#000000", "D", (0, (1.2, 1.2))),
        TrainingRow({"variance": "variances"}, {"max_iterations": "n_iterations"}, {"features": "pairs"}, in_cost=True),
        preset={"features": "labels"},
        iterations="max_iterations",
    ),
    "linear_crf_labels": Row(
        "treecrf.models.linear.linear_crf:LinearCRF",
        Drawing("linear CRF (label features)", "#999999", "$\u2665$", (0, (1.2, 2.4))),
        TrainingRow({"variance": "variances"}, {"max_iterations": "n_iterations"}, {"features": "labels"}),
        in_tables=False,
        iterations="max_iterations",
    ),
    "induced_crf": Row(
        "treecrf.models.linear.induced_crf:InducedCRF",
        Drawing("CRF with induction", "#009E73", "^", (0, (6, 1.2, 1.2, 1.2))),
        TrainingRow({"variance": "variances"}, _ITERATIONS, in_cost=True),
    ),
    "induced_crf_labels": Row(
        "treecrf.models.linear.induced_crf:InducedCRF",
        Drawing("CRF with induction (label features)", "#999999", "$\u2660$", (0, (6, 2, 1.2, 2))),
        TrainingRow({"variance": "variances"}, _ITERATIONS, {"features": "labels"}),
        in_tables=False,
    ),
    "voted_perceptron": Row(
        "treecrf.models.linear.perceptron:VotedPerceptron", in_tables=False, iterations="n_epochs", start="fixed"
    ),
    "coded_crf": Row(
        "treecrf.models.coding.coded_crf:CodedCRF", in_tables=False, iterations="code_length", start="fixed"
    ),
    "kernel_crf": Row("treecrf.models.kernel.kernel_crf:KernelCRF", iterations="max_iterations", start="random"),
    "crfsuite": Row(
        "treecrf.models.linear.crfsuite:CRFSuite", in_tables=False, iterations="max_iterations", start="fixed"
    ),
    "mallet": Row(
        "treecrf.models.java.mallet:MalletCRF",
        Drawing("MALLET", "#D55E00", "s", (0, (4, 1.2))),
        TrainingRow({"variance": "variances"}, _ITERATIONS, {"induction": True}, in_cost=True),
    ),
    "mallet_labels": Row(
        "treecrf.models.java.mallet:MalletCRF",
        Drawing("MALLET (label features)", "#999999", "$\u2663$", (0, (4, 2.4))),
        TrainingRow({"variance": "variances"}, _ITERATIONS, {"induction": True, "features": "labels"}),
        in_tables=False,
    ),
    "mallet_linear": Row(
        "treecrf.models.java.mallet:MalletCRF",
        Drawing("MALLET (no induction)", "#E69F00", "P", (0, (3, 1, 1, 1, 1, 1))),
        TrainingRow({"variance": "variances"}, _ITERATIONS, {"induction": False}, in_cost=True),
        in_tables=False,
    ),
    "smile": Row(
        "treecrf.models.java.smile:SmileCRF",
        Drawing("SMILE", "#CC79A7", "v", (0, (6, 1, 1, 1, 1, 1))),
        TrainingRow({"max_leaves": "original_max_leaves"}, _ITERATIONS),
        start="fixed",
    ),
    "memm": Row(
        "treecrf.models.boosted.memm:MEMM",
        Drawing("MEMM", "#56B4E9", "X", (0, (2, 2))),
        TrainingRow({"l2_regularization": "memm_regularizations"}, _BOOSTING, _COMPLETE),
        FutureRow("memm", (1, 2, 3, 4), Drawing("MEMM", "#56B4E9", "X", (0, (2, 2)))),
    ),
    "sliding_window": Row(
        "treecrf.models.boosted.memm:SlidingWindow",
        Drawing("sliding window", "#E69F00", "<", (0, (1, 2))),
        TrainingRow(
            {"l2_regularization": "memm_regularizations"},
            _WINDOW_BOOSTING,
            {"order": 0, **_COMPLETE},
            class_path=_TREECRF,
        ),
        FutureRow("sliding_window", (), Drawing("sliding window", "#000000", "D", "none")),
    ),
    "neural_network": Row(
        "treecrf.models.window.classifiers:NeuralNetwork",
        Drawing("neural network", "#009E73", ">", (0, (2, 1))),
        TrainingRow(
            {"l2_regularization": "network_penalties"},
            {"n_hidden": "network_hidden", "n_epochs": "network_epochs"},
            alone=("network_hidden", "network_epochs", "network_windows"),
        ),
        iterations="n_epochs",
        start="random",
    ),
    "neural_crf": Row(
        "treecrf.models.neural.neural_crf:NeuralCRF",
        Drawing("neural CRF", "#0072B2", "$N$", (0, (7, 1, 1, 1))),
        TrainingRow(_NEURAL, {"n_epochs": "neural_epochs"}, {"window": (1, 1)}, alone=("neural_epochs",)),
        iterations="n_epochs",
        start="random",
    ),
    "neural_softmax": Row(
        "treecrf.models.neural.neural_crf:NeuralCRF",
        Drawing("neural softmax", "#56B4E9", "$S$", (0, (7, 2))),
        TrainingRow(_NEURAL, {"n_epochs": "neural_epochs"}, {"window": (1, 1), "order": 0}, alone=("neural_epochs",)),
        in_tables=False,
        preset={"order": 0},
        iterations="n_epochs",
        start="random",
    ),
    "lightgbm": Row(
        "treecrf.models.window.classifiers:WindowLightGBM",
        Drawing("LightGBM", "#D55E00", "d", (0, (8, 2))),
        TrainingRow({"max_leaves": "lightgbm_leaves"}, _ITERATIONS),
    ),
    "stacking": Row(
        "treecrf.ensembles.labeller:Ensemble",
        Drawing("stacking", "#000000", "H", (0, (10, 2))),
        TrainingRow(
            {"n_iterations": "stacking_iterations"},
            {"experts": "stacking_experts", "n_folds": "stacking_folds"},
            {"combine": "stacking", **_COMPLETE},
            alone=("stacking_experts", "stacking_folds"),
        ),
    ),
    "trees_and_net": Row(
        "treecrf.ensembles.labeller:Ensemble",
        Drawing("trees + net", "#009E73", "$+$", (0, (9, 1, 1, 1))),
        TrainingRow({"n_iterations": "stacking_iterations"}, fixed=_COMPLETE),
        in_tables=False,
        preset={"experts": ("treecrf_newton", "neural_crf"), "combine": "marginal_average"},
    ),
    "ff_memm": Row(
        "treecrf.models.future.future_memm:FutureFeatureMEMM",
        future=FutureRow("ff_memm", (0, 1, 2, 3, 4), Drawing("FF-MEMM", "#D55E00", "s", (0, (4, 1.2)))),
        in_tables=False,
    ),
    "ff_crf": Row(
        "treecrf.models.future.future_memm:FutureFeatureTreeCRF",
        future=FutureRow("ff_crf", (1, 2, 3, 4), Drawing("FF-TreeCRF", "#009E73", "^", (0, (6, 1.2, 1.2, 1.2)))),
        in_tables=False,
    ),
}
"""By the names that configurations give them, in the order of lines and columns."""

DRAWINGS = {name: row.drawing for name, row in LABELLERS.items() if row.drawing is not None}
TRAINING = {name: row.training for name, row in LABELLERS.items() if row.training is not None}
FUTURE = {row.future.family: row.future for row in LABELLERS.values() if row.future is not None}
"""The rows of the training study by method, and of the study of future features by family."""

WITH_NETWORKS = tuple(
    name for name, row in LABELLERS.items() if row.family == "neural" or "neural_crf" in row.preset.get("experts", ())
)
"""Labellers that need the extra "neural"."""

IN_JAVA = tuple(name for name in TRAINING if LABELLERS[name].family == "java")
"""Methods of the training study that need a Java virtual machine."""

COST = tuple(name for name, row in TRAINING.items() if row.in_cost)
TABLES = tuple(name for name, row in LABELLERS.items() if row.in_tables)
"""Labellers whose cost is measured, and those that ``treecrf fit`` offers."""

CLASS_PATHS = {row.class_name: row.class_path for row in LABELLERS.values()}
"""By name of the class."""

WRAPPERS = {
    "DerivingLabeller": "treecrf.models.pipelines:DerivingLabeller",
    "ImputingLabeller": "treecrf.models.pipelines:ImputingLabeller",
    "StackedSequential": "treecrf.ensembles.sequential:StackedSequential",
}
"""Labellers around another one, by name of the class."""
