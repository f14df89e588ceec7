"""The workflow, run as users run it, on a shrunken demo."""

import os
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
from runs import NOTHING, TRAINING, check, linked_files, run

from treecrf_studies import datasets
from treecrf_studies.report.ledger import verdicts, verdicts_by_rule

pytestmark = pytest.mark.workflow

BY_METHOD = ("training", "missing", "future")
"""Studies of `finished_by_method` that have a job for each method."""


def test_pages_stand_alone_and_link_to_files_that_exist(finished):
    reports = finished / "reports"
    pages = {path.name: path.read_text() for path in reports.glob("*.html")}
    pages = {name: page for name, page in pages.items() if name not in ("explorer.html", "search.html")}
    described = pd.read_csv(reports / "markdown/run_files/data-sets-of-the-run.csv")
    assert {"hmm", "mine", "xor"} <= set(described["data set"])
    assert "Data sets without results" not in pages["index.html"]
    assert "training.n_perturbed_runs,2\n" in (reports / "markdown/run_files/every-setting.csv").read_text()
    files = [file for page in pages.values() for file in linked_files(check(page), reports)]
    assert len(files) > 50
    assert all(file.is_file() for file in files)
    assert not list(finished.rglob("*.tmp"))


def test_claims_are_checked_against_the_results(finished):
    results = finished / "results"
    expected = verdicts(results)
    written = pd.read_csv(results / "claims.csv", keep_default_na=False)
    pd.testing.assert_frame_equal(written, expected, check_dtype=False)
    by_rule = verdicts_by_rule(results)
    pd.testing.assert_frame_equal(pd.read_csv(results / "claims_by_rule.csv"), by_rule, check_dtype=False)
    checked = expected[expected["verdict"] != "not_run"]
    on_generated_sets = {"P3.9", "P3.10", "P3.21", "P3.23", "P5.1", "M11", "M18", "E1", "E2", "E3"}
    assert set(checked["id"]) <= on_generated_sets


def test_a_table_of_your_own(finished):
    summary = pd.read_csv(finished / "results/training/mine/summary.csv")
    assert summary["published"].isna().all()
    assert summary["value"].between(0, 100).all()


def test_second_run_does_nothing(finished, whole):
    assert "Nothing to be done" in run(finished, whole, "--dry-run").stdout


@pytest.mark.slow
def test_a_setting_runs_anew_what_depends_on_it(finished_by_method, whole_by_method):
    training = whole_by_method["training"] | {"variances": [7]}
    messages = run(finished_by_method, whole_by_method | {"training": training}, "--dry-run", *BY_METHOD).stdout
    assert "Trains and tests on hmm: linear_crf" in messages
    assert not re.search(r"Trains and tests on .*: treecrf", messages)
    assert "Prepares" not in messages
    assert "Measures" not in messages
    assert "Evaluates" not in messages


@pytest.mark.slow
def test_a_method_is_added_without_training_the_others_anew(finished_by_method, whole_by_method):
    more = {
        study: whole_by_method[study] | {"methods": [*whole_by_method[study]["methods"], method]}
        for study, method in (("training", "sliding_window"), ("missing", "indicator"), ("future", "memm_1"))
    }
    messages = run(finished_by_method, whole_by_method | more, "--dry-run", *BY_METHOD).stdout
    assert "Trains and tests on xor: sliding_window" in messages
    assert not re.search(r"Trains and tests on .*: treecrf", messages)
    assert not re.search(r"Trains and tests on .*: linear_crf", messages)
    assert messages.count("Evaluates ") == len(re.findall(r"Evaluates .*: indicator", messages))
    assert len(re.findall(r"Evaluates missing cells of .*: indicator", messages)) == 2
    assert "Trains and tests on all draws of or: memm_1" in messages
    assert not re.search(r"Trains and tests on .*: crf_2", messages)
    assert "Prepares" not in messages


@pytest.mark.slow
def test_methods_that_share_a_job_find_the_same(finished, finished_by_method):
    assert (finished / "results/training/xor/treecrf+treecrf_original+linear_crf.choice.parquet").is_file()
    assert (finished_by_method / "results/training/xor/linear_crf.choice.parquet").is_file()
    for summary in (
        "training/xor/comparisons",
        "missing/xor/evaluations",
        "missing/xor/choices",
        "future/or/weights",
    ):
        one, other = (path / f"results/{summary}.csv" for path in (finished, finished_by_method))
        assert one.stat().st_mtime < other.stat().st_mtime  # it was made anew
        assert one.read_text() == other.read_text()


@pytest.mark.slow
def test_one_study_can_be_run_alone(finished, whole, tmp_path):
    for file in ("train.csv", "test.csv"):
        shutil.copy(finished / file, tmp_path)
    messages = run(tmp_path, whole, "--dry-run", "missing").stdout
    assert messages.count("Evaluates missing cells of ") == len(whole["missing"]["datasets"])
    for other in ("Trains and tests", "Measures"):
        assert other not in messages


@pytest.mark.slow
def test_snakemake_report(finished, whole):
    run(finished, whole, "--report", "report.html")
    text = (finished / "report.html").read_text()
    for part in ("Training", "Missing values", "PhD figure 4.1", "Figure 4.2: how often", "Claims"):
        assert part in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {"training": {**TRAINING, "datasets": ["xor"], "n_iterations": 0}},
            "configuration: 'training.n_iterations' (0): input should be greater than or equal to 1",
        ),
        ({"datasets": {"nosuch": {}}, "training": TRAINING | {"datasets": ["nosuch"]}}, "'datasets.nosuch'"),
    ],
)
def test_a_wrong_configuration_is_one_sentence(settings, sentence, tmp_path):
    process = run(tmp_path, NOTHING | settings, "--dry-run", check=False)
    assert process.returncode != 0
    assert sentence in process.stdout


@pytest.mark.slow
def test_a_dry_run_names_every_wrong_class_and_table(tmp_path):
    datasets = {"xor": {}, "words": {"kind": "table", "path": "no.csv"}, "tags": {"kind": "table", "path": "tags.csv"}}
    (tmp_path / "tags.csv").write_text("sequence,word,tag\n1,a,x\n")
    labellers = {"first": {"class": "no_such_module:A"}, "second": {"class": "sklearn.svm:LinearSVC"}}
    settings = NOTHING | {"datasets": datasets, "labellers": labellers}
    process = run(tmp_path, settings, "--dry-run", check=False)
    assert process.returncode != 0
    for sentence in (
        "'labellers.first': no_such_module:A: there is no module 'no_such_module'",
        "'labellers.second': sklearn.svm:LinearSVC has no method 'predict_proba'",
        "'datasets.words': table no.csv does not exist",
        "'datasets.tags': table tags.csv has no column 'label'",
    ):
        assert sentence in process.stdout
    written = {path.name for path in tmp_path.iterdir()} - {".snakemake"}
    assert written == {"config", "settings.yaml", "tags.csv"}


@pytest.mark.slow
def test_a_broken_raw_file_stops_its_own_data_set_only(tmp_path):
    broken = tmp_path / "data/raw" / datasets.describe("protein").files[0]
    for file in datasets.describe("protein").files:
        path = tmp_path / "data/raw" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("not this\n")
    (tmp_path / "results/training").mkdir(parents=True)
    # The routines of one method are compiled as it needs them.
    (tmp_path / "results/training/kernels.json").write_text("{}")
    training = TRAINING | {"datasets": ["protein", "xor"], "methods": ["linear_crf"]}
    process = run(tmp_path, NOTHING | {"training": training}, check=False)
    assert process.returncode != 0
    sentence = (tmp_path / "results/logs/prepare_data/protein.log").read_text().splitlines()[0]
    assert broken.name in sentence
    assert "checksum" in sentence.lower() or "sha" in sentence.lower()
    assert (tmp_path / "results/training/xor/summary.csv").is_file()
    assert not (tmp_path / "reports/index.html").exists()  # the next run would take it for its own
    page = (tmp_path / "reports/unfinished/markdown/index.md").read_text()
    assert "## Data sets without results" in page
    assert broken.name in page
    described = pd.read_csv(tmp_path / "reports/unfinished/markdown/run_files/data-sets-of-the-run.csv")
    assert "xor" in described.iloc[:, 0].tolist()
    assert not (tmp_path / "results/data/protein/train.npz").exists()


@pytest.mark.slow
def test_a_killed_attempt_leaves_no_temporary_file_beside_the_record(tmp_path):
    left = tmp_path / "results/benchmarks/prepare_data/xor.json.0123456789ab.tmp"
    left.parent.mkdir(parents=True)
    left.touch()
    run(tmp_path, NOTHING | {"datasets": {"xor": {}}}, "--nocolor", "results/data/xor/train.npz")
    assert left.with_name("xor.json").is_file()
    assert not left.exists()


@pytest.mark.slow
def test_nothing_is_computed_again_without_the_mirror(mirror, tmp_path):
    """Raw files are what their checksums say, wherever they came from."""
    made = "results/data/protein/train.npz"
    run(tmp_path, NOTHING | {"datasets": {"protein": {}}, "mirror": str(mirror)}, "--nocolor", made)
    without = run(tmp_path, NOTHING | {"datasets": {"protein": {}}}, "--nocolor", made)
    assert "Nothing to be done" in without.stdout


@pytest.mark.slow
def test_raw_files_that_were_put_there_stay_even_if_they_are_older_than_the_code(mirror, tmp_path):
    right, wrong = (Path("data/raw", file) for file in datasets.describe("protein").files[:2])
    for file in (right, wrong):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(mirror / file.relative_to("data/raw"), tmp_path / file)
    (tmp_path / wrong).write_text("not this\n")
    for file in (right, wrong):
        os.utime(tmp_path / file, (0, 0))
    run(tmp_path, NOTHING, "--nocolor", str(right))
    assert (tmp_path / right).read_bytes() == (mirror / right.relative_to("data/raw")).read_bytes()
    assert "Nothing to be done" in run(tmp_path, NOTHING, "--nocolor", str(right)).stdout
    refused = run(tmp_path, NOTHING, "--nocolor", str(wrong), check=False)
    assert refused.returncode != 0
    assert "has another checksum" in refused.stdout
    assert (tmp_path / wrong).read_text() == "not this\n"
