"""`KernelCRF`: every solver and form against a dual over all sequences of labels, and the labeller's contract."""

import logging

import naive_kernels as naive
import numpy as np
import pytest

from treecrf import LinearCRF, SequenceSet
from treecrf.io import process
from treecrf_studies.methods import KernelCRF
from treecrf_studies.methods.kernel.windows import Windows

SETTINGS = {"variance": 3.0, "transition_variance": 0.7, "window": (1, 0), "tolerance": 1e-13}


def toy(n_labels, seed=0, lengths=(3, 1, 3, 2, 2), numbers=0):
    """Short sequences of two attributes, and of numbers."""
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return SequenceSet(
        rng.integers(0, [3, 2], (offsets[-1], 2)),
        offsets,
        [("a", ("x", "y", "z")), ("b", ("u", "v"))],
        rng.integers(0, n_labels, offsets[-1]),
        tuple("pqrs"[:n_labels]),
        numbers=rng.normal(size=(offsets[-1], numbers)),
        number_names=[f"number {i}" for i in range(numbers)],
    )


def oracle(data, degree, scale=4.0, settings=SETTINGS):
    """Kernel matrix, and the maximum of the dual."""
    inputs = naive.inputs_of(data, settings["window"])
    kernel = naive.kernel_of(inputs, inputs, degree, 1.0, scale)
    paths = naive.Paths(data.offsets, len(data.label_names))
    found = naive.solve_dual(
        paths, kernel, data.labels, data.offsets, settings["variance"], settings["transition_variance"]
    )
    return kernel, *found


@pytest.fixture(scope="module", params=[(2, 1), (2, 2), (3, 1), (3, 2), (3, 3)], ids=str)
def case(request):
    n_labels, degree = request.param
    data = toy(n_labels)
    return data, degree, oracle(data, degree)


@pytest.mark.parametrize("form", ["monomials", "matrix", "low_rank"])
@pytest.mark.parametrize("solver", ["lbfgs", "newton", "subspace", "block_jacobi"])
def test_solvers_and_forms_reach_the_maximum_of_the_dual(case, form, solver):
    data, degree, (_kernel, value, marginals, _coefficients, pair_weights) = case
    model = KernelCRF(degree, form=form, solver=solver, **SETTINGS).fit(data)
    assert model.form_ == form
    assert model.converged_
    assert model.objective_ == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(model.predict_proba(data), marginals, atol=1e-5)
    np.testing.assert_allclose(model.transition_weights_, pair_weights, atol=1e-4)
    assert model.objective_ - value <= model.gap_ + 1e-8
    assert model.duality_gap_ == pytest.approx(model.gap_, abs=1e-9)
    assert model.scale_ == 4


def test_stored_coefficients_are_those_of_the_minimum(case):
    data, degree, (kernel, _, _, coefficients, _) = case
    model = KernelCRF(degree, form="matrix", **SETTINGS).fit(data)
    np.testing.assert_allclose(model.alphas_, coefficients, atol=1e-4)
    np.testing.assert_allclose(model.alphas_.sum(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(kernel @ model.scores_.coefficients, kernel @ model.alphas_, atol=1e-3)


def test_degree_1_is_a_linear_crf_with_biases_on_scaled_indicators():
    data = toy(2, lengths=(6, 7, 5))
    model = KernelCRF(1, coef0=0.0, variance=10.0 * 4, transition_variance=1 / 4, window=(1, 0), tolerance=1e-10).fit(
        data
    )
    linear = LinearCRF(variance=10.0, window=(1, 0), features="labels", tolerance=1e-13).fit(data)
    np.testing.assert_allclose(model.predict_proba(data), linear.predict_proba(data), atol=1e-4)
    assert model.objective_ == pytest.approx(linear.objective_history_[-1], rel=1e-7)


@pytest.mark.parametrize("degree", [1, 2])
def test_numbers_are_standardized_on_the_training_set(degree):
    data, new = toy(2, numbers=2), toy(2, seed=1, numbers=2)
    mean, deviation = data.numbers.mean(axis=0), data.numbers.std(axis=0)
    standard = data.with_numbers((data.numbers - mean) / deviation)
    inputs = naive.inputs_of(standard, (1, 0))
    scale = (inputs**2).sum(axis=1).mean()
    _kernel, value, marginals, coefficients, pair_weights = oracle(standard, degree, scale)
    fresh = naive.inputs_of(new.with_numbers((new.numbers - mean) / deviation), (1, 0))
    scores = naive.kernel_of(fresh, inputs, degree, 1.0, scale) @ coefficients
    paths = naive.Paths(new.offsets, 2)
    expected = np.tensordot(paths.probabilities(scores, pair_weights)[0], paths.nodes, 1)
    for form in ("matrix", "low_rank", *(["monomials"] if degree == 1 else [])):
        model = KernelCRF(degree, form=form, **SETTINGS).fit(data)
        assert model.scale_ == pytest.approx(scale)
        assert model.objective_ == pytest.approx(value, rel=1e-6)
        np.testing.assert_allclose(model.predict_proba(data), marginals, atol=1e-5)
        np.testing.assert_allclose(model.predict_proba(new), expected, atol=1e-4)


@pytest.mark.parametrize("form", ["monomials", "matrix", "low_rank"])
def test_repeated_windows_are_taken_together(form):
    data = toy(3, lengths=(4,) * 12)
    settings = SETTINGS | {"window": (0, 0)}
    model = KernelCRF(2, form=form, **settings).fit(data)
    assert model.alphas_.shape == (6, 3)
    doubled = data.with_values(
        np.column_stack([data.values, np.arange(48)]), [*data.attributes, ("place", tuple(map(str, range(48))))]
    )
    assert KernelCRF(2, form=form, **settings).fit(doubled).alphas_.shape == (48, 3)
    inputs = naive.inputs_of(data, (0, 0))
    kernel = naive.kernel_of(inputs, inputs, 2, 1.0, 2.0)
    paths = naive.Paths(data.offsets, 3)
    scores = kernel @ (settings["variance"] * (np.eye(3)[data.labels] - model.predict_proba(data)))
    expected = np.tensordot(paths.probabilities(scores, model.transition_weights_)[0], paths.nodes, 1)
    np.testing.assert_allclose(model.predict_proba(data), expected, atol=1e-3)


def test_rbf_is_the_kernel_of_distances():
    data = toy(2, numbers=1)
    standard = data.with_numbers((data.numbers - data.numbers.mean()) / data.numbers.std())
    inputs = naive.inputs_of(standard, (1, 0))
    kernel = np.array([[np.exp(-((a - b) ** 2).sum() / 2.5) for b in inputs] for a in inputs])
    paths = naive.Paths(data.offsets, 2)
    value, marginals, *_ = naive.solve_dual(paths, kernel, data.labels, data.offsets, 3.0, 0.7)
    for form in ("matrix", "low_rank"):
        model = KernelCRF(kernel="rbf", scale=2.5, form=form, **SETTINGS).fit(data)
        assert model.objective_ == pytest.approx(value, rel=1e-6)
        np.testing.assert_allclose(model.predict_proba(data), marginals, atol=1e-5)


def test_steps_without_halving_diverge_and_say_so():
    data = toy(3, lengths=(6,) * 6)
    settings = {"solver": "block_jacobi", "variance": 30.0, "window": (1, 1)}
    with pytest.warns(UserWarning, match=r"^solver='block_jacobi' diverged at iteration \d+; set step_halving=True"):
        model = KernelCRF(step_halving=False, **settings).fit(data)
    assert not model.converged_
    assert np.isfinite(model.predict_proba(data)).all()
    halved = KernelCRF(**settings).fit(data)
    assert halved.converged_
    assert (np.diff(halved.objective_history_) < 0).all()


@pytest.mark.parametrize("pivots", ["random", "greedy", "uniform"])
def test_a_low_rank_is_an_approximation_that_grows_with_the_rank(pivots):
    data = toy(2, lengths=(5,) * 8)
    exact = KernelCRF(3, **SETTINGS).fit(data)
    values = [KernelCRF(3, rank=rank, pivots=pivots, **SETTINGS).fit(data).objective_ for rank in (1, 8, 40)]
    assert values[0] > values[1] > values[2]
    assert values[2] == pytest.approx(exact.objective_, rel=1e-6)


def test_pivots_are_drawn_by_the_seed():
    data = toy(2, lengths=(5,) * 8)
    first, again, other = (KernelCRF(rank=5, random_state=seed, **SETTINGS).fit(data) for seed in (0, 0, 1))
    assert first.objective_ == again.objective_ != other.objective_


def test_the_form_is_chosen_by_size_and_said(monkeypatch, caplog):
    data = toy(2)
    with caplog.at_level(logging.INFO, "treecrf_studies"):
        assert KernelCRF(**SETTINGS).fit(data).form_ == "monomials"
    assert caplog.messages == ["11 positions, 11 different windows: form 'monomials'."]
    assert KernelCRF(rank=3, **SETTINGS).fit(data).form_ == "low_rank"
    assert KernelCRF(1, **SETTINGS).fit(toy(2, numbers=1)).form_ == "monomials"
    assert KernelCRF(2, **SETTINGS).fit(toy(2, numbers=1)).form_ == "matrix"
    assert KernelCRF(kernel="rbf", **SETTINGS).fit(data).form_ == "matrix"
    monkeypatch.setattr("treecrf_studies.methods.kernel.forms.MOST_MONOMIALS", 100)
    assert KernelCRF(**SETTINGS).fit(data).form_ == "matrix"
    monkeypatch.setattr("treecrf_studies.methods.kernel.forms.MOST_MATRIX", 400)
    assert KernelCRF(**SETTINGS).fit(data).form_ == "low_rank"


# --- what is refused ---------------------------------------------------------------------------------


def test_a_number_that_does_not_vary_is_left_out():
    data = toy(2, numbers=2)
    numbers = np.column_stack([data.numbers[:, 0], np.full(11, 0.1)])
    with pytest.warns(
        UserWarning, match=r"^the number 'number 1' does not vary in the training set; it is left out\.$"
    ):
        model = KernelCRF(**SETTINGS).fit(data.with_numbers(numbers))
    without = KernelCRF(**SETTINGS).fit(data.with_numbers(numbers[:, :1], ["number 0"]))
    assert model.objective_ == pytest.approx(without.objective_, rel=1e-12)
    moved = data.with_numbers(numbers + np.array([0.0, 100.0]))
    np.testing.assert_array_equal(model.predict_proba(moved), model.predict_proba(data.with_numbers(numbers)))


def test_numbers_far_outside_are_taken_for_the_nearest_that_are_not():
    data = toy(2, numbers=1)
    model = KernelCRF(**SETTINGS).fit(data)
    least, most = data.numbers.min(), data.numbers.max()
    near, far = data.numbers.copy(), data.numbers.copy()
    near[4], far[4] = 2 * most - least, 1e9
    with pytest.warns(
        UserWarning,
        match=r"^the number 'number 0' is 1e\+09 at observation 4, far outside of the training set \(1 such",
    ):
        found = model.predict_proba(data.with_numbers(far))
    np.testing.assert_array_equal(found, model.predict_proba(data.with_numbers(near)))


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"form": "monomials"}, "121 monomials of windows"),
        ({"form": "matrix"}, "the kernel matrix of 11 windows"),
        ({"rank": 11}, "the factor of 11 windows and rank 11"),
    ],
)
def test_what_does_not_fit_into_memory_is_refused_with_both_sizes(monkeypatch, options, what):
    monkeypatch.setattr(process, "available_memory", lambda: 900)
    with pytest.raises(
        ValueError, match=rf"^{what} would take 0\.0 GiB of memory and 0\.0 GiB are available; give .*\.$"
    ):
        KernelCRF(window=(1, 0), **options).fit(toy(2))


def test_inputs_that_tell_nothing_leave_the_biases():
    data = toy(2, numbers=1)
    empty = SequenceSet(
        np.empty((11, 0)),
        data.offsets,
        [],
        data.labels,
        data.label_names,
        numbers=np.ones((11, 1)),
        number_names=["one"],
    )
    with pytest.warns(UserWarning, match="'one' does not vary"):
        model = KernelCRF(kernel="rbf", tolerance=1e-10).fit(empty)
    assert model.converged_
    assert (
        len(np.unique(model.scores_.of(Windows.of(empty.with_numbers(np.zeros((11, 1))), (0, 0))).round(9), axis=0))
        == 1
    )


def test_sets_of_very_many_categories_have_no_monomials():
    names = tuple(map(str, range(60_000)))
    attributes = [(f"a{i}", names) for i in range(5)]
    rng = np.random.default_rng(0)
    data = SequenceSet(rng.integers(0, 60_000, (6, 5)), [0, 3, 6], attributes, [0, 1, 0, 1, 1, 0], ("p", "q"))
    assert KernelCRF(3).fit(data).form_ == "monomials"
    assert KernelCRF(4).fit(data).form_ == "matrix"
