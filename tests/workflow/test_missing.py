"""The study of missing values as a workflow, shrunken: what it makes, what runs again and what does not."""

import shutil

import pandas as pd
import pytest
from runs import run

pytestmark = pytest.mark.workflow


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
    assert at_rate_0[["other", "method"]].to_numpy().tolist() == [
        ["imputation", "instance_weighting"],
        ["instance_weighting", "imputation"],
    ]
    assert at_rate_0["coefficient"].iloc[0] != 0
    assert "of 1" in (finished / "reports/missing-values.html").read_text()
