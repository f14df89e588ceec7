"""Summaries of the study of kernels, and their tests, tables, figures and sentences."""

import numpy as np
import pandas as pd
import pytest
from planted_predictions import at_random

from treecrf_studies.framework.comparisons import find_pair
from treecrf_studies.framework.jobs import SummaryContext
from treecrf_studies.kernels.figures import accuracy_by_degree, cost_by_size, excess_by_seconds, loss_by_rank
from treecrf_studies.kernels.page import against_trees, kernels_against_trees
from treecrf_studies.kernels.summary import best_predictions, make_frames
from treecrf_studies.kernels.tables import (
    accuracy_layout,
    choices_layout,
    ranks_layout,
    sizes_layout,
    solvers_layout,
    steps_layout,
)

SHARES = {"primal": 0.5, "degree_1": 0.5, "degree_2": 0.7, "degree_3": 0.68, "separable": 0.9, "full": 0.85}
HELD_OUT = {"degree_1": 49.0, "degree_2": 66.0, "degree_3": 67.0, "separable": 80.0, "full": 88.0}
"""Share of correct test positions; what cross-validation sees, another order."""

DATASETS = ("nettalk", "prosody")

RULES = {"exact_under": 25, "equivalence_margin": 0.5}


def frames_of(dataset, n_draws, seed):
    """The frames of jobs whose methods are right at random."""
    predictions, runs = at_random(SHARES, n_draws, seed, dataset=dataset, decoder="forward_backward")
    runs = runs.assign(
        held_out_accuracy=runs["method"].map(HELD_OUT),
        viterbi_accuracy=50.0,
        cpu_seconds=1.0 + runs["draw"],
        form="matrix",
        settings=[f"variance={draw + 1}" for draw in runs["draw"]],
    )
    return {"runs": [runs], "predictions": [predictions]}


@pytest.fixture(scope="module")
def frames():
    found = [
        make_frames(SummaryContext(frames_of(name, n_draws, place), RULES, name, name, "a stand-in" if place else None))
        for place, (name, n_draws) in enumerate(zip(DATASETS, (1, 5), strict=True))
    ]
    return {name: pd.concat([each[name] for each in found], ignore_index=True) for name in found[0]}


def test_scores_are_means_over_draws(frames):
    row = frames["scores"].set_index(["dataset", "method", "decoder"]).loc[("prosody", "degree_2", "forward_backward")]
    runs = frames["runs"].query("dataset == 'prosody' and method == 'degree_2'")["accuracy"]
    assert row[["n", "cpu_seconds", "settings", "stand_in"]].tolist() == [5, 3.0, "variance=1 to 5", True]
    expected = [runs.mean(), runs.std(ddof=1), runs.min(), runs.max()]
    names = ["value", "sd", "low", "high"]
    assert row[names].astype(float).tolist() == pytest.approx(expected)


def test_cross_validation_and_not_the_test_set_says_who_is_best(frames):
    for dataset, pair in zip(DATASETS, kernels_against_trees(frames["comparisons"]), strict=True):
        expected = find_pair(frames["comparisons"].query(f"dataset == '{dataset}'"), "degree_3", "full")
        assert (pair.dataset, pair.points, pair.p) == (dataset, expected.points, expected.p)


def test_each_draw_has_the_method_that_it_prefers_itself():
    found = frames_of("prosody", 2, 0)
    runs, predictions = (pd.concat(found[name], ignore_index=True) for name in ("runs", "predictions"))
    runs.loc[(runs["method"] == "degree_1") & (runs["draw"] == 0), "held_out_accuracy"] = 99.0
    best = {str(part["method"].iloc[0]): part for part in best_predictions(predictions, runs)}["best_kernel"]
    for seed, method in ((0, "degree_1"), (1, "degree_3")):
        expected = predictions.query(f"method == '{method}' and draw == {seed}")["predicted"]
        assert best.query(f"draw == {seed}")["predicted"].tolist() == expected.tolist()
    runs.loc[runs["draw"] == 1, "held_out_accuracy"] = np.nan
    assert list(best_predictions(predictions, runs)) == []
    others = runs.assign(method="crfsuite").astype({"method": "str"})
    assert list(best_predictions(predictions, others)) == []


def test_tables_show_every_method_and_pair(frames):
    table = accuracy_layout(frames["scores"])
    assert table.columns.tolist() == ["method", "nettalk", "prosody (stand-in)"]
    assert table["method"].tolist()[:2] == ["linear CRF (primal)", "kernel CRF (degree 1)"]
    assert "±" in table["prosody (stand-in)"][0]
    assert len(steps_layout(frames["comparisons"])) == 10
    choices = choices_layout(frames["scores"])
    assert set(choices["form"]) == {"kernel matrix"}
    assert choices["cross-validation (%)"][0] == "–"


def test_sentences_have_decisions_by_name(frames):
    _, sentences = against_trees(frames["comparisons"])
    for dataset, line in zip(("nettalk", "prosody (stand-in)"), sentences.text.splitlines(), strict=True):
        assert line.startswith(f"- {dataset}: −")
        assert line.endswith("; kernels are less accurate than trees.")


def solvers():
    rows = [(solver, i, 0.1 * (i + 1), 10.0**-i, 0.5, i > 0) for solver in ("lbfgs", "block_jacobi") for i in range(3)]
    frame = pd.DataFrame(rows, columns=["solver", "iteration", "cpu_seconds", "excess", "gap", "converged"])
    last = pd.DataFrame([("crfsuite", -1, 0.3, 0.0, np.nan, True)], columns=frame.columns)
    return pd.concat([frame, last], ignore_index=True).assign(dataset="toy", degree=1, objective=1.0, accuracy=50.0)


def ranks():
    rows = [("exact", 90, 80.0, 0.0)] + [
        (p, r, 70.0 + r, 1 / r) for r in (2, 4) for p in ("random", "greedy", "uniform")
    ]
    frame = pd.DataFrame(rows, columns=["pivots", "rank", "accuracy", "excess"])
    return frame.assign(dataset="toy", cpu_seconds=1.0, n_positions=90)


def sizes():
    rows = [(form, n, n / 10, n / 2) for n in (100, 200) for form in ("monomials", "matrix", "low_rank")]
    frame = pd.DataFrame(rows, columns=["form", "n_positions", "cpu_seconds", "memory_mb"])
    return frame.assign(dataset="toy", n_windows=90)


def test_tables_of_measurements_have_the_ends():
    table = solvers_layout(solvers())
    assert table["iterations"].tolist() == ["2", "2", "–"]
    assert table["above the minimum"].tolist() == ["1.0e-02", "1.0e-02", "0.0e+00"]
    assert ranks_layout(ranks())["accuracy (%)", "greedy"].tolist() == ["72.00", "74.00"]
    assert sizes_layout(sizes())["memory (MB)", "kernel matrix"].tolist() == ["50", "100"]


def test_figures_have_a_panel_for_each_thing(frames):
    figure = accuracy_by_degree(frames["scores"])
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["nettalk", "prosody (stand-in)"]
    assert [axes.get_title(loc="left") for axes in excess_by_seconds(solvers()).axes] == ["toy, degree 1"]
    assert len(loss_by_rank(ranks()).axes) == len(cost_by_size(sizes()).axes) == 2
    empty = frames["scores"][frames["scores"]["method"] == "full"]
    assert accuracy_by_degree(empty).texts[0].get_text().startswith("No data set has kernels of several degrees")
