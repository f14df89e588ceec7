"""Classifiers that label each position from its window alone: a neural network and LightGBM."""

from __future__ import annotations

import inspect
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.compiled.struct import MOST_WEIGHT, SOME, WEIGHTS, Float64, struct
from treecrf.estimators.checks import FLAG, NOT_NEGATIVE, SECONDS, SEED, SHARE, SIZE, TEXT, optional, whole
from treecrf.inputs.anchors import AnchorSetting
from treecrf.inputs.binning import MOST_BINS
from treecrf.io.arrays import Arrays, Codes, Floats, Ints, in_units
from treecrf.io.messages import counted, needs_extra
from treecrf.io.process import check_memory
from treecrf.models.base import Monitor
from treecrf.models.chains import ChainLabeller, kept_stages
from treecrf.models.execution import draw_start
from treecrf.models.inputs import ClassWeight, refuse_missing, shares_of
from treecrf.models.window.features import Scale, n_window_numbers, see_windows, window_numbers
from treecrf.sequences import MISSING, SequenceSet, slot_sizes, window_codes, window_slots

if TYPE_CHECKING:
    from scipy.sparse import csr_array
    from sklearn.neural_network import MLPClassifier

MULTICLASS = {
    "objective": "multiclass",
    "num_threads": 1,
    "deterministic": True,
    "force_row_wise": True,  # otherwise LightGBM chooses by timing
    "verbosity": -1,
}
"""Settings with which trainings give the same bits."""

_TREE = re.compile(r"^Tree=(\d+)\n(.*?)\n\n", re.MULTILINE | re.DOTALL)
_OF_LEAVES = ("leaf_value", "leaf_weight", "leaf_count")
_OF_SPLITS = (
    "split_feature",
    "split_gain",
    "threshold",
    "decision_type",
    "left_child",
    "right_child",
    "internal_value",
    "internal_weight",
    "internal_count",
)
_REALS = {"leaf_value", "leaf_weight", "split_gain", "threshold", "internal_value", "internal_weight"}
_REAL, _WHOLE = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[-+][0-9]+)?"), re.compile(r"-?[0-9]{1,10}")
_THRESHOLD = re.compile(rf"{_REAL.pattern}|inf")
"""A test of whether a number is missing has an infinite threshold."""

_CATEGORICAL = 1
"""The bit of a decision type that tells of a set of categories."""


def check_model_text(text: str, n_labels: int, n_features: int) -> None:
    """Refuse a text that does not describe whole trees of these labels and features.

    Raises
    ------
    ValueError
        For a part that is not there or of another length, children that are no tree, features and sets of categories
        that are out of range, numbers that are not finite, and whatever a multiclass model without linear leaves does
        not have.
    """
    head, _, rest = text.partition("\n\n")
    fields = _fields("model_text", head.removeprefix("tree\n"))
    expected = {
        "version": "v4",
        "num_class": n_labels,
        "num_tree_per_iteration": n_labels,
        "label_index": 0,
        "max_feature_idx": n_features - 1,
        "objective": f"multiclass num_class:{n_labels}",
    }
    for name, value in expected.items():
        if fields[name] != str(value):
            raise ValueError(f"model_text has {name}={fields[name]}, not {value}")
    lists = {name: fields[name].split() for name in ("feature_names", "feature_infos", "tree_sizes")}
    if fields.keys() != expected.keys() | lists.keys() or not head.startswith("tree\n"):
        raise ValueError(f"model_text has the parts {', '.join(fields)}")
    if not len(lists["feature_names"]) == len(lists["feature_infos"]) == n_features:
        raise ValueError(f"model_text is not of {counted(n_features, 'feature')}")
    trees, _, _ = rest.partition("end of trees")
    blocks = list(_TREE.finditer(trees))
    sizes = [str(len(tree[0].encode()) + 1) for tree in blocks]
    if sizes != lists["tree_sizes"] or _TREE.sub("", trees).strip():
        raise ValueError("model_text has trees of other sizes than it says")
    if len(blocks) % n_labels or [int(tree[1]) for tree in blocks] != list(range(len(blocks))):
        raise ValueError("model_text has trees left out")
    for tree in blocks:
        name = f"tree {tree[1]} of model_text"
        _check_tree(name, _fields(name, tree[2]), n_features)


def _check_tree(name: str, fields: dict[str, str], n_features: int) -> None:
    n_leaves, n_sets = (int(_numbers(name, fields, part, 1)[0]) for part in ("num_leaves", "num_cat"))
    if n_leaves < 1 or n_sets < 0 or fields.get("is_linear") != "0":
        raise ValueError(f"{name} has {n_leaves} leaves, or linear ones")
    if n_leaves == 1:
        _numbers(name, fields, "leaf_value", 1)
        return
    numbers = {part: _numbers(name, fields, part, n_leaves) for part in _OF_LEAVES}
    numbers |= {part: _numbers(name, fields, part, n_leaves - 1) for part in _OF_SPLITS}
    features, types = numbers["split_feature"], numbers["decision_type"]
    if ((features < 0) | (features >= n_features) | (types < 0) | (types > 15)).any():
        raise ValueError(f"{name} tests features that there are not")
    # Every node but the root is a child once: splits as later numbers, which rules out circles, and leaves as ~number.
    children = np.concatenate([numbers["left_child"], numbers["right_child"]])
    every = np.concatenate([np.arange(-n_leaves, 0), np.arange(1, n_leaves - 1)])
    parents = np.tile(np.arange(n_leaves - 1), 2)
    if not np.array_equal(np.sort(children), every) or ((children >= 0) & (children <= parents)).any():
        raise ValueError(f"{name} has children that are no tree")
    is_set = (types.astype(np.int64) & _CATEGORICAL).astype(np.bool_)
    sets = numbers["threshold"][is_set]
    if ((sets < 0) | (sets >= n_sets) | (sets != np.floor(sets))).any():
        raise ValueError(f"{name} tests sets of categories that there are not")
    if n_sets:
        first = _numbers(name, fields, "cat_boundaries", n_sets + 1)
        words = _numbers(name, fields, "cat_threshold", int(first[-1]))
        if first[0] or (np.diff(first) <= 0).any() or ((words < 0) | (words >= 2**32)).any():
            raise ValueError(f"{name} has no such sets of categories")


def _numbers(name: str, fields: dict[str, str], part: str, length: int) -> Floats:
    texts = fields[part].split(" ")
    written = _THRESHOLD if part == "threshold" else _REAL if part in _REALS else _WHOLE
    if len(texts) != length or not all(map(written.fullmatch, texts)):
        raise ValueError(f"{name} has {len(texts)} numbers of {part}, not {length}, or others")
    numbers = np.array([float(text) for text in texts])
    if part == "leaf_value" and (np.abs(numbers) > MOST_WEIGHT).any():
        raise ValueError(f"{name} has numbers of {part} above {MOST_WEIGHT:g}")
    return numbers


def _fields(name: str, text: str) -> dict[str, str]:
    parts = [line.split("=", 1) for line in text.split("\n")]
    fields = {part[0]: part[-1] for part in parts}
    if len(fields) < len(parts):
        raise ValueError(f"{name} has a part twice")
    return fields


@struct
class Weights(NamedTuple):
    """The weights of a network with one hidden layer, after each epoch; without the leading axis, after one."""

    hidden: Annotated[
        Float64,
        "n_epochs, n_inputs, n_hidden",
        WEIGHTS,
        SOME,
        "Of what the network sees (`see_windows`) in each hidden unit.",
    ]
    hidden_bias: Annotated[Float64, "n_epochs, n_hidden", WEIGHTS]
    output: Annotated[Float64, "n_epochs, n_hidden, n_labels", WEIGHTS, "Of two labels the first one's weights are 0."]
    output_bias: Annotated[Float64, "n_epochs, n_labels", WEIGHTS]

    def after(self, epoch: int) -> Weights:
        """Those of one epoch, without the leading axis."""
        return Weights(*(part[epoch - 1] for part in self))


def copy_weights(network: MLPClassifier) -> Weights:
    """The weights that training has reached."""
    (hidden, output), (hidden_bias, output_bias) = network.coefs_, network.intercepts_
    # Of two labels scikit-learn scores the second one alone.
    n_unscored = int(network.n_outputs_ == 1)
    return Weights(
        hidden.copy(),
        hidden_bias.copy(),
        np.pad(output, ((0, 0), (n_unscored, 0))),
        np.pad(output_bias, (n_unscored, 0)),
    )


def score_cells(cells: csr_array, weights: Weights) -> Floats:
    """The output layer's sums, shape (n_positions, n_labels), for inputs of shape (n_positions, n_inputs)."""
    from scipy.special import expit

    return expit(cells @ weights.hidden + weights.hidden_bias) @ weights.output + weights.output_bias


RAREST = 1e-15
"""What LightGBM takes for the frequency of a label that does not occur."""

BINS_OF_CATEGORIES = 255
"""LightGBM's own number, for window codes."""

MOST_LEAVES = 131_072
"""The most leaves that LightGBM gives a tree."""


class WindowClassifier(ChainLabeller):
    """A labeller that gives every position the label of its window, whatever the labels of its neighbours.

    Positions whose label is not known are left out of training. Subclasses have the settings `window` and `unseen` and
    implement `_train`, `_staged_scores`, `_state` and `_restore`. `potentials` gives ``log P(label | window)``.

    Attributes
    ----------
    seconds_ : dict
        CPU seconds of `fit` by phase.
    """

    order = 0
    takes_numbers = True
    takes_unknown_labels = True
    takes_weights = True
    window: tuple[int, int]
    unseen: str

    def _staged_scores(self, data: SequenceSet, every: int | None) -> Iterator[Floats]:
        """Scores, shape (n_positions, n_labels), whose softmax is P(label | window), by stage as the potentials."""
        raise NotImplementedError

    def _staged_potentials(self, data: SequenceSet, every: int | None = None) -> Iterator[Floats]:
        aligned = self._aligned(data)
        for scores in self._staged_scores(aligned, every):
            yield log_softmax(scores).T[:, :, None]


@dataclass(eq=False, repr=False)
class NeuralNetwork(WindowClassifier):
    """Sliding-window neural network (Qian and Sejnowski 1988), trained by Adam.

    One layer of logistic hidden units sees one indicator for each cell of the window, that of a place outside the
    sequence included, and the numbers in the window, standardized (0 outside the sequence); the softmax of the output
    layer is P(label | window). Training is scikit-learn's ``MLPClassifier``, one pass over the training set, in an
    order of its own, to a stage.

    Parameters
    ----------
    n_hidden : int
        Number of hidden units.
    n_epochs : int
        Number of passes over the training set.
    l2_regularization : float
        Each batch adds half of it times the squared weights (biases excepted), divided by the size of the batch, to
        the mean loss.
    learning_rate : float
        Of Adam.
    batch_size : int
        Positions to an update of the weights, all of them if there are fewer.
    window : (int, int)
        Observations before and after the position that the network sees.
    unseen : "missing" or "error"
        What to do with a category that the training set's attributes do not name: with a warning, let its indicators
        all be 0, or refuse it.
    random_state : int
        Seed of the first weights and of the order of the positions.
    keep_stages : bool
        Whether the weights after every epoch are kept, for `staged_predict` and its kin; otherwise the last ones alone.
    min_count, anchors, class_weight : see `treecrf.models.base.Labeller`

    Attributes
    ----------
    weights_ : Weights
        After 1, 2, .. epochs, along a leading axis; unless `keep_stages`, after the last one alone.
    scale_ : Scale
        What the numbers are standardized with.
    seconds_ : dict
        CPU seconds of `fit` by phase: "windows", "update".
    """

    n_hidden: int = 40
    n_epochs: int = 50
    l2_regularization: float = 1e-4
    learning_rate: float = 1e-3
    batch_size: int = 200
    window: tuple[int, int] = (6, 6)
    unseen: str = "missing"
    random_state: int = 0
    min_count: int = 1
    class_weight: ClassWeight = None
    anchors: AnchorSetting = None
    keep_stages: bool = False

    _fitted_arrays: ClassVar = {"weights": Weights, "scale": Scale}

    _parameter_constraints: ClassVar = {
        "n_hidden": SIZE,
        "n_epochs": SIZE,
        "l2_regularization": NOT_NEGATIVE,
        "learning_rate": SHARE,
        "batch_size": SIZE,
        "random_state": SEED,
        "keep_stages": FLAG,
    }

    def _train(self, train: SequenceSet, labels: Codes, weights: Floats | None, monitor: Monitor | None) -> None:
        with needs_extra("rivals"):
            from sklearn.neural_network import MLPClassifier  # takes long to import, and training alone needs it
        from threadpoolctl import threadpool_limits

        seconds = {"windows": 0.0, "update": 0.0}
        began = time.thread_time()
        scale = Scale.of(train, weights)
        cells = see_windows(scale.apply(train), self.window)
        known, labels, weights = counted_positions(labels, weights)
        cells = cells if known is None else cells[known]
        check_memory(
            16 * (self.n_epochs if self.keep_stages else 1) * self.n_hidden * cells.shape[1],
            "the weights after every epoch" if self.keep_stages else "the weights",
            "give fewer n_epochs, a smaller window or a greater min_count",
        )
        seconds["windows"] = time.thread_time() - began
        network = MLPClassifier(
            (self.n_hidden,),
            activation="logistic",
            alpha=self.l2_regularization,
            learning_rate_init=self.learning_rate,
            batch_size=min(self.batch_size, len(labels)),
            # A generator, as a number would put the positions in the same order in every epoch.
            random_state=np.random.RandomState(np.random.PCG64(self.random_state)),
        )
        if weights is not None and "sample_weight" not in inspect.signature(network.partial_fit).parameters:
            raise ValueError("NeuralNetwork takes weights from scikit-learn 1.7 on; update it, or give no weights.")
        weighted = {} if weights is None else {"sample_weight": weights}
        classes = np.arange(len(train.label_names))
        epochs: list[Weights] = []
        # The products of small matrices gain nothing from threads, whose time would not be counted.
        with threadpool_limits(limits=1, user_api="blas"):
            for epoch in range(1, self.n_epochs + 1):
                began = time.thread_time()
                network.partial_fit(cells, labels, classes=classes, **weighted)
                if not self.keep_stages:
                    epochs.clear()
                epochs.append(copy_weights(network))
                seconds["update"] += time.thread_time() - began
                if monitor is not None:
                    log_likelihoods = log_softmax(score_cells(cells, epochs[-1]))[np.arange(len(labels)), labels]
                    monitor(
                        epoch,
                        dict(seconds),
                        float(log_likelihoods.sum() if weights is None else weights @ log_likelihoods),
                    )
        self.weights_ = Weights(*(np.array(parts) for parts in zip(*epochs, strict=True)))
        self.scale_, self.seconds_ = scale, seconds

    def _sizes(self) -> dict[str, Any]:
        n_cells, n_numbers = int(slot_sizes(self.attributes_, self.window).sum()), len(self.inputs_.number_names)
        return super()._sizes() | {
            "n_inputs": n_cells + n_window_numbers(n_numbers, self.window),
            "n_numbers": n_numbers,
        }

    def _staged_scores(self, data: SequenceSet, every: int | None) -> Iterator[Floats]:
        cells = see_windows(self.scale_.apply(data), self.window)
        for epoch in kept_stages(range(1, len(self.weights_.hidden) + 1), self.keep_stages, every):
            yield score_cells(cells, self.weights_.after(epoch))


@dataclass(eq=False, repr=False)
class WindowLightGBM(WindowClassifier):
    """Gradient boosting of multinomial deviance on windows (LightGBM; Ke et al. 2017).

    A window's slots are categorical features: a test sends a set of categories to one side, where a tree of TreeCRF
    tells one category from the others. Numbers are numerical features; they may be missing. Everything that is not
    named here is as the library has it.

    Parameters
    ----------
    n_iterations : int
        Number of boosting iterations, each one tree for each label.
    learning_rate : float
        What every tree is multiplied by.
    max_leaves : int
        Most leaves of a tree, at least 2.
    min_samples_leaf : int
        Fewest positions of a leaf.
    l2_regularization : float
        Of leaf values.
    window : (int, int)
        Observations before and after the position that the trees see.
    unseen : "missing" or "error"
        What to do with a category that the training set's attributes do not name: with a warning, let it fail every
        test, or refuse it.
    random_state : int or None
        None starts from the log frequencies of the labels. A seed adds to each one a number drawn from a normal
        distribution with standard deviation `start_noise`: near ties between splits fall otherwise, which shows how
        much of an accuracy is chance.
    start_noise : float
        Standard deviation of the perturbed start.
    n_bins, min_count, anchors, class_weight : see `treecrf.models.base.Labeller`

    Attributes
    ----------
    start_ : float64, shape (n_labels,)
        The scores at the start.
    model_text_ : str
        The trees, in LightGBM's text format.
    seconds_ : dict
        CPU seconds of `fit` by phase: "windows", "trees".
    """

    n_iterations: int = 100
    learning_rate: float = 0.1
    max_leaves: int = 31
    min_samples_leaf: int = 20
    l2_regularization: float = 0.0
    window: tuple[int, int] = (0, 0)
    unseen: str = "missing"
    random_state: int | None = None
    start_noise: float = 0.01
    n_bins: int = MOST_BINS
    min_count: int = 1
    class_weight: ClassWeight = None
    anchors: AnchorSetting = None

    _fitted_arrays: ClassVar = {"start": Annotated[Float64, "n_labels", WEIGHTS]}
    _fitted_values: ClassVar = {"model_text": TEXT, "seconds": SECONDS}

    _parameter_constraints: ClassVar = {
        "n_iterations": SIZE,
        "learning_rate": SHARE,
        "max_leaves": whole(2, MOST_LEAVES),
        "min_samples_leaf": SIZE,
        "l2_regularization": NOT_NEGATIVE,
        "random_state": optional(SEED),
        "start_noise": NOT_NEGATIVE,
    }

    def _train(self, train: SequenceSet, labels: Codes, weights: Floats | None, monitor: Monitor | None) -> None:
        with needs_extra("rivals"):
            import lightgbm  # takes long to import

        seconds = {"windows": 0.0, "trees": 0.0}
        began = time.thread_time()
        features, n_slots = self._features(train)
        known, labels, weights = counted_positions(labels, weights)
        features = features if known is None else features[known]
        unit = 1.0
        if weights is not None:
            unit, weights = in_units(weights)
            # LightGBM's bins, and its fewest positions of a leaf, look at no weights.
            if (weights == np.floor(weights)).all():
                copies = np.repeat(np.arange(len(labels)), weights.astype(np.int64))
                features, labels, weights = features[copies], labels[copies], None
        start = self._draw_start(labels, weights, len(train.label_names))
        parameters = self._parameters(len(train.label_names), unit)
        n_numbers = features.shape[1] - n_slots
        parameters["max_bin_by_feature"] = [BINS_OF_CATEGORIES] * n_slots + [self.n_bins] * n_numbers
        examples = lightgbm.Dataset(
            features,
            labels,
            weight=weights,
            init_score=np.tile(start, (len(labels), 1)),
            categorical_feature=list(range(n_slots)),
            params=parameters,
        )
        booster = lightgbm.Booster(parameters, examples)
        total = unit * (len(labels) if weights is None else float(weights.sum()))
        seconds["windows"] = time.thread_time() - began
        for iteration in range(1, self.n_iterations + 1):
            began = time.thread_time()
            booster.update()
            seconds["trees"] += time.thread_time() - began
            if monitor is not None:
                [(_, _, mean_loss, *_)] = booster.eval_train()
                monitor(iteration, dict(seconds), -total * float(mean_loss))
        self.start_, self.model_text_, self.seconds_ = start, booster.model_to_string(), seconds

    def _restore(self, values: dict[str, Any], arrays: Arrays) -> None:
        super()._restore(values, arrays)
        n_numbers = n_window_numbers(len(self.inputs_.number_names), self.window)
        n_features = len(slot_sizes(self.attributes_, self.window)) + n_numbers
        check_model_text(self.model_text_, len(self.label_names_), n_features)

    def _staged_scores(self, data: SequenceSet, every: int | None) -> Iterator[Floats]:
        with needs_extra("rivals"):
            import lightgbm

        booster = lightgbm.Booster(model_str=self.model_text_)
        features, _ = self._features(data)
        scores = np.zeros((len(features), len(self.start_)))
        n_grown = booster.current_iteration()  # one that found no split is not in the model, and adds 0
        n_iterations = self.n_iterations if every else max(n_grown, 1)
        for iteration in range(n_iterations):
            if iteration < n_grown:
                scores += booster.predict(
                    features, start_iteration=iteration, num_iteration=1, raw_score=True, num_threads=1
                )
            if (iteration + 1) % (every or n_iterations) == 0:
                yield scores + self.start_

    def shapley_values(self, data: SequenceSet, position: int) -> Floats:
        """What each feature of a position's window adds to its scores, and what they begin from.

        Parameters
        ----------
        data : SequenceSet
            As `align_inputs` gives it.
        position : int
            In the set.

        Returns
        -------
        float64, shape (n_labels, n_features + 1)
            Columns: slots of the window, then its numbers (`treecrf.models.window.features.window_numbers`), then the
            mean score over the training set. A row adds up to the score of its label.

        References
        ----------
        Lundberg et al. 2020, Nature Machine Intelligence 2, section "Tree SHAP".
        """
        with needs_extra("rivals"):
            import lightgbm

        booster = lightgbm.Booster(model_str=self.model_text_)
        features, _ = self._features(data)
        values = np.zeros((len(self.start_), features.shape[1] + 1))
        if booster.current_iteration():
            row = features[position : position + 1]
            values += np.reshape(booster.predict(row, pred_contrib=True, num_threads=1), values.shape)
        values[:, -1] += self.start_
        return values

    def _refuse_missing(self, data: SequenceSet) -> None:
        refuse_missing(data.with_numbers(np.empty((len(data.values), 0)), ()))

    def _features(self, data: SequenceSet) -> tuple[NDArray[Any], int]:
        """Window codes, then numbers, shape (n_positions, n_features); and how many of the columns are codes."""
        codes, numbers = window_codes(data, self.window), window_numbers(data, self.window)
        return (np.hstack([codes, numbers]) if numbers.size else codes), codes.shape[1]

    def _draw_start(self, labels: Codes, weights: Floats | None, n_labels: int) -> Floats:
        """The scores at the start, shape (n_labels,); LightGBM's own unless there is a seed."""
        counts = np.bincount(labels, weights, minlength=n_labels)
        frequencies = counts / counts.sum()
        start = np.log(np.maximum(frequencies, RAREST))
        return start + draw_start(n_labels, self.random_state, self.start_noise)

    def _parameters(self, n_labels: int, unit: float) -> dict[str, Any]:
        return {
            **MULTICLASS,
            "num_class": n_labels,
            "learning_rate": self.learning_rate,
            "num_leaves": self.max_leaves,
            "min_data_in_leaf": self.min_samples_leaf,
            "lambda_l2": self.l2_regularization / unit,
        }

    @property
    def feature_importances_(self) -> Floats:
        """The gain of all splits on each input, as a share of that on all inputs; in the order of `feature_names_in_`.

        Splits on anchored attributes, or that ask whether a place of the window is outside of the sequence, belong to
        no input.
        """
        self._check_fitted()
        with needs_extra("rivals"):
            import lightgbm

        gains = lightgbm.Booster(model_str=self.model_text_).feature_importance("gain")
        attribute_of = [slot.attribute for slot in window_slots(self.attributes_, self.window)]
        codes, numbers = np.split(gains, [len(attribute_of)])
        by_attribute = np.bincount(attribute_of, codes, len(self.attributes_))[: len(self.inputs_.sources)]
        by_number = numbers.reshape(sum(self.window) + 1, -1)[:, : len(self.inputs_.number_names)]
        return shares_of(np.concatenate([by_attribute, by_number.sum(axis=0)]))


def counted_positions(labels: Codes, weights: Floats | None) -> tuple[Ints | None, Codes, Floats | None]:
    """The positions whose label is known and whose weight is not 0 (None: all), their labels, and their weights."""
    counts = labels != MISSING if weights is None else (labels != MISSING) & (weights > 0)
    if counts.all():
        return None, labels, weights
    known = np.flatnonzero(counts)
    return known, labels[known], None if weights is None else weights[known]


def log_softmax(scores: Floats) -> Floats:
    """The logarithm of the softmax of every row, finite where the scores are; shape (n_positions, n_labels)."""
    return scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
