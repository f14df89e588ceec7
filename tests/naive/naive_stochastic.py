"""Averaged stochastic gradient descent of a linear CRF, slow and obvious: every labelling, every weight, every step."""

import itertools

import numpy as np


def features(cells, labels, order):
    """All features of a labelled sequence, each as often as it occurs."""
    of_cells = [(int(cell), int(label)) for row, label in zip(cells, labels, strict=True) for cell in row]
    pairs = [("pair", int(before), int(label)) for before, label in itertools.pairwise(labels)]
    return of_cells + (pairs if order else [])


def count(weights, cells, labellings, order):
    """The logarithm of the sum over labellings, and how often each feature with a weight is expected."""
    scores = np.array([sum(weights.get(each, 0.0) for each in features(cells, one, order)) for one in labellings])
    total = np.logaddexp.reduce(scores)
    expected = dict.fromkeys(weights, 0.0)
    for labels, score in zip(labellings, scores, strict=True):
        for feature in features(cells, labels, order):
            if feature in expected:
                expected[feature] += np.exp(score - total)
    return total, expected


def differentiate(weights, cells, labels, n_labels, order):
    """The log likelihood of a sequence, labels of -1 summed over, and its gradient."""
    every = list(itertools.product(range(n_labels), repeat=len(labels)))
    agreeing = [one for one in every if all(label in (-1, own) for label, own in zip(labels, one, strict=True))]
    (whole, expected), (part, observed) = (count(weights, cells, each, order) for each in (every, agreeing))
    return part - whole, {feature: observed[feature] - expected[feature] for feature in weights}


def descend(weights, sequences, n_sequences, n_labels, order, rate, decay, lateness):
    """The average of the weights after each step, late ones first, and the log likelihood before each.

    `sequences` are triples of cells, labels and weight in the order of the steps; a pass has `n_sequences`.
    """
    total, log_likelihood, average = 0.0, 0.0, dict.fromkeys(weights, 0.0)
    for number, (cells, labels, weight) in enumerate(sequences, start=1):
        value, gradient = differentiate(weights, cells, labels, n_labels, order)
        log_likelihood += weight * value
        step = 1 / (1 / rate + decay * number)
        weights = {each: (1 - step * decay) * own + step * weight * gradient[each] for each, own in weights.items()}
        share = (number / n_sequences) ** lateness
        average = {each: average[each] + share * own for each, own in weights.items()}
        total += share
    return {each: value / total for each, value in average.items()}, log_likelihood
