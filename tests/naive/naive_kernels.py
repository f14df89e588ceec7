"""Kernel CRFs the slow, obvious way: kernels of pairs of windows by loops, sums over all sequences of labels."""

from itertools import combinations, pairwise, product
from math import comb

import numpy as np
from scipy.optimize import minimize


def inputs_of(data, window):
    """What each window shows: an array with an indicator for each cell, and one for each number, standardized by the
    caller.
    """
    left, right = window
    sizes = [len(attribute.categories) + 1 for attribute in data.attributes]
    rows = []
    for begin, end in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        for position in range(begin, end):
            row = []
            for place in range(position - left, position + right + 1):
                for slot, size in enumerate(sizes):
                    indicators = np.zeros(size)
                    indicators[data.values[place, slot] if begin <= place < end else size - 1] = 1.0
                    row.extend(indicators)
            if data.number_names:
                for place in range(position - left, position + right + 1):
                    inside = begin <= place < end
                    row.extend(data.numbers[place] if inside else np.zeros(len(data.number_names)))
                    row.append(0.0 if inside else 1.0)
            rows.append(row)
    return np.array(rows)


def kernel_of(left, right, degree, coef0, scale):
    """The polynomial kernel of all pairs of inputs."""
    return np.array([[((a @ b + coef0) / (scale + coef0)) ** degree for b in right] for a in left])


def monomial_kernel(left, right, degree, coef0, scale):
    """The same for indicators: a weighted count of the sets of inputs that both have."""
    weights = {
        1: [coef0, 1],
        2: [coef0**2, 2 * coef0 + 1, 2],
        3: [coef0**3, 3 * coef0**2 + 3 * coef0 + 1, 6 * coef0 + 6, 6],
    }[degree]
    shared = (left @ right.T).astype(int)
    counts = [[sum(w * comb(s, j) for j, w in enumerate(weights)) for s in row] for row in shared]
    return np.array(counts) / (scale + coef0) ** degree


def monomials_of(row, degree):
    """The sets of at most `degree` inputs that are 1."""
    active = np.flatnonzero(row)
    return [members for j in range(degree + 1) for members in combinations(active.tolist(), j)]


class Paths:
    """All sequences of labels of all sequences, and what they count."""

    def __init__(self, offsets, n_labels):
        self.n_positions, self.n_labels = int(offsets[-1]), n_labels
        self.of_sequence, nodes, pairs = [], [], []
        for begin, end in pairwise(offsets):
            first = len(nodes)
            for labels in product(range(n_labels), repeat=int(end - begin)):
                node, pair = np.zeros((self.n_positions, n_labels)), np.zeros((n_labels, n_labels))
                for place, label in enumerate(labels):
                    node[begin + place, label] = 1.0
                    if place:
                        pair[labels[place - 1], label] += 1.0
                nodes.append(node)
                pairs.append(pair)
            self.of_sequence.append(slice(first, len(nodes)))
        self.nodes, self.pairs = np.array(nodes), np.array(pairs)

    def counts_of(self, labels, offsets):
        """The counts of the true labels: of positions, and of pairs of all sequences."""
        nodes, pairs = np.eye(self.n_labels)[labels], np.zeros((self.n_labels, self.n_labels))
        for begin, end in pairwise(offsets):
            for t in range(begin + 1, end):
                pairs[labels[t - 1], labels[t]] += 1.0
        return nodes, pairs

    def probabilities(self, scores, transitions):
        """Of all paths, given those of their sequence; and the sum of log Z."""
        totals = (self.nodes * scores).sum(axis=(1, 2)) + (self.pairs * transitions).sum(axis=(1, 2))
        probabilities, log_z = np.empty_like(totals), 0.0
        for part in self.of_sequence:
            top = totals[part].max()
            weights = np.exp(totals[part] - top)
            probabilities[part] = weights / weights.sum()
            log_z += top + np.log(weights.sum())
        return probabilities, log_z

    def covariance(self, probabilities, scores, transitions):
        """Covariances of node and pair counts with a direction's sum, over all sequences."""
        totals = (self.nodes * scores).sum(axis=(1, 2)) + (self.pairs * transitions).sum(axis=(1, 2))
        nodes, pairs = np.zeros_like(scores), np.zeros_like(transitions)
        for part in self.of_sequence:
            p = probabilities[part]
            weights = p * (totals[part] - p @ totals[part])
            nodes += np.tensordot(weights, self.nodes[part], 1)
            pairs += np.tensordot(weights, self.pairs[part], 1)
        return nodes, pairs


def solve_dual(paths, kernel, labels, offsets, variance, transition_variance):
    """The maximum of the dual over distributions of paths: value, marginals, coefficients, pair weights.

    Each sequence's distribution is the softmax of one free number for each path.
    """
    nodes, pairs = paths.counts_of(labels, offsets)

    def negative_dual(logits):
        p = np.concatenate([softmax(logits[part]) for part in paths.of_sequence])
        errors, pair_errors = nodes - np.tensordot(p, paths.nodes, 1), pairs - np.tensordot(p, paths.pairs, 1)
        norm = (errors * (kernel @ errors)).sum() + transition_variance * (pair_errors**2).sum()
        logs = np.log(np.maximum(p, 1e-300))
        value = -(p @ logs) - variance / 2 * norm
        slopes = (
            -logs
            - 1
            + variance
            * (
                (paths.nodes * (kernel @ errors)).sum(axis=(1, 2))
                + transition_variance * (paths.pairs * pair_errors).sum(axis=(1, 2))
            )
        )
        gradient = np.concatenate([p[s] * (slopes[s] - p[s] @ slopes[s]) for s in paths.of_sequence])
        return -value, -gradient

    found = minimize(
        negative_dual, np.zeros(len(paths.nodes)), jac=True, method="BFGS", options={"gtol": 1e-9, "maxiter": 5000}
    )
    p = np.concatenate([softmax(found.x[part]) for part in paths.of_sequence])
    marginals = np.tensordot(p, paths.nodes, 1)
    pair_weights = variance * transition_variance * (pairs - np.tensordot(p, paths.pairs, 1))
    return -found.fun, marginals, variance * (nodes - marginals), pair_weights


def softmax(logits):
    weights = np.exp(logits - logits.max())
    return weights / weights.sum()


def residual(kernel, pivots):
    """What the kernel functions of pivots leave of a kernel matrix."""
    if not len(pivots):
        return kernel.copy()
    return kernel - kernel[:, pivots] @ np.linalg.pinv(kernel[np.ix_(pivots, pivots)]) @ kernel[pivots]
