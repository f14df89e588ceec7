"""Base of CRFs with feature induction, whoever trains them: the settings and the order of the rounds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treecrf.models import base
from treecrf.models.linear.conjunctions import ConjunctionCRF


class InductionLabeller(ConjunctionCRF):
    """A CRF whose training goes in rounds of feature induction (McCallum 2003; PhD section 3.5).

    Subclasses implement `fit` and have the settings below.

    Attributes
    ----------
    n_inductions_ : int
        Rounds that looked for features.
    """

    variance: float
    n_iterations: int
    iterations_between_inductions: int
    features_per_induction: int
    true_label_threshold: float
    training_proportions: tuple[float, ...]
    start_noise: float
    n_inductions_: int

    def _shares(self) -> list[float]:
        """The share of the training sequences that each round of induction looks at."""
        n_rounds = max(1, self.n_iterations // self.iterations_between_inductions)
        return [*self.training_proportions, *[1.0] * n_rounds][:n_rounds]

    def _n_iterations(self, round_: int, n_rounds: int, n_done: int) -> int:
        """Iterations of a round: none before the first induction, all that are left after the last one."""
        if round_ == n_rounds:
            return self.n_iterations - n_done
        return self.iterations_between_inductions if round_ else 0

    def _check_settings(self) -> None:
        def refuse(name: str, need: str) -> None:
            raise ValueError(f"{name}={getattr(self, name)!r}: {need}.")

        if not (np.isreal(self.variance) and 0 < self.variance < np.inf):
            refuse("variance", "give a number above 0; the smaller, the nearer to no weights")
        counts = ("n_iterations", "iterations_between_inductions", "features_per_induction", "n_threads")
        for name in (name for name in counts if hasattr(self, name)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
                refuse(name, "give a whole number of at least 1")
        if not 0 < self.true_label_threshold <= 1:
            refuse("true_label_threshold", "give a probability above 0")
        shares = self.training_proportions
        if not isinstance(shares, tuple | list) or not all(0 < share <= 1 for share in shares):
            refuse("training_proportions", "give a tuple of shares above 0 and at most 1")
        if not (np.isreal(self.start_noise) and 0 <= self.start_noise < np.inf):
            refuse("start_noise", "give a number of at least 0")
        base.check_window(self.window)
        base.check_unseen(self.unseen)

    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        values, arrays = super()._state()
        return values | {"n_inductions": self.n_inductions_}, arrays

    def _restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        super()._restore(values, arrays)
        self.n_inductions_ = values["n_inductions"]
