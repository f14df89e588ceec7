"""Output coding of label sequences, slow and obvious (Hao 2009, chapters 3 and 4)."""

import itertools

OUTSIDE = 2


def draw_code(n_labels, length, rng):
    """Words of bits, a list for each label; drawn again until columns are not constant and words differ."""
    while True:
        columns = []
        while len(columns) < length:
            column = [int(bit) for bit in rng.integers(0, 2, n_labels)]
            opposite = [1 - bit for bit in column]
            if len(set(column)) == 2 and column not in columns and opposite not in columns:
                columns.append(column)
        words = [[column[label] for column in columns] for label in range(n_labels)]
        if all(one != other for one, other in itertools.combinations(words, 2)):
            return words


def decode(bits, words):
    """The label of each position whose word is nearest, the lowest of several."""
    labels = []
    for row in bits:
        away = [sum(abs(p - bit) for p, bit in zip(row, word, strict=True)) for word in words]
        labels.append(away.index(min(away)))
    return labels


def history_of(bits_before, length, first):
    """Of each position of one sequence, what bits `first`, .. of the position before and of the one after are.

    `bits_before` are the bits of the labellers so far, a list for each.
    """
    rows = []
    for t in range(length):
        row = []
        for bits in bits_before[first:]:
            row += [bits[t - 1] if t > 0 else OUTSIDE, bits[t + 1] if t + 1 < length else OUTSIDE]
        rows.append(row)
    return rows


def cascade(windows, history, classifiers):
    """The bits of one sequence by classifiers, each of which labels all positions before the next one starts.

    `windows` is a list for each position; a classifier turns the inputs of all positions into bits.
    """
    found = []
    for number, classify in enumerate(classifiers):
        first = max(number - history, 0)
        inputs = [w + h for w, h in zip(windows, history_of(found, len(windows), first), strict=True)]
        found.append(classify(inputs))
    return found
