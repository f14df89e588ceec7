"""Which labels a beam keeps, slow and obvious: all label sequences within the beam so far."""

import itertools
import math


def beam_labels(candidates, score, n_best, truth=None):
    """The labels that stay at each position.

    `candidates` are the labels that each position may have; ``score(labels)`` is that of the first labels of the
    sequence. The forward mass of a label is the sum over all sequences in the beam that end in it.
    """
    kept = []
    for t, labels in enumerate(candidates):
        mass = {
            label: sum(math.exp(score((*before, label))) for before in itertools.product(*kept)) for label in labels
        }
        best = sorted(labels, key=lambda label: (-mass[label], label))[:n_best]
        if truth is not None and truth[t] not in best:
            best.append(truth[t])
        kept.append(sorted(best))
    return kept
