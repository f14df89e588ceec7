"""Digests of results: what counts as a difference and what does not."""

import json

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


def test_claims_about_seconds_are_left_out_and_others_are_not(tmp_path):
    def write_claims(folder, **numbers):
        folder.mkdir()
        values = {"P3.1": "1", "P3.8": "2"} | numbers
        pd.DataFrame({"id": list(values), "numbers": list(values.values())}).to_csv(folder / "claims.csv", index=False)
        (folder / "claims.html").write_text(str(values))
        return result_digests(folder)

    one = write_claims(tmp_path / "one")
    assert one == write_claims(tmp_path / "other", **{"P3.8": "3"})
    assert differences(one, write_claims(tmp_path / "third", **{"P3.1": "3"})) == ["claims.csv"]


def test_tables_are_compared_without_what_is_measured(tmp_path):
    def write_table(folder, accuracy, seconds, unit="CPU s"):
        folder.mkdir()
        table = {
            "columns": ["method", ["accuracy (%)", "5"], [unit, "5"]],
            "cells": [["perceptron", accuracy, seconds]],
        }
        (folder / "beams.json").write_text(json.dumps(table))
        (folder / "beams.html").write_text(f"<table>{accuracy} {seconds}</table>")
        (folder / "claims.html").write_text("")
        return result_digests(folder)

    one = write_table(tmp_path / "one", "85.71", "0.032")
    assert set(one) == {"beams.json"}
    assert one == write_table(tmp_path / "other", "85.71", "0.050")
    assert differences(one, write_table(tmp_path / "third", "85.72", "0.032")) == ["beams.json"]
    without = [write_table(tmp_path / name, "85.71", value, "bits") for name, value in (("a", "12"), ("b", "25"))]
    assert differences(*without) == ["beams.html", "beams.json"]
