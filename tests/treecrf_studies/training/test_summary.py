"""The training study's summaries, on frames worked by hand."""

import numpy as np
import pandas as pd
import pytest
from planted_summary import outcome

from treecrf.statistics.metrics import mean_with_interval
from treecrf_studies.training import jobs as training
from treecrf_studies.training import seconds as training_seconds
from treecrf_studies.training import summary as training_summary
from treecrf_studies.training.choices import AS_CHOSEN, BETTER, UNPERTURBED, highest_points, joined_candidates, peaks
from treecrf_studies.training.published import beside_peaks, training_accuracies, training_costs
from treecrf_studies.training.summary import Rules

FB, VITERBI = "forward_backward", "viterbi"
CONSTANT = {"dataset": "toy", "method": "treecrf"}


def folds():
    """Two folds of 10 and 20 positions, two candidates, iterations 1 and 2."""
    correct = {  # decoder, candidate, iteration: correct in fold 0 (of 10), in fold 1 (of 20)
        (FB, "a=0", 1): (5, 10),  # 0.5  and 0.5:  mean 0.5
        (FB, "a=0", 2): (8, 12),  # 0.8  and 0.6:  mean 0.7
        (FB, "a=5", 1): (6, 16),  # 0.6  and 0.8:  mean 0.7, the most positions but no better mean
        (FB, "a=5", 2): (7, 13),  # 0.7  and 0.65: mean 0.675
        (VITERBI, "a=0", 1): (9, 14),  # 0.9 and 0.7: mean 0.8
        (VITERBI, "a=0", 2): (9, 14),
        (VITERBI, "a=5", 1): (9, 14),
        (VITERBI, "a=5", 2): (1, 2),
    }
    rows = [
        (0, fold, candidate, int(candidate == "a=5"), iteration, decoder, counts[fold], (10, 20)[fold])
        for (decoder, candidate, iteration), counts in correct.items()
        for fold in (0, 1)
    ]
    names = ["split", "fold", "candidate", "rank", "iteration", "decoder", "n_correct", "n_positions"]
    return pd.DataFrame(rows, columns=names).assign(**CONSTANT)


def curves():
    """Correct out of 100 test positions: unperturbed, and two perturbed runs; 1 second an iteration."""
    correct = {  # decoder, candidate, iteration: runs -1, 0, 1
        (FB, "a=0", 1): (60, 61, 63),
        (FB, "a=0", 2): (62, 64, 60),
        (FB, "a=5", 1): (65, 60, 64),
        (FB, "a=5", 2): (65, 66, 62),
        (VITERBI, "a=0", 1): (70, 72, 74),
        (VITERBI, "a=0", 2): (71, 70, 70),
        (VITERBI, "a=5", 1): (50, 50, 50),
        (VITERBI, "a=5", 2): (50, 50, 75),
    }
    rows = [
        (0, candidate, int(candidate == "a=5"), run, iteration, decoder, counts[run + 1], 100, -1.0, float(iteration))
        for (decoder, candidate, iteration), counts in correct.items()
        for run in (UNPERTURBED, 0, 1)
    ]
    names = ["split", "candidate", "rank", "run", "iteration", "decoder", "n_correct", "n_positions"]
    return pd.DataFrame(rows, columns=[*names, "train_log_likelihood", "cpu_seconds"]).assign(**CONSTANT)


def phases(n_inductions=0, third="trees"):
    seconds = {"windows": 0.5, "gradient": 4.0, third: 6.0, "update": 2.0}
    rows = [
        (0, candidate, run, phase, value * (1 + (candidate == "a=5")), 2, n_inductions)
        for candidate in ("a=0", "a=5")
        for run in (-1, 0)
        for phase, value in seconds.items()
    ]
    names = ["split", "candidate", "run", "phase", "cpu_seconds", "n_iterations", "n_inductions"]
    return pd.DataFrame(rows, columns=names).assign(**CONSTANT)


PUBLISHED = pd.DataFrame(
    {
        "method": ["treecrf", "treecrf", "other"],
        "decoder": [FB, BETTER, VITERBI],
        "percent": [64.0, 71.5, 1.0],
        "table": ["3.4", "3.5", "3.4"],
    }
)


def test_choice_has_the_best_mean_of_the_folds():
    choice = training.choose(folds()).set_index("decoder")
    # 0.8 three times, with viterbi; the fewest iterations, then the first candidate
    assert tuple(choice.loc[VITERBI, ["candidate", "iteration"]]) == ("a=0", 1)
    # one candidate serves both: of its iterations the best with forward-backward
    assert tuple(choice.loc[FB, ["candidate", "iteration"]]) == ("a=0", 2)
    assert choice["cv_accuracy"].tolist() == pytest.approx([0.7, 0.8])
    assert choice["cv_fold_sd"].tolist() == pytest.approx([np.sqrt(0.02), np.sqrt(0.02)])


def test_the_highest_accuracy_of_all_settings_prefers_few_iterations():
    found = highest_points(curves()).set_index("decoder")
    assert found.loc[FB, ["candidate", "iteration", "accuracy"]].tolist() == ["a=5", 1, 0.65]
    assert found.loc[VITERBI, ["candidate", "iteration", "accuracy"]].tolist() == ["a=0", 2, 0.71]


def summarised(choice, curves, phases):
    """The summary by decoder and point."""
    highest = peaks(training_summary.learning_curves(choice, curves, phases))
    found = training_summary.score_method(choice, curves, phases, highest, PUBLISHED)
    assert set(found["quantity"]) == {"accuracy"}
    assert set(found["unit"]) == {"%"}
    return found.set_index(["decoder", "point"])


def test_summary_by_hand():
    summary = summarised(training.choose(folds()), curves(), phases())
    assert len(summary) == 3 * 4
    forward, found = summary.loc[FB, "choice"], ["value", "candidate", "iteration"]
    assert forward["published"] == 64.0
    assert (forward["candidate"], forward["iteration"]) == ("a=0", 2)
    assert (forward["unperturbed"], forward["value"]) == (62.0, 62.0)  # runs 64 and 60
    assert forward["sd"] == pytest.approx(np.sqrt(8))
    assert (forward["low"], forward["high"]) == (60.0, 64.0)
    assert tuple(summary.loc[(FB, "highest"), found]) == (65.0, "a=5", 1)
    assert tuple(summary.loc[(FB, "peak"), [*found, "low", "high"]]) == (62.0, "a=0", 2, 60.0, 64.0)
    viterbi = summary.loc[VITERBI, "choice"]
    assert np.isnan(viterbi["published"])
    assert viterbi["unperturbed"] == 70.0
    assert tuple(summary.loc[(VITERBI, "highest"), found]) == (71.0, "a=0", 2)
    better = summary.loc[BETTER, "choice"]
    assert (better["chosen_decoder"], better["published"], better["value"]) == ("viterbi", 71.5, 73.0)
    assert tuple(summary.loc[(BETTER, "highest"), found]) == (71.0, "a=0", 2)
    assert summary["n"].groupby("point").agg(set).to_dict() == {"choice": {2}, "peak": {1}, "last": {1}, "highest": {1}}


def test_training_ends_at_convergence():
    """Curves repeat the last iteration; one of two splits converges after the first."""
    choice = training.choose(folds()).query("decoder == @VITERBI")
    choice = pd.concat([choice.assign(split=split, candidate="a=5") for split in (0, 1)])
    both = pd.concat([curves(), curves().assign(split=1)])
    done = pd.concat([phases(), phases().assign(split=1, n_iterations=1)])
    found = summarised(choice, both[both["run"] == UNPERTURBED], done).xs("last", level="point")
    assert found.index.tolist() == [VITERBI, BETTER]
    assert found[["iteration_low", "iteration_high"]].to_numpy().tolist() == [[1, 2]] * 2
    assert found["value"].tolist() == [50.0, 50.0]
    forward = summarised(choice.assign(decoder=FB), curves(), phases()).loc[FB, "last"]
    assert forward["value"] == 65.0  # unperturbed, at iteration 2


def test_without_perturbed_runs_the_unperturbed_one_counts():
    row = summarised(training.choose(folds()), curves().query("run == -1"), phases()).loc[FB, "choice"]
    assert (row["value"], row["unperturbed"], row["low"], row["high"], row["n"]) == (62.0, 62.0, 62.0, 62.0, 1)
    assert np.isnan(row["sd"])


def test_splits_count_alike():
    """Two documents of 100 and 10 positions with choices of their own."""
    choice = pd.DataFrame(
        {
            "split": [0, 1],
            "decoder": FB,
            "candidate": ["a=0", "a=5"],
            "rank": [0, 1],
            "iteration": [2, 1],
            "cv_accuracy": [0.5, 0.9],
            "cv_fold_sd": 0.0,
            "chosen_by": "treecrf",
        }
    ).assign(**CONSTANT)
    first = curves().query("decoder == @FB")
    second = first.assign(split=1, n_positions=10, n_correct=first["n_correct"] // 10)
    both = pd.concat([first, second], ignore_index=True)
    both_done = pd.concat([phases(), phases().assign(split=1)])
    rows = summarised(choice, both, both_done).loc[FB]
    row = rows.loc["choice"]
    assert row["unperturbed"] == (62 + 60) / 2  # of a=0 after 2 iterations, and of a=5 after 1: 6 of 10
    assert row["value"] == ((64 + 60) / 2 + (60 + 60) / 2) / 2
    assert (row["candidate"], row["iteration_low"], row["iteration_high"]) == ("a=0 / a=5", 1, 2)
    assert row["held_out_accuracy"] == pytest.approx(70.0)
    assert rows.loc["highest", "value"] == (65 + 60) / 2
    highest = peaks(training_summary.learning_curves(choice, both, both_done))
    # (60 + 60) / 2 after the first iteration
    assert highest[["accuracy", "iteration"]].to_numpy().tolist() == [[(62 + 60) / 2, 2]] * 2
    found = training_seconds.timings(choice, both, NO_REPEATS, highest)
    assert found.query("decoder == 'better'").groupby("point")["cpu_seconds"].first().to_dict() == {
        "choice": 1.5,
        "peak": 2.0,
        "last": 2.0,
    }


def test_splits_with_one_candidate_each_have_one_highest_accuracy():
    """What another method chose: a=0 for the first document, a=5 for the second."""
    choice = pd.DataFrame(
        {
            "split": [0, 1],
            "decoder": FB,
            "candidate": ["a=0", "a=5"],
            "rank": [0, 1],
            "iteration": [1, 1],
            "cv_accuracy": [0.5, 0.9],
            "cv_fold_sd": 0.0,
            "chosen_by": "treecrf",
        }
    ).assign(**CONSTANT)
    plain = curves().query("decoder == @FB and run == -1")
    first, second = (plain[plain["candidate"] == name].assign(split=i) for i, name in enumerate(("a=0", "a=5")))
    both = pd.concat([first, second], ignore_index=True)
    rows = summarised(choice, both, pd.concat([phases(), phases().assign(split=1)])).loc[FB]
    assert rows.loc["choice", "unperturbed"] == (60 + 65) / 2
    assert tuple(rows.loc["highest", ["value", "iteration", "candidate"]]) == ((62 + 65) / 2, 2, AS_CHOSEN)
    pd.testing.assert_frame_equal(joined_candidates(curves()), curves())


def test_learning_curves_have_the_chosen_settings_and_both_decoders():
    found = training_summary.learning_curves(training.choose(folds()), curves(), phases())
    assert found.groupby("decoder")["preferred"].first().to_dict() == {FB: False, VITERBI: True}
    names = ["iteration", "accuracy", "low", "high", "cpu_seconds", "chosen"]
    assert found.loc[found["preferred"], names].to_numpy().tolist() == [
        [1, 70.0, 70.0, 74.0, 1.0, True],
        [2, 71.0, 70.0, 71.0, 2.0, False],
    ]
    assert found.loc[~found["preferred"], "accuracy"].tolist() == [60.0, 62.0]


def test_learning_curves_end_at_the_first_tested_iteration_that_is_not_before_the_end():
    choice = training.choose(folds())
    for n_done, shown in ((1, [1, 2]), (3, [1, 2, 4]), (4, [1, 2, 4])):
        later = pd.concat([curves(), *(curves().query("iteration == 2").assign(iteration=i) for i in (4, 6))])
        found = training_summary.learning_curves(choice, later, phases().assign(n_iterations=n_done))
        assert found.query("preferred")["iteration"].tolist() == (shown if n_done > 1 else [1])


def test_peaks_are_the_highest_points_at_the_chosen_settings():
    """Not those of other candidates; the first of equals; and "better" is the preferred decoder, not the higher one."""
    points = [
        ("a", FB, True, 2, 60.0),
        ("a", FB, True, 4, 62.0),
        ("a", FB, True, 6, 62.0),
        ("a", VITERBI, False, 2, 70.0),
        ("b", FB, False, 2, 50.0),
        ("b", VITERBI, True, 2, 40.0),
    ]
    names = ["method", "decoder", "preferred", "iteration", "accuracy"]
    found = peaks(pd.DataFrame(points, columns=names).assign(dataset="toy")).set_index(["method", "decoder"])
    assert found[["iteration", "accuracy"]].to_dict("index") == {
        ("a", FB): {"iteration": 4, "accuracy": 62.0},
        ("a", VITERBI): {"iteration": 2, "accuracy": 70.0},
        ("a", BETTER): {"iteration": 4, "accuracy": 62.0},
        ("b", FB): {"iteration": 2, "accuracy": 50.0},
        ("b", VITERBI): {"iteration": 2, "accuracy": 40.0},
        ("b", BETTER): {"iteration": 2, "accuracy": 40.0},
    }


NO_REPEATS = pd.DataFrame(columns=training.TIMING_NAMES)


def test_seconds_of_all_trainings_at_three_points():
    """Candidate a=0, which was chosen; a training that was done again for its time counts too."""
    choice = training.choose(folds())
    spent = curves().assign(cpu_seconds=lambda rows: rows["iteration"] * (2.0 + rows["run"]))  # runs -1, 0, 1
    again = pd.DataFrame({"split": 0, "candidate": "a=0", "run": -2, "iteration": [1, 2], "cpu_seconds": [8.0, 24.0]})
    highest = peaks(training_summary.learning_curves(choice, spent, phases()))
    found = training_seconds.timings(choice, spent, again, highest)
    at = found.query("decoder == 'better'").groupby("point")
    assert at["iteration"].first().to_dict() == {"choice": 1, "last": 2, "peak": 2}
    assert at["cpu_seconds"].apply(sorted).to_dict() == {
        "choice": [1, 2, 3, 8],
        "last": [2, 4, 6, 24],
        "peak": [2, 4, 6, 24],
    }
    means = training_seconds.mean_seconds(found)["toy", "treecrf", BETTER]
    assert means.to_dict() == pytest.approx(
        {"choice": 48 ** (1 / 4)} | dict.fromkeys(("last", "peak"), 1152 ** (1 / 4))
    )


def test_costs_of_an_iteration_and_of_an_induction():
    choice = training.choose(folds())  # Viterbi is preferred, its candidate is a=0
    row = training_seconds.costs(choice, curves(), phases(), 8.5, 21).iloc[0]
    expected = [(4 + 2) / 2, 6 / 2]
    assert row[["forward_backward_seconds", "induction_seconds"]].tolist() == pytest.approx(expected)
    assert (row["total_seconds"], row["average_length"], row["n_features"]) == (12.5, 8.5, 21)
    row = training_seconds.costs(choice, curves(), phases(n_inductions=3, third="induction"), 8.5, 21).iloc[0]
    assert row["induction_seconds"] == pytest.approx(2.0)
    row = training_seconds.costs(choice, curves(), phases(third="other"), 8.5, 21).iloc[0]
    assert np.isnan(row["induction_seconds"])


def test_seconds_grow_with_a_power_of_the_iterations():
    """Three trainings; the first half of their iterations, another candidate and what follows convergence do not
    count.
    """
    choice = pd.DataFrame({"decoder": [FB], "split": 0, "candidate": "a", "cv_accuracy": 0.9, "iteration": 10})
    iteration = np.arange(2, 101, 2)
    powers = {-1: 1.25, 0: 1.3, 1: 1.35}
    parts = [
        pd.DataFrame(
            {
                "iteration": iteration,
                "run": run,
                "split": 0,
                "candidate": candidate,
                "decoder": FB,
                "cpu_seconds": np.where(iteration <= 30, 99.0, np.minimum(iteration, 60.0) ** power),
            }
        )
        for run, power in powers.items()
        for candidate, power in (("a", power), ("b", 2.0))
    ]
    done = pd.DataFrame({"run": list(powers), "split": 0, "candidate": "a", "n_iterations": 60})
    slope, interval = training_seconds.growth_of_seconds(choice, pd.concat(parts), done)
    assert slope == pytest.approx(1.3)
    assert interval == pytest.approx(mean_with_interval(list(powers.values()))[1])


def test_too_few_iterations_have_no_slope():
    choice = training.choose(folds())
    assert np.isnan(training_seconds.growth_of_seconds(choice, curves(), phases())[0])


def predictions(method, predicted):
    """Two splits of two positions each."""
    frame = pd.DataFrame({"split": [0, 0, 1, 1], "sequence": [0, 0, 1, 1], "position": [0, 1, 0, 1], "group": 0})
    parts = [frame.assign(decoder=decoder, predicted=predicted[decoder]) for decoder in predicted]
    return pd.concat(parts).assign(
        label=[0, 1, 0, 1] * len(predicted), dataset="toy", method=method, run=-1, stage="choice"
    )


def test_the_summary_of_a_data_set():
    choice = training.choose(folds())
    empty = training.not_run("toy", "smile", "no Java.")
    predicted = predictions("treecrf", {FB: [0, 1, 0, 1], VITERBI: [1, 1, 0, 1]})
    outcomes = {
        "choice": pd.concat([choice, choice.assign(method="memm")]),
        "curves": pd.concat([curves(), curves().assign(method="memm")]),
        "predictions": pd.concat([predicted, predicted.assign(method="memm")]),
        "phases": pd.concat([phases(), phases().assign(method="memm")]),
        "timings": empty.timings,
        "notes": empty.notes,
    }
    frames = training_summary.frames_of_outcomes(outcomes, PUBLISHED, True, 8.5, 21, Rules(25, 6, 50, 0.5))
    assert frames["summary"].groupby("method", sort=False).size().to_dict() == {"treecrf": 3 * 4, "memm": 3 * 4}
    assert frames["summary"]["stand_in"].all()
    assert frames["comparisons"][["method", "other"]].drop_duplicates().to_numpy().tolist() == [["treecrf", "memm"]]
    assert (frames["comparisons"]["p_value"] == 1).all()
    at_peak = frames["summary"].query("point == 'peak'")
    better = at_peak.query("method == 'memm'").set_index("decoder").loc[BETTER]
    assert better[["value", "low", "high", "iteration", "cpu_seconds"]].tolist() == [71, 70, 71, 2, 2]
    assert at_peak.query("decoder == @FB")["value"].tolist() == [62.0, 62.0]
    points = frames["timings"].groupby("point")["cpu_seconds"].first()
    assert points.to_dict() == {"choice": 1.0, "peak": 2.0, "last": 2.0, "forward_backward": 3.0, "induction": 3.0}
    assert frames["notes"]["note"].tolist() == ["no Java."]
    assert len(frames["costs"]) == 2


def test_published_values():
    accuracies = training_accuracies().set_index(["dataset", "method", "decoder"])["percent"]
    assert accuracies["protein", "treecrf", FB] == 64.52
    assert accuracies["protein", "treecrf_original", VITERBI] == 59.20
    assert accuracies["nettalk", "treecrf", BETTER] == 85.20
    assert accuracies["nettalk", "mallet", BETTER] == accuracies["nettalk", "induced_crf", BETTER] == 85.94
    assert accuracies["hyphen", "linear_crf", BETTER] == 88.86
    assert accuracies["hyphen", "mallet_linear", BETTER] == 88.86
    costs = training_costs().set_index(["dataset", "method"])
    assert costs.loc[("protein", "mallet"), "induction_seconds"] == 48.889
    assert costs.loc[("protein", "treecrf"), "forward_backward_seconds"] == 1.493
    assert np.isnan(costs.loc[("protein", "linear_crf"), "induction_seconds"])
    assert costs.loc[("faq_aix", "linear_crf"), "iterations"] == "80-140"


def test_printed_numbers_stand_beside_the_decoder_that_they_are_of():
    """Table 3.5 repeats an accuracy of TreeCRF from table 3.4: on faq_ai_general the lower one, that of
    forward-backward.
    """
    methods = ("treecrf", "mallet", "mallet_linear", "linear_crf", "induced_crf")
    rows = [("faq_ai_general", method, decoder) for method in methods for decoder in (FB, VITERBI, BETTER)]
    found = beside_peaks(pd.concat([outcome(*row) for row in rows]))
    printed = found.set_index(["table", "method", "decoder"])
    assert printed["percent"].to_dict() == {
        ("3.4", "treecrf", FB): 95.65,
        ("3.4", "treecrf", VITERBI): 95.72,
        ("3.5", "treecrf", FB): 95.65,
        **{("3.5", method, BETTER): 92.70 for method in methods[1:]},
    }
    counted = found[found["counted"]]
    assert counted["method"].tolist() == ["treecrf", "treecrf", "mallet", "mallet_linear"]  # the paper's own methods


def test_every_printed_number_counts_once():
    assert training_accuracies()["counted"].sum() == 24 + 12
