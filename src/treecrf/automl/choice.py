"""The choice of a method, its window and its number of iterations for a file, by cross-validation within a budget.

In the first folds each method is tried with every window and then with other settings, a few iterations each on a part
of the sequences. The best candidate of each method then passes through all folds, and the means of what they say of
held-out labels are candidates too. What a training costs is told by the sizes of the data
(`treecrf.automl.candidates.estimate_seconds`), and never by a clock: the same file, seed and budget give the same
choice on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.automl.candidates import (
    MANY_LABELS,
    METHODS,
    Candidate,
    derivable_blocks,
    estimate_seconds,
    make_candidates,
    refine,
)
from treecrf.automl.cross_validation import (
    CVResults,
    FoldResult,
    Folds,
    fit_fold,
    one_standard_error_choice,
    score_marginals,
    within_error,
)
from treecrf.automl.fitting import FitOptions, average
from treecrf.inputs import DerivedInputs
from treecrf.inputs.derived import without_stamps
from treecrf.models.base import Labeller
from treecrf.sequences import SequenceSet
from treecrf.statistics.estimates import CONFIDENCE, decide
from treecrf.statistics.metrics import Accuracy, correct_for_choice, estimate_accuracy
from treecrf.statistics.ranking import rank_methods
from treecrf.statistics.selection import derive_seed
from treecrf.statistics.two_way import estimate_trainings, make_pairs

SCREENING, SCREENING_OF_MANY = 20, 10
"""Iterations with which windows and settings are compared on the first folds; fewer of trees for many labels."""

SCREENED_POSITIONS = 5000
"""Of a larger training set, sequences drawn at random train what is compared so."""

MOST_POSITIONS = 20_000
"""Of a larger file, sequences drawn at random choose."""

NEGLIGIBLE, NEGLIGIBLE_LOG_LOSS = 0.2, 0.01
"""By which a simpler or faster candidate may differ from the best one: points of accuracy, and share of its log loss."""

Tick = Callable[[int, str], None]


class Choice(NamedTuple):
    """What was chosen, and why.

    Attributes
    ----------
    candidates : list of Candidate
        With their chosen numbers of iterations: one, or those whose marginals are averaged.
    accuracy : Accuracy
        To expect on new sequences, the choice itself taken into account.
    table : DataFrame
        One row for each method that passed through the folds and for each average, the best first: method (names joined
        by a plus, those fastest to predict first), window, inputs ("derived" or empty) and iterations (text, empty for
        averages), accuracy, low, high (percent), gap_low and gap_high (interval of the accuracy minus that of the
        first, points; NaN for the first itself).
    n_folds, n_positions : int
        That the table is about.
    left_out : list of str
        A sentence for whatever the budget did not allow.
    reason : str
        Why it was chosen: what it is among the rows of the table.
    """

    candidates: list[Candidate]
    accuracy: Accuracy
    table: pd.DataFrame
    n_folds: int
    n_positions: int
    left_out: list[str]
    reason: str

    def build(self, options: FitOptions) -> tuple[Labeller, str]:
        """What was chosen, not trained, and its treatment of missing cells; an average sees them as they are."""
        labellers, treatments = zip(*(candidate.build_whole(options) for candidate in self.candidates), strict=True)
        if len(labellers) > 1:
            return average(labellers, treatments), "error"
        return labellers[0], treatments[0]


def choose(
    folds: Folds,
    windows: Sequence[tuple[int, int]],
    compared: Mapping[str, Mapping[str, Any]],
    options: FitOptions,
    tick: Tick = lambda done, words: None,
) -> Choice:
    """Choose for a file among the compared methods of `METHODS`, with the settings that were decided for each.

    One candidate is tried whatever the budget. `tick` is called with the percentage of the work that is done, and what
    is tried.
    """
    search = BudgetedSearch(folds, options.budget, tick)
    screened: list[tuple[Candidate, CVResults]] = []
    derived, plain = derivable_blocks(folds.data, options.derive), without_stamps(folds.data)
    rounds = [
        list(make_candidates(method, plain, list(windows), options.missing, settings, derived))
        for method, settings in compared.items()
    ]
    shares = divide_budget(
        [len(folds.parts) * search.screening_cost(of_method) for of_method in rounds], options.budget / 2
    )
    for number, of_method in enumerate(rounds):  # half of the budget is for the folds
        best = search.screen(of_method, search.left - options.budget / 2 - sum(shares[number + 1 :]))
        if best is not None:
            screened.append(best)
    n_common = min(len(results.folds) for _, results in screened)
    ranked = [candidate for candidate, _ in sorted(screened, key=lambda pair: -pair[1].n_correct(n_common))]
    validated = search.cross_validate(ranked)
    tick(100, "")
    return choose_best(validated, folds, options.seed, search.left_out)


def divide_budget(needs: Sequence[float], budget: float) -> list[float]:
    """The share of each: what it needs, or, of what those that need less leave, the same as others that need more."""
    shares, left = [0.0] * len(needs), budget
    for number, place in enumerate(sorted(range(len(needs)), key=needs.__getitem__)):
        shares[place] = min(needs[place], left / (len(needs) - number))
        left -= shares[place]
    return shares


# --- trials within the budget -----------------------------------------------------------------------


class CrossValidated(NamedTuple):
    """A candidate that passed through folds.

    Attributes
    ----------
    candidate : Candidate
    results : CVResults
    marginals : float32, shape (n_held_out_positions, n_labels)
        At its best stage, fold by fold.
    """

    candidate: Candidate
    results: CVResults
    marginals: NDArray[np.float32]


class BudgetedSearch:
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
        self._derived: dict[tuple[str, ...] | None, tuple[Folds, list[tuple[SequenceSet, SequenceSet]]]] = {}
        self._tick = tick
        self._has_tried = False

    def folds_of(self, candidate: Candidate) -> Folds:
        """The folds with its derived inputs."""
        return self._with(candidate.derived)[0]

    def _parts_of(self, candidate: Candidate) -> list[tuple[SequenceSet, SequenceSet]]:
        """What trains and what is held out in screening, by fold."""
        return self._with(candidate.derived)[1]

    def _with(self, blocks: tuple[str, ...] | None) -> tuple[Folds, list[tuple[SequenceSet, SequenceSet]]]:
        """Folds and parts with derived inputs, which are computed once."""
        if blocks not in self._derived:
            data = self.folds.data if blocks is None else DerivedInputs(blocks).fit_transform(self.folds.data)
            folds = self.folds._replace(data=data)
            parts = [folds.split_part(fold, SCREENED_POSITIONS) for fold in range(len(folds.parts))]
            self._derived[blocks] = folds, parts
        return self._derived[blocks]

    def cost(self, candidate: Candidate) -> float:
        """Approximate CPU seconds of one fold."""
        share = 1 - 1 / len(self.folds.parts)
        return share * estimate_seconds(candidate.build(), self.folds_of(candidate).data, candidate.iterations)

    def screening_cost(self, rounds: list[list[Candidate]]) -> float:
        """Approximate CPU seconds of one fold of screening with all candidates."""
        return sum(self._screening_cost(candidate) for candidates in rounds for candidate in candidates)

    def screen(self, rounds: list[list[Candidate]], share: float) -> tuple[Candidate, CVResults] | None:
        """The best candidate of the first folds after a few iterations, and its results; None if none fits.

        As many folds compare as the share of the budget allows for all candidates: the differences between them are
        small.
        """
        tried: list[tuple[Candidate, CVResults]] = []
        best: tuple[Candidate, CVResults] | None = None
        skipped = []
        n_folds = min(max(int(share / self.screening_cost(rounds)), 1), len(self.folds.parts))
        for number, candidates in enumerate(rounds):
            for candidate in candidates:
                if number == 1 and best is not None:
                    candidate = candidate._replace(window=best[0].window, derived=best[0].derived)
                if number == 2 and best is not None:
                    candidate = best[0]._replace(missing=candidate.missing)
                cost = n_folds * self._screening_cost(candidate)
                if cost > share and self._has_tried:
                    skipped.append((candidate, cost))
                    continue
                share -= cost
                results = CVResults(self._run(self._shortened(candidate), self._parts_of(candidate)[:n_folds], cost))
                tried.append((candidate, results))
            best = _best_of(tried) if tried else None
        if skipped:
            self._note_skipped(skipped, best is not None)
        return best

    def cross_validate(self, ranked: list[Candidate]) -> list[CrossValidated]:
        """As many of the best candidates through as many folds as fit: two of them if one fold does, more if two folds
        do.
        """
        n_folds = len(self.folds.parts)
        ranked = [refine(candidate, self.folds.data) for candidate in ranked]
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
        return [self._cross_validate(candidate, n_fitting) for candidate in ranked]

    def _cross_validate(self, candidate: Candidate, n_folds: int) -> CrossValidated:
        """Marginals are kept of the best stage alone, before those of another candidate come."""
        splits = [self.folds_of(candidate).split(fold) for fold in range(n_folds)]
        folds = self._run(candidate, splits, len(splits) * self.cost(candidate), keeps_marginals=True)
        marginals = CVResults(folds).marginals()
        return CrossValidated(candidate, CVResults([fold._replace(marginals=None) for fold in folds]), marginals)

    def _shortened(self, candidate: Candidate) -> Candidate:
        """The candidate with the iterations that screening gives it."""
        many = candidate.method != "linear_crf" and len(self.folds.data.label_names) >= MANY_LABELS
        return candidate.with_iterations(min(candidate.iterations, SCREENING_OF_MANY if many else SCREENING))

    def _screening_cost(self, candidate: Candidate) -> float:
        """Approximate CPU seconds of one fold of screening."""
        short = self._shortened(candidate)
        return estimate_seconds(short.build(), self._parts_of(candidate)[0][0], short.iterations)

    def _run(
        self,
        candidate: Candidate,
        splits: list[tuple[SequenceSet, SequenceSet]],
        cost: float,
        keeps_marginals: bool = False,
    ) -> list[FoldResult]:
        left, right = candidate.window
        words = f"{candidate.method}, window {left},{right}{', derived inputs' if candidate.derived else ''}"
        self._tick(int(min(100 * (1 - self.left / self.budget), 99)), words)
        self._has_tried = True
        folds = [fit_fold(candidate, *split, keeps_marginals) for split in splits]
        self.left -= cost
        return folds

    def _note_skipped(self, skipped: list[tuple[Candidate, float]], has_best: bool) -> None:
        method, cost = skipped[0][0].method, skipped[0][1]
        windows = [f"{left},{right}" for left, right in dict.fromkeys(candidate.window for candidate, _ in skipped)]
        self.left_out.append(
            f"{method} with other settings (windows {' and '.join(windows)}): about {cost:.0f} s each."
            if has_best
            else f"{method}: its first trial would take about {cost:.0f} s."
        )


def _best_of(tried: list[tuple[Candidate, CVResults]]) -> tuple[Candidate, CVResults]:
    """By `one_standard_error_choice`, each at its best stage."""
    scores = [_best_scores(results) for _, results in tried]
    correct, log_loss = (np.array(each) for each in zip(*scores, strict=True))
    return tried[one_standard_error_choice(correct, log_loss)]


def _best_scores(results: CVResults) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Correct positions and log loss by held-out sequence at the best stage."""
    stage = results.best_stage()
    return results.correct()[stage], results.log_loss()[stage]


# --- the best of the cross-validated candidates and their averages ---------------------------------------------------


class _Contender(NamedTuple):
    """One to choose: the numbers of the candidates that it averages, correct positions and log loss by held-out
    sequence.
    """

    members: tuple[int, ...]
    correct: NDArray[np.int64]
    log_loss: NDArray[np.float64]


def choose_best(validated: list[CrossValidated], folds: Folds, seed: int, left_out: list[str]) -> Choice:
    """Choose one of the candidates, cross-validated through the same folds, or an average of some.

    Averages take part that gain more than the standard error of the gain over the most accurate method, about half of
    the half width of its 95 % interval, as an average cannot be explained. Of methods and averages alike that with the
    smallest log loss counts of those within a standard error of the most accurate
    (`treecrf.automl.cross_validation.one_standard_error_choice`); of those that differ from it by no more than
    `NEGLIGIBLE` points and `NEGLIGIBLE_LOG_LOSS` a single one before an average, and the fastest to predict before
    others.
    """
    n_folds = len(validated[0].results.folds)
    held_out = folds.data.select(np.concatenate(folds.parts[:n_folds]))
    members, cluster = np.unique(held_out.groups, return_inverse=True)
    positions = _by_cluster(held_out.lengths, cluster, len(members))
    entries = [_Contender((number,), *_best_scores(one.results)) for number, one in enumerate(validated)]
    for size in range(2, len(validated) + 1):
        for averaged in combinations(range(len(validated)), size):
            mean = np.mean([validated[number].marginals for number in averaged], axis=0)
            entries.append(_Contender(averaged, *score_marginals(mean, held_out)))
    correct = _by_cluster(np.array([entry.correct for entry in entries]), cluster, len(members))
    log_loss = _by_cluster(np.array([entry.log_loss for entry in entries]), cluster, len(members))
    table = _table(entries, validated, correct, positions)
    worthwhile = _worthwhile(entries, correct)
    rows = np.flatnonzero(worthwhile)
    likeliest = rows[one_standard_error_choice(correct[rows], log_loss[rows])]
    near = (table["accuracy"] - table["accuracy"][likeliest]).abs().to_numpy() <= NEGLIGIBLE
    near &= log_loss.sum(axis=1) <= (1 + NEGLIGIBLE_LOG_LOSS) * log_loss[likeliest].sum()
    near &= worthwhile
    chosen = min(np.flatnonzero(near), key=lambda row: _complexity(entries[row], validated))
    stages = [_by_cluster(one.results.correct(), cluster, len(members)) for one in validated]
    expected = correct_for_choice(
        np.vstack([*stages, correct[len(validated) :]]), positions, derive_seed(seed, "expected")
    )
    taken = [validated[number] for number in entries[chosen].members]
    return Choice(
        [one.candidate.with_iterations(one.results.best_iteration()) for one in taken],
        estimate_accuracy(correct[chosen], positions, expected),
        table.sort_values("accuracy", ascending=False, kind="stable", ignore_index=True),
        n_folds,
        int(positions.sum()),
        left_out,
        _reason(int(chosen), int(likeliest), correct, log_loss.sum(axis=1) / positions.sum()),
    )


def _reason(chosen: int, likeliest: int, correct: NDArray[np.int64], log_loss: NDArray[np.float64]) -> str:
    """Why a row was chosen; `log_loss` is that of a position."""
    if correct[chosen].sum() == correct.sum(axis=1).max():
        return "the most accurate"
    if chosen == likeliest:
        return f"the smallest log loss ({log_loss[chosen]:.2f}) of those within a standard error of the most accurate"
    return f"simpler or faster than the one with the smallest log loss ({log_loss[likeliest]:.2f}), and as good"


def _worthwhile(entries: list[_Contender], correct: NDArray[np.int64]) -> NDArray[np.bool_]:
    """The methods, and the averages that gain more than the standard error of the gain."""
    is_single = np.array([len(entry.members) == 1 for entry in entries])
    best = correct[is_single][correct[is_single].sum(axis=1).argmax()]
    return is_single | ~within_error(correct - best)


def _complexity(entry: _Contender, validated: list[CrossValidated]) -> tuple[int, int]:
    """The less, the simpler and then the faster to predict."""
    return len(entry.members), sum(METHODS.index(validated[number].candidate.method) for number in entry.members)


def _table(
    entries: list[_Contender], validated: list[CrossValidated], correct: NDArray[np.int64], positions: NDArray[np.int64]
) -> pd.DataFrame:
    """See `Choice`, in the order of the entries."""
    rows = []
    for entry, of_entry in zip(entries, correct, strict=True):
        members = [validated[number] for number in entry.members]
        is_single = len(members) == 1
        accuracy = estimate_accuracy(of_entry, positions)
        rows.append(
            {
                "method": " + ".join(sorted((one.candidate.method for one in members), key=METHODS.index)),
                "window": "{},{}".format(*members[0].candidate.window) if is_single else "",
                "inputs": "derived" if is_single and members[0].candidate.derived else "",
                "iterations": str(members[0].results.best_iteration()) if is_single else "",
                "accuracy": accuracy.points,
                "low": accuracy.low,
                "high": accuracy.high,
            }
        )
    table = pd.DataFrame(rows).assign(gap_low=np.nan, gap_high=np.nan)
    if len(rows) > 1:
        names = table["method"].tolist()
        accuracies = pd.Series(table["accuracy"].to_numpy(), index=names)
        ranks = rank_methods(accuracies, _comparisons(names, correct, positions)).set_index("method").loc[names]
        table[["gap_low", "gap_high"]] = ranks[["gap_low", "gap_high"]].to_numpy()
    return table


def _comparisons(names: list[str], correct: NDArray[np.int64], positions: NDArray[np.int64]) -> pd.DataFrame:
    """Every pair of methods by sequence, as `rank_methods` takes them."""
    pairs = make_pairs([of_entry[None] for of_entry in correct])
    estimates = estimate_trainings(pairs, positions)
    return pd.DataFrame(
        {
            "method": [names[place] for place in pairs.first],
            "other": [names[place] for place in pairs.second],
            "value": estimates.points,
            "standard_error": estimates.standard_error,
            "degrees_of_freedom": estimates.degrees_of_freedom,
            "decision": decide(estimates.points, estimates.p_holm, *estimates.interval(CONFIDENCE)),
        }
    )


def _by_cluster(sums: NDArray[Any], cluster: NDArray[np.int64], n_clusters: int) -> NDArray[Any]:
    """Sums of sequences (the last dimension) added up by group."""
    member = (cluster[:, None] == np.arange(n_clusters)).astype(sums.dtype)
    return sums @ member
