"""Counts added up, rates left out where methods cannot differ, and frequencies of features."""

import numpy as np
import pandas as pd

from treecrf.sequences import Attribute, SequenceSet
from treecrf.statistics.deviance import compare_all
from treecrf_studies.framework.jobs import SummaryContext
from treecrf_studies.missing.summary import (
    DRAWN,
    OF_MODEL,
    analyse,
    analyse_by,
    beside_papers,
    comparable,
    compare_trees,
    evaluations,
    feature_frequencies,
    make_frames,
)

COUNTS = ["dataset", "rate", "method", "draw", "test_set", "sequence", "block", "n_positions", "n_correct"]


def test_evaluations_sum_over_sequences():
    counts = pd.DataFrame(
        [
            ("toy", 0.1, "b", 0, 0, 0, 0, 5, 3),
            ("toy", 0.1, "b", 0, 0, 1, 1, 7, 6),
            ("toy", 0.1, "b", 0, 1, 0, 0, 5, 1),
            ("toy", 0.1, "b", 1, 0, 0, 0, 5, 2),
            ("toy", 0.1, "a", 0, 0, 0, 0, 5, 4),
            ("toy", 0.1, "a", 0, 0, 1, 1, 7, 0),
            ("toy", 0.2, "b", 0, 0, 0, 0, 5, 5),
            ("box", 0.1, "b", 0, 0, 0, 0, 9, 8),
        ],
        columns=COUNTS,
    )
    assert evaluations(counts).to_numpy().tolist() == [
        ["toy", 0.1, "b", 0, 0, 12, 9],
        ["toy", 0.1, "b", 0, 1, 5, 1],
        ["toy", 0.1, "b", 1, 0, 5, 2],
        ["toy", 0.1, "a", 0, 0, 12, 4],
        ["toy", 0.2, "b", 0, 0, 5, 5],
        ["box", 0.1, "b", 0, 0, 9, 8],
    ]
    assert evaluations(counts).columns.tolist() == [name for name in COUNTS if name not in ("sequence", "block")]


def test_comparable_leaves_out_rates_at_which_methods_cannot_differ():
    def rows(dataset, rate, correct_a, correct_b):
        return [
            (dataset, rate, method, 0, 0, sequence, sequence, 9, value)
            for method, correct in (("a", correct_a), ("b", correct_b))
            for sequence, value in enumerate(correct)
        ]

    same = rows("same", 0.0, (5, 6), (5, 6))  # all agree and nothing is missing: left out
    swapped = rows("swapped", 0.0, (5, 6), (6, 5))  # the sums agree, the sequences do not
    differs = rows("differs", 0.0, (5, 6), (5, 7))
    damaged = rows("same", 0.1, (5, 6), (5, 6))  # all agree by chance
    counts = pd.DataFrame(same + swapped + differs + damaged, columns=COUNTS)
    kept = comparable(counts)
    assert kept.equals(counts[len(same) :])
    assert comparable(counts[: len(same)]).empty


def test_frequencies_of_features():
    attributes = (
        Attribute("rare", ("no", "yes")),
        Attribute("letter", ("a", "b", "c")),
        Attribute("hidden", ("no", "yes")),
        Attribute("turned", ("yes", "no")),
    )
    values = [[0, 2, -1, 1], [1, 0, -1, 1], [0, -1, -1, 0], [0, 1, -1, -1], [-1, 1, -1, 1]]
    frequencies = feature_frequencies("toy", SequenceSet(values, [0, 5], attributes))
    assert frequencies.columns.tolist() == ["dataset", "feature", "number", "share_true"]
    assert frequencies[["dataset", "feature", "number"]].to_numpy().tolist() == [
        ["toy", "rare", 1],
        ["toy", "hidden", 3],
        ["toy", "turned", 4],
    ]
    np.testing.assert_array_equal(frequencies["share_true"], [1 / 4, np.nan, 3 / 4])  # of the cells that are seen
    letters = SequenceSet([[0], [1]], [0, 2], attributes[1:2])
    assert feature_frequencies("toy", letters).columns.tolist() == frequencies.columns.tolist()
    assert feature_frequencies("toy", letters).empty


def test_the_papers_test_does_not_see_blocks_and_the_points_are_those_of_the_valid_test():
    rng = np.random.default_rng(0)
    rows = [
        ("toy", 0.1, method, training_set, test_set, sequence, sequence, 2 * sequence + half, 50, rng.integers(30, 50))
        for method in "ab"
        for training_set in range(3)
        for test_set in range(2)
        for sequence in range(4)
        for half in range(2)
    ]
    names = ["dataset", "rate", "method", "draw", "test_set", "sequence", "group", "block"]
    counts = pd.DataFrame(rows, columns=[*names, "n_positions", "n_correct"])
    frames = analyse(counts, 5, 0.5, "fewest")
    whole = counts.groupby(names[:6])[["n_positions", "n_correct"]].sum().reset_index()
    model = compare_all(whole.rename(columns=DRAWN)).rename(columns=OF_MODEL)
    columns = ["coefficient", "coefficient_standard_error", "papers_p", "papers_p_holm"]
    pd.testing.assert_frame_equal(frames["comparisons"][columns], model[columns])
    means = 100 * counts.groupby("method")["n_correct"].sum() / (50 * 3 * 2 * 4 * 2)
    first = frames["comparisons"].iloc[0]
    assert (first["other"], first["method"], first["cluster"]) == ("a", "b", "block")
    np.testing.assert_allclose(first["value"], means["b"] - means["a"])
    assert first["high"] - first["value"] > 2 * first["standard_error"]  # t, not normal
    assert set(frames["variances"]["component"]) >= {"sequence", "method x sequence", "training_set", "residual"}


def test_the_papers_tests_are_on_their_sets_and_the_valid_ones_on_all():
    rng = np.random.default_rng(3)
    rows = [
        ("toy", rate, method, training_set, test_set, sequence, sequence, sequence, 50, rng.integers(20, 50))
        for rate, n_sets in ((0.1, 4), (0.2, 2))
        for method in "ab"
        for training_set in range(n_sets)
        for test_set in range(n_sets)
        for sequence in range(6)
    ]
    names = ["dataset", "rate", "method", "draw", "test_set", "sequence", "group", "block"]
    counts = pd.DataFrame(rows, columns=[*names, "n_positions", "n_correct"])
    few = counts[(counts["draw"] < 2) & (counts["test_set"] < 2)]
    (frames, of_few) = (analyse(each, 2, 0.5, "satterthwaite") for each in (counts, few))
    papers, valid = ["coefficient_standard_error", "papers_p", "clustered_p_value"], ["value", "p_value"]
    pd.testing.assert_frame_equal(frames["comparisons"][papers], of_few["comparisons"][papers])
    at = frames["comparisons"]["rate"] == 0.1
    assert (frames["comparisons"].loc[at, valid] != of_few["comparisons"].loc[at, valid]).all(axis=None)
    assert frames["comparisons"].loc[at, "n_training_sets"].eq(4).all()
    pd.testing.assert_frame_equal(frames["papers_comparisons"], of_few["comparisons"])
    sets = frames["deviance"].groupby(["rate", "n_training_sets", "n_test_sets"]).size()
    assert sets.to_dict() == {(0.1, 2, 2): 3, (0.1, 4, 4): 3, (0.2, 2, 2): 3}  # three terms
    pd.testing.assert_frame_equal(frames["deviance"].iloc[: len(of_few["deviance"])], of_few["deviance"])


def planted_counts(rng, better, **constant):
    """Two methods, three training sets, twelve sequences of 50; "a" labels `better` positions more right."""
    rows = [
        (
            "toy",
            0.2,
            method,
            training_set,
            0,
            sequence,
            sequence,
            sequence,
            50,
            rng.integers(28, 33) + better * (method == "a"),
        )
        for method in "ab"
        for training_set in range(3)
        for sequence in range(12)
    ]
    names = ["dataset", "rate", "method", "draw", "test_set", "sequence", "group", "block"]
    return pd.DataFrame(rows, columns=[*names, "n_positions", "n_correct"]).assign(**constant)


def test_mechanisms_are_tested_each_by_itself():
    rng = np.random.default_rng(1)
    counts = [planted_counts(rng, 6, mechanism="mnar"), planted_counts(rng, -6, mechanism="runs")]
    frames = analyse_by("mechanism", "mechanism", counts, 0.5, "satterthwaite")
    found = frames["mechanism_comparisons"].query("other == 'b'").set_index("mechanism")
    assert found["decision"].to_dict() == {"mnar": "better", "runs": "worse"}
    alone = analyse(counts[0].drop(columns="mechanism"), 5, 0.5, "satterthwaite")["comparisons"]
    np.testing.assert_allclose(found.loc["mnar", "p_value"], alone.query("other == 'b'")["p_value"].iloc[0])
    sums = frames["mechanism_evaluations"].groupby(["mechanism", "method"])[["n_positions", "n_correct"]].sum()
    assert sums.loc[("runs", "a"), "n_positions"] == 3 * 12 * 50
    assert sums.loc[("runs", "a"), "n_correct"] == counts[1].query("method == 'a'")["n_correct"].sum()


def test_kinds_of_trees_are_tested_against_each_other_and_corrected_over_all_pairs():
    rng = np.random.default_rng(3)
    papers, newer = planted_counts(rng, 6, trees="papers"), planted_counts(rng, 0, trees="new")
    newer["n_correct"] += 12 * (newer["method"] == "b")
    alone = planted_counts(rng, 0, trees="papers").query("method == 'a'").assign(method="custom")
    found = compare_trees([papers, alone, newer], 0.5, "satterthwaite")
    assert set(found["method"]) == {"a", "b"}
    assert (found["trees"] != found["other_trees"]).all()
    pairs = found.set_index(["other_trees", "other", "trees", "method"])
    assert pairs.loc["papers", "decision"].to_dict() == {
        ("a", "new", "a"): "worse",
        ("b", "new", "b"): "better",
        ("b", "new", "a"): "undecided",
        ("a", "new", "b"): "better",
    }
    planted = pd.concat([papers, newer])
    every = planted.assign(method=planted["trees"] + planted["method"]).drop(columns="trees")
    direct = analyse(every, 5, 0.5, "satterthwaite")["comparisons"].set_index(["other", "method"])
    columns = ["value", "low", "p_holm"]
    np.testing.assert_array_equal(
        pairs.loc[("papers", "a", "new", "b"), columns], direct.loc[("papersa", "newb"), columns]
    )


def test_other_trees_are_beside_the_papers_of_the_same_training_sets():
    rng = np.random.default_rng(3)
    papers, newer = planted_counts(rng, 3), planted_counts(rng, 3).assign(trees="new")
    fewer = newer[newer["draw"] < 2]
    kept, others = beside_papers(papers, [fewer])
    assert others is fewer
    pd.testing.assert_frame_equal(kept, papers[papers["draw"] < 2].assign(trees="papers"))
    assert beside_papers(papers, []) == []
    [kept, _] = beside_papers(papers, [fewer.iloc[:0]])
    assert len(kept) == len(papers)


def test_the_papers_frames_stay_as_they_are_beside_other_trees_and_mechanisms():
    rng = np.random.default_rng(2)
    papers, newer, reasoned = (planted_counts(rng, 3) for _ in range(3))
    empty = pd.DataFrame(columns=["choice"])
    data = SequenceSet([[0], [1]], [0, 2], (Attribute("a", ("no", "yes")),))
    given = {"counts": [papers], "choices": [empty], "costs": [empty]}
    more = {"tree_counts": [newer.assign(trees="new")], "mechanism_counts": [reasoned.assign(mechanism="mnar")]}
    plain, both = (
        make_frames(
            SummaryContext(
                frames,
                {
                    "papers_sets": 5,
                    "equivalence_margin": 0.5,
                    "degrees_of_freedom": "satterthwaite",
                    "n_surrogates": None,
                },
                "toy",
                description={"stand_in": False},
                sets=(data, data),
            )
        )
        for frames in (given, given | more)
    )
    assert list(plain) == list(both)
    for name in ("evaluations", "comparisons", "deviance", "variances"):
        pd.testing.assert_frame_equal(plain[name], both[name])
    for name in (
        "tree_evaluations",
        "tree_comparisons",
        "tree_differences",
        "mechanism_evaluations",
        "mechanism_comparisons",
    ):
        assert (len(plain[name]), list(plain[name])) == (0, list(both[name]))
    assert both["tree_evaluations"]["trees"].unique().tolist() == ["papers", "new"]
    of_papers = both["tree_evaluations"].query("trees == 'papers'")
    assert of_papers["n_correct"].tolist() == both["evaluations"]["n_correct"].tolist()
    assert both["mechanism_evaluations"]["mechanism"].unique().tolist() == ["mnar"]
