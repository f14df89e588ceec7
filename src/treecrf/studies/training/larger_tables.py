"""Tables of larger samples beside the papers' test sets, as `treecrf.studies.training.tables` has them."""

from __future__ import annotations

import pandas as pd

from treecrf.rendering.cells import (
    DASH,
    cell_texts,
    count_text,
    grouped,
    interval_texts,
    number,
    p_value_text,
    signed,
    with_deviation,
)
from treecrf.studies.framework.tables import by_key, method_names, sorted_by_method
from treecrf.studies.training.comparison_tables import find_pair
from treecrf.studies.training.larger_comparing import compare_larger
from treecrf.studies.training.names import BETTER, PAIR

PAPERS = "papers' test set"
POPULATIONS = {"same": "larger sample", "second": "second population"}
DESIGNS = {"cross_validation": "folds", "draws": "draws"}


def larger_accuracies_layout(larger_accuracies: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """Accuracy of every method on the papers' test set and on each larger sample."""
    rows = sorted_by_method(larger_accuracies)
    of_papers = by_key(summary[summary["decoder"] == BETTER], "dataset", "method")
    known = [of_papers.get(key, {}).get("chosen_accuracy") for key in zip(rows["dataset"], rows["method"], strict=True)]
    return grouped(
        {
            ("", "data set"): rows["dataset"].astype(str).tolist(),
            ("", "method"): method_names(rows["method"]),
            (PAPERS, "accuracy (%)"): [DASH if value is None else number(value) for value in known],
            ("other sample", "name"): rows["sample"].astype(str).tolist(),
            ("other sample", "is a"): [POPULATIONS[name] for name in rows["population"]],
            ("other sample", "accuracy (%), mean ± sd"): [
                with_deviation(mean, sd, n)
                for mean, sd, n in zip(rows["accuracy"], rows["sd"], rows["n_trainings"], strict=True)
            ],
            ("other sample", "trainings"): cell_texts(rows["n_trainings"], count_text),
            ("other sample", "sequences that train"): cell_texts(rows["n_train"].round(), count_text),
            ("other sample", "sequences that test"): cell_texts(rows["n_test"].round(), count_text),
        }
    )


def larger_layout(counts: pd.DataFrame, accuracies: pd.DataFrame, comparisons: pd.DataFrame) -> pd.DataFrame:
    """Tests of every pair of methods on the papers' test set and on each larger sample; p-values with Holm's correction."""
    larger = compare_larger(counts, accuracies)
    pairs = by_key(comparisons, *PAIR)
    papers = [find_pair(pairs, *key) for key in zip(*(larger[name] for name in PAIR), strict=True)]
    return grouped(
        {
            ("", "data set"): larger["dataset"].astype(str).tolist(),
            ("", "method"): method_names(larger["method"]),
            ("", "against"): method_names(larger["other"]),
            (PAPERS, "points"): [signed(pair.mean_points) if pair.decision else DASH for pair in papers],
            (PAPERS, "p, Holm"): [p_value_text(pair.valid_p_holm) if pair.decision else DASH for pair in papers],
            (PAPERS, "decision"): [pair.decision or DASH for pair in papers],
            ("other sample", "name"): larger["sample"].astype(str).tolist(),
            ("other sample", "is a"): [POPULATIONS[name] for name in larger["population"]],
            ("other sample", "points"): cell_texts(larger["mean_points"], signed),
            ("other sample", "95 %, Holm"): interval_texts(larger["holm_low"], larger["holm_high"]),
            ("other sample", "p, Holm"): cell_texts(larger["valid_p_holm"], p_value_text),
            ("other sample", "over"): [
                f"{count_text(n)} {DESIGNS[design]}"
                for n, design in zip(larger["n_trainings"], larger["valid_test"], strict=True)
            ],
            ("other sample", "decision"): larger["decision"].astype(str).tolist(),
        }
    )


TREES, NETWORK, BOTH = "treecrf_newton", "neural_crf", "trees_and_net"


def trees_and_networks(larger_accuracies: pd.DataFrame) -> list[str]:
    """A sentence on each data set whose draws have several numbers of training sequences: when trees win, when networks.

    `larger_accuracies` is from `treecrf.studies.training.larger.Larger`. Numbers are rounded as the table shows them.
    """
    draws = larger_accuracies[larger_accuracies["design"] == "draws"]
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
            f"{sentence} One training with {count_text(known.index[-1])} sequences takes {number(last[TREES])} CPU seconds for trees "
            f"and {number(last[NETWORK])} for the network."
        )
    return found


def _by_size(points: pd.Series) -> str:
    """Points of accuracy by the number of training sequences."""
    parts = [
        f"{signed(value)} points with {count_text(n)}"
        for n, value in zip(points.index.tolist(), points.tolist(), strict=True)
    ]
    return f"{', '.join(parts[:-1])} and {parts[-1]} training sequences"
