"""Guides to missing values that are made from planted frames, and their parts."""

import re

import numpy as np
import pandas as pd

from treecrf.rendering.style import METHOD_NAMES
from treecrf.studies.missing.guide import missing_values_guide

IW, SS, IM, IN, _, DD, *_ = METHOD_NAMES
COMMAND = "snakemake --cores 3 missing --configfile 'my own.yaml'"
NAN = np.nan


def evaluations_of(percent):
    """Two evaluations of 1,000 positions at rates above 0, one at rate 0; `percent` maps cells to mean accuracies."""
    rows = []
    for (dataset, rate, method), mean in percent.items():
        for test_set, shift in enumerate((-10, 10) if rate else (0,)):
            n_correct = round(10 * mean) + shift
            rows.append((dataset, dataset.startswith("faq"), rate, method, 0, test_set, 1000, n_correct))
    names = ["dataset", "stand_in", "rate", "method", "training_set", "test_set", "n_positions", "n_correct"]
    return pd.DataFrame(rows, columns=names)


def comparisons_of(percent, clear, of_lines=(), with_own_holes=()):
    """Every ordered pair of methods of each case; `clear` decides about (dataset, rate, better, worse)."""
    rows = []
    for dataset, rate, baseline in percent:
        if not rate and dataset not in with_own_holes:
            continue
        for method in METHOD_NAMES:
            if method == baseline or (dataset, rate, method) not in percent:
                continue
            points = percent[dataset, rate, method] - percent[dataset, rate, baseline]
            better, worse = (baseline, method) if points < 0 else (method, baseline)
            decided = clear(dataset, rate, better, worse)
            rows.append(
                {
                    "dataset": dataset, "stand_in": dataset.startswith("faq"), "rate": rate, "baseline": baseline,
                    # the paper's test says the opposite
                    "method": method, "coefficient": points / 20, "p_value": 0.9 if decided else 0.001,
                    "valid_p_holm": 0.049 if decided else 0.05, "accuracy_points": points,
                    "points_low": points - 0.75, "points_high": points + 0.75, "holm_low": points - 1.0, "holm_high": points + 1.0,
                    "points_standard_error": 0.4, "degrees_of_freedom": 100.0,
                    "decision": "undecided" if not decided else "worse" if points < 0 else "better",
                    "cluster": "block" if dataset in of_lines else "group", "n_training_sets": 5 if rate else 1,
                }
            )  # fmt: skip
    names = ["dataset", "stand_in", "rate", "baseline", "method", "accuracy_points", "valid_p_holm", "points_low"]
    more = [
        "points_high",
        "points_standard_error",
        "degrees_of_freedom",
        "decision",
        "cluster",
        "n_training_sets",
        "holm_low",
        "holm_high",
    ]
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=[*names, *more])


def costs_of(percent, seconds):
    """Ten iterations of each cell; `seconds` maps methods to those of one iteration."""
    rows = [
        (dataset, False, rate, method, 0, phase, value, 10)
        for dataset, rate, method in percent
        if method in seconds
        for phase, value in (
            ("choice", 1e6),  # no part of a training
            ("gradient", 4 * seconds[method]),
            ("trees", 6 * seconds[method]),
            ("prediction", 2 * seconds[method]),
        )
    ]
    names = ["dataset", "stand_in", "rate", "method", "training_set", "phase", "cpu_seconds", "n_iterations"]
    return pd.DataFrame(rows, columns=names)


def never(dataset, rate, better, worse):
    return False


def always(dataset, rate, better, worse):
    return True


SECONDS = {IW: 0.6, SS: 1.2, IM: 0.4, IN: 0.2, DD: 0.41}


def guide(percent, clear, seconds=SECONDS, deviance=None, **options):
    comparisons = comparisons_of(percent, clear, **options)
    return missing_values_guide(
        evaluations_of(percent), comparisons, costs_of(percent, seconds), deviance, command=COMMAND
    )


def cases(dataset, methods=(IW, IM, SS), rates=(0.1, 0.4), top=80.0, reference=82.0):
    """The first method at `top`, each next one two points below; five points lower at each further rate."""
    percent = {} if reference is None else {(dataset, 0.0, method): reference for method in methods}
    return percent | {
        (dataset, rate, method): top - 5 * place - 2 * rank
        for place, rate in enumerate(rates)
        for rank, method in enumerate(methods)
    }


def section(page, number):
    return re.search(rf"^## {number}\. .*?(?=^## |\Z)", page, flags=re.DOTALL | re.MULTILINE).group()


def table(text, place=0):
    """The rows of a Markdown table as lists of cells, the rule left out."""
    blocks = re.findall(r"(?:^\|.*\n?)+", text, flags=re.MULTILINE)
    lines = blocks[place].strip().splitlines()
    assert set(lines[1]) <= set("|-: ")
    assert len({line.count("|") for line in lines}) == 1
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in [lines[0], *lines[2:]]]
