"""The page's sections on training, from a folder with results that a test wrote."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from treecrf.rendering.layouts import write_layout
from treecrf.report.ledger import verdicts
from treecrf.report.ledger_page import write_ledger
from treecrf.report.page import write_page
from treecrf.studies.cost.tables import windows_layout
from treecrf.studies.settings import load_settings
from treecrf.studies.training.tables import tabulate

NAN = np.nan


@pytest.fixture
def results(tmp_path):
    """A folder with the results of the data set hmm, and of half of xor."""
    description = {
        "source": "hmm", "title": "a test", "stand_in": "labels are made up", "terms": "none", "window": [1, 1],
        "labels": ["x", "y"], "n_attributes": 1, "train": {"sequences": 1, "positions": 2},
        "test": {"sequences": 1, "positions": 2},
    }  # fmt: skip
    curve = {"iteration": 1, "accuracy": 60.0, "low": 59.0, "high": 61.0, "cpu_seconds": 1.0, "chosen": True}
    cost = {
        "average_length": 5.0, "n_features": 3, "forward_backward_seconds": 0.1, "induction_seconds": NAN,
        "total_seconds": 1.0, "n_iterations": 9.0,
    }  # fmt: skip
    outcome = {
        "chosen_decoder": "viterbi", "published": NAN, "candidate": "variance=5", "iteration_low": 30, "iteration_high": 30,
        "cv_accuracy": 60.0, "chosen_accuracy": 77.25, "peak_iteration": 40, "peak_accuracy": 78.5, "cpu_seconds": 1.5,
        "chosen_mean": NAN, "chosen_sd": NAN, "peak_mean": NAN, "peak_sd": NAN,
    }  # fmt: skip
    comparison = {
        "other": "my_method", "accuracy_points": 1.0, "only_method": 9, "only_other": 4, "p_value": 0.5, "p_holm": 0.5,
        "clustered_p_value": NAN, "clustered_p_holm": NAN,
    }  # fmt: skip
    ids = {"dataset": "hmm", "method": "linear_crf", "stand_in": True}
    decoders = ("forward_backward", "viterbi", "better")
    frames = {
        "summary": [
            {**ids, **outcome, "method": method, "decoder": decoder}
            for method in ("linear_crf", "my_method")
            for decoder in decoders
        ],
        "curves": [ids | {"decoder": "viterbi"} | curve],
        "costs": [ids | cost],
        "comparisons": [{**ids, **comparison, "decoder": decoder} for decoder in decoders],
        "notes": [ids | {"method": "smile", "note": "no <Java>."}],
    }
    for name in ("hmm", "xor"):
        for folder in ("data", "training"):
            (tmp_path / folder / name).mkdir(parents=True)
        (tmp_path / "data" / name / "description.json").write_text(json.dumps(description))
    for name, rows in frames.items():
        pd.DataFrame(rows).to_csv(tmp_path / "training/hmm" / f"{name}.csv", index=False)
    pd.DataFrame(frames["summary"]).to_csv(tmp_path / "training/xor/summary.csv", index=False)
    (tmp_path / "training/figure_3_1.svg").write_text("<svg/>")
    for name, layout in tabulate({name: pd.DataFrame(rows) for name, rows in frames.items()}).items():
        write_layout(layout, str(tmp_path / "training/tables" / name))
    write_ledger(verdicts(tmp_path), tmp_path / "claims.csv", tmp_path / "claims.html")
    return tmp_path


def page_of(results, *names, **training):
    settings = load_settings(
        {
            "results": str(results),
            "reports": str(results / "reports"),
            "datasets": {name: {} for name in names},
            "training": {"datasets": list(names), **training},
        }
    )
    write_page(settings, results / "logs")
    return (results / "reports/index.html").read_text()


def test_page_shows_what_is_finished(results):
    page = page_of(results, "hmm", "xor")
    assert "<li><b>xor</b>: not computed" in page
    assert 'id="data-hmm"' in page
    assert 'id="data-xor"' not in page
    assert "hmm (stand-in)" in page
    assert "<b>hmm is a stand-in</b>: labels are made up" in page
    assert "<b>SMILE was not run on hmm</b>: no &lt;Java&gt;." in page
    assert "<td><b>77.25</b></td>" in page
    assert page.count("<summary>All tests between methods") == 3
    assert "training_proportions: [0.2, 0.5, 0.8]" in page  # the defaults of McCallum's feature induction
    assert "cannot exceed the number of test sequences" in page
    assert page.count("<img") == 1  # the only figure that has been drawn
    assert "Table 3.4" not in page  # neither of its methods was run


def test_page_says_how_often_each_data_set_was_trained(results):
    page = page_of(results, "hmm", "xor", overrides={"xor": {"n_folds": 2, "n_perturbed_runs": 3}})
    assert re.search(r"with\s+5 \(xor: 2\) folds", page)
    assert "over 10 (xor: 3) trainings" in page


def test_page_shows_measurements_that_are_there(results):
    windows = {"dataset": "hmm", "window_size": 3, "method": "treecrf", "seconds_per_iteration": 0.5}
    frame = pd.DataFrame([windows | {"n_iterations": 9, "accuracy": 61.5}])
    write_layout(windows_layout(frame), str(results / "cost/tables/windows"))
    page = page_of(results, "hmm")
    assert 'id="cost-windows"' in page
    assert "<td>61.50</td>" in page
    assert 'id="cost-sampling"' not in page
    assert "Not in this page" not in page


def test_page_without_results(tmp_path):
    write_ledger(verdicts(tmp_path), tmp_path / "claims.csv", tmp_path / "claims.html")
    page = page_of(tmp_path, "hmm", "xor")
    assert "<li><b>hmm</b>: not computed" in page
    assert 'id="training"' not in page
