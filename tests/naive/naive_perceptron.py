"""The averaged perceptron of label sequences, slow and obvious (Collins 2002, figure 1)."""

import itertools

import numpy as np

START = "start"


def features(cells, labels):
    """All features of a labelled sequence, each as often as it occurs."""
    found = []
    for t, (row, label) in enumerate(zip(cells, labels, strict=True)):
        found += [(int(cell), label) for cell in row]
        found.append((START if t == 0 else labels[t - 1], "then", label))
    return found


def score(weights, cells, labels):
    return sum(weights.get(feature, 0) for feature in features(cells, labels))


def likeliest(weights, cells, n_labels):
    """The best labels; of equally good ones the lowest, compared from the last label backwards."""
    every = itertools.product(range(n_labels), repeat=len(cells))
    return min(every, key=lambda labels: (-score(weights, cells, labels), labels[::-1]))


def in_beam(weights, cells, n_labels, width, truth=None):
    """The best labels of a beam; with `truth`, up to the position where it has left the beam."""
    beam = [()]
    for t in range(len(cells)):
        best = {}  # of all labels up to here, the best that end in a label
        for labels in beam:
            for label in range(n_labels):
                longer = (*labels, label)
                key = (-score(weights, cells[: t + 1], longer), longer[::-1])
                best[label] = min(best.get(label, (key, longer)), (key, longer))
        beam = [labels for _, labels in sorted(best.values(), key=lambda one: (one[0][0], one[1][-1]))[:width]]
        if truth is not None and truth[t] not in [labels[-1] for labels in beam]:
            break
    return beam[0]


def train(cells, labels, offsets, n_labels, n_epochs, find):
    """Averaged weights by feature; `find` gives the best labels of a sequence."""
    weights, total, n_seen = {}, {}, 0
    for _ in range(n_epochs):
        for begin, end in itertools.pairwise(offsets):
            truth = tuple(int(label) for label in labels[begin:end])
            found = find(weights, cells[begin:end], truth)
            part = slice(begin, begin + len(found))
            for feature in features(cells[part], truth[: len(found)]):
                weights[feature] = weights.get(feature, 0) + 1
            for feature in features(cells[part], found):
                weights[feature] = weights.get(feature, 0) - 1
            for feature, value in weights.items():
                total[feature] = total.get(feature, 0) + value
            n_seen += 1
    return {feature: value / n_seen for feature, value in total.items()}


def as_arrays(weights, n_cells, n_labels):
    """The weights as `VotedPerceptron` keeps them."""
    cells, transitions = np.zeros((n_cells + 1, n_labels)), np.zeros((n_labels, n_labels + 1))
    for feature, value in weights.items():
        if len(feature) == 2:
            cells[feature] = value
        else:
            before, _, label = feature
            transitions[label, n_labels if before == START else before] = value
    return cells, transitions
