"""What columns and observations contribute to the label of a position."""

import itertools
import math

import numpy as np
import pytest
from explained import COLUMNS, LABELLERS, made

from treecrf import SequenceSet, TreeCRF
from treecrf.automl.contributions import column_contributions, explain_position
from treecrf.automl.explanation import BEFORE
from treecrf.automl.fitting import average, trained_parts
from treecrf.automl.labeller import TableLabeller
from treecrf.chain import StateSpace
from treecrf.missing import Imputer, Indicator, inject
from treecrf.models.boosted.treecrf import MEMM
from treecrf.models.linear.linear_crf import LinearCRF
from treecrf.models.pipelines import DerivingLabeller
from treecrf.models.window.classifiers import WindowLightGBM


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
        data.values[:3],
        [0, 3],
        data.attributes,
        data.labels[:3],
        data.label_names,
        numbers=data.numbers[:3],
        number_names=data.number_names,
    )
    model = TableLabeller(LABELLERS["linear"].fit(data), COLUMNS)
    both = SequenceSet.concatenate([short, data])
    monkeypatch.setattr(
        "treecrf.automl.contributions._draw_orders",
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


# --- by column ----------------------------------------------------------------------------------------


def score_of(labeller, data, labels, position):
    """F of the label of a position after the labels before it, from all potentials."""
    place = position - data.offsets[np.searchsorted(data.offsets, position, side="right") - 1]
    space = StateSpace(len(labeller.label_names_), labeller.order)
    before = np.full(labeller.order, space.n_labels)
    for back in range(min(place, labeller.order)):
        before[back] = labels[position - back - 1]
    state = int((space.labels_of_state == before).all(axis=1).argmax())
    potentials = (
        next(super(MEMM, labeller)._staged_potentials(data))
        if isinstance(labeller, MEMM)
        else labeller.potentials(data)
    )
    return potentials[labels[position], position, state]


EXACT = {
    "trees": TreeCRF(n_iterations=6, max_leaves=6, window=(1, 1)),
    "subsets": TreeCRF(n_iterations=4, max_leaves=8, window=(1, 0), splits="subsets", leaf_values="newton"),
    "order 2": TreeCRF(n_iterations=4, max_leaves=6, window=(1, 0), order=2, random_state=3),
    "order 0": TreeCRF(n_iterations=4, max_leaves=6, window=(1, 0), order=0),
    "directions": TreeCRF(n_iterations=4, max_leaves=8, window=(1, 0), missing="default_direction"),
    "surrogates": TreeCRF(
        n_iterations=4, max_leaves=8, window=(1, 1), missing="surrogate_splitting", all_missing="both"
    ),
    "incorporated": TreeCRF(n_iterations=4, max_leaves=8, window=(1, 0), missing="incorporated"),
    "anchored": TreeCRF(n_iterations=4, max_leaves=8, window=(1, 0), anchors=(1, 1)),
    "local": MEMM(n_iterations=4, max_leaves=6, window=(1, 0)),
}
LINEAR = {
    "pairs": LinearCRF(window=(1, 1), max_iterations=10),
    "labels": LinearCRF(window=(1, 0), max_iterations=10, features="labels", anchors=(1, 0)),
    "both": LinearCRF(window=(0, 0), max_iterations=10, features="both"),
    "order 0": LinearCRF(window=(1, 0), max_iterations=10, order=0),
}


def check_sums(model, data, places):
    """Contributions and baseline add up to F, and every column is one of the table's."""
    ready = model.prepare(data)
    labels = model.labeller.predict(ready)
    [(labeller, seen)] = trained_parts(model.labeller, ready)
    for sequence, place in places:
        found = column_contributions(model, data, sequence, place, 0)
        position = int(data.offsets[sequence]) + place
        expected = score_of(labeller, seen, labels, position)
        assert found.is_exact
        assert found.label == labeller.label_names_[labels[position]]
        assert found.score == pytest.approx(expected, abs=1e-9)
        assert found.baseline + found.table["contribution"].sum() == pytest.approx(expected, abs=1e-9)
        assert len(found.before) == min(place, labeller.order)
        assert found.table["column"].is_unique
        yield found


@pytest.mark.parametrize("name", list(EXACT))
def test_columns_of_trees_add_up_to_the_potential(name):
    treats = EXACT[name].boosting_params().missing
    data = made(5, 30) if treats == "error" else inject(made(5, 30), 0.15, np.random.default_rng(0))
    model = TableLabeller(EXACT[name].fit(data), COLUMNS)
    for found in check_sums(model, data, [(number, place) for number in (0, 3, 29) for place in range(10)]):
        assert set(found.table["column"]) <= {"letter", "noise", "size", BEFORE, "(place in the sequence)"}


@pytest.mark.parametrize("name", list(LINEAR))
def test_columns_of_a_linear_crf_add_up_to_the_potential(name):
    data = made(6, 30)
    model = TableLabeller(LINEAR[name].fit(data), COLUMNS)
    founds = list(check_sums(model, data, [(0, 0), (3, 5), (29, 9)]))
    assert {found.baseline for found in founds} == {0.0}
    assert all((BEFORE in set(found.table["column"])) == (name != "order 0") for found in founds)


@pytest.mark.parametrize("settings", [{"window": (1, 1)}, {"window": (1, 0), "anchors": (1, 1), "random_state": 2}])
def test_columns_of_lightgbm_add_up_to_its_score(settings):
    pytest.importorskip("lightgbm")
    data = made(6, 30)
    labeller = WindowLightGBM(n_iterations=8, max_leaves=6, **settings).fit(data)
    model = TableLabeller(labeller, COLUMNS)
    labels, [scores] = labeller.predict(data), labeller._staged_scores(labeller.align_inputs(data, "error"), None)
    for sequence, place in [(0, 0), (3, 5), (29, 9)]:
        found = column_contributions(model, data, sequence, place, 0)
        position = int(data.offsets[sequence]) + place
        assert (found.is_exact, found.before) == (True, ())
        assert found.label == labeller.label_names_[labels[position]]
        assert found.score == pytest.approx(scores[position, labels[position]], abs=1e-9)
        assert found.baseline + found.table["contribution"].sum() == pytest.approx(found.score, abs=1e-9)
        assert set(found.table["column"]) <= {"letter", "noise", "size", "(place in the sequence)"}
        assert found.table["contribution"].abs().max() > 0.01


def test_separable_transitions_are_a_bar_of_their_own():
    data = made(7, 30)
    labeller = TreeCRF(n_iterations=6, max_leaves=6, window=(1, 0), transitions="separable", leaf_values="newton")
    model = TableLabeller(labeller.fit(data), COLUMNS)
    labels, sums = labeller.predict(data), labeller.transitions_.sum(axis=0)
    [chains] = labeller._staged_chains(data)
    unary = chains.potentials.unary.reshape(data.n_positions, 3)
    for sequence, place in [(0, 0), (4, 3)]:
        found = column_contributions(model, data, sequence, place, 0)
        position = 10 * sequence + place
        before = labels[position - 1] if place else 3
        of_pair = found.table.set_index("column")["contribution"][BEFORE]
        assert of_pair == pytest.approx(sums[labels[position], before], abs=1e-12)
        assert found.score - of_pair == pytest.approx(unary[position, labels[position]], abs=1e-9)


def test_the_column_that_decides_contributes_most():
    data = made(8)
    for labeller in (EXACT["trees"], LINEAR["pairs"]):
        model = TableLabeller(labeller.fit(data), COLUMNS)
        tops = [column_contributions(model, data, number, 6, 0).table["column"][0] for number in range(10)]
        assert tops.count("letter") >= 8


def test_marks_and_derived_inputs_belong_to_their_columns():
    data = inject(made(9, 30), 0.1, np.random.default_rng(1))
    transform = Indicator(mark="flag").fit(data)
    derived = DerivingLabeller(LinearCRF(window=(1, 0), max_iterations=5), ("rolling",), spans=(3,))
    model = TableLabeller(derived.fit(transform.transform(data)), COLUMNS, transform)
    for found in check_sums(model, data, [(2, 4), (5, 9)]):
        assert set(found.table["column"]) == {"letter", "noise", "size", BEFORE}


def test_an_average_is_explained_approximately():
    data = made(10, 30)
    both = average([LABELLERS["linear"], LABELLERS["trees"]], ["error", "error"])
    model = TableLabeller(both.fit(data), COLUMNS)
    found = column_contributions(model, data, 3, 5, 0)
    probabilities = dict(zip(both.label_names_, both.predict_proba(data)[35], strict=True))
    assert not found.is_exact
    assert found.score == pytest.approx(math.log(probabilities[found.label] / probabilities[found.runner_up]), abs=1e-9)
    assert found.table["contribution"].sum() == pytest.approx(found.score - found.baseline, abs=1e-9)
    assert found.table["column"][0] == "letter"
    assert set(found.table["column"]) == {"letter", "noise", "size"}


def test_means_of_a_split_are_those_of_the_rows_that_get_there():
    """The credit of one tree, from the rows on the way one by one."""
    data = made(11, 20)
    labeller = TreeCRF(n_iterations=1, max_leaves=6, window=(1, 0)).fit(data)
    model = TableLabeller(labeller, COLUMNS)
    found = column_contributions(model, data, 3, 5, 0)
    from treecrf.automl.explanation import labels_before
    from treecrf.sequences import window_codes, window_slots

    labels = labeller.predict(data)
    slots = window_slots(labeller.attributes_, labeller.window)
    columns = np.hstack(
        [window_codes(labeller.align_inputs(data, "error"), (1, 0)).astype(int), labels_before(labels, data, 1, 3)]
    )
    tree = labeller.forest_.tree(int(labels[35]))
    leaves = np.zeros(len(columns), dtype=int)
    for split in range(len(tree.parents)):
        passes = np.isin(columns[:, tree.columns[split]], tree.test(split))
        leaves[(leaves == tree.parents[split]) & passes] = split + 1
    values = tree.values[leaves]
    here, expected = np.ones(len(columns), dtype=bool), dict.fromkeys(found.table["column"], 0.0)
    at = 0
    for split in range(len(tree.parents)):
        if tree.parents[split] == at:
            passes = np.isin(columns[:, tree.columns[split]], tree.test(split))
            there = here & (passes == passes[35])
            column = tree.columns[split]
            name = BEFORE if column == len(slots) else labeller.attributes_[slots[column].attribute].name
            expected[name] += values[there].mean() - values[here].mean()
            here, at = there, split + 1 if passes[35] else at
    assert found.baseline == pytest.approx(values.mean(), abs=1e-12)
    assert found.table.set_index("column")["contribution"].to_dict() == pytest.approx(expected, abs=1e-12)
