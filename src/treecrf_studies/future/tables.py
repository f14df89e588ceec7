"""Tables of the study of future features (PhD chapter 5): text in cells."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from treecrf_studies.framework.comparisons import PAPERS, VALID, Comparison, correct_family, find_pair, pairs_layout
from treecrf_studies.framework.tables import MEASURED, PUBLISHED, Column, printed_layout
from treecrf_studies.future.methods import (
    MEMM_DECODERS,
    NO_BAG,
    discovers_features,
    family_name,
    method_text,
    variant_names,
)
from treecrf_studies.future.published import read_published, start_values, with_published
from treecrf_studies.rendering.cells import (
    DASH,
    cell_texts,
    count_text,
    deviation_texts,
    grouped,
    interval_texts,
    marked_if,
    number,
    p_value_text,
    seconds_text,
    signed,
)
from treecrf_studies.rendering.style import DECODER_NAMES

STEPS = {"alpha": "α", "beta": "β", "eta": "η"}
"""Kinds of steps as readers see them."""

SIDES = ("train", "validation", "test")

DISTANCE = "root mean square difference from published"

PATTERN_COLUMNS: tuple[Column, ...] = (
    *(("upper bound", sign) for sign in STEPS.values()),
    ("", "iterations"),
    ("", "features"),
    *((group, side) for group in ("positions (%)", "instances (%)", "bags (%)") for side in SIDES),
)
"""Columns of table 5.3."""


def patterns_layout(summary: pd.DataFrame) -> pd.DataFrame:
    """Table 5.3 as printed: FF-MEMM of order 0 on generated sets, by the start value G_0 of patterns; other ones below.

    Measured values are medians and means over the draws, a line for each end of the last bags.
    """
    published = start_values()
    printed = {(row["dataset"], float(row["g0"])): row for row in published.to_dict("records")}
    patterns = summary[(summary["method"] == "ff_memm_0") & (summary["bag"] == "bag 6") & _is_generated(summary)]
    measured: dict[Any, pd.DataFrame] = dict(iter(patterns.groupby(["kind", "g0"], sort=False)))
    blocks = []
    for key in [*(key for key in printed if key in measured), *(key for key in measured if key not in printed)]:
        lines = {PUBLISHED: _published_pattern(printed[key])} if key in printed else {}
        for row in measured[key].to_dict("records"):
            lines[_measured_with(row["last_bags"])] = _measured_pattern(row)
        blocks.append(((key[0].upper(), f"{key[1]:g}".replace("-", "−")), lines))
    return _layout(["data set", "G0"], PATTERN_COLUMNS, blocks)


def _is_generated(summary: pd.DataFrame) -> pd.Series:
    """Rows of XOR, OR and EXTRA."""
    return summary["best_window_accuracy"].notna()


def _measured_with(last_bags: str) -> str:
    return f"{MEASURED}, {last_bags} bags"


def _published_pattern(row: Mapping[Hashable, Any]) -> dict[Column, str]:
    """The one value of instances and of bags stands for all three sets: the paper prints it three times."""
    bounds = [f"{float(row[f'{name}_upper']):g}" for name in STEPS]
    counts = [number(float(row["iterations"]), 0), str(row["n_future_features"])]
    accuracies = [float(row[f"{side}_percent"]) for side in SIDES]
    accuracies += [float(row[f"{part}_percent"]) for part in ("instance", "bag") for _ in SIDES]
    return dict(zip(PATTERN_COLUMNS, [*bounds, *counts, *map(number, accuracies)], strict=True))


def _measured_pattern(row: Mapping[Hashable, Any]) -> dict[Column, str]:
    bounds = [f"{row[f'{name}_upper']:g}" for name in STEPS]
    counts = [count_text(row["n_iterations"]), count_text(row["n_features"])]
    names = ["train_mean", "validation_mean", "value"]
    names += [f"{side}_{kind}_accuracy" for kind in ("instance", "bag") for side in SIDES]
    accuracies = [number(row[name]) for name in names]
    return dict(zip(PATTERN_COLUMNS, [*bounds, *counts, *accuracies], strict=True))


def generated_layout(best: pd.DataFrame) -> pd.DataFrame:
    """Table 5.4 as printed: XOR, OR and EXTRA by method, a measured line for each end of the last bags.

    Below them stands what a window of one observation reaches at best, computed (`best_window_accuracy`): a bound for
    the sliding window alone. The last block says by method which end is nearer to the published values.
    """
    published = read_published("table_5_4_synthetic_accuracy")
    columns = {"sliding_window" if name == "sw" else name: name for name in published.columns.drop("dataset")}
    measured = best[_is_generated(best) & best["bag"].isin([NO_BAG, "bag 6"])]
    blocks = []
    for printed in published.to_dict("records"):
        ends = list(measured[measured["kind"] == printed["dataset"]].groupby("last_bags", sort=False))
        lines = {PUBLISHED: {method: number(printed[name]) for method, name in columns.items()}} if ends else {}
        for last_bags, group in ends:
            lines[_measured_with(str(last_bags))] = dict(zip(group["method"], _means(group), strict=True))
        for last_bags, group in ends:
            bound = number(group["best_window_accuracy"].iloc[0])
            lines[f"best of one observation, {last_bags} bags"] = {"sliding_window": bound}
        blocks.append(((printed["dataset"].upper(),), lines))
    blocks.append((("all three",), _distances(measured, list(columns))))
    return _layout(["data set"], list(columns), blocks).rename(columns={name: method_text(name) for name in columns})


def _distances(measured: pd.DataFrame, methods: Sequence[str]) -> dict[str, dict[str, str]]:
    """Root mean square difference from the published values of the three sets, by end of the last bags and by
    method.
    """
    known = with_published(measured)
    known["square"] = (known["value"] - known["published"]) ** 2
    columns = {}
    for last_bags, group in known.groupby("last_bags", sort=False):
        root = group.groupby("method")["square"].mean() ** 0.5
        columns[f"{DISTANCE}, {last_bags} bags"] = {name: number(root.get(name, np.nan)) for name in methods}
    return columns


def decoders_layout(best: pd.DataFrame) -> pd.DataFrame:
    """How far measured values are from the published ones with each decoder: a row per labeller and decoder.

    Root mean square difference in points, by table of the dissertation (of table 5.4 by end of the last bags).
    """
    known = with_published(best)
    known = known[known["published"].notna() & known["viterbi_mean"].notna()]
    known["place"] = "table 5.5"
    known.loc[_is_generated(known), "place"] = "table 5.4, " + known["last_bags"].astype(str) + " bags"
    rows = []
    for family, group in known.groupby("family", sort=False):
        for decoder in (name for name in MEMM_DECODERS if group[f"{name}_mean"].notna().any()):
            squares = (group[f"{decoder}_mean"] - group["published"]) ** 2
            roots = squares.groupby(group["place"]).mean() ** 0.5
            row = {"method": family_name(str(family)), "decoder": decoder_text(decoder)}
            rows.append(row | {place: number(roots.get(place, np.nan)) for place in known["place"].unique()})
    return pd.DataFrame(rows, columns=["method", "decoder", *known["place"].unique()])


def nettalk_layout(best: pd.DataFrame) -> pd.DataFrame:
    """Table 5.5 as printed: stressed letters of NETtalk by method, bag and order k; below, with other decoders."""
    measured = with_published(best[best["kind"] == "nettalk_binary"])
    measured = measured[measured["published"].notna()]
    others = [_decoded(measured, decoder) for decoder in MEMM_DECODERS]
    return _by_order([part for part in (measured, *others) if len(part)], "k = ").drop(columns="data set")


def _decoded(summary: pd.DataFrame, decoder: str) -> pd.DataFrame:
    """The rows that were decoded in another way, with the accuracies that this one gives."""
    rows = summary[summary[f"{decoder}_mean"].notna() & (summary["order"] > 0) & (summary["decoding"] != decoder)]
    return rows.assign(
        decoding=decoder, value=rows[f"{decoder}_mean"], sd=rows[f"{decoder}_sd"], published=float("nan")
    )


def orders_layout(best: pd.DataFrame, of_papers: bool = True) -> pd.DataFrame:
    """Accuracy by labeller, bag and order: with `of_papers` what tables 5.4 and 5.5 do not have, else all."""
    measured = with_published(best)
    is_shown = measured["published"].isna() | (not of_papers)
    return _by_order([measured[is_shown].assign(published=np.nan)], "order ")


def _by_order(parts: Sequence[pd.DataFrame], prefix: str) -> pd.DataFrame:
    """Parts of a summary, one under another: a block for each data set, labeller and bag, a column for each order."""
    orders = sorted({order for part in parts for order in part["order"]})
    blocks = []
    for part in parts:
        for (dataset, family, bag), group in part.groupby(["dataset", "family", "bag"], sort=False):
            decoder = f", {decoder_text(group['decoding'].iloc[0])}" if group["order"].any() else ""  # else all agree
            names = [f"{prefix}{order}" for order in group["order"]]
            lines = {
                PUBLISHED: dict(zip(names, cell_texts(group["published"], number), strict=True)),
                MEASURED + decoder: dict(zip(names, _means(group), strict=True)),
            }
            name = family_name(str(family)) + (f", {bag}" if bag != NO_BAG else "")
            blocks.append(((str(dataset), name), lines))
    return _layout(["data set", "method"], [f"{prefix}{order}" for order in orders], blocks)


def _layout(
    headings: Sequence[str],
    columns: Sequence[Column],
    blocks: Sequence[tuple[tuple[str, ...], Mapping[str, Mapping[Any, str]]]],
) -> pd.DataFrame:
    """`printed_layout` of blocks that are given line by line."""
    lines = dict.fromkeys(line for _, texts in blocks for line in texts)
    by_column = [
        (names, {column: {line: texts[line].get(column, DASH) for line in texts} for column in columns})
        for names, texts in blocks
    ]
    return printed_layout(headings, columns, by_column, list(lines))


def gains_layout(best: pd.DataFrame, comparisons: pd.DataFrame) -> pd.DataFrame:
    """What discovered features gain, a row per data set."""
    compared = gains(best, comparisons)
    pairs = list(compared.values())
    columns = {
        "data set": list(compared),
        "with": [method_text(pair.method) for pair in pairs],
        "without": [method_text(pair.other) for pair in pairs],
    }
    return pairs_layout(pairs, columns, papers="median p")


def neighbours_layout(tests: pd.DataFrame) -> pd.DataFrame:
    """Tests between neighbours, a row per pair."""
    return grouped(
        {
            ("", "data set"): list(tests["dataset"]),
            ("", "method"): [method_text(name) for name in tests["method"]],
            ("", "compared with"): [method_text(name) for name in tests["other"]],
            ("", "points gained"): cell_texts(tests["value"], signed),
            ("", "draws"): list(tests["n"].astype(str)),
            ("", "better in"): list(tests["n_better"].astype(str)),
            (VALID, "95 %, uncorrected"): interval_texts(tests["low"], tests["high"]),
            (VALID, "p, uncorrected"): cell_texts(tests["p_value"], p_value_text),
            (VALID, "p, Holm"): cell_texts(tests["p_holm"], p_value_text),
            (VALID, "decision"): list(tests["decision"]),
            (PAPERS, "p < 0.05 in"): list(tests["n_significant"].astype(str)),
            (PAPERS, "median p"): cell_texts(tests["papers_p"], p_value_text),
        }
    )


def variances_layout(variances: pd.DataFrame) -> pd.DataFrame:
    """Variance components: standard deviations in points of accuracy, a row per component."""
    return pd.DataFrame(
        {
            "data set": variances["dataset"],
            "source": variances["component"].str.replace(" x ", " × "),
            "one draw": cell_texts(variances["draw_points"], number),
            "mean of the draws": cell_texts(variances["mean_points"], number),
        }
    )


def example_layout(example: pd.DataFrame) -> pd.DataFrame:
    """The example of section 5.1."""
    columns = {("", "label of x2"): list(example["label"])}
    for name, sign in (("alpha", "α"), ("beta", "β")):
        for source, column in (("published", f"published_{name}"), ("measured", name)):
            columns[f"{sign} of the label", source] = cell_texts(example[column], lambda value: number(value, 5))
    for name, evidence in (("forward", "e1, e2"), ("backward", "e3"), ("both", "e1, e2, e3")):
        best = example[name].idxmax()
        columns["P(label | what is seen)", evidence] = [
            marked_if(number(value, 3), i == best) for i, value in example[name].items()
        ]
    return grouped(columns)


def costs_layout(summary: pd.DataFrame) -> pd.DataFrame:
    """CPU seconds of one training and what was chosen, method by method."""
    bags = [f" ({bag})" if bag != NO_BAG else "" for bag in summary["bag"]]
    return pd.DataFrame(
        {
            "data set": summary["dataset"],
            "method": [method_text(method) + bag for method, bag in zip(summary["method"], bags, strict=True)],
            "G0": cell_texts(summary["g0"], lambda value: number(value, 0)),
            "leaves": cell_texts(summary["max_leaves"], count_text),
            "iterations": cell_texts(summary["n_iterations"], count_text),
            "features": cell_texts(summary["n_features"], count_text),
            **{
                f"largest {sign}": [_step_text(value) for value in summary[f"largest_{name}"]]
                for name, sign in STEPS.items()
            },
            "validation (%)": cell_texts(summary["validation_mean"], number),
            "test (%)": _means(summary),
            "CPU s": cell_texts(summary["cpu_seconds"], seconds_text),
        }
    )


def _means(summary: pd.DataFrame) -> list[str]:
    return deviation_texts(summary, "value", "sd", "n")


def _step_text(value: float) -> str:
    return DASH if pd.isna(value) else f"{value:.3g}"


def decoder_text(decoder: str) -> str:
    """What readers see of a decoder."""
    return DECODER_NAMES.get(decoder, decoder)


def gains(best: pd.DataFrame, comparisons: pd.DataFrame) -> dict[str, Comparison]:
    """By data set, the best variant that discovers features against the best that does not, where there are both.

    `best` and `comparisons` are of all data sets. The best is the one that validation prefers, as a user would choose
    it. The pairs of all data sets are a family: a difference that Holm's correction over them does not leave is
    undecided.
    """
    pairs = []
    for dataset, variants in best.groupby("dataset", sort=False):
        ranked = variant_names(variants.sort_values("validation_mean", ascending=False, kind="stable"))
        discovers = ranked.map(discovers_features).astype(bool)
        if discovers.any() and not discovers.all():
            rows = comparisons[comparisons["dataset"] == dataset]
            pairs.append(find_pair(rows, ranked[discovers].iloc[0], ranked[~discovers].iloc[0]))
    return {pair.dataset: pair for pair in correct_family(pairs)}
