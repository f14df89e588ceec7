"""The workflow, run as users run it, on a shrunken demo."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from treecrf import datasets

pytestmark = pytest.mark.workflow

ROOT = Path(__file__).parents[1]
SMALL = {"l2_regularizations": [20], "n_iterations": 3, "max_leaves": 4, "n_folds": 2, "n_perturbed_runs": 2}


NOT_MISSING = {"datasets": []}


def run(folder, training, *options, missing=NOT_MISSING, configfile="config/demo.yaml", check=True, package=None):
    """Run Snakemake in `folder`; returns the finished process, messages in `stdout`."""
    environment = {key: value for key, value in os.environ.items() if key != "TREECRF_MIRROR"}
    if package is not None:
        environment["PYTHONPATH"] = str(package)
    environment |= dict.fromkeys(("http_proxy", "https_proxy"), "http://127.0.0.1:9")  # no way out
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "--snakefile", str(ROOT / "Snakefile")]
    studies = [f"{name}={json.dumps(study)}" for name, study in (("training", training), ("missing", missing))]
    command += ["--configfile", configfile, *options, "--config", *studies]
    process = subprocess.run(
        command, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert not check or process.returncode == 0, process.stdout
    return process


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """A folder in which the shrunken demo has run."""
    folder = tmp_path_factory.mktemp("demo")
    shutil.copytree(ROOT / "config", folder / "config")
    run(folder, SMALL)
    return folder


def test_demo_makes_page_tables_and_figures(demo):
    summary = pd.read_csv(demo / "results/demo/training/table.csv")
    names = list(summary["dataset"].unique())
    assert len(names) >= 2
    assert len(summary) == 3 * len(names)
    for name in names:
        for suffix in ("svg", "pdf", "png"):
            assert (demo / f"results/demo/training/{name}/figure_3_1.{suffix}").stat().st_size > 1000
    assert (demo / "results/demo/training/table.tex").read_text().startswith("\\begin{tabular}")
    page = (demo / "reports/demo/index.html").read_text()
    for name in names:
        assert f'id="{name}"' in page
    assert "Not in this page" not in page
    assert "n_perturbed_runs: 2" in page
    assert "http:" not in page.replace("http://www.w3.org", "")
    assert not list(demo.rglob("*.tmp"))


def test_second_run_does_nothing(demo):
    assert "Nothing to be done" in run(demo, SMALL).stdout


def test_a_setting_runs_anew_what_depends_on_it(demo):
    messages = run(demo, {**SMALL, "n_perturbed_runs": 3}, "--dry-run").stdout
    assert "Tests lambda 20" in messages
    assert "Cross-validates" not in messages
    assert "Prepares" not in messages


def test_snakemake_report(demo):
    run(demo, SMALL, "--report", "report.html")
    assert "Training (chapter 3)" in (demo / "report.html").read_text()


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
    page = (tmp_path / "reports/index.html").read_text()
    assert "Not in this page" in page
    assert broken.name in page
    assert 'id="xor"' in page
    assert not (tmp_path / "results/data/protein/train.npz").exists()


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
