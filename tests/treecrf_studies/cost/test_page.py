"""The page's sections on cost."""

import pandas as pd
from runs import page_of

from treecrf.io.files import write_frame


def test_page_shows_measurements_that_are_there(results):
    windows = {"dataset": "hmm", "window_size": 3, "method": "treecrf", "quantity": ["CPU seconds", "accuracy"]}
    frame = pd.DataFrame(windows | {"value": [0.5, 61.5]})
    write_frame(frame, results / "cost/windows_medians.csv")
    page = page_of(results, "hmm", page="cost", cost={"window_datasets": ["hmm"]})
    assert "## Cost and accuracy by window size\n" in page
    assert "61.50" in (results / "reports/markdown/cost/windows.csv").read_text()
    assert "Sampling" not in page
