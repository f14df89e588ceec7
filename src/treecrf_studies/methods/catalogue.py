"""The catalogue of methods: labellers, their looks in figures, and the studies that they are in. It loads no labeller."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from treecrf.models.registry import IN_TREES, TRANSFORMS, Row
from treecrf.models.registry import LABELLERS as OF_LIBRARY

_NOTHING: Mapping[str, Any] = MappingProxyType({})


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


class Method(NamedTuple):
    """A method of the studies.

    Attributes
    ----------
    labeller : Row
    drawing : Drawing or None
        In the figures and tables of the training and cost studies.
    training : TrainingRow or None
    future : FutureRow or None
    """

    labeller: Row
    drawing: Drawing | None = None
    training: TrainingRow | None = None
    future: FutureRow | None = None


FORWARD_BACKWARD = ["gradient", "update"]
INDUCTION = ["trees", "induction"]
"""Phases in a labeller's ``seconds_`` that table 3.6 calls forward-backward and feature induction."""

TREATMENTS = {
    "instance_weighting": Drawing(IN_TREES["instance_weighting"], "#0072B2", "o", "-"),
    "surrogate_splitting": Drawing(IN_TREES["surrogate_splitting"], "#D55E00", "s", (0, (4, 1.2))),
    "imputation": Drawing(TRANSFORMS["imputation"], "#009E73", "^", (0, (6, 1.2, 1.2, 1.2))),
    "indicator": Drawing(TRANSFORMS["indicator"], "#CC79A7", "D", (0, (1.2, 1.2))),
    "imputation_indicator": Drawing(TRANSFORMS["imputation_indicator"], "#56B4E9", "P", (0, (1.2, 1.2, 4, 1.2))),
    "default_direction": Drawing(IN_TREES["default_direction"], "#000000", "v", (0, (3, 1, 1, 1, 1, 1))),
    "incorporated": Drawing(IN_TREES["incorporated"], "#E69F00", "X", (0, (2, 0.8))),
}
"""Treatments of missing values, in the order of lines and columns."""

_TREECRF = "treecrf.models.boosted.treecrf:TreeCRF"
_MALLET = "treecrf_studies.methods.java.mallet:MalletCRF"
_COMPLETE = {"missing": "error"}
_ITERATIONS = {"n_iterations": "n_iterations"}
_BOOSTING = {"n_iterations": "n_iterations", "max_leaves": "max_leaves", "order": "order"}
_NEURAL = {
    "kind": "neural_kinds",
    "width": "neural_widths",
    "n_layers": "neural_layers",
    "dropout": "neural_dropouts",
}
_NEWTON = OF_LIBRARY["treecrf_newton"].preset
_NEWTON_GRID = {
    "max_leaves": "newton_leaves",
    "l2_regularization": "newton_regularizations",
    "learning_rate": "newton_rates",
}
_WINDOW_BOOSTING = {"n_iterations": "n_iterations", "max_leaves": "max_leaves"}

METHODS = {
    "treecrf": Method(
        OF_LIBRARY["treecrf"],
        Drawing("TreeCRF", "#0072B2", "o", "-"),
        TrainingRow({"l2_regularization": "l2_regularizations"}, _BOOSTING, _COMPLETE, in_cost=True),
        FutureRow("crf", (1, 2, 3, 4), Drawing("TreeCRF", "#0072B2", "o", "-")),
    ),
    "treecrf_newton": Method(
        OF_LIBRARY["treecrf_newton"],
        Drawing("TreeCRF-Newton", "#882255", "p", (0, (5, 1, 1, 1))),
        TrainingRow(
            {**_NEWTON_GRID, "transitions": "newton_transitions"},
            {"n_iterations": "n_iterations", "order": "order"},
            _COMPLETE,
            in_cost=True,
        ),
    ),
    "treecrf_anchored": Method(
        Row(_TREECRF, False, _NEWTON),
        Drawing("TreeCRF-Newton (anchors)", "#882255", "$A$", (0, (5, 1, 1, 1, 1, 1))),
        TrainingRow(
            {**_NEWTON_GRID, "anchors": "anchors", "order": "anchored_orders"},
            _ITERATIONS,
            _COMPLETE,
            alone=("anchors", "anchored_orders"),
        ),
    ),
    "treecrf_original": Method(
        Row(_TREECRF, False, as_expert={"l2_regularization": 0.0}),
        Drawing("TreeCRF-2004", "#56B4E9", "h", (0, (5, 1))),
        TrainingRow({"max_leaves": "original_max_leaves"}, _BOOSTING, {"l2_regularization": 0.0, **_COMPLETE}),
    ),
    "treecrf_flat": Method(
        Row(_TREECRF, False, as_expert=None), Drawing("TreeCRF (flattened)", "#CC79A7", "8", (0, (3, 1.2)))
    ),
    "linear_crf": Method(
        OF_LIBRARY["linear_crf"],
        Drawing("linear CRF", "#000000", "D", (0, (1.2, 1.2))),
        TrainingRow({"variance": "variances"}, {"max_iterations": "n_iterations"}, {"features": "pairs"}, in_cost=True),
    ),
    "linear_crf_labels": Method(
        Row(
            "treecrf.models.linear.linear_crf:LinearCRF",
            False,
            as_expert={"features": "labels"},
            iterations="max_iterations",
        ),
        Drawing("linear CRF (label features)", "#999999", "$\u2665$", (0, (1.2, 2.4))),
        TrainingRow({"variance": "variances"}, {"max_iterations": "n_iterations"}, {"features": "labels"}),
    ),
    "induced_crf": Method(
        OF_LIBRARY["induced_crf"],
        Drawing("CRF with induction", "#009E73", "^", (0, (6, 1.2, 1.2, 1.2))),
        TrainingRow({"variance": "variances"}, _ITERATIONS, in_cost=True),
    ),
    "induced_crf_labels": Method(
        Row("treecrf.models.linear.induced_crf:InducedCRF", False, as_expert={"features": "labels"}),
        Drawing("CRF with induction (label features)", "#999999", "$\u2660$", (0, (6, 2, 1.2, 2))),
        TrainingRow({"variance": "variances"}, _ITERATIONS, {"features": "labels"}),
    ),
    "voted_perceptron": Method(OF_LIBRARY["voted_perceptron"]),
    "coded_crf": Method(
        Row(
            "treecrf_studies.methods.coding.coded_crf:CodedCRF",
            False,
            as_expert=None,
            iterations="code_length",
            start="fixed",
        )
    ),
    "kernel_crf": Method(
        Row("treecrf_studies.methods.kernel.kernel_crf:KernelCRF", iterations="max_iterations", start="random")
    ),
    "crfsuite": Method(OF_LIBRARY["crfsuite"]),
    "mallet": Method(
        Row(_MALLET, as_expert={"induction": True}),
        Drawing("MALLET", "#D55E00", "s", (0, (4, 1.2))),
        TrainingRow({"variance": "variances"}, _ITERATIONS, {"induction": True}, in_cost=True),
    ),
    "mallet_labels": Method(
        Row(_MALLET, False, as_expert={"induction": True, "features": "labels"}),
        Drawing("MALLET (label features)", "#999999", "$\u2663$", (0, (4, 2.4))),
        TrainingRow({"variance": "variances"}, _ITERATIONS, {"induction": True, "features": "labels"}),
    ),
    "mallet_linear": Method(
        Row(_MALLET, False, as_expert={"induction": False}),
        Drawing("MALLET (no induction)", "#E69F00", "P", (0, (3, 1, 1, 1, 1, 1))),
        TrainingRow({"variance": "variances"}, _ITERATIONS, {"induction": False}, in_cost=True),
    ),
    "smile": Method(
        Row("treecrf_studies.methods.java.smile:SmileCRF", start="fixed"),
        Drawing("SMILE", "#CC79A7", "v", (0, (6, 1, 1, 1, 1, 1))),
        TrainingRow({"max_leaves": "original_max_leaves"}, _ITERATIONS),
    ),
    "memm": Method(
        OF_LIBRARY["memm"],
        Drawing("MEMM", "#56B4E9", "X", (0, (2, 2))),
        TrainingRow({"l2_regularization": "memm_regularizations"}, _BOOSTING, _COMPLETE),
        FutureRow("memm", (1, 2, 3, 4), Drawing("MEMM", "#56B4E9", "X", (0, (2, 2)))),
    ),
    "sliding_window": Method(
        OF_LIBRARY["sliding_window"],
        Drawing("sliding window", "#E69F00", "<", (0, (1, 2))),
        TrainingRow(
            {"l2_regularization": "memm_regularizations"},
            _WINDOW_BOOSTING,
            {"order": 0, **_COMPLETE},
            class_path=_TREECRF,
        ),
        FutureRow("sliding_window", (), Drawing("sliding window", "#000000", "D", "none")),
    ),
    "neural_network": Method(
        OF_LIBRARY["neural_network"],
        Drawing("neural network", "#009E73", ">", (0, (2, 1))),
        TrainingRow(
            {"l2_regularization": "network_penalties"},
            {"n_hidden": "network_hidden", "n_epochs": "network_epochs"},
            alone=("network_hidden", "network_epochs", "network_windows"),
        ),
    ),
    "neural_crf": Method(
        OF_LIBRARY["neural_crf"],
        Drawing("neural CRF", "#0072B2", "$N$", (0, (7, 1, 1, 1))),
        TrainingRow(_NEURAL, {"n_epochs": "neural_epochs"}, {"window": (1, 1)}, alone=("neural_epochs",)),
    ),
    "neural_softmax": Method(
        Row(
            "treecrf.models.neural.neural_crf:NeuralCRF",
            False,
            {"order": 0},
            {"window": (1, 1), "order": 0},
            iterations="n_epochs",
            start="random",
        ),
        Drawing("neural softmax", "#56B4E9", "$S$", (0, (7, 2))),
        TrainingRow(_NEURAL, {"n_epochs": "neural_epochs"}, {"window": (1, 1), "order": 0}, alone=("neural_epochs",)),
    ),
    "lightgbm": Method(
        OF_LIBRARY["lightgbm"],
        Drawing("LightGBM", "#D55E00", "d", (0, (8, 2))),
        TrainingRow({"max_leaves": "lightgbm_leaves"}, _ITERATIONS),
    ),
    "stacking": Method(
        OF_LIBRARY["stacking"],
        Drawing("stacking", "#000000", "H", (0, (10, 2))),
        TrainingRow(
            {"n_iterations": "stacking_iterations"},
            {"experts": "stacking_experts", "n_folds": "stacking_folds"},
            {"combine": "stacking", **_COMPLETE},
            alone=("stacking_experts", "stacking_folds"),
        ),
    ),
    "trees_and_net": Method(
        Row(
            "treecrf.ensembles.labeller:Ensemble",
            False,
            {"experts": ("treecrf_newton", "neural_crf"), "combine": "marginal_average"},
            as_expert=None,
        ),
        Drawing("trees + net", "#009E73", "$+$", (0, (9, 1, 1, 1))),
        TrainingRow({"n_iterations": "stacking_iterations"}, fixed=_COMPLETE),
    ),
    "ff_memm": Method(
        Row("treecrf_studies.methods.future.future_memm:FutureFeatureMEMM", False, as_expert=None),
        future=FutureRow("ff_memm", (0, 1, 2, 3, 4), Drawing("FF-MEMM", "#D55E00", "s", (0, (4, 1.2)))),
    ),
    "ff_crf": Method(
        Row("treecrf_studies.methods.future.future_memm:FutureFeatureTreeCRF", False, as_expert=None),
        future=FutureRow("ff_crf", (1, 2, 3, 4), Drawing("FF-TreeCRF", "#009E73", "^", (0, (6, 1.2, 1.2, 1.2)))),
    ),
}
"""By the names that configurations give them, in the order of lines and columns."""

LABELLERS = {name: method.labeller for name, method in METHODS.items()}
OWN = {name: row for name, row in LABELLERS.items() if name not in OF_LIBRARY}
"""The labellers of all methods, and those that this package gives the library (`treecrf.models.registry.GROUP`)."""

CLASS_PATHS = {row.class_name: row.class_path for row in OWN.values() if row.class_path.startswith("treecrf_studies.")}
"""The classes of this package, by name."""

DRAWINGS = {name: method.drawing for name, method in METHODS.items() if method.drawing is not None}
TRAINING = {name: method.training for name, method in METHODS.items() if method.training is not None}
FUTURE = {method.future.family: method.future for method in METHODS.values() if method.future is not None}
"""The rows of the training study by method, and of the study of future features by family."""

WITH_NETWORKS = tuple(
    name for name, row in LABELLERS.items() if row.family == "neural" or "neural_crf" in row.preset.get("experts", ())
)
"""Labellers that need the extra "neural"."""

IN_JAVA = tuple(name for name in TRAINING if LABELLERS[name].family == "java")
"""Methods of the training study that need a Java virtual machine."""

COST = tuple(name for name, row in TRAINING.items() if row.in_cost)
OFFERED = tuple(name for name, row in LABELLERS.items() if row.is_offered)
"""Labellers whose cost is measured, and those that ``treecrf fit`` offers."""
