"""What a model goes by: columns whose cells change places, contributions to a label, gains of trees."""

import numpy as np
import pytest
from explained import COLUMNS, made

from treecrf import SequenceSet, TreeCRF
from treecrf.automl.explanation import (
    BEFORE,
    gain_importance,
    permutation_importance,
    split_gains,
    used_tests,
)
from treecrf.automl.labeller import TableLabeller
from treecrf.missing import Imputer, inject
from treecrf.models.linear.linear_crf import LinearCRF
from treecrf.models.window.classifiers import WindowLightGBM
from treecrf.readers.tables import TableColumns


def test_what_decides_is_missed(model):
    data = made(1)
    losses = permutation_importance(model, data, 0)
    assert losses.loc[0, "attribute"] == "letter"
    assert losses.loc[0, "low"] > 30
    others = losses[1:]
    assert set(others["attribute"]) == {"noise", "size"}
    assert (others["lost"].abs() < 5).all()
    assert permutation_importance(model, data, 0).equals(losses)


def test_positions_count_what_they_weigh(model):
    """Sequences in which the letter says nothing have weight 0: with the others alone the loss is that of these."""
    data = made(1)
    odd = np.repeat(np.arange(40) % 2 == 1, 10)
    rng = np.random.default_rng(2)
    spoilt = data.with_labels(np.where(odd, rng.integers(0, 3, 400), data.labels), data.label_names)
    lost = [
        permutation_importance(model, spoilt, 0, weights=weights).loc[0, "lost"]
        for weights in (np.where(odd, 0.0, 2.0), None, np.ones(400))
    ]
    assert lost[0] > 1.5 * lost[1] > 0
    assert lost[1] == lost[2]


def test_holes_move_as_other_cells_do():
    data = inject(made(4), 0.2, np.random.default_rng(0))
    transform = Imputer(add_indicator=True).fit(data)
    labeller = LinearCRF(window=(1, 0), max_iterations=5).fit(transform.transform(data))
    losses = permutation_importance(TableLabeller(labeller, COLUMNS, transform), data, 0)
    assert set(losses["attribute"]) == {"letter", "noise", "size"}


@pytest.fixture(scope="module")
def data():
    """The first attribute of the observation before decides."""
    rng = np.random.default_rng(0)
    values = rng.integers(0, 3, (600, 2))
    labels = np.where(np.arange(600) % 10, np.roll(values[:, 0], 1), 0)
    return SequenceSet(values, np.arange(0, 601, 10), [("letter", "abc"), ("noise", "xyz")], labels, "uvw")


def test_gains_of_a_tree_as_by_a_loop(data):
    model = TreeCRF(n_iterations=1, max_leaves=6, window=(1, 0)).fit(data)
    tree = model.forest_.tree(0)
    rng = np.random.default_rng(1)
    columns = rng.integers(0, 4, (200, 5))
    nodes = {0: np.arange(200)}
    members = []
    for split, (parent, column) in enumerate(zip(tree.parents, tree.columns, strict=True)):
        inside = np.isin(columns[nodes[parent], column], tree.test(split))
        nodes[split + 1] = nodes[parent][inside]
        nodes[parent] = nodes[parent][~inside]
        members.append((parent, nodes[split + 1], nodes[parent]))
    leaf_value = np.empty(200)
    for leaf, rows in nodes.items():
        leaf_value[rows] = tree.values[leaf]
    expected = []
    for _, one, two in members:
        difference = leaf_value[one].mean() - leaf_value[two].mean() if len(one) and len(two) else 0
        expected.append(len(one) * len(two) / max(len(one) + len(two), 1) * difference**2)
    np.testing.assert_allclose(split_gains(tree, columns), expected, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize(
    "labeller",
    [TreeCRF(n_iterations=5, max_leaves=5, window=(1, 1)), WindowLightGBM(n_iterations=5, window=(1, 1))],
    ids=["TreeCRF", "LightGBM"],
)
def test_what_decides_gains_most(data, labeller):
    frame = gain_importance(labeller.fit(data), data)
    assert frame.loc[0, ["attribute", "distance"]].tolist() == ["letter", -1]
    assert frame.loc[0, "gain"] > 0.8
    assert frame["gain"].sum() == pytest.approx(1)


def test_labels_before_and_numbers_have_names():
    rng = np.random.default_rng(2)
    labels = np.cumsum(rng.random(300) < 0.1) % 2  # they last: the label before tells most
    data = SequenceSet(
        rng.integers(0, 2, (300, 1)),
        np.arange(0, 301, 50),
        [("a", "xy")],
        labels,
        "uv",
        numbers=rng.normal(labels, 1.0)[:, None],
        number_names=("size",),
    )
    trees = gain_importance(TreeCRF(n_iterations=5, max_leaves=4).fit(data), data)
    assert trees.loc[0, ["attribute", "distance"]].tolist() == [BEFORE, -1]
    windows = gain_importance(WindowLightGBM(n_iterations=5, window=(0, 1)).fit(data), data)
    assert windows.loc[0, ["attribute", "distance"]].tolist() == ["size", 0]
    assert len(windows) == 2 + 4


def test_a_linear_crf_has_none(data):
    assert gain_importance(LinearCRF(max_iterations=2).fit(data), data) is None


def test_a_test_of_bins_beside_each_other_is_a_range():
    """Labels are 1 where the number is within 0.3 to 0.6."""
    numbers = np.random.default_rng(0).uniform(size=(400, 1))
    labels = ((numbers > 0.3) & (numbers < 0.6)).astype(int).ravel()
    data = SequenceSet(
        np.empty((400, 0), int), np.arange(0, 401, 10), [], labels, "ab", numbers=numbers, number_names=("size",)
    )
    trees = TreeCRF(n_iterations=3, max_leaves=3, window=(0, 0), splits="subsets").fit(data)
    tests = used_tests(TableLabeller(trees, TableColumns("sequence", "label", ("size",), ("size",))))["test"]
    assert tests.str.fullmatch(r"(size ((above|to) \S+)( to \S+)?|label 1 before .*)").all(), tests.tolist()
