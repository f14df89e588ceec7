"""The explorer of the published snapshot, whose evidence has results and no predictions."""

import pandas as pd
import pytest
from browsing import opened
from builders import ROOT

from treecrf.io.files import read_configuration
from treecrf_studies.explorer.gathering import gather
from treecrf_studies.explorer.page import render_explorer
from treecrf_studies.framework.settings import load_settings


@pytest.fixture(scope="session")
def settings():
    given = read_configuration([str(ROOT / "config" / name) for name in ("config.yaml", "extended.yaml")])
    return load_settings(given | {"results": str(ROOT / "docs/results/evidence")})


@pytest.fixture(scope="session")
def gathered(settings):
    return gather(settings)


@pytest.fixture(scope="session")
def html(settings, gathered):
    return render_explorer(settings, gathered)


@pytest.fixture(scope="session")
def file(html, tmp_path_factory):
    path = tmp_path_factory.mktemp("explorer") / "explorer.html"
    path.write_text(html, encoding="utf-8")
    return path


CALIBRATIONS = {
    "treecrf": [(0.5, 100, 0.6, 0.6), (0.8, 100, 0.9, 0.7)],
    "linear_crf": [(0.5, 300, 0.6, 0.55), (0.8, 300, 0.9, 0.95)],
}
"""Bins of methods on protein: low, positions, probability, share right."""

CONFUSION = [(0, 0, 90), (0, 1, 30), (1, 1, 50), (1, 0, 5)]
"""Of treecrf on protein: label, predicted, positions."""


@pytest.fixture(scope="session")
def told_file(settings, gathered, tmp_path_factory):
    """The page where log loss is what accuracy lacks, so that the same methods are best, and some have predictions."""
    accuracies = gathered.scores.query("study == 'training' and quantity == 'accuracy'")
    ends = {"value": "value", "low": "high", "high": "low"}
    losses = accuracies.assign(**{name: 1 - accuracies[of].astype(float) / 100 for name, of in ends.items()})
    lacking = (losses["decoder"] == "viterbi") & losses["method"].isin(["mallet_linear", "smile"])
    scores = pd.concat([gathered.scores, losses[~lacking].assign(quantity="log loss")], ignore_index=True)
    key = {"study": "training", "dataset": "protein", "variant": "", "decoder": "better", "point": "choice"}
    bins = [
        key | {"method": method, "low": low, "high": low + 0.1, "n_positions": n, "probability": says, "right": right}
        for method, found in CALIBRATIONS.items()
        for low, n, says, right in found
    ]
    names = ("label", "predicted", "n")
    cells = [key | {"method": "treecrf"} | dict(zip(names, cell, strict=True)) for cell in CONFUSION]
    runs = [key | {"method": "treecrf", "run": f"training {run}", "accuracy": 60 + run} for run in range(3)]
    told = gathered._replace(
        scores=scores, calibration=pd.DataFrame(bins), confusion=pd.DataFrame(cells), runs=pd.DataFrame(runs)
    )
    path = tmp_path_factory.mktemp("told") / "explorer.html"
    path.write_text(render_explorer(settings, told), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def told(chromium, told_file):
    """A tab with that page."""
    with opened(chromium, told_file) as browser:
        yield browser


@pytest.fixture(scope="session")
def browser(chromium, file):
    """A tab with the page."""
    with opened(chromium, file) as browser:
        yield browser
