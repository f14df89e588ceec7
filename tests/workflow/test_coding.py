"""The study of many labels through Snakemake, on a small generated set."""

import json

import pandas as pd
import pytest

pytestmark = pytest.mark.workflow


def test_tables_figures_and_page_are_made(finished):
    results = finished / "results/coding"
    assert json.loads((results / "transition/description.json").read_text()) == {
        "source": "transition",
        "stand_in": None,
    }
    runs = pd.read_csv(results / "transition/runs.csv")
    assert len(runs) == 2 * 2 * (6 * 2 + 2 + 1 + 1 + 1)
    best = pd.read_csv(results / "transition/best.csv")
    assert set(zip(best["learner"], best["use"], best["window"], strict=True)) == {
        (learner, use, window)
        for learner, use in (("gtb", "cascade"), ("vp", "cascade"), ("vp", "beam"))
        for window in (1, 3)
    }
    comparisons = pd.read_csv(results / "transition/comparisons.csv")
    assert set(comparisons["n"]) == {2}
    for name in ("all_labels", "steps", "codes", "choices", "beams", "chunks"):
        assert (results / f"tables/{name}.tex").read_text().startswith("\\begin{tabular}")
    for name in ("lengths", "seconds"):
        assert (results / f"transition/{name}.svg").stat().st_size > 1000
    page = (finished / "reports/thesis.html").read_text()
    for section in ("coding-all", "coding-codes", "coding-beams"):
        assert f'id="{section}"' in page
    assert 'id="coding-chunks"' not in page
