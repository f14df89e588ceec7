"""Slow, obvious versions of trees on data with holes (PhD sections 4.2 and 4.3)."""

import itertools
from typing import NamedTuple

import numpy as np
from naive import best_leaf, row_gradients, states_at

UNKNOWN = -1


class Policy(NamedTuple):
    """What to do with rows whose outcome is not known; settings as in `treecrf.TreeCRF`."""

    missing: str
    scale_gain: bool = False
    n_surrogates: int = 5
    either_polarity: bool = True
    all_missing: str = "majority"
    unseen_missing: str = "majority"


class Split(NamedTuple):
    """A split: its feature, its surrogates (feature, polarity), the share of the true child, and the children."""

    feature: int
    surrogates: list
    share: float
    if_true: object
    if_false: object


def three_valued(code, state, sizes, n_labels):
    """`one_hot` with `UNKNOWN` for the cells of a slot that is missing (its code is the slot's size)."""
    window = [
        UNKNOWN if int(c) == size else int(int(c) == category)
        for c, size in zip(code, sizes, strict=True)
        for category in range(size)
    ]
    return np.array(window + [int(label == other) for label in state for other in range(n_labels + 1)])


def weighted_value(rows, targets, l2_regularization):
    """Equation 3.1 for weighted copies, a list of (row, weight)."""
    return sum(weight * targets[row] for row, weight in rows) / (l2_regularization + sum(w for _, w in rows))


def weighted_error(rows, targets, l2_regularization):
    """`penalized_error` of weighted copies."""
    value = weighted_value(rows, targets, l2_regularization)
    return sum(w * (targets[row] - value) ** 2 for row, w in rows) + l2_regularization * value**2


def divide(rows, features, feature):
    """Copies whose test holds, fails, is unknown."""
    return [[copy for copy in rows if features[copy[0], feature] == outcome] for outcome in (1, 0, UNKNOWN)]


def weight_of(rows):
    return sum(weight for _, weight in rows)


def gain_of(true, false, targets, l2_regularization):
    """Fall of the error when these copies part; 0 if either side has none."""
    if not weight_of(true) or not weight_of(false):
        return 0.0
    errors = [weighted_error(side, targets, l2_regularization) for side in (true + false, true, false)]
    return errors[0] - errors[1] - errors[2]


def gain_with_unknown(rows, features, feature, targets, l2_regularization, policy):
    """Gain of a test under a policy."""
    true, false, unknown = divide(rows, features, feature)
    if policy.missing == "default_direction":
        if not true or not false:  # it tells no known rows apart
            return 0.0
        return max(
            gain_of(true, false + unknown, targets, l2_regularization),
            gain_of(true + unknown, false, targets, l2_regularization),
        )
    gain = gain_of(true, false, targets, l2_regularization)
    return gain * weight_of(true + false) / weight_of(rows) if policy.scale_gain else gain


def find_surrogates(rows, features, feature, slots, policy):
    """The best surrogates of a test by brute force: of every other slot the best of its tests and their opposites."""
    true, false, _ = divide(rows, features, feature)
    found = []
    for other in range(features.shape[1]):
        if slots[other] is None or slots[other] == slots[feature]:
            continue
        known = [
            [(features[row, other], weight) for row, weight in side if features[row, other] != UNKNOWN]
            for side in (true, false)
        ]
        weights = [sum(w for _, w in side) for side in known]
        if sum(weights) == 0:
            continue
        for polarity in (1, 0) if policy.either_polarity else (1,):
            agreeing = sum(w for value, w in known[0] if value == polarity)
            agreeing += sum(w for value, w in known[1] if value != polarity)
            if agreeing > max(weights) + 1e-9:
                found.append((agreeing / sum(weights), other, polarity))
    found.sort(key=lambda entry: (-round(entry[0], 9), entry[1], -entry[2]))
    best_of_slot = {}
    for _, other, polarity in found:
        best_of_slot.setdefault(slots[other], (other, polarity))
    return list(best_of_slot.values())[: policy.n_surrogates]


def share_of_true(rows, features, feature, targets, l2_regularization, policy):
    """Part of an unknown row that goes to the true child where no surrogate tells."""
    true, false, unknown = divide(rows, features, feature)
    part = weight_of(true) / weight_of(true + false) if true or false else 0.0
    majority = 1.0 if part > 0.5 else 0.0
    if policy.missing == "instance_weighting":
        return part
    if policy.missing == "surrogate_splitting":
        return part if policy.all_missing == "both" else majority
    if not unknown:
        return part if policy.unseen_missing == "both" else majority
    to_true = gain_of(true + unknown, false, targets, l2_regularization)
    return 1.0 if to_true > gain_of(true, false + unknown, targets, l2_regularization) + 1e-9 else 0.0


def share_of_row(split, values):
    """Part of one row that goes to the true child of a split."""
    if values[split.feature] != UNKNOWN:
        return float(values[split.feature])
    for other, polarity in split.surrogates:
        if values[other] != UNKNOWN:
            return float(values[other] == polarity)
    return split.share


def cart_with_unknown(features, targets, slots, max_leaves, l2_regularization, policy):
    """Best-first CART over explicit weighted copies of rows; returns the root: nested `Split` and leaf values.

    Parameters
    ----------
    features : int, shape (n_rows, n_features)
        1, 0 or `UNKNOWN`.
    slots : list
        Slot of each feature, None for tests of previous labels.
    """

    def best(rows):
        found = (0.0, None)
        for feature in range(features.shape[1]):
            gain = gain_with_unknown(rows, features, feature, targets, l2_regularization, policy)
            if gain > found[0] + 1e-9:
                found = (gain, feature)
        return found

    leaves = [[(row, 1.0) for row in range(len(targets))]]
    splits, made = [best(leaves[0])], []
    while len(leaves) < max_leaves:
        chosen = best_leaf(splits)
        feature = splits[chosen][1]
        if feature is None:
            break
        rows = leaves[chosen]
        surrogates = []
        if policy.missing == "surrogate_splitting" and slots[feature] is not None:
            surrogates = find_surrogates(rows, features, feature, slots, policy)
        share = share_of_true(rows, features, feature, targets, l2_regularization, policy)
        split = Split(feature, surrogates, share, None, None)
        parts = [(row, weight, share_of_row(split, features[row])) for row, weight in rows]
        leaves[chosen] = [(row, weight * (1 - part)) for row, weight, part in parts if part < 1]
        leaves.append([(row, weight * part) for row, weight, part in parts if part > 0])
        made.append((chosen, split))
        splits[chosen] = best(leaves[chosen])
        splits.append(best(leaves[-1]))
    nodes = [weighted_value(rows, targets, l2_regularization) for rows in leaves]
    for child, (parent, split) in reversed(list(enumerate(made, start=1))):
        nodes[parent] = split._replace(if_true=nodes[child], if_false=nodes[parent])
    return nodes[0]


def blended_value(node, values):
    """Value of a row in a tree: the mean over its copies."""
    if not isinstance(node, Split):
        return node
    part = share_of_row(node, values)
    total = 0.0
    if part > 0:
        total += part * blended_value(node.if_true, values)
    if part < 1:
        total += (1 - part) * blended_value(node.if_false, values)
    return total


def rows_of(offsets, n_labels, order):
    """All rows (position, state) of a data set."""
    return [
        (position, s)
        for begin, end in itertools.pairwise(offsets)
        for position in range(begin, end)
        for s in states_at(position - begin, n_labels, order)
    ]


def boost_with_unknown(
    train,
    test,
    sizes,
    labels,
    n_labels,
    order,
    start,
    n_iterations,
    max_leaves,
    penalty,
    policy,
    differentiate=row_gradients,
):
    """TREEBOOST where cells are missing; potentials of the rows of both sets, by (label, position, state).

    Parameters
    ----------
    train, test : (codes, offsets)
    sizes : list of int
        Tests of each slot; a code of that number is missing.
    differentiate : function
        Gradients of one sequence's rows; rows without one take no part in training.
    """
    slots = [slot for slot, size in enumerate(sizes) for _ in range(size)] + [None] * (order * (n_labels + 1))
    rows = [rows_of(offsets, n_labels, order) for _, offsets in (train, test)]
    features = [
        np.array([three_valued(codes[p], s, sizes, n_labels) for p, s in some])
        for (codes, _), some in zip((train, test), rows, strict=True)
    ]
    potentials = [{(y, p, s): start[y][s] for p, s in some for y in range(n_labels)} for some in rows]
    for _ in range(n_iterations):
        gradients = {}
        for begin, end in itertools.pairwise(train[1]):
            gradients |= differentiate(potentials[0], int(begin), labels[begin:end], n_labels, order)
        for y in range(n_labels):
            used = [i for i, (p, s) in enumerate(rows[0]) if (y, p, s) in gradients]
            targets = np.array([gradients[y, p, s] for p, s in (rows[0][i] for i in used)])
            tree = cart_with_unknown(features[0][used], targets, slots, max_leaves, penalty, policy)
            for some, matrix, potential in zip(rows, features, potentials, strict=True):
                for (p, s), values in zip(some, matrix, strict=True):
                    potential[y, p, s] += blended_value(tree, values)
    return potentials
