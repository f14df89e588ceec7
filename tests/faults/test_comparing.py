"""Digests of results: what counts as a difference and what does not."""

import pandas as pd
from comparing import differences, result_digests

ROW = {"method": "treecrf", "accuracy": 0.5, "cpu_seconds": 1.0}


def write(folder, **changed):
    folder.mkdir()
    frame = pd.DataFrame([{**ROW, **changed}])
    frame.to_csv(folder / "summary.csv", index=False)
    frame.to_parquet(folder / "runs.parquet", index=False)
    (folder / "figure.svg").write_text("<svg/>")
    (folder / "logs").mkdir()
    (folder / "logs/job.log").write_text(f"took {changed}")
    return result_digests(folder)


def test_times_and_logs_are_left_out(tmp_path):
    one, other = write(tmp_path / "one"), write(tmp_path / "other", cpu_seconds=2.0)
    assert one == other
    assert set(one) == {"summary.csv", "runs.parquet", "figure.svg"}


def test_the_last_bit_of_a_number_counts(tmp_path):
    one, other = write(tmp_path / "one"), write(tmp_path / "other", accuracy=0.5000000000000001)
    assert differences(one, other) == ["runs.parquet", "summary.csv"]


def test_a_type_a_missing_file_and_other_bytes_count(tmp_path):
    one, other = write(tmp_path / "one", accuracy=1), write(tmp_path / "other", accuracy=1.0)
    assert differences(one, other) == ["runs.parquet", "summary.csv"]
    (tmp_path / "other/figure.svg").write_text("<svg />")
    (tmp_path / "one/runs.parquet").unlink()
    assert differences(result_digests(tmp_path / "one"), result_digests(tmp_path / "other")) == [
        "figure.svg",
        "runs.parquet",
        "summary.csv",
    ]
