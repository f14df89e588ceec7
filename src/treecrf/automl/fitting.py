"""Options of a training, the labeller that they ask for, and its training with the iteration that held-out sequences
choose.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.automl.evaluation import estimate
from treecrf.ensembles.labeller import Ensemble
from treecrf.ensembles.sequential import untrained
from treecrf.io.arrays import gather_ranges
from treecrf.missing import Imputer, Indicator, transform_of
from treecrf.models.base import Labeller, Monitor
from treecrf.models.boosted.treecrf import TreeCRF
from treecrf.models.persistence import load_class
from treecrf.models.pipelines import DerivingLabeller, ImputingLabeller, TransformingLabeller
from treecrf.models.registry import IN_TREES, find, labellers
from treecrf.sequences import MISSING, SequenceSet, window_slots
from treecrf.statistics.metrics import Accuracy
from treecrf.statistics.selection import hold_out

AUTO = "auto"
"""Method, window or treatment of missing cells that is to be chosen."""

HARMLESS = ("n_threads", "n_bins", "min_count")
"""Settings that change nothing a user would miss where a method does not have them."""


@dataclass(frozen=True)
class FitOptions:
    """What a user asks of a training.

    Parameters
    ----------
    method : str
        `AUTO`, or a labeller of `treecrf.models.registry.offered`.
    window : (int, int), optional
        Observations before and after a position; a few are tried unless given.
    missing : str
        `AUTO`, "error", or a treatment (`treecrf.models.registry.IN_TREES`, `treecrf.models.registry.TRANSFORMS`).
    derive : tuple of str, optional
        Blocks of derived inputs (`treecrf.inputs.BLOCKS`); whether there are any is chosen unless given.
    settings : mapping
        Others that were decided, by the labellers' names; "iterations" stands for the number of iterations.
    held_out : float
        Share of the sequences that first choose the number of iterations.
    budget : float
        CPU seconds for choosing, as `treecrf.automl.candidates.estimate_seconds` tells them.
    n_threads : int
    seed : int
    """

    method: str = AUTO
    window: tuple[int, int] | None = None
    missing: str = AUTO
    derive: tuple[str, ...] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    held_out: float = 0.0
    budget: float = 40.0
    n_threads: int = 1
    seed: int = 0

    def described(self) -> dict[str, str]:
        """As texts by name, those of the threads left out, which change no result."""
        named = {name: getattr(self, name) for name in ("method", "window", "missing", "derive", "held_out")}
        named |= {"budget": f"{self.budget:g}", "seed": self.seed, **self.settings}
        return {name: str(value) for name, value in named.items() if value is not None and name != "n_threads"}

    @property
    def chooses(self) -> bool:
        """Whether method or window are chosen by cross-validation."""
        return self.method == AUTO or self.window is None

    def used_settings(self, method: str) -> dict[str, Any]:
        """The settings without those that the method neither has nor needs (`HARMLESS`)."""
        known = load_class(find(method).class_path)().get_params()
        return {name: value for name, value in self.settings.items() if name in known or name not in HARMLESS}

    def build(self) -> tuple[Labeller, str]:
        """The labeller that was asked for, not trained, and its treatment of missing cells.

        Raises
        ------
        ValueError
            If it does not have a setting, the treatment or the choice of its iterations.
        """
        settings = {"iterations": 100} | self.used_settings(self.method) | {"window": self.window}
        labeller = build(self.method, settings)
        missing = resolve_missing(self.method, self.missing)
        if self.held_out and not (labeller.has_stages or "held_out" in labeller.get_params()):
            raise ValueError(f"the method {self.method} gives its last iteration alone; leave --held-out out.")
        self.prepare(labeller, self.method)
        return labeller, missing

    def prepare(self, labeller: Labeller, method: str) -> None:
        """Set threads and seed, where the labeller has them."""
        if "n_threads" in labeller.get_params():
            labeller.set_params(n_threads=self.n_threads)
        if find(method).start == "random":
            labeller.set_params(random_state=self.seed)


def build(method: str, settings: Mapping[str, Any]) -> Labeller:
    """A labeller (of `treecrf.models.registry.offered`) with these settings and its preset or defaults for others.

    "iterations" stands for its number of iterations. A ValueError names a setting that the labeller does not have.
    """
    row = find(method)
    labeller = load_class(row.class_path)(**row.preset)
    known = labeller.get_params()
    for name, value in settings.items():
        known_as = iterations_name(labeller) if name == "iterations" else name
        if known_as not in known:
            raise ValueError(f"the method {method} has no {name}; leave that option out.")
        labeller.set_params(**{known_as: value})
    return labeller


def iterations_name(labeller: Labeller) -> str:
    """What a labeller, or the one in a pipeline, calls its number of iterations."""
    name = type(innermost(labeller)).__name__
    return next(row.iterations for row in labellers().values() if row.class_name == name)


def innermost(labeller: Labeller) -> Labeller:
    """The labeller behind all transforms of its inputs."""
    return innermost(labeller.labeller) if isinstance(labeller, TransformingLabeller) else labeller


def n_reports(labeller: Labeller) -> int:
    """How often a training tells its monitor how far it is, at most."""
    if isinstance(labeller, Ensemble):
        return labeller.n_trainings
    return int(innermost(labeller).get_params()[iterations_name(labeller)])


# --- missing cells and ensembles --------------------------------------------------------------------


def resolve_missing(method: str, missing: str) -> str:
    """What `AUTO` stands for: instance weighting for trees, imputation for others.

    Where nothing is missing both train what "error" would, and a model can then label a table with missing cells. A
    ValueError if the labeller has no such treatment.
    """
    family = find(method).family
    has_trees = family == "boosted"
    if missing == AUTO and family == "neural":
        return "error"  # missing cells are inputs like others
    if missing == AUTO:
        return "instance_weighting" if has_trees else "imputation"
    if missing in IN_TREES and not has_trees:
        raise ValueError(f"the method {method} has no trees and cannot do {missing}; choose imputation or indicator.")
    return missing


def prepare_missing(labeller: Labeller, missing: str, train: SequenceSet) -> Imputer | Indicator | None:
    """Tell the labeller how to treat missing cells, or give what imputes or marks them before it, fitted."""
    transform = transform_of(missing)
    if transform is not None:
        return transform.fit(train)
    _treat(labeller, missing)
    return None


def with_missing(labeller: Labeller, missing: str) -> Labeller:
    """The labeller that treats missing cells so by itself."""
    if transform_of(missing) is not None:
        return ImputingLabeller(labeller, missing)
    return _treat(labeller, missing)


def _treat(labeller: Labeller, missing: str) -> Labeller:
    """The labeller, told how to treat missing cells if it has trees; others refuse them or see them as inputs."""
    has_trees = hasattr(labeller, "missing") and not isinstance(labeller, TransformingLabeller)
    return labeller.set_params(missing=missing) if has_trees or missing != "error" else labeller


def with_derived(labeller: Labeller, missing: str, blocks: Sequence[str] | None) -> tuple[Labeller, str]:
    """The labeller that derives blocks of inputs by itself, and the treatment of missing cells that it leaves to
    others.

    Without a block it takes away time stamps that identify rows; where blocks are None it stays as it is.
    """
    if blocks is None:
        return labeller, missing
    return DerivingLabeller(with_missing(labeller, missing), blocks), "error"


def average(
    labellers: Sequence[Labeller], treatments: Sequence[str], weights: Sequence[float] | None = None
) -> Ensemble:
    """The mean of what labellers say, weighted if there are weights, each with its own treatment of missing cells; not
    trained.
    """
    experts = [with_missing(*each) for each in zip(labellers, treatments, strict=True)]
    return Ensemble(experts, combine="marginal_average", weights=weights)


def trained_parts(labeller: Labeller, data: SequenceSet) -> list[tuple[Labeller, SequenceSet]]:
    """The trained experts of an ensemble, or the labeller itself, and what each sees of a set."""
    if isinstance(labeller, Ensemble):
        return [part for expert in labeller.experts_ for part in trained_parts(expert, data)]
    if isinstance(labeller, TransformingLabeller):
        return trained_parts(labeller.labeller_, labeller.prepare(data))
    return [(labeller, data)]


def seen_window(labeller: Labeller) -> tuple[int, int]:
    """Observations before and after a position that a trained labeller's windows and derived inputs see."""
    if isinstance(labeller, Ensemble):
        windows = np.array([seen_window(expert) for expert in labeller.experts_])
        return int(windows[:, 0].max()), int(windows[:, 1].max())
    if isinstance(labeller, DerivingLabeller):
        (left, right), (before, after) = seen_window(labeller.labeller_), labeller.transform_.reach
        return left + before, right + after
    if isinstance(labeller, TransformingLabeller):
        return seen_window(labeller.labeller_)
    window: tuple[int, int] = labeller.get_params().get("window", (0, 0))
    return window


def tested_columns(labeller: Labeller) -> set[str]:
    """The categorical inputs that a trained labeller asks for, where none is derived from them: those that trees test,
    else all.
    """
    if isinstance(labeller, Ensemble):
        return set().union(*map(tested_columns, labeller.experts_))
    if isinstance(labeller, DerivingLabeller):
        return tested_columns(labeller.labeller_) - {each.source for each in labeller.transform_.derivations_}
    if isinstance(labeller, TransformingLabeller):
        return tested_columns(labeller.labeller_)
    names = [attribute.name for attribute in labeller.attributes_]
    if not isinstance(labeller, TreeCRF):
        return set(names)
    slots = window_slots(labeller.attributes_, labeller.window)
    return {names[slots[column].attribute] for column in np.unique(labeller.forest_.columns) if column < len(slots)}


def derived_only(labeller: Labeller) -> set[str]:
    """The inputs of a trained labeller that it takes away once others have been derived from them."""
    if isinstance(labeller, Ensemble):
        return set.intersection(*map(derived_only, labeller.experts_))
    if isinstance(labeller, DerivingLabeller):
        return {*labeller.transform_.dropped_}
    return derived_only(labeller.labeller_) if isinstance(labeller, TransformingLabeller) else set()


# --- training ---------------------------------------------------------------------------------------


class HeldOutChoice(NamedTuple):
    """The iteration that held-out sequences chose, their accuracy after it, the highest of all, and their number."""

    iteration: int
    accuracy: Accuracy
    n_sequences: int


def fit(
    labeller: Labeller,
    train: SequenceSet,
    held_out: float,
    seed: int,
    follow: Callable[[str], Monitor],
    weights: NDArray[np.float64] | None = None,
) -> HeldOutChoice | None:
    """Train on the whole set, with the number of iterations that held-out sequences choose.

    The labeller's number of iterations is the most; afterwards the chosen one. With `held_out` (a share of the
    sequences) 0 all iterations are done. In an ensemble the sequences held out train what combines the experts; with 0
    it is cross-fitted. `follow` gives the monitor of a training by its name, and `weights` (float64, shape
    (n_positions,)) what positions count in training.
    """
    choice = None
    if isinstance(labeller, Ensemble):
        labeller.set_params(held_out=held_out or None, seed=seed)
    elif held_out:
        fitted, validating = hold_out(train.groups, held_out, seed)
        trial = untrained(labeller).keeping_stages()
        of_fitted = None if weights is None else weights[gather_ranges(train.offsets, fitted)[1]]
        monitor = follow("choosing the number of iterations")
        trial.fit(train.select(fitted), monitor=monitor, sample_weight=of_fitted)
        choice = _choose_iteration(trial, train.select(validating))
        innermost(labeller).set_params(**{iterations_name(labeller): choice.iteration})
    labeller.fit(train, monitor=follow("training"), sample_weight=weights)
    return choice


def _choose_iteration(labeller: Labeller, validation: SequenceSet) -> HeldOutChoice:
    """The first of the iterations after which most positions are right."""
    truth = labeller.align_labels(validation, unknown=True)
    known = truth != MISSING
    correct = [
        stage["forward_backward"] == truth for stage in labeller.staged_predict(validation, ("forward_backward",))
    ]
    best = int(np.argmax([each[known].mean() for each in correct]))
    return HeldOutChoice(best + 1, estimate(correct[best], validation), len(validation))
