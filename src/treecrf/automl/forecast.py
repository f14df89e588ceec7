"""The CPU seconds that trials within a budget will take, before most of them are made.

What trials are charged is known beforehand: they are gone through as `treecrf.automl.search` does, but for their
results. How fast this machine trains each method on this file is measured with trials that come first anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import process_time

import numpy as np

from treecrf.automl.candidates import Candidate, refine
from treecrf.automl.search import LARGER, MOST_OTHERS, BudgetedSearch, Rounds

LEAST_MEASURED = 0.3
"""CPU seconds of trials whose speed is measured, at least, while there are candidates."""

OTHER_WORK = 1.1
"""How many times longer everything takes than its trainings: inputs are derived, and averages weighted and judged."""

TEXT, TEXT_ITERATIONS = "text", (2, 10)
"""What candidates of text count as, which see many more inputs than others of their method, and the iterations of the
trainings that measure their speed.
"""

Charges = dict[str, float]
"""CPU seconds by method, or of `TEXT`, as they are charged to the budget."""


End = Callable[..., Candidate]
"""`min` for the least that trials may be charged, `max` for the most."""


def expected_screening(search: BudgetedSearch, rounds: Rounds, share: float, is_first: bool, end: End) -> float:
    """CPU seconds that the first trials of a method are charged (`BudgetedSearch.screen`)."""
    n_folds = search.n_screened(rounds, share)
    left = share
    for place, candidate in enumerate(_as_tried(rounds, search.screening_cost, end)):
        cost = n_folds * search.screening_cost(candidate)
        if cost <= left or (is_first and place == 0):
            left -= cost
    return share - left


def expected_validation(
    search: BudgetedSearch, rounds: Mapping[str, Rounds], text: Sequence[Candidate], left: float, end: End
) -> Charges:
    """The least or the most CPU seconds, by method, that trainings through all folds are charged: those of text, of
    the best candidate of each method, and of others.

    Which candidates these are is not known: the best one of a method counts with the mean of all, and the others are
    the cheapest or the dearest ones.
    """
    folds = search.folds
    costs = {
        method: [search.cost(refine(each, folds.data)) for each in _as_tried(of_method, search.cost, end)]
        for method, of_method in rounds.items()
    }
    firsts = [(TEXT, search.cost(each)) for each in text]
    firsts += [(method, float(np.mean(of_method))) for method, of_method in costs.items()]
    nothing = dict.fromkeys([method for method, _ in firsts], 0.0)
    if folds.n_others >= LARGER * folds.share * folds.data.n_positions:  # the rest of the file takes what is left
        return _with_sum(_summed(nothing, firsts), max(left, 0.0))
    while len(firsts) > 1 and min(len(firsts) - 1, 2, len(folds.parts)) * sum(cost for _, cost in firsts) > left:
        firsts.pop()
    each = sum(cost for _, cost in firsts)
    dearest, half = max(((method, cost / 2) for method, cost in firsts), key=lambda pair: pair[1])
    n_fitting = min(len(folds.parts), max(int(left / (each + half)), 1))
    left -= n_fitting * each
    halves = min(n_fitting, folds.n_folds, int(max(left, 0.0) / half)) * half
    charges = _summed(nothing, [(method, n_fitting * cost) for method, cost in firsts])
    charges = _summed(charges, [(dearest, halves)])
    others = sorted(
        ((method, n_fitting * cost) for method, of_method in costs.items() for cost in sorted(of_method)[1:]),
        key=lambda pair: pair[1],
    )
    others = others[:MOST_OTHERS] if end is min else others[-MOST_OTHERS:]
    return _summed(charges, list(_limited(_summed(nothing, others), max(left - halves, 0.0)).items()))


def _as_tried(rounds: Rounds, cost: Callable[[Candidate], float], end: End) -> list[Candidate]:
    """The candidates of a method where the best of the first round, whose inputs the others get, is the cheapest or
    the dearest one.
    """
    first, *later = rounds
    best = end(first, key=cost)
    others = [each._replace(window=best.window, derived=best.derived) for of_round in later for each in of_round]
    return [*first, *others]


def _summed(charges: Charges, others: Sequence[tuple[str, float]]) -> Charges:
    total = dict(charges)
    for method, charge in others:
        total[method] += charge
    return total


def _with_sum(charges: Charges, total: float) -> Charges:
    whole = max(sum(charges.values()), 1e-9)
    return {method: charge * total / whole for method, charge in charges.items()}


def _limited(charges: Charges, most: float) -> Charges:
    return _with_sum(charges, min(sum(charges.values()), most))


class Pace:
    """CPU seconds that trainings take for each second that they are charged, by method.

    The first trials of a method are made to measure it: one that loads what it needs, and others until they have taken
    `LEAST_MEASURED`, as far as its share of the budget lasts. The search knows their results then. What is chosen does
    not depend on what is measured.

    Attributes
    ----------
    taken : float
        CPU seconds of these trials.
    known : dict of str to float
        What they are charged, by method.
    by_method : dict of str to float
    """

    def __init__(
        self, search: BudgetedSearch, rounds: Mapping[str, Rounds], text: Sequence[Candidate], shares: Charges
    ) -> None:
        began = process_time()
        self.known: Charges = {TEXT: 0.0}
        self.by_method = {method: self._measure(search, method, rounds[method], shares[method]) for method in rounds}
        self.by_method[TEXT] = self._measure_text(search, text) if text else 1.0
        self.taken = process_time() - began

    def _measure(self, search: BudgetedSearch, method: str, rounds: Rounds, share: float) -> float:
        n_folds = search.n_screened(rounds, share)
        self.known[method] = charged = taken = 0.0
        for candidate in rounds[0]:
            cost = search.screening_cost(candidate)
            share -= n_folds * cost
            if share < 0 or taken >= LEAST_MEASURED:
                break
            began = process_time()
            search.try_first(candidate)
            if self.known[method]:
                taken += process_time() - began
                charged += cost
            self.known[method] += cost
        return taken / charged if charged else 1.0

    def _measure_text(self, search: BudgetedSearch, text: Sequence[Candidate]) -> float:
        """By a longer training less a shorter one: both take the same to begin."""
        taken, charged = [], []
        for number in TEXT_ITERATIONS:
            short = text[0].with_iterations(number)
            charged.append(search.screening_cost(short))
            began = process_time()
            search.try_first(short)
            taken.append(process_time() - began)
        return max(taken[1] - taken[0], 0.0) / (charged[1] - charged[0])

    def seconds(self, charges: Charges, final: float) -> float:
        """Of trials that are charged so much by method, without those that are known, and of a final training."""
        trials = sum(
            self.by_method[method] * max(charge - self.known[method], 0.0) for method, charge in charges.items()
        )
        mean = sum(self.by_method[method] * charge for method, charge in charges.items()) / sum(charges.values())
        return trials + mean * final
