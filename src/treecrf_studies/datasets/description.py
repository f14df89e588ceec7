"""Descriptions of data sets, and counts of their training and test sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from treecrf.grouping import Rule, find_groups
from treecrf.sequences import SequenceSet

OWN_SPLIT, OTHER_DRAW = "the paper's own split", "the paper's data, other draw"
GENERATED, OTHER_CORPUS = "generated anew", "another corpus"

SAMPLES = (OWN_SPLIT, OTHER_DRAW, GENERATED, OTHER_CORPUS)
"""What a measured number is of, from the paper's own data to others: `Description.sample`."""


@dataclass(frozen=True)
class Description:
    """What is known of a data set.

    Attributes
    ----------
    name, summary : str
    window : (int, int)
        Observations before and after a position that its labellers see, unless stated otherwise.
    files : tuple of str
        Raw files, below the folder of raw files; empty for generated sets.
    protocol : "split" or "leave_one_out"
        How accuracy is measured in the papers.
    stand_in : str or None
        For what it stands in, and why.
    source : str
        Citation and terms.
    loader : callable
        Options to (train, test); takes the folder of raw files first where the set is not generated.
    whole : callable or None
        The same for all documents as one set.
    kind : "files", "generated" or "table"
        Whether it is made from raw files, by a program, or from a table of the user's.
    is_drawn : bool
        Whether draws of it differ: the option ``seed`` decides which sequences are in the sets.
    n_folds : int
        In how many ways one seed divides its sequences, by the option ``fold``; 1 where there is no such option.
    groups : "none", "copies" or mapping
        Which sequences count as related (`treecrf.grouping.find_groups`), unless stated otherwise.
    """

    name: str
    summary: str
    window: tuple[int, int]
    loader: Callable[..., tuple[SequenceSet, SequenceSet]]
    files: tuple[str, ...] = ()
    protocol: str = "split"
    stand_in: str | None = None
    source: str = "generated"
    whole: Callable[..., SequenceSet] | None = None
    kind: str = "files"
    is_drawn: bool = False
    n_folds: int = 1
    groups: Rule = "copies"

    @property
    def sample(self) -> str:
        """What a number that is measured on it is of, beside one that a paper prints: one of `SAMPLES`."""
        if self.stand_in:
            return OTHER_CORPUS
        if self.kind == "generated":
            return GENERATED
        return OTHER_DRAW if self.is_drawn else OWN_SPLIT

    def draw(self, number: int) -> dict[str, int]:
        """Options of `loader` for a draw, counted from 0: all folds of seed 0, then those of seed 1; none if nothing is
        drawn.
        """
        if self.n_folds > 1:
            return {"fold": number % self.n_folds, "seed": number // self.n_folds}
        return {"seed": number} if self.is_drawn else {}


RELATIONS: tuple[Rule, ...] = ("copies", {"length": 4, "share": 0.5}, {"length": 4, "share": 0.1})
"""Rules by which a description counts related sequences."""


def describe_sets(
    source: str, registered: Description, window: tuple[int, int], train: SequenceSet, test: SequenceSet
) -> dict[str, Any]:
    """Counts of a training and a test set, and whether the set `source` stands in for another one, as JSON values.

    average_length is that of a training sequence, or of any sequence where each is a test set in turn; n_features
    counts boolean features of a window as PhD table 3.6 does.
    """
    trained = [train, test] if registered.protocol == "leave_one_out" else [train]
    return {
        "source": source,
        "title": registered.summary,
        "stand_in": registered.stand_in,
        "terms": registered.source,
        "window": list(window),
        "labels": list(train.label_names),
        "n_attributes": len(train.attributes) + len(train.number_names),
        "average_length": sum(each.n_positions for each in trained) / sum(map(len, trained)),
        "n_features": count_features(train, window),
        "train": _counts(train),
        "test": _counts(test),
        "relatives": [_relatives(train, test, rule) for rule in RELATIONS],
    }


def count_features(data: SequenceSet, window: tuple[int, int]) -> int:
    """Features of a window: one for each number and each category, but one for an attribute of two; EDGE where it
    occurs.
    """
    n_edges = len(data.attributes) + len(data.number_names) if sum(window) else 0
    sizes = [len(attribute.categories) for attribute in data.attributes]
    n_features = sum(1 if size == 2 else size for size in sizes) + len(data.number_names)
    return (sum(window) + 1) * (n_features + n_edges)


def _relatives(train: SequenceSet, test: SequenceSet, rule: Rule) -> dict[str, Any]:
    """Groups of training sequences by a rule, and test sequences with a relative among the training sequences."""
    groups = find_groups(SequenceSet.concatenate([train, test]), rule)
    of_train, of_test = groups[: len(train)], groups[len(train) :]
    return {
        "rule": rule if isinstance(rule, str) else dict(rule),
        "groups": len(np.unique(of_train)),
        "related_tests": int(np.isin(of_test, of_train).sum()),
    }


def _counts(data: SequenceSet) -> dict[str, int]:
    return {
        "sequences": len(data),
        "groups": len(np.unique(data.groups)),
        "positions": data.n_positions,
        "missing_cells": data.n_missing,
    }
