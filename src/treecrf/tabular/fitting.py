"""Training a labeller of tables, with the choice of the iteration by hold-out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from treecrf.ensembles.labeller import Ensemble
from treecrf.missing import Imputer, Indicator, transform_of
from treecrf.models.base import Labeller, Monitor
from treecrf.models.imputing import ImputingLabeller
from treecrf.models.loading import load_class
from treecrf.models.registry import IN_TREES, LABELLERS
from treecrf.sequences import SequenceSet
from treecrf.statistics.selection import hold_out


class Choice(NamedTuple):
    """The iteration that held-out sequences chose, the fraction of positions right after it, and their number."""

    iteration: int
    accuracy: float
    n_sequences: int


HARMLESS = ("n_threads", "n_bins", "min_count")
"""Settings that change nothing a user would miss where a method does not have them."""


def build(method: str, settings: dict[str, Any]) -> Labeller:
    """A labeller (of `treecrf.models.registry.TABLES`) with these settings and its preset or defaults for others.

    "iterations" stands for its number of iterations. A ValueError names a setting that the labeller does not have.
    """
    labeller = load_class(LABELLERS[method].class_path)(**LABELLERS[method].preset)
    known = labeller.get_params()
    for name, value in settings.items():
        known_as = iterations_name(labeller) if name == "iterations" else name
        if known_as not in known:
            raise ValueError(f"the method {method} has no {name}; leave that option out.")
        labeller.set_params(**{known_as: value})
    return labeller


def without_effect(method: str, settings: Mapping[str, Any]) -> list[str]:
    """Which of the settings a method does not have, and does not need (`HARMLESS`)."""
    known = load_class(LABELLERS[method].class_path)().get_params()
    return [name for name in settings if name in HARMLESS and name not in known]


def iterations_name(labeller: Labeller) -> str:
    """What a labeller calls its number of iterations."""
    name = type(labeller).__name__
    return next(row.iterations for row in LABELLERS.values() if row.class_name == name)


def n_reports(labeller: Labeller) -> int:
    """How often a training tells its monitor how far it is, at most."""
    if isinstance(labeller, Ensemble):
        return labeller.n_trainings
    if isinstance(labeller, ImputingLabeller):
        return n_reports(labeller.labeller)
    return int(labeller.get_params()[iterations_name(labeller)])


def choose_missing(method: str, missing: str) -> str:
    """What "auto" stands for: instance weighting for trees, imputation for others.

    Where nothing is missing both train what "error" would, and a model can then label a table with holes. A ValueError
    if the labeller has no such way.
    """
    has_trees = LABELLERS[method].family == "boosted"
    if missing == "auto":
        return "instance_weighting" if has_trees else "imputation"
    if missing in IN_TREES and not has_trees:
        raise ValueError(f"the method {method} has no trees and cannot do {missing}; choose imputation or indicator.")
    return missing


def handle_holes(labeller: Labeller, missing: str, train: SequenceSet) -> Imputer | Indicator | None:
    """Tell the labeller how to handle holes, or give what fills or marks them before it, fitted."""
    holes = transform_of(missing)
    if holes is not None:
        return holes.fit(train)
    if missing != "error":
        labeller.set_params(missing=missing)
    return None


def average(labellers: Sequence[Labeller], ways: Sequence[str]) -> Ensemble:
    """The mean of what labellers say, each with its own way with holes; not trained."""
    return Ensemble([with_way(*each) for each in zip(labellers, ways, strict=True)], combine="marginal_average")


def with_way(labeller: Labeller, missing: str) -> Labeller:
    """The labeller that handles holes so by itself."""
    if transform_of(missing) is not None:
        return ImputingLabeller(labeller, missing)
    return labeller if missing == "error" else labeller.set_params(missing=missing)


def parts_of(labeller: Labeller, data: SequenceSet) -> list[tuple[Labeller, SequenceSet]]:
    """The trained experts of an ensemble, or the labeller itself, and what each sees of a set."""
    if isinstance(labeller, Ensemble):
        return [part for expert in labeller.experts_ for part in parts_of(expert, data)]
    if isinstance(labeller, ImputingLabeller):
        return [(labeller.labeller_, labeller.fill(data))]
    return [(labeller, data)]


def fit(
    labeller: Labeller,
    train: SequenceSet,
    held_out: float,
    seed: int,
    follow: Callable[[str], Monitor],
) -> Choice | None:
    """Train on the whole set, with the number of iterations that held-out sequences choose.

    The labeller's number of iterations is the most; afterwards the chosen one. With `held_out` (a share of the
    sequences) 0 all iterations are done. In an ensemble the sequences held out train what combines the experts; with 0
    it is cross-fitted. `follow` gives the monitor of a training by its name.
    """
    choice = None
    if isinstance(labeller, Ensemble):
        labeller.set_params(held_out=held_out or None, seed=seed)
    elif held_out:
        fitted, judges = hold_out(train.groups, held_out, seed)
        labeller.fit(train.select(fitted), monitor=follow("choosing the number of iterations"))
        accuracy = labeller.staged_score(train.select(judges), ("forward_backward",))[:, 0]
        best = int(np.argmax(accuracy))
        choice = Choice(best + 1, float(accuracy[best]), len(judges))
        labeller.set_params(**{iterations_name(labeller): choice.iteration})
    labeller.fit(train, monitor=follow("training"))
    return choice
