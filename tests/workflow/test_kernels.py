"""The study of kernels through Snakemake, on a small generated set."""

import json

import pandas as pd
import pytest
from runs import KERNELS

from treecrf_studies.kernels.methods import BEST

pytestmark = pytest.mark.workflow


def test_tables_figures_and_page_are_made(finished):
    results = finished / "results/kernels"
    assert json.loads((results / "or/description.json").read_text()) == {"source": "or", "stand_in": None}
    runs = pd.read_csv(results / "or/runs.csv")
    assert list(zip(runs["method"], runs["draw"], strict=True)) == [
        (method, seed) for method in KERNELS["methods"] for seed in (0, 1)
    ]
    chosen = runs.pivot_table(index="draw", columns="method", values="settings", aggfunc="first")
    assert chosen["primal"].tolist() == chosen["dual"].tolist() == chosen["degree_1"].tolist()
    assert chosen["conjunctions"].tolist() == chosen["degree_2"].tolist()
    n_methods = len(KERNELS["methods"]) + len(BEST)
    assert len(pd.read_csv(results / "or/comparisons.csv")) == n_methods * (n_methods - 1) // 2
    assert set(pd.read_csv(results / "or/sizes.csv")["form"]) == {"monomials", "matrix", "low_rank"}
    for name in ("accuracy", "steps", "choices", "solvers", "ranks", "sizes"):
        assert (results / f"tables/{name}.tex").read_text().startswith("\\begin{tabular}")
    for name in ("figure_1", "solvers", "ranks", "sizes"):
        assert (results / f"{name}.svg").stat().st_size > 1000
    page = (finished / "reports/uai-2004.html").read_text()
    for section in ("accuracy", "tests", "solvers", "ranks", "sizes"):
        assert f'id="kernels-{section}"' in page
