"""Larger samples beside the papers' test sets: designs, nested choices, tests and tables."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from planted_claims import plant_larger
from planted_summary import outcome
from scipy import stats

from treecrf.statistics.estimates import estimate_resampled
from treecrf.statistics.selection import derive_seed, hold_out
from treecrf_studies import training
from treecrf_studies.datasets import load
from treecrf_studies.framework.claims.judge import Results
from treecrf_studies.framework.jobs import JobContext
from treecrf_studies.framework.methods import find_method
from treecrf_studies.framework.paths import StudyFiles
from treecrf_studies.framework.selection import choose
from treecrf_studies.framework.settings import load_settings
from treecrf_studies.methods.catalogue import TRAINING
from treecrf_studies.rendering.style import NOTHING
from treecrf_studies.training import larger
from treecrf_studies.training.claims import larger_difference
from treecrf_studies.training.figures import accuracy_by_size
from treecrf_studies.training.larger_summary import compare_larger, frames_of_larger
from treecrf_studies.training.published import training_accuracies
from treecrf_studies.training.settings import LargerSample, TrainingSettings
from treecrf_studies.training.tables import (
    larger_accuracies_layout,
    larger_layout,
    trees_and_networks,
)

FOLDS = LargerSample(of="hmm", n_folds=3, n_repeats=2)
DRAWS = LargerSample(of="hmm", design="draws", n_repeats=3)
DOCUMENTS = LargerSample(of="hmm", n_folds=None)


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


def job_of(sample, method, sets, **settings):
    own = TrainingSettings(
        datasets=["hmm"],
        larger_samples={"more": sample},
        variances=[1, 10],
        n_iterations=20,
        lightgbm_leaves=[3, 7],
        **settings,
    )
    return JobContext(own, "more", method, (1, 1), sets)


@pytest.fixture(scope="module", params=[FOLDS, DRAWS, DOCUMENTS], ids=["folds", "draws", "documents"])
def found(request, sets):
    """The frames of two methods, the second of which has two trainings, and those of the summary."""
    sample = request.param.model_copy(update={"fixed_trainings": 2})
    fixed = {"larger_fixed": {"lightgbm": {"max_leaves": 5}}}
    found = [larger.score_larger(job_of(sample, method, sets, **fixed)) for method in METHODS]
    frames = {name: [getattr(each, name) for each in found] for name in larger.Larger._fields}
    return sample, frames, frames_of_larger(frames)


def test_methods_are_compared_on_the_trainings_of_both(found):
    sample, frames, summary = found
    accuracies, tests = summary["larger_accuracies"], summary["larger_comparisons"]
    n_trainings = {"folds": 6, "draws": 3, "documents": 32}[sample.test]
    by_method = accuracies[accuracies["decoder"] == "viterbi"].set_index("method")
    assert by_method["n"].to_dict() == {"linear_crf": n_trainings, "lightgbm": 2}
    assert by_method.loc["lightgbm", "candidate"] == "max_leaves=5"
    assert tests[["dataset", "sample", "method", "other"]].drop_duplicates().to_numpy().tolist() == [
        ["hmm", "more", *METHODS]
    ]
    assert tests["n"].tolist() == [2, 2]
    assert tests["decoder"].tolist() == ["forward_backward", "viterbi"]
    # Trainings have as many positions each, so the difference of means is the mean difference.
    counts = pd.concat(frames["larger_counts"]).query("decoder == 'viterbi' and draw < 2")
    sums = counts.groupby("method")[["n_correct", "n_positions"]].sum()
    one, other = 100 * (sums["n_correct"] / sums["n_positions"])[METHODS]
    assert tests["value"].iloc[1] == pytest.approx(one - other, abs=0.5)


def test_every_training_tests_whole_sequences_once(found, sets):
    sample, frames, _ = found
    data, splits = larger.sample_splits(sample, *sets, seed=derive_seed(0, "more", "larger"))
    counts = frames["larger_counts"][0].query("decoder == 'viterbi'")
    for place, split in enumerate(splits):
        of_training = counts[counts["draw"] == place]
        assert of_training["sequence"].tolist() == split.test.tolist()
        assert of_training["n_positions"].tolist() == data.lengths[split.test].tolist()
        assert of_training["group"].tolist() == data.groups[split.test].tolist()


def test_what_tests_has_no_part_in_the_choice(sets, monkeypatch):
    """Other labels of the sequences that test change what is right, and not what is chosen."""
    [split] = (split for split in larger.sample_splits(DRAWS, *sets, derive_seed(0, "more", "larger"))[1][:1])
    labels = np.array(sets[1].labels)
    of_test = np.isin(np.repeat(np.arange(len(sets[1])), sets[1].lengths), split.test)
    labels[of_test] = 2 - labels[of_test]
    turned = sets[0], replace(sets[1], labels=labels)
    seen = []
    monkeypatch.setattr(
        larger, "choose", lambda labellers, folds, every: seen.append(folds) or choose(labellers, folds, every)
    )
    plain, other = (larger.score_larger(job_of(DRAWS, "linear_crf", each)) for each in (sets, turned))
    first = [frames.larger_trainings.iloc[0][["candidate", "iteration"]].tolist() for frames in (plain, other)]
    assert first[0] == first[1]
    right = [frames.larger_counts.query("draw == 0")["n_correct"].sum() for frames in (plain, other)]
    assert right[0] != right[1]
    for [(train, held_out)] in seen:
        assert (len(train), len(held_out)) == (5, 3)  # two thirds and one third of eight


def test_a_choice_is_the_best_of_the_held_out_sequences(sets):
    job = job_of(DRAWS, "linear_crf", sets)
    data, [split, *_] = larger.sample_splits(DRAWS, *sets, derive_seed(0, "more", "larger"))
    train = data.select(split.train)
    fit, judge = hold_out(train.groups, 1 / 3, derive_seed(0, "more", "inner", 0))
    accuracies = {}
    for variance in (1.0, 10.0):
        model = find_method("linear_crf", TRAINING).build(job.settings, {"variance": variance}, (1, 1)).keeping_stages()
        held_out = train.select(judge)
        stages = model.fit(train.select(fit)).staged_predict(held_out, ("forward_backward",), 2)
        for stage, predicted in enumerate(stages, start=1):
            right = (predicted["forward_backward"] == model.align_labels(held_out)).sum()
            accuracies[f"variance={variance:g}", 2 * stage] = right
    first = larger.score_larger(job).larger_trainings.iloc[0]
    assert accuracies[first["candidate"], first["iteration"]] == max(accuracies.values())


def test_without_java_its_methods_have_no_rows(sets, monkeypatch):
    monkeypatch.setattr(larger, "java_problem", lambda: "there is none")
    assert [len(frame) for frame in larger.score_larger(job_of(DRAWS, "mallet", sets))] == [0, 0]


def test_tables_show_the_papers_test_set_beside_it(found):
    sample, _, frames = found
    accuracies = larger_accuracies_layout(frames["larger_accuracies"], outcome("hmm", "linear_crf", choice=81.25))
    by_method = dict(zip(accuracies["", "method"], accuracies["papers' test set", "accuracy (%)"], strict=True))
    assert by_method == {"linear CRF": "81.25", "LightGBM": "–"}
    papers = pd.DataFrame(
        [
            {
                "dataset": "hmm",
                "decoder": "better",
                "method": "lightgbm",
                "other": "linear_crf",
                "papers_value": 2.0,
                "papers_p": 0.01,
                "value": 1.5,
                "p_holm": 0.2,
                "decision": "undecided",
            }
        ]
    )
    table = larger_layout(frames["larger_comparisons"].assign(population="second"), papers)
    assert table["papers' test set", "points"].tolist() == ["−1.50"]  # the pair is the other way round
    assert table["other sample", "is a"].tolist() == ["second population"]
    assert table["other sample", "over"].tolist() == [f"2 {sample.test}"]


def test_a_data_set_without_samples_has_frames_and_tables_without_rows():
    frames = frames_of_larger({})
    assert [len(frame) for frame in frames.values()] == [0, 0]
    assert (
        len(
            larger_layout(frames["larger_comparisons"], pd.DataFrame(columns=["dataset", "decoder", "method", "other"]))
        )
        == 0
    )
    assert (
        len(
            larger_accuracies_layout(
                frames["larger_accuracies"], pd.DataFrame(columns=["dataset", "decoder", "method", "point"])
            )
        )
        == 0
    )


def compare(sample, *counts):
    """The test of two methods, a and b."""
    n_folds = sample.n_folds or 1 + max(int(each["draw"].max()) for each in counts)
    trainings = pd.DataFrame(
        [{"dataset": "hmm", "sample": "more", "population": "same", "test": sample.test, "n_folds": n_folds}]
    )
    return compare_larger(pd.concat(counts).assign(sample="more", decoder="viterbi"), trainings).iloc[0]


def counts_of(method, correct, positions):
    """Counts of a method from arrays of shape (n_groups, n_trainings); empty cells are no rows."""
    group, training_ = np.nonzero(positions)
    cells = positions[group, training_], correct[group, training_]
    return pd.DataFrame(
        {"method": method, "draw": training_, "group": 10 * group, "n_positions": cells[0], "n_correct": cells[1]}
    )


def test_folds_are_tested_by_the_corrected_resampled_t_test():
    rng = np.random.default_rng(3)
    positions = 20 * np.eye(6, dtype=np.int64)  # six groups, one in each of six folds
    one, other = (rng.integers(0, 20, (6, 6)) * (positions > 0) for _ in range(2))
    row = compare(LargerSample(of="hmm", n_folds=6), counts_of("a", one, positions), counts_of("b", other, positions))
    expected = estimate_resampled((one - other).sum(axis=0)[None], positions.sum(axis=0), 1 / 5)
    assert row["value"] == pytest.approx(expected.points[0])
    assert row["standard_error"] == pytest.approx(expected.standard_error[0])
    assert row["degrees_of_freedom"] == 5
    assert row["p_value"] == pytest.approx(expected.p_value[0])


def test_documents_are_tested_by_wilcoxon_and_have_a_t_interval():
    # Six documents of unequal lengths: ranks 1 to 6 of the differences, the smallest of which is negative.
    positions = np.diag([100, 10, 1000, 20, 50, 200])
    other = np.diag([50, 5, 500, 10, 25, 100])
    one = other + np.diag([-1, 1, 200, 6, 20, 100])  # -1, 10, 20, 30, 40, 50 points
    row = compare(DOCUMENTS, counts_of("a", one, positions), counts_of("b", other, positions))
    assert row["test"] == "documents"
    assert row["value"] == pytest.approx(149 / 6)
    assert row["p_value"] == pytest.approx(2 * 2 / 2**6)  # rank sums 0 and 1 of 64, on both sides
    low, high = stats.t.interval(0.9, 5, 149 / 6, np.std([-1, 10, 20, 30, 40, 50], ddof=1) / 6**0.5)
    assert (row["low_90"], row["high_90"]) == pytest.approx((low, high))
    assert compare(DOCUMENTS, counts_of("a", one, positions), counts_of("b", one, positions))["p_value"] == 1


def test_a_method_with_fewer_trainings_is_compared_on_these():
    rng = np.random.default_rng(5)
    positions = np.tile(np.eye(3, dtype=np.int64), 2) * 20  # two repeats of three folds
    one, other = (rng.integers(0, 20, positions.shape) * (positions > 0) for _ in range(2))
    sample = LargerSample(of="hmm", n_folds=3)
    short = counts_of("b", other[:, :3], positions[:, :3])
    row = compare(sample, counts_of("a", one, positions), short)
    alike = compare(sample, counts_of("a", one[:, :3], positions[:, :3]), short)
    assert row["n"] == 3
    assert row["p_value"] == alike["p_value"]


def test_a_group_that_trains_is_an_empty_cell():
    # Whatever a method would do on the group that trains, only the other cells count.
    positions = np.full((7, 4), 10)
    positions[[0, 1, 2, 3], [0, 1, 2, 3]] = 0
    one = np.where(positions > 0, 8, 0) + np.pad(np.ones((3, 4), int), ((4, 0), (0, 0)))
    other = np.where(positions > 0, 6, 0)
    row = compare(DRAWS, counts_of("a", one, positions), counts_of("b", other, positions))
    assert row["value"] == pytest.approx(100 * (one - other).sum() / positions.sum())
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
    return compare(sample, *counts)["p_value"]


def test_a_difference_that_is_there_is_found_and_none_is_not():
    # The standard error of this design is 4 points.
    rng = np.random.default_rng(0)
    assert np.mean([planted_p(rng, 0.0) < 0.05 for _ in range(60)]) <= 0.1
    assert np.mean([planted_p(rng, 0.17) < 0.05 for _ in range(20)]) >= 0.9


def settings_with(**changed):
    known = {"profile": "own", "datasets": {"hmm": {}, "more": {"source": "hmm"}}}
    other = {study: {"datasets": []} for study in ("missing", "future")}
    return load_settings(known | other | {"training": {"datasets": ["hmm"], **changed}})


def test_claims_read_both_decoders_of_a_larger_sample(tmp_path):
    pair, turned = ("treecrf", "treecrf_original"), ("treecrf_original", "treecrf")
    plant_larger(
        tmp_path, "protein", "protein_folds", (*turned, -1.0, 0.01), (*turned, 2.0, 0.5, "viterbi"), n_clusters=77
    )
    results = Results(tmp_path)
    [first, second] = larger_difference(results, "protein_folds", [pair], ["forward_backward", "viterbi"])
    assert (first.value, first.p, first.interval) == (1.0, 0.01, pytest.approx((0.71, 1.29)))
    assert (second.value, second.p, first.n, first.papers) == (-2.0, 0.5, 77, None)
    printed = (
        training_accuracies().query("dataset == 'protein' and decoder == 'viterbi'").set_index("method")["percent"]
    )
    assert second.published == pytest.approx(printed["treecrf"] - printed["treecrf_original"])
    [better] = larger_difference(results, "protein_folds", [pair])
    assert (better.value, better.published) == (1.0, None)  # printed for each decoder alone
    assert larger_difference(results, "protein_folds", [pair, ("treecrf", "mallet")]) == []
    assert larger_difference(results, "nettalk_all", [pair]) == []


def test_published_numbers_may_be_those_of_another_data_set(tmp_path):
    plant_larger(tmp_path, "faq_ai_general", "faq_mccallum", ("treecrf", "mallet", 1.0, 0.2), test="documents")
    pairs = [("treecrf", "mallet")]
    own, other = (
        larger_difference(Results(tmp_path), "faq_mccallum", pairs, published_of=name)[0].published
        for name in ("", "faq_aix")
    )
    printed = training_accuracies().query("decoder == 'better'").set_index(["dataset", "method"])["percent"]
    for found, name in ((own, "faq_ai_general"), (other, "faq_aix")):
        assert found == pytest.approx(printed[name, "treecrf"] - printed[name, "mallet"])


def test_the_summary_of_a_data_set_takes_its_larger_samples():
    of = {"larger_samples": {"more": {"of": "hmm"}}, "larger_methods": ["treecrf", "lightgbm"]}
    files = StudyFiles(training.STUDY, settings_with(methods=["treecrf", "memm"], **of))
    expected = {
        frame: [f"results/training/more/{method}.{frame}.parquet" for method in ("treecrf", "lightgbm")]
        for frame in ("larger_counts", "larger_trainings")
    }
    assert files.outcomes("more") == expected
    assert "larger_counts" not in files.outcomes("hmm")
    assert files.summed_up("hmm") == files.outcomes("hmm") | expected
    assert "results/training/hmm/larger_comparisons.csv" in files.claimed()


def test_a_larger_sample_needs_a_data_set_and_methods():
    more = {"more": {"of": "hmm"}}
    assert settings_with(larger_samples=more).training.larger_datasets == ["more"]
    assert settings_with(larger_samples={"more": {"of": "xor"}}).training.larger_datasets == []
    assert settings_with(larger_samples=more, larger_methods=[]).training.larger_datasets == []


def test_a_job_looks_at_the_settings_of_its_sample_alone():
    of = {"larger_samples": {"more": {"of": "hmm"}, "other": {"of": "hmm"}}, "overrides": {"hmm": {"variances": [3]}}}
    known = {"profile": "own", "datasets": {name: {"source": "hmm"} for name in ("hmm", "more", "other")}}
    empty = {study: {"datasets": []} for study in ("missing", "future")}
    settings = load_settings(known | empty | {"training": {"datasets": ["hmm"], **of}}).training
    used = settings.used_on_sample("more", "mallet")
    assert (used["variances"], [*used["larger_samples"]], [*used["larger_fixed"]]) == ([3], ["more"], ["mallet"])
    assert settings.used_on_sample("more", "linear_crf")["larger_fixed"] == {}
    assert "larger_samples" not in settings.used_by("linear_crf")


def test_a_sample_may_name_its_methods_and_the_size_of_its_draws(sets):
    own = {"of": "hmm", "design": "draws", "n_train": 3, "methods": ["linear_crf", "memm"]}
    settings = settings_with(larger_samples={"more": own}, methods=["treecrf", "memm"]).training
    assert settings.larger_methods_on("more") == ["linear_crf", "memm"]
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
            {
                "dataset": "hmm",
                "population": "second",
                "test": "draws",
                "decoder": "viterbi",
                "method": method,
                "n_train": n,
                "value": accuracy,
                "cpu_seconds": 10.0 * n / 100,
                "n": 5,
            }
            for method, values in numbers.items()
            for n, accuracy in zip((100, 1000), values, strict=True)
        ]
    )
    assert trees_and_networks(rows) == [
        "hmm (second population): trees minus network, +1.25 points with 100 and \u22122.50 points with 1000 training "
        "sequences. Mean of both minus the better one, +1.00 points with 100 and +0.50 points with 1000 training "
        "sequences. One training with 1000 sequences takes 20.00 CPU seconds for trees and 20.00 for the network."
    ]
    assert trees_and_networks(rows[rows["n_train"] == 100]) == []
    assert trees_and_networks(rows[rows["method"] != "neural_crf"]) == []


def test_the_figure_of_sizes_has_a_line_for_each_method_with_several():
    rows = [
        {
            "dataset": "hmm",
            "population": "same",
            "test": test,
            "decoder": "viterbi",
            "method": method,
            "n_train": n,
            "value": n / 10,
            "sd": 1.0,
        }
        for test, method, n in (
            ("draws", "treecrf_newton", 100),
            ("draws", "treecrf_newton", 300),
            ("draws", "linear_crf", 300),
            ("folds", "linear_crf", 100),
        )
    ]
    figure = accuracy_by_size(pd.DataFrame(rows))
    [axes] = figure.axes
    [line] = [container.lines[0] for container in axes.containers]
    assert line.get_xydata().tolist() == [[100, 10], [300, 30]]
    assert accuracy_by_size(pd.DataFrame(rows[2:])).get_label() == NOTHING


def test_a_larger_sample_that_is_no_data_set_is_refused():
    with pytest.raises(ValueError, match="names 'absent', which is not under datasets"):
        settings_with(larger_samples={"absent": {"of": "hmm"}})
