"""The objective of kernel CRFs over explicit features: by CRFsuite's L-BFGS, and of scikit-learn's Nystroem."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.io.messages import needs_extra
from treecrf.models.base import Monitor
from treecrf.sequences import SequenceSet
from treecrf_studies.methods.kernel.forms import Form, KernelScores, monomial_features
from treecrf_studies.methods.kernel.kernel_crf import KernelCRF
from treecrf_studies.methods.kernel.objective import Chains, Objective, Primal
from treecrf_studies.methods.kernel.windows import Standards, Windows


class NystroemCRF(KernelCRF):
    """Kernel CRF on the features of scikit-learn's Nystroem: `rank` pivots that are drawn evenly."""

    def _prepare(self, windows: Windows) -> Form:
        from sklearn.kernel_approximation import Nystroem

        inputs = windows.inputs()
        kernel = self._make_kernel(windows, inputs)
        total = kernel.scale + kernel.coef0
        nystroem = Nystroem(
            kernel="polynomial",
            degree=kernel.degree,
            gamma=1 / total,
            coef0=kernel.coef0 / total,
            n_components=min(self.rank or windows.n_windows, windows.n_windows),
            random_state=self.random_state,
        )
        features = np.ascontiguousarray(nystroem.fit_transform(inputs))
        self.form_ = "low_rank"
        support, normalization = windows.take(nystroem.component_indices_), nystroem.normalization_

        def scores(vector: Any) -> KernelScores:
            return KernelScores(kernel, support, normalization.T @ vector[0].reshape(features.shape[1], -1))

        return Form(Primal(features), scores)


LEAST_SUM = -1e300
"""CRFsuite leaves out features whose values sum to less over the positions of a label; numbers may be negative."""


class PrimalCRF(KernelCRF):
    """The objective of `KernelCRF` in its form "monomials", minimized by CRFsuite's L-BFGS.

    CRFsuite has one penalty for all weights, so `transition_variance` has to be 1: then ``c2 = 1 / (2 variance)`` makes
    the objectives equal. `tolerance` is CRFsuite's own.
    """

    def _train(
        self,
        train: SequenceSet,
        labels: NDArray[np.int16],
        weights: NDArray[np.float64] | None,
        monitor: Monitor | None,
    ) -> None:
        if self.transition_variance != 1:
            raise ValueError(
                f"transition_variance={self.transition_variance}: CRFsuite has one variance for all weights; give 1."
            )
        began = time.thread_time()
        standards = Standards.of(train)
        windows = Windows.of(standards.apply(train), self.window)
        scores_with, features = monomial_features(self._make_kernel(windows, windows.inputs()), windows)
        items = _items(features)
        found, seconds = run_crfsuite(items, windows.window_of, labels, train.offsets, 1 / (2 * self.variance))
        n_labels = len(train.label_names)
        learnt, transitions = found.dense(features.shape[1], n_labels)
        self.seconds_ = {"windows": time.thread_time() - began - seconds, "update": seconds}
        chains = Chains(windows.window_of, labels.copy(), train.offsets.copy(), windows.n_windows, n_labels)
        objective = Objective(Primal(features), chains, self.variance, self.transition_variance)
        evaluation = objective.evaluate(np.ascontiguousarray(features @ learnt), transitions)
        penalty = float((learnt**2).sum() + (transitions**2).sum()) / (2 * self.variance)
        self.objective_ = penalty - evaluation.log_likelihood
        self.objective_history_ = np.array([self.objective_])
        self.form_, self.standards_ = "monomials", standards
        self.scores_, self.transition_weights_ = scores_with(learnt), transitions


class Found(NamedTuple):
    """What CRFsuite has learnt: weights by (attribute, label) and by (label before, label), names as text."""

    states: dict[tuple[str, str], float]
    transitions: dict[tuple[str, str], float]

    def dense(self, n_features: int, n_labels: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The same as arrays, shapes (n_features, n_labels) and (n_labels, n_labels)."""
        weights, transitions = np.zeros((n_features, n_labels)), np.zeros((n_labels, n_labels))
        for found, array in ((self.states, weights), (self.transitions, transitions)):
            for (row, column), weight in found.items():
                array[int(row), int(column)] = weight
        return weights, transitions


def run_crfsuite(
    items: list[dict[str, float]],
    window_of: NDArray[np.int32],
    labels: NDArray[np.int16],
    offsets: NDArray[np.int64],
    penalty: float,
) -> tuple[Found, float]:
    """Train CRFsuite on sequences whose position t has the features ``items[window_of[t]]``; also CPU seconds of its
    search.
    """
    with needs_extra("rivals"):
        import pycrfsuite

    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params(
        {"c2": penalty, "max_iterations": 1000, "feature.possible_states": True, "feature.possible_transitions": True}
        | {"feature.minfreq": LEAST_SUM}
    )
    names = labels.astype(str).tolist()
    for first, last in pairwise(offsets):
        trainer.append([items[window] for window in window_of[first:last]], names[first:last])
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "model"))
        began = time.thread_time()
        trainer.train(path)
        seconds = time.thread_time() - began
        tagger = pycrfsuite.Tagger()
        tagger.open(path)
        info = tagger.info()
        tagger.close()
    return Found(dict(info.state_features), dict(info.transitions)), seconds


def _items(features: Any) -> list[dict[str, float]]:
    """The features of each window by their numbers as text; those that are 0 are left out."""
    return list(_each_item(features))


def _each_item(features: Any) -> Iterator[dict[str, float]]:
    from scipy.sparse import csr_array

    rows = csr_array(features)
    names = [str(number) for number in range(rows.shape[1])]
    for first, last in pairwise(rows.indptr):
        yield {
            names[column]: float(value)
            for column, value in zip(rows.indices[first:last], rows.data[first:last], strict=True)
        }
