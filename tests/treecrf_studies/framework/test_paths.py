"""The files of the jobs of a study, by the methods that share a job."""

import pytest
from runs import own_settings

from treecrf_studies import cost, missing
from treecrf_studies.framework.paths import StudyFiles
from treecrf_studies.framework.settings import load_settings
from treecrf_studies.missing.methods import TREES, Trees
from treecrf_studies.training import STUDY

NO_OTHERS = {study: {"datasets": []} for study in ("missing", "future")}
METHODS = ["treecrf", "linear_crf", "mallet", "memm", "lightgbm", "sliding_window"]


@pytest.mark.parametrize(
    ("n", "batches"),
    [
        (1, METHODS),
        (2, ["treecrf+linear_crf", "mallet", "memm+lightgbm", "sliding_window"]),
        (9, ["treecrf+linear_crf", "mallet", "memm+lightgbm+sliding_window"]),  # another method chooses for mallet
    ],
)
def test_methods_share_jobs_in_their_order(n, batches):
    training = {"datasets": ["hmm"], "methods": METHODS}
    files = StudyFiles(STUDY, own_settings(methods_per_job=n, training=training, **NO_OTHERS))
    assert files.batches("hmm") == batches
    assert files.outcomes("hmm")["curves"] == [f"results/training/hmm/{batch}.curves.parquet" for batch in batches]


def test_a_data_set_with_other_folds_is_not_another_one():
    datasets = {
        "protein": {},
        "protein_ungrouped": {"source": "protein", "groups": "none"},
        "hyphen_2": {"source": "hyphen"},
    }
    training = {"datasets": [*datasets]}
    files = StudyFiles(STUDY, own_settings(datasets=datasets, training=training, **NO_OTHERS))
    assert files.distinct_datasets() == ["protein", "hyphen_2"]


GENERATED = ["figure_3_3a.svg", "figure_3_3b.svg", "figure_3_3c.svg"]
"""Figures of the measurements on generated sequences."""


@pytest.mark.parametrize(
    ("changed", "shown"),
    [
        ({"methods": ["treecrf"], "window_datasets": ["hmm"]}, ["tables/windows.csv", *GENERATED]),
        ({"sampling_datasets": ["hmm"]}, ["tables/sampling.csv", "sampling.svg"]),
        ({"methods": ["treecrf"], "window_datasets": ["xor"]}, GENERATED),  # xor is not one of training
        ({"methods": ["treecrf"]}, GENERATED),
        ({}, []),
    ],
)
def test_each_measurement_of_cost_is_shown_if_it_is_made(changed, shown):
    given = {"training": {"datasets": ["hmm"]}, "cost": {"methods": [], **changed}} | NO_OTHERS
    files = StudyFiles(cost.STUDY, own_settings("hmm", "xor", **given))
    assert files.results() == [f"results/cost/{name}" for name in shown]
    assert bool(files.claimed()) == bool(shown)


def test_mechanisms_and_other_trees_have_jobs_where_they_are_wanted(monkeypatch):
    monkeypatch.setitem(TREES, "small", Trees("small trees", {}, {"l2_regularization": "l2_regularizations"}))
    mixed = {"datasets": ["hmm"], "methods": ["imputation", "indicator"], "baseline": "imputation"}

    def outcomes(**changed):
        other = {study: {"datasets": []} for study in ("training", "future")}
        return StudyFiles(missing.STUDY, own_settings("hmm", "xor", **other, missing=mixed | changed)).outcomes("hmm")

    assert set(outcomes()) == {"counts", "choices", "costs"}
    assert "mechanism_counts" not in outcomes(mechanism_datasets=["xor"])  # xor is not one of the study
    assert "mechanism_counts" not in outcomes(datasets=["hmm", "xor"], mechanism_datasets=["xor"])
    assert outcomes(mechanism_datasets=["hmm"])["mechanism_counts"] == [
        "results/missing/hmm/imputation.mechanism_counts.parquet",
        "results/missing/hmm/indicator.mechanism_counts.parquet",
    ]
    with_others = {"trees": ["papers", "small"]}
    assert len(outcomes(**with_others)["tree_counts"]) == 2
    assert "tree_counts" not in outcomes(**with_others, overrides={"hmm": {"trees": ["papers"]}})


def test_windows_without_methods_are_refused():
    with pytest.raises(ValueError, match="has window_datasets but no methods; name a method"):
        own_settings(cost={"methods": [], "window_datasets": ["hmm"]})


@pytest.mark.parametrize(
    ("given", "is_wanted"),
    [
        ({"window_datasets": ["xor"], "n_repeats": 5}, False),  # config.yaml has such; xor is not one of training
        ({"window_datasets": ["hmm"]}, True),
        ({"methods": ["treecrf"]}, True),
    ],
)
def test_a_run_of_ones_own_measures_cost_on_purpose(given, is_wanted):
    settings = own_settings("hmm", "xor", training={"datasets": ["hmm"]}, cost=given, **NO_OTHERS)
    assert settings.cost.is_wanted is is_wanted
    assert load_settings(settings.model_dump()) == settings
    of_papers = {"profile": "demo", "datasets": {"hmm": {}, "xor": {}}, "training": {"datasets": ["hmm"]}}
    assert load_settings(of_papers | {"cost": given}).cost.is_wanted


def test_claims_about_cost_are_checked_against_every_repeat_and_tables_show_medians():
    given = {"window_datasets": ["hmm"], "sampling_datasets": ["hmm"]}
    files = StudyFiles(cost.STUDY, own_settings(cost=given))
    assert files.frames(cost.STUDY.claimed) == {
        "scaling": ["results/cost/scaling.csv"],
        "windows": ["results/cost/hmm/windows.csv"],
        "sampling": ["results/cost/hmm/sampling.csv"],
    }
    assert files.frames(cost.STUDY.tabulated) == {
        "windows_medians": ["results/cost/windows_medians.csv"],
        "sampling_medians": ["results/cost/sampling_medians.csv"],
    }


def test_a_long_job_takes_what_other_jobs_did_beforehand():
    portions = {"training.hmm.memm": 3, "cost.measure_scaling": 2}
    training = {"datasets": ["hmm"], "methods": ["treecrf", "memm"]}
    settings = own_settings(training=training, portions=portions, **NO_OTHERS)
    files, (train, *_) = StudyFiles(STUDY, settings), STUDY.jobs
    fields = {"dataset": "hmm", "methods": "memm"}
    assert files.portions(train, fields, 1) == [f"results/training/hmm/memm.train_portion_0_{i}.zip" for i in range(3)]
    assert len(files.portions(train, fields, 2)) == 6
    assert files.portions(train, {"dataset": "hmm", "methods": "treecrf"}, 2) == []
    assert StudyFiles(cost.STUDY, settings).portions(cost.STUDY.jobs[0], {}, 1) == [
        f"results/cost/measure_scaling_portion_0_{i}.zip" for i in range(2)
    ]


@pytest.mark.parametrize("name", ["training.hmm", "cost.measure_windows", "missing.hmm.imputation", "training"])
def test_portions_of_what_is_no_long_job_are_refused(name):
    with pytest.raises(ValueError, match=f"portions names '{name}', which is no job that can be divided"):
        own_settings(training={"datasets": []}, portions={name: 2}, **NO_OTHERS)
