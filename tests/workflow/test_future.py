"""The study of future features through Snakemake, on a small generated set."""

import json
import shutil

import pandas as pd
import pytest
from builders import ROOT, run

SMALL = {
    "datasets": ["or"], "methods": ["sliding_window", "crf_2", "ff_memm_0"], "n_seeds": 2, "n_iterations": 8,
    "chain_iterations": 8, "test_every": 2,
    "bags": [2], "overrides": {"or": {"g0": [-1, -5]}}, "alpha_uppers": [40], "beta_uppers": [1e5], "eta_uppers": [10],
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("future")
    shutil.copytree(ROOT / "config", folder / "config")
    text = (folder / "config/demo.yaml").read_text()
    part = "datasets:\n  or: {options: {n_train: 40, n_validation: 20, n_test: 20, length: 10}}\n"
    (folder / "config/demo.yaml").write_text(text.replace("datasets:\n", part, 1))
    run(folder, {"datasets": []}, future=SMALL)
    return folder


def test_tables_figures_and_page_are_made(folder):
    results = folder / "results/demo/future"
    runs = pd.read_csv(results / "or/runs.csv")
    assert len(runs) == 2 * 2 + 2 * 2
    assert json.loads((results / "or/description.json").read_text()) == {"source": "or", "stand_in": None}
    assert pd.read_csv(results / "or/tests.csv")["n_seeds"].tolist() == [2, 2]
    for name in ("table_5_3", "orders", "tests", "choices", "example"):
        assert (results / f"tables/{name}.tex").read_text().startswith("\\begin{tabular}")
    for name in ("orders", "or/weights", "or/trees"):
        assert (results / f"{name}.svg").stat().st_size > 1000
    page = (folder / "reports/demo/index.html").read_text()
    for section in ("future", "future-patterns", "future-example", "future-pictures"):
        assert f'id="{section}"' in page


def test_a_second_run_does_nothing_and_a_method_trains_no_other_anew(folder):
    assert "Nothing to be done" in run(folder, {"datasets": []}, future=SMALL).stdout
    more = {**SMALL, "methods": [*SMALL["methods"], "memm_1"]}
    messages = run(folder, {"datasets": []}, "--dry-run", future=more).stdout
    assert "Trains and tests memm_1 on all draws of or" in messages
    assert "Trains and tests crf_2" not in messages
    assert "Prepares draw" not in messages
