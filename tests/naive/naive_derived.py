"""Derived numbers, observation by observation."""

import math


def derived(sequences, kind, before, after):
    """The column of a kind ("previous", "next" or a statistic) for lists of numbers, NaN where missing; one list."""
    column = []
    for numbers in sequences:
        for t, number in enumerate(numbers):
            if kind == "previous":
                column.append(number - numbers[t - 1] if t else number - number)
            elif kind == "next":
                column.append(numbers[t + 1] - number if t + 1 < len(numbers) else number - number)
            else:
                near = [x for x in numbers[max(t - before, 0) : t + after + 1] if not math.isnan(x)]
                column.append(statistic(kind, near))
    return column


def statistic(kind, numbers):
    if not numbers:
        return math.nan
    mean = sum(numbers) / len(numbers)
    return {
        "mean": mean,
        "deviation": math.sqrt(sum((x - mean) ** 2 for x in numbers) / len(numbers)),
        "lowest": min(numbers),
        "highest": max(numbers),
    }[kind]
