"""Figures of the study of future features (PhD chapter 5)."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from treecrf_studies.future.methods import INSTANCE, NO_BAG, family_name
from treecrf_studies.future.published import with_published
from treecrf_studies.methods.catalogue import FUTURE, drawing_of
from treecrf_studies.rendering.panels import MARKER_SIZES, draw_by_dataset, sentence_figure, with_several
from treecrf_studies.rendering.style import OTHER_STYLE, SETTINGS, SMALL, on_both

SECOND_BAG: dict[str, Any] = {"color": "#c48600", "marker": "P", "linestyle": (0, (1.2, 1.2))}
"""Of a labeller's second bag; further ones differ by the legend alone."""

N_FEATURES_SHOWN = 4


def orders(best: pd.DataFrame, of_papers: bool = True) -> Figure:
    """`accuracy_by_order` of the summaries of all data sets, one G_0 of each method and bag."""
    known = with_published(best)
    return accuracy_by_order(known if of_papers else known.assign(published=np.nan))


def accuracy_by_order(summary: pd.DataFrame) -> Figure:
    """Tables 5.4 and 5.5 as a figure: test accuracy by number of previous labels, a panel per data set.

    `summary` is from `with_published`. Filled marker: mean over the draws of the data; bar: one standard deviation to
    either side. Hollow marker: published.
    """
    summary = with_several(summary, "order")
    if summary.empty:
        return sentence_figure("All labellers have one order; a table has their accuracies.")
    widths = {1: 4.8, 2: 7.4, 3: 9.6}

    def draw(axes: Axes, of_set: pd.DataFrame) -> None:
        axes.set_xticks(range(int(summary["order"].max()) + 1))
        for (family, bag), line in of_set.groupby(["family", "bag"], sort=False):
            bags = list(dict.fromkeys(of_set.loc[of_set["family"] == family, "bag"]))
            _draw_line(axes, str(family), str(bag), bags, line.sort_values("order"))

    return draw_by_dataset(
        summary,
        draw,
        lambda n, m: (widths[n], 2.6 * m + 0.8),
        "previous labels (order)",
        "accuracy on the test sets (%)",
        "filled: measured; hollow: published" if summary["published"].notna().any() else "",
    )


def _draw_line(axes: Axes, family: str, bag: str, bags: list[str], line: pd.DataFrame) -> None:
    of_family = on_both(drawing_of(family, FUTURE)) if family in FUTURE else OTHER_STYLE
    style = of_family if bag == bags[0] else SECOND_BAG
    size = MARKER_SIZES.get(str(style["marker"]), 4.2)
    label = family_name(family) + (f", {bag}" if bag != NO_BAG else "")
    axes.errorbar(
        line["order"],
        line["value"],
        line["sd"].fillna(0.0),
        label=label,
        **style,
        markersize=size,
        linewidth=1.2,
        capsize=2,
        elinewidth=0.8,
    )
    axes.plot(
        line["order"] + 0.12,
        line["published"],
        linestyle="none",
        marker=style["marker"],
        color=style["color"],
        markerfacecolor="none",
        markersize=size,
    )


def what_features_see(weights: pd.DataFrame) -> Figure:
    """What the first discovered future features of a model look at, category by category and distance by distance.

    `weights` is from `treecrf_studies.future.jobs.describe_features`, of one model; a panel per feature. Colour:
    how much higher Q is where the category stands at the distance than it is on average, in points of probability.
    Right of it: the same of G, the score of the instance itself, relative to its largest.
    """
    if weights.empty:
        return _nothing_found()
    numbers = sorted(weights["feature"].unique())[:N_FEATURES_SHOWN]
    several = len(set(weights["attribute"])) > 1
    categories = weights["category"].astype(str)
    names = weights["attribute"] + " = " + categories if several else categories
    weights = weights.assign(row=names, points=100 * weights["value"])
    rows = list(dict.fromkeys(weights["row"]))
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(2.4 * len(numbers) + 1.0, 0.18 * len(rows) + 1.6), layout="constrained")
        for axes, number in zip(figure.subplots(1, len(numbers), squeeze=False).ravel(), numbers, strict=True):
            of_feature = weights[weights["feature"] == number]
            _draw_heat(figure, axes, of_feature, rows)
            first = of_feature.iloc[0]
            axes.set_title(
                f"feature {number}, label {first['label']}\neta {first['eta']:.2g}", loc="left", fontsize=SMALL
            )
    return figure


def _nothing_found() -> Figure:
    return sentence_figure("No future feature was found.")


def _draw_heat(figure: Figure, axes: Axes, of_feature: pd.DataFrame, rows: list[str]) -> None:
    table = of_feature.pivot_table(index="row", columns="distance", values="points", dropna=False).reindex(rows)
    scores, values = table[INSTANCE].to_numpy(), table.drop(columns=INSTANCE)
    largest = np.nanmax(np.abs(values.to_numpy())) or 1.0
    relative = scores / (np.nanmax(np.abs(scores)) or 1.0) * largest
    shown = np.column_stack([values, np.full(len(rows), np.nan), relative])
    image = axes.imshow(shown, cmap="PuOr_r", vmin=-largest, vmax=largest, aspect="auto", interpolation="nearest")
    n_distances = values.shape[1]
    axes.set_xticks([*range(n_distances), n_distances + 1], [*map(str, values.columns), "G"], fontsize=SMALL)
    axes.set_yticks(range(len(rows)), rows, fontsize=SMALL)
    axes.set_xlabel("distance")
    axes.grid(visible=False)
    figure.colorbar(image, ax=axes, shrink=0.7, label="points").ax.tick_params(labelsize=SMALL)


def feature_trees(trees: pd.DataFrame) -> Figure:
    """The first tree of the first discovered future features of a model, a panel per feature.

    `trees` is from `treecrf_studies.future.jobs.describe_features`, of one model. Left: the test fails; right: it
    holds. Leaves: what the tree adds to G.
    """
    if trees.empty:
        return _nothing_found()
    first = trees.fillna({"test": ""})
    first = first[first["tree"] == 1]
    numbers = sorted(first["feature"].unique())[:2]
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(5.2 * len(numbers), 3.6), layout="constrained")
        for axes, number in zip(figure.subplots(1, len(numbers), squeeze=False).ravel(), numbers, strict=True):
            axes.set_title(f"feature {number}, first tree", loc="left", fontsize=9)
            axes.axis("off")
            _draw_tree(axes, first[first["feature"] == number].set_index("node"))
    return figure


def _draw_tree(axes: Axes, nodes: pd.DataFrame) -> None:
    places = _place(nodes)
    for node, row in nodes.iterrows():
        x, y = places[node]
        if row["parent"] >= 0:
            above = places[row["parent"]]
            axes.plot([above[0], x], [above[1], y], color="#8c8c8c", linewidth=0.8, zorder=1)
        is_leaf = row["test"] == ""
        text = f"{row['value']:+.2f}".replace("-", "−") if is_leaf else row["test"]
        color = "#ffffff" if is_leaf else "#dceaf5"
        box = {"boxstyle": "round,pad=0.25", "facecolor": color, "edgecolor": "#8c8c8c", "linewidth": 0.6}
        axes.text(x, y, text, ha="center", va="center", fontsize=SMALL, color="#202020", bbox=box, zorder=2)
    axes.set_xlim(-0.8, max(x for x, _ in places.values()) + 0.8)
    axes.set_ylim(min(y for _, y in places.values()) - 0.6, 0.6)


def _place(nodes: pd.DataFrame) -> dict[Any, tuple[float, float]]:
    """Leaves side by side, a node above the middle of its children."""
    children: dict[Any, list[Any]] = {}
    for node, row in nodes.iterrows():
        children.setdefault(row["parent"], []).append(node)  # "no" comes first
    places: dict[Any, tuple[float, float]] = {}
    n_leaves = 0

    def put(node: Any, depth: int) -> float:
        nonlocal n_leaves
        below = [put(child, depth + 1) for child in children.get(node, [])]
        if not below:
            n_leaves += 1
        places[node] = (sum(below) / len(below) if below else n_leaves - 1.0, -float(depth))
        return places[node][0]

    put(0, 0)
    return places
