"""What is gathered is what the studies' frames say."""

import shutil

import numpy as np
import pandas as pd
import pytest
from builders import ROOT
from planted_runs import places, settings_of
from runs import own_settings
from sklearn.metrics import log_loss

from treecrf.io.files import read_frame, write_frame
from treecrf.statistics.metrics import reliability
from treecrf.statistics.ranking import WORSE
from treecrf_studies.explorer.gathering import gather
from treecrf_studies.framework.metrics import confidence
from treecrf_studies.framework.study import Study, Summary, View
from treecrf_studies.framework.views import CASE, VIEWS, read_view
from treecrf_studies.registry import registry

EVIDENCE = ROOT / "docs/results/evidence"


def of_the_papers(rows):
    """Those of values missing completely at random, with the papers' trees."""
    return rows[rows["variant"].str.fullmatch(r"\d+ % missing")]


def frames(study, name):
    paths = sorted((EVIDENCE / study).glob(f"*/{name}.*"))  # long ones are Parquet
    return pd.concat([read_frame(path) for path in paths], ignore_index=True)


@pytest.mark.parametrize("study", registry(), ids=lambda study: study.name)
def test_declared_frames_and_functions_are_there(study):
    known = {*study.summary.frames, *(frame for job in study.jobs for frame in job.frames)}
    parts = [part for found in study.views.values() for part in found]
    computed = [part for part in parts if isinstance(part, View)]
    assert set(study.views) <= set(VIEWS)
    assert known >= {part for part in parts if isinstance(part, str)} | {
        name for part in computed for name in part.frames
    }
    assert all(callable(study.function(name)) for name in study.shown_by)


STUDY = Study(
    "coding",
    "Toy",
    jobs=(),
    summary=Summary(("scores", "runs")),
    conditions="methods.window_texts",
    views={"scores": ("scores",), "runs": ("runs",)},
)


def test_texts_are_made_of_conditions_and_draws():
    rows = pd.DataFrame({"dataset": "d", "method": ["a", "b", "a"], "window": [3, 3, 1], "draw": [0, 0, 1]})
    scores = rows.assign(value=[1.0, 2.0, 4.0], quantity="accuracy", counted=[True, False, True])
    runs = rows.assign(n_correct=[1, 2, 3], n_positions=4)
    found = read_view(STUDY, "scores", {"scores": scores})
    assert found[["variant", "method", "value"]].to_numpy().tolist() == [["window 3", "a", 1.0], ["window 1", "a", 4.0]]
    found = read_view(STUDY, "runs", {"runs": runs})
    assert found["run"].tolist() == ["draw 0", "draw 0", "draw 1"]
    assert found["accuracy"].tolist() == [25, 50, 75]
    assert read_view(STUDY, "runs", {}).empty


def test_a_run_without_results_gathers_nothing(tmp_path):
    found = gather(own_settings(results=str(tmp_path)))
    assert [len(frame) for frame in found] == [0] * len(found)


def test_accuracies_of_training_are_those_of_its_summary(gathered):
    keys = ["dataset", "method", "decoder", "point"]
    expected = frames("training", "summary").query("point in ('choice', 'peak')").set_index(keys)["value"]
    found = gathered.scores.query("study == 'training'").set_index(keys)["value"]
    assert found.astype(float).to_dict() == expected.to_dict()


def test_accuracies_with_missing_cells_are_shares_of_all_positions(gathered):
    counts = frames("missing", "evaluations")
    sums = counts.groupby(["dataset", "rate", "method"])[["n_correct", "n_positions"]].sum()
    found = of_the_papers(gathered.scores.query("study == 'missing'"))
    assert len(found) == len(sums)
    for row in found.itertuples():
        part = sums.loc[(row.dataset, float(row.variant.split(" ")[0]) / 100, row.method)]
        assert row.value == pytest.approx(100 * part["n_correct"] / part["n_positions"], rel=1e-9)
        assert row.low <= row.value <= row.high


@pytest.mark.parametrize("study", ["missing"])
def test_decisions_are_those_of_studies_that_correct_for_all_pairs(gathered, study):
    """Corrected again from their p-values, in the family of each case."""
    known = frames(study, "comparisons")
    known["variant"] = (100 * known["rate"]).map("{:g} % missing".format)
    keys = ["dataset", "method", "other", "variant"]
    found = of_the_papers(gathered.pairs.query("study == @study and point == 'choice'")).set_index(keys)
    known = known.set_index(keys).loc[found.index]  # of missing values both directions are there
    assert found["decision"].tolist() == known["decision"].tolist()
    np.testing.assert_allclose(found["p_holm"].astype(float), known["p_holm"].astype(float), rtol=1e-4)  # six digits


def test_published_numbers_are_all_there(gathered):
    found = gathered.published.groupby("study")["published"].size()
    tables = {
        "training": len(
            frames("training", "summary")
            .query("dataset != 'protein_ungrouped' and point == 'choice'")
            .dropna(subset=["published"])
        ),
        "missing": len(pd.read_csv(ROOT / "src/treecrf_studies/missing/published/table_4_1_missing_values.csv")),
        "ensembles": len(pd.read_csv(ROOT / "src/treecrf_studies/ensembles/published/table_1.csv")),
    }
    accuracies = gathered.published.query("study == 'training' and quantity == 'accuracy'")
    assert len(accuracies) == tables["training"]
    assert found["missing"] == tables["missing"]
    assert found["ensembles"] <= tables["ensembles"]


def test_ranks_are_open_where_tests_decide_nothing(gathered):
    scores = gathered.scores.dropna(subset=["rank_low"])
    assert (scores["rank_low"] <= scores["rank"]).mean() > 0.9  # accuracies of two kinds: of trainings, of positions
    assert ((scores["rank_low"] == 1) == (scores["standing"] != WORSE)).all()
    for _, of_case in scores.groupby(["study", *CASE]):
        pairs = gathered.pairs.merge(of_case[["study", *CASE]].drop_duplicates())
        if not pairs["decision"].isin(["better", "worse"]).any():
            accuracy = of_case[of_case["quantity"] == "accuracy"]
            assert (accuracy["rank_high"] == len(accuracy)).all()


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """A study of two methods, of which the predictions of the second are without probabilities, and marginals of the
    first.
    """
    folder, where = tmp_path_factory.mktemp("told") / "run", places()
    labels, marginals = where["label"].to_numpy(), []
    for method in ("a", "b"):
        parts = []
        for draw in range(3):
            found = np.random.default_rng(draw).dirichlet([1, 1], len(where))
            predicted = found.argmax(axis=1)
            rows = where.drop(columns="sequence").assign(
                dataset="toy", method=method, decoder="forward_backward", draw=draw, predicted=predicted
            )
            if method == "a":
                marginals.append(found)
                rows = rows.assign(**confidence(found, labels, predicted))
            parts.append(rows)
        write_frame(pd.concat(parts), folder / f"kernels/toy/{method}.predictions.parquet")
    score = {
        "dataset": "toy",
        "decoder": "forward_backward",
        "quantity": "accuracy",
        "value": 50.0,
        "low": 40.0,
        "high": 60.0,
    }
    score |= {"n": 3, "cpu_seconds": 1.0, "settings": "", "stand_in": False}
    scores = pd.DataFrame([score | {"method": method} for method in ("a", "b")])
    write_frame(scores, folder / "kernels/toy/scores.csv")
    return gather(settings_of(folder)), labels, marginals


def test_measures_of_probabilities_are_those_of_every_run(told):
    found, labels, marginals = told
    losses = [log_loss(labels, of_draw) for of_draw in marginals]
    (row,) = found.scores.query("quantity == 'log loss'").to_dict("records")
    assert (row["method"], row["decoder"], row["n"]) == ("a", "forward_backward", 3)
    assert (row["value"], row["low"], row["high"]) == pytest.approx(
        (np.mean(losses), min(losses), max(losses)), rel=1e-6
    )
    expected = reliability(np.concatenate(marginals), np.tile(labels, 3))
    assert set(found.calibration["method"]) == {"a"}
    np.testing.assert_allclose(found.calibration[list(expected)].to_numpy(dtype=float), expected, rtol=1e-6)


def test_predictions_without_probabilities_offer_what_they_did(told):
    found, *_ = told
    of_other = found.scores.query("method == 'b' and decoder == 'forward_backward'")
    assert of_other["quantity"].tolist() == ["accuracy", "macro F1", "sequences right"]
    assert "b" in set(found.confusion["method"])


def test_larger_samples_are_data_sets_of_their_own_beside_those_of_the_papers(settings, tmp_path):
    shutil.copytree(EVIDENCE / "training/protein", tmp_path / "training/protein")
    of = {"dataset": "protein", "sample": "protein_folds", "decoder": ["forward_backward"] * 2 + ["viterbi"] * 2}
    rows = pd.DataFrame(of | {"method": ["treecrf", "lightgbm"] * 2, "value": [61.0, 63.0, 60.0, 62.0]})
    rows = rows.assign(candidate="l2_regularization=40", quantity="accuracy", n=10, cpu_seconds=50.0)
    write_frame(rows, tmp_path / "training/protein/larger_accuracies.csv")
    test = {"method": "treecrf", "other": "lightgbm", "value": -2.0, "standard_error": 0.5, "degrees_of_freedom": 9}
    pairs = rows[rows["method"] == "treecrf"].assign(**test, low=-3.1, high=-0.9, p_value=0.003, decision="worse")
    write_frame(pairs, tmp_path / "training/protein/larger_comparisons.csv")
    found = gather(settings.model_copy(update={"results": str(tmp_path)}))
    assert found.scores["dataset"].unique().tolist() == ["protein", "protein_folds"]
    larger = found.scores.query("dataset == 'protein_folds' and method == 'treecrf'").set_index("decoder")
    assert larger["value"].to_dict() == {"forward_backward": 61, "viterbi": 60, "better": 61}
    assert larger["cpu_seconds"].tolist() == [5, 5, 5]
    assert larger["standing"].tolist() == [WORSE] * 3
    assert found.pairs.query("dataset == 'protein_folds'")["value"].tolist() == [-2, -2, -2]


def test_seconds_of_missing_values_are_those_of_a_training(gathered):
    """The choice of settings and the prediction are apart, as in the table of costs."""
    costs = frames("missing", "costs").query("dataset == 'protein' and rate == 0.2 and method == 'indicator'")
    trained = costs[~costs["phase"].isin(["choice", "prediction"])]
    seconds = trained.groupby("draw")["cpu_seconds"].sum().median()
    case = "study == 'missing' and dataset == 'protein' and method == 'indicator' and variant == '20 % missing'"
    assert gathered.scores.query(case)["cpu_seconds"].tolist() == pytest.approx([seconds])
    assert seconds < costs.query("phase == 'choice'").groupby("draw")["cpu_seconds"].sum().median()
