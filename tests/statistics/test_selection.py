"""Splits, folds and seeds."""

import numpy as np
import pytest

from treecrf.statistics.selection import derive_seed, inner_trials, outer_splits, sequence_folds


def test_folds_hold_every_sequence_once_and_depend_on_names():
    folds = sequence_folds(11, 3, derive_seed(0, "protein", "folds"))
    assert sorted(np.concatenate(folds)) == list(range(11))
    assert [len(fold) for fold in folds] == [4, 4, 3]
    assert derive_seed(0, "protein", "folds") != derive_seed(0, "nettalk", "folds")
    assert derive_seed("ab", "c") != derive_seed("a", "bc")
    with pytest.raises(ValueError, match="3 folds need as many sequences and there are 2; lower n_folds"):
        sequence_folds(2, 3, 0)


def test_one_split_tests_with_the_test_set():
    (split,) = outer_splits(4, 2, "split")
    assert (split.train.tolist(), split.test.tolist()) == ([0, 1, 2, 3], [4, 5])


def test_documents_test_in_turn():
    splits = outer_splits(2, 1, "leave_one_out")
    assert [(split.train.tolist(), split.test.tolist()) for split in splits] == [
        ([1, 2], [0]), ([0, 2], [1]), ([0, 1], [2]),
    ]  # fmt: skip


def test_folds_of_one_split_never_hold_what_they_train_with():
    trials = inner_trials(outer_splits(7, 2, "split"), 3, seed=1)
    assert [held[0][:2] for _, held in trials] == [(0, 0), (0, 1), (0, 2)]
    for train, ((_, _, held_out),) in trials:
        assert sorted([*train, *held_out]) == list(range(7))
    assert sorted(i for _, ((_, _, held_out),) in trials for i in held_out) == list(range(7))


def test_left_out_documents_are_those_of_nested_cross_validation():
    """Every (testing document, held-out document) once, trained with all the others; each pair is trained once."""
    splits = outer_splits(4, 1, "leave_one_out")
    trials = inner_trials(splits, 5, seed=0)
    assert len(trials) == 10
    found = {
        (split, fold): (train.tolist(), held_out.tolist()) for train, held in trials for split, fold, held_out in held
    }
    expected = {
        (i, j): ([d for d in range(5) if d not in (i, j)], [j]) for i in range(5) for j in range(5) if i != j
    }  # fmt: skip
    assert found == expected
    with pytest.raises(ValueError, match="2 documents cannot be left out in turn for testing and choosing; give three"):
        inner_trials(outer_splits(1, 1, "leave_one_out"), 5, seed=0)


@pytest.mark.parametrize(
    ("n_documents", "n_folds", "expected"),
    [(9, 5, 4), (9, 8, 8), (9, 2, 2), (8, 7, 7), (8, 6, 6), (5, 5, 4), (3, 2, 2)],
)
def test_no_more_documents_are_held_out_than_folds(n_documents, n_folds, expected):
    trials = inner_trials(outer_splits(n_documents - 1, 1, "leave_one_out"), n_folds, seed=0)
    held = [(split, fold) for _, parts in trials for split, fold, _ in parts]
    assert len(held) == len(set(held)) == n_documents * expected
    assert {sum(split == i for split, _ in held) for i in range(n_documents)} == {expected}
    assert all(split != fold for split, fold in held)
