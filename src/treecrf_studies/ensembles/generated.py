"""The job of the study of ensembles on generated predictions: table 1, and theorem 3 in every run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.ensembles.baselines import BETAS, Descent, OnlineMajorityVote, RandomPath, StepwiseEnsemble
from treecrf.ensembles.espboost import ESPBoost, choose_rounds, cross_validated_losses, fold_of_positions
from treecrf.statistics.selection import derive_seed
from treecrf_studies.ensembles.jobs import Checked, boost_to_the_end
from treecrf_studies.ensembles.settings import EnsemblesSettings
from treecrf_studies.framework.jobs import JobContext

N_LETTERS, LENGTH, N_EXPERTS = 26, 10, 5

DIRECTIONS = np.array([1, -1, 1, -1, 1])
"""What a mistake of each expert adds to the letter; fitted to table 1."""


class Predicted(NamedTuple):
    """Labels of sequences of the same length, and what experts predict.

    Attributes
    ----------
    predictions : uint8, shape (n_positions, n_experts)
    labels, classes, sequences : int64, shape (n_positions,)
        Of every position: the true label, its place in its sequence, and the sequence.
    """

    predictions: NDArray[np.uint8]
    labels: NDArray[np.int64]
    classes: NDArray[np.int64]
    sequences: NDArray[np.int64]

    def select(self, first: int, last: int) -> Predicted:
        """The sequences from `first` to before `last`."""
        return self._kept(np.arange(first * LENGTH, last * LENGTH))

    def without(self, first: int, last: int) -> Predicted:
        """All sequences but those from `first` to before `last`."""
        positions = np.arange(len(self.labels))
        return self._kept(positions[(positions < first * LENGTH) | (positions >= last * LENGTH)])

    def _kept(self, positions: NDArray[np.int64]) -> Predicted:
        return Predicted(
            self.predictions[positions], self.labels[positions], self.classes[positions], self.sequences[positions]
        )


def ads1(n_sequences: int = 40_000, seed: int = 0) -> Predicted:
    """Expert j is right with probability .98 at two positions of its own, with .30 elsewhere."""
    rng = np.random.default_rng([1, seed])
    labels = _draw_labels(n_sequences, rng)
    is_own = np.arange(LENGTH)[:, None] // 2 == np.arange(N_EXPERTS)
    wrong = rng.random((n_sequences, LENGTH, N_EXPERTS)) >= np.where(is_own, 0.98, 0.30)
    return _predict(labels, wrong)


def ads2(n_sequences: int = 40_000, seed: int = 0) -> Predicted:
    """Every expert is wrong at four positions of each sequence, drawn for each sequence and expert."""
    rng = np.random.default_rng([2, seed])
    labels = _draw_labels(n_sequences, rng)
    wrong = rng.random((n_sequences, LENGTH, N_EXPERTS)).argsort(axis=1).argsort(axis=1) < 4
    return _predict(labels, wrong)


def _draw_labels(n_sequences: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Letters of sequences of one random Markov chain, shape (n_sequences, LENGTH); the first is uniform."""
    levels = rng.dirichlet(np.ones(N_LETTERS), N_LETTERS).cumsum(axis=1)
    labels = np.empty((n_sequences, LENGTH), dtype=np.int64)
    labels[:, 0] = rng.integers(0, N_LETTERS, n_sequences)
    for place in range(1, LENGTH):
        drawn = (levels[labels[:, place - 1]] <= rng.random((n_sequences, 1))).sum(axis=1)
        labels[:, place] = np.minimum(drawn, N_LETTERS - 1)
    return labels


def _predict(labels: NDArray[np.int64], wrong: NDArray[np.bool_]) -> Predicted:
    predictions = (labels[:, :, None] + wrong * DIRECTIONS) % N_LETTERS
    sequences, classes = np.indices(labels.shape)
    return Predicted(
        predictions.reshape(-1, N_EXPERTS).astype(np.uint8), labels.ravel(), classes.ravel(), sequences.ravel()
    )


GENERATORS: dict[str, Callable[..., Predicted]] = {"ads1": ads1, "ads2": ads2}

FIXED_BETAS = {("ads1", "random_path"): 0.968, ("ads2", "majority_vote_online"): 0.98}
"""By set and row: the first was fitted to table 1; elsewhere cross-validation chooses among `BETAS`."""

LOSS_NAMES = ["dataset", "pool", "sample", "method", "loss", "n_experts", "beta"]
BOUND_NAMES = ["dataset", "pool", "round", "rho", "n_runs", "margin_loss", "bound"]
BOOSTED_NAMES = [
    "dataset",
    "pool",
    "sample",
    "chosen_rounds",
    "n_rounds",
    "first_share",
    "correlation",
    "first_loss",
    "slack",
    "difference",
]


class Voted(NamedTuple):
    """What the job finds.

    Attributes
    ----------
    losses : DataFrame
        Columns `LOSS_NAMES`: the Hamming loss of each row of table 1 on the sequences of the pool that are not in the
        training sample; of SLE how many experts vote (1: it sticks at the best one); of on-line learning beta.
    bounds : DataFrame
        Columns `BOUND_NAMES`: means over the samples of a pool of both sides of theorem 3 after each round, where a run
        that has stopped keeps its last values, and how many runs go on so far.
    boosted : DataFrame
        Columns `BOOSTED_NAMES`, one row for each run: rounds that cross-validation chose; rounds of a run that goes on
        to the end, its `treecrf.ensembles.espboost.Record` on the training sample, the least slack of the bound over
        all rounds and rhos, and the largest relative difference of F and the product of Z.
    """

    losses: pd.DataFrame
    bounds: pd.DataFrame
    boosted: pd.DataFrame


class Sample(NamedTuple):
    """A training sample of a generated set, the rest of its pool, and a seed."""

    dataset: str
    train: Predicted
    test: Predicted
    seed: int

    @property
    def given(self) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
        """Predictions, labels and classes that votes are fitted to."""
        return self.train.predictions, self.train.labels, self.train.classes


def vote_on_generated_sets(job: JobContext[EnsemblesSettings]) -> Voted:
    """Table 1 and theorem 3 on all pools."""
    settings = job.settings
    losses, bounds, boosted = [], [], []
    for dataset, generate in GENERATORS.items():
        for seed in settings.pool_seeds:
            pool, checks = generate(settings.n_sequences, seed), list[Checked]()
            for number in range(settings.n_samples):
                sample = _sample(dataset, pool, number, seed, settings.n_train)
                place = {"dataset": dataset, "pool": seed, "sample": number}
                n_rounds = _chosen_rounds(sample, settings)
                losses += [place | row for row in _losses(sample, n_rounds, settings)]
                run, check = boost_to_the_end(sample.given, sample.given, settings)
                boosted.append(place | {"chosen_rounds": n_rounds} | run)
                checks.append(check)
            bounds.append(_mean_bounds(checks, settings.rhos).assign(dataset=dataset, pool=seed))
    return Voted(
        pd.DataFrame(losses)[LOSS_NAMES],
        pd.concat(bounds, ignore_index=True)[BOUND_NAMES],
        pd.DataFrame(boosted)[BOOSTED_NAMES],
    )


def _sample(dataset: str, pool: Predicted, number: int, seed: int, size: int) -> Sample:
    first, last = number * size, (number + 1) * size
    return Sample(dataset, pool.select(first, last), pool.without(first, last), derive_seed(dataset, seed, number))


# --- table 1 ----------------------------------------------------------------------------------------


def _losses(sample: Sample, n_rounds: int, settings: EnsemblesSettings) -> Iterator[dict[str, Any]]:
    """The rows of table 1 of one sample."""
    test, nothing = sample.test[:3], {"n_experts": np.nan, "beta": np.nan}

    yield nothing | {"method": "espboost", "loss": ESPBoost(n_rounds).fit(*sample.given).loss(*test)}

    voted, beta = _online(sample, "majority_vote_online", settings)
    yield nothing | {"method": "majority_vote_online", "loss": voted.loss(*test), "beta": beta}

    drawn, beta = _online(sample, "random_path", settings)
    assert isinstance(drawn, RandomPath)
    yield nothing | {"method": "random_path", "loss": drawn.expected_loss(*test), "beta": beta}

    stepwise = StepwiseEnsemble(sample.seed).fit(*sample.given[:2])
    loss = float((stepwise.vote(sample.test.predictions) != sample.test.labels).mean())
    yield nothing | {"method": "sle", "loss": loss, "n_experts": int((stepwise.counts_ > 0).sum())}

    wrong = sample.test.predictions != sample.test.labels[:, None]
    yield nothing | {"method": "best_expert", "loss": float(wrong.mean(axis=0).min())}

    yield nothing | {"method": "descent", "loss": Descent().fit(*sample.given).loss(*test)}


def _chosen_rounds(sample: Sample, settings: EnsemblesSettings) -> int:
    losses = cross_validated_losses(
        *sample.given, sample.train.sequences, settings.n_rounds, settings.n_folds, sample.seed
    )
    return choose_rounds(losses)


def _online(sample: Sample, method: str, settings: EnsemblesSettings) -> tuple[OnlineMajorityVote, float]:
    """The vote, or the draw, with its beta: the smallest cross-validated loss unless it is fixed."""
    make = {"majority_vote_online": OnlineMajorityVote, "random_path": RandomPath}[method]
    fit = partial(_fit_online, make, sample.train)
    beta = FIXED_BETAS.get((sample.dataset, method))
    if beta is None:
        folds = fold_of_positions(sample.train.sequences, settings.n_folds, sample.seed)
        losses = [
            np.mean([_held_out_loss(fit, sample.train, folds == fold, beta) for fold in range(settings.n_folds)])
            for beta in BETAS
        ]
        beta = BETAS[int(np.argmin(losses))]
    return fit(np.ones(len(sample.train.labels), dtype=bool), beta), beta


def _fit_online(make: type[OnlineMajorityVote], data: Predicted, kept: Any, beta: float) -> OnlineMajorityVote:
    given = (data.predictions[kept], data.labels[kept], data.classes[kept])
    return make(beta).fit(*given, sequences=data.sequences[kept])


def _held_out_loss(fit: Callable[..., OnlineMajorityVote], data: Predicted, held_out: Any, beta: float) -> float:
    vote = fit(~held_out, beta)
    judged = (data.predictions[held_out], data.labels[held_out], data.classes[held_out])
    return vote.expected_loss(*judged) if isinstance(vote, RandomPath) else vote.loss(*judged)


# --- theorem 3 --------------------------------------------------------------------------------------


def _mean_bounds(runs: Sequence[Checked], rhos: Sequence[float]) -> pd.DataFrame:
    """Means over runs by round and rho."""
    lengths = np.array([len(run.bounds) for run in runs])
    longest = int(lengths.max())
    sides = {"margin_loss": [run.margin_losses for run in runs], "bound": [run.bounds for run in runs]}
    means = {
        name: np.mean([np.pad(side, ((0, longest - len(side)), (0, 0)), mode="edge") for side in by_run], axis=0)
        for name, by_run in sides.items()
    }
    rounds = np.repeat(np.arange(1, longest + 1), len(rhos))
    keys = {"round": rounds, "rho": np.tile(rhos, longest), "n_runs": (lengths[:, None] >= rounds).sum(axis=0)}
    return pd.DataFrame(keys | {name: values.ravel() for name, values in means.items()})
