"""The choice among those that passed through the folds, and among averages of what they say."""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.statistics.estimates import CONFIDENCE, decide
from treecrf.statistics.metrics import Accuracy, correct_for_choice, estimate_accuracy
from treecrf.statistics.ranking import BEST, rank_methods
from treecrf.statistics.selection import derive_seed
from treecrf.statistics.two_way import estimate_trainings, make_pairs
from treecrf.tabular.candidates import METHODS, Candidate
from treecrf.tabular.finalists import Finalist, likeliest_of_best
from treecrf.tabular.folds import Folds
from treecrf.tabular.trial import judge_marginals

NEGLIGIBLE, NEGLIGIBLE_SURPRISE = 0.2, 0.01
"""By which a simpler or faster candidate may differ from the best one: points of accuracy, and share of its surprise."""


class Finished(NamedTuple):
    """A candidate that passed through folds.

    Attributes
    ----------
    candidate : Candidate
    finalist : Finalist
    marginals : float32, shape (n_held_out_positions, n_labels)
        At its best stage, fold by fold.
    """

    candidate: Candidate
    finalist: Finalist
    marginals: NDArray[np.float32]


class Choice(NamedTuple):
    """What was chosen, and why.

    Attributes
    ----------
    candidates : list of Candidate
        With their chosen numbers of iterations: one, or those whose marginals are averaged.
    accuracy : Accuracy
        To expect on new sequences, the choice itself taken into account.
    table : DataFrame
        One row for each method that passed through the folds and for each average, the best first: method (`name_of`), window
        and iterations (text, empty for averages), accuracy, low, high (percent), gap
        (interval of the accuracy minus that of the first, text) and standing (`treecrf.statistics.ranking.rank_methods`).
    n_folds, n_positions : int
        That the table is about.
    left_out : list of str
        A sentence for whatever the budget did not allow.
    """

    candidates: list[Candidate]
    accuracy: Accuracy
    table: pd.DataFrame
    n_folds: int
    n_positions: int
    left_out: list[str]


class _Entry(NamedTuple):
    """One to choose: the numbers of the finalists that it averages, what it got right and its surprise, by held-out sequence."""

    members: tuple[int, ...]
    correct: NDArray[np.int64]
    surprise: NDArray[np.float64]


def judge(finished: list[Finished], folds: Folds, seed: int, left_out: list[str]) -> Choice:
    """Choose one of the finalists, or an average of some.

    Of methods and averages alike the least surprised counts of those within a standard error of the most accurate
    (`treecrf.tabular.finalists.likeliest_of_best`); of those that differ from it by no more than `NEGLIGIBLE`
    points and `NEGLIGIBLE_SURPRISE` a single one before an average, and the fastest to predict before others.

    Parameters
    ----------
    finished : list of Finished
        All through the same folds, from the first on.
    folds : Folds
    seed : int
        Of the accuracy to expect.
    left_out : list of str
        For the choice.
    """
    n_folds = len(finished[0].finalist.outcomes)
    held_out = folds.data.select(np.concatenate(folds.parts[:n_folds]))
    members, cluster = np.unique(held_out.groups, return_inverse=True)
    positions = _by_cluster(held_out.lengths, cluster, len(members))
    entries = [_single(number, one.finalist) for number, one in enumerate(finished)]
    for size in range(2, len(finished) + 1):
        for averaged in combinations(range(len(finished)), size):
            mean = np.mean([finished[number].marginals for number in averaged], axis=0)
            entries.append(_Entry(averaged, *judge_marginals(mean, held_out)))
    correct = _by_cluster(np.array([entry.correct for entry in entries]), cluster, len(members))
    surprise = _by_cluster(np.array([entry.surprise for entry in entries]), cluster, len(members))
    table = _table(entries, finished, correct, positions)
    likeliest = likeliest_of_best(correct, surprise)
    near = (table["accuracy"] - table["accuracy"][likeliest]).abs().to_numpy() <= NEGLIGIBLE
    near &= surprise.sum(axis=1) <= (1 + NEGLIGIBLE_SURPRISE) * surprise[likeliest].sum()
    chosen = min(np.flatnonzero(near), key=lambda row: _simplicity(entries[row], finished))
    stages = [_by_cluster(one.finalist.correct(), cluster, len(members)) for one in finished]
    expected = correct_for_choice(
        np.vstack([*stages, correct[len(finished) :]]), positions, derive_seed(seed, "expected")
    )
    taken = [finished[number] for number in entries[chosen].members]
    return Choice(
        [one.candidate.with_iterations(one.finalist.best_iteration()) for one in taken],
        estimate_accuracy(correct[chosen], positions, expected),
        table.sort_values("accuracy", ascending=False, kind="stable", ignore_index=True), n_folds, int(positions.sum()),
        left_out,
    )  # fmt: skip


def name_of(methods: list[str]) -> str:
    """What a method or an average of some is called, those fastest to predict first."""
    return " + ".join(sorted(methods, key=METHODS.index))


def _single(number: int, finalist: Finalist) -> _Entry:
    stage = finalist.best_stage()
    return _Entry((number,), finalist.correct()[stage], finalist.surprise()[stage])


def _simplicity(entry: _Entry, finished: list[Finished]) -> tuple[int, int]:
    """The less, the simpler and then the faster to predict."""
    return len(entry.members), sum(METHODS.index(finished[number].candidate.method) for number in entry.members)


def _table(
    entries: list[_Entry], finished: list[Finished], correct: NDArray[np.int64], positions: NDArray[np.int64]
) -> pd.DataFrame:
    """See `Choice`, in the order of the entries."""
    rows = []
    for entry, right in zip(entries, correct, strict=True):
        of = [finished[number] for number in entry.members]
        is_single = len(of) == 1
        accuracy = estimate_accuracy(right, positions)
        rows.append(
            {
                "method": name_of([one.candidate.method for one in of]),
                "window": "{},{}".format(*of[0].candidate.window) if is_single else "",
                "iterations": str(of[0].finalist.best_iteration()) if is_single else "",
                "accuracy": accuracy.points, "low": accuracy.low, "high": accuracy.high,
            }
        )  # fmt: skip
    table = pd.DataFrame(rows).assign(gap="", standing=BEST)
    if len(rows) > 1:
        names = table["method"].tolist()
        accuracies = pd.Series(table["accuracy"].to_numpy(), index=names)
        ranks = rank_methods(accuracies, _compared(names, correct, positions)).set_index("method").loc[names]
        ends = zip(ranks["gap_low"], ranks["gap_high"], strict=True)
        table["gap"] = ["" if np.isnan(low) else f"{low:+.2f} to {high:+.2f}" for low, high in ends]
        table["standing"] = ranks["standing"].to_numpy()
    return table


def _compared(names: list[str], correct: NDArray[np.int64], positions: NDArray[np.int64]) -> pd.DataFrame:
    """Every pair of methods by sequence, as `rank_methods` takes them."""
    pairs = make_pairs([right[None] for right in correct])
    estimates = estimate_trainings(pairs, positions)
    return pd.DataFrame(
        {
            "method": [names[place] for place in pairs.first], "other": [names[place] for place in pairs.second],
            "accuracy_points": estimates.points, "points_standard_error": estimates.standard_error,
            "degrees_of_freedom": estimates.degrees_of_freedom,
            "decision": decide(estimates.points, estimates.p_holm, *estimates.interval(CONFIDENCE)),
        }
    )  # fmt: skip


def _by_cluster(sums: NDArray[Any], cluster: NDArray[np.int64], n_clusters: int) -> NDArray[Any]:
    """Sums of sequences (the last dimension) added up by group."""
    member = (cluster[:, None] == np.arange(n_clusters)).astype(sums.dtype)
    return sums @ member
