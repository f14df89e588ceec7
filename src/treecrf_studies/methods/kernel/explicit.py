"""The objective of kernel CRFs over explicit features: by CRFsuite's L-BFGS, and of scikit-learn's Nystroem."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treecrf.models.base import Monitor
from treecrf.models.linear.crfsuite import run_crfsuite
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
        items, n_labels = _items(features), len(train.label_names)
        settings = {"c2": 1 / (2 * self.variance), "max_iterations": 1000, "feature.minfreq": LEAST_SUM}
        learnt, transitions, seconds = run_crfsuite(
            [items[window] for window in windows.window_of],
            labels,
            train.offsets,
            (features.shape[1], n_labels),
            settings,
        )
        self.seconds_ = {"windows": time.thread_time() - began - seconds, "update": seconds}
        chains = Chains(windows.window_of, labels.copy(), train.offsets.copy(), windows.n_windows, n_labels)
        objective = Objective(Primal(features), chains, self.variance, self.transition_variance)
        evaluation = objective.evaluate(np.ascontiguousarray(features @ learnt), transitions)
        penalty = float((learnt**2).sum() + (transitions**2).sum()) / (2 * self.variance)
        self.objective_ = penalty - evaluation.log_likelihood
        self.objective_history_ = np.array([self.objective_])
        self.form_, self.standards_ = "monomials", standards
        self.scores_, self.transition_weights_ = scores_with(learnt), transitions


def _items(features: Any) -> list[dict[str, float]]:
    """The features of each window by their numbers as text; those that are 0 are left out."""
    from scipy.sparse import csr_array

    rows = csr_array(features)
    columns, values = rows.indices.astype(str).tolist(), rows.data.tolist()
    return [dict(zip(columns[first:last], values[first:last], strict=True)) for first, last in pairwise(rows.indptr)]
