"""Base of CRFs with feature induction, whoever trains them: the settings and the order of the rounds."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

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

    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        values, arrays = super()._state()
        return values | {"n_inductions": self.n_inductions_}, arrays

    def _restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        super()._restore(values, arrays)
        self.n_inductions_ = values["n_inductions"]
