"""The training study: aggregation on frames worked by hand, and the whole on a tiny set."""

import numpy as np
import pandas as pd
import pytest

from treecrf.figures.style import save_figure
from treecrf.figures.training import accuracy_by_iteration
from treecrf.reporting.published import treecrf_accuracies
from treecrf.reporting.tables import summary_layout, summary_to_html, summary_to_latex
from treecrf.selection import derive_seed, sequence_folds
from treecrf.sequences import Attribute, SequenceSet
from treecrf.settings import TrainingSettings
from treecrf.studies import training


@pytest.fixture
def folds():
    """Two folds of 10 and 20 positions, lambdas 0 and 5, iterations 1 and 2."""
    correct = {  # decoder, lambda, iteration: correct in fold 0 (of 10), in fold 1 (of 20)
        ("forward_backward", 0.0, 1): (5, 10),  # 0.5  and 0.5:  mean 0.5
        ("forward_backward", 0.0, 2): (8, 12),  # 0.8  and 0.6:  mean 0.7
        ("forward_backward", 5.0, 1): (6, 16),  # 0.6  and 0.8:  mean 0.7, the most positions but no better mean
        ("forward_backward", 5.0, 2): (7, 13),  # 0.7  and 0.65: mean 0.675
        ("viterbi", 0.0, 1): (9, 14),  # 0.9 and 0.7: mean 0.8
        ("viterbi", 0.0, 2): (9, 14),
        ("viterbi", 5.0, 1): (9, 14),
        ("viterbi", 5.0, 2): (1, 2),
    }
    rows = [
        ("toy", l2, fold, iteration, decoder, correct[decoder, l2, iteration][fold], (10, 20)[fold], 0.0)
        for decoder, l2, iteration in correct
        for fold in (0, 1)
    ]
    names = ["dataset", "l2_regularization", "fold", "iteration", "decoder", "n_correct", "n_positions", "cpu_seconds"]
    return pd.DataFrame(rows, columns=names)


@pytest.fixture
def curves():
    """Correct out of 100 test positions: unperturbed, and two perturbed runs."""
    correct = {  # decoder, lambda, iteration: runs -1, 0, 1
        ("forward_backward", 0.0, 1): (60, 61, 63),
        ("forward_backward", 0.0, 2): (62, 64, 60),
        ("forward_backward", 5.0, 1): (65, 60, 64),
        ("forward_backward", 5.0, 2): (65, 66, 62),
        ("viterbi", 0.0, 1): (70, 72, 74),
        ("viterbi", 0.0, 2): (71, 70, 70),
        ("viterbi", 5.0, 1): (50, 50, 50),
        ("viterbi", 5.0, 2): (50, 50, 75),
    }
    rows = [
        ("toy", l2, run, iteration, decoder, correct[decoder, l2, iteration][run + 1], 100, -1.0, 0.5)
        for decoder, l2, iteration in correct
        for run in (training.UNPERTURBED, 0, 1)
    ]
    names = ["dataset", "l2_regularization", "run", "iteration", "decoder", "n_correct", "n_positions"]
    return pd.DataFrame(rows, columns=[*names, "train_log_likelihood", "cpu_seconds"])


PUBLISHED = pd.DataFrame({"decoder": ["forward_backward", "better"], "percent": [64.0, 71.5], "table": ["3.4", "3.5"]})


def test_choice_has_the_best_mean_of_the_folds(folds):
    choice = training.choose(folds).set_index("decoder")
    # forward-backward: 0.7 twice; the fewer iterations win
    assert tuple(choice.loc["forward_backward", ["l2_regularization", "iteration"]]) == (5.0, 1)
    # viterbi: three times 0.8; the fewest iterations, then the smallest lambda
    assert tuple(choice.loc["viterbi", ["l2_regularization", "iteration"]]) == (0.0, 1)
    assert choice["cv_accuracy"].tolist() == pytest.approx([0.7, 0.8])
    assert choice["cv_fold_sd"].tolist() == pytest.approx([np.sqrt(0.02), np.sqrt(0.02)])


def test_summary_by_hand(folds, curves):
    summary = training.summarise("toy", training.choose(folds), curves, PUBLISHED).set_index("decoder")
    forward = summary.loc["forward_backward"]
    assert forward["published"] == 64.0
    assert (forward["chosen_accuracy"], forward["chosen_mean"]) == (65.0, 62.0)  # runs 60 and 64
    assert forward["chosen_sd"] == pytest.approx(np.sqrt(8))
    assert (forward["chosen_min"], forward["chosen_max"]) == (60.0, 64.0)
    assert forward["chosen_minus_published"] == -2.0
    assert (forward["peak_accuracy"], forward["peak_l2_regularization"], forward["peak_iteration"]) == (65.0, 5.0, 1)
    assert (forward["peak_min"], forward["peak_max"]) == (64.0, 66.0)  # each run has a peak of its own
    viterbi = summary.loc["viterbi"]
    assert np.isnan(viterbi["published"])
    assert np.isnan(viterbi["chosen_minus_published"])
    assert (viterbi["chosen_accuracy"], viterbi["peak_accuracy"], viterbi["peak_max"]) == (70.0, 71.0, 75.0)
    better = summary.loc[training.BETTER]
    assert better["chosen_decoder"] == "viterbi"
    assert (better["published"], better["published_table"]) == (71.5, "3.5")
    assert (better["chosen_mean"], better["chosen_minus_published"]) == (73.0, 1.5)
    assert set(summary["n_perturbed_runs"]) == {2}


def test_mean_cpu_seconds_keeps_the_order_of_phases():
    phases = pd.DataFrame(
        {
            "dataset": "toy",
            "l2_regularization": 5.0,
            "run": [-1, -1, 0, 0],
            "phase": ["windows", "trees", "windows", "trees"],
            "cpu_seconds": [1.0, 4.0, 2.0, 6.0],
        }
    )
    means = training.mean_cpu_seconds(phases)
    assert means[["phase", "cpu_seconds", "n_runs"]].to_numpy().tolist() == [["windows", 1.5, 2], ["trees", 5.0, 2]]


def test_table_shows_published_and_measured(folds, curves):
    summary = training.summarise("toy_set", training.choose(folds), curves, PUBLISHED, stand_in=True)
    layout = summary_layout(summary)
    assert layout.iloc[0].tolist() == [
        "toy_set (stand-in)", "forward-backward", "64.00",
        "5", "1", "65.00", "62.00 ± 2.83", "60.00–64.00", "−2.00",
        "5", "1", "65.00", "65.00 ± 1.41", "64.00–66.00", "+1.00",
    ]  # fmt: skip
    assert "<td>−2.00</td>" in summary_to_html(summary)
    latex = summary_to_latex(summary)
    assert r"toy\_set (stand-in) & forward-backward & 64.00" in latex
    assert latex.isascii()


def test_figure_shows_published_band_and_choice(folds, curves, tmp_path):
    choice = training.choose(folds)
    figure = accuracy_by_iteration(curves, choice, training.summarise("toy", choice, curves, PUBLISHED))
    forward, viterbi = figure.axes
    texts = [text.get_text() for text in forward.get_legend().get_texts()]
    assert texts == [
        "2 perturbed runs, min to max",
        "start at F = 0",
        "chosen by cross-validation (1)",
        "published, 64.00",
    ]
    assert not any(text.get_text().startswith("published") for text in viterbi.get_legend().get_texts())
    line = forward.get_lines()[0]
    assert line.get_ydata().tolist() == [65.0, 65.0]


@pytest.mark.parametrize("kind", ["svg", "pdf", "png"])
def test_figure_files_have_the_same_bytes_each_time(folds, curves, tmp_path, kind):
    choice = training.choose(folds)
    for name in ("first", "second"):
        figure = accuracy_by_iteration(curves, choice, training.summarise("toy", choice, curves, PUBLISHED))
        save_figure(figure, tmp_path / name, kind)
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()


def test_published_values():
    published = treecrf_accuracies().set_index(["dataset", "decoder"])["percent"]
    assert published["protein", "forward_backward"] == 64.52
    assert published["protein", "viterbi"] == 62.05
    assert published["nettalk", "better"] == 85.20


def test_folds_hold_every_sequence_once_and_depend_on_names():
    folds = sequence_folds(11, 3, derive_seed(0, "protein", "folds"))
    assert sorted(np.concatenate(folds)) == list(range(11))
    assert [len(fold) for fold in folds] == [4, 4, 3]
    assert derive_seed(0, "protein", "folds") != derive_seed(0, "nettalk", "folds")
    assert derive_seed("ab", "c") != derive_seed("a", "bc")
    with pytest.raises(ValueError, match="3 folds need as many sequences and there are 2; lower n_folds"):
        sequence_folds(2, 3, 0)


def tiny_set(seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, 60)
    values = np.where(rng.random(60) < 0.8, labels, 1 - labels)[:, None]
    return SequenceSet(values, np.arange(0, 61, 5), (Attribute("symbol", ("a", "b")),), labels, ("x", "y"))


def test_study_on_a_tiny_set():
    settings = TrainingSettings(n_iterations=3, max_leaves=4, n_folds=2, n_perturbed_runs=2, start_noise=0.5)
    train, test = tiny_set(0), tiny_set(1)
    folds = training.cross_validate("tiny", train, (1, 1), 5, settings, seed=0)
    assert len(folds) == 2 * 3 * 2
    assert folds.groupby(["iteration", "decoder"])["n_positions"].sum().eq(train.n_positions).all()
    assert folds.drop(columns="cpu_seconds").equals(
        training.cross_validate("tiny", train, (1, 1), 5, settings, seed=0).drop(columns="cpu_seconds")
    )

    curves, phases = training.test_curves("tiny", train, test, (1, 1), 5, settings)
    assert sorted(curves["run"].unique()) == [training.UNPERTURBED, 0, 1]
    assert (curves["n_positions"] == test.n_positions).all()
    plain = curves[(curves["run"] == training.UNPERTURBED) & (curves["decoder"] == "viterbi")]
    assert plain["train_log_likelihood"].is_monotonic_increasing
    assert plain["cpu_seconds"].is_monotonic_increasing
    assert curves.groupby("run")["train_log_likelihood"].first().nunique() == 3
    assert (phases["cpu_seconds"] >= 0).all()

    model = training.TreeCRF(n_iterations=2, max_leaves=4, l2_regularization=5.0, window=(1, 1)).fit(train)
    correct = plain.set_index("iteration")["n_correct"]
    assert correct[2] == round(model.score(test, "viterbi") * test.n_positions)
