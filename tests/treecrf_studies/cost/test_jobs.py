"""Cost of training and prediction: the frames, on tiny sets; seconds themselves are for the benchmarks."""

from types import SimpleNamespace

import pandas as pd
import pytest

from treecrf import LinearCRF, TreeCRF
from treecrf_studies import datasets
from treecrf_studies.cost import jobs
from treecrf_studies.cost.jobs import measure_sampling, measure_scaling, measure_windows, window_of_size
from treecrf_studies.datasets.description import count_features
from treecrf_studies.framework.jobs import JobContext
from treecrf_studies.framework.settings import CostSettings

SETTINGS = CostSettings(
    methods=["treecrf", "linear_crf", "induced_crf"],
    lengths=[4, 8],
    window_sizes=[1, 3],
    n_repeats=2,
    n_sequences=6,
    length=5,
    n_iterations=9,
    max_leaves=4,
    sampling_iterations=3,
    row_fractions=[0.5],
    feature_fractions=[0.5],
    influence_trimmings=[0.1],
    pseudo_likelihood_iterations=[1],
    real_window_sizes=[1, 2],
)


FIT = jobs.fit_by_phase


def hmm():
    return datasets.load("hmm", n_train=6, n_test=4, length=7)


sets = pytest.fixture(hmm, scope="module")


def test_windows_by_size():
    assert [window_of_size(size) for size in (1, 2, 3, 6, 11)] == [(0, 0), (0, 1), (1, 1), (2, 3), (5, 5)]


def test_scaling_has_every_method_and_step():
    frame = measure_scaling(JobContext(SETTINGS))
    assert frame.columns.tolist() == jobs.SCALING_NAMES
    assert (frame["seconds"] > 0).all()
    assert frame["repeat"].is_monotonic_increasing  # the outermost loop
    first, second = (rows.drop(columns=["repeat", "seconds"]) for _, rows in frame.groupby("repeat"))
    pd.testing.assert_frame_equal(first, second.set_index(first.index))
    frame = frame[frame["repeat"] == 0]
    by_length = frame[frame["axis"] == "length"].groupby(["method", "quantity"])["value"].apply(list)
    steps = {
        "treecrf": ["evaluation", "forward_backward", "induction"],
        "treecrf_flat": ["evaluation"],
        "linear_crf": ["forward_backward"],
        "induced_crf": ["evaluation", "forward_backward", "induction"],
    }
    assert by_length.to_dict() == {(method, step): [4, 8] for method, found in steps.items() for step in found}
    by_features = frame[frame["axis"] == "n_features"]
    train, _ = datasets.load("hmm", n_train=6, n_test=4, length=5)
    assert set(by_features["value"]) == {count_features(train, (1, 1)), len(train.attributes[0].categories) + 1}
    assert set(frame.loc[frame["axis"] == "length", "n_positions"]) == {24, 48}


def test_windows_are_those_of_direct_trainings(sets):
    train, test = sets
    frame = measure_windows(JobContext(SETTINGS, "hmm", sets=(train, test)))
    assert frame["repeat"].is_monotonic_increasing  # the outermost loop
    first, second = (rows["accuracy"].tolist() for _, rows in frame.groupby("repeat"))
    assert first == second
    frame = frame[frame["repeat"] == 1].set_index(["window_size", "method"])
    assert frame.loc[(2, "treecrf"), "n_iterations"] == 9
    model = TreeCRF(9, 4, 40.0, (0, 1)).fit(train)
    assert frame.loc[(2, "treecrf"), "accuracy"] == pytest.approx(100 * model.score(test))
    linear = LinearCRF(20.0, (0, 0), max_iterations=9).fit(train)
    assert frame.loc[(1, "linear_crf"), "accuracy"] == pytest.approx(100 * linear.score(test))


@pytest.mark.parametrize(
    "measure",
    [
        lambda settings: measure_scaling(JobContext(settings)),
        lambda settings: measure_windows(JobContext(settings, "hmm", sets=hmm())),
    ],
)
def test_the_first_training_of_a_process_is_not_measured(monkeypatch, measure):
    """It loads compiled routines: twelve times the seconds of the next where trainings are short."""
    seen = set()

    def fit(model, train):
        FIT(model, train)
        phases = {"trees": 1.0 if type(model) in seen else 100.0}
        seen.add(type(model))
        return [phases]

    monkeypatch.setattr(jobs, "fit_by_phase", fit)
    frame = measure(SETTINGS)
    assert len(seen) == 3
    assert frame.filter(like="seconds").to_numpy().max() <= 1


def test_a_method_without_java_is_left_out(sets, monkeypatch):
    monkeypatch.setattr(jobs, "java_problem", lambda: "there is no Java; install it.")
    settings = SETTINGS.model_copy(update={"methods": ["mallet", "linear_crf"], "real_window_sizes": [1]})
    assert measure_windows(JobContext(settings, "hmm", sets=sets))["method"].tolist() == ["linear_crf"] * 2


def test_sampling_is_that_of_direct_trainings_with_the_repeat_as_seed(sets):
    train, test = sets
    measured = measure_sampling(JobContext(SETTINGS, "hmm", window=(1, 1), sets=(train, test)))
    assert measured["repeat"].tolist() == [0] * 5 + [1] * 5  # the outermost loop
    options = {
        "none": 1.0,
        "row_fraction": 0.5,
        "feature_fraction": 0.5,
        "influence_trimming": 0.1,
        "pseudo_likelihood_iterations": 1.0,
    }
    for repeat, rows in measured.groupby("repeat"):
        frame = rows.set_index("option")
        assert frame["value"].to_dict() == options
        for option, value in options.items():
            changed = {} if option == "none" else {option: int(value) if value == 1 else value, "sampling_seed": repeat}
            model = TreeCRF(3, 4, 20.0, (1, 1), **changed).fit(train)
            assert frame.loc[option, "accuracy"] == pytest.approx(100 * model.score(test))
            assert frame.loc[option, "log_likelihood"] == model.log_likelihood_history_[-1]
        assert (frame["tree_seconds"] <= frame["cpu_seconds"]).all()
        assert frame.loc["none", "seconds_to_likelihood"] == frame.loc["none", "plain_seconds_to_likelihood"]
    halves = measured[measured["option"] == "row_fraction"]
    assert halves["log_likelihood"].nunique() == 2


def test_each_repeat_of_sampling_is_compared_with_plain_training_of_its_own(sets, monkeypatch):
    trainings = iter(range(1, 100))

    def follow(train, window, settings, **changed):
        number = float(next(trainings))
        model = SimpleNamespace(seconds_={"trees": number}, score=lambda data: 0.5, pseudo_likelihood_iterations=3)
        return jobs.Followed(model, [number], [-1.0])

    monkeypatch.setattr(jobs, "follow_training", follow)
    measured = measure_sampling(JobContext(SETTINGS, "hmm", window=(1, 1), sets=sets))
    assert measured["seconds_to_likelihood"].tolist() == list(range(6, 16))  # the first five load their routines
    assert measured["plain_seconds_to_likelihood"].tolist() == [6] * 5 + [11] * 5
    assert set(measured["iterations_to_likelihood"]) == {4}


def test_cost_of_the_same_likelihood_is_until_it_is_first_reached():
    """Five iterations by the pseudo-likelihood come first."""
    model = TreeCRF(9, pseudo_likelihood_iterations=5)
    followed = jobs.Followed(model, [1.0, 2.0, 3.0, 4.0], [-9.0, -5.0, -6.0, -4.0])
    found = [followed.cost_to(value) for value in (-9.5, -5.0, -5.5, -4.0)]
    assert found == [(1.0, 6), (2.0, 7), (2.0, 7), (4.0, 9)]


def test_first_and_last_induction_are_those_of_rounds_that_cost_something():
    history = [{"induction": 3.0, "lattice": 1.0}, {"induction": 3.0}, {"induction": 7.0}, {"induction": 7.0}]
    assert jobs.first_and_last_induction(history) == {"first_induction": 3.0, "last_induction": 4.0}
    assert jobs.first_and_last_induction(history[:2]) == {}
