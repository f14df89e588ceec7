"""Counts added up, rates left out where methods cannot differ, and frequencies of features."""

import numpy as np
import pandas as pd

from treecrf.sequences import Attribute, SequenceSet
from treecrf.studies.missing.summary import comparable, evaluations, feature_frequencies

COUNTS = ["dataset", "rate", "method", "training_set", "test_set", "sequence", "n_positions", "n_correct"]


def test_evaluations_sum_over_sequences():
    counts = pd.DataFrame(
        [
            ("toy", 0.1, "b", 0, 0, 0, 5, 3),
            ("toy", 0.1, "b", 0, 0, 1, 7, 6),
            ("toy", 0.1, "b", 0, 1, 0, 5, 1),
            ("toy", 0.1, "b", 1, 0, 0, 5, 2),
            ("toy", 0.1, "a", 0, 0, 0, 5, 4),
            ("toy", 0.1, "a", 0, 0, 1, 7, 0),
            ("toy", 0.2, "b", 0, 0, 0, 5, 5),
            ("box", 0.1, "b", 0, 0, 0, 9, 8),
        ],
        columns=COUNTS,
    )
    assert evaluations(counts).to_numpy().tolist() == [
        ["toy", 0.1, "b", 0, 0, 12, 9],
        ["toy", 0.1, "b", 0, 1, 5, 1],
        ["toy", 0.1, "b", 1, 0, 5, 2],
        ["toy", 0.1, "a", 0, 0, 12, 4],
        ["toy", 0.2, "b", 0, 0, 5, 5],
        ["box", 0.1, "b", 0, 0, 9, 8],
    ]
    assert evaluations(counts).columns.tolist() == [name for name in COUNTS if name != "sequence"]


def test_comparable_leaves_out_rates_at_which_methods_cannot_differ():
    def rows(dataset, rate, correct_a, correct_b):
        return [
            (dataset, rate, method, 0, 0, sequence, 9, value)
            for method, correct in (("a", correct_a), ("b", correct_b))
            for sequence, value in enumerate(correct)
        ]

    same = rows("same", 0.0, (5, 6), (5, 6))  # all agree and nothing is missing: left out
    swapped = rows("swapped", 0.0, (5, 6), (6, 5))  # the sums agree, the sequences do not
    differs = rows("differs", 0.0, (5, 6), (5, 7))
    damaged = rows("same", 0.1, (5, 6), (5, 6))  # all agree by chance
    counts = pd.DataFrame(same + swapped + differs + damaged, columns=COUNTS)
    kept = comparable(counts)
    assert kept.equals(counts[len(same) :])
    assert comparable(counts[: len(same)]).empty


def test_frequencies_of_features():
    attributes = (
        Attribute("rare", ("no", "yes")),
        Attribute("letter", ("a", "b", "c")),
        Attribute("hidden", ("no", "yes")),
        Attribute("turned", ("yes", "no")),
    )
    values = [[0, 2, -1, 1], [1, 0, -1, 1], [0, -1, -1, 0], [0, 1, -1, -1], [-1, 1, -1, 1]]
    frequencies = feature_frequencies("toy", SequenceSet(values, [0, 5], attributes))
    assert frequencies.columns.tolist() == ["dataset", "feature", "number", "share_true"]
    assert frequencies[["dataset", "feature", "number"]].to_numpy().tolist() == [
        ["toy", "rare", 1],
        ["toy", "hidden", 3],
        ["toy", "turned", 4],
    ]
    np.testing.assert_array_equal(frequencies["share_true"], [1 / 4, np.nan, 3 / 4])  # of the cells that are seen
    letters = SequenceSet([[0], [1]], [0, 2], attributes[1:2])
    assert feature_frequencies("toy", letters).columns.tolist() == frequencies.columns.tolist()
    assert feature_frequencies("toy", letters).empty
