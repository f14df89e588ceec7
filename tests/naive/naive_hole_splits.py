"""Slow version of trees that split by sets of codes and divide rows whose code is missing; every set is tried."""

import naive
import numpy as np
from naive_splits import EDGE, MISSING, all_sets, gain, leaf_value, named_columns


def cart(columns, n_slots, gradients, rules, policy):
    """Best-first growth; returns the fitted value of every row, blended over the leaves that have a part of it.

    `columns` are lists of codes, the first `n_slots` of them those of slots; `policy` is a value of
    ``TreeCRF(missing=)``.
    """
    weights = np.abs(gradients) * (1 - np.abs(gradients)) if rules.newton else np.ones(len(gradients))
    sums = lambda parts, rows: (  # noqa: E731
        sum(parts[row] * weights[row] for row in rows),
        sum(parts[row] * gradients[row] for row in rows),
    )

    def best(parts):
        found = (0.0, None)
        for number, column in enumerate(columns):
            known = [row for row in parts if column[row] != MISSING]
            unknown = sums(parts, [row for row in parts if column[row] == MISSING])
            for codes in candidates(parts, number, known):
                true, total = sums(parts, [row for row in known if column[row] in codes]), sums(parts, known)
                if min(true[0], total[0] - true[0]) < 1e-12:
                    continue
                gains = [gain(*true, *total, rules.l2_regularization)]
                if policy == "default_direction":
                    everything = np.add(total, unknown)
                    gains = [
                        gain(*side, *everything, rules.l2_regularization) for side in (true, np.add(true, unknown))
                    ]
                if max(gains) > found[0] + 1e-9:
                    found = (max(gains), (number, codes, int(np.argmax(gains))))
        return found

    def candidates(parts, number, known):
        """All sets; with a learned direction those of the first known codes, sorted by gradient over weight.

        There the best of all sets may be none of these, as missing against known is no test.
        """
        codes = {columns[number][row] for row in known}
        if policy != "default_direction" or rules.kinds[number] != "subsets":
            return all_sets(codes, rules.kinds[number])
        of = {code: sums(parts, [row for row in known if columns[number][row] == code]) for code in codes}
        ranked = sorted(codes, key=lambda code: of[code][1] / of[code][0])
        return [set(ranked[:n]) for n in range(1, len(ranked))]

    def lighter(parts, number, codes):
        """The codes of the side that weighs less; of equal ones that with lower codes, or lower gradients."""
        known = {columns[number][row] for row in parts} - {MISSING}
        sides = [codes, known - codes]
        if rules.kinds[number] == "one_vs_rest":
            return sides
        of = [sums(parts, [row for row in parts if columns[number][row] in side]) for side in sides]
        is_ordered = rules.kinds[number] == "ordered"
        keys = [(round(weight, 9), 0.0 if is_ordered else gradient / weight) for weight, gradient in of]
        return sides if keys[0] <= keys[1] else sides[::-1]

    def surrogates(parts, number, true, false):
        """Agreement, slot and set of the surrogates, best first; the set stands for the true side."""
        found = []
        for slot in range(n_slots):
            rows = [row for row in parts if columns[number][row] != MISSING and columns[slot][row] != MISSING]
            if slot == number or not rows:
                continue
            bins = range(1 + max((code for code in columns[slot] if code not in (EDGE, MISSING)), default=-1))
            table = {code: [0.0, 0.0] for code in (*bins, EDGE)}
            for row in rows:
                table[columns[slot][row]][columns[number][row] in false] += parts[row] * weights[row]
            total, larger = sum(map(sum, table.values())), max(map(sum, zip(*table.values(), strict=True)))
            agreeing, chosen = best_match(table, rules.kinds[slot])
            if agreeing > larger + 1e-9:
                found.append((-round(agreeing / total, 9), slot, chosen))
        return sorted(found, key=lambda one: one[0])

    def divide(parts, number, codes, direction):
        true, false = lighter(parts, number, codes)
        flipped = true != codes
        column, sides = columns[number], ({}, {})
        known = [sums(parts, [row for row in parts if column[row] in side])[0] for side in (true, false)]
        majority = 1.0 if known[0] > known[1] + 1e-9 else 0.0
        others = surrogates(parts, number, true, false) if policy == "surrogate_splitting" and number < n_slots else []
        for row, part in parts.items():
            share = float(column[row] in true)
            if column[row] == MISSING:
                told = [columns[slot][row] in chosen for _, slot, chosen in others if columns[slot][row] != MISSING]
                share = {
                    "instance_weighting": known[0] / sum(known),
                    "default_direction": float(direction != flipped),
                    "surrogate_splitting": float(told[0]) if told else majority,
                }[policy]
            for side, of_side in zip(sides, (share, 1.0 - share), strict=True):
                if of_side > 0:
                    side[row] = part * of_side
        return sides

    leaves = [dict.fromkeys(range(len(gradients)), 1.0)]
    splits = [best(leaves[0])]
    while len(leaves) < rules.max_leaves:
        chosen = naive.best_leaf(splits)
        if splits[chosen][1] is None:
            break
        true, false = divide(leaves[chosen], *splits[chosen][1])
        leaves[chosen], splits[chosen] = false, best(false)
        leaves.append(true)
        splits.append(best(true))
    fitted = np.zeros(len(gradients))
    for parts in leaves:
        rows, shares = list(parts), np.array(list(parts.values()))
        value = leaf_value(shares * weights[rows], shares * gradients[rows], rules)
        fitted[rows] += shares * value
    return fitted


def best_match(table, kind):
    """The set of codes that agrees best with a split, and in how much; `table` has the weight of both sides by code."""
    likely = {code for code, (yes, no) in table.items() if yes > no + 1e-9}
    options = [likely]
    if kind == "ordered":
        bins = sorted(code for code in table if code != EDGE)
        lows = [set(bins[: n + 1]) for n in range(max(len(bins), 1))]
        options = [side | (likely & {EDGE}) for low in lows for side in (low, set(bins) - low)]
    agreeing = [sum(sides[code not in option] for code, sides in table.items()) for option in options]
    best = next(i for i, value in enumerate(agreeing) if value > max(agreeing) - 1e-9)
    return agreeing[best], options[best]


def fit_by(rules, sizes, policy):
    """What `naive.boost` fits trees by; `sizes` are the numbers of categories of the slots."""

    def fit(codes, states, gradients):
        lags = [list(lag) for lag in zip(*states, strict=True)]
        return cart(named_columns(codes, sizes) + lags, len(sizes), gradients, rules, policy)

    return fit
