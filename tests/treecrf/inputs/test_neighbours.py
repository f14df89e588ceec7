"""Neighbours and pairs of them against loops over sequences."""

import numpy as np
import pytest

from treecrf import SequenceSet
from treecrf.automl.candidates import derivable_blocks, make_candidates, text_candidates
from treecrf.automl.choice import choose
from treecrf.automl.cross_validation import make_folds
from treecrf.automl.fitting import FitOptions
from treecrf.inputs import DerivedInputs, neighbours
from treecrf.inputs.neighbours import OUTSIDE, PAIRS, paired, shifted
from treecrf.sequences import MISSING

CATEGORIES = ("a", "b", "c")


@pytest.fixture
def column():
    rng = np.random.default_rng(0)
    return rng.integers(-1, 3, 30).astype(np.int32), np.array([0, 1, 12, 12, 30])


def texts(codes, names):
    return [None if code == MISSING else names[code] for code in codes]


def at(words, offsets, place, step):
    sequence = np.searchsorted(offsets, place, side="right") - 1
    there = offsets[sequence] <= place + step < offsets[sequence + 1]
    return words[place + step] if there else OUTSIDE


@pytest.mark.parametrize("step", [-2, -1, 1, 3])
def test_neighbours_are_of_the_same_sequence(column, step):
    codes, offsets = column
    words = texts(codes, CATEGORIES)
    expected = [at(words, offsets, place, step) for place in range(30)]
    assert texts(*shifted(codes, CATEGORIES, offsets, step)) == expected


@pytest.mark.parametrize("kind", PAIRS)
def test_pairs(column, kind):
    codes, offsets = column
    words = texts(codes, CATEGORIES)
    both = [[at(words, offsets, place, step) for step in PAIRS[kind]] for place in range(30)]
    expected = [None if None in pair else " ".join(pair) for pair in both]
    assert texts(*paired(codes, CATEGORIES, offsets, kind)) == expected


def test_of_too_many_pairs_those_that_occur_once_are_one(monkeypatch):
    codes, offsets = np.array([0, 1, 0, 1, 2], dtype=np.int32), np.array([0, 5])
    monkeypatch.setattr(neighbours, "MAX_CATEGORIES", 3)
    found = texts(*paired(codes, CATEGORIES, offsets, "pair_after"))
    assert found == ["a b", "(rare)", "a b", "(rare)", "(rare)"]


def words_set(letters=5):
    rng = np.random.default_rng(0)
    names = [f"{i:0{letters}}" for i in range(150)]
    values = np.column_stack([rng.integers(0, 150, 600), rng.integers(0, 2, 600)])
    return SequenceSet(values, np.arange(0, 601, 10), [("word", names), ("flag", "yn")], values[:, 1], "uv")


def test_text_is_seen_as_users_of_crfsuite_write_it_down():
    data = words_set()
    names = {derivation.name for derivation in DerivedInputs(("neighbours",)).fit(data).derivations_}
    near = {f"{name}: {k} {side}" for name in ("word", "flag") for k in (1, 2) for side in ("before", "after")}
    pairs = {"word: pair with the one before", "word: pair with the one after", "word: pair around"}
    assert names == near | pairs
    assert DerivedInputs(("neighbours",)).fit(data).reach == (2, 2)
    characters = data.with_values(data.values, [("c", [chr(0x4E00 + i) for i in range(150)]), data.attributes[1]])
    assert DerivedInputs(("neighbours",)).fit(characters).reach == (3, 3)
    few = data.with_values(data.values % 2, [("word", "ab"), data.attributes[1]])
    assert DerivedInputs(("neighbours",)).fit(few).derivations_ == ()


def test_text_is_a_candidate_of_linear_crfs_alone():
    data = words_set()
    blocks = derivable_blocks(data, None)
    assert blocks == [None, ("words",), ("words", "neighbours")]
    [first] = text_candidates(data, "auto", {"iterations": 5}, blocks)
    assert (first.method, first.derived, first.window) == ("linear_crf", ("words", "neighbours"), (0, 0))
    assert (first.settings["min_count"], first.iterations, first.inputs) == (2, 5, "+words,neighbours")
    for method in ("linear_crf", "treecrf_newton"):
        tried = [each for part in make_candidates(method, data, [(0, 0)], "auto", {}, blocks) for each in part]
        assert {each.derived for each in tried} == {None, ("words",)}
    labeller = first.build_whole(FitOptions())[0]
    assert labeller.fit(data).predict(data).shape == (600,)
    folds = make_folds(data, 0, 10_000)
    for options, is_tried in ((FitOptions(budget=9), True), (FitOptions(budget=9, window=(1, 1)), False)):
        table = choose(folds, [(1, 1)], {"linear_crf": {"iterations": 3}}, options).table
        assert ("+words,neighbours" in table["inputs"].tolist()) == is_tried


def test_what_a_user_derives_is_added_and_replaces_nothing():
    data = words_set()
    assert derivable_blocks(data, ("words",)) == [None, ("words",)]
    assert derivable_blocks(data, ()) == [None]
