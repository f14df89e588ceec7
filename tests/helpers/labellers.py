"""A small labeller of every kind, and the sets that they are trained and asked with."""

import numpy as np
from builders import number_set

from treecrf import (
    MEMM,
    CRFSuite,
    Ensemble,
    InducedCRF,
    LinearCRF,
    NeuralCRF,
    NeuralNetwork,
    SlidingWindow,
    StackedSequential,
    TreeCRF,
    VotedPerceptron,
    WindowLightGBM,
)
from treecrf.models.custom import CustomLabeller
from treecrf.models.pipelines import DerivingLabeller, ImputingLabeller
from treecrf.sequences import Attribute, SequenceSet

TREES = {"n_iterations": 3, "max_leaves": 4}
LABELLERS = {
    "TreeCRF": lambda: TreeCRF(**TREES, window=(1, 1)),
    "TreeCRF of order 2": lambda: TreeCRF(**TREES, order=2),
    "TreeCRF of subsets and Newton leaves": lambda: TreeCRF(
        **TREES, splits="subsets", leaf_values="newton", learning_rate=0.5
    ),
    "TreeCRF of a sample": lambda: TreeCRF(**TREES, row_fraction=0.6, feature_fraction=0.5, random_state=1),
    "TreeCRF, separable": lambda: TreeCRF(**TREES, window=(1, 0), transitions="separable"),
    "TreeCRF, separable with a dictionary": lambda: TreeCRF(
        **TREES, transitions="separable", label_dictionary="letter"
    ),
    "TreeCRF with a dictionary": lambda: TreeCRF(**TREES, label_dictionary="letter"),
    "TreeCRF, separable, of a sample": lambda: TreeCRF(
        **TREES, transitions="separable", row_fraction=0.6, feature_fraction=0.5
    ),
    "TreeCRF with a dictionary, of a sample": lambda: TreeCRF(
        **TREES, label_dictionary="letter", row_fraction=0.6, feature_fraction=0.5
    ),
    "TreeCRF, separable, incorporated": lambda: TreeCRF(**TREES, transitions="separable", missing="incorporated"),
    "TreeCRF with a beam": lambda: TreeCRF(**TREES, beam=2),
    "TreeCRF, Newton leaves, with a beam": lambda: TreeCRF(**TREES, leaf_values="newton", learning_rate=0.3, beam=2),
    "TreeCRF, separable, with a beam": lambda: TreeCRF(
        **TREES, transitions="separable", leaf_values="newton", learning_rate=0.3, beam=2
    ),
    "TreeCRF, dictionary, with a beam": lambda: TreeCRF(**TREES, label_dictionary="letter", beam=2),
    "TreeCRF, separable, dictionary, with a beam": lambda: TreeCRF(
        **TREES, transitions="separable", label_dictionary="letter", beam=2
    ),
    "TreeCRF, incorporated": lambda: TreeCRF(**TREES, missing="incorporated"),
    "TreeCRF with anchors": lambda: TreeCRF(**TREES, window=(1, 1), anchors=(1, 2, ("letter",))),
    "LinearCRF with anchors": lambda: LinearCRF(max_iterations=5, anchors=(0, 2)),
    "InducedCRF with anchors": lambda: InducedCRF(n_iterations=5, anchors=(0, 2)),
    "VotedPerceptron with anchors": lambda: VotedPerceptron(n_epochs=2, anchors=(0, 2)),
    "CRFSuite with anchors": lambda: CRFSuite(max_iterations=5, anchors=(0, 2)),
    "NeuralNetwork with anchors": lambda: NeuralNetwork(n_epochs=2, batch_size=20, anchors=(0, 2)),
    "WindowLightGBM with anchors": lambda: WindowLightGBM(n_iterations=3, anchors=(1, 1)),
    "MEMM": lambda: MEMM(**TREES),
    "SlidingWindow": lambda: SlidingWindow(**TREES),
    "LinearCRF": lambda: LinearCRF(max_iterations=5, window=(1, 0)),
    "LinearCRF of both features": lambda: LinearCRF(max_iterations=5, features="both"),
    "InducedCRF": lambda: InducedCRF(n_iterations=5),
    "VotedPerceptron": lambda: VotedPerceptron(n_epochs=2),
    "CRFSuite": lambda: CRFSuite(max_iterations=5),
    "NeuralNetwork": lambda: NeuralNetwork(n_epochs=2, batch_size=20, window=(1, 1)),
    "NeuralCRF": lambda: NeuralCRF(width=6, n_epochs=3, dropout=0.1, held_out=None),
    "NeuralCRF, convolution": lambda: NeuralCRF(
        kind="convolution", order=0, width=6, n_layers=2, n_epochs=2, held_out=None
    ),
    "WindowLightGBM": lambda: WindowLightGBM(n_iterations=3),
    "Ensemble": lambda: Ensemble(experts=("linear_crf", "sliding_window"), n_iterations=2, n_folds=2),
    "StackedSequential": lambda: StackedSequential(TreeCRF(**TREES, window=(1, 0)), n_folds=2),
    "ImputingLabeller": lambda: ImputingLabeller(TreeCRF(**TREES)),
    "DerivingLabeller": lambda: DerivingLabeller(TreeCRF(**TREES), columns=("letter",), affixes=1),
    "CustomLabeller": lambda: CustomLabeller(class_name="treecrf:WindowLightGBM", settings={"n_iterations": 3}),
}
TRAIN, TEST = (number_set(seed, 30, 2, longest=8) for seed in (0, 1))


class Silent:
    """A labeller of somebody's own with the least that it needs: all labels are as likely."""

    def fit(self, train):
        self.shape = len(train.label_names)

    def predict_proba(self, data):
        return np.full((data.n_positions, self.shape), 1 / self.shape)


def small_set(seed=0, n_sequences=12):
    """Sequences of five symbols, each the code of its label."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, 5 * n_sequences)
    attributes = (Attribute("symbol", ("a", "b", "c")),)
    return SequenceSet(labels[:, None], np.arange(0, len(labels) + 1, 5), attributes, labels, ("x", "y", "z"))
