"""Holes of other sequences."""

import numpy as np
from builders import number_set, random_set

from treecrf.missing import inject
from treecrf.missing.mechanisms import resample_missing
from treecrf.sequences import MISSING


def mask_of(data):
    return np.hstack([data.values == MISSING, np.isnan(data.numbers)])


def test_each_sequence_gets_the_holes_of_one_other():
    rng = np.random.default_rng(0)
    data = number_set(1, n_sequences=8, longest=6)
    pattern = inject(data, 0.4, rng)
    found = resample_missing(data, pattern, np.random.default_rng(3))
    masks = [mask_of(pattern.select([i])) for i in range(len(pattern))]
    drawn = []
    for i in range(len(found)):
        mask = mask_of(found.select([i]))
        fitting = [j for j, other in enumerate(masks) if (mask == np.resize(other, (len(mask), mask.shape[1]))).all()]
        assert fitting
        drawn.append(fitting[0])
    assert len(set(drawn)) > 2


def test_what_is_missing_stays_so_and_the_rest_is_as_it_was():
    rng = np.random.default_rng(1)
    whole = random_set(rng, n_sequences=30)
    data, pattern = inject(whole, 0.2, rng), inject(whole, 0.3, rng)
    found = resample_missing(data, pattern, rng)
    assert (mask_of(found) >= mask_of(data)).all()
    assert 0.3 < mask_of(found).mean() < 0.6
    there = found.values != MISSING
    np.testing.assert_array_equal(found.values[there], data.values[there])


def test_a_pattern_without_holes_makes_none():
    data = random_set(np.random.default_rng(2))
    assert resample_missing(data, data, np.random.default_rng(0)) == data
