"""Counts of test sequences in the evidence: what they hold, and tests computed from them again."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from builders import ROOT
from planted_predictions import predictions

from treecrf.io.files import write_frame
from treecrf_studies import missing, training
from treecrf_studies.datasets import load
from treecrf_studies.framework.counts import FILE, count_sequences, write_counts
from treecrf_studies.framework.frames import Frames
from treecrf_studies.framework.jobs import JobContext, SummaryContext
from treecrf_studies.framework.settings import load_settings
from treecrf_studies.training.jobs import compare_method
from treecrf_studies.training.summary import make_frames

METHODS = ["treecrf", "linear_crf"]


def settings_of(results, **studies):
    known = {
        "profile": "own",
        "results": str(results),
        "datasets": {"hyphen": {"source": "hmm"}, "more": {"source": "hmm"}},
    }
    nothing = {study: {"datasets": []} for study in ("training", "missing", "future")}
    return load_settings(known | nothing | studies)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Settings and the comparisons of a small run of the study of training."""
    results = tmp_path_factory.mktemp("results")
    own = {
        "methods": METHODS,
        "n_perturbed_runs": 3,
        "start_noise": 2,
        "n_iterations": 10,
        "l2_regularizations": [5],
        "variances": [5],
        "n_folds": 2,
    }
    settings = settings_of(results, training={"datasets": ["hyphen"], **own})
    train, test = load("hmm", n_train=12, n_test=20, length=9)
    sets = train, replace(test, groups=np.minimum(np.arange(20), 14))  # the last six are related
    frames = {}
    for method in METHODS:
        outcome = compare_method(JobContext(settings.training, "hyphen", method, (1, 1), sets))
        for name, frame in outcome._asdict().items():
            write_frame(frame, results / f"training/hyphen/{method}.{name}.parquet")
            frames.setdefault(name, []).append(frame)
    rules = {name: getattr(settings.training, name) for name in training.STUDY.summary.settings}
    description = {"average_length": 9.0, "n_features": 3, "stand_in": None}
    summary = make_frames(SummaryContext(frames, rules, "hyphen", "hmm", description=description, sets=sets))
    for name, frame in summary.items():
        write_frame(frame, results / f"training/hyphen/{name}.csv")
    return settings, summary["comparisons"]


def test_the_lines_of_the_documentation_give_the_tests_of_the_run(run, tmp_path):
    settings, comparisons = run
    write_counts(training.STUDY, settings, tmp_path)
    page = (ROOT / "docs/reproduce.md").read_text(encoding="utf-8")
    [lines] = re.findall(r"## Tests from counts.*?```python\n(.*?)```", page, flags=re.DOTALL)
    found = {}
    exec(lines.replace("docs/results/evidence/training", str(tmp_path)), found)
    [row] = comparisons[comparisons["decoder"] == "better"].to_dict("records")
    assert [row["method"], row["other"]] == METHODS
    expected = [row[name] for name in ("value", "standard_error", "degrees_of_freedom", "p_value")]
    assert [found[name] for name in ("points", "error", "freedom", "p_value")] == pytest.approx(expected)
    assert found["trainings"] > 0


def test_counts_are_those_of_each_training_and_sequence(run):
    counts = count_sequences(Frames(run[0]), training.STUDY, "hyphen").query("point == 'choice'")
    assert set(counts["draw"]) == {"training 0", "training 1", "training 2"}  # not the unperturbed one
    assert set(counts.groupby(["decoder", "method", "draw"], observed=True)["sequence"].nunique()) == {20}
    predicted = pd.read_parquet(f"{run[0].results}/training/hyphen/treecrf.predictions.parquet")
    of_one = predicted.query("stage == 'choice' and run == 1 and decoder == 'viterbi' and sequence == 15")
    wanted = "method == 'treecrf' and draw == 'training 1' and decoder == 'viterbi' and sequence == 15"
    [row] = counts.query(wanted).to_dict("records")
    assert row["n_positions"] == len(of_one) == 9
    assert row["n_correct"] == (of_one["label"] == of_one["predicted"]).sum()


def test_counts_at_the_peak_are_those_of_the_best_iteration(run):
    counts = count_sequences(Frames(run[0]), training.STUDY, "hyphen").query(
        "point == 'peak' and method == 'treecrf' and decoder == 'viterbi'"
    )
    curves = pd.read_parquet(f"{run[0].results}/training/hyphen/treecrf.curves.parquet")
    choice = pd.read_parquet(f"{run[0].results}/training/hyphen/treecrf.choice.parquet")[
        ["candidate"]
    ].drop_duplicates()
    chosen = curves.query("run == -1 and decoder == 'viterbi'").merge(choice)
    assert counts["n_correct"].sum() == chosen["n_correct"].max()


def test_counts_after_the_last_iteration_are_of_all_perturbed_trainings(run):
    wanted = "point == 'last' and method == 'treecrf' and decoder == 'viterbi'"
    found = (
        count_sequences(Frames(run[0]), training.STUDY, "hyphen")
        .query(wanted)
        .groupby("draw", observed=True)["n_correct"]
        .sum()
    )
    curves = pd.read_parquet(f"{run[0].results}/training/hyphen/treecrf.curves.parquet").query(
        "decoder == 'viterbi' and run >= 0"
    )
    last = curves.sort_values("iteration").groupby("run")["n_correct"].last()
    assert found.to_dict() == {f"training {place}": n for place, n in last.items()}


def test_counts_of_missing_values_are_sums_over_test_sets(tmp_path):
    settings = settings_of(tmp_path, missing={"datasets": ["hyphen"], "methods": ["imputation", "instance_weighting"]})
    cells = {
        "dataset": "hyphen",
        "rate": 0.1,
        "method": "imputation",
        "group": 4,
        "sequence": 3,
        "block": 3,
        "n_positions": 5,
    }
    frame = pd.DataFrame(
        [{**cells, "draw": one, "test_set": other, "n_correct": one + 2 * other} for one in (0, 1) for other in (0, 1)]
    )
    write_frame(frame, tmp_path / "missing/hyphen/imputation.counts.parquet")
    counts = count_sequences(Frames(settings), missing.STUDY, "hyphen")
    assert counts[["variant", "draw", "sequence", "n_positions", "n_correct"]].to_numpy().tolist() == [
        ["10 % missing", "training set 0", 3, 10, 2],
        ["10 % missing", "training set 1", 3, 10, 4],
    ]


def test_without_counts_there_is_no_file(tmp_path):
    write_counts(training.STUDY, settings_of(tmp_path / "nothing"), tmp_path)
    assert list(tmp_path.rglob(FILE)) == []
    folder = tmp_path / "training/hyphen"
    write_frame(predictions("memm", 2).iloc[:0], folder / "memm.predictions.parquet")
    write_counts(
        training.STUDY, settings_of(tmp_path, training={"datasets": ["hyphen"], "methods": ["memm"]}), tmp_path
    )
    assert list(tmp_path.rglob(FILE)) == []
