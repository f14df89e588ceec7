"""``treecrf fit`` by itself: what it tries, says and writes, and how it stops."""

import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

import treecrf
from treecrf.automl import fitting

CHEAP = ("--iterations", 6, "--budget", 20)


def test_one_command(run, table):
    code, out, err = run("fit", "train.csv", "-o", "auto.npz", *CHEAP)
    assert code == 0
    assert (
        "Comparing linear_crf, treecrf_newton, lightgbm with windows 0,0 and 1,1 and 3,3 by cross-validation "
        "(--budget 20)" in err
    )
    assert re.search(r"method +settings +accuracy +interval +gap to best +log loss *\n", out)
    assert re.search(r"\nlinear_crf +1,1, variance\b", out)
    assert re.search(r"\nlightgbm +1,1, leaves 31 +100\.0 +", out)
    chosen = re.search(r"Chose (\w+) \(.+\): window 1,1, .*, (\d) iterations?\.", out)
    expected = re.search(
        r"accuracy on new data: ([\d.]+) % \(95 % confidence interval by sequence: [\d.]+ to [\d.]+ %\)",
        out,
    )
    assert float(expected[1]) > 95
    assert out.endswith("Wrote auto.npz. Next: treecrf evaluate auto.npz TEST_FILE\n")
    model = treecrf.load("auto.npz")
    assert model.window == (1, 1)
    assert model.get_params()[fitting.iterations_name(model)] == int(chosen[2])
    assert run("evaluate", "auto.npz", "train.csv")[0] == 0


def test_the_same_seed_gives_the_same_model(run, table):
    first, second = (run("fit", "train.csv", "-o", name, *CHEAP, "--window", "1,0") for name in ("a.npz", "b.npz"))
    assert first[1].replace("a.npz", "") == second[1].replace("b.npz", "")
    assert run("predict", "a.npz", "train.csv")[1] == run("predict", "b.npz", "train.csv")[1]


def test_one_method_with_the_window_it_needs(run, table):
    code, out, _ = run("fit", "train.csv", "-o", "m.npz", "--method", "linear_crf", "--window", "auto", "--variance", 3)
    assert code == 0
    model = treecrf.load("m.npz")
    assert (type(model).__name__, model.window, model.variance) == ("LinearCRF", (1, 1), 3)
    assert "treecrf_newton" not in out
    assert len(model.weights_history_) == 1


def test_one_long_sequence_is_cut_into_blocks(run, words, tmp_path):
    words.assign(sequence=0).to_csv(tmp_path / "one.csv", index=False)
    code, out, err = run("fit", "one.csv", "-o", "m.npz", *CHEAP, "--method", "treecrf_newton", "--window", "auto")
    assert code == 0
    assert "cut into 12 blocks of consecutive rows" in err
    assert "confidence interval by block: " in out


@pytest.mark.parametrize("holes", ["numbers", "letters"])
def test_holes_of_every_kind(run, words, tmp_path, holes):
    rng = np.random.default_rng(0)
    size = pd.Series(rng.normal(size=len(words)))
    frame = words.assign(size=size.mask(rng.random(len(words)) < 0.3))
    if holes == "letters":
        frame["letter"] = frame["letter"].mask(rng.random(len(words)) < 0.1)
    frame.to_csv(tmp_path / "holes.csv", index=False)
    code, _, err = run("fit", "holes.csv", "-o", "m.npz", *CHEAP, "--window", "1,0")
    assert (code, "missing cells" in err) == (0, True), err
    assert run("evaluate", "m.npz", "holes.csv")[0] == 0


def test_what_the_budget_leaves_out_is_said(run, table, monkeypatch):
    monkeypatch.setattr("treecrf.automl.candidates.NANOSECOND", 1e-6)  # of a file a thousand times as large
    code, out, _ = run("fit", "train.csv", "-o", "m.npz", "--budget", 1, "--iterations", 5)
    assert code == 0
    assert "Left out: " in out


def test_settings_of_one_method_leave_others_out(run, table):
    code, _, err = run("fit", "train.csv", "-o", "m.npz", *CHEAP, "--variance", 2, "--window", "1,0")
    assert code == 0
    assert "Left out: the method lightgbm has no variance; leave that option out." in err
    assert treecrf.load("m.npz").variance == 2


def test_ctrl_c_ends_with_one_line_and_no_file(run, table, tmp_path, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(fitting, "fit", interrupt)
    code, out, err = run("fit", "train.csv", "-o", "m.npz", "--method", "treecrf_newton")
    assert (code, out) == (130, "")
    assert err.endswith("treecrf: interrupted; no partial output was written.\n")
    assert [file.name for file in tmp_path.iterdir()] == ["train.csv"]


@pytest.mark.slow
def test_ctrl_c_in_the_middle(table, tmp_path):
    options = ("-o", str(tmp_path / "m.npz"), "--method", "treecrf_newton", "--iterations", "100000")
    heeding = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from treecrf.cli import main; main()"
    )
    running = subprocess.Popen(  # what runs in the background ignores the signal
        [sys.executable, "-c", heeding, "fit", str(table), *options], stderr=subprocess.PIPE, text=True
    )
    assert any("60 sequences" in line for line in running.stderr)
    time.sleep(1)  # it trains
    os.kill(running.pid, signal.SIGINT)
    err = running.communicate(timeout=60)[1]
    assert running.returncode == 130
    assert err.splitlines()[-1] == "treecrf: interrupted; no partial output was written."
    assert [file.name for file in tmp_path.iterdir()] == ["train.csv"]


def test_lightgbm_is_left_out_where_it_is_not_installed(run, table, monkeypatch):
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    monkeypatch.setattr("treecrf.automl.candidates.find_spec", lambda name: None)
    code, out, err = run("fit", "train.csv", "-o", "auto.npz", *CHEAP, "--window", "1,0")
    assert (code, "lightgbm" in out) == (0, False)
    assert "Left out: lightgbm, which is not installed (pip install 'treecrf[rivals]')." in err


@pytest.fixture
def entities(tmp_path):
    """Letters whose labels mark spans: B after a, I after it while b goes on, most others O."""
    rng = np.random.default_rng(0)
    letters = rng.choice([*"abccc"], 600)
    labels, before = [], "O"
    for place, letter in enumerate(letters):
        before = "O" if place % 10 == 0 else before
        before = "B-X" if letter == "a" else "I-X" if letter == "b" and before != "O" and rng.random() < 0.8 else "O"
        labels.append(before)
    frame = pd.DataFrame({"sequence": np.arange(600) // 10, "letter": letters, "label": labels})
    frame.to_csv(tmp_path / "spans.csv", index=False)
    return frame


def test_labels_of_spans_are_judged_by_span_f1(run, entities, tmp_path):
    code, out, err = run("fit", "spans.csv", "-o", "m.npz", *CHEAP, "--window", "0,0")
    assert code == 0, err
    assert "Span F1 on 600 held-out positions" in out
    assert re.search(r"method +settings +span F1 +interval", out)
    assert re.search(r"Estimated span F1 on new data: [\d.]+ % \(95 % confidence interval by sequence", out)
    assert re.search(r"Always answering 'O' would be right at [\d.]+ % of the positions, with span F1 0\.0 %", out)
    assert "Span F1 estimated then for new data" in run("describe", "m.npz")[1]
    out = run("evaluate", "m.npz", "spans.csv")[1]
    assert re.search(r"m\.npz: span F1 [\d.]+ % on 600 positions, macro F1 [\d.]+ %, accuracy [\d.]+ %\.", out)
    assert "95 % confidence interval of span F1 by sequence: " in out
    assert "95 % confidence interval of accuracy by sequence: " in out
    quick = ("--method", "linear_crf", "--iterations", 1)
    assert run("fit", "spans.csv", "-o", "poor.npz", "--window", "0,0", *quick)[0] == 0
    out = run("evaluate", "m.npz", "poor.npz", "spans.csv", "--html", "both.html")[1]
    tested = (
        r"m\.npz is [\d.]+ points of span F1 better than poor\.npz; a test that exchanges whole sequences has p < 0"
    )
    assert re.search(tested, out)
    page = (tmp_path / "both.html").read_text()
    assert page.index("points of span F1") < page.index("points of accuracy")
    assert page.index('<th scope="col">span F1 in %') < page.index('<th scope="col">accuracy in %')
    predicted = [line.rsplit(",", 1)[1] for line in run("predict", "m.npz", "spans.csv")[1].splitlines()[1:]]
    starts = np.arange(600) % 10 == 0
    impossible = [
        label == "I-X" and (start or before == "O")
        for label, before, start in zip(predicted[1:], predicted, starts[1:], strict=False)
    ]
    assert not any(impossible)
    assert predicted[0] != "I-X"


def test_the_metric_can_be_chosen(run, entities, table):
    code, out, _ = run("fit", "spans.csv", "-o", "m.npz", *CHEAP, "--window", "0,0", "--metric", "segment_f1")
    assert (code, "Segment F1 on 600 held-out positions" in out) == (0, True)
    code, _, err = run("fit", "train.csv", "-o", "m.npz", *CHEAP, "--metric", "nonsense")
    assert (code, "'nonsense' is not one of 'auto', " in err, "Value error" in err) == (2, True, False)
    code, out, err = run("fit", "train.csv", "-o", "m.npz", *CHEAP, "--metric", "span_f1")
    assert (code, out) == (1, "")
    assert (
        "--metric span_f1 needs labels that mark spans, such as B-PER, I-PER and O; the labels are 'u', 'v', 'w'" in err
    )
