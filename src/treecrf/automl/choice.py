"""The choice of a method, its window and its number of iterations for a file, or of an average of several, by
cross-validation within a budget.

In the first folds each method is tried with every window and then with other settings, a few iterations each on a part
of the sequences (`treecrf.automl.search`). The best candidate of each method then passes through all folds, after a
linear CRF of text where there is some, and others after them while the budget lasts. A weighted average of all of these
is a candidate too; its weights are chosen greedily by the log loss of what folds held out (Caruana et al. 2004, ICML).
What a training costs is told by the sizes of the data (`treecrf.automl.candidates.estimate_seconds`), and never by a
clock: the same file, seed and budget give the same choice on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import entr

from treecrf.automl.candidates import (
    METHODS,
    NEURAL_SHARE,
    Candidate,
    derivable_blocks,
    describe_settings,
    make_candidates,
    prediction_seconds,
    text_candidates,
)
from treecrf.automl.cross_validation import (
    LEAST_PROBABILITY,
    USUAL,
    Folds,
    Halves,
    LearningCurve,
    one_standard_error_choice,
    score_marginals,
    within_error,
)
from treecrf.automl.fitting import FitOptions, average
from treecrf.automl.forecast import OTHER_WORK, Charges, End, Pace, expected_screening, expected_validation
from treecrf.automl.scores import Counts, Metric
from treecrf.automl.search import MOST_ENLARGED, BudgetedSearch, CrossValidated, Rounds, Tick
from treecrf.inputs.derived import NEIGHBOURS, without_stamps
from treecrf.models.base import Labeller
from treecrf.sequences import SequenceSet
from treecrf.statistics.metrics import Accuracy, correct_for_choice
from treecrf.statistics.selection import derive_seed, sequence_folds

MOST_POSITIONS = 20_000
"""Of a larger file, sequences drawn at random choose."""

NEGLIGIBLE, NEGLIGIBLE_LOG_LOSS = 0.2, 0.01
"""By which a simpler or faster candidate may differ from the best one: points, and share of its log loss."""

LEAST_BUDGET = 40.0
"""Windows and settings are compared as with this budget where it is larger, so that more of it only adds candidates."""

RESERVED, RESERVED_OF_TEXT = 0.4, 0.6
"""Share of the budget that is kept for the training with the whole file, at most; the second for candidates of text."""

OF_AVERAGE = 0.1
"""Share of the budget that the trainings of an average may take, whatever the folds left of it."""

USUAL_MEMBERS = 4
"""Of an average."""

SLOWEST = 1e-3
"""CPU seconds that an average may take to label a position."""


class Choice(NamedTuple):
    """What was chosen, and why.

    Attributes
    ----------
    candidates : list of Candidate
        With their chosen numbers of iterations: one, or those whose marginals are averaged.
    weights : list of float
        Of the candidates, with the sum 1.
    metric : Metric
        That chose.
    accuracy : Accuracy
        The metric to expect on new sequences, in percent, of a training with the whole file; the choice itself is taken
        into account.
    log_loss : float
        Nats a held-out position.
    table : DataFrame
        One row for each candidate that passed through the folds and one for their average, the best first: method,
        window, inputs ("given", or the derived ones after a plus), settings (in words), iterations (text, empty for the
        average), weight (in
        the average, 0 if it is no member), score, low, high (the metric, percent), log_loss (nats a position), gap_low
        and gap_high (interval of the score minus that of the first, points; NaN for the first itself).
    n_folds, n_positions : int
        That the table is about; positions count once.
    left_out : list of str
        A sentence for whatever the budget did not allow.
    reason : str
        Why it was chosen: what it is among the rows of the table.
    seconds : float
        Approximate CPU seconds of the training with the whole file.
    """

    candidates: list[Candidate]
    weights: list[float]
    metric: Metric
    accuracy: Accuracy
    log_loss: float
    table: pd.DataFrame
    n_folds: int
    n_positions: int
    left_out: list[str]
    reason: str
    seconds: float

    def doubt(self, always: float, shares: NDArray[np.float64]) -> str:
        """A sentence after a blank where it is not shown that anything was learnt, else "".

        Parameters
        ----------
        always : float
            The metric, percent, of always answering the commonest label.
        shares : float64, shape (n_labels,)
            Of the labels, whose entropy is the log loss of guessing by them.
        """
        doubts = {
            "the interval goes down to it": self.accuracy.low <= always,
            "the probabilities say no more than the shares of the labels": self.log_loss >= entr(shares).sum(),
        }
        reasons = " and ".join(doubt for doubt, holds in doubts.items() if holds)
        return f" What was chosen may be no better: {reasons}." if reasons else ""

    def build(self, options: FitOptions) -> tuple[Labeller, str]:
        """What was chosen, not trained, and its treatment of missing cells; an average sees them as they are."""
        labellers, treatments = zip(*(candidate.build_whole(options) for candidate in self.candidates), strict=True)
        if len(labellers) > 1:
            return average(labellers, treatments, self.weights), "error"
        return labellers[0], treatments[0]


class Plan(NamedTuple):
    """What is to be tried.

    Attributes
    ----------
    search : BudgetedSearch
        The last training's share of the budget is kept.
    rounds : dict of str to sequence of sequence of Candidate
        By method (`treecrf.automl.candidates.make_candidates`).
    text : list of Candidate
        That pass through the folds whatever the first trials say.
    shares : dict of str to float
        CPU seconds for the first trials of each method.
    screening : float
        CPU seconds for those of all methods that are not `APART`.
    seed : int
    """

    search: BudgetedSearch
    rounds: dict[str, Rounds]
    text: list[Candidate]
    shares: dict[str, float]
    screening: float
    seed: int

    def _share(self, number: int, screening: float) -> float:
        """CPU seconds for the first trials of a method by its place, of what is left for all that are not `APART`."""
        method, *others = list(self.rounds)[number:]
        left = screening - sum(self.shares[name] for name in others if name not in APART)
        return self.shares[method] if method in APART else left

    def expected(self, n_screened: int, screening: float) -> tuple[Charges, Charges]:
        """The least and the most that trials are charged, by method, after the first ones of so many methods."""
        return self._expected(n_screened, screening, min), self._expected(n_screened, screening, max)

    def _expected(self, n_screened: int, screening: float, end: End) -> Charges:
        charges, left = dict.fromkeys(self.rounds, 0.0), self.search.left
        for number, (method, of_method) in enumerate(self.rounds.items()):
            if number >= n_screened:
                share = self._share(number, screening)
                charges[method] = expected_screening(self.search, of_method, share, number == 0, end)
                left -= charges[method]
                screening -= 0.0 if method in APART else charges[method]
        validation = expected_validation(self.search, self.rounds, self.text, left, end)
        return {method: charge + charges.get(method, 0.0) for method, charge in validation.items()}

    def predict_seconds(self) -> float:
        """CPU seconds of everything, with the last training, by the `Pace` of the first trials, which are made here.

        It is the geometric mean of the least and the most that is expected: by the same factor from both.
        """
        pace = Pace(self.search, self.rounds, self.text, self.shares)
        least, most = self.expected(0, self.screening)
        usual = self.text or [of_method[0][0] for of_method in self.rounds.values()]
        finals = [self.search.final_cost(candidate) for candidate in usual]
        cheapest, members = min(finals), USUAL_MEMBERS * max(finals)
        dearest = max(self.search.reserved, min(OF_AVERAGE * self.search.budget, members))
        ends = pace.seconds(least, min(cheapest, self.search.reserved)), pace.seconds(most, dearest)
        return OTHER_WORK * sqrt((pace.taken + ends[0]) * (pace.taken + ends[1]))

    def carry_out(self, tick: Tick = lambda done, words: None) -> Choice:
        """Try and choose. `tick` is called with the percentage of the trials that is done, and what is tried."""
        search, screening = self.search, self.screening
        search.tick = tick
        for number, (method, of_method) in enumerate(self.rounds.items()):
            search.expect(sum(sum(end.values()) for end in self.expected(number, screening)) / 2)
            left = search.left
            search.screen(of_method, self._share(number, screening))
            screening -= 0.0 if method in APART else left - search.left
        n_common = min(len(results.folds) for _, results in search.best)
        ordered = [candidate for candidate, _ in sorted(search.best, key=lambda pair: -pair[1].points(n_common))]
        ranked = [*self.text, *ordered]
        few = ranked[: len(self.text) + MOST_ENLARGED]
        validated = search.cross_validate(few if search.enlarge(few, self.seed) else ranked)
        halves = search.train_halves(max(validated, key=lambda one: float(one.scores[0].points)))
        validated += search.cross_validate_others(validated)
        tick(100, "")
        return choose_best(validated, search, self.seed, halves)


APART = ("neural_crf",)
"""Methods with a share of the budget of their own (`treecrf.automl.candidates.affordable`)."""


def plan(
    folds: Folds,
    windows: Sequence[tuple[int, int]],
    compared: Mapping[str, Mapping[str, Any]],
    options: FitOptions,
) -> Plan:
    """What to try for a file among the compared methods of `METHODS`, with the settings that were decided for each.

    One candidate is tried whatever the budget.
    """
    budget = options.budget
    search = BudgetedSearch(folds, budget)
    derived, plain = derivable_blocks(folds.data, options.derive), without_stamps(folds.data)
    if options.window is not None:  # neighbours would be another one
        derived = [blocks for blocks in derived if not blocks or NEIGHBOURS not in blocks]
    is_weighted = folds.weights is not None
    rounds: dict[str, Rounds] = {
        method: list(make_candidates(method, plain, list(windows), options.missing, settings, derived, is_weighted))
        for method, settings in compared.items()
    }
    text = text_candidates(plain, options.missing, compared.get("linear_crf", {}), derived, is_weighted)
    text = text if "linear_crf" in compared else []
    final = sum(map(search.final_cost, [*text, *(of_method[0][0] for of_method in rounds.values())]))
    of_text = max(map(search.final_cost, text), default=0.0)

    def reserved_of(seconds: float) -> float:
        return max(min(RESERVED * seconds, final), min(RESERVED_OF_TEXT * seconds, of_text))

    search.reserve(reserved_of(budget))
    needs = {name: folds.n_folds * search.screening_costs(each) for name, each in rounds.items()}
    usual = [name for name in needs if name not in APART]
    least = min(budget, LEAST_BUDGET)
    screening = (least - reserved_of(least)) / 2  # half of the budget is for the folds
    shares = dict(zip(usual, divide_budget([needs[name] for name in usual], screening), strict=True))
    shares = {name: shares.get(name, min(needs[name], NEURAL_SHARE * budget)) for name in rounds}
    return Plan(search, rounds, text, shares, screening, options.seed)


def choose(
    folds: Folds,
    windows: Sequence[tuple[int, int]],
    compared: Mapping[str, Mapping[str, Any]],
    options: FitOptions,
) -> Choice:
    """`plan`, and carry it out."""
    return plan(folds, windows, compared, options).carry_out()


def divide_budget(needs: Sequence[float], budget: float) -> list[float]:
    """The share of each: what it needs, or, of what those that need less leave, the same as others that need more."""
    shares, left = [0.0] * len(needs), budget
    for number, place in enumerate(sorted(range(len(needs)), key=needs.__getitem__)):
        shares[place] = min(needs[place], left / (len(needs) - number))
        left -= shares[place]
    return shares


# --- the best of the cross-validated candidates and their average -----------------------------------------------------


class _Average(NamedTuple):
    """An average of candidates: their weights, and its counts and log loss, of weights that other groups chose."""

    weights: NDArray[np.float64]
    counts: Counts
    log_loss: NDArray[np.float64]


def choose_best(
    validated: list[CrossValidated],
    search: BudgetedSearch,
    seed: int,
    halves: Halves | None = None,
) -> Choice:
    """Choose one of the candidates, cross-validated through the same folds, or their weighted average.

    The average is taken where it scores higher than every single candidate, or, within a standard error of the best one
    (of spans: as high as it), has a smaller log loss than all. Of single candidates that with the smallest log loss
    counts of those within a standard error of the best (`treecrf.automl.cross_validation.one_standard_error_choice`),
    and of spans the best one (`treecrf.automl.scores.Metric.n_errors`); of those that differ from it by no more than
    `NEGLIGIBLE` points and `NEGLIGIBLE_LOG_LOSS` the fastest to predict. The estimate is corrected for the choice, of
    stages too, and by the learning curve for the training with the whole file.
    """
    folds = search.folds
    n_folds = len(validated[0].results.folds)
    held_out = folds.data.select(np.concatenate(folds.parts[:n_folds]))
    group = np.unique(held_out.groups, return_inverse=True)[1]
    scores = [one.scores for one in validated]
    averaged = _average(validated, search, held_out, group, seed)
    if averaged is not None:
        scores.append((averaged.counts, averaged.log_loss))
    counts = Counts.stacked([each for each, _ in scores]).by_group(group)
    member = (group[:, None] == np.arange(group.max() + 1)).astype(np.float64)
    log_loss = np.array([each for _, each in scores]) @ member
    n_singles = len(validated)
    chosen, reason = _choose_single(validated, counts.of(slice(n_singles)), log_loss[:n_singles], folds.metric)
    if averaged is not None and _is_better(counts, log_loss, folds.metric.n_errors):
        chosen, reason = n_singles, _why_average(counts, folds.metric)
    weights = np.eye(n_singles)[chosen] if chosen < n_singles or averaged is None else averaged.weights
    taken = sorted(np.flatnonzero(weights), key=lambda place: -weights[place])
    honest = _honest_points(validated, group, derive_seed(seed, "expected"))
    expected = _estimate(counts, n_singles, chosen, honest, derive_seed(seed, "expected"))
    best = float(counts.points[:n_singles].max())
    optimism = max(best - honest, 0.0)
    usual = USUAL * _learnt(best - optimism, held_out, folds.metric)
    curve = LearningCurve.of_halves(halves, usual, optimism)
    expected = curve.correct(expected, folds.growth / folds.share, folds.n_folds)
    losses = log_loss.sum(axis=1) / held_out.n_positions
    return Choice(
        [validated[place].best for place in taken],
        [float(weights[place]) for place in taken],
        folds.metric,
        expected,
        float(losses[chosen]),
        _table(validated, averaged, counts, losses),
        n_folds,
        int(folds.data.lengths[np.unique(np.concatenate(folds.parts[:n_folds]))].sum()),
        search.left_out,
        reason,
        sum(search.final_cost(validated[place].best) for place in taken),
    )


def _honest_points(validated: list[CrossValidated], group: NDArray[np.int64], seed: int) -> float:
    """What to expect of the best stage of all candidates, in the folds, without the luck of its choice."""
    of_stages = Counts.pooled([one.results.counts() for one in validated]).by_group(group)
    return correct_for_choice(*of_stages, seed)


def _estimate(counts: Counts, n_singles: int, chosen: int, honest: float, seed: int) -> Accuracy:
    """The chosen row of the counts, without the luck of the choice; an average is the row after those of candidates.

    `honest` are the points of `_honest_points`.
    """
    estimate = counts.of(chosen).estimate()
    # the weights of the average are cross-fitted, the stages of its members are not
    before = estimate.points if chosen < n_singles else correct_for_choice(*counts.of(slice(n_singles)), seed)
    optimism = max(before - honest, 0.0)
    return Accuracy(*np.clip(np.array(estimate) - optimism, 0, 100).tolist())


def _learnt(points: float, held_out: SequenceSet, metric: Metric) -> float:
    """The share of the errors of always the commonest label that are avoided; 0 if none are."""
    commonest = np.bincount(np.asarray(held_out.labels)).argmax()
    always = metric.counts(np.full(held_out.n_positions, commonest, dtype=np.int16), held_out).points
    return max(1 - (100 - points) / max(100 - float(always), 1e-9), 0.0)


def _average(
    validated: list[CrossValidated],
    search: BudgetedSearch,
    held_out: SequenceSet,
    group: NDArray[np.int64],
    seed: int,
) -> _Average | None:
    """The average of all candidates; None where one of them alone has the smallest log loss."""
    truth, rows = np.asarray(held_out.labels), np.arange(held_out.n_positions)
    of_truth = np.array([one.marginals[rows, truth] for one in validated], dtype=np.float64)
    trainings = [search.final_cost(one.best) for one in validated]
    predictions = [prediction_seconds(one.best, search.folds_of(one.candidate).data) for one in validated]
    most = max(search.left + search.reserved, OF_AVERAGE * search.budget)
    limits = Limits(np.array([trainings, predictions]), np.array([most, SLOWEST]))
    weights = choose_weights(of_truth, limits)
    crossed = cross_fit_weights(of_truth, np.repeat(group, held_out.lengths), limits, derive_seed(seed, "weights"))
    if (weights > 0).sum() < 2 or crossed is None:
        return None
    marginals = blend([one.marginals for one in validated], *crossed)
    return _Average(weights, *score_marginals(marginals, held_out, search.folds.metric))


def _choose_single(
    validated: list[CrossValidated], counts: Counts, log_loss: NDArray[np.float64], metric: Metric
) -> tuple[int, str]:
    """The place of the one that is chosen among single candidates, and why."""
    likeliest = one_standard_error_choice(counts, log_loss, metric.n_errors)
    near = np.abs(counts.points - counts.points[likeliest]) <= NEGLIGIBLE
    near &= log_loss.sum(axis=1) <= (1 + NEGLIGIBLE_LOG_LOSS) * log_loss[likeliest].sum()
    order = [METHODS.index(one.candidate.method) for one in validated]
    chosen = int(min(np.flatnonzero(near), key=order.__getitem__))
    if counts.points[chosen] == counts.points.max():
        return chosen, "the best of all"
    is_best = counts.points[likeliest] == counts.points.max()
    which = "the best" if is_best else "that with the smallest log loss of those within a standard error of the best"
    if order[chosen] < order[likeliest]:
        return chosen, f"nearly as good as {which}, and faster to predict"
    return chosen, which if chosen == likeliest else f"nearly as good as {which}"


def _is_better(counts: Counts, log_loss: NDArray[np.float64], n_errors: float) -> bool:
    """Whether the last row, the average, is better than all others; log loss decides within `n_errors`."""
    points, losses = counts.points, log_loss.sum(axis=1)
    best = int(points[:-1].argmax())
    if points[-1] > points[best]:
        return True
    is_near = bool(within_error(counts.parts[[best]] - counts.parts[[-1]], n_errors)[0])
    return bool(points[best] < 100 and is_near and losses[-1] < (1 - NEGLIGIBLE_LOG_LOSS) * losses[:-1].min())


def _why_average(counts: Counts, metric: Metric) -> str:
    """Why the last row, the average, is better than all others."""
    if counts.points[-1] > counts.points[:-1].max():
        return "it is estimated better than each of them alone"
    if metric.n_errors == 0:
        as_good = f"its {metric.words} is as high as that of the best"
    else:
        as_good = "it is within a standard error of the best"
    return f"its log loss is smaller than that of each alone, and {as_good}"


def _table(
    validated: list[CrossValidated],
    averaged: _Average | None,
    counts: Counts,
    log_loss: NDArray[np.float64],
) -> pd.DataFrame:
    """See `Choice`."""
    weights = np.zeros(len(validated)) if averaged is None else averaged.weights
    rows: list[dict[str, Any]] = [
        {
            "method": one.candidate.method,
            "window": "{},{}".format(*one.candidate.window),
            "inputs": one.candidate.inputs,
            "settings": describe_settings(one.candidate),
            "iterations": str(one.best.iterations),
            "weight": weight,
        }
        for one, weight in zip(validated, weights, strict=True)
    ]
    if averaged is not None:
        rows.append(
            {"method": "average", "weight": 1.0} | dict.fromkeys(("window", "inputs", "settings", "iterations"), "")
        )
    estimates = [counts.of(row).estimate() for row in range(len(rows))]
    table = pd.DataFrame(rows)
    table[["score", "low", "high"]] = [list(estimate) for estimate in estimates]
    first = int(counts.points.argmax())
    gaps = [
        _gap(counts.parts[row] - counts.parts[first]) if row != first else (np.nan,) * 2 for row in range(len(rows))
    ]
    table = table.assign(log_loss=log_loss)
    table[["gap_low", "gap_high"]] = gaps
    return table.sort_values("score", ascending=False, kind="stable", ignore_index=True)


def _gap(differences: NDArray[np.float64]) -> tuple[float, float]:
    """The 95 % interval of a sum of differences by group, by Student's t; NaN with one group."""
    from scipy.special import stdtrit  # takes long to import

    n_groups = len(differences)
    if n_groups < 2:
        return np.nan, np.nan
    error = np.sqrt(n_groups / (n_groups - 1)) * np.linalg.norm(differences - differences.mean())
    half_width = float(stdtrit(n_groups - 1, 0.975) * error)
    return float(differences.sum()) - half_width, float(differences.sum()) + half_width


# --- weights of an average -------------------------------------------------------------------------


ROUNDS = 40
"""Of which each adds a candidate to the average; one that is added again weighs more."""

MOST_MEMBERS = 6
"""Candidates in an average."""

LEAST_GAIN = 1e-4
"""Share of the log loss that another round must gain for all that come after it to be worth it."""

N_PARTS = 5
"""Parts of the groups whose weights the others choose."""


class Limits(NamedTuple):
    """What an average may cost.

    Attributes
    ----------
    costs : float64, shape (n_kinds, n_candidates)
        Of each candidate, for example seconds of its training and of its predictions.
    most : float64, shape (n_kinds,)
        That the members of an average may cost together; a single candidate may always be taken.
    """

    costs: NDArray[np.float64]
    most: NDArray[np.float64]

    def allows(self, members: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Whether each candidate may join the members, shape (n_candidates,)."""
        if not members.any():
            return np.ones(len(members), dtype=np.bool_)
        if members.sum() >= MOST_MEMBERS:
            return members
        together = self.costs[:, members].sum(axis=1, keepdims=True) + self.costs
        return members | (together <= self.most[:, None]).all(axis=0)


def choose_weights(of_truth: NDArray[np.float64], limits: Limits) -> NDArray[np.float64]:
    """Weights that sum to 1, most of them 0.

    Parameters
    ----------
    of_truth : float64, shape (n_candidates, n_positions)
        What each candidate gives to the true labels of positions that it was not trained with.
    limits : Limits
    """
    n_candidates = len(of_truth)
    times, total = np.zeros(n_candidates), np.zeros(of_truth.shape[1])
    best, best_loss = times, np.inf
    for number in range(1, ROUNDS + 1):
        losses = np.array([mean_log_loss((total + each) / number) for each in of_truth])
        losses[~limits.allows(times > 0)] = np.inf
        taken = int(losses.argmin())
        times, total = times + (np.arange(n_candidates) == taken), total + of_truth[taken]
        if losses[taken] < best_loss * (1 - LEAST_GAIN) or not best.any():
            best, best_loss = times, float(losses[taken])
    return np.asarray(best / best.sum())


def mean_log_loss(of_truth: NDArray[np.float64]) -> float:
    """The mean of ``-log P(y_t | X)``."""
    return float(-np.log(np.maximum(of_truth, LEAST_PROBABILITY)).mean())


def cross_fit_weights(
    of_truth: NDArray[np.float64], group: NDArray[np.int64], limits: Limits, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]] | None:
    """Weights by part of the groups, chosen on the other parts, and the part of each position.

    Parameters
    ----------
    of_truth, limits : see `choose_weights`
    group : int64, shape (n_positions,)
        Of each position, from 0.
    seed : int
        Draws the parts.

    Returns
    -------
    (float64 of shape (n_parts, n_candidates), int64 of shape (n_positions,)) or None
        None of a single group.
    """
    n_groups = int(group.max()) + 1
    if n_groups < 2:
        return None
    parts = sequence_folds(np.arange(n_groups), min(N_PARTS, n_groups), seed)
    part_of = np.empty(n_groups, dtype=np.int64)
    for number, part in enumerate(parts):
        part_of[part] = number
    of_position = part_of[group]
    weights = [choose_weights(of_truth[:, of_position != number], limits) for number in range(len(parts))]
    return np.array(weights), of_position


def blend(
    marginals: list[NDArray[np.float32]], weights: NDArray[np.float64], part: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Averages of marginals, shape (n_positions, n_labels), an array a candidate, by the weights of each part."""
    blended = np.zeros(marginals[0].shape)
    for candidate, each in enumerate(marginals):
        blended += weights[part, candidate][:, None] * each
    return blended
