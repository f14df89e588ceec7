"""The study of ensembles through Snakemake, on a small data set and small pools."""

import pandas as pd
import pytest
from runs import ENSEMBLES

from treecrf_studies.ensembles.methods import COMBINED, VOTES

pytestmark = pytest.mark.workflow


def test_tables_figures_and_page_are_made(finished):
    results = finished / "results/ensembles"
    losses = pd.read_csv(results / "losses.csv")
    n_runs = 2 * len(ENSEMBLES["pool_seeds"]) * ENSEMBLES["n_samples"]
    assert losses["method"].value_counts().to_dict() == dict.fromkeys(VOTES, n_runs)
    boosted = pd.read_csv(results / "boosted.csv")
    assert len(boosted) == n_runs
    assert (boosted["slack"] > 0).all()
    assert (boosted["difference"] < 1e-12).all()
    runs = pd.read_csv(results / "hmm/runs.csv")
    assert list(zip(runs["draw"], runs["method"], strict=True)) == [
        (seed, method) for seed in (0, 1) for method in COMBINED
    ]
    assert len(pd.read_csv(results / "hmm/comparisons.csv")) == len(COMBINED) * (len(COMBINED) - 1) // 2
    assert set(pd.read_csv(results / "hmm/experts.csv")["expert"]) == set(ENSEMBLES["experts"])
    for name in ("table_1", "sticking", "bound", "accuracy", "steps", "boosting", "experts"):
        assert (results / f"tables/{name}.tex").read_text().startswith("\\begin{tabular}")
    for name in ("bound_by_round", "errors"):
        assert (results / f"{name}.svg").stat().st_size > 1000
    page = (finished / "reports/espboost-2014.html").read_text()
    for section in ("table_1", "bound", "data"):
        assert f'id="ensembles-{section}"' in page
    claims = pd.read_csv(finished / "results/claims.csv").set_index("id")["verdict"]
    assert claims["E3"] == "checked"
