"""The page's sections on cost."""

import pandas as pd
from runs import page_of

from treecrf_studies.cost.tables import windows_layout
from treecrf_studies.rendering.layouts import write_layout


def test_page_shows_measurements_that_are_there(results):
    windows = {"dataset": "hmm", "window_size": 3, "method": "treecrf", "seconds_per_iteration": 0.5}
    frame = pd.DataFrame([windows | {"n_iterations": 9, "accuracy": 61.5}])
    write_layout(windows_layout(frame), str(results / "cost/tables/windows"))
    page = page_of(results, "hmm", page="cost.html", cost={"window_datasets": ["hmm"]})
    assert 'id="cost-windows"' in page
    assert "<td>61.50</td>" in page
    assert 'id="cost-sampling"' not in page
