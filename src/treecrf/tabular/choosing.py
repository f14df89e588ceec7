"""Choosing a method, its window and its number of iterations for a file, by cross-validation within a budget.

In the first folds each method is tried with every window and then with other settings, a few iterations each on a part of the
sequences. The best candidate of each method then passes through all folds. What a training costs is told by the sizes of the data
(`treecrf.tabular.costs`), and never by a clock: the same file, seed and budget give the same choice on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.sequences import SequenceSet
from treecrf.statistics.accuracy import Accuracy, correct_for_choice, estimate_accuracy
from treecrf.statistics.ranking import rank_methods
from treecrf.statistics.selection import derive_seed
from treecrf.statistics.sign_flip import compare_flips
from treecrf.tabular.candidates import MANY_LABELS, METHODS, Candidate, limited, make_candidates
from treecrf.tabular.costs import expected_seconds
from treecrf.tabular.folds import Folds
from treecrf.tabular.trial import Outcome, try_candidate

SCREENING, SCREENING_OF_MANY = 20, 10
"""Iterations with which windows and settings are compared on the first folds; fewer of trees for many labels."""

SCREENED_POSITIONS = 5000
"""Of a larger training set, sequences drawn at random train what is compared so."""

MOST_POSITIONS = 20_000
"""Of a larger file, sequences drawn at random choose."""

NEGLIGIBLE = 0.2
"""Points by which the accuracy of a faster method may differ from that of the best one."""

Tick = Callable[[int, str], None]


class Finalist(NamedTuple):
    """What a candidate got right in the first folds, or in all (`treecrf.tabular.trial.Outcome`)."""

    outcomes: list[Outcome]

    def correct(self) -> NDArray[np.int64]:
        """Correct positions by stage and held-out sequence, fold by fold; a training that stopped stays as it ended."""
        return self._by_stage([outcome.correct for outcome in self.outcomes])

    def surprise(self) -> NDArray[np.float64]:
        """As `correct`, of what `Outcome` calls so."""
        return self._by_stage([outcome.surprise for outcome in self.outcomes])

    def _by_stage(self, parts: list[NDArray[Any]]) -> NDArray[Any]:
        stages = np.arange(max(map(len, parts)))
        return np.hstack([part[np.minimum(stages, len(part) - 1)] for part in parts])

    def best_stage(self) -> int:
        """By `likeliest_of_best`."""
        return likeliest_of_best(self.correct(), self.surprise())

    def n_right(self, n_folds: int) -> int:
        """Positions in the first folds, at the best stage of these."""
        part = Finalist(self.outcomes[:n_folds])
        return int(part.correct()[part.best_stage()].sum())

    def best_iteration(self) -> int:
        """How many iterations the best stage is."""
        longest = max((o.iterations for o in self.outcomes), key=len)
        return int(longest[self.best_stage()])


def likeliest_of_best(correct: NDArray[np.int64], surprise: NDArray[np.float64]) -> int:
    """Of candidates that are within a standard error of the most accurate one, the least surprised.

    Accuracies of a small file differ by chance more than by merit, and the probability of the truth says more. Of candidates that
    get the same right everywhere, the first counts.

    Parameters
    ----------
    correct, surprise : arrays, shape (n_candidates, n_sequences)
        The standard error is that of the difference between two candidates, by sequence.
    """
    near = within_error(correct[correct.sum(axis=1).argmax()] - correct)
    firsts = np.unique(correct, axis=0, return_index=True)[1]
    near &= np.isin(np.arange(len(correct)), firsts)
    return int(np.where(near, surprise.sum(axis=1), np.inf).argmin())


def within_error(differences: NDArray[np.number]) -> NDArray[np.bool_]:
    """Whether sums of differences, shape (n_candidates, n_sequences), are at most their standard errors."""
    n_sequences = differences.shape[1]
    residuals = differences - differences.mean(axis=1, keepdims=True)
    return differences.sum(axis=1) <= np.sqrt(n_sequences / max(n_sequences - 1, 1)) * np.linalg.norm(residuals, axis=1)


class Choice(NamedTuple):
    """What was chosen, and why.

    Attributes
    ----------
    candidate : Candidate
        With the chosen number of iterations.
    accuracy : Accuracy
        To expect on new sequences, the choice itself taken into account.
    table : DataFrame
        One row for each method that passed through the folds, the best first: method, window, candidate, iterations,
        accuracy, low, high (percent), tied (whether no method is distinctly better).
    n_folds, n_positions : int
        That the table is about.
    left_out : list of str
        A sentence for whatever the budget did not allow.
    """

    candidate: Candidate
    accuracy: Accuracy
    table: pd.DataFrame
    n_folds: int
    n_positions: int
    left_out: list[str]


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
    return _judge(finalists, folds, seed, race.left_out)


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

    def finish(self, ranked: list[Candidate]) -> list[tuple[Candidate, Finalist]]:
        """As many of the best candidates through as many folds as fit: two of them if one fold does, more if two folds do."""
        n_folds = len(self.folds.parts)
        ranked = [limited(candidate, self.folds.data) for candidate in ranked]
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
        return [(c, Finalist(self._run(c, splits, n_fitting * self.cost(c)))) for c in ranked]

    def _shortened(self, candidate: Candidate) -> Candidate:
        """The candidate with the iterations that screening gives it."""
        candidate = limited(candidate, self._parts[0][0])
        many = candidate.method != "linear_crf" and len(self.folds.data.label_names) >= MANY_LABELS
        return candidate.with_iterations(min(candidate.iterations, SCREENING_OF_MANY if many else SCREENING))

    def _screening_cost(self, candidate: Candidate) -> float:
        """CPU seconds of one fold of screening, nearly."""
        short = self._shortened(candidate)
        return expected_seconds(short.build(), self._parts[0][0], short.iterations)

    def _run(self, candidate: Candidate, splits: list[tuple[SequenceSet, SequenceSet]], cost: float) -> list[Outcome]:
        left, right = candidate.window
        self._tick(int(min(100 * (1 - self.left / self.budget), 99)), f"{candidate.method}, window {left},{right}")
        self._any = True
        outcomes = [try_candidate(candidate, *split) for split in splits]
        self.left -= cost
        return outcomes

    def _note(self, skipped: list[tuple[Candidate, float]], best: tuple[Candidate, float] | None) -> None:
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


def _judge(finalists: list[tuple[Candidate, Finalist]], folds: Folds, seed: int, left_out: list[str]) -> Choice:
    """The choice among those that passed through the folds."""
    n_folds = len(finalists[0][1].outcomes)
    held_out = np.concatenate(folds.parts[:n_folds])
    members, cluster = np.unique(folds.data.groups[held_out], return_inverse=True)
    positions = _by_cluster(folds.data.lengths[held_out], cluster, len(members))
    stages = [_by_cluster(finalist.correct(), cluster, len(members)) for _, finalist in finalists]
    best = [s[finalist.best_stage()] for s, (_, finalist) in zip(stages, finalists, strict=True)]
    methods = [candidate.method for candidate, _ in finalists]
    table = pd.DataFrame(
        [
            {
                "method": candidate.method, "window": "{},{}".format(*candidate.window),
                "iterations": finalist.best_iteration(), **_named(estimate_accuracy(right, positions)),
            }
            for (candidate, finalist), right in zip(finalists, best, strict=True)
        ]
    )  # fmt: skip
    table["tied"] = True
    if len(methods) > 1:
        flips = compare_flips(
            methods, [right[None] for right in best], int(positions.sum()), derive_seed(seed, "choose")
        )
        ranks = rank_methods(pd.Series(table["accuracy"].to_numpy(), index=methods), flips).set_index("method")
        table["tied"] = ranks["tied_for_best"].loc[methods].to_numpy()
    surprise = [finalist.surprise()[finalist.best_stage()] for _, finalist in finalists]
    likeliest = likeliest_of_best(np.array(best), _by_cluster(np.array(surprise), cluster, len(members)))
    near = (table["accuracy"] - table["accuracy"][likeliest]).abs() <= NEGLIGIBLE
    chosen = min(np.flatnonzero(near), key=lambda row: METHODS.index(methods[row]))
    expected = correct_for_choice(np.vstack(stages), positions, derive_seed(seed, "expected"))
    candidate, finalist = finalists[chosen]
    return Choice(
        candidate.with_iterations(finalist.best_iteration()), estimate_accuracy(best[chosen], positions, expected),
        table.sort_values("accuracy", ascending=False, kind="stable", ignore_index=True), n_folds, int(positions.sum()),
        left_out,
    )  # fmt: skip


def _by_cluster(sums: NDArray[Any], cluster: NDArray[np.int64], n_clusters: int) -> NDArray[Any]:
    """Sums of sequences (the last dimension) added up by group."""
    member = (cluster[:, None] == np.arange(n_clusters)).astype(sums.dtype)
    return sums @ member


def _named(accuracy: Accuracy) -> dict[str, float]:
    return {"accuracy": accuracy.points, "low": accuracy.low, "high": accuracy.high}
