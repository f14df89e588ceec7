"""Folds of a file's sequences, trainings in them, and what these get right."""

from __future__ import annotations

from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.automl.candidates import MANY_LABELS, SMALL, Candidate
from treecrf.automl.fitting import prepare_missing
from treecrf.automl.scores import Counts, Metric
from treecrf.grouping import group_copies, join_groups
from treecrf.io.arrays import gather_ranges
from treecrf.io.messages import counted
from treecrf.models.chains import ChainLabeller
from treecrf.sequences import SequenceSet
from treecrf.statistics.metrics import Accuracy
from treecrf.statistics.selection import derive_seed, sequence_folds

N_FOLDS, N_FOLDS_OF_SMALL = 3, 5
"""The more folds, the nearer are trainings to one with the whole file; of a small file with few labels more can be
afforded.
"""

FEW_TO_REPEAT, N_REPEATS = 20, 3
"""With fewer unrelated sequences they are cut into folds so many times: the mean over cuts varies less."""

FEW_GROUPS = 3
"""Fewer unrelated sequences are cut into blocks: to hold one out would leave too little to train with."""

N_BLOCKS = 12
"""Approximate number of blocks of all sequences: enough for an interval, with blocks as long as possible."""


class Split(NamedTuple):
    """What trains and what is held out in a fold, and the weight of each position that trains, where there are some."""

    train: SequenceSet
    held_out: SequenceSet
    weights: NDArray[np.float64] | None = None

    def part(self, seed: int, most_positions: int, least_groups: int) -> Split:
        """The same, but of a larger training set only groups drawn at random up to so many positions."""
        drawn = draw_sequences(self.train, seed, most_positions, least_groups)
        return self._replace(train=self.train.select(drawn), weights=weights_of(self.train, drawn, self.weights))


class Source(NamedTuple):
    """A file's whole set, the numbers of the sequences that were drawn from it, and the weights of its positions."""

    data: SequenceSet
    drawn: NDArray[np.int64]
    weights: NDArray[np.float64] | None


class Folds(NamedTuple):
    """Sequences, or blocks of sequences, in folds.

    Attributes
    ----------
    data : SequenceSet
        What the folds number; of blocks, each is a sequence by itself.
    parts : list of int64 arrays
        The sequences held out in each fold; of few sequences, those of several cuts, one after another.
    are_blocks : bool
    n_folds : int
        Of one cut.
    growth : float
        How many times as many positions the whole set has.
    metric : Metric
        What labellers are judged by.
    weights : float64, shape (n_positions,), optional
        What positions count in training; all count the same in what is held out.
    source : Source, optional
        What the data were drawn from, if it is larger.
    """

    data: SequenceSet
    parts: list[NDArray[np.int64]]
    are_blocks: bool
    n_folds: int
    growth: float = 1.0
    metric: Metric = Metric()
    weights: NDArray[np.float64] | None = None
    source: Source | None = None

    @property
    def share(self) -> float:
        """Of the positions, that a fold trains with."""
        held_out = self.data.lengths[np.concatenate(self.parts[: self.n_folds])].sum()
        return 1 - float(held_out) / (self.n_folds * self.data.n_positions)

    @property
    def n_others(self) -> int:
        """Positions of the file that were not drawn."""
        return 0 if self.source is None else self.source.data.n_positions - self.data.n_positions

    def enlarged(self, seed: int, most_positions: int) -> Folds:
        """One fold: all that was drawn is held out, and other groups of the file train, up to so many positions."""
        assert self.source is not None
        whole, drawn, weights = self.source
        others = np.setdiff1d(np.arange(len(whole)), drawn)
        training = others[draw_sequences(whole.select(others), seed, most_positions, 1)]
        taken = np.union1d(drawn, training)
        data = whole.select(taken)
        part = np.flatnonzero(np.isin(taken, drawn))
        growth = whole.n_positions / data.n_positions
        of_taken = weights_of(whole, taken, weights)
        return self._replace(data=data, parts=[part], n_folds=1, growth=growth, weights=of_taken, source=None)

    def split(self, fold: int) -> Split:
        """What trains and what is held out."""
        train = np.setdiff1d(np.arange(len(self.data)), self.parts[fold])
        weights = weights_of(self.data, train, self.weights)
        return Split(self.data.select(train), self.data.select(self.parts[fold]), weights)


def make_folds(
    data: SequenceSet,
    seed: int,
    most_positions: int,
    metric: Metric = Metric(),  # noqa: B008
    weights: NDArray[np.float64] | None = None,
) -> Folds:
    """Cut a set into folds, `N_FOLDS` or `N_FOLDS_OF_SMALL`, but no more than there are unrelated sequences.

    Sequences stay whole, and related ones (`SequenceSet.groups`, and copies) together. Fewer than `FEW_GROUPS`
    unrelated sequences are cut into blocks of consecutive observations, each of which counts as a sequence: what they
    tell is then about other parts of the same sequences, and windows do not see across a cut. Of a set with more than
    `most_positions`, unrelated sequences are drawn up to so many, but `N_FOLDS` groups at least.
    """
    related = data.with_groups(join_groups(data.groups, group_copies(data)))
    are_blocks = len(np.unique(related.groups)) < FEW_GROUPS
    if are_blocks:
        related = cut_into_blocks(data)
    drawn = draw_sequences(related, seed, most_positions, N_FOLDS)
    part = related.select(drawn)
    is_cheap = part.n_positions < SMALL and len(part.label_names) < MANY_LABELS
    n_folds = min(N_FOLDS_OF_SMALL if is_cheap else N_FOLDS, len(np.unique(part.groups)))
    n_groups = len(np.unique(part.groups))
    seeds = [seed, *(derive_seed(seed, "cut", cut) for cut in range(1, N_REPEATS if n_groups < FEW_TO_REPEAT else 1))]
    parts = [fold for of_cut in seeds for fold in sequence_folds(part.groups, n_folds, of_cut)]
    growth = data.n_positions / part.n_positions
    source = Source(related, drawn, weights) if len(drawn) < len(related) else None
    return Folds(part, parts, are_blocks, n_folds, growth, metric, weights_of(related, drawn, weights), source)


def weights_of(
    data: SequenceSet, sequences: NDArray[np.int64], weights: NDArray[np.float64] | None
) -> NDArray[np.float64] | None:
    """Those of the positions of some sequences."""
    return None if weights is None else weights[gather_ranges(data.offsets, sequences)[1]]


def draw_sequences(data: SequenceSet, seed: int, most_positions: int, least_groups: int) -> NDArray[np.int64]:
    """Those of groups drawn at random, up to so many positions but so many groups at least, in their order."""
    if data.n_positions <= most_positions:
        return np.arange(len(data))
    groups, member = np.unique(data.groups, return_inverse=True)
    sizes = np.bincount(member, weights=data.lengths)
    order = np.random.default_rng(seed).permutation(len(groups))
    taken = (np.cumsum(sizes[order]) <= most_positions) | (np.arange(len(order)) < least_groups)
    return np.flatnonzero(np.isin(member, order[taken]))


def cut_into_blocks(data: SequenceSet) -> SequenceSet:
    """Sequences cut into about `N_BLOCKS` blocks of nearly as many positions, each a sequence and a group by itself.

    Each sequence has its share of them, but none without a position. Observations that no label belongs to stay with
    the last.

    Raises
    ------
    ValueError
        If fewer than three blocks have a position each.
    """
    starts, observations = [], []
    for sequence, length in enumerate(data.lengths):
        n_here = min(max(round(N_BLOCKS * length / data.n_positions), 1), length)
        cuts = np.arange(n_here) * length // max(n_here, 1)
        starts.append(data.offsets[sequence] + cuts)
        observations.append(data.observation_offsets[sequence] + cuts)
    offsets = np.append(np.concatenate(starts), data.offsets[-1])
    if len(offsets) <= FEW_GROUPS:
        raise ValueError(
            f"{counted(data.n_positions, 'position')} cannot be cut into three parts that choose; give a longer file, "
            "or name a --method."
        )
    of_observations = np.append(np.concatenate(observations), data.observation_offsets[-1])
    return SequenceSet(
        data.values,
        offsets,
        data.attributes,
        data.labels,
        data.label_names,
        of_observations,
        numbers=data.numbers,
        number_names=data.number_names,
    )


MOST_STAGES, LEAST_STAGES = 15, 5
"""Of a training that are scored, evenly apart."""

SCORING = 2 * 10**7
"""Pairs of labels at all positions and stages together that are scored: fewer stages where there are many labels."""

NEARLY = 0.5
"""Points that a cheaper stage may be behind where the best one is too dear to train with the whole file."""

ROUNDING = 1e-9
"""Points by which sums of the same parts may differ."""

LEAST_PROBABILITY = 1e-10
"""Probability that a true label counts with at least."""


class FoldResult(NamedTuple):
    """What held-out sequences say of some of a training's iterations.

    Attributes
    ----------
    iterations : int64, shape (n_stages,)
    counts : Counts of shape (n_stages, n_held_out)
        By the metric.
    log_loss : float64, shape (n_stages, n_held_out)
        Sum of ``-log P(y_t | X)`` over positions.
    marginals : list of n_stages float32 arrays, shape (n_held_out_positions, n_labels)
        None unless they are kept.
    """

    iterations: NDArray[np.int64]
    counts: Counts
    log_loss: NDArray[np.float64]
    marginals: list[NDArray[np.float32]] | None = None


def fit_fold(
    candidate: Candidate,
    split: Split,
    metric: Metric = Metric(),  # noqa: B008
    keeps_marginals: bool = False,
) -> FoldResult:
    """Train on some sequences and label others; what imputes or marks missing cells is fitted to the training set
    alone.
    """
    labeller = candidate.build()
    train, held_out, weights = split
    there = ~np.isnan(train.numbers).all(axis=0)
    if not there.all() and (there.any() or train.attributes):  # nothing can fill what these sequences lack
        names = [train.number_names[place] for place in np.flatnonzero(there)]
        train, held_out = (data.with_numbers(data.numbers[:, there], names) for data in (train, held_out))
    transform = prepare_missing(labeller, candidate.missing, train)
    if transform is not None:
        train, held_out = transform.transform(train), transform.transform(held_out)
    assert isinstance(labeller, ChainLabeller)
    every = -(-candidate.iterations // n_scored(held_out))
    scores: list[tuple[int, Counts, NDArray[np.float64]]] = []
    kept: list[NDArray[np.float32]] = []

    def score(iterations: int, marginals: NDArray[np.float64]) -> None:
        scores.append((iterations, *score_marginals(marginals, held_out, metric)))
        if keeps_marginals:
            kept.append(marginals.astype(np.float32))

    labeller.fit_watched(train, held_out, score, every, weights)
    if not scores:  # it stopped before the first of them
        score(1, labeller.predict_proba(held_out))
    iterations, counts, log_loss = zip(*scores, strict=True)
    return FoldResult(np.array(iterations), Counts.stacked(counts), np.array(log_loss), kept or None)


def n_scored(held_out: SequenceSet) -> int:
    """Iterations of a training that are scored on a set, at most."""
    n_stages = SCORING // (held_out.n_positions * len(held_out.label_names) ** 2)
    return min(max(n_stages, LEAST_STAGES), MOST_STAGES)


def score_marginals(
    marginals: NDArray[np.floating],
    data: SequenceSet,
    metric: Metric = Metric(),  # noqa: B008
) -> tuple[Counts, NDArray[np.float64]]:
    """Counts of the metric, and log loss, of marginals of a labelled set, by sequence (see `FoldResult`)."""
    truth = np.asarray(data.labels)
    counts = metric.counts(metric.decode(marginals, data.offsets, data.label_names), data)
    log_loss = -np.log(np.maximum(marginals[np.arange(len(truth)), truth].astype(np.float64), LEAST_PROBABILITY))
    return counts, np.add.reduceat(log_loss, data.offsets[:-1])


class CVResults(NamedTuple):
    """What held-out sequences say of a candidate in some folds, from the first on.

    Stages are chosen by `n_errors` standard errors (`one_standard_error_choice`).
    """

    folds: list[FoldResult]
    n_errors: float = 1.0

    def counts(self) -> Counts:
        """By stage and held-out sequence, fold by fold; a training that stopped stays as it ended."""
        return Counts(
            self._by_stage([fold.counts.numerator for fold in self.folds]),
            self._by_stage([fold.counts.denominator for fold in self.folds]),
        )

    def log_loss(self) -> NDArray[np.float64]:
        """As `counts`, of the losses."""
        return self._by_stage([fold.log_loss for fold in self.folds])

    def _by_stage(self, folds: list[NDArray[Any]]) -> NDArray[Any]:
        stages = np.arange(max(map(len, folds)))
        return np.hstack([fold[np.minimum(stages, len(fold) - 1)] for fold in folds])

    def best_stage(self) -> int:
        """By `one_standard_error_choice`."""
        return one_standard_error_choice(self.counts(), self.log_loss(), self.n_errors)

    def iterations(self) -> NDArray[np.int64]:
        """Of each stage."""
        return max((fold.iterations for fold in self.folds), key=len)

    def stage_within(self, most_iterations: float) -> int:
        """The best stage, or, where it has more iterations than can be afforded, the last one that can, but none that
        is worse by more than `NEARLY`.
        """
        best, iterations, points = self.best_stage(), self.iterations(), self.counts().points
        if iterations[best] <= most_iterations:
            return best
        near = np.flatnonzero(points[: best + 1] >= points[best] - NEARLY)
        fitting = near[iterations[near] <= most_iterations]
        return int(fitting[-1] if len(fitting) else near[0])

    def points(self, n_folds: int) -> float:
        """Of the first folds, at the best stage of these."""
        part = self._replace(folds=self.folds[:n_folds])
        return float(part.counts().points[part.best_stage()])

    def marginals(self, stage: int) -> NDArray[np.float32]:
        """Those of a stage, where they were kept, fold by fold; shape (n_held_out_positions, n_labels)."""
        kept = [fold.marginals or [] for fold in self.folds]
        return np.concatenate([stages[min(stage, len(stages) - 1)] for stages in kept])


def one_standard_error_choice(counts: Counts, log_loss: NDArray[np.float64], n_errors: float = 1.0) -> int:
    """Of candidates that are within a standard error of the best one by the metric, or `n_errors` of them, that with
    the smallest log loss.

    Scores of a small file differ by chance more than by merit, and the probability of the truth says more. Of
    candidates that get the same right everywhere, the first counts.

    Parameters
    ----------
    counts : Counts of shape (n_candidates, n_sequences)
        The standard error is that of the difference between two candidates, by sequence.
    log_loss : float64, shape (n_candidates, n_sequences)
    """
    parts = counts.parts
    near = within_error(parts[counts.points.argmax()] - parts, n_errors)
    firsts = np.unique(np.hstack(counts), axis=0, return_index=True)[1]
    near &= np.isin(np.arange(len(parts)), firsts)
    return int(np.where(near, log_loss.sum(axis=1), np.inf).argmin())


def within_error(differences: NDArray[np.number], n_errors: float = 1.0) -> NDArray[np.bool_]:
    """Whether sums of differences, shape (n_candidates, n_sequences), are at most so many of their standard errors."""
    n_sequences = differences.shape[1]
    residuals = differences - differences.mean(axis=1, keepdims=True)
    errors = np.sqrt(n_sequences / max(n_sequences - 1, 1)) * np.linalg.norm(residuals, axis=1)
    return np.asarray(differences.sum(axis=1) <= n_errors * errors + ROUNDING)


# --- from the sequences of a fold to those of the file ---------------------------------------------


USUAL, SPREAD = 0.25, 0.15
"""Mean and standard deviation of exponents of files: what counts before a file's own half is trained with. The mean is
of files where nearly all errors of the commonest label are avoided; where nothing is learnt, more data change nothing.
"""

MOST = 1.0
"""The largest exponent."""

NORMAL = 1.96
"""Standard deviations on either side of a 95 % interval."""


def widening(n_folds: int) -> float:
    """How many times larger the standard error of a mean over folds is, as their trainings overlap.

    Its variance is 1 + k / (k - 1) times that of independent ones, with k folds (Nadeau and Bengio 2003, Machine
    Learning 52:239-281).
    """
    return sqrt(1 + n_folds / (n_folds - 1)) if n_folds > 1 else sqrt(3)


class Halves(NamedTuple):
    """Counts by group of trainings in some folds with all and with half of the sequences."""

    whole: Counts
    half: Counts
    n_folds: int


class LearningCurve(NamedTuple):
    """The exponent by which the error falls, and its standard error."""

    exponent: float = USUAL
    error: float = SPREAD

    @classmethod
    def of_halves(cls, halves: Halves | None, usual: float = USUAL, optimism: float = 0.0) -> LearningCurve:
        """From trainings with all and with half of the sequences.

        The exponent is a weighted mean of that of the file and of the `usual` one, by their variances. Where the
        training with all sequences was chosen as the best of several, its points are too high by the `optimism`.
        """
        usual_curve = cls(usual)
        if halves is None:
            return usual_curve
        whole, half, n_folds = halves
        wrong = [100 - float(counts.points) for counts in (whole, half)]
        n_groups = whole.numerator.shape[-1]
        if min(wrong) <= 0 or n_groups < 2:
            return usual_curve
        measured = log(wrong[1] / (wrong[0] + optimism)) / log(2)
        parts = half.parts / wrong[1] - whole.parts / wrong[0]  # of the logarithm, up to its sign
        error = sqrt(n_groups / (n_groups - 1)) * float(np.linalg.norm(parts - parts.mean())) / log(2)
        error *= widening(n_folds)
        share = SPREAD**2 / (SPREAD**2 + error**2)
        exponent = share * measured + (1 - share) * usual
        return cls(float(np.clip(exponent, 0, MOST)), SPREAD * sqrt(1 - share))

    def correct(self, estimate: Accuracy, ratio: float, n_folds: int) -> Accuracy:
        """The estimate for a training with `ratio` times as many sequences, with an interval that is wider by what
        folds have in common (`widening`) and by the error of the exponent.
        """
        wrong = (100 - estimate.points) * ratio**-self.exponent
        of_exponent = NORMAL * wrong * log(ratio) * self.error
        ends: NDArray[np.float64] = np.array([estimate.low, estimate.high]) - estimate.points
        widths = np.sqrt((widening(n_folds) * ends) ** 2 + of_exponent**2)
        low, high = np.clip([100 - wrong - widths[0], 100 - wrong + widths[1]], 0, 100).tolist()
        return Accuracy(100 - wrong, low, high)
