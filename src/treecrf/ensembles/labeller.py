"""`Ensemble`: a labeller that trains other labellers and combines what they predict."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

from numpy.typing import ArrayLike

from treecrf.ensembles.combiners import COMBINERS, Combiner, Evidence, MarginalAverage
from treecrf.ensembles.sequential import cross_fit, untrained
from treecrf.estimators.checks import HEADERS, NOT_NEGATIVE, PART, PARTS, SEED, SIZE, Check, one_of, optional, whole
from treecrf.estimators.protocol import follow
from treecrf.io.arrays import Arrays, Codes, Floats
from treecrf.io.messages import counted
from treecrf.models.base import Labeller, Monitor, prefixed, refuse_rest, take_prefixed
from treecrf.models.decoding import Decoder
from treecrf.models.inputs import check_training_set, refuse_weights
from treecrf.models.persistence import load_class, packed, unpacked
from treecrf.models.pipelines import ImputingLabeller
from treecrf.models.registry import IN_TREES, LABELLERS, find, labellers
from treecrf.sequences import SequenceSet
from treecrf.statistics.selection import derive_seed, hold_out

METHODS = tuple(name for name, row in LABELLERS.items() if row.as_expert is not None)
"""Names that experts may have; packages that add labellers add to them."""


def _is_expert(value: Any) -> bool:
    if not isinstance(value, str):
        return isinstance(value, Labeller)
    return value in METHODS or (value in labellers() and labellers()[value].as_expert is not None)


def _are_experts(value: Any) -> bool:
    is_listed = isinstance(value, Sequence) and not isinstance(value, str) and len(value) > 0
    return is_listed and all(map(_is_expert, value))


def _are_weights(value: Any) -> bool:
    is_listed = isinstance(value, Sequence) and not isinstance(value, str) and len(value) > 0
    return is_listed and all(
        isinstance(each, int | float) and not isinstance(each, bool) and 0 < each < inf for each in value
    )


@dataclass(eq=False, repr=False)
class Ensemble(Labeller):
    """Labellers (experts) whose predictions are combined.

    What combines them learns from sequences that the experts were not trained with: each fold's are predicted by
    experts that the other folds trained (cross-fitting), or a part of the sequences is held out (the protocol of
    ensembles). Then the experts are trained again, with all sequences. A "marginal_average" has nothing to learn: its
    experts are trained once.

    Parameters
    ----------
    experts : sequence of str or Labeller
        Names of `METHODS`, with the presets that these have (`treecrf.models.registry`), or labellers, of which copies
        are trained.
    combine : str
        A name of `treecrf.ensembles.combiners.COMBINERS`: "stacking" (logistic regression on log marginals),
        "boosted_stacking" (LightGBM on them), "marginal_average", "majority_vote", "best_expert", "espboost", ..
    n_folds : int
        Of cross-fitting; as many as there are unrelated sequences, if these are fewer.
    held_out : float, optional
        Share of the sequences that is held out, in place of cross-fitting.
    window, n_iterations, missing, unseen, min_count, n_threads, random_state, start_noise
        Of experts that are given by name, as far as they have such settings; a seed in `random_state` also draws other
        parts.
    seed : int
        Decides which sequences are in which part.
    weights : sequence of float, optional
        Of the experts in a "marginal_average", above 0, in any unit; all count the same unless given.

    Attributes
    ----------
    experts_ : list of Labeller
        Trained with all sequences.
    combiner_ : treecrf.ensembles.combiners.Combiner
    seconds_ : dict
        CPU seconds of `fit` by phase: "experts", "combiner".
    """

    experts: Sequence[str | Labeller] = ("treecrf_newton", "treecrf", "linear_crf", "lightgbm")
    combine: str = "stacking"
    n_folds: int = 4
    held_out: float | None = None
    window: tuple[int, int] = (0, 0)
    n_iterations: int = 100
    unseen: str = "missing"
    min_count: int = 1
    n_threads: int = 1
    seed: int = 0
    random_state: int | None = None
    start_noise: float = 0.01
    missing: str = "auto"
    weights: Sequence[float] | None = None

    has_stages = False  # experts are trained to their end
    takes_numbers = True  # experts that do not cut them into bins

    _parameter_constraints: ClassVar = {
        "experts": Check(_are_experts, f"give labellers, or names of {', '.join(METHODS)}"),
        "combine": one_of(*COMBINERS),
        "n_folds": whole(2),
        "held_out": optional(PART),
        "n_iterations": SIZE,
        "n_threads": SIZE,
        "seed": SEED,
        "random_state": optional(SEED),
        "start_noise": NOT_NEGATIVE,
        "missing": one_of("auto", "error", *IN_TREES),
        "weights": optional(Check(_are_weights, "give a number above 0 for each expert")),
    }

    def _check_settings(self) -> None:
        super()._check_settings()
        if self.weights is not None and self.combine != "marginal_average":
            raise ValueError(f"weights: {self.combine} learns its own; leave them out, or combine by marginal_average.")
        if self.weights is not None and len(self.weights) != len(self.experts):
            raise ValueError(
                f"weights: there are {len(self.weights)} for {counted(len(self.experts), 'expert')}; give one for each."
            )
        for expert in self.make_experts():
            expert._check_settings()

    # --- training -----------------------------------------------------------------------------------

    def _fit(self, train: SequenceSet, sample_weight: ArrayLike | None, monitor: Monitor | None) -> None:
        check_training_set(train)
        self.seconds_ = {"experts": 0.0, "combiner": 0.0}
        self._n_trained, self._monitor = 0, monitor
        seed = derive_seed(self.seed, self.random_state)
        combiner = self._new_combiner()
        if combiner.needs_evidence:
            refuse_weights(self, sample_weight)
            evidence, labels = self._cross_fitted(train, seed) if self.held_out is None else self._held_out(train, seed)
            began = time.thread_time()
            combiner.fit(evidence, labels, seed)
            self.seconds_["combiner"] = time.thread_time() - began
        self.experts_ = self._train_experts(train, sample_weight)
        self.combiner_ = combiner
        self.inputs_, self.label_names_ = self._learn_inputs(train), train.label_names
        del self._monitor

    def _new_combiner(self) -> Combiner:
        return COMBINERS[self.combine]() if self.weights is None else MarginalAverage(self.weights)

    @property
    def n_trainings(self) -> int:
        """How many experts `fit` trains at most, all parts together."""
        if not COMBINERS[self.combine]().needs_evidence:
            return len(self.experts)
        return len(self.experts) * (self.n_folds + 1 if self.held_out is None else 2)

    def _held_out(self, train: SequenceSet, seed: int) -> tuple[Evidence, Codes]:
        """What experts of the first part say of the second, and its labels."""
        share = float(self.held_out or 0)
        first, second = (train.select(part) for part in hold_out(train.groups, share, seed))
        return Evidence.ask(self._train_experts(first), second), check_training_set(second)

    def _cross_fitted(self, train: SequenceSet, seed: int) -> tuple[Evidence, Codes]:
        """What experts of the other folds say of each, fold by fold, and the labels."""
        ordered, marginals = cross_fit(
            train,
            self.n_folds,
            seed,
            "experts",
            lambda rest, fold: Evidence.ask(self._train_experts(rest), fold).marginals,
        )
        return Evidence(marginals, ordered.offsets, ordered.groups), check_training_set(ordered)

    def _train_experts(self, train: SequenceSet, sample_weight: ArrayLike | None = None) -> list[Labeller]:
        trained = []
        for expert in self.make_experts():
            began = time.thread_time()
            trained.append(expert.fit(train, sample_weight=sample_weight))
            of_thread, by_phase = time.thread_time() - began, getattr(expert, "seconds_", {})
            self.seconds_["experts"] += max(of_thread, sum(by_phase.values()))  # networks use threads of their own
            self._n_trained += 1
            if self._monitor is not None:
                self._monitor(self._n_trained, dict(self.seconds_), float("nan"))
        return trained

    def make_experts(self) -> list[Labeller]:
        """Copies of the experts, not trained."""
        return [untrained(self._make_named(each) if isinstance(each, str) else each) for each in self.experts]

    def _make_named(self, name: str) -> Labeller:
        row = find(name)
        fixed = row.as_expert or {}
        expert = load_class(row.class_path)(**{**row.preset, **fixed})
        settings = {
            "window": self.window,
            "missing": self.missing,
            "unseen": self.unseen,
            "min_count": self.min_count,
            "n_threads": self.n_threads,
        }
        settings[row.iterations] = self.n_iterations
        if row.start == "random":
            settings["random_state"] = 0 if self.random_state is None else self.random_state + 1
        else:
            settings |= {"random_state": self.random_state, "start_noise": self.start_noise}
        known = expert.get_params(deep=False)
        expert.set_params(**{key: value for key, value in settings.items() if key in known and key not in fixed})
        refuses = "missing" not in known and row.family != "neural"  # networks take missing cells as inputs
        return ImputingLabeller(expert) if refuses and self.missing == "auto" else expert

    # --- prediction ---------------------------------------------------------------------------------

    def _marginals(self, data: SequenceSet) -> Floats:
        """What the combiner takes for P(y_t | X); of votes, their shares."""
        return self.combiner_.predict_proba(Evidence.ask(self._asked_experts(), data))

    def _labels(self, data: SequenceSet, decoder: Decoder) -> Codes:
        """The combiner's labels; all decoders agree."""
        return self.combiner_.predict(Evidence.ask(self._asked_experts(), data))

    def _asked_experts(self) -> list[Labeller]:
        for expert, fitted in zip(self.experts, self.experts_, strict=True):
            follow(fitted, self if isinstance(expert, str) else expert)
        return self.experts_

    @property
    def has_probabilities(self) -> bool:  # type: ignore[override]
        """Whether marginals are combined, not votes."""
        return COMBINERS[self.combine]().has_probabilities

    # --- files --------------------------------------------------------------------------------------

    _described: ClassVar = {"combiner": PARTS, "experts": HEADERS}

    def _state(self) -> tuple[dict[str, Any], Arrays]:
        of_combiner, arrays_of_combiner = self.combiner_.state()
        headers, of_experts = packed("expert", self.experts_)
        values = {"seconds": self.seconds_, "combiner": of_combiner, "experts": headers}
        return values, prefixed("combiner", arrays_of_combiner) | of_experts

    def _restore(self, values: dict[str, Any], arrays: Arrays) -> None:
        self.seconds_ = values["seconds"]
        self.combiner_ = self._new_combiner()
        self.experts_ = unpacked("expert", values["experts"], arrays, self.label_names_)
        if len(self.experts_) != len(self.experts):
            raise ValueError(f"there are {len(self.experts_)} of {counted(len(self.experts), 'expert')}")
        of_combiner = take_prefixed("combiner", arrays)
        n_labels, n_experts = len(self.label_names_), len(self.experts_)
        self.combiner_.restore(values["combiner"], of_combiner, {"n_labels": n_labels, "n_experts": n_experts})
        refuse_rest(of_combiner)
