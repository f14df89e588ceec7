"""Choosing a method, its window and its number of iterations for a file, by cross-validation within a budget.

In the first folds each method is tried with every window and then with other settings, a few iterations each on a part of the
sequences. The best candidate of each method then passes through all folds, and the means of what they say of held-out labels are
candidates too (`treecrf.tabular.judging`). What a training costs is told by the sizes of the data
(`treecrf.tabular.costs`), and never by a clock: the same file, seed and budget give the same choice on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from treecrf.sequences import SequenceSet
from treecrf.tabular.candidates import MANY_LABELS, METHODS, Candidate, limited, make_candidates, refined
from treecrf.tabular.costs import expected_seconds
from treecrf.tabular.finalists import Finalist, likeliest_of_best
from treecrf.tabular.folds import Folds
from treecrf.tabular.judging import Choice, Finished, judge
from treecrf.tabular.trial import Outcome, try_candidate

SCREENING, SCREENING_OF_MANY = 20, 10
"""Iterations with which windows and settings are compared on the first folds; fewer of trees for many labels."""

SCREENED_POSITIONS = 5000
"""Of a larger training set, sequences drawn at random train what is compared so."""

MOST_POSITIONS = 20_000
"""Of a larger file, sequences drawn at random choose."""

Tick = Callable[[int, str], None]


def choose(
    folds: Folds,
    windows: Sequence[tuple[int, int]],
    *,
    methods: Sequence[str] = METHODS,
    missing: str = "auto",
    given: Mapping[str, Mapping[str, Any]],
    budget: float,
    seed: int = 0,
    tick: Tick = lambda done, words: None,
) -> Choice:
    """Choose for a file.

    Parameters
    ----------
    folds : Folds
    windows : sequence of (int, int)
        To try.
    methods : sequence of str
        Of `METHODS`.
    missing : str
        The way with holes, or "auto".
    given : mapping of str to mapping
        Settings that a user has decided, by method.
    budget : float
        CPU seconds, as `expected_seconds` tells them. One candidate is tried whatever the budget.
    seed : int
        Of the tests.
    tick : callable
        Called with the share of the work that is done, in percent, and what is being tried.

    Returns
    -------
    Choice
    """
    race = Race(folds, budget, tick)
    screened: list[tuple[Candidate, Finalist]] = []
    for method in methods:
        share = budget / (2 * len(methods))  # half of it is for the folds
        rounds = list(make_candidates(method, folds.data, list(windows), missing, given.get(method, {})))
        best = race.screen(rounds, share)
        if best is not None:
            screened.append(best)
    n_common = min(len(found.outcomes) for _, found in screened)
    ranked = [candidate for candidate, found in sorted(screened, key=lambda pair: -pair[1].n_right(n_common))]
    finalists = race.finish(ranked)
    tick(100, "")
    return judge(finalists, folds, seed, race.left_out)


class Race:
    """Trials within a budget.

    Attributes
    ----------
    left : float
        CPU seconds of the budget that have not been spent.
    left_out : list of str
        A sentence for whatever did not fit.
    """

    def __init__(self, folds: Folds, budget: float, tick: Tick) -> None:
        self.folds, self.budget, self.left, self.left_out = folds, budget, budget, list[str]()
        self._parts = [folds.split_part(fold, SCREENED_POSITIONS, fold) for fold in range(len(folds.parts))]
        self._tick = tick
        self._any = False

    def cost(self, candidate: Candidate) -> float:
        """CPU seconds of one fold, nearly."""
        share = 1 - 1 / len(self.folds.parts)
        return share * expected_seconds(candidate.build(), self.folds.data, candidate.iterations)

    def screen(self, rounds: list[list[Candidate]], share: float) -> tuple[Candidate, Finalist] | None:
        """The best candidate of the first folds after a few iterations, and what it got; None if none fits.

        As many folds compare as the share of the budget allows for all candidates: the differences between them are small.
        """
        tried: list[tuple[Candidate, Finalist]] = []
        best: tuple[Candidate, Finalist] | None = None
        skipped = []
        of_all = sum(self._screening_cost(candidate) for candidates in rounds for candidate in candidates)
        n_folds = min(max(int(share / of_all), 1), len(self.folds.parts))
        for number, candidates in enumerate(rounds):
            for candidate in candidates:
                if number == 1 and best is not None:
                    candidate = candidate._replace(window=best[0].window)
                if number == 2 and best is not None:
                    candidate = best[0]._replace(missing=candidate.missing)
                cost = n_folds * self._screening_cost(candidate)
                if cost > share and self._any:
                    skipped.append((candidate, cost))
                    continue
                share -= cost
                tried.append((candidate, Finalist(self._run(self._shortened(candidate), self._parts[:n_folds], cost))))
            best = _best_of(tried) if tried else None
        self._note(skipped, best)
        return best

    def finish(self, ranked: list[Candidate]) -> list[Finished]:
        """As many of the best candidates through as many folds as fit: two of them if one fold does, more if two folds do."""
        n_folds = len(self.folds.parts)
        ranked = [limited(refined(candidate, self.folds.data), self.folds.data) for candidate in ranked]
        while len(ranked) > 1 and min(len(ranked) - 1, 2) * sum(map(self.cost, ranked)) > self.left:
            dropped = ranked.pop()
            self.left_out.append(
                f"{dropped.method} was behind after a few iterations and left there: a fold would take about "
                f"{self.cost(dropped):.0f} s more."
            )
        each = sum(map(self.cost, ranked))
        n_fitting = min(n_folds, max(int(self.left / each), 1))
        if n_fitting < n_folds:
            self.left_out.append(f"{n_folds - n_fitting} of {n_folds} folds, which would take about {each:.0f} s each.")
        splits = [self.folds.split(fold) for fold in range(n_fitting)]
        return [self._finish_one(candidate, splits) for candidate in ranked]

    def _finish_one(self, candidate: Candidate, splits: list[tuple[SequenceSet, SequenceSet]]) -> Finished:
        """Marginals are kept of the best stage alone, before those of another candidate come."""
        outcomes = self._run(candidate, splits, len(splits) * self.cost(candidate), keeps_marginals=True)
        marginals = Finalist(outcomes).marginals()
        return Finished(candidate, Finalist([outcome._replace(marginals=None) for outcome in outcomes]), marginals)

    def _shortened(self, candidate: Candidate) -> Candidate:
        """The candidate with the iterations that screening gives it."""
        candidate = limited(candidate, self._parts[0][0])
        many = candidate.method != "linear_crf" and len(self.folds.data.label_names) >= MANY_LABELS
        return candidate.with_iterations(min(candidate.iterations, SCREENING_OF_MANY if many else SCREENING))

    def _screening_cost(self, candidate: Candidate) -> float:
        """CPU seconds of one fold of screening, nearly."""
        short = self._shortened(candidate)
        return expected_seconds(short.build(), self._parts[0][0], short.iterations)

    def _run(
        self,
        candidate: Candidate,
        splits: list[tuple[SequenceSet, SequenceSet]],
        cost: float,
        keeps_marginals: bool = False,
    ) -> list[Outcome]:
        left, right = candidate.window
        self._tick(int(min(100 * (1 - self.left / self.budget), 99)), f"{candidate.method}, window {left},{right}")
        self._any = True
        outcomes = [try_candidate(candidate, *split, keeps_marginals) for split in splits]
        self.left -= cost
        return outcomes

    def _note(self, skipped: list[tuple[Candidate, float]], best: tuple[Candidate, Finalist] | None) -> None:
        if not skipped:
            return
        method, cost = skipped[0][0].method, skipped[0][1]
        if best is None:
            self.left_out.append(f"{method}: its first trial would take about {cost:.0f} s.")
        else:
            windows = [f"{left},{right}" for left, right in dict.fromkeys(candidate.window for candidate, _ in skipped)]
            self.left_out.append(
                f"{method} with other settings (windows {' and '.join(windows)}): about {cost:.0f} s each."
            )


def _best_of(tried: list[tuple[Candidate, Finalist]]) -> tuple[Candidate, Finalist]:
    """By `likeliest_of_best`, each at its best stage."""
    stages = [found.best_stage() for _, found in tried]
    correct = [found.correct()[stage] for (_, found), stage in zip(tried, stages, strict=True)]
    surprise = [found.surprise()[stage] for (_, found), stage in zip(tried, stages, strict=True)]
    return tried[likeliest_of_best(np.array(correct), np.array(surprise))]
