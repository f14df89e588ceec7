"""The study of missing values as a workflow, shrunken: what it makes, what runs again and what does not."""

import shutil

import pandas as pd
import pytest
from runs import MISSING, run

pytestmark = pytest.mark.workflow


def test_tables_figures_and_pages_are_made(finished):
    results = finished / "results/missing"
    for figure in (
        "figure_4_1",
        "figure_4_2",
        "effects_instance_weighting",
        "effects_imputation",
        "trees",
        "mechanisms",
    ):
        for suffix in ("svg", "pdf", "png"):
            assert (results / f"{figure}.{suffix}").stat().st_size > 1000
    comparisons = [
        f"{kind}_{name}" for kind in ("coefficients", "significance", "effects") for name in MISSING["methods"]
    ]
    for table in ("accuracy", "costs", "deviance", "trees", "tree_differences", "mechanisms", *comparisons):
        assert len(pd.read_csv(results / f"tables/{table}.csv"))
        assert "<table" in (results / f"tables/{table}.html").read_text()
        assert (results / f"tables/{table}.tex").read_text().startswith("\\begin{tabular}")
    for page, sections in (
        ("dissertation", ("missing-accuracy", "missing-tests", "table-4-1", "line-features")),
        ("missing-values", ("missing-advice", "missing-trees", "missing-mechanisms", "missing-cost")),
        ("run", ("data-xor",)),
    ):
        text = (finished / f"reports/{page}.html").read_text()
        assert [section for section in sections if f'id="{section}"' not in text] == []
    assert not list(finished.rglob("*.tmp"))


def test_every_method_is_evaluated_on_every_pair_of_sets(finished):
    evaluations = pd.read_csv(finished / "results/missing/xor/evaluations.csv")
    assert evaluations.groupby(["rate", "method"]).size().to_dict() == {
        (rate, method): 4 if rate else 1 for rate in MISSING["rates"] for method in MISSING["methods"]
    }
    costs = pd.read_csv(finished / "results/missing/xor/costs.csv")
    assert set(costs["phase"]) == {"choice", "windows", "gradient", "trees", "update", "prediction"}
    assert len(pd.read_csv(finished / "results/missing/xor/comparisons.csv")) == 2


def test_mechanisms_are_evaluated_where_they_are_wanted(finished):
    evaluations = pd.read_csv(finished / "results/missing/xor/mechanism_evaluations.csv")
    assert evaluations.groupby(["mechanism", "method"]).size().to_dict() == {
        (mechanism, method): n
        for mechanism, n in (("mnar", 4), ("test_only", 2))  # one training set without holes
        for method in MISSING["methods"]
    }
    assert pd.read_csv(finished / "results/missing/mine/mechanism_evaluations.csv").empty
    assert list(pd.read_csv(finished / "results/missing/tables/mechanisms.csv")["cells are missing"]) == [
        "by its own value",
        "in test sets only",
    ]


@pytest.mark.slow
def test_other_mechanisms_run_no_other_job_again(finished_by_method, whole_by_method):
    others = whole_by_method | {"missing": whole_by_method["missing"] | {"mechanisms": ["mnar", "runs"]}}
    messages = run(finished_by_method, others, "--dry-run").stdout
    assert messages.count("missing not at random") == 2
    assert messages.count("Evaluates ") == 2


@pytest.mark.slow
def test_a_lost_result_is_computed_again_and_alone(finished_by_method, whole_by_method, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(finished_by_method, folder)  # with the times of the files
    lost = folder / "results/missing/xor/imputation.counts.parquet"
    before = pd.read_parquet(lost)
    lost.unlink()
    messages = run(folder, whole_by_method, "--keep-going", "missing").stdout
    assert messages.count("Evaluates ") == 1
    assert "Evaluates missing cells of xor: imputation" in messages
    pd.testing.assert_frame_equal(pd.read_parquet(lost), before)


@pytest.mark.slow
def test_another_setting_runs_all(finished_by_method, whole_by_method):
    longer = run(
        finished_by_method, whole_by_method | {"missing": whole_by_method["missing"] | {"n_iterations": 4}}, "--dry-run"
    ).stdout
    assert longer.count("Evaluates ") == 10


def test_a_table_with_holes_of_its_own(finished):
    # At rate 0 its own holes are there already, so the methods are compared there too.
    comparisons = pd.read_csv(finished / "results/missing/mine/comparisons.csv")
    at_rate_0 = comparisons[comparisons["rate"] == 0]
    assert at_rate_0[["baseline", "method"]].to_numpy().tolist() == [
        ["imputation", "instance_weighting"],
        ["instance_weighting", "imputation"],
    ]
    assert at_rate_0["coefficient"].iloc[0] != 0
    assert "of 1" in (finished / "reports/missing-values.html").read_text()
