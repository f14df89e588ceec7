"""The explorer of the finished run, which has predictions of all studies that keep them."""

import pandas as pd
import pytest
from browsing import opened

from treecrf.io.files import read_configuration
from treecrf_studies.explorer.gathering import gather
from treecrf_studies.framework.settings import load_settings

pytestmark = pytest.mark.workflow

STUDIES = ("training", "future", "coding", "kernels", "ensembles")
"""Those that keep predictions."""


@pytest.fixture(scope="module")
def gathered(finished):
    given = read_configuration([str(finished / "config/config.yaml"), str(finished / "settings.yaml")])
    return gather(load_settings(given | {"results": str(finished / "results")}))


def training(gathered):
    return gathered.scores.query("study == 'training' and point == 'choice' and quantity == 'accuracy'")


def test_ranks_of_training_are_those_of_the_study(finished, gathered):
    found = training(gathered).query("decoder == 'better'").set_index(["dataset", "method"])
    paths = sorted((finished / "results/training").glob("*/ranks.csv"))
    known = pd.concat(map(pd.read_csv, paths)).dropna(subset="dataset").set_index(["dataset", "method"])
    assert len(known)
    for name in ("standing", "gap_low", "rank_low", "rank_high"):
        assert found.loc[known.index, name].dropna().to_dict() == known[name].dropna().to_dict()


def test_predictions_say_the_accuracies_of_the_summaries(gathered):
    """The mean of the runs, each computed from its labels."""
    keys = ["study", "dataset", "variant", "decoder", "point", "method"]
    scores = (
        gathered.scores.query("quantity == 'accuracy' and point == 'choice'").set_index(keys)["value"].astype(float)
    )
    confusion = gathered.confusion.assign(right=lambda cells: cells["n"].where(cells["label"] == cells["predicted"], 0))
    sums = confusion.groupby(keys)[["n", "right"]].sum()
    assert set(sums.index.get_level_values("study")) == set(STUDIES)
    shares = 100 * (sums["right"] / sums["n"]).astype(float)
    assert (shares - scores[shares.index]).abs().max() < 1e-4  # CSV files of summaries


def test_probabilities_are_of_every_position_and_say_how_often_they_are_right(gathered):
    keys = ["study", "dataset", "variant", "decoder", "point", "method"]
    found = gathered.calibration.groupby(keys).apply(
        lambda bins: pd.Series({"n": bins["n_positions"].sum(), "right": (bins["n_positions"] * bins["right"]).sum()})
    )
    confusion = gathered.confusion.assign(right=lambda cells: cells["n"].where(cells["label"] == cells["predicted"], 0))
    expected = confusion.groupby(keys)[["n", "right"]].sum().loc[found.index]
    assert set(found.index.get_level_values("study")) == set(STUDIES)
    assert (found - expected).abs().max(axis=None) < 1e-6
    losses = gathered.scores.query("quantity == 'log loss'").set_index(keys)["value"]
    assert set(losses.index) == set(found.index)
    assert (losses > 0).all()


def test_every_kept_method_has_hard_sequences_with_the_right_number_of_errors(gathered):
    for row in gathered.hardest.itertuples():
        assert 0 < row.n_wrong <= row.n_positions
        if row.n_positions == len(row.label):
            assert row.n_wrong == sum(one != other for one, other in zip(row.label, row.predicted, strict=True))
    assert set(gathered.hardest["study"]) == set(STUDIES)
    assert any(row.observed for row in gathered.hardest.itertuples())


def test_it_opens_without_a_network(finished, chromium):
    page = finished / "reports/explorer.html"
    assert 'href="explorer.html"' in (finished / "reports/index.html").read_text()
    with opened(chromium, page) as browser:
        for study in STUDIES:
            view = browser.view(f"leaderboard?study={study}")
            view.locator("table").first.locator("tbody tr").last.locator(
                "td a"
            ).last.click()  # the least accurate method has errors
            text = browser.shown().inner_text()
            assert "Hardest sequences" in text
            assert "Confusion" in text
