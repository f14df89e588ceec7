"""Permutation of columns, and contributions that add up for every labeller."""

import itertools
import math

import numpy as np
import pytest

from treecrf import SequenceSet, TreeCRF
from treecrf.automl.explanation import explain_position, permutation_importance
from treecrf.automl.labeller import TableLabeller
from treecrf.missing import Imputer, inject
from treecrf.models.linear.linear_crf import LinearCRF
from treecrf.models.window.classifiers import WindowLightGBM
from treecrf.readers.tables import TableColumns


def made(seed=0, n_sequences=40):
    """The letter before decides; numbers say nothing."""
    rng = np.random.default_rng(seed)
    n = 10 * n_sequences
    values = rng.integers(0, 3, (n, 2))
    labels = np.where(np.arange(n) % 10, np.roll(values[:, 0], 1), 0)
    return SequenceSet(
        values, np.arange(0, n + 1, 10), [("letter", "abc"), ("noise", "xyz")], labels, "uvw",
        numbers=rng.normal(size=(n, 1)), number_names=("size",),
    )  # fmt: skip


COLUMNS = TableColumns("sequence", "label", ("letter", "noise", "size"), ("size",))
LABELLERS = {
    "trees": TreeCRF(n_iterations=5, max_leaves=5, window=(1, 1)),
    "linear": LinearCRF(window=(1, 1), max_iterations=20),
    "lightgbm": WindowLightGBM(n_iterations=5, window=(1, 1)),
}


@pytest.fixture(scope="module", params=list(LABELLERS))
def model(request):
    return TableLabeller(LABELLERS[request.param].fit(made()), COLUMNS)


def test_what_decides_is_missed(model):
    data = made(1)
    losses = permutation_importance(model, data, 0)
    assert losses.loc[0, "attribute"] == "letter"
    assert losses.loc[0, "low"] > 30
    others = losses[1:]
    assert set(others["attribute"]) == {"noise", "size"}
    assert (others["lost"].abs() < 5).all()
    assert permutation_importance(model, data, 0).equals(losses)


def test_contributions_add_up(model):
    data = made(2)
    found = explain_position(model, data, 3, 5, 0)
    probabilities = model.labeller.predict_proba(data)[35]
    names = model.labeller.label_names_
    by_name = dict(zip(names, probabilities, strict=True))
    assert found.predicted == names[probabilities.argmax()]
    assert found.log_odds == pytest.approx(math.log(by_name[found.predicted] / by_name[found.runner_up]), rel=1e-9)
    table = found.contributions
    assert table["contribution"].sum() == pytest.approx(found.log_odds - found.typical_log_odds, abs=1e-9)
    assert table["distance"].dropna().tolist() == [-3, -2, -1, 0, 1, 2, 3]
    assert table["distance"].isna().sum() == 1
    if data.values[34, 0] != np.bincount(data.values[:, 0]).argmax():
        assert table.loc[table["contribution"].abs().idxmax(), "distance"] == -1


def test_contributions_are_shapley_values_where_all_orders_are_drawn(monkeypatch):
    """With three observations, every order and its reverse: all subsets, weighted."""
    data = made(3)
    short = SequenceSet(
        data.values[:3], [0, 3], data.attributes, data.labels[:3], data.label_names,
        numbers=data.numbers[:3], number_names=data.number_names,
    )  # fmt: skip
    model = TableLabeller(LABELLERS["linear"].fit(data), COLUMNS)
    both = SequenceSet.concatenate([short, data])
    monkeypatch.setattr(
        "treecrf.automl.explanation._draw_orders",
        lambda n, *_: [np.array(order) for order in itertools.permutations(range(n))],
    )
    found = explain_position(model, both, 0, 1, 0)
    values, numbers = (
        np.array([np.bincount(column).argmax() for column in both.values.T]),
        np.median(both.numbers, axis=0),
    )

    def worth(present):
        mask = np.isin(np.arange(3), present)[:, None]
        changed = short.with_values(np.where(mask, short.values, values)).with_numbers(
            np.where(mask, short.numbers, numbers)
        )
        probabilities = dict(zip(data.label_names, model.labeller.predict_proba(changed)[1], strict=True))
        return math.log(probabilities[found.predicted] / probabilities[found.runner_up])

    for player, value in enumerate(found.contributions["contribution"]):
        others = [other for other in range(3) if other != player]
        expected = sum(
            (worth([*some, player]) - worth(list(some))) / (3 * math.comb(2, size))
            for size in range(3)
            for some in itertools.combinations(others, size)
        )
        assert value == pytest.approx(expected, abs=1e-9)


def test_holes_are_filled_as_the_model_does():
    data = inject(made(4), 0.2, np.random.default_rng(0))
    transform = Imputer(add_indicator=True).fit(data)
    labeller = LinearCRF(window=(1, 0), max_iterations=5).fit(transform.transform(data))
    model = TableLabeller(labeller, COLUMNS, transform)
    found = explain_position(model, data, 0, 4, 0)
    assert found.contributions["contribution"].sum() == pytest.approx(found.log_odds - found.typical_log_odds, abs=1e-9)
    assert set(permutation_importance(model, data, 0)["attribute"]) == {"letter", "noise", "size"}
