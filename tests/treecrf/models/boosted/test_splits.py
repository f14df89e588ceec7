"""Trees with sets of codes, thresholds, Newton leaves and missing as a code, against naive versions."""

from functools import partial
from itertools import permutations

import naive
import naive_hole_splits
import naive_splits
import numpy as np
import pytest
from builders import HOLE_METHODS, assert_potentials, larger_set, lasting_set, named_start, random_set
from naive_splits import Rules

from treecrf import Attribute, SequenceSet, TreeCRF, chain
from treecrf.missing import inject
from treecrf.sequences import window_codes

NEWTON = {"leaf_values": "newton", "learning_rate": 0.3}


def assert_equals_naive(data, settings, rules, order, seed, window=(1, 1), fit_by=naive_splits.fit_by):
    model = TreeCRF(
        3,
        rules.max_leaves,
        rules.l2_regularization,
        window,
        order,
        category_smoothing=0.0,
        random_state=seed,
        start_noise=0.3,
        **settings,
    ).fit(data)
    sizes = [len(attribute.categories) for attribute in data.attributes] * (sum(window) + 1)
    expected = naive.boost(
        window_codes(data, window),
        data.offsets,
        data.labels,
        len(data.label_names),
        order,
        named_start(model),
        3,
        fit_by(rules, sizes),
    )
    assert_potentials(model, data, expected, 1e-5 if rules.newton else 1e-8)
    return model


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("newton", [False, True])
@pytest.mark.parametrize(("max_leaves", "l2_regularization"), [(100, 2.0), (4, 0.5)])
def test_subsets_equal_naive_boosting(order, newton, max_leaves, l2_regularization):
    settings = {"splits": "subsets"} | (NEWTON if newton else {})
    for seed in range(2):
        data = random_set(np.random.default_rng([seed, order]), n_sequences=5, longest=4)
        rules = Rules(
            ("subsets",) * (6 + order), max_leaves, l2_regularization, 0.0, newton, 0.3 if newton else 1.0, 4.0
        )
        assert_equals_naive(data, settings, rules, order, seed)


@pytest.mark.parametrize("splits", ["one_vs_rest", "subsets"])
@pytest.mark.parametrize("newton", [False, True])
def test_missing_as_a_code_equals_naive_boosting(splits, newton):
    settings = {"splits": splits, "missing": "incorporated"} | (NEWTON if newton else {})
    for seed in range(4):
        rng = np.random.default_rng([seed, newton])
        data = inject(random_set(rng, n_sequences=6, longest=4), 0.3, rng)
        assert data.has_missing
        rules = Rules((splits,) * 7, 5, 1.0, 0.0, newton, 0.3 if newton else 1.0, 4.0)
        assert_equals_naive(data, settings, rules, 1, seed)


@pytest.mark.parametrize("missing", ["instance_weighting", "surrogate_splitting", "default_direction"])
@pytest.mark.parametrize("newton", [False, True])
@pytest.mark.parametrize("ordered", [False, True])
def test_divided_rows_equal_naive_boosting(missing, newton, ordered):
    settings = {"splits": "subsets", "missing": missing} | (NEWTON if newton else {})
    for seed in range(2):
        rng = np.random.default_rng([seed, newton, ordered])
        data = inject(random_set(rng, n_sequences=6, longest=4, n_categories=4), 0.25, rng)
        data = data.with_values(data.values, [data.attributes[0]._replace(ordered=ordered), *data.attributes[1:]])
        kinds = ("ordered" if ordered else "subsets", "subsets") * 3 + ("subsets",)
        rules = Rules(kinds, 5, 1.0, 0.0, newton, 0.3 if newton else 1.0, 4.0)
        fit_by = partial(naive_hole_splits.fit_by, policy=missing)
        assert_equals_naive(data, settings, rules, 1, seed, fit_by=fit_by)


@pytest.mark.parametrize("missing", ["error", "incorporated"])
def test_ordered_attributes_equal_naive_boosting(missing):
    for seed in range(4):
        rng = np.random.default_rng(seed)
        data = random_set(rng, n_sequences=6, longest=4, n_categories=4)
        if missing != "error":
            data = inject(data, 0.25, rng)
        data = data.with_values(data.values, [attribute._replace(ordered=True) for attribute in data.attributes])
        rules = Rules(("ordered",) * 6 + ("one_vs_rest",), 5, 1.0)
        assert_equals_naive(data, {"missing": missing}, rules, 1, seed)


def test_newton_leaf_is_minus_slope_over_curvature_along_its_indicator():
    # At order 0 positions are independent, so the curvature of the likelihood along a leaf is the sum over its rows.
    data = larger_set(n_sequences=30)
    model = TreeCRF(1, 6, 0.0, (1, 0), 0, splits="subsets", leaf_values="newton", largest_step=1e9, random_state=0).fit(
        data
    )
    potentials = np.repeat(model.start_[:, None, :], data.n_positions, axis=1)
    found = model.potentials(data) - potentials

    def likelihood(step):
        return chain.log_likelihood(potentials + step, data.labels, data.offsets, 0).sum()

    n_leaves = 0
    for label in range(len(data.label_names)):
        for value in np.unique(found[label, :, 0].round(12)):
            step = np.zeros_like(potentials)
            step[label] = 1e-3 * (np.abs(found[label] - value) < 1e-9)
            up, down, here = likelihood(step), likelihood(-step), likelihood(0.0)
            slope, curvature = (up - down) / 2e-3, (up - 2 * here + down) / 1e-6
            assert value == pytest.approx(-slope / curvature, rel=1e-3)
            n_leaves += 1
    assert n_leaves > 6


def test_newton_leaves_are_clipped_before_the_learning_rate():
    data = larger_set()
    clipped = TreeCRF(1, 20, 0.0, (1, 1), leaf_values="newton", largest_step=0.5, learning_rate=0.2).fit(data)
    assert np.abs(clipped.forest_.values).max() == pytest.approx(0.1)


def test_a_newton_step_that_lowers_the_likelihood_is_halved():
    # Labels that stay the same for long change together: the curvature between rows, which is left out, is large.
    settings = {"splits": "subsets", "leaf_values": "newton", "learning_rate": 1.0}
    data = lasting_set()
    never = TreeCRF(15, 8, 1.0, (1, 1), most_halvings=0, **settings).fit(data)
    model = TreeCRF(15, 8, 1.0, (1, 1), **settings).fit(data)
    first = int(np.argmax(np.diff(never.log_likelihood_history_) < 0))
    assert np.diff(never.log_likelihood_history_)[first] < -1.0
    assert (np.diff(model.log_likelihood_history_) >= 0).all()
    assert (model.steps_[:first] == 1).all()
    assert model.steps_[first] < 1
    for i in range(2 * first + 2):  # two labels
        expected = model.steps_[i // 2] * never.forest_.tree(i).values
        assert model.forest_.tree(i).values.tobytes() == expected.tobytes()
    assert model.log_likelihood_history_[-1] == pytest.approx(model.log_likelihood(data).sum(), abs=1e-8)


@pytest.mark.parametrize("missing", ["error", "default_direction", "incorporated"])
@pytest.mark.parametrize("splits", ["one_vs_rest", "subsets"])
def test_each_side_weighs_enough(missing, splits):
    data = larger_set()
    if missing != "error":
        data = inject(data, 0.3, np.random.default_rng(0))
    model = TreeCRF(1, 30, 1.0, (1, 1), 0, splits=splits, least_weight=60.0, missing=missing).fit(data)
    sizes = np.unique(model.potentials(data)[0, :, 0].round(9), return_counts=True)[1]
    assert min(sizes) >= 60
    assert len(sizes) > 2


def renamed(data, seed):
    """The same set with the categories of each attribute in another order."""
    rng, values, attributes = np.random.default_rng(seed), data.values.copy(), []
    for j, attribute in enumerate(data.attributes):
        order = rng.permutation(len(attribute.categories))
        values[:, j] = np.argsort(order)[data.values[:, j]]
        attributes.append(attribute._replace(categories=tuple(attribute.categories[i] for i in order)))
    return data.with_values(values, attributes)


@pytest.mark.parametrize("settings", [{}, NEWTON])
def test_names_of_categories_change_nothing(settings):
    data = larger_set()
    first, second = (
        TreeCRF(4, 12, 1.0, (1, 1), splits="subsets", random_state=1, **settings).fit(one)
        for one in (data, renamed(data, 1))
    )
    np.testing.assert_allclose(first.predict_proba(data), second.predict_proba(renamed(data, 1)), atol=1e-9)


@pytest.mark.parametrize("settings", [{"splits": "subsets"}, {"missing": "incorporated"}], ids=str)
def test_flat_trees_give_the_same_potentials(settings):
    train, test = larger_set(), larger_set(1)
    if "missing" in settings:
        train, test = (inject(one, 0.2, np.random.default_rng(i)) for i, one in enumerate((train, test)))
    model = TreeCRF(6, 20, 1.0, (1, 1), 1, **settings).fit(train)
    np.testing.assert_allclose(model.flattened().potentials(test), model.potentials(test), atol=1e-10)


@pytest.mark.parametrize("kind", ["one_vs_rest", "subsets", "ordered"])
@pytest.mark.parametrize("rare", [0, 1])
def test_a_hole_that_training_never_saw_goes_the_way_of_most(kind, rare):
    # Of two tests that divide the same rows the first category's is taken, be it that of most rows or not.
    attributes = (Attribute("a", ("x", "y"), ordered=kind == "ordered"),)
    data = SequenceSet([[rare]] * 2 + [[1 - rare]] * 8, np.arange(11), attributes, [0] * 2 + [1] * 8, ("A", "B"))
    splits = "subsets" if kind == "subsets" else "one_vs_rest"
    model = TreeCRF(1, 2, 1.0, order=0, missing="incorporated", splits=splits).fit(data)
    of_rare, common, hole = model.potentials(SequenceSet([[rare], [1 - rare], [-1]], np.arange(4), attributes))[0, :, 0]
    assert hole == common != of_rare


@pytest.mark.parametrize(
    ("before", "name", "value"),
    [
        *[("incorporated", *change) for change in (("missing", "error"), ("window", (0, 0)), ("order", 0))],
        *[(before, "missing", after) for before, after in permutations(HOLE_METHODS, 2)],
        ("error", "missing", "instance_weighting"),
        ("surrogate_splitting", "n_surrogates", 3),
    ],
)
def test_other_settings_than_those_of_the_training_are_refused(before, name, value):
    data = larger_set()
    model = TreeCRF(2, 10, 1.0, (1, 1), missing=before, splits="subsets", warm_start=True, n_surrogates=2).fit(data)
    model.set_params(**{name: value})
    uses = [model.set_params(n_iterations=4).fit]
    uses += [] if name == "n_surrogates" else [model.predict_proba, lambda _: model.flattened()]
    for use in uses:
        with pytest.raises(
            ValueError,
            match=rf"^{name} was .* in the training so far; set it back or (fit again|set warm_start=False)\.$",
        ):
            use(data)
    with pytest.raises(ValueError, match="n_iterations"):
        TreeCRF(2, 4, warm_start=True).fit(data).set_params(n_iterations=1).fit(data)
