"""Tests between two methods of the training study, and their tables: at the choice, and on larger samples."""

from __future__ import annotations

import pandas as pd

from treecrf_studies.framework.comparisons import Comparison, compared
from treecrf_studies.framework.tables import Row, by_key, method_names, sorted_by_method
from treecrf_studies.rendering.cells import (
    DASH,
    cell_texts,
    count_text,
    dataset_names,
    deviation_texts,
    grouped,
    interval_texts,
    number,
    p_text,
    p_value_text,
    signed,
)
from treecrf_studies.rendering.style import ordered_training_methods
from treecrf_studies.training.choices import BETTER, BLOCKS, METHODS, of_first_decoder


def ranks_layout(ranks: pd.DataFrame) -> pd.DataFrame:
    """Methods of each data set from the best on: the gap to it with its interval, the standing, and the ranks that
    tests leave.
    """
    return pd.DataFrame(
        {
            "data set": dataset_names(ranks),
            "method": method_names(ranks["method"]),
            "accuracy, all positions (%)": cell_texts(ranks["value"], number),
            "minus the best (points)": cell_texts(ranks["gap_points"], signed),
            "95 %, Bonferroni": interval_texts(ranks["gap_low"], ranks["gap_high"]),
            "standing": ranks["standing"].astype(str).tolist(),
            "rank": cell_texts(ranks["rank"], count_text),
            "rank interval": [f"{low}–{high}" for low, high in zip(ranks["rank_low"], ranks["rank_high"], strict=True)],
            "unit of the test": ranks["test"].astype(str).tolist(),
        }
    )


def matrix_layout(comparisons: pd.DataFrame, dataset: str) -> pd.DataFrame:
    """Every method of a data set against every other, each with its preferred decoder.

    Points that the method of the row is ahead of that of the column, Holm's p of the sequence-level test, and the
    decision.
    """
    rows = comparisons[(comparisons["dataset"] == dataset) & (comparisons["decoder"] == BETTER)]
    methods = ordered_training_methods([*rows["method"], *rows["other"]])
    pairs = compared(rows)
    columns: dict[str, list[str]] = {"method": [*method_names(methods)]}
    for other, name in zip(methods, method_names(methods), strict=True):
        found = [pairs.get((method, other)) for method in methods]
        columns[name] = [_said(pair) if pair else DASH for pair in found]
    return pd.DataFrame(columns)


def noise_layout(noise: pd.DataFrame) -> pd.DataFrame:
    """Standard deviations that sequences, methods, trainings and the rest give to accuracies, in points."""
    sd = 100 * noise["variance"].astype(float) ** 0.5
    return pd.DataFrame(
        {
            "data set": dataset_names(noise),
            "term": noise["component"].astype(str).tolist(),
            "of one sequence (points)": cell_texts(sd, number),
            "of a method's accuracy (points)": cell_texts(noise["accuracy_points"], number),
        }
    )


def pairs_layout(comparisons: pd.DataFrame, decoder: str) -> pd.DataFrame:
    """The tests of every pair of methods with a decoder; "better": the one that cross-validation prefers.

    A row per data set and pair. By McNemar's test, of the unperturbed trainings: accuracy of the method
    minus that of the other in points, the positions on which only either is right, p-values. By the sequence-level test
    (`treecrf_studies.training.summary.compare`, all trainings): points, interval and p-value, both also of the
    family of pairs of the data set, what is taken as independent, the decision.
    """
    rows = comparisons[comparisons["decoder"] == decoder]
    mcnemar, valid = "by McNemar's test", "by the sequence-level test"
    return grouped(
        {
            ("", "data set"): dataset_names(rows),
            ("", "method"): method_names(rows["method"]),
            ("", "compared with"): method_names(rows["other"]),
            (mcnemar, "points"): cell_texts(rows["papers_value"], signed),
            (mcnemar, "method alone right"): cell_texts(rows["only_method"], count_text),
            (mcnemar, "other alone right"): cell_texts(rows["only_other"], count_text),
            (mcnemar, "p"): cell_texts(rows["papers_p"], p_value_text),
            (mcnemar, "p, Holm"): cell_texts(rows["papers_p_holm"], p_value_text),
            (valid, "points"): cell_texts(rows["value"], signed),
            (valid, "95 %, uncorrected"): interval_texts(rows["low"], rows["high"]),
            (valid, "p, uncorrected"): cell_texts(rows["p_value"], p_value_text),
            (valid, "95 %, Bonferroni"): interval_texts(rows["family_low"], rows["family_high"]),
            (valid, "p, Holm"): cell_texts(rows["p_holm"], p_value_text),
            (valid, "over"): [_independent(row) for row in rows.to_dict("records")],
            (valid, "decision"): rows["decision"].astype(str).tolist(),
        }
    )


def _said(pair: Comparison) -> str:
    """What the sequence-level test says."""
    return f"{signed(pair.points)} ({p_text(pair.p_holm)}) {pair.decision}"


def _independent(row: Row) -> str:
    """What the test takes as independent, and how many of it; "these trainings" where it is not about the methods."""
    of_blocks = row["test"] == BLOCKS
    units = f"{count_text(row['n_blocks'])} blocks" if of_blocks else f"{count_text(row['n_clusters'])} sequences"
    return units if row["about"] == METHODS else f"{units}, {row['about']}"


PAPERS = "papers' test set"
POPULATIONS = {"same": "larger sample", "second": "second population"}


def larger_accuracies_layout(larger_accuracies: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """Accuracy of every method on the papers' test set and on each larger sample, with the first decoder."""
    rows = sorted_by_method(of_first_decoder(larger_accuracies))
    of_papers = by_key(summary[summary["decoder"] == BETTER], "dataset", "method")
    known = [of_papers.get(key, {}).get("chosen_accuracy") for key in zip(rows["dataset"], rows["method"], strict=True)]
    return grouped(
        {
            ("", "data set"): rows["dataset"].astype(str).tolist(),
            ("", "method"): method_names(rows["method"]),
            (PAPERS, "accuracy (%)"): [DASH if value is None else number(value) for value in known],
            ("other sample", "name"): rows["sample"].astype(str).tolist(),
            ("other sample", "is a"): [POPULATIONS[name] for name in rows["population"]],
            ("other sample", "accuracy (%), mean ± sd"): deviation_texts(rows, "accuracy", "sd", "n_trainings"),
            ("other sample", "trainings"): cell_texts(rows["n_trainings"], count_text),
            ("other sample", "sequences that train"): cell_texts(rows["n_train"].round(), count_text),
            ("other sample", "sequences that test"): cell_texts(rows["n_test"].round(), count_text),
        }
    )


def larger_layout(larger_comparisons: pd.DataFrame, comparisons: pd.DataFrame) -> pd.DataFrame:
    """Tests of every pair of methods on the papers' test set and on each larger sample, there with the first decoder.

    p-values have Holm's correction.
    """
    larger = of_first_decoder(larger_comparisons)
    pairs = compared(comparisons[comparisons["decoder"] == BETTER], "dataset")
    papers = [pairs.get(key) for key in zip(larger["dataset"], larger["method"], larger["other"], strict=True)]
    return grouped(
        {
            ("", "data set"): larger["dataset"].astype(str).tolist(),
            ("", "method"): method_names(larger["method"]),
            ("", "compared with"): method_names(larger["other"]),
            (PAPERS, "points"): [signed(pair.points) if pair else DASH for pair in papers],
            (PAPERS, "p, Holm"): [p_value_text(pair.p_holm) if pair else DASH for pair in papers],
            (PAPERS, "decision"): [pair.decision if pair else DASH for pair in papers],
            ("other sample", "name"): larger["sample"].astype(str).tolist(),
            ("other sample", "is a"): [POPULATIONS[name] for name in larger["population"]],
            ("other sample", "points"): cell_texts(larger["value"], signed),
            ("other sample", "95 %, Bonferroni"): interval_texts(larger["family_low"], larger["family_high"]),
            ("other sample", "p, Holm"): cell_texts(larger["p_holm"], p_value_text),
            ("other sample", "over"): [
                f"{count_text(n)} {test}" for n, test in zip(larger["n"], larger["test"], strict=True)
            ],
            ("other sample", "decision"): larger["decision"].astype(str).tolist(),
        }
    )


TREES, NETWORK, BOTH = "treecrf_newton", "neural_crf", "trees_and_net"


def trees_and_networks(larger_accuracies: pd.DataFrame) -> list[str]:
    """A sentence on each data set whose draws have several numbers of training sequences: when trees win, when
    networks.

    `larger_accuracies` is from `treecrf_studies.training.larger_summary`. Numbers are rounded as the table shows them.
    """
    draws = of_first_decoder(larger_accuracies).query("test == 'draws'")
    draws = draws.assign(n_train=draws["n_train"].round().astype(int), cpu=draws["cpu_seconds"] / draws["n_trainings"])
    found = []
    for (dataset, population), rows in draws.groupby(["dataset", "population"], observed=True, sort=False):
        accuracy, seconds = (
            rows.pivot_table(index="n_train", columns="method", values=name) for name in ("accuracy", "cpu")
        )
        if not {TREES, NETWORK} <= set(accuracy):
            continue
        known = accuracy.dropna(subset=[TREES, NETWORK])
        if len(known) < 2:
            continue
        ahead = _by_size(known[TREES] - known[NETWORK])
        sentence = f"{dataset}{'' if population == 'same' else ' (second population)'}: trees minus network, {ahead}."
        if BOTH in known:
            sentence += (
                f" Mean of both minus the better one, {_by_size(known[BOTH] - known[[TREES, NETWORK]].max(axis=1))}."
            )
        last = seconds.loc[known.index[-1]]
        found.append(
            f"{sentence} One training with {count_text(known.index[-1])} sequences takes {number(last[TREES])} CPU "
            f"seconds for trees and {number(last[NETWORK])} for the network."
        )
    return found


def _by_size(points: pd.Series) -> str:
    """Points of accuracy by the number of training sequences."""
    parts = [
        f"{signed(value)} points with {count_text(n)}"
        for n, value in zip(points.index.tolist(), points.tolist(), strict=True)
    ]
    return f"{', '.join(parts[:-1])} and {parts[-1]} training sequences"
