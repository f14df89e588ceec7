"""Row sampling, feature sampling and influence trimming against naive versions, and the promises that stay."""

import itertools
import math
from dataclasses import replace

import naive
import naive_holes
import numpy as np
import pytest
from builders import HOLE_METHODS as METHODS
from builders import POLICIES, assert_potentials, assert_same_bits, dependent_set, larger_set, named_start, random_set

from treecrf import MEMM, TreeCRF
from treecrf.compiled.struct import allocate
from treecrf.missing import inject
from treecrf.models.boosted.boosting import draw_columns, draw_positions
from treecrf.sequences import slot_sizes, window_codes
from treecrf.trees.packing import Influences, choose_packing, pack, trim_rows

ALL_AT_ONCE = {"row_fraction": 0.6, "feature_fraction": 0.5, "influence_trimming": 0.1, "sampling_seed": 7}
PARTS = [
    {"row_fraction": 0.5},
    {"feature_fraction": 0.4},
    {"influence_trimming": 0.2},
    {"row_fraction": 0.1, "sampling_seed": 3},
    ALL_AT_ONCE,
]


# --- naive versions ------------------------------------------------------------------------------------

TRIMMED = {"row_fraction": 0.8, "influence_trimming": 0.2}


def naive_trimming(influences, share):
    """Which rows are left out: from the least influence on, equal ones together, while the sum is within the share."""
    order = sorted(range(len(influences)), key=lambda row: influences[row])
    limit, left_out = share * math.fsum(influences), []
    for _, group in itertools.groupby(order, key=lambda row: round(influences[row], 9)):
        candidates = left_out + list(group)
        if math.fsum(influences[row] for row in candidates) > limit:
            break
        left_out = candidates
    return left_out


def naive_tree(features, targets, seen, column_of_test, considered, max_leaves, penalty):
    """Best-first CART grown from the rows in `seen`; the values of all rows."""

    def best(rows, node):
        tests = np.flatnonzero(considered[node][column_of_test]) if len(considered) else np.arange(features.shape[1])
        rows = rows[seen[rows]]
        gain, place = naive.best_split(features[np.ix_(rows, tests)], targets[rows], penalty)
        return gain, None if place is None else tests[place]

    leaves = [np.arange(len(targets))]
    splits = [best(leaves[0], 0)]
    while len(leaves) < max_leaves:
        chosen = naive.best_leaf(splits)
        feature = splits[chosen][1]
        if feature is None:
            break
        rows, node = leaves[chosen], 2 * len(leaves) - 1
        leaves[chosen] = rows[~features[rows, feature]]
        leaves.append(rows[features[rows, feature]])
        splits[chosen] = best(leaves[chosen], node)
        splits.append(best(leaves[-1], node + 1))
    values = np.empty(len(targets))
    for rows in leaves:
        values[rows] = naive.leaf_value(targets[rows[seen[rows]]], penalty)
    return values


def kept_gradients(data, potential, sampling, iteration, n_labels, order, differentiate=naive.row_gradients):
    """Gradients of the rows that an iteration's trees see, by (label, position, state)."""
    drawn = set(draw_positions(sampling, data.n_positions, iteration).tolist())
    gradients = {}
    for begin, end in itertools.pairwise(data.offsets):
        gradients |= differentiate(potential, int(begin), data.labels[begin:end], n_labels, order)
    gradients = {key: gradient for key, gradient in gradients.items() if key[1] in drawn}
    for y in range(n_labels if sampling.influence_trimming else 0):
        keys = [key for key in gradients if key[0] == y]
        influences = [abs(gradients[key]) * (1 - abs(gradients[key])) for key in keys]
        for row in naive_trimming(influences, sampling.influence_trimming):
            del gradients[keys[row]]
    return gradients


def naive_boost(data, window, order, start, n_iterations, max_leaves, penalty, sampling, differentiate):
    """TREEBOOST from parts of the training set; potentials of its rows, by (label, position, state)."""
    n_labels, sizes = len(data.label_names), slot_sizes(data.attributes, window)
    codes, rows = window_codes(data, window), naive_holes.rows_of(data.offsets, n_labels, order)
    features = np.array([naive.one_hot(codes[p], s, sizes, n_labels) for p, s in rows])
    column_of_test = np.repeat(np.arange(len(sizes) + order), [*sizes, *[n_labels + 1] * order])
    potential = {(y, p, s): start[y][s] for p, s in rows for y in range(n_labels)}
    for iteration in range(n_iterations):
        gradients = kept_gradients(data, potential, sampling, iteration, n_labels, order, differentiate)
        for y in range(n_labels):
            seen = np.array([(y, p, s) in gradients for p, s in rows])
            targets = np.array([gradients.get((y, p, s), 0.0) for p, s in rows])
            considered = draw_columns(sampling, len(sizes) + order, iteration, y)
            values = naive_tree(features, targets, seen, column_of_test, considered, max_leaves, penalty)
            for (p, s), value in zip(rows, values, strict=True):
                potential[y, p, s] += value
    return potential


# --- growing -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("part", PARTS, ids=str)
@pytest.mark.parametrize("kind", [TreeCRF, MEMM])
def test_potentials_equal_naive_boosting(kind, part, order):
    data = random_set(np.random.default_rng(order), 10, longest=5)
    model = kind(4, 7, 1.0, (1, 1), order, random_state=order, start_noise=0.3, **part).fit(data)
    differentiate = naive.row_gradients if kind is TreeCRF else naive.local_row_gradients
    expected = naive_boost(data, (1, 1), order, named_start(model), 4, 7, 1.0, model.boosting_params(), differentiate)
    assert_potentials(model, data, naive.normalize_locally(expected, 3) if kind is MEMM else expected)


@pytest.mark.parametrize("part", [{"row_fraction": 0.5}, {"feature_fraction": 0.4}], ids=str)
def test_pseudo_likelihood_is_sampled_too(part):
    data = random_set(np.random.default_rng(1), 10)
    model = TreeCRF(3, 7, 1.0, (1, 1), random_state=1, start_noise=0.3, pseudo_likelihood_iterations=3, **part).fit(
        data
    )
    expected = naive_boost(
        data, (1, 1), 1, named_start(model), 3, 7, 1.0, model.boosting_params(), naive.pseudo_row_gradients
    )
    assert_potentials(model, data, expected)


@pytest.mark.parametrize(
    ("order", "part"),
    [(0, TRIMMED), (1, {"row_fraction": 0.6}), (2, TRIMMED)],
    ids=str,
)
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: " ".join(map(str, policy.values())))
def test_rows_with_missing_cells_that_are_left_out_equal_naive_boosting(part, policy, order):
    rng = np.random.default_rng([order, POLICIES.index(policy)])
    train, test = (inject(dependent_set(rng, 12 if order < 2 else 8), 0.3, rng) for _ in range(2))
    model = TreeCRF(3, 8, 1.0, (1, 1), order, random_state=order, start_noise=0.3, **part, **policy).fit(train)
    iterations, kept = itertools.count(), {}

    def differentiate(potential, begin, labels, *shape):
        if begin == 0:  # the first sequence of an iteration
            kept.clear()
            kept.update(kept_gradients(train, potential, model.boosting_params(), next(iterations), *shape))
        return {key: gradient for key, gradient in kept.items() if begin <= key[1] < begin + len(labels)}

    expected = naive_holes.boost_with_unknown(
        *[(window_codes(data, (1, 1)), data.offsets) for data in (train, test)],
        slot_sizes(train.attributes, (1, 1)),
        train.labels,
        3,
        order,
        named_start(model),
        3,
        8,
        1.0,
        naive_holes.Policy(**policy),
        differentiate,
    )
    for data, values in zip((train, test), expected, strict=True):
        assert_potentials(model, data, values)


@pytest.mark.parametrize("missing", ["error", *METHODS])
def test_parts_that_are_everything_change_no_bit(missing):
    data = inject(larger_set(), 0.0 if missing == "error" else 0.2, np.random.default_rng(0))
    settings = {"n_iterations": 5, "max_leaves": 20, "l2_regularization": 1.0, "window": (1, 2), "missing": missing}
    whole = TreeCRF(**settings).fit(data)
    nearly = 1 - 1e-9  # rounds to all positions and all columns
    for part in ({"row_fraction": nearly}, {"feature_fraction": nearly}, {"influence_trimming": 1e-12}):
        assert_same_bits(whole, TreeCRF(**settings, **part, sampling_seed=5).fit(data), [data])


# --- drawing -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("fraction", "number"), [(1.0, 40), (0.5, 20), (0.26, 10), (1e-6, 1)])
def test_positions_are_drawn_evenly_without_replacement(fraction, number):
    sampling, n_iterations = TreeCRF(row_fraction=fraction, sampling_seed=1).boosting_params(), 2000
    drawn = [draw_positions(sampling, 40, iteration) for iteration in range(n_iterations)]
    assert all(len(some) == number and (np.diff(some) > 0).all() for some in drawn)
    times = np.bincount(np.concatenate(drawn), minlength=40)
    share = number / 40
    assert (abs(times - n_iterations * share) <= 5 * math.sqrt(n_iterations * share * (1 - share))).all()
    np.testing.assert_array_equal(drawn[3], draw_positions(sampling, 40, 3))
    if number < 40:
        assert not np.array_equal(np.concatenate(drawn[:9]), np.concatenate(drawn[1:10]))


@pytest.mark.parametrize(("fraction", "number"), [(0.5, 6), (0.3, 4), (1e-6, 1)])
def test_columns_are_drawn_evenly_for_each_node(fraction, number):
    model, n_nodes = TreeCRF(feature_fraction=fraction, max_leaves=1000), 2 * 1000 - 1
    sampling = model.boosting_params()
    considered = draw_columns(sampling, 12, 0, 0)
    assert considered.shape == (n_nodes, 12)
    assert (considered.sum(axis=1) == number).all()
    share = number / 12
    times = considered.sum(axis=0)
    assert (abs(times - n_nodes * share) <= 5 * math.sqrt(n_nodes * share * (1 - share))).all()
    others = [draw_columns(sampling, 12, *at) for at in ((1, 0), (0, 1))]
    others.append(draw_columns(replace(sampling, sampling_seed=1), 12, 0, 0))
    assert not any(np.array_equal(considered, other) for other in others)
    np.testing.assert_array_equal(considered, draw_columns(sampling, 12, 0, 0))
    assert draw_columns(TreeCRF().boosting_params(), 12, 0, 0).shape == (0, 12)


# --- trimming ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.0, 0.001, 0.1, 0.5, 0.99, 1 - 1e-16])
def test_trimmed_rows_are_those_of_a_naive_sort(share):
    rng = np.random.default_rng(0)
    n_states, n_positions = 3, 400
    packing = choose_packing(n_positions, n_states * n_positions, 2)
    gradients = rng.choice([-1, 1], (n_states, n_positions)) * np.exp(
        rng.uniform(np.log(1e-4), 0, (n_states, n_positions))
    )
    gradients[0, ::7], gradients[1, ::9] = 0.25, -0.75  # equal influences
    gradients[2, ::11] = 0.0
    there = rng.random((n_states, n_positions)) < 0.8
    rows = np.zeros((n_states, n_positions), dtype=np.int64)
    for row in np.argwhere(there):
        rows[tuple(row)] = pack(gradients[tuple(row)], 0, packing)
    positions = np.flatnonzero(rng.random(n_positions) < 0.7).astype(np.int32)
    trimmed = rows.copy()
    trim_rows(trimmed, positions, share, packing, allocate(Influences, n_all_states=n_states, n=len(positions)))
    candidates = [(state, position) for state in range(n_states) for position in positions if there[state, position]]
    influences = [abs(gradients[row]) * (1 - abs(gradients[row])) for row in candidates]
    expected = rows.copy()
    for row in naive_trimming(influences, share):
        expected[candidates[row]] = 0
    np.testing.assert_array_equal(trimmed, expected)
    assert trimmed[:, positions].any()


def test_rows_without_influence_are_not_all_trimmed():
    packing = choose_packing(4, 4, 2)
    rows = np.full((1, 4), pack(0.0, 0, packing))
    trim_rows(rows, np.arange(4, dtype=np.int32), 0.5, packing, allocate(Influences, n_all_states=1, n=4))
    assert (rows == pack(0.0, 0, packing)).all()
