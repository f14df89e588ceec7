"""What candidates got right in several folds, and which of them is best."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.tabular.trial import Outcome


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

    def marginals(self) -> NDArray[np.float32]:
        """Those of the best stage, where they were kept, fold by fold; shape (n_held_out_positions, n_labels)."""
        stage = self.best_stage()
        kept = [outcome.marginals or [] for outcome in self.outcomes]
        return np.concatenate([of_fold[min(stage, len(of_fold) - 1)] for of_fold in kept])

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
