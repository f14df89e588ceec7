"""`MalletCRF`: the conditional random field of MALLET, with its feature induction, driven through its Java API."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treecrf.estimators.checks import FLAG
from treecrf.io.arrays import Codes, Floats
from treecrf.models.base import Monitor
from treecrf.models.linear.conjunctions import ConjunctionCRF, Conjunctions, Weights, boolean_cells
from treecrf.models.linear.linear_crf import Outcomes
from treecrf.sequences import SequenceSet, slot_sizes, window_codes
from treecrf.trees.columns import build_columns
from treecrf_studies.methods.java.machine import start_java

START = "START"
"""MALLET's name of the label before the first position, where pairs of labels have weights."""


@dataclass(eq=False, repr=False)
class MalletCRF(ConjunctionCRF):
    """MALLET's linear-chain CRF (McCallum 2002), with the feature induction of McCallum 2003 or without.

    MALLET 2.0.8 trains in a Java virtual machine; its weights are read after every iteration, so predictions, saving
    and loading need no Java. States are labels; the weights of their transitions follow from `features`:

    =========  =================================================  =================================================
    features   MALLET's call                                      weights
    =========  =================================================  =================================================
    "pairs"    ``addOrderNStates``, orders 1                      feature x (label before, label); each such pair
    "both"     ``addOrderNStates``, orders 0 and 1                these, feature x label, and each label
    "labels"   ``addFullyConnectedStatesForThreeQuarterLabels``   feature x label; each label, each pair of labels
    =========  =================================================  =================================================

    Each last label has a weight as well. With pairs the label before the first position is START, which no label leads
    to, as in ``SimpleTagger``, whose start is its default label. With "labels" the state before the first position is
    hidden: the weight of a first label sums it out. A feature has weights for the labels, or pairs, that it occurs
    with.

    MALLET's own ``trainWithFeatureInduction`` gives no weights to what it induces: the constructor of its CRF stops the
    growth of the alphabet, so that no conjunction can enter it, and nothing says that the weights' structure has
    changed, so that features chosen after the first round get none. Here every round is one call of that
    method, with the alphabet growing and the change announced.

    Where an iteration converges, or its line search fails, MALLET's round ends and the next one begins; after the
    last induction training ends.

    Parameters and attributes are those of `ConjunctionCRF`, and `induction` (bool), whether features are induced:
    without, all cells of the window are features from the start. ``conjunctions_`` are the basic cells, then what was
    induced, in the order of MALLET's alphabet. The CPU seconds are those of the whole process, Java's compiler and
    garbage collector included. A `random_state` of None is as MALLET does.
    """

    induction: bool = True

    _parameter_constraints: ClassVar = ConjunctionCRF._parameter_constraints | {"induction": FLAG}

    def _train(self, train: SequenceSet, labels: Codes, weights: Floats | None, monitor: Monitor | None) -> None:
        start_java()
        order, noise = self._draw_start(train)
        began = time.process_time()
        training = Training(train.select(order), self.window, self.variance, self.features)
        seconds = {"windows": time.process_time() - began, "gradient": 0.0, "induction": 0.0}
        if noise is not None:
            training.set_default_weights(noise)
        stages: list[NDArray[np.float64]] = []
        n_done = 0
        shares = self._shares() if self.induction else []
        for round_, share in enumerate([*shares, 1.0]):  # after the last induction all sequences train
            for _ in range(self._n_iterations(round_, len(shares), n_done)):
                began = time.process_time()
                n_before = training.n_iterations
                converged = training.iterate(share)
                seconds["gradient"] += time.process_time() - began
                if training.n_iterations > n_before:  # a line search that fails is no iteration
                    n_done += 1
                    if not self.keep_stages:
                        stages.clear()
                    stages.append(training.weights().joined())
                    if monitor is not None:
                        monitor(n_done, dict(seconds), training.log_likelihood(share))
                if converged:
                    break
            if round_ < len(shares):
                began = time.process_time()
                training.induce(share, self.features_per_induction, self.true_label_threshold)
                seconds["induction"] += time.process_time() - began
        if not stages:
            raise ValueError("MALLET's line search made no step from the start; change the variance or the start.")
        self.conjunctions_, self.stages_ = training.conjunctions(), stages
        self.seconds_, self.n_inductions_ = seconds, len(shares)

    def _draw_start(self, train: SequenceSet) -> tuple[NDArray[np.int64], NDArray[np.float64] | None]:
        """The order of the training sequences, of which MALLET's parts depend, and the weights to start from."""
        if self.random_state is None:
            return np.arange(len(train)), None
        rng, n_labels = np.random.default_rng(self.random_state), len(train.label_names)
        n_weights = n_labels**2 + (0 if self.features == "pairs" else n_labels)
        return rng.permutation(len(train)), rng.normal(0.0, self.start_noise, n_weights)


class Training:
    """MALLET's CRF, its trainer (``CRFTrainerByLabelLikelihood``) and its instances of a training set."""

    def __init__(self, train: SequenceSet, window: tuple[int, int], variance: float, features: str = "pairs") -> None:
        self._java = start_java()
        self._mallet = self._java.JPackage("cc").mallet
        self._window, self._n_labels, self._variance = window, len(train.label_names), float(variance)
        self._outcomes = Outcomes(self._n_labels, 1, features)
        self._cells = boolean_cells(train.attributes, window)
        self._features = self._mallet.types.Alphabet()
        for cell in self._cells:
            self._features.lookupIndex(str(cell), True)
        self._labels = self._mallet.types.LabelAlphabet()
        for label in range(self._n_labels):
            self._labels.lookupIndex(str(label), True)
        if self._outcomes.has_pairs:
            self._labels.lookupIndex(START, True)
        self.instances = self.build_instances(train)
        self.crf = self._mallet.fst.CRF(self._features, self._labels)
        self._add_states()
        self._features.startGrowth()  # which the constructor has stopped
        self.trainer = self._mallet.fst.CRFTrainerByLabelLikelihood(self.crf)
        self.trainer.setGaussianPriorVariance(self._variance)
        self._parts = {1.0: self.instances}

    @property
    def n_iterations(self) -> int:
        """Iterations that MALLET has finished."""
        return int(self.trainer.getIteration())

    def build_instances(self, data: SequenceSet) -> Any:
        """MALLET's instances of a data set with the attributes and labels of the training set."""
        types, jpype = self._mallet.types, self._java
        cells = build_columns(window_codes(data, self._window), slot_sizes(data.attributes, self._window)).cells
        feature_of = np.full(int(cells.max(initial=0)) + 1, -1, dtype=np.int32)
        known = self._cells[self._cells < len(feature_of)]
        feature_of[known] = np.arange(len(known))
        vectors = []
        for row in feature_of[cells]:
            features = row[row >= 0]
            n = len(features)
            vectors.append(
                types.AugmentableFeatureVector(
                    self._features, jpype.JArray(jpype.JInt)(features), None, n, n, False, False, False
                )
            )
        instances = types.InstanceList(self._features, self._labels)
        assert data.labels is not None
        for begin, end in zip(data.offsets[:-1], data.offsets[1:], strict=True):
            inputs = types.FeatureVectorSequence(jpype.JArray(types.FeatureVector)(vectors[begin:end]))
            outputs = types.LabelSequence(
                self._labels, jpype.JArray(jpype.JInt)(data.labels[begin:end].astype(np.int32))
            )
            instances.add(types.Instance(inputs, outputs, None, None))
        return instances

    def _add_states(self) -> None:
        """The states of the CRF, and what weights their transitions have."""
        if not self._outcomes.has_pairs:
            self.crf.addFullyConnectedStatesForThreeQuarterLabels(self.instances)
            return
        orders = self._java.JArray(self._java.JInt)([0, 1] if self._outcomes.n_extra else [1])
        never = self._java.JClass("java.util.regex.Pattern").compile(f".*,{START}")
        self.crf.addOrderNStates(self.instances, orders, None, START, never, None, True)
        for index in range(self.crf.numStates()):
            state = self.crf.getState(index)
            state.setInitialWeight(0.0 if str(state.getName()) == START else -np.inf)

    def set_default_weights(self, weights: NDArray[np.float64]) -> None:
        """Start from weights of labels, unless pairs alone have weights, then of pairs."""
        rows = np.concatenate([self._label_rows(), self.pair_rows().ravel()])
        for row, weight in zip(rows.tolist(), weights.tolist(), strict=True):
            self.crf.setDefaultWeight(row, weight)

    def iterate(self, share: float) -> bool:
        """One iteration of L-BFGS on a share of the training set; whether it is the round's last one."""
        # Where there are weights already, MALLET adds some of features that do not occur with a label; a start that is
        # perturbed is not to have others than one that is not.
        self.trainer.setUseSomeUnsupportedTrick(self.n_iterations > 0)
        return bool(self.trainer.train(self._part(share), 1))

    def induce(self, share: float, n_new: int, threshold: float) -> None:
        """Add the features that promise most on a share of the training set, with weights of 0."""
        # One round of MALLET's loop: its first one, which does not train, and 0 iterations after it.
        shares = None if share == 1.0 else self._java.JArray(self._java.JDouble)([share])
        self.trainer.trainWithFeatureInduction(
            self.instances, None, None, None, 1, 1, 1, n_new, float(threshold), False, shares
        )
        self.crf.weightsStructureChanged()  # which MALLET does not say

    def log_likelihood(self, share: float) -> float:
        """log P(Y | X) of a share of the training set, without the prior."""
        objective = self.trainer.getOptimizableCRF(self._part(share))
        buffer = self._java.JArray(self._java.JDouble)(int(objective.getNumParameters()))
        objective.getParameters(buffer)
        weights = np.array(buffer)
        weights = weights[np.isfinite(weights)]  # first states that are impossible have no prior
        return float(objective.getValue()) + float(weights @ weights) / (2 * self._variance)

    def weights(self) -> Weights:
        """The weights of the CRF; 0 where it has none."""
        defaults, factors = np.array(self.crf.getDefaultWeights()), self.crf.getParameters()
        n_labels, label_rows = self._n_labels, self._label_rows()
        transitions = defaults[self.pair_rows()]
        labels = defaults[label_rows] if len(label_rows) else np.zeros(n_labels)
        if self._outcomes.has_pairs:
            start_rows = self._rows_after(START)
            start = defaults[start_rows]
            outcome_rows = [*label_rows, *self.pair_rows().ravel(), *start_rows]
        else:
            # The state before the first position is any, and is not seen.
            initial = np.array(factors.initialWeights)
            start = np.logaddexp.reduce(initial[:, None] + transitions, axis=0)
            outcome_rows = [*label_rows]
        features = np.zeros((self._features.size(), self._outcomes.size))
        for outcome, row in enumerate(outcome_rows):
            vector = self.crf.getWeights(int(row))
            features[np.array(vector.getIndices()), outcome] = np.array(vector.getValues())
        return Weights(labels, transitions, start, np.array(factors.finalWeights)[:n_labels], features)

    def conjunctions(self) -> Conjunctions:
        """The features of MALLET's alphabet."""
        names = [str(self._features.lookupObject(i)) for i in range(self._features.size())]
        return Conjunctions.of([int(cell) for cell in name.split("_&_")] for name in names)

    def _part(self, share: float) -> Any:
        """The share of the instances that MALLET's loop takes."""
        if share not in self._parts:
            jpype = self._java
            shares = jpype.JArray(jpype.JDouble)([share, 1.0 - share])
            self._parts[share] = self.instances.split(jpype.JClass("java.util.Random")(1), shares)[0]
        return self._parts[share]

    def _label_rows(self) -> NDArray[np.int64]:
        """Where MALLET keeps the weights of each label; none where pairs alone have weights."""
        if self._outcomes.has_pairs and not self._outcomes.n_extra:
            return np.empty(0, dtype=np.int64)
        return np.array([self.crf.getWeightsIndex(str(label)) for label in range(self._n_labels)])

    def pair_rows(self) -> NDArray[np.int64]:
        """Where MALLET keeps the weights of each pair of labels, by previous label and label."""
        return np.array([self._rows_after(str(before)) for before in range(self._n_labels)])

    def _rows_after(self, before: str) -> NDArray[np.int64]:
        """Where MALLET keeps the weights of the pairs of a label before, or START, and each label."""
        link = "," if self._outcomes.has_pairs else "->"
        return np.array([self.crf.getWeightsIndex(f"{before}{link}{label}") for label in range(self._n_labels)])
