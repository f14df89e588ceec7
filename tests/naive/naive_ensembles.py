"""Ensembles as the paper's formulas say, one position after another; path experts are enumerated."""

import math
from itertools import product


def all_paths(n_classes, n_experts):
    """Every choice of an expert for each class, in rising order."""
    return list(product(range(n_experts), repeat=n_classes))


def is_wrong(path, predictions, labels, classes, i):
    return predictions[i][path[classes[i]]] != labels[i]


def boost(predictions, labels, classes, n_classes, n_rounds):
    """Algorithm 1 over all path experts: paths, alphas and errors."""
    m, n_experts = len(labels), len(predictions[0])
    distribution = [1 / m] * m
    paths, alphas, errors = [], [], []
    for _ in range(n_rounds):
        found = {}
        for path in all_paths(n_classes, n_experts):
            found[path] = math.fsum(
                distribution[i] for i in range(m) if is_wrong(path, predictions, labels, classes, i)
            )
        least = min(found.values())
        path = min(path for path in found if found[path] <= least + 1e-12)
        error = found[path]
        if error == 0 or error >= 0.5 - 1e-6:
            if not paths:
                paths, alphas, errors = [path], [1.0], [error]
            break
        alpha, z = 0.5 * math.log((1 - error) / error), 2 * math.sqrt(error * (1 - error))
        for i in range(m):
            rho = -1 if is_wrong(path, predictions, labels, classes, i) else 1
            distribution[i] *= math.exp(-alpha * rho) / z
        paths.append(path)
        alphas.append(alpha)
        errors.append(error)
    return paths, alphas, errors


def weights_of(paths, alphas, n_classes, n_experts):
    """The table of a vote: the sum of the weights of the paths that have an expert in a class."""
    return [
        [math.fsum(a for path, a in zip(paths, alphas, strict=True) if path[c] == j) for j in range(n_experts)]
        for c in range(n_classes)
    ]


def scores(weights, predicted):
    """The score of every label that somebody predicts."""
    found = {}
    for weight, label in zip(weights, predicted, strict=True):
        found[label] = found.get(label, 0.0) + weight
    return found


def vote(weights, predicted):
    """The label with the greatest score; of tied ones that of the heaviest voter, the lowest one of these."""
    found = scores(weights, predicted)
    best = max(found.values())
    tied = [j for j, label in enumerate(predicted) if found[label] >= best * (1 - 1e-12)]
    heaviest = max(weights[j] for j in tied)
    return predicted[min(j for j in tied if weights[j] >= heaviest * (1 - 1e-12))]


def margin(weights, predicted, label):
    """The score of the true label less the best of the others, of weights that sum to 1."""
    found = scores(weights, predicted)
    others = [score for other, score in found.items() if other != label]
    return (found.get(label, 0.0) - max([0.0, *others])) / math.fsum(weights)


def objective(paths, alphas, predictions, labels, classes):
    """The right side of lemma 1."""
    total = 0.0
    for i in range(len(labels)):
        margins = [-1 if is_wrong(path, predictions, labels, classes, i) else 1 for path in paths]
        total += math.exp(-math.fsum(a * rho for a, rho in zip(alphas, margins, strict=True)))
    return total / len(labels)


def theorem_3(errors, rho):
    """The bound on the margin loss."""
    bound = 1.0
    for error in errors:
        bound *= 2 * math.sqrt(error ** (1 - rho) * (1 - error) ** (1 + rho))
    return bound


def online(predictions, labels, classes, sequences, n_classes, beta, delta):
    """The mean weights of WMWP over its suffix, and where that begins."""
    n_experts = len(predictions[0])
    weights = [[1.0] * n_experts for _ in range(n_classes)]
    before, losses = [], []
    for number in sorted(set(sequences)):
        shares = [[w / math.fsum(row) for w in row] for row in weights]
        own = [i for i, sequence in enumerate(sequences) if sequence == number]
        expected = 0.0
        for i in own:
            for j in range(n_experts):
                if predictions[i][j] != labels[i]:
                    expected += shares[classes[i]][j]
                    weights[classes[i]][j] *= beta
        before.append(shares)
        losses.append(expected / len(own))
    bounds = [
        math.fsum(losses[t:]) / (len(losses) - t) + math.sqrt(math.log(1 / delta) / (len(losses) - t))
        for t in range(len(losses))
    ]
    first = bounds.index(min(bounds))
    kept = before[first:]
    mean = [[math.fsum(s[c][j] for s in kept) / len(kept) for j in range(n_experts)] for c in range(n_classes)]
    return mean, first


def cross_validated_losses(predictions, labels, classes, folds, n_classes, n_rounds):
    """The mean loss on each fold after 1, 2, .. rounds of boosting on the others."""
    curves = []
    for fold in sorted(set(folds)):
        rest = [i for i in range(len(labels)) if folds[i] != fold]
        held_out = [i for i in range(len(labels)) if folds[i] == fold]
        paths, alphas, _ = boost(
            *([part[i] for i in rest] for part in (predictions, labels, classes)), n_classes, n_rounds
        )
        curve = []
        for t in range(1, n_rounds + 1):
            weights = weights_of(paths[:t], alphas[:t], n_classes, len(predictions[0]))
            wrong = [vote(weights[classes[i]], predictions[i]) != labels[i] for i in held_out]
            curve.append(sum(wrong) / len(held_out))
        curves.append(curve)
    return [math.fsum(column) / len(curves) for column in zip(*curves, strict=True)]


def position_class(name, place, length, predicted):
    """The class of a position by the protocol's words."""
    if name == "one":
        return 0
    if name == "ends":
        if place == length - 1:
            return 4
        if place == 0:
            return 0
        if place == length - 2:
            return 3
        return 1 if place == 1 else 2
    if name == "relative5":
        return math.floor(5 * place / length)
    if name == "absolute8":
        return min(place, 7)
    return vote([1.0] * len(predicted), predicted)


def marginal_numbers(data, marginals):
    """By observation: marginals, their sums over earlier positions of the sequence, and over later ones."""
    rows, n_labels = [], len(marginals[0])
    for i in range(len(data)):
        of_sequence = marginals[data.offsets[i] : data.offsets[i + 1]]
        for place in range(data.observation_offsets[i + 1] - data.observation_offsets[i]):
            here = of_sequence[place] if place < len(of_sequence) else [0.0] * n_labels
            before = [sum(m[y] for m in of_sequence[:place]) for y in range(n_labels)]
            after = [sum(m[y] for m in of_sequence[place + 1 :]) for y in range(n_labels)]
            rows.append([*here, *before, *after])
    return rows
