"""Splits, folds and seeds."""

import numpy as np
import pytest

from treecrf.statistics.selection import derive_seed, hold_out, inner_trials, outer_splits, sequence_folds


def test_folds_hold_every_sequence_once_and_depend_on_names():
    folds = sequence_folds(np.arange(11), 3, derive_seed(0, "protein", "folds"))
    assert sorted(np.concatenate(folds)) == list(range(11))
    assert [len(fold) for fold in folds] == [4, 4, 3]
    assert derive_seed(0, "protein", "folds") != derive_seed(0, "nettalk", "folds")
    assert derive_seed("ab", "c") != derive_seed("a", "bc")
    with pytest.raises(ValueError, match="3 folds need as many unrelated sequences and there are 2; lower n_folds"):
        sequence_folds(np.array([7, 4, 7, 4]), 3, 0)


GROUPS = np.array([3, 8, 3, 5, 9, 8, 3, 1, 0, 2])


def test_no_fold_trains_with_a_relative_of_what_it_holds_out():
    folds = sequence_folds(GROUPS, 3, seed=4)
    assert sorted(np.concatenate(folds)) == list(range(10))
    for fold in folds:
        assert not np.isin(GROUPS[fold], np.delete(GROUPS, fold)).any()
    assert sorted(len(set(GROUPS[fold])) for fold in folds) == [2, 2, 3]


@pytest.mark.parametrize("share", [0.0, 0.3, 0.5, 1.0])
def test_what_is_held_out_has_no_relatives_among_the_rest(share):
    fitted, held_out = hold_out(GROUPS, share, seed=4)
    assert sorted([*fitted, *held_out]) == list(range(10))
    assert not np.isin(GROUPS[fitted], GROUPS[held_out]).any()
    assert len(set(GROUPS[held_out])) == min(max(round(share * 7), 1), 6)
    with pytest.raises(ValueError, match="no two unrelated sequences"):
        hold_out(np.zeros(5, int), share, seed=4)


def test_unrelated_sequences_are_drawn_whatever_their_numbers():
    for numbers in (np.arange(8), np.array([5, 1, 9, 0, 7, 2, 3, 8])):
        assert [f.tolist() for f in sequence_folds(numbers, 3, 1)] == [
            f.tolist() for f in sequence_folds(np.arange(8), 3, 1)
        ]


def test_one_split_tests_with_the_test_set():
    (split,) = outer_splits(4, 2, "split")
    assert (split.train.tolist(), split.test.tolist()) == ([0, 1, 2, 3], [4, 5])


def test_documents_test_in_turn():
    splits = outer_splits(2, 1, "leave_one_out")
    assert [(split.train.tolist(), split.test.tolist()) for split in splits] == [
        ([1, 2], [0]),
        ([0, 2], [1]),
        ([0, 1], [2]),
    ]


def test_folds_of_one_split_never_hold_what_they_train_with():
    trials = inner_trials(outer_splits(7, 2, "split"), np.arange(9), 3, seed=1)
    assert [held[0][:2] for _, held in trials] == [(0, 0), (0, 1), (0, 2)]
    for train, ((_, _, held_out),) in trials:
        assert sorted([*train, *held_out]) == list(range(7))
    assert sorted(i for _, ((_, _, held_out),) in trials for i in held_out) == list(range(7))


def test_left_out_documents_are_those_of_nested_cross_validation():
    """Every (testing document, held-out document) once, trained with all the others; each pair is trained once."""
    splits = outer_splits(4, 1, "leave_one_out")
    trials = inner_trials(splits, np.zeros(5, int), 5, seed=0)
    assert len(trials) == 10
    found = {
        (split, fold): (train.tolist(), held_out.tolist()) for train, held in trials for split, fold, held_out in held
    }
    expected = {(i, j): ([d for d in range(5) if d not in (i, j)], [j]) for i in range(5) for j in range(5) if i != j}
    assert found == expected
    with pytest.raises(ValueError, match="2 documents cannot be left out in turn for testing and choosing; give three"):
        inner_trials(outer_splits(1, 1, "leave_one_out"), np.arange(2), 5, seed=0)


@pytest.mark.parametrize(
    ("n_documents", "n_folds", "expected"),
    [(9, 5, 4), (9, 8, 8), (9, 2, 2), (8, 7, 7), (8, 6, 6), (5, 5, 4), (3, 2, 2)],
)
def test_no_more_documents_are_held_out_than_folds(n_documents, n_folds, expected):
    trials = inner_trials(outer_splits(n_documents - 1, 1, "leave_one_out"), np.arange(n_documents), n_folds, seed=0)
    held = [(split, fold) for _, parts in trials for split, fold, _ in parts]
    assert len(held) == len(set(held)) == n_documents * expected
    assert {sum(split == i for split, _ in held) for i in range(n_documents)} == {expected}
    assert all(split != fold for split, fold in held)
