"""Cost of training and prediction: the frames, on tiny sets; seconds themselves are for the benchmarks."""

import numpy as np
import pytest

from treecrf import LinearCRF, TreeCRF, datasets
from treecrf.datasets.describing import count_features
from treecrf.studies.cost import jobs
from treecrf.studies.cost.jobs import measure_sampling, measure_scaling, measure_windows, window_of_size
from treecrf.studies.settings import CostSettings

SETTINGS = CostSettings(
    methods=["treecrf", "linear_crf", "induced_crf"], lengths=[4, 8], window_sizes=[1, 3], n_sequences=6, length=5,
    n_iterations=9, max_leaves=4, sampling_iterations=3, sampling_repeats=2, row_fractions=[0.5],
    feature_fractions=[0.5], influence_trimmings=[0.1], pseudo_likelihood_iterations=[1], real_window_sizes=[1, 2],
)  # fmt: skip


@pytest.fixture(scope="module")
def sets():
    return datasets.load("hmm", n_train=6, n_test=4, length=7)


def test_windows_by_size():
    assert [window_of_size(size) for size in (1, 2, 3, 6, 11)] == [(0, 0), (0, 1), (1, 1), (2, 3), (5, 5)]


def test_scaling_has_every_method_and_step():
    frame = measure_scaling(SETTINGS)
    assert frame.columns.tolist() == jobs.SCALING_NAMES
    assert (frame["seconds"] > 0).all()
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
    assert set(by_features["value"]) == {
        count_features(train, (1, 1)),
        len(train.attributes[0].categories) + 1,
    }
    assert set(frame.loc[frame["axis"] == "length", "n_positions"]) == {24, 48}


def test_windows_are_those_of_direct_trainings(sets):
    train, test = sets
    frame = measure_windows("hmm", train, test, SETTINGS).set_index(["window_size", "method"])
    assert frame.loc[(2, "treecrf"), "n_iterations"] == 9
    model = TreeCRF(9, 4, 40.0, (0, 1)).fit(train)
    assert frame.loc[(2, "treecrf"), "accuracy"] == pytest.approx(100 * model.score(test))
    linear = LinearCRF(20.0, (0, 0), max_iterations=9).fit(train)
    assert frame.loc[(1, "linear_crf"), "accuracy"] == pytest.approx(100 * linear.score(test))


def test_a_method_without_java_is_left_out(sets, monkeypatch):
    monkeypatch.setattr(jobs, "java_problem", lambda: "there is no Java; install it.")
    settings = SETTINGS.model_copy(update={"methods": ["mallet", "linear_crf"], "real_window_sizes": [1]})
    assert measure_windows("hmm", *sets, settings)["method"].tolist() == ["linear_crf"]


def test_sampling_is_that_of_direct_trainings(sets):
    train, test = sets
    frame = measure_sampling("hmm", train, test, (1, 1), SETTINGS).set_index("option")
    assert frame["value"].to_dict() == {
        "none": 1.0, "row_fraction": 0.5, "feature_fraction": 0.5, "influence_trimming": 0.1,
        "pseudo_likelihood_iterations": 1.0,
    }  # fmt: skip
    scores = [
        TreeCRF(3, 4, 20.0, (1, 1), row_fraction=0.5, sampling_seed=seed).fit(train).score(test) for seed in (0, 1)
    ]
    assert frame.loc["row_fraction", "accuracy"] == pytest.approx(100 * np.mean(scores))
    for option, changed in (("none", {}), ("pseudo_likelihood_iterations", {"pseudo_likelihood_iterations": 1})):
        model = TreeCRF(3, 4, 20.0, (1, 1), **changed).fit(train)
        assert frame.loc[option, "accuracy"] == pytest.approx(100 * model.score(test))
        assert frame.loc[option, "log_likelihood"] == model.log_likelihood_history_[-1]
    assert (frame["tree_seconds"] <= frame["cpu_seconds"]).all()
    assert frame.loc["none", "seconds_to_likelihood"] == frame.loc["none", "plain_seconds_to_likelihood"]


def test_seconds_to_the_same_likelihood_are_until_it_is_first_reached():
    followed = jobs._Followed(TreeCRF(4), [1.0, 2.0, 3.0, 4.0], [-9.0, -5.0, -6.0, -4.0])
    assert [followed.seconds_to(value) for value in (-9.5, -5.0, -5.5, -4.0)] == [1.0, 2.0, 2.0, 4.0]
