"""The files of the jobs of a study, by the methods that share a job."""

import pytest

from treecrf.studies.paths import StudyFiles
from treecrf.studies.settings import load_settings
from treecrf.studies.training import STUDY

METHODS = ["treecrf", "linear_crf", "mallet", "memm", "lightgbm", "sliding_window"]


@pytest.mark.parametrize(
    ("n", "batches"),
    [
        (1, METHODS),
        (2, ["treecrf+linear_crf", "mallet", "memm+lightgbm", "sliding_window"]),
        (9, ["treecrf+linear_crf", "mallet", "memm+lightgbm+sliding_window"]),  # another method chooses for mallet
    ],
)
def test_methods_share_jobs_in_their_order(n, batches):
    training = {"datasets": ["hmm"], "methods": METHODS}
    other = {study: {"datasets": []} for study in ("missing", "future")}
    settings = load_settings({"datasets": {"hmm": {}}, "methods_per_job": n, "training": training, **other})
    files = StudyFiles(STUDY, settings)
    assert files.batches("hmm") == batches
    assert files.outcomes("hmm")["curves"] == [f"results/training/hmm/{batch}.curves.parquet" for batch in batches]
