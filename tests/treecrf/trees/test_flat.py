"""The flat form of a forest against its trees, row by row."""

import itertools

import numpy as np
import pytest

import treecrf
from treecrf import MEMM, MISSING, Attribute, SequenceSet, TreeCRF, chain
from treecrf.trees import flat
from treecrf.trees.flat import FlatForest
from treecrf.trees.forest import join_trees, make_tree


def random_set(seed, n_sequences=30, n_labels=3, categories=(4, 2), longest=12):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, longest + 1, n_sequences)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    labels = rng.integers(0, n_labels, offsets[-1])
    values = np.stack([(labels + rng.integers(0, size, len(labels))) % size for size in categories], axis=1)
    attributes = tuple(Attribute(f"a{j}", tuple("abcdefghijkl"[:size])) for j, size in enumerate(categories))
    return SequenceSet(values, offsets, attributes, labels, tuple("XYZ"[:n_labels]))


@pytest.fixture(params=["table", "sets"])
def form(request, monkeypatch):
    """Whether the potentials of all windows are in a table, whatever they would be by their number."""
    monkeypatch.setattr(flat, "MAX_TABLE", {"table": 10**9, "sets": 0}[request.param])
    return request.param


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize(
    ("window", "categories"), [((0, 0), (5,)), ((1, 0), (4,)), ((1, 1), (3,)), ((0, 1), (4, 2)), ((2, 2), (3,))]
)
def test_potentials_equal_those_of_the_trees(form, order, window, categories):
    train, test = (random_set([part, order], categories=categories) for part in range(2))
    model = TreeCRF(12, 9, 0.5, window, order, random_state=0, start_noise=0.3).fit(train)
    flat = model.flattened()
    assert (flat.flat_.table is not None) == (form == "table")
    np.testing.assert_allclose(flat.potentials(test), model.potentials(test), rtol=0, atol=1e-9)
    for decoder in ("forward_backward", "viterbi"):
        np.testing.assert_array_equal(flat.predict(test, decoder), model.predict(test, decoder))


def test_unseen_categories_fail_every_test(form):
    train = random_set(0, categories=(3, 2))
    model = TreeCRF(10, 9, 0.5, (1, 1)).fit(train)
    test = random_set(1, categories=(6, 2))
    with pytest.warns(UserWarning, match="was not in the training set"):
        expected = model.potentials(test)
    with pytest.warns(UserWarning, match="was not in the training set"):
        np.testing.assert_allclose(model.flattened().potentials(test), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("n_windows", [1, 63, 64, 65, 200])
def test_windows_are_cut_into_words_and_chunks(monkeypatch, n_windows):
    monkeypatch.setattr(flat, "MAX_TABLE", 0)
    monkeypatch.setattr(flat, "CHUNK", 128)
    model = TreeCRF(8, 9, 0.5, (2, 1)).fit(random_set(2))
    offsets = np.array([0, n_windows])
    test = SequenceSet(
        np.random.default_rng(3).integers(0, 2, (n_windows, 2)),
        offsets,
        model.attributes_,
    )
    np.testing.assert_allclose(model.flattened().potentials(test), model.potentials(test), rtol=0, atol=1e-9)


# --- trees written by hand --------------------------------------------------------------------------


def make_forest(trees):
    """Trees of (parent, column, code or codes) splits and leaf values."""
    made = []
    for splits, values in trees:
        sets = [np.atleast_1d(split[2]) for split in splits]
        tree = make_tree(len(values))._replace(codes=np.concatenate([*sets, []]).astype(np.int32))
        tree.first_code[1:] = np.cumsum([len(codes) for codes in sets])
        tree.parents[:], tree.columns[:] = [split[0] for split in splits], [split[1] for split in splits]
        tree.values[:] = values
        made.append(tree)
    return join_trees(made)


def random_forest(rng, n_trees, n_leaves, sizes, n_labels, order, most_codes=1):
    def random_split(i):
        column = int(rng.integers(0, len(sizes) + order))
        n_codes = int(sizes[column] if column < len(sizes) else n_labels + 1)
        n_chosen = int(rng.integers(1, min(most_codes, n_codes) + 1))
        return rng.integers(0, i + 1), column, np.sort(rng.choice(n_codes, n_chosen, replace=False))

    return make_forest(
        [([random_split(i) for i in range(n_leaves - 1)], rng.normal(size=n_leaves)) for _ in range(n_trees)]
    )


def holds(column, codes, window, labels):
    return (window[column] if column < len(window) else labels[column - len(window)]) in codes


def descended(forest, codes, labels_of_state, start):
    """Potentials by making each tree's splits with every row."""
    potentials = np.repeat(start[:, None, :], len(codes), axis=1)
    for index in range(forest.n_trees):
        tree = forest.tree(index)
        for position, window in enumerate(codes):
            for state, labels in enumerate(labels_of_state):
                leaf = 0
                for i, (parent, column) in enumerate(zip(tree.parents, tree.columns, strict=True)):
                    if leaf == parent and holds(column, tree.test(i), window, labels):
                        leaf = i + 1
                potentials[index % len(start), position, state] += tree.values[leaf]
    return potentials


@pytest.mark.parametrize("order", [0, 1, 2])
def test_potentials_equal_those_of_one_row_after_another(form, order):
    rng = np.random.default_rng([4, order])
    sizes, n_labels = np.array([3, 2, 4]), 2
    labels_of_state = chain.StateSpace(n_labels, order).labels_of_state
    start = rng.normal(size=(n_labels, len(labels_of_state)))
    forest = random_forest(rng, 6, 8, sizes, n_labels, order, most_codes=3)
    codes = np.array(list(itertools.product(*(range(size + 1) for size in sizes))), dtype=np.uint8)
    potentials = FlatForest(forest, sizes, labels_of_state, start).potentials(codes)
    np.testing.assert_allclose(potentials, descended(forest, codes, labels_of_state, start), rtol=0, atol=1e-9)


# --- the model --------------------------------------------------------------------------------------


def refuse_trees(monkeypatch):
    def walk(*_):
        raise AssertionError("the trees were walked")

    monkeypatch.setattr("treecrf.models.boosted.potentials.make_evaluator", walk)


@pytest.mark.parametrize("kind", [TreeCRF, MEMM])
def test_files_remember_the_flat_form(tmp_path, monkeypatch, kind):
    model = kind(6, 9, 0.5, (1, 1)).fit(random_set(7))
    flat, test = model.flattened(), random_set(8)
    np.testing.assert_allclose(flat.potentials(test), model.potentials(test), rtol=0, atol=1e-9)
    for name, labeller in (("trees", model), ("flat", flat)):
        labeller.save(tmp_path / name)
    assert treecrf.load(tmp_path / "trees").flat_ is None
    refuse_trees(monkeypatch)
    np.testing.assert_array_equal(treecrf.load(tmp_path / "flat").potentials(test), flat.potentials(test))


@pytest.mark.parametrize("missing", ["instance_weighting", "surrogate_splitting", "default_direction"])
def test_rows_that_divide_go_through_the_trees(missing):
    complete, holes = random_set(13), random_set(14).values.copy()
    holes[::3, 0] = MISSING
    damaged = random_set(14).with_values(holes)
    model = TreeCRF(4, 6, 0.5, missing=missing).fit(damaged)
    flat = model.flattened()
    np.testing.assert_array_equal(flat.predict_proba(damaged), model.predict_proba(damaged))
    np.testing.assert_allclose(flat.predict_proba(complete), model.predict_proba(complete), rtol=1e-9)
