"""Anchored inputs: against the naive version, in windows and trees, in files, in streams, and what is refused."""

import numpy as np
import pytest
from builders import number_set, random_set
from naive_anchors import anchored_cells
from numpy.testing import assert_array_equal

import treecrf
from treecrf import MISSING, Attribute, SequenceSet, TreeCRF
from treecrf.automl.explanation import gain_importance
from treecrf.inputs.anchors import ANCHOR_BINS, OUTSIDE, AnchoredInputs
from treecrf.models.inputs import Inputs
from treecrf.models.pipelines import ImputingLabeller
from treecrf.sequences import slot_sizes, window_codes, window_slots

SETTINGS = [(0, 0), (2, 0), (0, 3), (2, 3, ("a0",))]


def with_holes(data, share=0.2, seed=0):
    rng = np.random.default_rng(seed)
    values = np.where(rng.random(data.values.shape) < share, MISSING, data.values)
    return data.with_values(values).with_numbers(np.where(rng.random(data.numbers.shape) < share, np.nan, data.numbers))


def mixed_set(seed=0, n_sequences=12):
    """Categories and numbers with missing cells; sequences that end in observations without labels."""
    data = random_set(np.random.default_rng(seed), n_sequences, longest=6)
    rows = np.repeat(np.arange(len(data.values)), 1 + np.isin(np.arange(len(data.values)), data.offsets[1:] - 1))
    lengths = data.lengths + 1
    numbers = np.random.default_rng(seed + 1).normal(size=(len(rows), 1)).round(1)
    longer = SequenceSet(
        data.values[rows],
        data.offsets,
        data.attributes,
        data.labels,
        data.label_names,
        np.concatenate([[0], np.cumsum(lengths)]),
        numbers=numbers,
        number_names=("x",),
    )
    return with_holes(longer)


@pytest.mark.parametrize("anchors", SETTINGS, ids=str)
def test_columns_are_those_of_the_naive_version(anchors):
    train, test = mixed_set(0), mixed_set(5)
    learnt = AnchoredInputs.learn(train, anchors)
    for data in (train, test):
        codes, naive = learnt.derive(data), anchored_cells(data, *anchors)
        assert [attribute.name for attribute in learnt.attributes] == list(naive[0])
        for j, attribute in enumerate(learnt.attributes):
            assert attribute.anchored
            for code, cells in zip(codes[:, j].tolist(), naive, strict=True):
                cell = cells[attribute.name]
                found = None if code == MISSING else attribute.categories[code]
                if isinstance(cell, str) or cell is None:
                    assert found == cell
                else:
                    assert attribute.ordered
                    edges = next(e for name, e in learnt.binner.edges_.items() if attribute.name.startswith(name))
                    assert code == sum(edge < cell for edge in edges)


def test_few_distances_have_a_bin_each_and_many_share_them():
    lengths = np.array([3, 100])
    data = SequenceSet(np.zeros((103, 1)), np.append(0, lengths.cumsum()), (Attribute("a", ("x",)),))
    for length, n_bins in ((3, 3), (100, ANCHOR_BINS)):
        learnt = AnchoredInputs.learn(data[lengths == length], (0, 0))
        assert [len(attribute.categories) for attribute in learnt.attributes] == [n_bins, n_bins]


def test_windows_see_anchored_attributes_once():
    train = mixed_set()
    inputs = Inputs.learn(train, 4, 1, (1, 1))
    data = inputs.apply(train, "error")
    slots = window_slots(data.attributes, (2, 1))
    assert [slot for slot in slots if not data.attributes[slot.attribute].anchored] == [
        (j, distance) for distance in (-2, -1, 0, 1) for j in range(3)
    ]
    assert [slot for slot in slots if data.attributes[slot.attribute].anchored] == [(j, 0) for j in range(3, 11)]
    codes = window_codes(data, (2, 1))
    assert codes.shape == (data.n_positions, len(slots)) == (data.n_positions, len(slot_sizes(data.attributes, (2, 1))))
    plain = Inputs.learn(train, 4, 1).apply(train, "error")
    assert_array_equal(codes[:, :12], window_codes(plain, (2, 1)))
    centres = np.concatenate(
        [np.arange(n) + first for n, first in zip(data.lengths, data.observation_offsets[:-1], strict=True)]
    )
    sizes = np.array([len(attribute.categories) for attribute in data.attributes[3:]])
    expected = np.where(data.values[centres, 3:] == MISSING, sizes + 1, data.values[centres, 3:])
    assert_array_equal(codes[:, 12:], expected)
    assert inputs.apply(data, "error") is data


def as_columns(data, anchors):
    """The same cells as attributes of a set that windows of one observation see."""
    learnt = AnchoredInputs.learn(data, anchors)
    attributes = [attribute._replace(anchored=False) for attribute in learnt.attributes]
    return data.with_values(np.hstack([data.values, learnt.derive(data)]), (*data.attributes, *attributes))


@pytest.mark.parametrize(
    "missing", ["error", "incorporated", "instance_weighting", "surrogate_splitting", "default_direction"]
)
@pytest.mark.parametrize("n_sequences", [20, 200])
def test_trees_are_those_on_the_same_columns(missing, n_sequences):
    """Windows of one observation: whether a column is anchored cannot matter."""
    train = random_set(np.random.default_rng(1), n_sequences, longest=8)
    if missing != "error":
        train = with_holes(train)
    anchored = TreeCRF(n_iterations=4, max_leaves=6, missing=missing, anchors=(1, 2, ("a1",))).fit(train)
    plain = TreeCRF(n_iterations=4, max_leaves=6, missing=missing).fit(as_columns(train, (1, 2, ("a1",))))
    for name in plain.forest_._fields:
        assert_array_equal(getattr(plain.forest_, name), getattr(anchored.forest_, name), err_msg=name)


def test_a_label_that_only_the_end_tells_is_found():
    """Every label of a sequence is its last category."""
    rng = np.random.default_rng(0)
    data = random_set(rng, 120, n_labels=3, n_attributes=1, longest=9)
    last = np.repeat(data.values[data.offsets[1:] - 1, 0], data.lengths)
    data = data.with_labels(last)
    train, test = data[:80], data[80:]
    settings = {"n_iterations": 10, "max_leaves": 8, "order": 0}
    blind, seeing = (TreeCRF(**settings, anchors=anchors).fit(train) for anchors in (None, (0, 1)))
    assert seeing.score(test) == 1
    assert blind.score(test) < 0.8
    gains = gain_importance(seeing, train)
    assert gains["attribute"][0] == "a0 1 from the end"
    assert seeing.split_gains().sum() == pytest.approx(seeing.forest_.gains.sum())
    assert seeing.feature_importances_.tolist() in ([0.0], [1.0])


def test_files_keep_anchored_inputs(tmp_path):
    train, test = number_set(0, 30, 2, longest=8), number_set(1, 30, 2, longest=8)
    model = TreeCRF(n_iterations=3, max_leaves=4, anchors=(1, 2, ("letter",))).fit(train)
    model.save(tmp_path / "model.npz")
    again = treecrf.load(tmp_path / "model.npz")
    assert again.attributes_ == model.attributes_
    assert_array_equal(again.predict_proba(test), model.predict_proba(test))


def test_categories_that_training_did_not_have_are_missing_at_the_ends_too():
    train = random_set(np.random.default_rng(0), 20, n_attributes=1)
    new = train.with_values(np.full_like(train.values, 3), (Attribute("a0", (*train.attributes[0].categories, "new")),))
    inputs = Inputs.learn(train, 4, 1, (0, 1))
    with pytest.warns(UserWarning, match="'new' was not in the training set"):
        seen = inputs.apply(new, "missing")
    assert set(seen.values[:, 1].tolist()) == {MISSING}


def test_what_a_sequence_does_not_have_is_outside():
    data = random_set(np.random.default_rng(0), 6, n_attributes=1)
    seen = Inputs.learn(data, 4, 1, (0, 2)).apply(data, "error")
    assert data.lengths[0] == 1
    assert data.attributes[0].categories == seen.attributes[2].categories[:-1]
    assert seen.attributes[2].categories[seen.values[0, 2]] == OUTSIDE


@pytest.mark.parametrize("wrap", [lambda model: model, ImputingLabeller])
def test_streams_are_refused(wrap):
    train = random_set(np.random.default_rng(0), 20)
    model = wrap(TreeCRF(n_iterations=2, max_leaves=4, anchors=(0, 1))).fit(train)
    for ask in (lambda: model.stream(2), lambda: model.predict(train, lag=2)):
        with pytest.raises(
            ValueError, match=r"^anchors=\(0, 1\) labels no streams, as positions see the end of the sequence; .*\.$"
        ):
            ask()


@pytest.mark.parametrize("anchors", [(1,), (0, -1), (True, 1), (1, 1, "a0"), (1, 1, (3,)), 2, (0.5, 1)])
def test_wrong_settings_are_refused(anchors):
    with pytest.raises(ValueError, match=r"^anchors=.*: give None or two whole numbers of at least 0.*\.$"):
        TreeCRF(anchors=anchors).fit(random_set(np.random.default_rng(0)))


def test_names_that_are_not_there_or_taken_are_refused():
    data = random_set(np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"^anchors: there is no attribute 'b' to count; name one of a0, a1\.$"):
        TreeCRF(anchors=(0, 0, ("b",))).fit(data)
    for name in ("place from the end", "a0 1 from the end"):
        taken = data.with_values(data.values, (data.attributes[0], Attribute(name, data.attributes[1].categories)))
        with pytest.raises(ValueError, match=rf"^two inputs are called '{name}'.*; rename .*\.$"):
            TreeCRF(anchors=(0, 1)).fit(taken)
