"""The labellers of the study's methods, with the settings of the study."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from treecrf.models.base import Labeller
from treecrf.models.boosted.treecrf import TreeCRF
from treecrf.models.custom import CustomLabeller
from treecrf.models.kernel.forms import Form, KernelScores
from treecrf.models.kernel.kernel_crf import KernelCRF
from treecrf.models.kernel.objective import Primal
from treecrf.models.kernel.windows import Windows
from treecrf.models.linear.crfsuite import CRFSuite
from treecrf.models.linear.linear_crf import LinearCRF
from treecrf.models.neural.neural_crf import NeuralCRF
from treecrf.studies.framework.custom import custom_candidates
from treecrf.studies.kernels.methods import DEGREES, DUAL, PRIMAL
from treecrf.studies.kernels.primal import PrimalCRF
from treecrf.studies.kernels.settings import KernelsSettings

Window = tuple[int, int]


class NystroemCRF(KernelCRF):
    """Kernel CRF on the features of scikit-learn's Nystroem: `rank` pivots that are drawn evenly."""

    def _prepare(self, windows: Windows) -> Form:
        from sklearn.kernel_approximation import Nystroem

        inputs = windows.inputs()
        kernel = self._make_kernel(windows, inputs)
        total = kernel.scale + kernel.coef0
        nystroem = Nystroem(
            kernel="polynomial", degree=kernel.degree, gamma=1 / total, coef0=kernel.coef0 / total,
            n_components=min(self.rank or windows.n_windows, windows.n_windows), random_state=self.random_state,
        )  # fmt: skip
        features = np.ascontiguousarray(nystroem.fit_transform(inputs))
        self.form_ = "low_rank"
        support, normalization = windows.take(nystroem.component_indices_), nystroem.normalization_

        def scores(vector: Any) -> KernelScores:
            return KernelScores(kernel, support, normalization.T @ vector[0].reshape(features.shape[1], -1))

        return Form(Primal(features), scores)


def make_candidates(method: str, window: Window, settings: KernelsSettings) -> Iterator[Labeller]:
    """Labellers with other settings each, among which cross-validation chooses."""
    if method in settings.labellers:
        custom = settings.labellers[method]
        for candidate in custom_candidates(custom):
            yield CustomLabeller(custom.class_name, custom.settings | candidate, window)
    elif method == "crfsuite":
        for penalty in settings.crfsuite_penalties:
            yield CRFSuite(penalty, window=window)
    elif method == "treecrf":
        for penalty in settings.treecrf_regularizations:
            yield TreeCRF(settings.tree_iterations, settings.treecrf_leaves, penalty, window)
    elif method in ("separable", "full"):
        for leaves, rate in product(getattr(settings, f"{method}_leaves"), settings.tree_rates):
            yield TreeCRF(
                settings.tree_iterations, leaves, settings.tree_regularization, window, transitions=method, leaf_values="newton",
                splits="subsets", learning_rate=rate,
            )  # fmt: skip
    elif method == "neural_crf":
        of_pictures: dict[str, Any] = {"picture": settings.picture, "window": (0, 0), "width": 96, "batch_size": 64}
        more = {} if settings.picture is None else of_pictures
        for dropout in settings.neural_dropouts:
            yield NeuralCRF(dropout=dropout, n_epochs=settings.neural_epochs, **more)
    elif method == "linear_crf":
        for variance in settings.variances:
            yield LinearCRF(variance, window, features="labels")  # those of the kernel of degree 1
    else:
        for variance in settings.variances:
            yield make_kernel_crf(method, window, variance, settings)


def make_kernel_crf(method: str, window: Window, variance: float, settings: KernelsSettings, **more: Any) -> KernelCRF:
    """A kernel CRF, or the same model by CRFsuite or with a low rank; `more` are further settings of it."""
    degree = {**DEGREES, DUAL: 1, **PRIMAL}.get(method, 2)
    values: dict[str, Any] = {"coef0": settings.coef0, "transition_variance": settings.transition_variance}
    values |= {"degree": degree, "variance": variance, "window": window, "tolerance": settings.choosing_tolerance}
    if method == DUAL:
        values |= {"form": "matrix"}
    if method == "rbf":
        values |= {"kernel": "rbf"}
    if method in ("low_rank", "nystroem"):
        values |= {"rank": settings.rank}
    labeller = {"nystroem": NystroemCRF, "primal": PrimalCRF, "conjunctions": PrimalCRF}.get(method, KernelCRF)
    return labeller(**(values | more))


def chosen_values(method: str, labeller: Labeller) -> dict[str, Any]:
    """The settings of a labeller that were chosen, by name."""
    if isinstance(labeller, CustomLabeller):
        return dict(labeller.settings or {})
    names = {
        "crfsuite": ("c2",), "treecrf": ("l2_regularization",), "separable": ("max_leaves", "learning_rate"),
        "full": ("max_leaves", "learning_rate"), "neural_crf": ("dropout",),
    }.get(method, ("variance",))  # fmt: skip
    return {name: getattr(labeller, name) for name in names}
