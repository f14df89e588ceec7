"""Summaries of the study of ensembles, and their tests, tables, figures and sentences."""

import pandas as pd
import pytest
from planted_predictions import at_random

from treecrf_studies.ensembles.figures import errors_by_ensemble, margin_loss_by_round
from treecrf_studies.ensembles.methods import COMBINED, STEPS, VOTES
from treecrf_studies.ensembles.page import boosting_sentences, sticking_sentences
from treecrf_studies.ensembles.summary import make_frames
from treecrf_studies.ensembles.tables import (
    boosting_layout,
    bound_layout,
    errors_layout,
    experts_layout,
    steps_layout,
    sticking_layout,
    table_1,
    table_1_layout,
)
from treecrf_studies.framework.comparisons import compare_steps
from treecrf_studies.framework.jobs import SummaryContext

SHARES = {
    "best_expert": 0.6,
    "majority_vote": 0.55,
    "marginal_average": 0.5,
    "espboost": 0.1,
    "online_majority_vote": 0.55,
    "stacking": 0.7,
    "boosted_stacking": 0.7,
    "best_retrained": 0.6,
    "stacking_retrained": 0.95,
    "boosted_stacking_retrained": 0.5,
}
"""Share of correct positions of C."""

DATASETS = ("hyphen", "ocr")

RULES = {"exact_under": 25, "equivalence_margin": 0.5}


def frames_of(dataset, n_draws):
    """The frames of a job whose ensembles are right at random."""
    predictions, runs = at_random(SHARES, n_draws, len(dataset), dataset=dataset)
    experts = [(dataset, s, e, 80.0, 70.0 + s, 75.0, 0.5) for s in range(n_draws) for e in ("treecrf", "memm")]
    names = ["dataset", "draw", "expert", "held_out_accuracy", "accuracy", "retrained_accuracy", "cpu_seconds"]
    return {
        "runs": [runs.assign(settings="", cpu_seconds=1.0 + runs["draw"])],
        "predictions": [predictions],
        "experts": [pd.DataFrame(experts, columns=names)],
        "boosting": [boosting(dataset, n_draws)],
    }


def boosting(dataset, n_draws):
    """The first draw has over half the weight on path 1."""
    rows = [
        (dataset, seed, "one" if seed else "ends", 1 + seed, 0.1, 3 + seed, 0.3 if seed else 0.8, 0.6, 0.12, 0.4, 1e-16)
        for seed in range(n_draws)
    ]
    names = [
        "dataset",
        "draw",
        "class_map",
        "chosen_rounds",
        "loss",
        "n_rounds",
        "first_share",
        "correlation",
        "first_loss",
    ]
    return pd.DataFrame(rows, columns=[*names, "slack", "difference"])


@pytest.fixture(scope="module")
def frames():
    found = [
        make_frames(SummaryContext(frames_of(name, n_draws), RULES, name, name))
        for name, n_draws in zip(DATASETS, (3, 1), strict=True)
    ]
    return {name: pd.concat([each[name] for each in found], ignore_index=True) for name in found[0]}


def test_scores_are_accuracies_over_draws_with_the_draws_won(frames):
    row = frames["scores"].set_index(["dataset", "method"]).loc[("hyphen", "stacking_retrained")]
    runs = frames["runs"].query("dataset == 'hyphen' and method == 'stacking_retrained'")
    errors = runs["accuracy"]
    names = ["value", "sd", "low", "high"]
    assert row[names].astype(float).tolist() == pytest.approx([errors.mean(), errors.std(), errors.min(), errors.max()])
    assert row[["n", "n_best", "cpu_seconds"]].tolist() == [3, 3, 2.0]
    assert frames["scores"].query("method != 'stacking_retrained'")["n_best"].sum() == 0


def test_equal_ensembles_are_best_in_no_draw():
    given = frames_of("hyphen", 1)
    given["runs"][0]["accuracy"] = 50.0
    assert make_frames(SummaryContext(given, RULES, "hyphen", "hyphen"))["scores"]["n_best"].sum() == 0


def test_pairs_of_a_data_set_are_a_family(frames):
    pairs = compare_steps(frames["comparisons"], STEPS)
    assert [(pair.dataset, pair.method, pair.other) for pair in pairs] == [
        (dataset, *step) for dataset in DATASETS for step in STEPS
    ]
    for dataset in DATASETS:
        of_set = [pair for pair in pairs if pair.dataset == dataset]
        assert min(pair.p_holm for pair in of_set) == pytest.approx(min(1, len(STEPS) * min(pair.p for pair in of_set)))
    boosted = next(pair for pair in pairs if (pair.dataset, *STEPS[1]) == (pair.dataset, pair.method, pair.other))
    assert boosted.decision == "worse"
    assert (boosted.row["n_better"], boosted.row["n_worse"], boosted.row["n"]) == (0, 3, 3)


def test_tables_have_every_ensemble_and_pair(frames):
    table = errors_layout(frames["scores"])
    assert table["", "ensemble"].tolist() == list(COMBINED.values())
    assert "±" in table["errors (%)", "hyphen"][0]
    assert table["draws in which it is best alone", "ocr"].tolist()[-2] == "1 of 1"
    assert len(steps_layout(frames["comparisons"])) == 2 * len(STEPS)
    experts = experts_layout(frames["experts"])
    assert experts["on C (%)"].tolist() == ["29.00", "29.00", "30.00", "30.00"]
    row = boosting_layout(frames["boosting"]).iloc[0]
    assert row["class maps chosen"] == "one (2), ends (1)"
    assert row["rounds until it stops"] == "3 to 5"
    assert row["weight of path 1 (%)"] == "46.7"


def test_sentences_say_when_the_first_path_is_all(frames):
    first, second = boosting_sentences(frames["boosting"])
    assert first.startswith(
        "hyphen: path 1 has 30 to 80 % of the weight, over half in 1 of 3 draws. There its vote alone decides"
    )
    assert "it chose one round in 1 of 3 draws" in first
    assert "over half in 1 of 1 draws" in second
    never = boosting_sentences(frames["boosting"].assign(first_share=0.5))[0]
    assert "never over half, so later rounds decide some votes" in never


# --- generated sets ---------------------------------------------------------------------------------


def losses(sticking):
    """Two pools of two samples, of which `sticking` runs of SLE on ads2 stick."""
    rows = []
    for pool in (0, 1):
        for sample in (0, 1):
            sticks = 2 * pool + sample < sticking
            of = dict.fromkeys(VOTES, 0.22) | {"sle": 0.4 if sticks else 0.2}
            for dataset in ("ads1", "ads2"):
                rows += [
                    (dataset, pool, sample, name, loss, (1 if sticks else 5) if name == "sle" else None)
                    for name, loss in of.items()
                ]
    return pd.DataFrame(rows, columns=["dataset", "pool", "sample", "method", "loss", "n_experts"])


def test_table_1_has_the_pools_under_the_published_numbers():
    table = table_1_layout(losses(1))
    assert table.columns.tolist() == ["method", "values", "ADS1", "ADS2"]
    assert list(dict.fromkeys(table["method"])) == list(VOTES.values())
    by_row = table.set_index(["method", "values"])
    assert by_row.loc[("SLE", "published"), "ADS1"] == "0.5641 ± 0.00044"
    assert by_row.loc[("best expert", "published"), "ADS2"] == "0.4000"
    assert by_row.loc["descent on F (ours)"].index.tolist() == ["measured, pool 1", "measured, pool 2"]
    assert by_row.loc[("SLE", "measured, pool 1"), "ADS2"] == "0.3000 ± 0.10000"
    assert len(table_1()) == 10


def test_sle_is_split_by_whether_it_sticks():
    table = sticking_layout(losses(1)).query("set == 'ads2'")
    assert table["runs that stick"].tolist() == ["1 of 2", "0 of 2"]
    assert table["runs that stick, loss"].tolist() == ["0.4000", "–"]
    assert table["the others, loss"].tolist() == ["0.2000", "0.2000"]
    with_order = sticking_sentences(losses(1))[1]
    assert with_order.startswith(
        "On ads2, 1 of 4 runs stick at the best expert. The mean loss is 0.4000 for these, 0.2000 for the others and "
        "0.2200"
    )
    assert with_order.endswith("ESPBoost has a lower loss than SLE only because of the runs that stick.")
    for sticking in (0, 4):
        assert "only because" not in sticking_sentences(losses(sticking))[1]


def bounds():
    rows = [
        (name, pool, t, rho, 2, 0.1 * t, 0.5 + rho)
        for name in ("ads1", "ads2")
        for pool in (0, 1)
        for t in (1, 2)
        for rho in RHOS
    ]
    return pd.DataFrame(rows, columns=["dataset", "pool", "round", "rho", "n_runs", "margin_loss", "bound"])


RHOS = (0.01, 0.05, 0.1, 0.5, 0.9)


def test_figures_have_a_panel_for_each_set(frames):
    figure = margin_loss_by_round(bounds())
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["ads1", "ads2"]
    labels = [text.get_text() for text in figure.legends[0].texts]
    assert [label for label in labels if label.startswith("bound")] == [
        f"bound, ρ = {rho}" for rho in (0.01, 0.05, 0.5, 0.9)
    ]
    lines = {line.get_label(): line.get_ydata().tolist() for line in figure.axes[0].get_lines()}
    assert lines["margin loss, ρ = 0.9"] == [0.1, 0.2]
    assert lines["bound, ρ = 0.5"] == [1.0, 1.0]
    panels = errors_by_ensemble(frames["scores"]).axes
    assert [axes.get_title(loc="left") for axes in panels] == list(DATASETS)
    assert [text.get_text() for text in panels[0].get_yticklabels()] == list(COMBINED.values())


def test_the_bound_is_shown_by_its_least_slack():
    rows = [("ads1", 0, sample, 3, 5, 0.9, -0.05, 0.02, slack, 1e-16) for sample, slack in enumerate((0.3, 0.2))]
    names = ["dataset", "pool", "sample", "chosen_rounds", "n_rounds", "first_share", "correlation", "first_loss"]
    row = bound_layout(pd.DataFrame(rows, columns=[*names, "slack", "difference"])).iloc[0]
    assert row[["runs", "least slack of the bound", "weight of path 1 (%)"]].tolist() == ["2", "0.2000", "90.0"]
