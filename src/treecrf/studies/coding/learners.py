"""The labellers of the study's methods, with the settings of the study."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from treecrf.models.base import Labeller
from treecrf.models.boosted.treecrf import TreeCRF
from treecrf.models.coding.coded_crf import CodedCRF
from treecrf.models.custom import CustomLabeller
from treecrf.models.linear.crfsuite import CRFSuite
from treecrf.models.linear.perceptron import VotedPerceptron
from treecrf.models.neural.neural_crf import NeuralCRF
from treecrf.studies.coding.methods import IID, Form
from treecrf.studies.coding.settings import CodingSettings
from treecrf.studies.framework.custom import custom_candidates

Window = tuple[int, int]


def make_coded(form: Form, window: Window, settings: CodingSettings, seed: int) -> CodedCRF:
    """A labeller of the bits of the longest code; all methods have the same code, which the seed decides."""
    base = _base(form, window, settings, order=0 if form.use == IID else 1)
    return CodedCRF(base, max(settings.code_lengths), form.history, seed, settings.cross_fit)


def make_beam(form: Form, window: Window, settings: CodingSettings, beam: int) -> Labeller:
    """A labeller of all labels that keeps the `beam` best of each position."""
    if form.learner == "vp":
        return VotedPerceptron(settings.n_epochs, beam, settings.early_update, window)
    return _base(form, window, settings, order=1).set_params(beam=beam, n_iterations=settings.beam_iterations)


def make_candidates(method: str, window: Window, settings: CodingSettings) -> Iterator[Labeller]:
    """Labellers of all labels, each with other settings; held-out sequences choose."""
    if method in settings.labellers:
        custom = settings.labellers[method]
        for candidate in custom_candidates(custom):
            yield CustomLabeller(custom.class_name, custom.settings | candidate, window)
    elif method == "perceptron":
        yield VotedPerceptron(settings.n_epochs, window=window)
    elif method == "crfsuite":
        for penalty in settings.crfsuite_penalties:
            yield CRFSuite(penalty, window=window)
    elif method == "neural_crf":
        for dropout in settings.neural_dropouts:
            yield NeuralCRF(dropout=dropout, n_epochs=settings.neural_epochs, window=window, random_state=0)
    else:
        grid = [getattr(settings, f"{method}_{name}") for name in ("leaves", "rates")]
        for splits, leaves, rate in product(settings.tree_splits, *grid):
            yield TreeCRF(
                settings.tree_iterations, leaves, settings.tree_regularization, window, transitions=method, leaf_values="newton",
                splits=splits, learning_rate=rate, label_dictionary=settings.label_dictionary,
            )  # fmt: skip


def chosen_values(method: str, labeller: Labeller) -> dict[str, Any]:
    """The settings of a labeller that were chosen, by name."""
    if isinstance(labeller, CustomLabeller):
        return dict(labeller.settings or {})
    names = {"crfsuite": ("c2",), "perceptron": (), "neural_crf": ("dropout",)}.get(
        method, ("splits", "max_leaves", "learning_rate")
    )
    return {name: getattr(labeller, name) for name in names}


def _base(form: Form, window: Window, settings: CodingSettings, order: int) -> Labeller:
    """The learner of the thesis."""
    if form.learner == "vp":
        return VotedPerceptron(settings.n_epochs, window=window, order=order)
    values = (settings.gtb_iterations, settings.gtb_leaves, settings.gtb_regularization, window)
    return TreeCRF(*values, order=order)
