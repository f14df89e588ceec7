"""Bins of numbers: by hand, and what must not change them."""

import numpy as np
import pytest
from builders import assert_same_bits, number_set
from hypothesis import assume, given
from hypothesis import strategies as st

from treecrf import MISSING, Attribute, SequenceSet, TreeCRF
from treecrf.inputs.binning import MOST_BINS, Binner


def column(cells, labels=None):
    numbers = np.array(cells, dtype=float)[:, None]
    return SequenceSet(
        np.empty((len(cells), 0)), [0, len(cells)], (), labels, ("A", "B"), numbers=numbers, number_names=("x",)
    )


def test_bins_end_between_numbers_of_the_training_set():
    binner = Binner(3).fit(column([5, 1, 3, 2, 4, 6]))
    assert binner.edges_["x"].tolist() == [2.5, 4.5]
    binned = binner.transform(column([2, 2.5, 2.5001, 4, 5, -1e9, 1e9, np.nan]))
    assert binned.values.ravel().tolist() == [0, 0, 1, 1, 2, 0, 2, MISSING]
    assert (binned.number_names, binned.numbers.shape) == ((), (8, 0))
    assert binned.attributes == (Attribute("x", ("to 2.5", "above 2.5 to 4.5", "above 4.5"), ordered=True),)


CHANGES = {
    "single precision": lambda x: x.astype(np.float32),
    "inches and back": lambda x: x / 2.54 * 2.54,
    "thousands and back": lambda x: x * 1e-3 * 1e3,
    "Fahrenheit and back": lambda x: ((x * 1.8 + 32) - 32) / 1.8,
    "sums of parts": lambda x: x - 0.7 + 0.7,
}


@given(
    st.lists(st.integers(-500, 500), min_size=1, max_size=60),
    st.sampled_from([0.1, 0.01, 1 / 3, 1.0]),
    st.integers(2, 30),
    st.sampled_from(sorted(CHANGES)),
    st.booleans(),
)
def test_rounding_and_changes_of_units_move_no_number_to_another_bin(wholes, unit, n_bins, change, trained_on_both):
    cells = np.array(wholes) * unit
    changed = CHANGES[change](cells).astype(np.float64)
    is_factor = change in ("inches and back", "thousands and back")  # without an offset, what is rounded is small
    train = np.append(cells, changed) if trained_on_both and is_factor else cells
    binner = Binner(n_bins).fit(column(train))
    bins, again = (binner.transform(column(numbers)).values for numbers in (cells, changed))
    np.testing.assert_array_equal(bins, again)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), min_size=1, max_size=30),
    st.integers(2, 12),
    st.sampled_from([1.0, 0.3, 1e-7, 1e7]),
)
def test_weights_are_copies_in_any_unit(numbered, n_bins, factor):
    cells, weights = np.array(numbered, dtype=float).T
    assume(np.gcd.reduce(weights.astype(int)) == 1)  # a factor of all is a unit, no copies
    binner = Binner(n_bins).fit(column(cells), factor * weights)
    copied = Binner(n_bins).fit(column(np.repeat(cells, weights.astype(int))))
    assert binner.edges_["x"].tolist() == copied.edges_["x"].tolist()


def test_numbers_at_the_ends_of_their_range_have_edges_between_them():
    cells = [-1.7e308, 1.7e308, 0.0, 5e-324, 1.0, np.nextafter(1.0, 2.0), 1 + 1e-12]
    edges = Binner().fit(column(cells)).edges_["x"]
    assert edges.tolist() == [-8.5e307, 0.0, 0.5, 1 + 5e-13, 8.5e307]


def test_few_numbers_have_a_bin_each():
    binner = Binner().fit(column([3, 1, 1, 7, np.nan]))
    assert binner.transform(column([1, 3, 7])).values.ravel().tolist() == [0, 1, 2]


def test_bins_hold_equally_many_cells():
    cells = np.random.default_rng(0).lognormal(size=10_000)
    binned = Binner().fit(column(cells)).transform(column(cells))
    counts = np.bincount(binned.values.ravel())
    assert len(counts) == MOST_BINS == len(set(binned.attributes[0].categories))
    assert {39, 40} == set(counts.tolist())


def test_a_number_that_is_always_the_same_or_missing_breaks_nothing():
    binner = Binner().fit(column([2, 2, np.nan]))
    assert binner.transform(column([2, 9, np.nan])).values.ravel().tolist() == [0, 0, MISSING]
    binner = Binner().fit(column([np.nan, np.nan]))
    binned = binner.transform(column([1, np.nan]))
    assert (binned.values.ravel().tolist(), binned.attributes[0].categories) == ([MISSING, MISSING], ())
    other = number_set(0)
    n = len(other.values)
    numbers = np.column_stack([other.numbers, np.full(n, 3.5), np.full(n, np.nan)])
    data = other.with_numbers(numbers, (*other.number_names, "same", "none"))
    model = TreeCRF(n_iterations=3, max_leaves=4, missing="instance_weighting").fit(data)
    without = TreeCRF(n_iterations=3, max_leaves=4, missing="instance_weighting").fit(other)
    assert model.predict_proba(data).tobytes() == without.predict_proba(other).tobytes()


def test_names_of_bins_differ_where_numbers_hardly_do():
    binner = Binner().fit(column([1, 1 + 1e-12, 1 + 2e-12]))
    [attribute] = binner.attributes
    assert (
        attribute.categories
        == (
            "to 1.0000000000000",
            "above 1.0000000000000 to 1.0000000000010",
            "above 1.0000000000010",
        )
        or len(set(attribute.categories)) == 3
    )


@pytest.mark.parametrize("transform", [lambda x: np.exp(3 * x), lambda x: x**3 - 7, lambda x: 1e6 * x + 5])
def test_increasing_functions_of_numbers_change_nothing(transform):
    train, test = number_set(1, n_sequences=60), number_set(2)
    settings = {"n_iterations": 4, "max_leaves": 8, "n_bins": 40, "window": (1, 1)}
    plain = TreeCRF(**settings).fit(train)
    changed = TreeCRF(**settings).fit(train.with_numbers(transform(train.numbers)))
    assert len(plain.forest_.columns) > 20
    assert_same_bits(plain, changed)
    changed_test = test.with_numbers(transform(test.numbers))
    assert plain.potentials(test).tobytes() == changed.potentials(changed_test).tobytes()


def test_numbers_beyond_those_of_training_are_taken_for_the_first_and_the_last():
    train = number_set(3)
    model = TreeCRF(n_iterations=5, max_leaves=8).fit(train)
    for extreme, end in ((train.numbers.min(axis=0), -1e300), (train.numbers.max(axis=0), 1e300)):
        there, beyond = (train.with_numbers(np.tile(row, (len(train.values), 1))) for row in (extreme, [end] * 3))
        assert model.predict_proba(there).tobytes() == model.predict_proba(beyond).tobytes()


def test_bins_beside_each_other_are_one_interval():
    numbers = np.arange(1.0, 9.0)[:, None]
    data = SequenceSet(np.empty((8, 0), int), [0, 8], [], None, (), numbers=numbers, number_names=("x",))
    binner = Binner(4).fit(data)
    [attribute] = binner.attributes
    assert attribute.categories == tuple(binner.interval("x", code, code) for code in range(4))
    assert binner.interval("x", 0, 1) == "to 4.5"
    assert binner.interval("x", 1, 2) == "above 2.5 to 6.5"
    assert binner.interval("x", 2, 3) == "above 4.5"
    assert binner.interval("x", 0, 3) == "any number"
