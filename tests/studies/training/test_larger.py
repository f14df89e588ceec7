"""Larger samples beside the papers' test sets: designs, choices that are taken over, tests and tables."""

import numpy as np
import pandas as pd
import pytest

from treecrf.datasets import load
from treecrf.rendering.style import NOTHING
from treecrf.statistics.estimates import estimate_resampled
from treecrf.studies import training
from treecrf.studies.framework.job_context import JobContext
from treecrf.studies.framework.paths import StudyFiles
from treecrf.studies.framework.settings import load_settings
from treecrf.studies.training import larger
from treecrf.studies.training.comparisons import (
    compare_larger,
    find_pair,
    larger_accuracies_layout,
    larger_layout,
    trees_and_networks,
)
from treecrf.studies.training.figures import accuracy_by_size
from treecrf.studies.training.settings import LargerSample, TrainingSettings

FOLDS = LargerSample(of="hmm", n_folds=3, n_repeats=2)
DRAWS = LargerSample(of="hmm", design="draws", n_repeats=3)


def choice_of(method, splits, candidates=("variance=5",), iterations=(4,), decoder="viterbi"):
    names = ["variance=1", "variance=5", "variance=10", "variance=20"]
    rows = [
        {"dataset": "hmm", "method": method, "split": split, "decoder": decoder, "candidate": candidate,
         "rank": names.index(candidate), "iteration": iteration, "cv_accuracy": 0.5, "cv_fold_sd": 0.1, "chosen_by": method}
        for split, candidate, iteration in zip(range(splits), candidates, iterations, strict=True)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_settings_are_those_of_most_splits():
    chosen = larger.as_chosen(
        choice_of("linear_crf", 4, ("variance=10", "variance=5", "variance=5", "variance=1"), (90, 10, 20, 90)),
        "linear_crf",
        TrainingSettings(datasets=[]),
    )
    assert chosen == ({"variance": 5.0}, 15, "viterbi")


def test_among_equals_the_first_candidate_of_the_grid():
    choice = choice_of("linear_crf", 2, ("variance=10", "variance=1"), (90, 10))
    assert larger.as_chosen(choice, "linear_crf", TrainingSettings(datasets=[])).iteration == 10


@pytest.fixture(scope="module")
def sets():
    return load("hmm", n_train=8, n_test=24, length=6)


def test_papers_training_sequences_take_no_part_in_draws(sets):
    data, splits = larger.sample_splits(DRAWS, *sets, seed=1)
    assert len(data) == 24
    assert len(splits) == 3
    for split in splits:
        assert len(split.train) == 8
        assert sorted([*split.train, *split.test]) == list(range(24))


def test_all_sequences_test_once_in_each_repeat(sets):
    data, splits = larger.sample_splits(FOLDS, *sets, seed=1)
    assert len(data) == 32
    assert len(splits) == 6
    for repeat in (splits[:3], splits[3:]):
        assert sorted(np.concatenate([split.test for split in repeat])) == list(range(32))
    assert splits[0].test.tolist() != splits[3].test.tolist()


METHODS = ["linear_crf", "lightgbm"]


@pytest.fixture(scope="module", params=[FOLDS, DRAWS], ids=["folds", "draws"])
def found(request, sets):
    settings = TrainingSettings(
        datasets=["hmm"], larger_samples={"more": request.param}, larger_methods=[*METHODS, "induced_crf"]
    )
    choice = pd.concat([choice_of("linear_crf", 1), choice_of("lightgbm", 1).assign(candidate="max_leaves=7")])
    found = [
        larger.score_larger(JobContext(settings, "more", method, (1, 1), sets, choice=choice))
        for method in settings.larger_methods
    ]
    return request.param, larger.Larger(*(pd.concat(frames, ignore_index=True) for frames in zip(*found, strict=True)))


def test_methods_without_a_choice_are_left_out(found):
    sample, outcome = found
    tests = compare_larger(*outcome)
    assert outcome.larger_accuracies["method"].tolist() == METHODS
    n_trainings = 6 if sample is FOLDS else 3
    assert outcome.larger_accuracies["n_trainings"].tolist() == [n_trainings] * 2
    assert tests[["dataset", "sample", "method", "other"]].to_numpy().tolist() == [["hmm", "more", *METHODS]]
    # Folds have as many positions each, so the difference of means is the mean difference.
    one, other = outcome.larger_accuracies["accuracy"]
    assert tests["mean_points"].iloc[0] == pytest.approx(one - other, abs=0.5)


def test_tables_show_the_papers_test_set_beside_it(found):
    sample, outcome = found
    summary = pd.DataFrame(
        {"dataset": "hmm", "method": ["linear_crf"], "decoder": "better", "chosen_accuracy": [81.25]}
    )
    accuracies = larger_accuracies_layout(outcome.larger_accuracies, summary)
    by_method = dict(zip(accuracies["", "method"], accuracies["papers' test set", "accuracy (%)"], strict=True))
    assert by_method == {"linear CRF": "81.25", "LightGBM": "–"}
    papers = pd.DataFrame(
        [{"dataset": "hmm", "decoder": "better", "method": "lightgbm", "other": "linear_crf", "accuracy_points": 2.0,
          "p_value": 0.01, "mean_points": 1.5, "valid_p_holm": 0.2, "decision": "undecided"}]
    )  # fmt: skip
    table = larger_layout(outcome.larger_counts, outcome.larger_accuracies.assign(population="second"), papers)
    assert table["papers' test set", "points"].tolist() == ["−1.50"]  # the pair is the other way round
    assert table["other sample", "is a"].tolist() == ["second population"]
    assert table["other sample", "over"].iloc[0].endswith("draws" if sample is DRAWS else "folds")
    assert find_pair({}, "hmm", "better", *METHODS).decision == ""


def compare(sample, *counts):
    """The test of two methods, a and b."""
    n_trainings = 1 + max(int(each["training"].max()) for each in counts)
    accuracies = pd.DataFrame(
        {
            "dataset": "hmm", "sample": "more", "population": "same", "design": sample.design, "method": ["a", "b"],
            "n_folds": sample.n_folds or n_trainings, "n_trainings": n_trainings, "equivalence_margin": 0.5,
        }
    )  # fmt: skip
    return compare_larger(pd.concat(counts).assign(sample="more"), accuracies).iloc[0]


def counts_of(method, correct, positions):
    """Counts of a method from arrays of shape (n_groups, n_trainings); empty cells are no rows."""
    group, training_ = np.nonzero(positions)
    cells = positions[group, training_], correct[group, training_]
    return pd.DataFrame(
        {"method": method, "training": training_, "group": 10 * group, "n_positions": cells[0], "n_correct": cells[1]}
    )


def test_folds_are_tested_by_the_corrected_resampled_t_test():
    rng = np.random.default_rng(3)
    positions = 20 * np.eye(6, dtype=np.int64)  # six groups, one in each of six folds
    one, other = (rng.integers(0, 20, (6, 6)) * (positions > 0) for _ in range(2))
    sample = LargerSample(of="hmm", n_folds=None)
    row = compare(sample, counts_of("a", one, positions), counts_of("b", other, positions))
    expected = estimate_resampled((one - other).sum(axis=0)[None], positions.sum(axis=0), 1 / 5)
    assert row["mean_points"] == pytest.approx(expected.points[0])
    assert row["valid_p_value"] == pytest.approx(expected.p_value[0])


def test_a_group_that_trains_is_an_empty_cell():
    # Whatever a method would do on the group that trains, only the other cells count.
    positions = np.full((7, 4), 10)
    positions[[0, 1, 2, 3], [0, 1, 2, 3]] = 0
    one = np.where(positions > 0, 8, 0) + np.pad(np.ones((3, 4), int), ((4, 0), (0, 0)))
    other = np.where(positions > 0, 6, 0)
    row = compare(DRAWS, counts_of("a", one, positions), counts_of("b", other, positions))
    assert row["mean_points"] == pytest.approx(100 * (one - other).sum() / positions.sum())
    assert row["n_clusters"] == 7
    assert row["decision"] == "better"


def planted_p(rng, gap, n_folds=5, n_repeats=4):
    """p of the test of folds: 40 groups of 10 positions, as right in each fold but for a training's own error."""
    positions = np.zeros((40, n_folds * n_repeats), dtype=np.int64)
    chance = 0.7 + rng.normal(0, 0.1, 40)
    correct = np.zeros((2, *positions.shape), dtype=np.int64)
    for repeat in range(n_repeats):
        for fold, held_out in enumerate(np.array_split(rng.permutation(40), n_folds)):
            training_ = repeat * n_folds + fold
            positions[held_out, training_] = 10
            for method in range(2):
                right = np.clip(chance[held_out] + method * gap + rng.normal(0, 0.02), 0, 1)
                correct[method, held_out, training_] = rng.binomial(10, right)
    sample = LargerSample(of="hmm", n_folds=n_folds, n_repeats=n_repeats)
    counts = [counts_of(name, each, positions) for name, each in zip("ab", correct, strict=True)]
    return compare(sample, *counts)["valid_p_value"]


def test_a_difference_that_is_there_is_found_and_none_is_not():
    # The standard error of this design is 4 points.
    rng = np.random.default_rng(0)
    assert np.mean([planted_p(rng, 0.0) < 0.05 for _ in range(60)]) <= 0.1
    assert np.mean([planted_p(rng, 0.17) < 0.05 for _ in range(20)]) >= 0.9


def settings_with(**changed):
    known = {"profile": "own", "datasets": {"hmm": {}, "more": {"source": "hmm"}}}
    other = {study: {"datasets": []} for study in ("missing", "future")}
    return load_settings(known | other | {"training": {"datasets": ["hmm"], **changed}})


def test_a_larger_sample_has_a_job_that_takes_the_choices_of_its_methods():
    of = {"larger_samples": {"more": {"of": "hmm"}}, "larger_methods": ["treecrf", "lightgbm"]}
    files = StudyFiles(training.STUDY, settings_with(methods=["treecrf", "memm", "lightgbm"], **of))
    assert files.outcomes("more") == {
        frame: [f"results/training/more/{method}.{frame}.parquet" for method in ("treecrf", "lightgbm")]
        for frame in ("larger_counts", "larger_accuracies")
    }
    assert "larger_counts" not in files.outcomes("hmm")
    assert files.choice("hmm", "lightgbm") == "results/training/hmm/lightgbm.choice.parquet"
    assert "results/training/tables/larger.html" in files.results()
    assert "results/training/tables/larger.html" not in StudyFiles(training.STUDY, settings_with()).results()


def test_a_larger_sample_needs_a_set_and_methods_with_choices():
    more = {"more": {"of": "hmm"}}
    assert settings_with(larger_samples=more).training.larger_datasets == ["more"]
    assert settings_with(larger_samples={"more": {"of": "xor"}}).training.larger_datasets == []
    assert settings_with(larger_samples=more, larger_methods=[]).training.larger_datasets == []


def test_a_sample_may_name_its_methods_and_the_size_of_its_draws(sets):
    own = {"of": "hmm", "design": "draws", "n_train": 3, "methods": ["linear_crf", "memm"]}
    settings = settings_with(larger_samples={"more": own}, methods=["treecrf", "memm"]).training
    assert settings.larger_methods_on("more") == ["memm"]
    assert settings_with(larger_samples={"more": own}, larger_methods=[]).training.larger_datasets == []
    sample = settings.larger_samples["more"]
    data, splits = larger.sample_splits(sample, *sets, seed=1)
    assert (len(data), {len(split.train) for split in splits}) == (24, {3})
    with pytest.raises(ValueError, match="has n_train, which draws alone have"):
        LargerSample(of="hmm", n_train=3)
    with pytest.raises(ValueError, match="absent"):
        settings_with(larger_samples={"more": own | {"methods": ["absent"]}})


def test_a_sentence_says_when_trees_win_and_when_networks():
    numbers = {"treecrf_newton": (70.0, 80.0), "neural_crf": (68.75, 82.5), "trees_and_net": (71.0, 83.0)}
    rows = pd.DataFrame(
        [
            {"dataset": "hmm", "population": "second", "design": "draws", "method": method, "n_train": n, "accuracy": accuracy,
             "cpu_seconds": 10.0 * n / 100, "n_trainings": 5}
            for method, values in numbers.items()
            for n, accuracy in zip((100, 1000), values, strict=True)
        ]
    )  # fmt: skip
    assert trees_and_networks(rows) == [
        "hmm (second population): trees minus network, +1.25 points with 100 and \u22122.50 points with 1000 training sequences. Mean "
        "of both minus the better one, +1.00 points with 100 and +0.50 points with 1000 training sequences. One training with "
        "1000 sequences takes 20.00 CPU seconds for trees and 20.00 for the network."
    ]
    assert trees_and_networks(rows[rows["n_train"] == 100]) == []
    assert trees_and_networks(rows[rows["method"] != "neural_crf"]) == []


def test_the_figure_of_sizes_has_a_line_for_each_method_with_several():
    rows = [
        {"dataset": "hmm", "population": "same", "design": design, "method": method, "n_train": n, "accuracy": n / 10, "sd": 1.0}
        for design, method, n in (
            ("draws", "treecrf_newton", 100), ("draws", "treecrf_newton", 300), ("draws", "linear_crf", 300),
            ("cross_validation", "linear_crf", 100),
        )
    ]  # fmt: skip
    figure = accuracy_by_size(pd.DataFrame(rows))
    [axes] = figure.axes
    [line] = [container.lines[0] for container in axes.containers]
    assert line.get_xydata().tolist() == [[100, 10], [300, 30]]
    assert accuracy_by_size(pd.DataFrame(rows[2:])).get_label() == NOTHING


def test_a_larger_sample_that_is_no_data_set_is_refused():
    with pytest.raises(ValueError, match="names 'absent', which is not under datasets"):
        settings_with(larger_samples={"absent": {"of": "hmm"}})
