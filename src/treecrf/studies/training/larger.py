"""Larger samples beside the papers' test sets: repeated cross-validation, or many draws of training sequences.

They say what the papers' own test sets are too small to say. No method chooses anything again: each has the candidate and
iteration that cross-validation chose on the papers' training set.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd

from treecrf.missing import Imputer
from treecrf.models.boosted.checkpoint import Checkpoint
from treecrf.options import Decoder
from treecrf.sequences import SequenceSet
from treecrf.statistics.selection import Split, derive_seed, repeated_folds, training_draws
from treecrf.studies.framework.custom import Candidate, candidate_name
from treecrf.studies.framework.job_cache import Frames
from treecrf.studies.framework.job_context import JobContext
from treecrf.studies.training.choices import preferred_decoder
from treecrf.studies.training.methods import candidates, find_method
from treecrf.studies.training.settings import LargerSample, TrainingSettings

COUNT_NAMES = ["dataset", "sample", "method", "training", "group", "n_positions", "n_correct"]
ACCURACY_NAMES = [
    "dataset", "sample", "population", "design", "n_folds", "method", "chosen_decoder", "candidate", "iteration", "accuracy", "sd",
    "n_trainings", "n_train", "n_test", "cpu_seconds", "equivalence_margin",
]  # fmt: skip


class Larger(NamedTuple):
    """What a method finds on a larger sample.

    Attributes
    ----------
    larger_counts : DataFrame
        Columns `COUNT_NAMES`: correct positions by training and group of related sequences that tests; dataset is that of the
        papers which the sample is larger than.
    larger_accuracies : DataFrame
        Columns `ACCURACY_NAMES`, one row: accuracy, the mean over the trainings, and their standard deviation, in percent;
        sequences of a training and of a test set, the mean; CPU seconds of all trainings.
    """

    larger_counts: pd.DataFrame
    larger_accuracies: pd.DataFrame


class Chosen(NamedTuple):
    """What a method is trained with and labels by."""

    candidate: Candidate
    iteration: int
    decoder: Decoder


def score_larger(job: JobContext[TrainingSettings]) -> Larger:
    """One method on one larger sample, `job.dataset`, with what it chose on the papers' data set.

    Of draws, the test set alone is the sample: the papers' training sequences, on which settings were chosen, take no part.
    Without rows where the method has chosen nothing, since it could not be run.
    """
    method, settings, choice = job.method, job.settings, job.choice
    assert choice is not None
    sample = settings.larger_samples[job.dataset]
    data, splits = sample_splits(sample, job.train, job.test, derive_seed(job.seed, job.dataset, "larger"))
    of_method = choice[choice["method"] == method]
    if of_method.empty:
        return Larger(pd.DataFrame(columns=COUNT_NAMES), pd.DataFrame(columns=ACCURACY_NAMES))
    chosen = as_chosen(of_method, method, settings)
    trainings = job.cache.all_finished(
        {
            f"larger_{place}": partial(_test_one, data, split, method, settings, chosen, job.window)
            for place, split in enumerate(splits)
        }
    )
    names = {"dataset": sample.of, "sample": job.dataset, "method": method}
    counts = pd.concat([frame.assign(training=place, **names) for place, (frame, _) in enumerate(trainings)])
    by_training = counts.groupby("training")[["n_correct", "n_positions"]].sum()
    percent = 100 * by_training["n_correct"] / by_training["n_positions"]
    accuracies = {
        **names, "population": sample.population, "design": sample.design, "n_folds": sample.n_folds or len(splits),
        "chosen_decoder": chosen.decoder, "candidate": candidate_name(chosen.candidate), "iteration": chosen.iteration,
        "accuracy": percent.mean(), "sd": percent.std(ddof=1), "n_trainings": len(splits),
        "n_train": np.mean([len(split.train) for split in splits]), "n_test": np.mean([len(split.test) for split in splits]),
        "cpu_seconds": sum(float(seconds["cpu_seconds"].iloc[0]) for _, seconds in trainings),
        "equivalence_margin": settings.equivalence_margin,
    }  # fmt: skip
    return Larger(counts[COUNT_NAMES].reset_index(drop=True), pd.DataFrame([accuracies])[ACCURACY_NAMES])


def sample_splits(
    sample: LargerSample, train: SequenceSet, test: SequenceSet, seed: int
) -> tuple[SequenceSet, list[Split]]:
    """The sequences that take part, and what trains and tests in turn."""
    if sample.design == "draws":
        return test, training_draws(test.groups, sample.n_train or len(train), sample.n_repeats, seed)
    whole = SequenceSet.concatenate([train, test])
    return whole, repeated_folds(whole.groups, sample.n_folds, sample.n_repeats, seed)


def as_chosen(choice: pd.DataFrame, method: str, settings: TrainingSettings) -> Chosen:
    """The preferred decoder, the candidate that most splits chose, and the median of their iterations with it.

    `choice` is that of one method (`treecrf.studies.training.jobs.TrainingOutcome`); among equals the first candidate of the grid wins.
    """
    decoder = preferred_decoder(choice)
    chosen = choice[choice["decoder"] == decoder]
    name = chosen.sort_values("rank", kind="stable")["candidate"].value_counts(sort=False).idxmax()
    iteration = int(chosen.loc[chosen["candidate"] == name, "iteration"].median())
    by_name = {candidate_name(candidate): candidate for candidate in candidates(method, settings)}
    return Chosen(by_name[str(name)], iteration, decoder)


def _test_one(
    data: SequenceSet,
    split: Split,
    method: str,
    settings: TrainingSettings,
    chosen: Chosen,
    window: tuple[int, int],
    _checkpoint: Checkpoint | None,
) -> Frames:
    """Train once and test: correct positions by group of related sequences, and the CPU seconds of training."""
    train, test = data.select(split.train), data.select(split.test)
    if train.has_missing or test.has_missing:
        fill = Imputer().fit(train)
        train, test = fill.transform(train), fill.transform(test)
    build = find_method(method, settings).build
    model = build(settings, chosen.candidate, window, None)
    if model.has_stages:
        shorter = settings.model_copy(update={"n_iterations": chosen.iteration})
        model = build(shorter, chosen.candidate, window, None)
    seconds: list[float] = []
    model.fit(train, monitor=lambda _i, by_phase, _ll: seconds.append(sum(by_phase.values())))
    right = model.predict(test, chosen.decoder) == model.align_labels(test)
    found = pd.DataFrame({"group": np.repeat(test.groups, test.lengths), "n_correct": right, "n_positions": 1})
    return found.groupby("group").sum().reset_index(), pd.DataFrame({"cpu_seconds": seconds[-1:]})
