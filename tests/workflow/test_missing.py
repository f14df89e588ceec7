"""The study of missing values as a workflow, shrunken: what it makes, what runs again and what does not."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest
from builders import ROOT, SMALL, run

from treecrf import datasets
from treecrf.missing import inject

pytestmark = pytest.mark.workflow

TINY = {
    "datasets": ["hyphen_tex", "xor"], "methods": ["instance_weighting", "imputation"], "rates": [0, 0.2],
    "baselines": {"xor": "imputation"}, "n_training_sets": 2, "n_test_sets": 2, "l2_regularizations": [5, 20],
    "n_iterations": 3, "max_leaves": 4,
}  # fmt: skip
NONE = {**SMALL, "datasets": []}


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A folder in which the study alone has run."""
    folder = tmp_path_factory.mktemp("missing")
    shutil.copytree(ROOT / "config", folder / "config")
    run(folder, NONE, missing=TINY)
    return folder


def test_tables_figures_guide_and_page_are_made(study):
    results = study / "results/demo/missing"
    for figure in ("figure_4_1", "figure_4_2", "effects_instance_weighting", "effects_imputation"):
        for suffix in ("svg", "pdf", "png"):
            assert (results / f"{figure}.{suffix}").stat().st_size > 1000
    comparisons = [f"{kind}_{name}" for kind in ("coefficients", "significance", "effects") for name in TINY["methods"]]
    for table in ("accuracy", "costs", "deviance", *comparisons):
        assert len(pd.read_csv(results / f"tables/{table}.csv"))
        assert "<table" in (results / f"tables/{table}.html").read_text()
        assert (results / f"tables/{table}.tex").read_text().startswith("\\begin{tabular}")
    page = (study / "reports/demo/index.html").read_text()
    for part in ('id="missing"', 'id="missing-tests"', 'id="missing-cost"', 'id="line-features"', 'id="data-xor"'):
        assert part in page
    assert "Not in this page" not in page
    assert (study / "reports/demo/missing_values.md").read_text().startswith("# Missing values: which method to use")
    assert not list(study.rglob("*.tmp"))


def test_every_method_is_evaluated_on_every_pair_of_sets(study):
    evaluations = pd.read_csv(study / "results/demo/missing/hyphen_tex/evaluations.csv")
    assert evaluations.groupby(["rate", "method"]).size().to_dict() == {
        (rate, method): 4 if rate else 1 for rate in TINY["rates"] for method in TINY["methods"]
    }
    costs = pd.read_csv(study / "results/demo/missing/hyphen_tex/costs.csv")
    assert set(costs["phase"]) == {"choice", "windows", "gradient", "trees", "update", "prediction"}
    assert len(pd.read_csv(study / "results/demo/missing/hyphen_tex/comparisons.csv")) == 2


def test_a_finished_job_is_not_run_again_and_a_lost_one_alone_is(study):
    assert "Nothing to be done" in run(study, NONE, missing=TINY).stdout
    lost = study / "results/demo/missing/xor/imputation/rate_0.2.counts.parquet"
    before = pd.read_parquet(lost)
    lost.unlink()
    for needs_it in ("xor/evaluations.csv", "figure_4_1.svg"):
        (study / "results/demo/missing" / needs_it).unlink()
    messages = run(study, NONE, "--keep-going", "missing", missing=TINY).stdout
    assert messages.count("Evaluates ") == 1
    assert "Evaluates imputation with 0.2 of the cells of xor missing" in messages
    pd.testing.assert_frame_equal(pd.read_parquet(lost), before)


def test_another_method_runs_nothing_else_and_another_setting_runs_all(study):
    more = {**TINY, "methods": [*TINY["methods"], "indicator"]}
    messages = run(study, NONE, "--dry-run", missing=more).stdout
    assert messages.count("Evaluates ") == messages.count("Evaluates indicator") == 4
    longer = run(study, NONE, "--dry-run", missing={**TINY, "n_iterations": 4}).stdout
    assert longer.count("Evaluates ") == 8


def test_one_study_can_be_run_alone(study):
    messages = run(study, SMALL, "--dry-run", "missing", missing=TINY).stdout
    assert "Cross-validates" not in messages


def test_report_has_the_study(study):
    run(study, NONE, "--report", "report.html", missing=TINY)
    report = (study / "report.html").read_text()
    assert "Missing values (chapter 4)" in report
    assert "PhD figure 4.1" in report
    assert "Figure 4.2: how often" in report


def test_a_table_with_holes_of_its_own(tmp_path):
    # At rate 0 its own holes are there already, so the methods are compared there too.
    shutil.copytree(ROOT / "config", tmp_path / "config")
    for side, data in zip(("train", "test"), datasets.load("hmm"), strict=True):
        holed = inject(data.select(range(30)), 0.3, np.random.default_rng(len(side)))
        holed.to_frame().to_csv(tmp_path / f"{side}.csv", index=False)
    table = {"kind": "table", "path": "train.csv", "test": "test.csv", "window": [1, 1]}
    (tmp_path / "mine.yaml").write_text(json.dumps({"datasets": {"mine": table}}))
    study = {**TINY, "datasets": ["mine"], "rates": [0]}
    run(tmp_path, NONE, missing=study, configfile="mine.yaml")
    comparisons = pd.read_csv(tmp_path / "results/missing/mine/comparisons.csv")
    assert comparisons[["rate", "baseline", "method"]].to_numpy().tolist() == [
        [0, "imputation", "instance_weighting"],
        [0, "instance_weighting", "imputation"],
    ]
    assert comparisons["coefficient"].iloc[0] != 0
    assert "mine" in (tmp_path / "reports/missing_values.md").read_text()
    assert 'id="missing-tests"' in (tmp_path / "reports/index.html").read_text()


def test_an_edit_of_the_trees_runs_all_jobs_again_at_once(study, tmp_path):
    # In a copy of the package, which PYTHONPATH puts before the installed one.
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    with open(tmp_path / "src/treecrf/trees/copies.py", "a") as file:
        file.write("EDITED = True\n")
    messages = run(study, NONE, "--dry-run", missing=TINY, package=tmp_path / "src").stdout
    assert messages.count("Compiles") == 1
    assert messages.count("Evaluates ") == 8


def test_an_edit_of_a_figure_draws_it_again_and_trains_nothing(study, tmp_path):
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    with open(tmp_path / "src/treecrf/studies/missing/figures.py", "a") as file:
        file.write("EDITED = True\n")
    messages = run(study, NONE, "--dry-run", missing=TINY, package=tmp_path / "src").stdout
    assert "Draws the figures: Missing values" in messages
    assert "Evaluates" not in messages
