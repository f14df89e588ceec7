"""Records of the jobs of a run."""

import pytest

from treecrf_studies.records.jobs import read_records

pytestmark = pytest.mark.workflow


def test_every_job_left_a_record_beside_its_benchmark(finished):
    folder = finished / "results/benchmarks"
    records = read_records(finished / "results")
    assert {path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.tsv")} <= set(
        records["name"]
    )
    assert "write_page" in set(records["name"])
    computed = records[records["rule"] == "train_training"]
    assert len(computed) > 0
    assert (records["began"] <= records["ended"]).all()
    (machine,) = set(records["machine"])
    assert (folder / f"machines/{machine}.json").is_file()
