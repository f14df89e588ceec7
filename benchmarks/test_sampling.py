"""Cost and gain of row sampling, feature sampling and influence trimming, beside training on everything."""

import numpy as np
import pytest

from treecrf import TreeCRF
from treecrf_studies import datasets

PARTS = [("none", 1.0)]
PARTS += [(setting, value) for setting in ("row_fraction", "feature_fraction") for value in (0.5, 0.25)]
PARTS += [("influence_trimming", value) for value in (0.05, 0.1, 0.2)]
N_SEEDS = 5


@pytest.mark.parametrize("name", ["protein", "nettalk", "hyphen"])
def test_sampling(record, load, size, name):
    train, test = load(name)
    window = datasets.describe(name).window
    seconds, accuracies = {part: [] for part in PARTS}, {part: [] for part in PARTS}
    for seed in range(size(N_SEEDS)):  # in turn, so that a change of the machine's speed meets all
        for part in PARTS:
            setting = {} if part[0] == "none" else dict([part])
            model = TreeCRF(size(100), 100, 20.0, window, sampling_seed=seed, **setting).fit(train)
            seconds[part].append(sum(model.seconds_.values()))
            accuracies[part].append(100 * model.score(test))
    for part in PARTS:
        what = f"{name}, {part[0]} {part[1]:g}: CPU s; accuracy, its spread over {N_SEEDS} seeds"
        spread = np.std(accuracies[part])
        record(what, f"{np.median(seconds[part]):.3f}; {np.mean(accuracies[part]):.2f} +- {spread:.2f} %")


@pytest.mark.parametrize("row_fraction", [0.5, 0.25, 0.1])
def test_row_sampling_of_a_large_set(record, load, size, row_fraction):
    train, _ = load("hyphen_moby", n_train=15_608, n_test=10)
    pairs = [
        [
            TreeCRF(size(20), 100, 20.0, (2, 3), row_fraction=part).fit(train).seconds_["trees"]
            for part in (1.0, row_fraction)
        ]
        for _ in range(size(5))  # in turn, as above
    ]
    whole, sampled = np.array(pairs).T
    record(
        f"hyphen_moby, {train.n_positions} positions, row_fraction {row_fraction}: tree time / that of all rows",
        f"{np.median(sampled / whole):.2f}",
    )
