"""Slow versions of splits by sets of codes, Newton leaves and missing as a code: every set is tried."""

import itertools
from typing import NamedTuple

import naive
import numpy as np

EDGE, MISSING = "edge", "missing"
"""Codes of a column that have no place in a natural order."""


class Rules(NamedTuple):
    """What trees are grown by; `kinds` has a name for each slot, then for each previous label."""

    kinds: tuple
    max_leaves: int = 100
    l2_regularization: float = 0.0
    least_weight: float = 0.0
    newton: bool = False
    learning_rate: float = 1.0
    largest_step: float = 4.0


def all_sets(codes, kind):
    """One side of every split of a column that has these codes: numbers, EDGE and MISSING."""
    ordinary = sorted(code for code in codes if code not in (EDGE, MISSING))
    special = [code for code in (EDGE, MISSING) if code in codes]
    if kind == "subsets":
        everything = ordinary + special
        chosen = [set(some) for n in range(1, len(everything)) for some in itertools.combinations(everything, n)]
    elif kind == "ordered":
        joining = [set(some) for n in range(len(special) + 1) for some in itertools.combinations(special, n)]
        chosen = [set(ordinary[:n]) | some for n in range(max(len(ordinary), 1)) for some in joining]
    else:
        singles = [{code} for code in codes if code != MISSING]
        chosen = singles + [single | {MISSING} for single in singles] + [{MISSING}] if MISSING in codes else singles
    return [one for one in chosen if 0 < len(one) < len(codes)]


def gain(weight_true, gradient_true, weight, gradient, l2_regularization):
    """The fall of the penalized squared error by a split."""
    weights = np.array([weight_true, weight - weight_true, weight]) + l2_regularization
    return float(np.dot(np.array([gradient_true, gradient - gradient_true, gradient]) ** 2 / weights, [1.0, 1.0, -1.0]))


def best_set(column, weights, gradients, kind, rules):
    """Gain and set of the best split by a column, given the code of every row; (0, None) where nothing gains."""
    best = (0.0, None)
    for codes in all_sets(set(column), kind):
        holds = np.array([code in codes for code in column])
        weight = weights[holds].sum()
        if min(weight, weights.sum() - weight) >= max(rules.least_weight, 1e-12):
            found = gain(weight, gradients[holds].sum(), weights.sum(), gradients.sum(), rules.l2_regularization)
            if found > best[0] + 1e-9:
                best = (found, codes)
    return best


def best_prefix(column, weights, gradients, rules):
    """The gain of the best set among the first codes, sorted by gradient over weight; 0 where nothing gains."""
    holds = {code: np.array([other == code for other in column]) for code in set(column)}
    ordered = sorted(holds, key=lambda code: gradients[holds[code]].sum() / weights[holds[code]].sum())
    best = 0.0
    for n in range(1, len(ordered)):
        true = np.array([code in ordered[:n] for code in column])
        weight = weights[true].sum()
        if min(weight, weights.sum() - weight) >= rules.least_weight:
            found = gain(weight, gradients[true].sum(), weights.sum(), gradients.sum(), rules.l2_regularization)
            best = max(best, found)
    return best


def best_split(columns, weights, gradients, rules):
    """Gain and rows of the true side of the best split of a node; (0, None) where nothing gains."""
    best = (0.0, None)
    for column, kind in zip(columns, rules.kinds, strict=True):
        found, codes = best_set(column, weights, gradients, kind, rules)
        if found > best[0] + 1e-9:
            best = (found, np.array([code in codes for code in column]))
    return best


def leaf_value(weights, gradients, rules):
    """Equation 3.1, or a Newton step."""
    value = gradients.sum() / (weights.sum() + rules.l2_regularization)
    return rules.learning_rate * (
        float(np.clip(value, -rules.largest_step, rules.largest_step)) if rules.newton else value
    )


def cart(columns, gradients, rules):
    """Best-first growth; returns the fitted value of every row. `columns` are lists of codes."""
    weights = np.abs(gradients) * (1 - np.abs(gradients)) if rules.newton else np.ones(len(gradients))

    def part(rows):
        return best_split([[column[i] for i in rows] for column in columns], weights[rows], gradients[rows], rules)

    leaves = [np.arange(len(gradients))]
    splits = [part(leaves[0])]
    while len(leaves) < rules.max_leaves:
        chosen = naive.best_leaf(splits)
        holds = splits[chosen][1]
        if holds is None:
            break
        rows = leaves[chosen]
        leaves[chosen] = rows[~holds]
        leaves.append(rows[holds])
        splits[chosen] = part(leaves[chosen])
        splits.append(part(leaves[-1]))
    fitted = np.empty(len(gradients))
    for rows in leaves:
        fitted[rows] = leaf_value(weights[rows], gradients[rows], rules)
    return fitted


def fit_by(rules, sizes):
    """What `naive.boost` fits trees by; `sizes` are the numbers of categories of the slots."""

    def fit(codes, states, gradients):
        return cart(named_columns(codes, sizes) + [list(lag) for lag in zip(*states, strict=True)], gradients, rules)

    return fit


def named_columns(codes, sizes):
    """The codes of each slot: numbers, EDGE and MISSING."""
    names = [[*range(size), EDGE, MISSING] for size in sizes]
    return [[names[slot][code] for code in column] for slot, column in enumerate(np.transpose(codes))]
