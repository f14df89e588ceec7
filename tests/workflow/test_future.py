"""The study of future features through Snakemake, on a small generated set."""

import json

import pandas as pd
import pytest

pytestmark = pytest.mark.workflow


def test_tables_figures_and_page_are_made(finished):
    results = finished / "results/future"
    runs = pd.read_csv(results / "or/runs.csv")
    assert len(runs) == 2 * 2 + 2 * 2
    assert json.loads((results / "or/description.json").read_text()) == {"source": "or", "stand_in": None}
    assert pd.read_csv(results / "or/tests.csv")["n"].tolist() == [2, 2]
    comparisons = pd.read_csv(results / "or/comparisons.csv")
    assert set(comparisons["n"]) == {2}
    for name in ("table_5_3", "orders", "gains", "tests", "choices", "example"):
        assert (results / f"tables/{name}.tex").read_text().startswith("\\begin{tabular}")
    for name in ("orders", "or/weights", "or/trees"):
        assert (results / f"{name}.svg").stat().st_size > 1000
    page = (finished / "reports/dissertation.html").read_text()
    for section in ("future-patterns", "future-example", "future-pictures", "table-5-3"):
        assert f'id="{section}"' in page
