"""Slow, obvious versions of what the package computes fast, to be read against the papers."""

import itertools
import math
from typing import NamedTuple

import numpy as np

# --- chains (PhD sections 2.1, 2.3 and 3.3) ---------------------------------------------------------


class ChainAnswers(NamedTuple):
    """Everything about a set of chains: arrays shaped as in `treecrf.chain`."""

    log_partition: np.ndarray
    marginals: np.ndarray
    pairs: np.ndarray
    best_scores: np.ndarray
    best_labels: np.ndarray


def states(n_labels, order):
    """All tuples (y_{t-1}, y_{t-2}, ..) that can stand before a position, in their numbering."""
    return [state for depth in range(order, -1, -1) for state in itertools.product(range(n_labels), repeat=depth)]


def state_before(labels, t, order):
    """The tuple (y_{t-1}, .., y_{t-k}), shorter at the beginning of a sequence."""
    return tuple(labels[s] for s in range(t - 1, t - 1 - order, -1) if s >= 0)


def log_sum(values):
    """log(sum(exp(values))), summed exactly."""
    highest = max(values)
    return highest + math.log(math.fsum(math.exp(value - highest) for value in values))


def chain_scores(potentials, begin, end, order):
    """Score of every label sequence of the chain begin .. end - 1, by label sequence."""
    n_labels = len(potentials)
    number = {state: i for i, state in enumerate(states(n_labels, order))}
    return {
        labels: math.fsum(
            potentials[label, begin + t, number[state_before(labels, t, order)]] for t, label in enumerate(labels)
        )
        for labels in itertools.product(range(n_labels), repeat=end - begin)
    }


def enumerate_chains(potentials, offsets, order):
    """Answers from all label sequences; of equally good ones the lowest, compared from the last label backwards."""
    n_labels, n_positions, _ = potentials.shape
    number = {state: i for i, state in enumerate(states(n_labels, order))}
    log_partition, best_scores, best_labels = [], [], []
    marginals, pairs = np.zeros((n_positions, n_labels)), np.zeros(potentials.shape)
    for begin, end in itertools.pairwise(offsets):
        scores = chain_scores(potentials, begin, end, order)
        log_partition.append(log_sum(list(scores.values())))
        for labels, score in scores.items():
            probability = math.exp(score - log_partition[-1])
            for t, label in enumerate(labels):
                marginals[begin + t, label] += probability
                pairs[label, begin + t, number[state_before(labels, t, order)]] += probability
        best = min(scores, key=lambda labels: (-scores[labels], labels[::-1]))
        best_scores.append(scores[best])
        best_labels.extend(best)
    return ChainAnswers(np.array(log_partition), marginals, pairs, np.array(best_scores), np.array(best_labels))


def recursive_chains(potentials, offsets, order):
    """Answers from the recursions of PhD section 3.3 (and Viterbi's), in logs, over dictionaries of states."""
    n_labels, n_positions, _ = potentials.shape
    number = {state: i for i, state in enumerate(states(n_labels, order))}
    log_partition, best_scores, best_labels = [], [], []
    marginals, pairs = np.zeros((n_positions, n_labels)), np.zeros(potentials.shape)
    for begin, end in itertools.pairwise(offsets):
        alphas, best, origins = [{(): 0.0}], {(): 0.0}, []  # by state: sum, best score, state and label it came from
        for p in range(begin, end):
            terms, options = {}, {}
            for state, alpha in alphas[-1].items():
                for label in range(n_labels):
                    after = (label, *state)[:order]
                    potential = float(potentials[label, p, number[state]])
                    terms.setdefault(after, []).append(alpha + potential)
                    options.setdefault(after, []).append((best[state] + potential, state, label))
            alphas.append({state: log_sum(values) for state, values in terms.items()})
            origins.append({state: max(choices)[1:] for state, choices in options.items()})
            best = {state: max(choices)[0] for state, choices in options.items()}
        log_partition.append(log_sum(list(alphas[-1].values())))
        state = max(best, key=lambda state: best[state])
        best_scores.append(best[state])
        labels = []
        for origin in reversed(origins):
            state, label = origin[state]
            labels.append(label)
        best_labels.extend(reversed(labels))
        betas = dict.fromkeys(alphas[-1], 0.0)
        for p in range(end - 1, begin - 1, -1):
            before = {}
            for state, alpha in alphas[p - begin].items():
                values = [
                    float(potentials[label, p, number[state]]) + betas[(label, *state)[:order]]
                    for label in range(n_labels)
                ]
                before[state] = log_sum(values)
                for label, value in enumerate(values):
                    pairs[label, p, number[state]] = math.exp(alpha + value - log_partition[-1])
            marginals[p] = pairs[:, p].sum(axis=1)
            betas = before
    return ChainAnswers(np.array(log_partition), marginals, pairs, np.array(best_scores), np.array(best_labels))


# --- trees (PhD tables 3.1 and 3.3) --------------------------------------------------------------------


def one_hot(code, state, sizes, n_labels):
    """All tests of one row, in the order of the feature index: window cells, then previous labels and START."""
    window = [int(c) == category for c, size in zip(code, sizes, strict=True) for category in range(size)]
    return np.array(window + [label == other for label in state for other in range(n_labels + 1)])


def leaf_value(targets, l2_regularization):
    """Equation 3.1."""
    return sum(targets) / (l2_regularization + len(targets))


def penalized_error(targets, l2_regularization):
    """Squared error of a leaf with its penalty, at the value of equation 3.1."""
    value = leaf_value(targets, l2_regularization)
    return sum((target - value) ** 2 for target in targets) + l2_regularization * value**2


def best_split(features, targets, l2_regularization):
    """Gain and feature of the best split of a node; (0, None) where nothing gains."""
    best = (0.0, None)
    parent = penalized_error(targets, l2_regularization)
    for feature in range(features.shape[1]):
        holds = features[:, feature]
        if 0 < holds.sum() < len(holds):
            children = penalized_error(targets[holds], l2_regularization)
            children += penalized_error(targets[~holds], l2_regularization)
            if parent - children > best[0] + 1e-9:  # rounding must not decide ties
                best = (parent - children, feature)
    return best


def cart(features, targets, max_leaves, l2_regularization):
    """Best-first CART; returns the fitted value of every row."""
    leaves = [np.arange(len(targets))]
    splits = [best_split(features, targets, l2_regularization)]
    while len(leaves) < max_leaves:
        chosen = 0
        for leaf in range(1, len(leaves)):
            if splits[leaf][0] > splits[chosen][0] + 1e-9:
                chosen = leaf
        feature = splits[chosen][1]
        if feature is None:
            break
        rows = leaves[chosen]
        holds = features[rows, feature]
        leaves[chosen] = rows[~holds]
        leaves.append(rows[holds])
        splits[chosen] = best_split(features[leaves[chosen]], targets[leaves[chosen]], l2_regularization)
        splits.append(best_split(features[leaves[-1]], targets[leaves[-1]], l2_regularization))
    fitted = np.empty(len(targets))
    for rows in leaves:
        fitted[rows] = leaf_value(targets[rows], l2_regularization)
    return fitted


def states_at(place, n_labels, order):
    """Tuples (y_{t-1}, .., y_{t-k}) that are possible at the place t of a sequence; START is n_labels."""
    depth = min(place, order)
    return [s + (n_labels,) * (order - depth) for s in itertools.product(range(n_labels), repeat=depth)]


def observed_state(labels, place, n_labels, order):
    """The previous labels of a place in a labelled sequence, START where there are none."""
    return tuple(int(labels[place - lag]) if place >= lag else n_labels for lag in range(1, order + 1))


def row_gradients(potential, begin, labels, n_labels, order):
    """I(y, s) - P(y, s | X) of one sequence by enumeration; `potential[y, position, state]` is a dictionary."""
    length = len(labels)
    gradients = {
        (y, begin + t, s): 0.0 for t in range(length) for s in states_at(t, n_labels, order) for y in range(n_labels)
    }
    paths = list(itertools.product(range(n_labels), repeat=length))
    keys = [[(p[t], begin + t, observed_state(p, t, n_labels, order)) for t in range(length)] for p in paths]
    weights = np.array([math.exp(sum(potential[key] for key in path)) for path in keys])
    for path, probability in zip(keys, weights / weights.sum(), strict=True):
        for key in path:
            gradients[key] -= probability
    for t in range(length):
        gradients[int(labels[t]), begin + t, observed_state(labels, t, n_labels, order)] += 1.0
    return gradients


def pseudo_row_gradients(potential, begin, labels, n_labels, order):
    """Gradient of the log pseudo-likelihood of one sequence: each label given all the others."""
    length = len(labels)
    gradients = {
        (y, begin + t, s): 0.0 for t in range(length) for s in states_at(t, n_labels, order) for y in range(n_labels)
    }
    for t in range(length):
        touched = []
        for y in range(n_labels):
            path = [*map(int, labels)]
            path[t] = y
            touched.append([(path[u], begin + u, observed_state(path, u, n_labels, order)) for u in range(length)])
        weights = np.array([math.exp(sum(potential[key] for key in keys)) for keys in touched])
        for y, probability in enumerate(weights / weights.sum()):
            for u, key in enumerate(touched[y]):
                if t <= u <= t + order:
                    gradients[key] += (y == labels[t]) - probability
    return gradients


def local_row_gradients(potential, begin, labels, n_labels, order):
    """I(y) - P(y | s, x) at the states that the true labels make, each position by itself."""
    gradients = {}
    for t, true_label in enumerate(labels):
        s = observed_state(labels, t, n_labels, order)
        weights = np.array([math.exp(potential[y, begin + t, s]) for y in range(n_labels)])
        for y, probability in enumerate(weights / weights.sum()):
            gradients[y, begin + t, s] = (y == true_label) - probability
    return gradients


def boost(codes, sizes, offsets, labels, n_labels, order, start, n_iterations, max_leaves, l2_regularization, pseudo=0):
    """TREEBOOST; returns the potential of every row, by (label, position, state)."""
    potential = {}
    for begin, end in itertools.pairwise(offsets):
        for position in range(begin, end):
            for s in states_at(position - begin, n_labels, order):
                for y in range(n_labels):
                    potential[y, position, s] = start[y][s]
    for iteration in range(n_iterations):
        differentiate = pseudo_row_gradients if iteration < pseudo else row_gradients
        gradients = {}
        for begin, end in itertools.pairwise(offsets):
            gradients |= differentiate(potential, int(begin), labels[begin:end], n_labels, order)
        for y in range(n_labels):
            keys = [key for key in gradients if key[0] == y]
            features = np.array([one_hot(codes[p], s, sizes, n_labels) for _, p, s in keys])
            targets = np.array([gradients[key] for key in keys])
            for key, value in zip(keys, cart(features, targets, max_leaves, l2_regularization), strict=True):
                potential[key] += value
    return potential


# --- missing values (PhD sections 4.2 and 4.3) ---------------------------------------------------------

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
        chosen = 0
        for leaf in range(1, len(leaves)):
            if splits[leaf][0] > splits[chosen][0] + 1e-9:
                chosen = leaf
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
    train, test, sizes, labels, n_labels, order, start, n_iterations, max_leaves, penalty, policy,
    differentiate=row_gradients,
):  # fmt: skip
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
