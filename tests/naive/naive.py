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


def normalize_locally(scores, n_labels):
    """log P(label | position, previous labels) from scores by (label, position, previous labels)."""
    return {
        (label, *rest): score - log_sum([scores[other, *rest] for other in range(n_labels)])
        for (label, *rest), score in scores.items()
    }


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


def best_leaf(splits):
    """The leaf whose split gains most, the first of equals; splits are (gain, feature)."""
    chosen = 0
    for leaf in range(1, len(splits)):
        if splits[leaf][0] > splits[chosen][0] + 1e-9:
            chosen = leaf
    return chosen


def cart(features, targets, max_leaves, l2_regularization):
    """Best-first CART; returns the fitted value of every row."""
    leaves = [np.arange(len(targets))]
    splits = [best_split(features, targets, l2_regularization)]
    while len(leaves) < max_leaves:
        chosen = best_leaf(splits)
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
    """P(y, s | labels, X) - P(y, s | X) of one sequence by enumeration; `potential[y, position, state]` is a
    dictionary.

    A label of -1 is not known: the first probability is that of the paths which have the other labels, I(y, s) if all
    are known.
    """
    length = len(labels)
    gradients = {
        (y, begin + t, s): 0.0 for t in range(length) for s in states_at(t, n_labels, order) for y in range(n_labels)
    }
    paths = list(itertools.product(range(n_labels), repeat=length))
    keys = [[(p[t], begin + t, observed_state(p, t, n_labels, order)) for t in range(length)] for p in paths]
    weights = np.array([math.exp(sum(potential[key] for key in path)) for path in keys])
    agree = np.array([all(label in (-1, y) for label, y in zip(labels, path, strict=True)) for path in paths])
    for path, difference in zip(keys, agree * weights / weights[agree].sum() - weights / weights.sum(), strict=True):
        for key in path:
            gradients[key] += difference
    return gradients


def chain_rule_gradients(potential, begin, labels, position_weights, n_labels, order):
    """Value and gradient of ``sum_t w_t log P(y_t | y_1 .. y_{t-1}, X)`` of a sequence, from its beginnings."""
    hidden = [[*labels[:t]] + [-1] * (len(labels) - t) for t in range(len(labels) + 1)]
    gradients = [row_gradients(potential, begin, known, n_labels, order) for known in hidden]
    values = [partial_log_likelihood(potential, begin, known, n_labels, order) for known in hidden]
    value, gradient = 0.0, dict.fromkeys(gradients[0], 0.0)
    for t, weight in enumerate(position_weights):
        value += weight * (values[t + 1] - values[t])
        for key in gradient:
            gradient[key] += weight * (gradients[t + 1][key] - gradients[t][key])
    return value, gradient


def partial_log_likelihood(potential, begin, labels, n_labels, order):
    """Logarithm of the probability of all paths that have the known labels."""
    paths = list(itertools.product(range(n_labels), repeat=len(labels)))
    scores = {
        path: sum(potential[y, begin + t, observed_state(path, t, n_labels, order)] for t, y in enumerate(path))
        for path in paths
    }
    agree = [path for path in paths if all(label in (-1, y) for label, y in zip(labels, path, strict=True))]
    return log_sum([scores[path] for path in agree]) - log_sum(list(scores.values()))


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


def fit_one_hot(sizes, n_labels, max_leaves, l2_regularization):
    """What `boost` fits trees by, as in the papers: `cart` on boolean features."""

    def fit(codes, states, targets):
        features = np.array([one_hot(code, s, sizes, n_labels) for code, s in zip(codes, states, strict=True)])
        return cart(features, targets, max_leaves, l2_regularization)

    return fit


def boost(codes, offsets, labels, n_labels, order, start, n_iterations, fit, pseudo=0):
    """TREEBOOST; returns the potential of every row, by (label, position, state).

    ``fit(codes, states, targets)`` returns the values that a tree gives rows with these window codes and states.
    """
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
            targets = np.array([gradients[key] for key in keys])
            fitted = fit([codes[p] for _, p, _ in keys], [s for _, _, s in keys], targets)
            for key, value in zip(keys, fitted, strict=True):
                potential[key] += value
    return potential


def leaf_of(tree, codes, before):
    """The leaf of one row: its window codes, and the labels before it, nearest first."""
    leaf, cells = 0, [*codes, *before]
    for split, parent in enumerate(tree.parents):
        if leaf == parent and cells[tree.columns[split]] in tree.test(split):
            leaf = split + 1
    return leaf
