"""Folds that all methods share on a data set."""

from __future__ import annotations

import pandas as pd

from treecrf.sequences import SequenceSet
from treecrf.statistics.selection import derive_seed, inner_trials, outer_splits
from treecrf.studies.training.settings import TrainingSettings


def shared(
    dataset: str, train: SequenceSet, test: SequenceSet, protocol: str, settings: TrainingSettings, seed: int
) -> dict[str, pd.DataFrame]:
    """The sequences that each fold of the internal cross-validation holds out.

    Returns
    -------
    dict of DataFrame
        folds: dataset, split, fold, sequence (of the training set, or of training and test set where each in turn tests).
    """
    splits = outer_splits(len(train), len(test), protocol)
    documents = SequenceSet.concatenate([train, test]) if len(splits) > 1 else train
    trials = inner_trials(splits, documents.groups, settings.n_folds, derive_seed(seed, dataset, "folds"))
    rows = [
        {"dataset": dataset, "split": split, "fold": fold, "sequence": int(sequence)}
        for trial in trials
        for split, fold, sequences in trial.held_out
        for sequence in sequences
    ]
    return {"folds": pd.DataFrame(rows)}
