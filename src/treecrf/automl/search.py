"""Trials of candidates within a budget: a few iterations on the first folds, then whole trainings through all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.automl.candidates import MANY_LABELS, Candidate, estimate_seconds, refine, scoring_seconds
from treecrf.automl.cross_validation import (
    N_FOLDS,
    CVResults,
    FoldResult,
    Folds,
    Halves,
    Split,
    fit_fold,
    n_scored,
    one_standard_error_choice,
)
from treecrf.automl.scores import Counts
from treecrf.inputs import DerivedInputs
from treecrf.sequences import SequenceSet

SCREENING, SCREENING_OF_MANY = 20, 10
"""Iterations with which windows and settings are compared on the first folds; fewer of trees for many labels."""

SCREENED_POSITIONS = 5000
"""Of a larger training set, sequences drawn at random train what is compared so."""

LARGER = 1.5
"""The best candidates of a large file train once with the rest of it, if that is so many times a fold's positions."""

MOST_ENLARGED = 2
"""Candidates beside those of text that train so, those with the best trials."""

MOST_OTHERS = 8
"""Candidates that pass through the folds beside the best one of each method, to be averaged with these."""

Tick = Callable[[int, str], None]

Rounds = Sequence[Sequence[Candidate]]
"""Of a method (`treecrf.automl.candidates.make_candidates`)."""


class CrossValidated(NamedTuple):
    """A candidate that passed through folds.

    Attributes
    ----------
    candidate : Candidate
    results : CVResults
    stage : int
        Its best one that can be trained with the whole file.
    marginals : float32, shape (n_held_out_positions, n_labels)
        At that stage, fold by fold.
    final_iterations : int, optional
        Of the training with the whole file, if they are others than those of that stage.
    """

    candidate: Candidate
    results: CVResults
    stage: int
    marginals: NDArray[np.float32]
    final_iterations: int | None = None

    @property
    def best(self) -> Candidate:
        """The candidate with the iterations of the training with the whole file."""
        return self.candidate.with_iterations(self.final_iterations or int(self.results.iterations()[self.stage]))

    @property
    def scores(self) -> tuple[Counts, NDArray[np.float64]]:
        """Counts and log loss by held-out sequence at that stage."""
        return self.results.counts().of(self.stage), self.results.log_loss()[self.stage]


class BudgetedSearch:
    """Trials within a budget.

    Attributes
    ----------
    left, reserved : float
        CPU seconds of the budget that have not been spent, and those that are kept for the last training.
    tried : list of (Candidate, CVResults)
        After a few iterations on the first folds.
    best : list of (Candidate, CVResults)
        Of these that of each method.
    left_out : list of str
        A sentence for whatever did not fit.
    tick : callable
        Called with the percentage of the trials that is done, and what is tried.
    """

    def __init__(self, folds: Folds, budget: float, tick: Tick = lambda done, words: None) -> None:
        self.folds, self.budget, self.left, self.reserved = folds, budget, budget, 0.0
        self.left_out: list[str] = []
        self.tried: list[tuple[Candidate, CVResults]] = []
        self.best: list[tuple[Candidate, CVResults]] = []
        self._forget()
        self.tick, self._percent, self._expected = tick, 0, budget
        self._has_tried = False

    def _forget(self) -> None:
        """Nothing is known of the folds."""
        self._derived: dict[tuple[str, ...] | None, tuple[Folds, list[Split]]] = {}
        self._known: dict[str, float] = {}
        self._first_trials: dict[str, list[FoldResult]] = {}

    def reserve(self, seconds: float) -> None:
        """Keep some of the budget for the training with the whole file."""
        self.left, self.reserved = self.left - seconds, self.reserved + seconds

    def expect(self, seconds: float) -> None:
        """Say how many seconds of trials are still to come, as far as they are left, for the share that is done."""
        self._expected = self.budget - self.reserved - self.left + min(seconds, self.left)

    def folds_of(self, candidate: Candidate) -> Folds:
        """The folds with its derived inputs."""
        return self._with(candidate.derived)[0]

    def parts_of(self, candidate: Candidate) -> list[Split]:
        """What trains and what is held out in screening, by fold of the first cut."""
        return self._with(candidate.derived)[1]

    def _with(self, blocks: tuple[str, ...] | None) -> tuple[Folds, list[Split]]:
        """Folds and parts with derived inputs, which are computed once."""
        if blocks not in self._derived:
            data = self.folds.data if blocks is None else DerivedInputs(blocks).fit_transform(self.folds.data)
            folds = self.folds._replace(data=data)
            whole = [folds.split(fold) for fold in range(folds.n_folds)]
            parts = [split.part(fold, SCREENED_POSITIONS, N_FOLDS - 1) for fold, split in enumerate(whole)]
            self._derived[blocks] = folds, parts
        return self._derived[blocks]

    def cost(self, candidate: Candidate) -> float:
        """Approximate CPU seconds of one fold, with the scores of what is held out."""
        held_out = self.parts_of(candidate)[0].held_out
        return self.folds.share * self._seconds(candidate) + self._scoring(candidate, held_out)

    def final_cost(self, candidate: Candidate) -> float:
        """Approximate CPU seconds of a training with the whole file."""
        return self.folds.growth * self._seconds(candidate)

    def _seconds(self, candidate: Candidate) -> float:
        key = repr(candidate)
        if key not in self._known:
            data = self.folds_of(candidate).data
            self._known[key] = estimate_seconds(candidate.build(), data, candidate.iterations)
        return self._known[key]

    def screening_costs(self, rounds: Rounds) -> float:
        """Approximate CPU seconds of one fold of screening with all candidates."""
        return sum(self.screening_cost(candidate) for candidates in rounds for candidate in candidates)

    def n_screened(self, rounds: Rounds, share: float) -> int:
        """Folds that compare the candidates of a method: as many as the share of the budget allows for all of them."""
        return min(max(int(share / self.screening_costs(rounds)), 1), self.folds.n_folds)

    def try_first(self, candidate: Candidate) -> None:
        """Screen a candidate on the first fold before the others; `screen` charges it, and does not train it again."""
        short = self._shortened(candidate)
        self._first_trials[repr(short)] = [fit_fold(short, self.parts_of(candidate)[0], self.folds.metric)]

    def screen(self, rounds: Rounds, share: float) -> None:
        """Try the candidates of a method with a few iterations on the first folds, while a share of the budget lasts.

        On as many folds as fit (`n_screened`): the differences between candidates are small.
        """
        tried: list[tuple[Candidate, CVResults]] = []
        best: tuple[Candidate, CVResults] | None = None
        skipped = []
        n_folds = self.n_screened(rounds, share)
        for number, candidates in enumerate(rounds):
            for candidate in candidates:
                if number == 1 and best is not None:
                    candidate = candidate._replace(window=best[0].window, derived=best[0].derived)
                if number == 2 and best is not None:
                    candidate = best[0]._replace(missing=candidate.missing)
                if any(candidate == other for other, _ in tried):
                    continue
                cost = n_folds * self.screening_cost(candidate)
                if cost > share and self._has_tried:
                    skipped.append((candidate, cost))
                    continue
                share -= cost
                short, parts = self._shortened(candidate), self.parts_of(candidate)[:n_folds]
                known = self._first_trials.get(repr(short), [])
                tried.append((candidate, self._results(self._run(short, parts, cost, known=known))))
            best = self._best_of(tried) if tried else None
        if skipped:
            self._note_skipped(skipped, share, best is not None)
        self.tried += tried
        self.best += [best] if best is not None else []

    def enlarge(self, ranked: list[Candidate], seed: int) -> bool:
        """Replace the folds of a large file by one, in which the rest of the file trains, as far as what is left lasts
        for these candidates; whether it has so much more that it did.

        Candidates with many weights, such as those of pairs of words, gain more from it than others.
        """
        data, trained = self.folds.data, self.folds.share * self.folds.data.n_positions
        if self.folds.n_others < LARGER * trained:
            return False
        training = sum(map(self._seconds, ranked)) / data.n_positions
        scoring = sum(self._scoring(candidate, self.folds_of(candidate).data) for candidate in ranked)
        most_positions = int((self.left - scoring) / training)
        if most_positions < LARGER * trained:
            return False
        self.folds = self.folds.enlarged(seed, most_positions)
        self._forget()
        return True

    def cross_validate(self, ranked: list[Candidate]) -> list[CrossValidated]:
        """As many of the best candidates through as many folds as fit: two of them if one fold does, more if two folds
        do.
        """
        n_folds = len(self.folds.parts)
        ranked = [refine(candidate, self.folds.data) for candidate in ranked]
        while len(ranked) > 1 and min(len(ranked) - 1, 2, n_folds) * sum(map(self.cost, ranked)) > self.left:
            dropped = ranked.pop()
            self.left_out.append(
                f"{dropped.method} was behind after a few iterations and left there: a fold would take "
                f"{_about(self.cost(dropped))} more."
            )
        each = sum(map(self.cost, ranked))
        n_fitting = min(n_folds, max(int(self.left / (each + max(map(self.cost, ranked)) / 2)), 1))  # and halves
        if n_fitting < self.folds.n_folds:
            self.left_out.append(
                f"{self.folds.n_folds - n_fitting} of {self.folds.n_folds} folds, which would take {_about(each)} each."
            )
        self.expect(n_fitting * (each * (1 + MOST_OTHERS / len(ranked)) + max(map(self.cost, ranked)) / 2))
        return [self._cross_validate(candidate, n_fitting) for candidate in ranked]

    def cross_validate_others(self, validated: list[CrossValidated]) -> list[CrossValidated]:
        """More candidates through the same folds, as many as fit, those with the best trials first."""
        n_folds = len(validated[0].results.folds)
        seen = [one.candidate for one in validated]
        n_common = min((len(results.folds) for _, results in self.tried), default=1)
        order = sorted(self.tried, key=lambda pair: -pair[1].points(n_common))
        chosen: list[Candidate] = []
        left = self.left
        for candidate in (refine(candidate, self.folds.data) for candidate, _ in order):
            cost = n_folds * self.cost(candidate)
            if len(chosen) < MOST_OTHERS and cost <= left and candidate not in seen:
                chosen.append(candidate)
                seen.append(candidate)
                left -= cost
        self.expect(n_folds * sum(map(self.cost, chosen)))
        return [self._cross_validate(candidate, n_folds) for candidate in chosen]

    def train_halves(self, one: CrossValidated) -> Halves | None:
        """Train a candidate again with half of each fold's sequences of the first cut, as far as what is left lasts."""
        best = one.best
        cost = self.cost(best) / 2
        n_folds = min(len(one.results.folds), self.folds.n_folds, int(self.left / cost))
        if n_folds < 1:
            return None
        splits = [self.folds_of(best).split(fold) for fold in range(n_folds)]
        halves = [split.part(fold, split.train.n_positions // 2, 1) for fold, split in enumerate(splits)]
        half = self._results(self._run(best, halves, n_folds * cost)).counts().of(-1)
        whole = self._results(one.results.folds[:n_folds]).counts()
        stage = min(one.stage, whole.numerator.shape[0] - 1)
        groups = [self.folds.data.groups[part] for part in self.folds.parts[:n_folds]]
        group = np.unique(np.concatenate(groups), return_inverse=True)[1]
        return Halves(whole.of(stage).by_group(group), half.by_group(group), n_folds)

    def _cross_validate(self, candidate: Candidate, n_folds: int) -> CrossValidated:
        """Marginals are kept of the best stage alone, before those of another candidate come."""
        splits = [self.folds_of(candidate).split(fold) for fold in range(n_folds)]
        folds = self._run(candidate, splits, len(splits) * self.cost(candidate), keeps_marginals=True)
        results = self._results(folds)
        most_iterations = max(self.reserved, 1.0) / self.final_cost(candidate) * candidate.iterations
        stage = results.stage_within(most_iterations)
        iterations = int(results.iterations()[stage])
        if candidate.method == "linear_crf" and "solver" not in candidate.settings:
            iterations = more_iterations(iterations, self.folds.growth, min(candidate.iterations, most_iterations))
        marginals = results.marginals(stage)
        kept = self._results([fold._replace(marginals=None) for fold in folds])
        return CrossValidated(candidate, kept, stage, marginals, iterations)

    def _shortened(self, candidate: Candidate) -> Candidate:
        """The candidate with the iterations that screening gives it."""
        many = candidate.method != "linear_crf" and len(self.folds.data.label_names) >= MANY_LABELS
        return candidate.with_iterations(min(candidate.iterations, SCREENING_OF_MANY if many else SCREENING))

    def screening_cost(self, candidate: Candidate) -> float:
        """Approximate CPU seconds of one fold of screening."""
        short, part = self._shortened(candidate), self.parts_of(candidate)[0]
        return estimate_seconds(short.build(), part.train, short.iterations) + self._scoring(short, part.held_out)

    def _scoring(self, candidate: Candidate, held_out: SequenceSet) -> float:
        n_stages = min(n_scored(held_out), candidate.iterations)
        return scoring_seconds(candidate, held_out, n_stages, self.folds.metric.constraints is not None)

    def _run(
        self,
        candidate: Candidate,
        splits: list[Split],
        cost: float,
        keeps_marginals: bool = False,
        known: Sequence[FoldResult] = (),
    ) -> list[FoldResult]:
        """Train and score on the splits, but for the first ones whose results are known already."""
        left, right = candidate.window
        inputs = f", inputs {candidate.inputs}" if candidate.derived else ""
        done = 100 * (self.budget - self.reserved - self.left) / max(self._expected, 1e-9)
        self._percent = max(self._percent, min(int(done), 99))
        self.tick(self._percent, f"{candidate.method}, window {left},{right}{inputs}")
        self._has_tried = True
        folds = [fit_fold(candidate, split, self.folds.metric, keeps_marginals) for split in splits[len(known) :]]
        self.left -= cost
        return [*known, *folds]

    def _results(self, folds: list[FoldResult]) -> CVResults:
        return CVResults(folds, self.folds.metric.n_errors)

    def _best_of(self, tried: Sequence[tuple[Candidate, CVResults]]) -> tuple[Candidate, CVResults]:
        """By `one_standard_error_choice`, each at its best stage."""
        stages = [results.best_stage() for _, results in tried]
        scored = list(zip(tried, stages, strict=True))
        counts = Counts.stacked([results.counts().of(stage) for (_, results), stage in scored])
        log_loss = np.array([results.log_loss()[stage] for (_, results), stage in scored])
        return tried[one_standard_error_choice(counts, log_loss, self.folds.metric.n_errors)]

    def _note_skipped(self, skipped: list[tuple[Candidate, float]], share: float, has_best: bool) -> None:
        """Say what was not tried, because less than its cost was left of a method's share of the budget."""
        method, cost = skipped[0][0].method, skipped[0][1]
        windows = [f"{left},{right}" for left, right in dict.fromkeys(candidate.window for candidate, _ in skipped)]
        self.left_out.append(
            f"{method} with other settings (window{'s' * (len(windows) > 1)} {' and '.join(windows)}), which would "
            f"take {_about(cost)}{' each' * (len(skipped) > 1)}: "
            f"{_about(share)} were left of what its first trials may take."
            if has_best
            else f"{method}: its first trial would take {_about(cost)}, and may take {_about(share)}."
        )


def _about(seconds: float) -> str:
    """Seconds in words; small ones have a digit after the point."""
    return "less than 0.1 s" if seconds < 0.1 else f"about {seconds:.{0 if seconds >= 10 else 1}f} s"


def more_iterations(iterations: int, growth: float, most: float) -> int:
    """Iterations multiplied by the growth of the data, up to a limit: L-BFGS needs more steps with more data."""
    return max(iterations, int(min(growth * iterations, most)))
