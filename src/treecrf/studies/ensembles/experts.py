"""The labellers that the study combines, with the settings of the study: cheap enough to be trained many times."""

from __future__ import annotations

from treecrf.models.base import Labeller
from treecrf.models.boosted.memm import MEMM, SlidingWindow
from treecrf.models.boosted.treecrf import TreeCRF
from treecrf.models.linear.crfsuite import CRFSuite
from treecrf.models.linear.linear_crf import LinearCRF
from treecrf.models.linear.perceptron import VotedPerceptron
from treecrf.models.neural.neural_crf import NeuralCRF
from treecrf.models.window.classifiers import WindowLightGBM
from treecrf.studies.ensembles.settings import EnsemblesSettings

Window = tuple[int, int]


def make_expert(name: str, window: Window, settings: EnsemblesSettings) -> Labeller:
    """A labeller of `treecrf.studies.ensembles.methods.EXPERTS`, not trained."""
    trees = (settings.tree_iterations, settings.tree_leaves, settings.tree_regularization, window)
    if name == "separable":
        return TreeCRF(
            settings.newton_iterations, settings.newton_leaves, settings.newton_regularization, window, transitions="separable",
            leaf_values="newton", splits="subsets", learning_rate=settings.newton_rate,
        )  # fmt: skip
    if name == "linear_crf":
        return LinearCRF(
            settings.variance, window, features=settings.linear_features, max_iterations=settings.linear_iterations
        )
    if name == "crfsuite":
        return CRFSuite(settings.crfsuite_penalty, settings.crfsuite_iterations, window)
    if name == "perceptron":
        return VotedPerceptron(settings.n_epochs, window=window)
    if name == "lightgbm":
        return WindowLightGBM(settings.lightgbm_iterations, max_leaves=settings.lightgbm_leaves, window=window)
    if name == "neural_crf":
        return NeuralCRF(n_epochs=settings.neural_epochs, random_state=0)
    return {"treecrf": TreeCRF, "memm": MEMM, "sliding_window": SlidingWindow}[name](*trees)
