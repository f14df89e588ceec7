"""The catalogue of methods: labellers, their looks in figures, and the studies that they are in.

It loads no labeller.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from treecrf.models.registry import IN_TREES, TRANSFORMS, Row
from treecrf.models.registry import LABELLERS as OF_LIBRARY

_NOTHING: Mapping[str, Any] = MappingProxyType({})


OTHER = ("#4d4d4d", "*", (0, (1, 1)))
"""Colour, marker and line style of a method that gives none."""


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


class Entry(NamedTuple):
    """A labeller in a study.

    Attributes
    ----------
    grid : mapping
        The labeller's settings that the study chooses, to the study's settings with the candidates for each.
    taken : mapping
        The labeller's other settings to the study's settings with their values.
    fixed : mapping
        The labeller's settings that the study does not vary.
    alone : tuple of str
        Further settings of the study that no other labeller looks at.
    class_path : str or None
        Another class than the row's.
    in_cost : bool
        Of the training study: whether the cost study measures it too.
    transform : str
        Of the study of missing values: what fills or marks missing cells for it (`treecrf.missing.transform_of`).
    name, color : str
        What readers see in this study; the method's drawing has them otherwise.
    drawing : Drawing or None
        All of its look in this study, where it is another.
    orders : tuple of int
        Of the study of future features: a configuration asks for one of them, after the name; without orders the name
        has none, and the order is 0.
    place : int
        Entries of a lower place stand before others in tables, those of the same one as in this catalogue.
    """

    grid: Mapping[str, str] = _NOTHING
    taken: Mapping[str, str] = _NOTHING
    fixed: Mapping[str, Any] = _NOTHING
    alone: tuple[str, ...] = ()
    class_path: str | None = None
    in_cost: bool = False
    transform: str = ""
    name: str = ""
    color: str = ""
    drawing: Drawing | None = None
    orders: tuple[int, ...] = ()
    place: int = 0

    @property
    def settings(self) -> frozenset[str]:
        """The study's settings that the labeller looks at."""
        return frozenset((*self.grid.values(), *self.taken.values(), *self.alone))


class Method(NamedTuple):
    """A method of the studies.

    Attributes
    ----------
    labeller : Row
    drawing : Drawing or None
        In the figures and tables of the studies.
    training, future, missing, coding, kernels, ensembles : Entry or None
        What it is in these studies; None: it is not in them.
    """

    labeller: Row
    drawing: Drawing | None = None
    training: Entry | None = None
    future: Entry | None = None
    missing: Entry | None = None
    coding: Entry | None = None
    kernels: Entry | None = None
    ensembles: Entry | None = None


N_NETS = 3
"""Nets of "trees_and_nets" in the study of output coding."""

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
_KERNEL_CRF = "treecrf_studies.methods.kernel.kernel_crf:KernelCRF"
_PRIMAL = "treecrf_studies.methods.kernel.explicit:PrimalCRF"
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
_ONE_NET = {"dropout": "neural_dropouts"}
_EPOCHS = {"n_epochs": "neural_epochs"}
_NEIGHBOURS = {"window": (1, 1)}
_TREES = {"n_iterations": "tree_iterations", "max_leaves": "tree_leaves", "l2_regularization": "tree_regularization"}
_ITERATED_TREES = {"n_iterations": "tree_iterations", "l2_regularization": "tree_regularization"}
_ORDERS = (1, 2, 3, 4)
_PENALTIES = {"c2": "crfsuite_penalties"}
_VARIANCES = {"variance": "variances"}
_KERNEL = {
    "coef0": "coef0",
    "transition_variance": "transition_variance",
    "tolerance": "choosing_tolerance",
}


def _kernel_crf(name: str, taken: Mapping[str, str] = _NOTHING, class_path: str = _KERNEL_CRF, **fixed: Any) -> Method:
    """A kernel CRF of the study of kernels, or the same objective by other means."""
    row = Row(_KERNEL_CRF, False, as_expert=None, iterations="max_iterations", start="random")
    return Method(row, kernels=Entry(_VARIANCES, {**_KERNEL, **taken}, fixed, ("tolerance",), class_path, name=name))


def _newton_trees(transitions: str, ensembles: Entry | None = None) -> Method:
    """TreeCRF with subsets and Newton leaves, as other studies than that of training have it."""
    name, leaves, stages = f"TreeCRF-Newton ({transitions})", f"{transitions}_leaves", ("test_every",)
    grid = {"splits": "tree_splits", "max_leaves": leaves, "learning_rate": f"{transitions}_rates"}
    taken = {**_ITERATED_TREES, "label_dictionary": "label_dictionary"}
    kernels = Entry(
        {"max_leaves": leaves, "learning_rate": "tree_rates"}, _ITERATED_TREES, _COMPLETE, stages, name=name
    )
    return Method(
        Row(_TREECRF, False, {"transitions": transitions, "leaf_values": "newton", "splits": "subsets"}, None),
        coding=Entry(grid, taken, _COMPLETE, stages, name=name),
        kernels=kernels,
        ensembles=ensembles,
    )


def _treatment(name: str) -> Entry:
    """A treatment of missing values in TreeCRF, with the trees of the papers."""
    settings = ("max_leaves", "order", "scale_gain", "either_polarity", "all_missing", "unseen_missing")
    return Entry(
        {"l2_regularization": "l2_regularizations"},
        {"n_iterations": "n_iterations"} | {each: each for each in settings},
        {"missing": name if name in IN_TREES else "error"},
        class_path=_TREECRF,
        transform=name if name in TRANSFORMS else "",
    )


METHODS = {
    "treecrf": Method(
        OF_LIBRARY["treecrf"],
        Drawing("TreeCRF", "#0072B2", "o", "-"),
        Entry({"l2_regularization": "l2_regularizations"}, _BOOSTING, _COMPLETE, in_cost=True),
        Entry(orders=_ORDERS),
        kernels=Entry(
            {"l2_regularization": "treecrf_regularizations"},
            {"n_iterations": "tree_iterations", "max_leaves": "treecrf_leaves"},
            _COMPLETE,
            alone=("test_every",),
            place=1,
        ),
        ensembles=Entry(taken=_TREES, fixed=_COMPLETE),
    ),
    "treecrf_newton": Method(
        OF_LIBRARY["treecrf_newton"],
        Drawing("TreeCRF-Newton", "#882255", "p", (0, (5, 1, 1, 1))),
        Entry(
            {**_NEWTON_GRID, "transitions": "newton_transitions"},
            {"n_iterations": "n_iterations", "order": "order"},
            _COMPLETE,
            in_cost=True,
        ),
    ),
    "treecrf_anchored": Method(
        Row(_TREECRF, False, _NEWTON),
        Drawing("TreeCRF-Newton (anchors)", "#882255", "$A$", (0, (5, 1, 1, 1, 1, 1))),
        Entry(
            {**_NEWTON_GRID, "anchors": "anchors", "order": "anchored_orders"},
            _ITERATIONS,
            _COMPLETE,
        ),
    ),
    "treecrf_original": Method(
        Row(_TREECRF, False, as_expert={"l2_regularization": 0.0}),
        Drawing("TreeCRF-2004", "#56B4E9", "h", (0, (5, 1))),
        Entry({"max_leaves": "original_max_leaves"}, _BOOSTING, {"l2_regularization": 0.0, **_COMPLETE}),
    ),
    "treecrf_flat": Method(
        Row(_TREECRF, False, as_expert=None), Drawing("TreeCRF (flattened)", "#CC79A7", "8", (0, (3, 1.2)))
    ),
    "primal": _kernel_crf("linear CRF (primal)", class_path=_PRIMAL, degree=1),
    "dual": _kernel_crf("linear CRF (dual)", degree=1, form="matrix"),
    "degree_1": _kernel_crf("kernel CRF (degree 1)", degree=1),
    "degree_2": _kernel_crf("kernel CRF (degree 2)", degree=2),
    "degree_3": _kernel_crf("kernel CRF (degree 3)", degree=3),
    "rbf": _kernel_crf("kernel CRF (RBF)", kernel="rbf"),
    "conjunctions": _kernel_crf("conjunctions (primal)", class_path=_PRIMAL, degree=2),
    "low_rank": _kernel_crf("kernel CRF (low rank)", {"rank": "rank"}, degree=2),
    "nystroem": _kernel_crf(
        "kernel CRF (Nyström)", {"rank": "rank"}, "treecrf_studies.methods.kernel.explicit:NystroemCRF", degree=2
    ),
    "linear_crf": Method(
        OF_LIBRARY["linear_crf"],
        Drawing("linear CRF", "#000000", "D", (0, (1.2, 1.2))),
        Entry(_VARIANCES, {"max_iterations": "n_iterations"}, {"features": "pairs"}, in_cost=True),
        kernels=Entry(_VARIANCES),
        ensembles=Entry(
            taken={"variance": "variance", "features": "linear_features", "max_iterations": "linear_iterations"}
        ),
    ),
    "linear_crf_labels": Method(
        Row(
            "treecrf.models.linear.linear_crf:LinearCRF",
            False,
            as_expert={"features": "labels"},
            iterations="max_iterations",
        ),
        Drawing("linear CRF (label features)", "#999999", "$\u2665$", (0, (1.2, 2.4))),
        Entry(_VARIANCES, {"max_iterations": "n_iterations"}, {"features": "labels"}),
    ),
    "induced_crf": Method(
        OF_LIBRARY["induced_crf"],
        Drawing("CRF with induction", "#009E73", "^", (0, (6, 1.2, 1.2, 1.2))),
        Entry(_VARIANCES, _ITERATIONS, in_cost=True),
    ),
    "induced_crf_labels": Method(
        Row("treecrf.models.linear.induced_crf:InducedCRF", False, as_expert={"features": "labels"}),
        Drawing("CRF with induction (label features)", "#999999", "$\u2660$", (0, (6, 2, 1.2, 2))),
        Entry(_VARIANCES, _ITERATIONS, {"features": "labels"}),
    ),
    "voted_perceptron": Method(OF_LIBRARY["voted_perceptron"]),
    "crfsuite": Method(
        OF_LIBRARY["crfsuite"],
        coding=Entry(_PENALTIES, name="linear CRF (CRFsuite)"),
        kernels=Entry(_PENALTIES, name="CRFsuite"),
        ensembles=Entry(taken={"c2": "crfsuite_penalty", "max_iterations": "crfsuite_iterations"}, name="CRFsuite"),
    ),
    "perceptron": Method(
        OF_LIBRARY["voted_perceptron"],
        coding=Entry(taken={"n_epochs": "n_epochs"}, name="perceptron"),
        ensembles=Entry(taken={"n_epochs": "n_epochs"}, name="averaged perceptron"),
    ),
    "separable": _newton_trees(
        "separable",
        Entry(
            taken={
                "n_iterations": "newton_iterations",
                "max_leaves": "newton_leaves",
                "l2_regularization": "newton_regularization",
                "learning_rate": "newton_rate",
            },
            fixed=_COMPLETE,
            name="TreeCRF-Newton (separable)",
            place=-1,
        ),
    ),
    "full": _newton_trees("full"),
    "coded_crf": Method(
        Row(
            "treecrf_studies.methods.coded_crf:CodedCRF",
            False,
            as_expert=None,
            iterations="code_length",
            start="fixed",
        )
    ),
    "kernel_crf": Method(
        Row("treecrf_studies.methods.kernel.kernel_crf:KernelCRF", iterations="max_iterations", start="random")
    ),
    "mallet": Method(
        Row(_MALLET, as_expert={"induction": True}),
        Drawing("MALLET", "#D55E00", "s", (0, (4, 1.2))),
        Entry(_VARIANCES, _ITERATIONS, {"induction": True}, in_cost=True),
    ),
    "mallet_labels": Method(
        Row(_MALLET, False, as_expert={"induction": True, "features": "labels"}),
        Drawing("MALLET (label features)", "#999999", "$\u2663$", (0, (4, 2.4))),
        Entry(_VARIANCES, _ITERATIONS, {"induction": True, "features": "labels"}),
    ),
    "mallet_linear": Method(
        Row(_MALLET, False, as_expert={"induction": False}),
        Drawing("MALLET (no induction)", "#E69F00", "P", (0, (3, 1, 1, 1, 1, 1))),
        Entry(_VARIANCES, _ITERATIONS, {"induction": False}, in_cost=True),
    ),
    "smile": Method(
        Row("treecrf_studies.methods.java.smile:SmileCRF", start="fixed"),
        Drawing("SMILE", "#CC79A7", "v", (0, (6, 1, 1, 1, 1, 1))),
        Entry({"max_leaves": "original_max_leaves"}, _ITERATIONS),
    ),
    "memm": Method(
        OF_LIBRARY["memm"],
        Drawing("MEMM", "#56B4E9", "X", (0, (2, 2))),
        Entry({"l2_regularization": "memm_regularizations"}, _BOOSTING, _COMPLETE),
        Entry(orders=_ORDERS),
        ensembles=Entry(taken=_TREES, fixed=_COMPLETE),
    ),
    "sliding_window": Method(
        OF_LIBRARY["sliding_window"],
        Drawing("sliding window", "#E69F00", "<", (0, (1, 2))),
        Entry(
            {"l2_regularization": "memm_regularizations"},
            _WINDOW_BOOSTING,
            {"order": 0, **_COMPLETE},
            class_path=_TREECRF,
        ),
        Entry(drawing=Drawing("sliding window", "#000000", "D", "none")),
        ensembles=Entry(taken=_TREES, fixed=_COMPLETE),
    ),
    "neural_network": Method(
        OF_LIBRARY["neural_network"],
        Drawing("neural network", "#009E73", ">", (0, (2, 1))),
        Entry(
            {"l2_regularization": "network_penalties"},
            {"n_hidden": "network_hidden", "n_epochs": "network_epochs"},
            alone=("network_windows",),
        ),
    ),
    "neural_crf": Method(
        OF_LIBRARY["neural_crf"],
        Drawing("neural CRF", "#0072B2", "$N$", (0, (7, 1, 1, 1))),
        Entry(_NEURAL, _EPOCHS, _NEIGHBOURS),
        missing=Entry(_ONE_NET, _EPOCHS, _NEIGHBOURS, color="#7F7F7F"),
        coding=Entry(_ONE_NET, _EPOCHS),
        kernels=Entry(_ONE_NET, {**_EPOCHS, "picture": "picture"}, _NEIGHBOURS, place=1),
        ensembles=Entry(taken=_EPOCHS, fixed=_NEIGHBOURS, place=1),
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
        Entry(_NEURAL, _EPOCHS, {**_NEIGHBOURS, "order": 0}),
    ),
    "lightgbm": Method(
        OF_LIBRARY["lightgbm"],
        Drawing("LightGBM", "#D55E00", "d", (0, (8, 2))),
        Entry({"max_leaves": "lightgbm_leaves"}, _ITERATIONS),
        ensembles=Entry(taken={"n_iterations": "lightgbm_iterations", "max_leaves": "lightgbm_leaves"}),
    ),
    "stacking": Method(
        OF_LIBRARY["stacking"],
        Drawing("stacking", "#000000", "H", (0, (10, 2))),
        Entry(
            {"n_iterations": "stacking_iterations"},
            {"experts": "stacking_experts", "n_folds": "stacking_folds"},
            {"combine": "stacking", **_COMPLETE},
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
        Entry({"n_iterations": "stacking_iterations"}, fixed=_COMPLETE),
    ),
    "trees_and_nets": Method(
        Row("treecrf.ensembles.labeller:Ensemble", False, {"combine": "marginal_average"}, as_expert=None),
        coding=Entry(
            alone=(
                *("tree_iterations", "tree_regularization", "tree_splits", "label_dictionary", "averaged_window"),
                *("separable_leaves", "separable_rates", "neural_dropouts", "neural_epochs"),
            ),
            name=f"trees + {N_NETS} nets",
        ),
    ),
    "ff_memm": Method(
        Row("treecrf_studies.methods.future.future_memm:FutureFeatureMEMM", False, as_expert=None),
        future=Entry(drawing=Drawing("FF-MEMM", "#D55E00", "s", (0, (4, 1.2))), orders=(0, *_ORDERS)),
    ),
    "ff_crf": Method(
        Row("treecrf_studies.methods.future.future_memm:FutureFeatureTreeCRF", False, as_expert=None),
        future=Entry(drawing=Drawing("FF-TreeCRF", "#009E73", "^", (0, (6, 1.2, 1.2, 1.2))), orders=_ORDERS),
    ),
}
"""By the names that configurations give them, in the order of lines and columns."""

LABELLERS = {name: method.labeller for name, method in METHODS.items()}
OWN = {name: row for name, row in LABELLERS.items() if name not in OF_LIBRARY}
"""The labellers of all methods, and those that this package gives the library (`treecrf.models.registry.GROUP`)."""

CLASS_PATHS = {row.class_name: row.class_path for row in OWN.values() if row.class_path.startswith("treecrf_studies.")}
"""The classes of this package, by name."""

DRAWINGS = {name: method.drawing for name, method in METHODS.items() if method.drawing is not None}


def _entries(of: Callable[[Method], Entry | None]) -> dict[str, Entry]:
    """The methods of a study, in the order of its tables."""
    entries = {name: entry for name, method in METHODS.items() if (entry := of(method)) is not None}
    return dict(sorted(entries.items(), key=lambda item: item[1].place))


TRAINING = _entries(lambda method: method.training)
CODING = _entries(lambda method: method.coding)
KERNELS = _entries(lambda method: method.kernels)
ENSEMBLES = _entries(lambda method: method.ensembles)
MISSING = {name: _treatment(name) for name in TREATMENTS} | _entries(lambda method: method.missing)
"""The methods of studies. Those of missing values are treatments of TreeCRF, then other labellers."""

_CRF = "crf"
"""TreeCRF in the study of future features, where an order follows the name."""

FUTURE = {_CRF if name == "treecrf" else name: row for name, row in _entries(lambda method: method.future).items()}
"""The labellers of the study of future features, without the order."""


def _method(name: str) -> Method:
    """A method of a study; of a treatment of missing values TreeCRF."""
    return METHODS["treecrf" if name in TREATMENTS or name == _CRF else name]


def row_of(method: str) -> Row:
    """The labeller of a method; of a treatment of missing values TreeCRF."""
    return _method(method).labeller


def drawing_of(method: str, entries: Mapping[str, Entry]) -> Drawing:
    """How readers see a method in a study; of a treatment of missing values see `TREATMENTS`."""
    entry = entries[method]
    drawing = entry.drawing or _method(method).drawing or Drawing(method, *OTHER)
    return drawing._replace(name=entry.name or drawing.name, color=entry.color or drawing.color)


def names_of(entries: Mapping[str, Entry]) -> dict[str, str]:
    """What readers see of the methods of a study."""
    return {method: drawing_of(method, entries).name for method in entries}


def unused_settings(method: str, entries: Mapping[str, Entry]) -> set[str]:
    """The settings of a study that other methods look at, and this one does not."""
    own = entries[method].settings if method in entries else frozenset()
    return {name for entry in entries.values() for name in entry.settings} - own


WITH_NETWORKS = tuple(
    name for name, row in LABELLERS.items() if row.family == "neural" or "neural_crf" in row.preset.get("experts", ())
)
"""Labellers that need the extra "neural"."""

IN_JAVA = tuple(name for name in TRAINING if LABELLERS[name].family == "java")
"""Methods of the training study that need a Java virtual machine."""

COST = tuple(name for name, row in TRAINING.items() if row.in_cost)
OFFERED = tuple(name for name, row in LABELLERS.items() if row.is_offered)
"""Labellers whose cost is measured, and those that ``treecrf fit`` offers."""

_OF_STUDIES = {
    "training": TRAINING,
    "cost": {name: TRAINING[name] for name in COST},
    "missing": MISSING,
    "future": FUTURE,
    "coding": CODING,
    "kernels": KERNELS,
    "ensembles": ENSEMBLES,
}


class MethodCode(NamedTuple):
    """What decides a method of a study: its rows in this catalogue as text, and the modules of its classes."""

    rows: str
    modules: tuple[str, ...]


def code_of_methods(study: str, method: str = "") -> MethodCode:
    """The code of a method of a study, or of all; none of one that is built by the study alone.

    A method that trains others counts as all.
    """
    entries = _OF_STUDIES[study]
    name = method if method in entries else method.rpartition("_")[0]  # with the order of a chain
    is_all = not method or (name in entries and row_of(name).family == "ensembles")
    rows = [(each, row_of(each), entry) for each, entry in entries.items() if is_all or each == name]
    paths = {entry.class_path or row.class_path for _, row, entry in rows}
    return MethodCode(repr(rows) if rows else "", tuple(sorted({path.partition(":")[0] for path in paths})))
