"""The labellers that the training study compares: their candidates, and how each is built."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from treecrf.models.base import Labeller
from treecrf.models.boosted.memm import MEMM
from treecrf.models.boosted.treecrf import TreeCRF
from treecrf.models.java.mallet import MalletCRF
from treecrf.models.java.smile import SmileCRF
from treecrf.models.linear.induced_crf import InducedCRF
from treecrf.models.linear.linear_crf import LinearCRF
from treecrf.models.window.classifiers import NeuralNetwork, WindowLightGBM
from treecrf.studies.custom import Candidate, OwnMethod, own_candidates
from treecrf.studies.training.settings import GRIDS, TrainingSettings

FORWARD_BACKWARD = ["gradient", "update"]
INDUCTION = ["trees", "induction"]
"""Phases of training that table 3.6 calls forward-backward and feature induction."""


class Method(NamedTuple):
    """A labeller of the study.

    Attributes
    ----------
    labeller : class
    chosen : str
        The setting that is chosen; its grid is the first of `GRIDS`.
    shared : callable
        `TrainingSettings` to the labeller's other settings.
    """

    labeller: type[Labeller]
    chosen: str
    shared: Callable[[TrainingSettings], dict[str, Any]]

    def build(
        self, settings: TrainingSettings, candidate: Candidate, window: tuple[int, int], seed: int | None
    ) -> Labeller:
        """A labeller with the settings of a candidate; a seed perturbs its start."""
        values = {"window": tuple(window), "unseen": settings.unseen} | self.shared(settings) | candidate
        return self.labeller(**values, **self._start(settings, seed))

    def _start(self, settings: TrainingSettings, seed: int | None) -> dict[str, Any]:
        if self.labeller is NeuralNetwork:  # it has no start but a random one
            return {"random_state": 0 if seed is None else seed + 1}
        if self.labeller is SmileCRF:  # it has no seed
            return {}
        return {"random_state": seed, "start_noise": settings.start_noise}


def _boosting(order: int | None = None, **fixed: Any) -> Callable[[TrainingSettings], dict[str, Any]]:
    return lambda settings: {
        "n_iterations": settings.n_iterations,
        "max_leaves": settings.max_leaves,
        "order": settings.order if order is None else order,
        **fixed,
    }


def _iterating(**fixed: Any) -> Callable[[TrainingSettings], dict[str, Any]]:
    return lambda settings: {"n_iterations": settings.n_iterations, **fixed}


METHODS: dict[str, Method] = {
    "treecrf": Method(TreeCRF, "l2_regularization", _boosting()),
    "treecrf_original": Method(TreeCRF, "max_leaves", _boosting(l2_regularization=0.0)),
    "linear_crf": Method(LinearCRF, "variance", lambda settings: {"max_iterations": settings.n_iterations}),
    "induced_crf": Method(InducedCRF, "variance", _iterating()),
    "mallet": Method(MalletCRF, "variance", _iterating(induction=True)),
    "mallet_linear": Method(MalletCRF, "variance", _iterating(induction=False)),
    "smile": Method(SmileCRF, "max_leaves", _iterating()),
    "memm": Method(MEMM, "l2_regularization", _boosting()),
    "sliding_window": Method(TreeCRF, "l2_regularization", _boosting(order=0)),
    "neural_network": Method(
        NeuralNetwork,
        "l2_regularization",
        lambda settings: {"n_hidden": settings.network_hidden, "n_epochs": settings.network_epochs},
    ),
    "lightgbm": Method(WindowLightGBM, "max_leaves", _iterating()),
}
"""By the names of `TrainingSettings.methods`."""


def find_method(method: str, settings: TrainingSettings) -> Method | OwnMethod:
    """A method of `METHODS`, or one of the settings' labellers."""
    return METHODS[method] if method in METHODS else OwnMethod(settings.labellers[method])


def candidates(method: str, settings: TrainingSettings) -> list[Candidate]:
    """What cross-validation chooses from, in the order of the grid."""
    if method not in METHODS:
        return own_candidates(settings.labellers[method])
    return [{METHODS[method].chosen: value} for value in getattr(settings, GRIDS[method][0])]
