"""Feature induction against token-by-token optimisation and against its rules written out in Python."""

import itertools
from typing import NamedTuple

import numpy as np
import pytest
from builders import cells_by_position, tuples
from builders import copied_set as random_set
from scipy.optimize import minimize_scalar

from treecrf import Attribute
from treecrf.models.execution import Workers
from treecrf.models.linear.conjunctions import Conjunctions, Windows, boolean_cells, find_occurrences, join, pick
from treecrf.models.linear.induced_crf import (
    LEAST_TOKENS,
    Features,
    bounds_of,
    find_error_tokens,
    fit_weight,
    gains_of,
    induce,
)
from treecrf.sequences import slot_sizes

RUN = Workers().run


class Token(NamedTuple):
    cells: set
    label: int
    probabilities: np.ndarray


def naive_gain(cells, tokens, variance):
    """The sum over labels of what one weight for the label gains at the tokens that have all the cells."""
    held = [token for token in tokens if token.cells >= set(cells)]
    gain = 0.0
    for label in range(len(tokens[0].probabilities)):
        probabilities = np.array([token.probabilities[label] for token in held])
        n_observed = sum(token.label == label for token in held)
        gain += naive_label_gain(probabilities, n_observed, variance) if held else 0.0
    return gain


def naive_label_gain(probabilities, n_observed, variance):
    with np.errstate(divide="ignore"):
        log_no, log_yes = np.log1p(-probabilities), np.log(probabilities)

    def loss(weight):
        return weight**2 / (2 * variance) - weight * n_observed + np.logaddexp(log_no, log_yes + weight).sum()

    reach = variance * (len(probabilities) + 1.0)  # the slope of the likelihood is at most the number of tokens
    return max(0.0, -minimize_scalar(loss, bounds=(-reach, reach), method="bounded", options={"xatol": 1e-9}).fun)


def naive_induce(basic, model, tokens, variance, n_new):
    """The rules one by one; `basic` and `model` are tuples of cells."""
    if len(tokens) < 20:
        return []
    known = {}

    def gain(cells):
        if cells not in known:
            known[cells] = naive_gain(cells, tokens, variance)
        return known[cells]

    parts = [*basic, *[feature for feature in model if len(feature) > 1]]
    beam = [part for part in sorted(parts, key=gain, reverse=True)[: 2 * n_new] if gain(part) > 1e-12]
    unions = []
    for feature, cell in itertools.product(sorted(beam, key=parts.index), sorted(beam, key=parts.index)):
        union = tuple(sorted({*feature, *cell}))
        if len(cell) == 1 and union != feature and union not in unions and union not in model:
            unions.append(union)
    added, before = [], None
    for candidate in sorted([*parts, *unions], key=gain, reverse=True):
        if gain(candidate) <= 1e-12 or len(added) == n_new:
            break
        is_better = len(candidate) == 1 or all(gain(candidate) > gain((cell,)) for cell in candidate)
        if candidate not in model and is_better and gain(candidate) != before:
            added.append(candidate)
        before = gain(candidate)
    return added


def draw(seed, data, window, threshold=0.95):
    """Invented marginals: the error tokens that the library finds, and a list of them."""
    windows = Windows.of(data, window)
    marginals = np.random.default_rng(seed).dirichlet(np.ones(len(data.label_names)), data.n_positions)
    found = find_error_tokens(marginals, data.labels, windows.window_of, windows.n_windows, threshold)
    tokens = [
        Token(cells, label, row)
        for cells, label, row in zip(cells_by_position(data, window), data.labels.tolist(), marginals, strict=True)
        if row[label] < threshold
    ]
    return windows, found, tokens


def basic_features(data, window, windows):
    cells = boolean_cells(data.attributes, window)
    return Features.find(Conjunctions.of([cell] for cell in cells), windows.columns)


@pytest.mark.parametrize("window", [(0, 0), (1, 1)])
def test_occurrences_are_those_of_a_scan(window):
    data, rng = random_set(0), np.random.default_rng(0)
    windows = Windows.of(data, window)
    sizes = slot_sizes(data.attributes, window)
    first = np.concatenate([[0], np.cumsum(sizes)])
    wanted = [(cell,) for cell in range(first[-1])]
    for size in (2, 3, 4):
        for _ in range(40):
            slots = rng.choice(len(sizes), size, replace=False)
            wanted.append(tuple(sorted(int(first[slot] + rng.integers(sizes[slot])) for slot in slots)))
    conjunctions = Conjunctions.of(wanted)
    assert tuples(conjunctions) == wanted
    occurrences = find_occurrences(conjunctions, windows.columns)
    cells = cells_by_position(data, window)
    found = [set() for _ in wanted]
    for position, window_ in enumerate(windows.window_of):
        for i, conjunction in enumerate(wanted):
            if cells[position] >= set(conjunction):
                found[i].add(int(window_))
    assert [sorted(part) for part in found] == [
        occurrences.windows[begin:end].tolist() for begin, end in itertools.pairwise(occurrences.first)
    ]
    assert any(found[-1 - i] for i in range(40))  # some of four cells hold somewhere
    picked = rng.permutation(len(wanted))[:50]
    part, expected = pick(occurrences, picked), find_occurrences(pick(conjunctions, picked), windows.columns)
    np.testing.assert_array_equal(part.first, expected.first)
    np.testing.assert_array_equal(part.windows, expected.windows)
    joined = join(occurrences, part)
    both = find_occurrences(join(conjunctions, pick(conjunctions, picked)), windows.columns)
    np.testing.assert_array_equal(joined.windows, both.windows)
    np.testing.assert_array_equal(joined.first, both.first)


def test_two_categories_are_one_feature_and_the_edge_is_another():
    attributes = (Attribute("flag", ("no", "yes")), Attribute("letter", ("a", "b", "c")), Attribute("same", ("it",)))
    # Cells of each slot: no, yes, EDGE; a, b, c, EDGE; it, EDGE.
    assert boolean_cells(attributes, (0, 0)).tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert boolean_cells(attributes, (1, 0)).tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17]


@pytest.mark.parametrize("variance", [0.1, 10.0])
@pytest.mark.parametrize("n_labels", [2, 3])
def test_gains_equal_optimisation_token_by_token(variance, n_labels):
    data = random_set(n_labels, n_labels=n_labels)
    windows, found, tokens = draw(1, data, (1, 0), 0.6)
    assert 20 < found.first[-1] == len(tokens) < data.n_positions
    basic = tuples(basic_features(data, (1, 0), windows).conjunctions)
    wanted = [*basic, *[(*one, *other) for one, other in itertools.combinations(basic, 2)]]
    occurrences = find_occurrences(Conjunctions.of(wanted), windows.columns)
    gains = gains_of(occurrences, found, variance, RUN)
    expected = [naive_gain(cells, tokens, variance) for cells in wanted]
    assert max(expected) > 0.1
    np.testing.assert_allclose(gains, expected, atol=1e-9)
    bounds = bounds_of(occurrences, found, variance)
    assert (bounds >= gains - 1e-12).all()
    assert (bounds < 2 * gains + 1e-12).mean() > 0.1  # it is no idle bound


@pytest.mark.parametrize("variance", [0.5, 10.0, 40.0])
def test_a_weight_is_fitted_wherever_newton_would_jump_to_and_fro(variance):
    # Where all of a few unlikely labels are observed, the slope falls late and fast.
    for n_tokens, probability in itertools.product((1, 2, 5), (1e-5, 1e-3, 0.03, 0.3, 0.97, 0.999)):
        probabilities = probability * np.linspace(0.5, 1.0, n_tokens)
        for n_observed in range(n_tokens + 1):
            gain, _ = fit_weight(probabilities, n_tokens, float(n_observed), variance)
            assert gain == pytest.approx(naive_label_gain(probabilities, n_observed, variance), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("probability", [1e-300, 1e-12, 0.5, 1 - 1e-9, 1.0])
@pytest.mark.parametrize("n_observed", [0, 20, 40])
def test_a_weight_is_fitted_at_the_ends_of_probability(probability, n_observed):
    probabilities = np.full(40, probability)
    gain, weight = fit_weight(probabilities, 40, float(n_observed), 10.0)
    assert gain == pytest.approx(naive_label_gain(probabilities, n_observed, 10.0), rel=1e-9, abs=1e-9)
    slope = (
        n_observed
        - np.exp(
            weight
            + np.log(probability)
            - np.logaddexp(np.log1p(-probability) if probability < 1 else -np.inf, weight + np.log(probability))
        )
        * 40
        - weight / 10.0
    )
    assert abs(slope) < 1e-4


@pytest.mark.parametrize("seed", range(3))
def test_induced_features_are_those_of_the_rules(seed):
    data, window, variance, n_new = random_set(seed), (1, 0), 5.0, 12
    model = Conjunctions.of([])
    for round_ in range(4):
        windows, found, tokens = draw([seed, round_], data, window)
        basic = basic_features(data, window, windows)
        expected = naive_induce(tuples(basic.conjunctions), tuples(model), tokens, variance, n_new)
        new = induce(basic, Features.find(model, windows.columns), found, variance, n_new, RUN)
        assert tuples(new) == expected
        model = join(model, new)
    assert {1, 2, 3} <= set(np.diff(model.first).tolist())
    assert len(set(tuples(model))) == model.size


@pytest.mark.parametrize("seed", range(6))
def test_rules_are_followed_whatever_the_model_has(seed):
    data, window, rng = random_set(seed, 30), (1, 0), np.random.default_rng(seed)
    windows, found, tokens = draw(seed, data, window, 0.5)
    basic = basic_features(data, window, windows)
    known = set(basic.conjunctions.cells.tolist())
    drawn = [rng.permutation(sorted(token.cells & known)).tolist() for token in tokens[:8]]
    # four cells come before two of them: what remains of the four without one may still be joined from the two
    model = Conjunctions.of(dict.fromkeys(tuple(sorted(cells[:size])) for size in (4, 2, 1) for cells in drawn))
    assert model.size > 10
    expected = naive_induce(tuples(basic.conjunctions), tuples(model), tokens, 5.0, 100)
    assert len(expected) > 10
    assert tuples(induce(basic, Features.find(model, windows.columns), found, 5.0, 100, RUN)) == expected


def test_what_equals_a_feature_of_the_model_is_left_out():
    data, window = random_set(2), (0, 0)
    windows, found, _ = draw(2, data, window)
    basic = basic_features(data, window, windows)
    nothing = Features.find(Conjunctions.of([]), windows.columns)
    best = next(cells for cells in tuples(induce(basic, nothing, found, 5.0, 50, RUN)) if len(cells) == 2)
    model = Features.find(Conjunctions.of([best]), windows.columns)
    for cells in tuples(induce(basic, model, found, 5.0, 50, RUN)):
        again = Features.find(Conjunctions.of([cells]), windows.columns)
        assert again.occurrences.windows.tolist() != model.occurrences.windows.tolist()


def test_few_tokens_induce_nothing():
    data = random_set(4).select(range(12))
    windows = Windows.of(data, (0, 0))
    basic = basic_features(data, (0, 0), windows)
    nothing = Features.find(Conjunctions.of([]), windows.columns)
    for n_tokens, is_enough in ((LEAST_TOKENS - 1, False), (LEAST_TOKENS, True)):
        marginals = np.eye(3)[data.labels]
        marginals[:n_tokens] = [0.3, 0.3, 0.4]
        found = find_error_tokens(marginals, data.labels, windows.window_of, windows.n_windows, 0.95)
        assert found.first[-1] == n_tokens
        assert bool(induce(basic, nothing, found, 5.0, 10, RUN).size) == is_enough
