"""Which numbers of two runs moved."""

import numpy as np
import pandas as pd
import pytest
from planted_runs import plant_manifest, plant_run

from treecrf.io.files import read_frame, write_frame, write_json
from treecrf.report.comparing.numbers import BEYOND, NOT_COMPARED, SAME, WITHIN, compare_numbers
from treecrf.report.comparing.runs import open_run
from treecrf.statistics.estimates import adjust_holm


@pytest.fixture
def runs(tmp_path):
    """Two runs that differ in nothing."""
    return [plant_run(tmp_path / name) for name in ("one", "other")]


def compared(runs):
    with open_run(runs[0]) as one, open_run(runs[1]) as other:
        return compare_numbers(one, other)


def test_runs_that_differ_in_nothing(runs):
    numbers = compared(runs)
    assert numbers["study"].value_counts().to_dict() == {"training": 2, "missing": 4, "kernels": 2}
    assert set(numbers["outcome"]) == {SAME}
    assert numbers["p_value"].isna().all()
    assert (numbers["accuracy_from"] == numbers["accuracy_to"]).all()
    assert set(numbers[numbers["study"] == "missing"]["of"]) == {"rate 0.1", "rate 0.3"}


def test_a_shuffled_prediction_file_is_found(runs):
    path = runs[1] / "training/toy/b.predictions.parquet"
    frame = read_frame(path)
    write_frame(frame.assign(predicted=np.random.default_rng(0).permutation(frame["predicted"])), path)
    numbers = compared(runs)
    moved = numbers[numbers["outcome"] != SAME]
    assert [(row.study, row.method, row.outcome, row.decision) for row in moved.itertuples()] == [
        ("training", "b", BEYOND, "worse")
    ]
    assert moved["p_holm"].item() == moved["p_value"].item()  # nothing else was tested
    assert moved["points"].item() == pytest.approx((moved["accuracy_to"] - moved["accuracy_from"]).item())


def test_all_that_changed_is_one_family(tmp_path):
    runs = [plant_run(tmp_path / "one"), plant_run(tmp_path / "other", seed=1, a=0.05)]
    numbers = compared(runs)
    assert SAME not in set(numbers["outcome"])
    assert numbers["p_holm"].to_numpy() == pytest.approx(adjust_holm(numbers["p_value"].to_numpy()))
    found = numbers.set_index(["study", "method", "of"])["decision"]
    assert found["kernels", "a", ""] == "better"
    assert set(found.drop(("kernels", "a", ""))) <= {"equivalent", "undecided"}
    assert (numbers["outcome"] == WITHIN).sum() == len(numbers) - 1


def test_the_margin_is_that_of_the_second_run(tmp_path):
    runs = [plant_run(tmp_path / "one"), plant_run(tmp_path / "other", seed=1)]
    wide = {"datasets": ["toy"], "methods": ["a", "b"], "equivalence_margin": 90}
    plant_manifest(runs[1], kernels=wide)
    decisions = compared(runs).groupby("study")["decision"].agg(set)
    assert decisions["kernels"] == {"equivalent"}
    assert decisions["training"] == {"undecided"}


def test_what_one_run_has_not(runs):
    (runs[1] / "training/toy/b.predictions.parquet").unlink()
    (runs[1] / "missing/toy/a.counts.parquet").unlink()
    (runs[1] / "missing/toy/b.counts.parquet").unlink()
    numbers = compared(runs)
    absent = numbers[numbers["outcome"] == NOT_COMPARED]
    assert absent[["study", "method", "of", "note"]].to_numpy().tolist() == [
        ["training", "b", "decoder viterbi", "only in the first run"],
        ["missing", "all", "counts", "only in the first run"],
    ]
    assert absent["decision"].tolist() == ["", ""]


def test_frames_of_another_version(runs):
    for path in (runs[0] / "training/toy").iterdir():
        write_frame(read_frame(path).drop(columns="group"), path)
    for path in (runs[1] / "kernels/toy").glob("*.runs.parquet"):
        write_frame(read_frame(path).drop(columns="shared_part"), path)
    numbers = compared(runs).set_index("study")
    assert numbers.loc["training", "note"] == "the predictions of the first run have no column group"
    assert "does not say how much its draws overlap: shared_part" in numbers.loc["kernels", "note"]
    assert set(numbers.loc["missing", "outcome"]) == {SAME}


def test_a_data_set_that_is_not_known_any_more(runs):
    write_json({"source": "nosuch"}, runs[1] / "kernels/toy/description.json")
    numbers = compared(runs).set_index("study")
    assert numbers.loc["kernels", "note"] == "this version of treecrf does not know the data set"


def test_a_damaged_file_is_named(runs):
    path = runs[1] / "kernels/toy/a.predictions.parquet"
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(ValueError, match=str(path)):
        compared(runs)


def test_methods_that_shared_a_job_are_the_same(runs):
    folder = runs[1] / "kernels/toy"
    for frame in ("predictions", "runs"):
        paths = [folder / f"{method}.{frame}.parquet" for method in ("a", "b")]
        write_frame(pd.concat(map(read_frame, paths)), folder / f"a+b.{frame}.parquet")
        for path in paths:
            path.unlink()
    assert set(compared(runs)["outcome"]) == {SAME}
