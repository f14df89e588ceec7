"""The reader of a run's frames."""

from pathlib import Path

import pandas as pd
import pytest
from runs import own_settings

from treecrf.io.files import write_frame
from treecrf_studies.framework.frames import Frames

ROWS = pd.DataFrame({"value": [1, 2]})


@pytest.fixture
def frames(tmp_path):
    settings = own_settings("hmm", "xor", results=str(tmp_path), cost={"methods": ["treecrf"]})
    return Frames(settings)


def put(frames, path, rows=ROWS):
    target = Path(frames.settings.results, path)
    target.parent.mkdir(parents=True, exist_ok=True)
    write_frame(rows, target)


def test_rows_of_all_data_sets_or_of_some_one_under_another(frames):
    assert frames.find("training", "summary") is None
    assert frames.read("training", "summary").empty
    for name in ("hmm", "xor"):
        put(frames, f"training/{name}/summary.csv", ROWS.assign(dataset=name))
    again = Frames(frames.settings)
    assert again.find("training", "summary")["dataset"].tolist() == ["hmm", "hmm", "xor", "xor"]
    assert again.find("training", "summary", ["xor", "none"])["dataset"].tolist() == ["xor", "xor"]
    assert again.several("training", ("summary", "ranks"), ["hmm"]).keys() == {"summary"}


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_evidence_has_frames_as_csv_or_parquet(suffix, frames):
    """Those of jobs, which a run has as Parquet, and summaries, which it has as CSV."""
    batch = frames.files["training"].batches("hmm")[0]
    put(frames, f"training/hmm/{batch}.folds{suffix}")
    put(frames, f"training/hmm/summary{suffix}")
    pd.testing.assert_frame_equal(frames.find("training", "summary", ["hmm"]), ROWS)
    pd.testing.assert_frame_equal(frames.find("training", "folds", ["hmm"]), ROWS)
    assert frames.find("training", "folds", ["xor"]) is None


def test_a_summary_of_all_data_sets_is_made_of_what_jobs_measured(frames):
    measured = {"axis": "length", "value": 10, "method": "treecrf", "quantity": "induction", "n_positions": 10}
    put(frames, "cost/scaling.csv", pd.DataFrame([measured | {"repeat": k, "seconds": 1.0 + k} for k in range(3)]))
    made = frames.find("cost", "scaling_medians")
    assert made["value"].tolist() == [2.0]
    assert frames.find("cost", "windows_medians") is None
