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
