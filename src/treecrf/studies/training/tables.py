"""Tables of the training study (PhD chapter 3): text in cells, as HTML and as LaTeX.

A cell that has no value, or whose method was not run, shows a dash. A column stand_in, where a frame has one, marks the
data sets that stand in for those of the papers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from treecrf.rendering.cells import (
    BEST,
    DAGGER,
    DASH,
    STAR,
    cell_texts,
    count_text,
    dataset_names,
    grouped,
    number,
    p_value_text,
    seconds_text,
    signed,
    three_digits,
    with_deviation,
)
from treecrf.rendering.style import DECODER_NAMES, is_custom, ordered_training_methods
from treecrf.statistics.holm import SIGNIFICANCE_LEVEL
from treecrf.studies.rows import (
    Row,
    Rows,
    by_key,
    method_names,
    published_of,
    row_names,
    sorted_by_method,
)
from treecrf.studies.training.names import BETTER
from treecrf.studies.training.published import STANDS_FOR, read_published, training_costs

SHRINKAGE_LEVELS = (0.025, 0.005, 0.001)
"""A star for each of these that p is below, in table 3.4."""

BASELINE_LEVELS = (0.005, 0.001)
"""The same in table 3.5."""

BASELINE = "linear_crf"
"""The method that table 3.5 compares the others with."""

STEP_METHODS = ("treecrf", "mallet", "induced_crf", "linear_crf")
"""The methods of table 3.6; custom labellers join them."""

VARIANTS = {"treecrf": "shrinkage", "treecrf_original": "original"}
"""The methods of table 3.4 and what it calls them."""

SETTING_NAMES = {"l2_regularization": "lambda", "max_leaves": "leaves", "variance": "variance"}
"""Settings that cross-validation chooses, as readers see them."""

ACCURACY = "accuracy (%)"

PAIR = ("dataset", "decoder", "method", "other")
"""Columns that tell comparisons apart."""


# --- published and measured -------------------------------------------------------------------------


def shrinkage_layout(summary: pd.DataFrame, comparisons: pd.DataFrame) -> pd.DataFrame:
    """Table 3.4: TreeCRF with shrinkage beside the original algorithm, by decoder.

    Rows per data set that has one of the methods: published; measured at the
    cross-validated choice; mean and standard deviation over the perturbed runs; peak of the test curve with its
    iteration. The better of the two has a `STAR` for each of `SHRINKAGE_LEVELS` that McNemar's p is below, and then a
    `DAGGER` where the test clustered by sequence, after Holm's correction, has p below `SIGNIFICANCE_LEVEL` too.
    """
    ours, published = summary[summary["method"].isin(VARIANTS)], read_published("table_3_4_shrinkage")
    marked = dict(zip(ours["dataset"], dataset_names(ours), strict=True))
    cells, printed = by_key(ours, "dataset", "method", "decoder"), by_key(published, "dataset", "variant", "decoder")
    pairs = by_key(comparisons, *PAIR)
    is_published = {name: name in set(published["dataset"]) for name in marked}
    columns = {
        ("", "data set"): [text for name, text in marked.items() for _ in range(3 + is_published[name])],
        ("", "values"): [text for name in marked for text in _value_names(is_published[name])],
    }
    for decoder in _decoders(summary):
        for (method, variant), other in zip(VARIANTS.items(), reversed(VARIANTS), strict=True):
            texts = columns[DECODER_NAMES[decoder], variant] = []
            for name in marked:
                if is_published[name]:
                    texts.append(_published_text(printed.get((name, variant, decoder)), "stars"))
                pair = _pair(pairs, name, decoder, method, other)
                marks = _marks(pair, SHRINKAGE_LEVELS) if pair.points > 0 else ""
                texts += _measured_texts(cells.get((name, method, decoder)), marks)
    return grouped(columns)


def methods_layout(summary: pd.DataFrame, comparisons: pd.DataFrame) -> pd.DataFrame:
    """Table 3.5: accuracy, CPU seconds and iterations of the dissertation's methods and of custom labellers.

    All with the decoder that cross-validation prefers. The choice has a `STAR` for each of `BASELINE_LEVELS` that
    McNemar's p against `BASELINE` is below (better or worse), and a `DAGGER` as in `shrinkage_layout`. `BEST`:
    significantly better of TreeCRF and MALLET, or of TreeCRF and CRF with induction where MALLET was not run.
    """
    shown = summary["method"].isin(STANDS_FOR) | summary["method"].map(is_custom)
    better = summary[(summary["decoder"] == BETTER) & shown]
    rows = sorted_by_method(better)
    known = published_of(rows["dataset"], rows["method"].map(STANDS_FOR), read_published("table_3_5_methods"))
    columns = row_names(rows)
    columns[ACCURACY, "published"] = [
        _published_text(row, "stars_vs_baseline") + _best(row is not None and row["best_of_treecrf_and_mallet"])
        for row in known
    ]
    columns[ACCURACY, "choice"] = _against_baseline(rows, comparisons)
    columns[ACCURACY, "mean ± sd"] = _means(rows, "chosen")
    columns[ACCURACY, "peak (iteration)"] = [_peak(row) for row in rows.to_dict("records")]
    columns["CPU seconds", "published"] = [number(row["cpu_seconds"], 1) if row else DASH for row in known]
    columns["CPU seconds", "measured"] = cell_texts(rows["cpu_seconds"], seconds_text)
    columns["iterations", "published"] = [row["iterations"].replace("-", "–") if row else DASH for row in known]
    columns["iterations", "measured"] = [_iteration(row) for row in rows.to_dict("records")]
    return grouped(columns)


def steps_layout(costs: pd.DataFrame) -> pd.DataFrame:
    """Table 3.6: CPU seconds of an iteration of forward-backward, an induction of features and a whole training."""
    rows = sorted_by_method(costs[costs["method"].isin(STEP_METHODS) | costs["method"].map(is_custom)])
    known = published_of(rows["dataset"], rows["method"], training_costs())
    columns = row_names(rows)
    columns["", "average length"] = cell_texts(rows["average_length"], count_text)
    columns["", "features"] = cell_texts(rows["n_features"], count_text)
    for group, name in (("forward-backward", "forward_backward_seconds"), ("induction", "induction_seconds")):
        columns[group, "published"] = [number(row[name], 3) if row else DASH for row in known]
        columns[group, "measured"] = cell_texts(rows[name], three_digits)
    columns["whole training", "iterations"] = cell_texts(rows["n_iterations"], count_text)
    columns["whole training", "CPU s"] = cell_texts(rows["total_seconds"], seconds_text)
    return grouped(columns)


# --- all methods ------------------------------------------------------------------------------------


def accuracy_layout(summary: pd.DataFrame, kind: str = "chosen") -> pd.DataFrame:
    """Accuracy of every method with the decoder that cross-validation prefers, by data set; `BEST` marks the best.

    `kind` is "chosen" (at the cross-validated choice) or "peak" (of the test curve). Mean and standard deviation over
    the perturbed runs, in percent; a method without such runs shows its unperturbed accuracy. Those that look the same
    in print are all marked.
    """
    better = summary[summary["decoder"] == BETTER]
    centre = better[f"{kind}_mean"].fillna(better[f"{kind}_accuracy"])
    printed = centre.round(2)
    is_best = printed == printed.groupby(better["dataset"]).transform("max")
    texts = [
        with_deviation(middle, sd) + _best(best)
        for middle, sd, best in zip(centre, better[f"{kind}_sd"], is_best, strict=True)
    ]
    sets = better.drop_duplicates("dataset")
    cells = better.assign(text=texts).set_index(["dataset", "method"])["text"]
    methods = ordered_training_methods(better["method"])
    columns = {"method": method_names(methods)}
    for name, marked in zip(sets["dataset"], dataset_names(sets), strict=True):
        columns[marked] = [cells.get((name, method), DASH) for method in methods]
    return pd.DataFrame(columns)


def peaks_layout(summary: pd.DataFrame) -> pd.DataFrame:
    """`accuracy_layout` at the peak of the test curve."""
    return accuracy_layout(summary, "peak")


def pairs_layout(comparisons: pd.DataFrame, decoder: str) -> pd.DataFrame:
    """McNemar's test for every pair of methods with a decoder; "better": the one that cross-validation prefers.

    A row per data set and pair: accuracy of the method minus that of the other in points, the positions on which only
    either is right, p-values with positions independent and clustered by test sequence, each also after Holm's
    correction over the pairs of the data set.
    """
    rows = comparisons[comparisons["decoder"] == decoder]
    columns = {
        ("", "data set"): dataset_names(rows),
        ("", "method"): method_names(rows["method"]),
        ("", "against"): method_names(rows["other"]),
        ("", "points"): cell_texts(rows["accuracy_points"], signed),
        ("right alone", "method"): cell_texts(rows["only_method"], count_text),
        ("right alone", "against"): cell_texts(rows["only_other"], count_text),
    }
    for group, prefix in (("positions independent", ""), ("clustered by test sequence", "clustered_")):
        columns[group, "p"] = cell_texts(rows[f"{prefix}p_value"], p_value_text)
        columns[group, "p, Holm"] = cell_texts(rows[f"{prefix}p_holm"], p_value_text)
    return grouped(columns)


def choices_layout(summary: pd.DataFrame) -> pd.DataFrame:
    """What cross-validation chose for every method, by decoder, and the decoder preferred.

    The setting (of several splits all, parted by " / "), the iteration (smallest to largest of the splits), the
    cross-validated accuracy in percent.
    """
    rows = sorted_by_method(summary[summary["decoder"] == BETTER])
    cells = by_key(summary, "dataset", "method", "decoder")
    columns = {("", "data set"): dataset_names(rows), ("", "method"): method_names(rows["method"])}
    for decoder in _decoders(summary):
        chosen = [cells.get((row.dataset, row.method, decoder)) for row in rows.itertuples()]
        group = DECODER_NAMES[decoder]
        columns[group, "setting"] = [_setting(row["candidate"]) if row else DASH for row in chosen]
        columns[group, "iteration"] = [_iteration(row) if row else DASH for row in chosen]
        columns[group, "cv accuracy (%)"] = [number(row["cv_accuracy"]) if row else DASH for row in chosen]
    columns["", "preferred"] = [DECODER_NAMES[decoder] for decoder in rows["chosen_decoder"]]
    return grouped(columns)


def notes_layout(notes: pd.DataFrame) -> pd.DataFrame:
    """Methods that were not run, and why: a row per method and reason, with its data sets parted by commas."""
    groups = notes.groupby(["method", "note"], sort=False)["dataset"].agg(", ".join).reset_index()
    return pd.DataFrame(
        {
            "data set": groups["dataset"].astype(str),
            "method": method_names(groups["method"]),
            "not run": groups["note"].astype(str),
        }
    )


# --- rows -------------------------------------------------------------------------------------------


def _decoders(summary: pd.DataFrame) -> list[str]:
    return [decoder for decoder in dict.fromkeys(summary["decoder"]) if decoder != BETTER]


def _value_names(is_published: bool) -> list[str]:
    return ["published"] * is_published + ["choice", "mean ± sd", "peak (iteration)"]


class _Pair(NamedTuple):
    """A method against another: points of accuracy, McNemar's p, and p clustered by test sequence after Holm."""

    points: float
    p_value: float
    clustered_p_holm: float


def _pair(pairs: Rows, dataset: str, decoder: str, method: str, other: str) -> _Pair:
    """The comparison of two methods, whichever comes first; NaN where there is none."""
    for first, second, sign in ((method, other, 1), (other, method, -1)):
        row = pairs.get((dataset, decoder, first, second))
        if row is not None:
            return _Pair(sign * row["accuracy_points"], row["p_value"], row["clustered_p_holm"])
    return _Pair(np.nan, np.nan, np.nan)


def _against_baseline(rows: pd.DataFrame, comparisons: pd.DataFrame) -> list[str]:
    """Accuracies at the choice, with stars against `BASELINE`; the winner of TreeCRF and its rival is marked."""
    pairs = by_key(comparisons, *PAIR)
    winners = {name: _winner(pairs, str(name), set(of_set["method"])) for name, of_set in rows.groupby("dataset")}
    texts = []
    for dataset, method, accuracy in zip(rows["dataset"], rows["method"], rows["chosen_accuracy"], strict=True):
        marks = _marks(_pair(pairs, dataset, BETTER, method, BASELINE), BASELINE_LEVELS)
        texts.append(number(accuracy) + marks + _best(winners[dataset] == method))
    return texts


def _winner(pairs: Rows, dataset: str, methods: set[str]) -> str | None:
    """The significantly better of TreeCRF and MALLET, or of TreeCRF and CRF with induction."""
    rival = "mallet" if "mallet" in methods else "induced_crf"
    pair = _pair(pairs, dataset, BETTER, "treecrf", rival)
    if pair.p_value < SIGNIFICANCE_LEVEL:
        return "treecrf" if pair.points > 0 else rival
    return None


# --- cells ------------------------------------------------------------------------------------------


def _marks(pair: _Pair, levels: Sequence[float]) -> str:
    stars = STAR * sum(pair.p_value < level for level in levels)
    return stars + (DAGGER if stars and pair.clustered_p_holm < SIGNIFICANCE_LEVEL else "")


def _best(marked: bool) -> str:
    return f" {BEST}" if marked else ""


def _published_text(row: Row | None, stars: str) -> str:
    return DASH if row is None else number(row["accuracy_percent"]) + STAR * int(row[stars])


def _measured_texts(row: Row | None, marks: str) -> list[str]:
    """Choice, mean and standard deviation, peak."""
    if row is None:
        return [DASH] * 3
    return [number(row["chosen_accuracy"]) + marks, with_deviation(row["chosen_mean"], row["chosen_sd"]), _peak(row)]


def _peak(row: Row) -> str:
    return f"{number(row['peak_accuracy'])} ({row['peak_iteration']:.0f})"


def _means(rows: pd.DataFrame, kind: str) -> list[str]:
    return [with_deviation(*pair) for pair in zip(rows[f"{kind}_mean"], rows[f"{kind}_sd"], strict=True)]


def _iteration(row: Row) -> str:
    """The chosen iteration; of several splits the smallest and the largest."""
    low, high = count_text(row["iteration_low"]), count_text(row["iteration_high"])
    return low if low == high else f"{low}–{high}"


def _setting(candidate: str) -> str:
    for name, text in SETTING_NAMES.items():
        candidate = candidate.replace(f"{name}=", f"{text} ")
    return candidate
