"""`SmileCRF`: SMILE's own TreeCRF, driven through its Java API."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treecrf import chain
from treecrf.estimators.checks import POSITIVE, SIZE, whole
from treecrf.inputs.binning import MOST_BINS
from treecrf.io.arrays import Codes, Floats
from treecrf.models.base import Monitor
from treecrf.models.chains import ChainLabeller
from treecrf.models.inputs import Inputs
from treecrf.sequences import SequenceSet, slot_sizes, window_codes
from treecrf.trees.columns import build_columns
from treecrf.trees.forest import Evaluator, Forest, Tree, forest_limits, join_trees, make_tree
from treecrf_studies.methods.java.machine import start_java


@dataclass(eq=False, repr=False)
class SmileCRF(ChainLabeller):
    """The gradient tree boosted CRF of SMILE 3.1.1 (``smile.sequence.CRF``, after Dietterich 2004), of first order.

    SMILE grows the trees in a Java virtual machine, on window codes as nominal attributes and the previous label as one
    more; they are read out as trees of this package, so predictions, saving and loading need no Java.
    Forward-backward gives the labels of SMILE's ``CRF.predict``. Its ``CRF.viterbi`` is left alone: it adds ``exp(F)``
    along a sequence instead of F; Viterbi is this package's, with SMILE's trees. SMILE trains in one call, so a monitor
    is called once; it needs the last label to occur in the training set.

    Parameters
    ----------
    n_iterations : int
        Trees of each label.
    max_leaves : int
        Most leaves of a tree (SMILE: ``maxNodes``).
    shrinkage : float
        Factor on every tree.
    window : (int, int)
        Observations before and after the position that the trees see.
    max_depth : int
        Most nodes on the way from the root to a leaf, both counted.
    min_samples_leaf : int
        Fewest rows (position and previous label) of a leaf (SMILE: ``nodeSize``).
    unseen : "missing" or "error"
        What to do with a category that the training set's attributes do not name: with a warning, fail every test on
        it, or refuse it.
    n_bins : int
        Most bins that a number is cut into (`treecrf.inputs.binning.Binner`).
    min_count : int
        Categories that the training set has less often become one (`treecrf.models.inputs.Inputs`).

    Attributes
    ----------
    forest_ : Forest
        SMILE's trees, their values times `shrinkage`.
    seconds_ : dict
        CPU seconds of the whole process, Java's compiler and garbage collector included, by phase: "windows" (building
        SMILE's tuples), "trees" (its training).
    """

    n_iterations: int = 100
    max_leaves: int = 100
    shrinkage: float = 1.0
    window: tuple[int, int] = (0, 0)
    max_depth: int = 20
    min_samples_leaf: int = 5
    unseen: str = "missing"
    n_bins: int = MOST_BINS
    min_count: int = 1

    order = 1

    _fitted_arrays: ClassVar = {"forest": Forest}

    _parameter_constraints: ClassVar = {
        "n_iterations": SIZE,
        "max_leaves": whole(2),
        "shrinkage": POSITIVE,
        "max_depth": SIZE,
        "min_samples_leaf": SIZE,
    }

    def _train(self, train: SequenceSet, labels: Codes, weights: Floats | None, monitor: Monitor | None) -> None:
        if labels.max() + 1 < len(train.label_names):  # SMILE counts labels by the greatest code
            raise ValueError(
                f"label {train.label_names[-1]!r} does not occur in the training set, and SMILE needs the last one to; "
                "leave it out of the label names."
            )
        began = time.process_time()
        sequences = build_tuples(train, self.window)
        codes = [part.astype(np.int32) for part in np.split(labels, train.offsets[1:-1])]
        seconds = {"windows": time.process_time() - began}
        began = time.process_time()
        crf = train_crf(
            sequences, codes, self.n_iterations, self.max_depth, self.max_leaves, self.min_samples_leaf, self.shrinkage
        )
        seconds["trees"] = time.process_time() - began
        self.forest_, self.seconds_ = read_forest(crf, self.shrinkage), seconds
        if monitor is not None:
            self.inputs_, self.label_names_ = Inputs(train.attributes), train.label_names
            monitor(self.n_iterations, dict(seconds), float(self.log_likelihood(train).sum()))

    def _sizes(self) -> dict[str, Any]:
        n_labels = len(self.label_names_)
        return super()._sizes() | forest_limits(slot_sizes(self.attributes_, self.window), n_labels, self.order)

    def _restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        super()._restore(values, arrays)
        if not self.forest_.n_trees or self.forest_.n_trees % len(self.label_names_):
            raise ValueError(f"forest has {self.forest_.n_trees} trees of {len(self.label_names_)} labels")

    def _staged_potentials(self, data: SequenceSet, every: int | None = None) -> Iterator[NDArray[np.float64]]:
        n_labels = len(self.label_names_)
        n_trees = every * n_labels if every else self.forest_.n_trees
        aligned = self._aligned(data)
        space = chain.StateSpace(n_labels, self.order)
        columns = build_columns(window_codes(aligned, self.window), slot_sizes(aligned.attributes, self.window))
        evaluator = Evaluator(columns, space.labels_of_state, self.forest_.most_leaves)
        potentials = np.zeros((n_labels, data.n_positions, space.n_states))
        for end in range(n_trees, self.forest_.n_trees + 1, n_trees):
            evaluator.add_trees(self.forest_, end - n_trees, end, potentials)
            yield potentials


def build_tuples(data: SequenceSet, window: tuple[int, int]) -> list[list[Any]]:
    """SMILE's tuples (``smile.data.Tuple``) of the windows of every sequence; equal windows share one."""
    jpype = start_java()
    smile = jpype.JPackage("smile").data
    text, whole_number = jpype.JArray(jpype.JString), jpype.JArray(jpype.JInt)
    fields = []
    for slot, size in enumerate(slot_sizes(data.attributes, window).tolist()):
        scale = smile.measure.NominalScale(text([str(code) for code in range(size)]))
        fields.append(smile.type.StructField(f"slot {slot}", smile.type.DataTypes.IntegerType, scale))
    schema = smile.type.StructType(jpype.JArray(smile.type.StructField)(fields))
    windows, window_of = np.unique(window_codes(data, window).astype(np.int32), axis=0, return_inverse=True)
    tuples = [smile.Tuple.of(whole_number(row), schema) for row in windows]
    return [[tuples[i] for i in part] for part in np.split(window_of.reshape(-1), data.offsets[1:-1])]


def train_crf(
    sequences: list[list[Any]],
    labels: list[NDArray[np.int32]],
    n_iterations: int,
    max_depth: int,
    max_leaves: int,
    min_samples_leaf: int,
    shrinkage: float,
) -> Any:
    """Train ``smile.sequence.CRF``, which is returned, on the tuples and label codes of every sequence."""
    jpype = start_java()
    smile = jpype.JPackage("smile")
    row = jpype.JArray(smile.data.Tuple)
    return smile.sequence.CRF.fit(
        jpype.JArray(row)([row(sequence) for sequence in sequences]),
        jpype.JArray(jpype.JArray(jpype.JInt))([jpype.JArray(jpype.JInt)(part) for part in labels]),
        n_iterations,
        max_depth,
        max_leaves,
        min_samples_leaf,
        float(shrinkage),
    )


def read_forest(crf: Any, shrinkage: float) -> Forest:
    """The trees of a trained ``smile.sequence.CRF``, iteration by iteration, their values times `shrinkage`."""
    field = crf.getClass().getDeclaredField("potentials")
    field.setAccessible(True)
    by_label = field.get(crf)
    reader = _TreeReader()
    return join_trees(
        [
            reader.read(by_label[label][iteration].root(), shrinkage)
            for iteration in range(len(by_label[0]))
            for label in range(len(by_label))
        ]
    )


class _TreeReader:
    """Turns the nodes of SMILE's trees into lists of splits."""

    def __init__(self) -> None:
        nodes = start_java().JPackage("smile").base.cart
        self._split = nodes.NominalNode
        self._value = nodes.NominalNode.class_.getDeclaredField("value")
        self._value.setAccessible(True)

    def read(self, root: Any, shrinkage: float) -> Tree:
        """One tree: its columns and codes mean in SMILE what they mean in `Tree`."""
        parents, columns, codes, values = [], [], [], {}
        remaining = [(root, 0)]
        while remaining:
            node, leaf = remaining.pop()
            if isinstance(node, self._split):
                parents.append(leaf)
                columns.append(int(node.feature()))
                codes.append(int(self._value.getInt(node)))
                remaining += [(node.falseChild(), leaf), (node.trueChild(), len(parents))]
            else:
                values[leaf] = shrinkage * float(node.output())
        tree = make_tree(len(values))
        tree.parents[:], tree.columns[:], tree.codes[:] = parents, columns, codes
        tree.first_code[:] = np.arange(len(codes) + 1)
        tree.values[:] = [values[leaf] for leaf in range(len(values))]
        tree.gains[:] = np.nan  # SMILE does not tell
        return tree
