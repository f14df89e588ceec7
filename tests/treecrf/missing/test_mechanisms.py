"""Mechanisms of missingness: the share of holes, what they depend on and what they do not."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from builders import number_set, random_set
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chi2, chi2_contingency

from treecrf.missing import MECHANISMS, by_label, by_neighbour, by_observation, by_value, in_runs, inject
from treecrf.missing.mechanisms import Chains, name_scores, resample_missing, rising
from treecrf.sequences import MISSING, Attribute, SequenceSet, window_codes

LETTERS, LINES = (12,), (4, 3, 6)
SHAPES = pytest.mark.parametrize(
    ("sizes", "n_numbers"),
    [(LETTERS, 0), (LINES, 0), (LETTERS, 1), (LINES, 2)],
    ids=["letters", "lines", "number", "mixed"],
)
EVERY = pytest.mark.parametrize("name", MECHANISMS)

INFLATION = {"runs": 2 * 5, "observations": len(LINES), "mar": 2}
"""How many times the variance of independent cells a count of holes has, at most."""


@cache
def sticky_set(seed, sizes, n_sequences=900, longest=30, n_numbers=0):
    """Each cell mostly copies the one before it, in its row or else above; labels mostly follow the first column.

    The last `n_numbers` columns are numbers, whose values are the codes.
    """
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, longest + 1, n_sequences)
    observed = lengths + rng.integers(0, 2, n_sequences)
    offsets, observation_offsets = (np.concatenate([[0], np.cumsum(part)]) for part in (lengths, observed))
    n = observation_offsets[-1]
    values = np.stack([rng.integers(0, size, n) for size in sizes], axis=1)
    for j in range(1, len(sizes)):
        values[:, j] = np.where(rng.random(n) < 0.5, values[:, j - 1] % sizes[j], values[:, j])
    if len(sizes) == 1:
        for t in range(1, n):
            values[t] = values[t - 1] if rng.random() < 0.5 else values[t]
    attributes = [Attribute(f"a{j}", tuple(f"c{code}" for code in range(size))) for j, size in enumerate(sizes)]
    rows = np.concatenate([np.arange(begin, begin + n) for begin, n in zip(observation_offsets, lengths, strict=False)])
    labels = np.where(rng.random(len(rows)) < 0.6, values[rows, 0] % 3, rng.integers(0, 3, len(rows)))
    n_categories = len(sizes) - n_numbers
    return SequenceSet(
        values[:, :n_categories],
        offsets,
        attributes[:n_categories],
        labels,
        ("A", "B", "C"),
        observation_offsets,
        numbers=values[:, n_categories:].astype(float),
        number_names=[a.name for a in attributes[n_categories:]],
    )


def cells_of(data):
    """Codes, and after them the numbers, -1 where one is missing."""
    return np.hstack([data.values, np.where(np.isnan(data.numbers), MISSING, data.numbers).astype(int)])


def holes_of(name, data, rate=0.2, seed=0):
    return cells_of(MECHANISMS[name].make(data, rate, np.random.default_rng(seed))) == MISSING


def neighbours(data):
    """Cells and the cells before them, as index arrays: in the row, or above within a sequence where a row has one
    cell.
    """
    n, n_columns = cells_of(data).shape
    if n_columns > 1:
        rows, columns = (index.ravel() for index in np.indices((n, n_columns - 1)))
        return (rows, columns + 1), (rows, columns)
    rows = np.setdiff1d(np.arange(n), data.observation_offsets[:-1])
    return (rows, np.zeros_like(rows)), (rows - 1, np.zeros_like(rows))


def dependence(holes, reasons, strata=None):
    """p-value of the chi-squared test of holes by their reasons, summed over strata."""
    statistic, df = 0.0, 0
    for stratum in np.unique(strata) if strata is not None else [None]:
        chosen = slice(None) if stratum is None else strata == stratum
        of, gone = reasons[chosen], holes[chosen]
        table = np.array([np.bincount(of[gone == value], minlength=of.max() + 1) for value in (0, 1)])
        table = table[:, table.sum(axis=0) > 0]
        if (table.sum(axis=1) > 0).all() and table.shape[1] > 1:
            found = chi2_contingency(table, correction=False)
            statistic, df = statistic + found.statistic, df + found.dof
    return chi2.sf(statistic, df)


# --- every mechanism --------------------------------------------------------------------------------


@EVERY
@SHAPES
@pytest.mark.parametrize("rate", [0.05, 0.4])
def test_the_share_of_holes_is_the_rate(name, sizes, n_numbers, rate):
    data = sticky_set(1, sizes, n_numbers=n_numbers)
    n_holes, n_cells = holes_of(name, data, rate).sum(), data.n_cells
    deviation = np.sqrt(n_cells * rate * (1 - rate) * INFLATION.get(name, 1))
    assert abs(n_holes - n_cells * rate) < 4 * deviation


@EVERY
@SHAPES
def test_holes_stay_and_what_is_seen_does_not_change(name, sizes, n_numbers):
    data = inject(sticky_set(2, sizes, 100, n_numbers=n_numbers), 0.3, np.random.default_rng(0))
    damaged = MECHANISMS[name].make(data, 0.2, np.random.default_rng(1))
    before, after = cells_of(data), cells_of(damaged)
    assert (after[before == MISSING] == MISSING).all()
    assert damaged.n_missing > data.n_missing
    shown = after != MISSING
    assert_array_equal(after[shown], before[shown])
    assert damaged.with_values(data.values).with_numbers(data.numbers) == data  # labels, offsets, names


@EVERY
@SHAPES
def test_outside_a_sequence_nothing_is_missing(name, sizes, n_numbers):
    data = sticky_set(3, sizes, 60, longest=5, n_numbers=n_numbers)
    before, after = (
        window_codes(one, (2, 2)) for one in (data, MECHANISMS[name].make(data, 0.4, np.random.default_rng(0)))
    )
    edge = np.tile(sizes[: len(sizes) - n_numbers], 5)
    assert_array_equal(before == edge, after == edge)
    assert (before == edge).any() == (len(sizes) > n_numbers)


@EVERY
@SHAPES
def test_no_holes_at_rate_0_and_later_draws_do_not_depend_on_the_rate(name, sizes, n_numbers):
    data, after = sticky_set(4, sizes, 50, n_numbers=n_numbers), []
    assert MECHANISMS[name].make(data, 0, np.random.default_rng(0)) == data
    for rate in (0.0, 0.3):
        rng = np.random.default_rng(5)
        MECHANISMS[name].make(data, rate, rng)
        after.append(rng.random())
    assert after[0] == after[1]


@EVERY
def test_one_generator_makes_one_set_of_holes_and_rates_and_mechanisms_others(name):
    data = sticky_set(5, LINES, 80)
    once = holes_of(name, data)
    assert_array_equal(holes_of(name, data), once)
    assert (holes_of(name, data, seed=1) != once).any()
    assert (holes_of(name, data, rate=0.25) != once).any()
    make = MECHANISMS[name].make
    others = [other for other, row in MECHANISMS.items() if row.make is not make]
    assert all((holes_of(other, data) != once).any() for other in others)


@EVERY
@pytest.mark.parametrize("rate", [-0.1, 1.01, float("nan")])
def test_bad_rates_are_refused(name, rate):
    with pytest.raises(ValueError, match=r"^rate=.*: give a probability, 0 to 1\.$"):
        MECHANISMS[name].make(sticky_set(6, LINES, 3), rate, np.random.default_rng(0))


# --- what holes depend on ---------------------------------------------------------------------------


@SHAPES
def test_by_neighbour_what_decides_is_seen_and_nothing_else_does(sizes, n_numbers):
    data = sticky_set(7, sizes, n_numbers=n_numbers)
    cells, before = neighbours(data)
    codes = cells_of(data)

    def judge(holes):
        """p-values of: the neighbour's value where it is seen; given it, the own value; the neighbour's where it is a
        hole.
        """
        seen = ~holes[before]
        column = 100 * cells[1]
        near, own, gone = column + codes[before], column + codes[cells], holes[cells]
        return (
            dependence(gone[seen], near[seen]),
            dependence(gone[seen], own[seen], near[seen]),
            dependence(gone[~seen], near[~seen], column[~seen]),
        )

    of_neighbour, of_own, of_hidden = judge(holes_of("mar", data))
    assert of_neighbour < 1e-20
    assert of_own > 0.001
    assert of_hidden > 0.001
    assert judge(holes_of("mcar", data))[0] > 0.001
    assert judge(holes_of("mnar", data))[1] < 1e-20  # the second test can tell


@SHAPES
def test_by_value_the_own_value_decides_and_nothing_else_does(sizes, n_numbers):
    data = sticky_set(8, sizes, n_numbers=n_numbers)
    cells, before = neighbours(data)
    codes = cells_of(data)
    column = 100 * cells[1]
    near, own = column + codes[before], column + codes[cells]
    gone = holes_of("mnar", data)[cells]
    assert dependence(gone, own) < 1e-20
    assert dependence(gone, near, own) > 0.001
    assert dependence(holes_of("mcar", data)[cells], own) > 0.001
    assert dependence(holes_of("mar", data)[cells], near, own) < 1e-10  # the second test can tell


@SHAPES
def test_by_label_the_label_decides_and_nothing_else_does(sizes, n_numbers):
    data = sticky_set(9, sizes, n_numbers=n_numbers)
    starts = zip(data.observation_offsets, data.lengths, strict=False)
    rows = np.concatenate([np.arange(begin, begin + n) for begin, n in starts])
    gone = {name: holes_of(name, data)[rows, 0] for name in ("label", "mcar", "mnar")}
    own = cells_of(data)[rows, 0]
    assert dependence(gone["label"], data.labels) < 1e-20
    assert dependence(gone["label"], own, data.labels) > 0.001
    assert dependence(gone["mcar"], data.labels) > 0.001
    assert dependence(gone["mnar"], own, data.labels) < 1e-20
    beyond = np.setdiff1d(np.arange(len(data.values)), rows)
    n_gone, n = holes_of("label", data)[beyond].sum(), cells_of(data)[beyond].size
    assert n > 300
    assert abs(n_gone - 0.2 * n) < 4 * np.sqrt(0.16 * n)


@SHAPES
@pytest.mark.parametrize("run_length", [1.5, 5.0])
def test_runs_have_the_mean_length_and_no_other_reason(sizes, n_numbers, run_length):
    data = sticky_set(10, sizes, longest=60, n_numbers=n_numbers)
    holes = cells_of(in_runs(data, 0.2, np.random.default_rng(0), run_length)) == MISSING
    later = np.setdiff1d(np.arange(len(holes)), data.observation_offsets[:-1])
    stays = holes[later][holes[later - 1]]
    expected = 1 - 1 / run_length
    assert abs(stays.sum() - expected * stays.size) < 4 * np.sqrt(expected * (1 - expected) * stays.size)
    first = holes[data.observation_offsets[:-1]]  # sequences do not begin whole
    assert abs(first.sum() - 0.2 * first.size) < 4 * np.sqrt(0.16 * first.size)
    begun = ~holes[later - 1]  # given what was before, cells are independent of their values
    values = cells_of(data)[later] + 100 * np.arange(len(sizes))
    assert dependence(holes[later][begun], values[begun]) > 0.001
    if len(sizes) > 1:  # one attribute's runs say nothing of another's
        assert dependence(holes[later][:, 1][begun[:, 1]], holes[later][:, 0][begun[:, 1]].astype(int)) > 0.001


@pytest.mark.parametrize("n_numbers", [0, 2])
def test_whole_observations_go_missing(n_numbers):
    holes = holes_of("observations", sticky_set(11, LINES, n_numbers=n_numbers))
    assert (holes.all(axis=1) == holes.any(axis=1)).all()
    assert holes.any()


def test_training_and_test_sets_lose_the_same_values():
    shares = []
    for seed in (12, 13):
        data = sticky_set(seed, LETTERS)
        holes = holes_of("mnar", data, seed=seed)[:, 0]
        shares.append([holes[data.values[:, 0] == code].mean() for code in range(12)])
    assert np.corrcoef(*shares)[0, 1] > 0.95


@pytest.mark.parametrize("name", ["mar", "mnar"])
def test_numbers_go_missing_by_their_rank_whatever_their_unit(name):
    data = sticky_set(16, LINES, n_numbers=2)
    for numbers in (data.numbers * 1e-300, np.exp(100 * data.numbers), data.numbers + np.array([1e6, -5.0])):
        damaged = [
            MECHANISMS[name].make(one, 0.2, np.random.default_rng(0)) for one in (data, data.with_numbers(numbers))
        ]
        assert_array_equal(*(np.isnan(one.numbers) for one in damaged))
        assert_array_equal(*(one.values for one in damaged))


def test_the_larger_a_number_the_more_often_it_goes_missing():
    data = sticky_set(17, LETTERS, n_numbers=1)
    holes = holes_of("mnar", data)[:, 0]
    shares = [holes[data.numbers[:, 0] == value].mean() for value in range(12)]
    assert np.corrcoef(shares, range(12))[0, 1] > 0.95


def test_what_cannot_be_made_is_refused():
    data, rng = sticky_set(14, LETTERS, 5), np.random.default_rng(0)
    with pytest.raises(
        ValueError, match=r"^cells cannot go missing by the label, as these data have none; give them lab"
    ):
        by_label(data.with_labels(None), 0.2, rng)
    for rate, length in ((0.9, 5.0), (1.0, 5.0), (0.2, 0.5), (0.2, float("nan"))):
        with pytest.raises(ValueError, match=r"runs of a mean length L \(at least 1\) reach a rate of at most L / "):
            in_runs(data, rate, rng, length)


@pytest.mark.parametrize("n_numbers", [0, 1])
def test_cells_that_all_show_one_value_go_missing_at_the_rate(n_numbers):
    data = SequenceSet(np.zeros((4000, 1), int), [0, 4000], (Attribute("a", ("x",)),), np.zeros(4000, int), ("y",))
    if n_numbers:
        data = data.with_values(data.values[:, :0], ()).with_numbers(np.full((4000, 1), 2.5), ("a",))
    for make in (by_value, by_neighbour, by_label, by_observation):
        n_holes = make(data, 0.3, np.random.default_rng(0)).n_missing
        assert abs(n_holes - 1200) < 4 * np.sqrt(4000 * 0.21)


# --- parts ------------------------------------------------------------------------------------------


def test_probabilities_along_chains_are_those_of_all_patterns():
    places = np.array([0, 1, 2, 0, 0, 1])
    start, after_hole = 0.3, 0.6
    after_seen = np.array([0.9, 0.1, 0.5, 0.9, 0.9, 0.7])
    expected = np.zeros(6)
    for pattern in product((0, 1), repeat=6):
        chance = 1.0
        for cell, gone in enumerate(pattern):
            p = start if places[cell] == 0 else after_hole if pattern[cell - 1] else after_seen[cell]
            chance *= p if gone else 1 - p
        expected += chance * np.array(pattern)
    assert_allclose(Chains(places).walk(start, after_seen, after_hole), expected)


def test_the_curve_rises_and_has_the_mean():
    scores = np.array([-1.5, np.nan, 0.0, 0.5, 3.0])
    for rate in (0.001, 0.2, 0.7, 0.999):
        probabilities = rising(scores, rate)
        known = probabilities[[0, 2, 3, 4]]
        assert probabilities[1] == rate
        assert_allclose(known.mean(), rate)
        assert (np.diff(known) > 0).all()
        assert_allclose(np.diff(np.log(known / (1 - known))), [1.5, 0.5, 2.5])  # logistic, slope 1


# --- beside another library -------------------------------------------------------------------------


@pytest.mark.parametrize("n_numbers", [0, 2], ids=["categories", "numbers"])
@pytest.mark.parametrize(("ours", "theirs"), [("mcar", "MCAR"), ("mar", "MAR"), ("mnar", "MNAR")])
def test_pyampute_empties_the_same_values_as_often(ours, theirs, n_numbers):
    amputation = pytest.importorskip("pyampute.ampute", reason="needs pyampute")
    n, size = 40_000, 12
    rng = np.random.default_rng(15)
    values = rng.integers(0, size, (n, 2))
    names = tuple(f"c{code}" for code in range(size))
    data = SequenceSet(values, [0, n], (Attribute("a", names), Attribute("b", names)))
    reasons = {"mcar": values[:, 1], "mar": values[:, 0], "mnar": values[:, 1]}[ours]
    of = {"mcar": ("b", "value"), "mar": ("a", "neighbour"), "mnar": ("b", "value")}[ours]
    scores = np.column_stack([name_scores(names, of[1], of[0])[column] for column in values.T])
    if n_numbers:
        data, scores = data.with_values(values[:, :0], ()).with_numbers(values.astype(float), ("a", "b")), values * 1.0
    pattern = {"incomplete_vars": [1], "mechanism": theirs}
    if theirs != "MCAR":
        pattern["score_to_probability_func"] = "sigmoid-right"
    made = amputation.MultivariateAmputation(prop=0.2, patterns=[pattern], seed=0).fit_transform(scores)
    holes = holes_of(ours, data)
    chosen = ~holes[:, 0] if ours == "mar" else np.ones(n, bool)
    counts = np.array(
        [
            [np.bincount(reasons[chosen & gone], minlength=size), np.bincount(reasons[chosen & ~gone], minlength=size)]
            for gone in (holes[:, 1], np.isnan(made[:, 1]))
        ]
    )
    # Which library made the holes says nothing of how often a value is missing.
    p_values = [chi2_contingency(counts[:, :, code], correction=False).pvalue for code in range(size)]
    assert min(p_values) > 0.001
    shares = counts[0, 0] / counts[0].sum(axis=0)
    assert (np.ptp(shares) > 0.2) == (ours != "mcar")


@pytest.mark.parametrize("rate", [0.1, 0.2, 0.7])
def test_cells_without_any_neighbour_go_missing_at_the_rate(rate):
    n = 4000
    data = SequenceSet(np.arange(n)[:, None] % 3, np.arange(n + 1), (Attribute("a", ("x", "y", "z")),))
    share = (by_neighbour(data, rate, np.random.default_rng(0)).values < 0).mean()
    assert abs(share - rate) < 5 * np.sqrt(rate * (1 - rate) / n)


# --- resampling ------------------------------------------------------------------------------------


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
    assert_array_equal(found.values[there], data.values[there])


def test_a_pattern_without_holes_makes_none():
    data = random_set(np.random.default_rng(2))
    assert resample_missing(data, data, np.random.default_rng(0)) == data
