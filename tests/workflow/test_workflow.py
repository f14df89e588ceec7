"""The workflow, run as users run it, on a shrunken demo."""

import json
import os
import shutil
from pathlib import Path

import pandas as pd
import pytest
from builders import ROOT, SCALING, SMALL, check, linked_files, run

from treecrf import datasets
from treecrf.report.ledger import verdicts
from treecrf.report.ledger_page import ledger_fragment

pytestmark = pytest.mark.workflow


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """A folder in which the shrunken demo has run."""
    folder = tmp_path_factory.mktemp("demo")
    shutil.copytree(ROOT / "config", folder / "config")
    run(folder, SMALL, cost=SCALING)
    return folder


def test_demo_makes_page_tables_and_figures(demo):
    folder = demo / "results/demo/training"
    names = sorted(path.parent.name for path in folder.glob("*/summary.csv"))
    assert names == ["hmm", "hyphen_tex", "xor"]
    for name in names:
        summary = pd.read_csv(folder / name / "summary.csv")
        assert summary["method"].value_counts().to_dict() == dict.fromkeys(SMALL["methods"], 3)
        assert summary["chosen_accuracy"].between(0, 100).all()
        comparisons = pd.read_csv(folder / name / "comparisons.csv")
        assert len(comparisons) == 3 * 3  # pairs, decoders
    cost = demo / "results/demo/cost"
    figures = [folder / name for name in ("accuracies", "figure_3_1", "figure_3_2")]
    figures += [cost / name for name in ("figure_3_3a", "figure_3_3b", "figure_3_3c", "sampling")]
    for path in figures:
        for suffix in ("svg", "pdf", "png"):
            assert path.with_suffix(f".{suffix}").stat().st_size > 1000
    for name in ("accuracy", "peaks", "table_3_4", "table_3_5", "table_3_6", "choices", "tests_better"):
        assert (folder / f"tables/{name}.tex").read_text().startswith("\\begin{tabular}")
    assert (cost / "tables/windows.tex").read_text().startswith("\\begin{tabular}")
    assert set(pd.read_csv(cost / "windows.csv")["window_size"]) == {1, 3}
    assert len(pd.read_csv(cost / "sampling.csv")) == 5
    page = (demo / "reports/demo/index.html").read_text()
    for name in names:
        assert f'id="data-{name}"' in page
    for section in ("training-tests", "training-curves", "training-cost", "cost-windows", "cost-sampling"):
        assert f'id="{section}"' in page
    assert "Not in this page" not in page
    assert "n_perturbed_runs: 2" in page
    files = linked_files(check(page), demo / "reports/demo")
    assert len(files) > 50
    assert all(file.is_file() for file in files)
    assert not list(demo.rglob("*.tmp"))


def test_claims_are_checked_against_the_results(demo):
    results = demo / "results/demo"
    expected = verdicts(results)
    written = pd.read_csv(results / "claims.csv", keep_default_na=False)
    pd.testing.assert_frame_equal(written, expected, check_dtype=False)
    assert ledger_fragment(expected) in (results / "claims.html").read_text(encoding="utf-8")
    checked = expected[expected["verdict"] != "not_run"]
    assert set(checked["id"]) <= {"P3.9", "P3.10"}  # the demo has generated sets only


def test_second_run_does_nothing(demo):
    assert "Nothing to be done" in run(demo, SMALL, cost=SCALING).stdout


def test_a_setting_runs_anew_what_depends_on_it(demo):
    messages = run(demo, {**SMALL, "variances": [7]}, "--dry-run", cost=SCALING).stdout
    assert "Trains and tests linear_crf on hmm" in messages
    assert "Trains and tests treecrf" not in messages
    assert "Prepares" not in messages
    assert "Measures" not in messages


def test_a_method_is_added_without_training_the_others_anew(demo):
    methods = [*SMALL["methods"], "sliding_window"]
    messages = run(demo, {**SMALL, "methods": methods}, "--dry-run", cost=SCALING).stdout
    assert "Trains and tests sliding_window on xor" in messages
    assert "Trains and tests treecrf" not in messages
    assert "Trains and tests linear_crf" not in messages


def test_snakemake_report(demo):
    run(demo, SMALL, "--report", "report.html", cost=SCALING)
    text = (demo / "report.html").read_text()
    assert "Training (chapter 3)" in text
    assert "Ledger of claims" in text


def test_wrong_setting_is_one_sentence(demo):
    process = run(demo, {**SMALL, "n_iterations": 0}, check=False)
    assert process.returncode != 0
    assert (
        "configuration: 'training.n_iterations' holds '0', but input should be greater than or equal to 1"
        in process.stdout
    )


def test_unknown_data_set_is_one_sentence(demo):
    config = {"results": "results/other", "reports": "reports/other", "datasets": {"nosuch": {}}}
    (demo / "other.yaml").write_text(json.dumps(config))
    process = run(demo, {**SMALL, "datasets": ["nosuch"]}, configfile="other.yaml", check=False)
    assert process.returncode != 0
    assert "'datasets.nosuch'" in process.stdout


def test_a_broken_raw_file_stops_its_own_data_set_only(tmp_path):
    shutil.copytree(ROOT / "config", tmp_path / "config")
    broken = tmp_path / "data/raw" / datasets.describe("protein").files[0]
    for file in datasets.describe("protein").files:
        path = tmp_path / "data/raw" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("not this\n")
    config = {"datasets": {"protein": {}, "xor": {}}}
    (tmp_path / "mixed.yaml").write_text(json.dumps(config))
    process = run(tmp_path, {**SMALL, "datasets": ["protein", "xor"]}, configfile="mixed.yaml", check=False)
    assert process.returncode != 0
    sentence = (tmp_path / "results/logs/prepare_data/protein.log").read_text().splitlines()[0]
    assert broken.name in sentence
    assert "checksum" in sentence.lower() or "sha" in sentence.lower()
    assert (tmp_path / "results/training/xor/summary.csv").is_file()
    assert not (tmp_path / "reports/index.html").exists()  # the next run would take it for its own
    page = (tmp_path / "reports/unfinished.html").read_text()
    assert "Not in this page" in page
    assert broken.name in page
    assert 'id="data-xor"' in page
    assert not (tmp_path / "results/data/protein/train.npz").exists()


def test_raw_files_that_were_put_there_stay_even_if_they_are_older_than_the_code(mirror, tmp_path):
    shutil.copytree(ROOT / "config", tmp_path / "config")
    right, wrong = (Path("data/raw", file) for file in datasets.describe("protein").files[:2])
    for file in (right, wrong):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(mirror / file.relative_to("data/raw"), tmp_path / file)
    (tmp_path / wrong).write_text("not this\n")
    for file in (right, wrong):
        os.utime(tmp_path / file, (0, 0))
    (tmp_path / "none.yaml").write_text("seed: 0")
    nothing = SMALL | {"datasets": []}
    run(tmp_path, nothing, "--nocolor", str(right), configfile="none.yaml")
    assert (tmp_path / right).read_bytes() == (mirror / right.relative_to("data/raw")).read_bytes()
    assert "Nothing to be done" in run(tmp_path, nothing, "--nocolor", str(right), configfile="none.yaml").stdout
    refused = run(tmp_path, nothing, "--nocolor", str(wrong), configfile="none.yaml", check=False)
    assert refused.returncode != 0
    assert "has another checksum" in refused.stdout
    assert (tmp_path / wrong).read_text() == "not this\n"


def test_a_table_of_your_own(tmp_path):
    shutil.copytree(ROOT / "config", tmp_path / "config")
    train, test = datasets.load("xor")
    train.to_frame().to_csv(tmp_path / "train.csv", index=False)
    test.to_frame().to_csv(tmp_path / "test.csv", index=False)
    table = {"kind": "table", "path": "train.csv", "test": "test.csv", "window": [1, 1]}
    (tmp_path / "mine.yaml").write_text(json.dumps({"datasets": {"mine": table}}))
    run(tmp_path, {**SMALL, "datasets": ["mine"]}, configfile="mine.yaml")
    summary = pd.read_csv(tmp_path / "results/training/mine/summary.csv")
    assert summary["published"].isna().all()
    assert summary["chosen_accuracy"].between(0, 100).all()
