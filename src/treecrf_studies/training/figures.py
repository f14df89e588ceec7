"""Figures of the training study (PhD chapter 3): accuracy and cost by iteration, accuracy of all methods."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, NullLocator

from treecrf_studies.rendering.panels import (
    MARKER_SIZES,
    WIDTHS,
    by_dataset,
    draw_by_dataset,
    name_axes,
    panel_grid,
    sentence_figure,
    spread,
)
from treecrf_studies.rendering.style import (
    INK,
    SETTINGS,
    SMALL,
    ordered_training_methods,
    training_method_name,
    training_method_style,
)
from treecrf_studies.training.choices import BETTER, CHOICE, PEAK, of_first_decoder, preferred_at
from treecrf_studies.training.published import PAPERS_OWN, training_accuracies, training_costs

ICML_FIGURES = {"faq_ai_general": 2, "faq_ai_neural": 3, "faq_aix": 4}
"""Data sets of figures 2 to 4 of the ICML 2004 paper."""

FIRST_ITERATIONS = 0.1
"""Share of the iterations that may start below a panel of figure 3.1, so that the others can be told apart."""

MOST_BANDS = 6
"""Methods of a panel up to which bands show the spread of their runs. In panels of more, `MAIN` ones stand out."""

MOST_NAMES = 8
"""Lines of a panel that have a name: those of `MAIN`, and of the others the most accurate at the end."""

MAIN = (*PAPERS_OWN, "treecrf_newton")
"""Methods of the papers, and the library's first choice."""

FAINT = 0.3
"""Opacity of the other lines."""

LABEL = 0.128
"""Inches from one name beside a panel to the next."""

CURVE_WIDTHS = {1: 5.6, 2: 8.6}
"""Of figures with names beside the lines, in inches, by the number of panels side by side."""

PEAK_COLOR = "#D55E00"


def accuracy_by_iteration(curves: pd.DataFrame, of_papers: bool = True) -> Figure:
    """Figure 3.1: accuracy on the test set by iteration, a panel per data set, a line per method.

    `curves` is from `treecrf_studies.training.summary.learning_curves`, of which the preferred decoder is shown; a
    column stand_in, if there is one, marks titles. Line: unperturbed training, of `named_methods` with the name at the
    end, best on top.
    Band: smallest to largest of all runs, of up to `MOST_BANDS` methods. Filled marker: the iteration that
    cross-validation chose. Hollow marker: published, unless `of_papers` is false. The axis leaves out what happens in
    the first iterations only.
    """
    shown = _of_methods(curves)
    known = published_peaks() if of_papers else published_peaks().iloc[:0]
    peaks = [_published_of(of_set, known) for _, of_set in by_dataset(shown)]
    with mpl.rc_context(SETTINGS):
        figure, panels = _figure_by_iteration(shown)
        for axes, (_, of_set), printed in zip(panels, by_dataset(shown), peaks, strict=True):
            for method, curve in _by_method(of_set):
                color = training_method_style(method)["color"]
                if of_set["method"].nunique() <= MOST_BANDS:
                    axes.fill_between(curve.index, curve["low"], curve["high"], color=color, alpha=0.2, linewidth=0)
                _draw_line(axes, method, curve, "accuracy", _is_faint(of_set, method))
            _draw_published(axes, printed)
            _fit_axes(axes, of_set, printed)
            _name_lines(axes, of_set, "iteration", "accuracy")
        name_axes(figure, panels, "iteration", "accuracy on the test set (%)")
        _explain_marks(figure, shown, any(map(len, peaks)))
    return figure


def seconds_by_iteration(curves: pd.DataFrame) -> Figure:
    """Figure 3.2: CPU seconds of training up to each iteration on logarithmic axes, a panel per data set, a line per
    method.

    `curves` as of `accuracy_by_iteration`. Marker: the iteration that cross-validation chose.
    """
    shown = _of_methods(curves)
    with mpl.rc_context(SETTINGS):
        figure, panels = _figure_by_iteration(shown)
        for axes, (_, of_set) in zip(panels, by_dataset(shown), strict=True):
            for method, curve in _by_method(of_set):
                _draw_line(axes, method, curve, "cpu_seconds", _is_faint(of_set, method))
            axes.set_xscale("log")
            axes.set_yscale("log")
            axes.set_xlim(of_set["iteration"].min() / 1.2, 1.2 * of_set["iteration"].max())
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_formatter(lambda value, _: f"{value:g}")
                axis.set_minor_formatter(NullFormatter())
            _name_lines(axes, of_set, "iteration", "cpu_seconds")
        name_axes(figure, panels, "iteration", "cumulative CPU seconds")
        _explain_marks(figure, shown)
    return figure


def accuracy_by_seconds(curves: pd.DataFrame, of_papers: bool = True) -> Figure:
    """ICML 2004, figures 2 to 4: accuracy on the test set by CPU seconds of training, a panel per data set, a line per
    method.

    Parameters as of `accuracy_by_iteration`. The data sets of the paper come first, with its numbers of figures.
    Marker: the iteration that cross-validation chose. The axis of accuracies leaves out what happens in the first
    iterations only.
    """
    shown = _of_methods(curves)
    shown = shown[shown["cpu_seconds"] > 0]
    order = shown["dataset"].map(ICML_FIGURES).fillna(len(ICML_FIGURES) + 2)
    shown = shown.assign(order=order).sort_values("order", kind="stable")
    with mpl.rc_context(SETTINGS):
        figure, panels = _figure_by_iteration(shown)
        for axes, (_, of_set) in zip(panels, by_dataset(shown), strict=True):
            number = ICML_FIGURES.get(of_set["dataset"].iloc[0])
            if number and of_papers:
                axes.set_title(f"ICML figure {number}: {axes.get_title(loc='left')}", loc="left", fontsize=9)
            for method, curve in _by_method(of_set):
                _draw_line(axes, method, curve.set_index("cpu_seconds"), "accuracy", _is_faint(of_set, method))
            _fit_axes(axes, of_set, published_peaks().iloc[:0])
            axes.set_xscale("log")
            axes.set_xlim(of_set["cpu_seconds"].min() / 1.3, 1.3 * of_set["cpu_seconds"].max())
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
            axes.xaxis.set_minor_formatter(NullFormatter())
            _name_lines(axes, of_set, "cpu_seconds", "accuracy")
        name_axes(figure, panels, "CPU seconds of training", "accuracy on the test set (%)")
        _explain_marks(figure, shown)
    return figure


def accuracies(summary: pd.DataFrame, of_papers: bool = True) -> Figure:
    """Accuracy of every method with the decoder that cross-validation prefers, a panel per data set.

    `summary` is from `treecrf_studies.training.summary.make_frames`. A row per method, the same in each panel; empty
    where a method was not run. Dot: accuracy at the cross-validated choice, mean over the perturbed runs (of a method
    without such runs the unperturbed one). Bar: smallest to largest of these runs. Triangle: peak of the unperturbed
    test curve. Vertical line: published, unless `of_papers` is false.
    """
    at_peak = preferred_at(summary, PEAK).set_index(["dataset", "method"])["value"].rename("peak")
    better = preferred_at(summary, CHOICE).join(at_peak, on=["dataset", "method"])
    methods = ordered_training_methods(better["method"])

    def draw(axes: Axes, of_set: pd.DataFrame) -> None:
        places = [methods.index(method) for method in of_set["method"]]
        if of_papers and better["published"].notna().any():  # in the legend of all panels, if in one
            printed = of_set["published"].where(of_set["method"].isin(PAPERS_OWN))
            axes.plot(
                printed,
                places,
                linestyle="none",
                marker="|",
                markersize=9,
                markeredgewidth=1.4,
                color=INK,
                label="published",
                zorder=2,
            )
        _draw_accuracies(axes, of_set, places)
        axes.set_yticks(range(len(methods)), [training_method_name(method) for method in methods])
        axes.set_ylim(len(methods) - 0.4, -0.6)

    return draw_by_dataset(
        better,
        draw,
        lambda n, m: (2.0 + 2.35 * n, (0.55 + 0.21 * len(methods)) * m + 0.6),
        "accuracy on the test set (%)",
        "",
        "",
        handlelength=1.6,
        sharey=True,
    )


def accuracy_by_size(larger_accuracies: pd.DataFrame) -> Figure:
    """Accuracy by the number of training sequences, a panel per data set and population, a line per method.

    `larger_accuracies` is from `treecrf_studies.training.larger_summary`. Draws alone are shown, of methods with
    several numbers of training sequences. Marker: mean over the draws. Bar: a standard deviation of the draws on either
    side. The axis of sequences is logarithmic.
    """
    draws = of_first_decoder(larger_accuracies).query("test == 'draws'")
    second = draws["population"].map({"same": "", "second": ", second population"})
    shown = draws.assign(dataset=draws["dataset"].astype(str) + second.astype(str), n_train=draws["n_train"].round())
    n_sizes = shown.groupby(["dataset", "method"], observed=True)["n_train"].transform("nunique")
    shown = shown[n_sizes > 1]
    if shown.empty:
        return sentence_figure("No sample has draws of several numbers of training sequences.")
    means = shown.groupby(["dataset", "method", "n_train"], observed=True, sort=False)[["value", "sd"]].mean()
    means = means.reset_index()
    return draw_by_dataset(
        means,
        _draw_sizes,
        lambda n, m: (WIDTHS[n], 2.3 * m + 0.9),
        "training sequences",
        "accuracy on all other sequences (%)",
        "bar: standard deviation over draws",
        most_columns=2,
    )


def published_peaks() -> pd.DataFrame:
    """Published accuracies and the iterations that reach them (PhD table 3.5).

    dataset, method, percent, first and last (of a range of iterations, else the same).
    """
    known = training_accuracies()
    percent = known.loc[known["decoder"] == BETTER, ["dataset", "method", "percent"]]
    peaks = percent.merge(training_costs()[["dataset", "method", "iterations"]], on=["dataset", "method"])
    ends = peaks["iterations"].astype(str).str.split("-")
    return peaks.drop(columns="iterations").assign(first=ends.str[0].astype(int), last=ends.str[-1].astype(int))


# --- panels -----------------------------------------------------------------------------------------


def _of_methods(curves: pd.DataFrame) -> pd.DataFrame:
    """The curves with the preferred decoder of all methods that have one; of all methods where none has several
    iterations.
    """
    curves = curves[curves["preferred"]]
    last = curves.groupby("method", sort=False)["iteration"].max()
    present = list(last[last > 1].index) or list(last.index)
    return curves[curves["method"].isin(present)]


def _figure_by_iteration(shown: pd.DataFrame) -> tuple[Figure, list[Axes]]:
    """Figure and panels, two in a row, as high as their names need; titles and the axis of iterations are set."""
    sets = list(by_dataset(shown))
    height = max(2.3, 0.6 + LABEL * max((len(named_methods(of_set)) for _, of_set in sets), default=0))
    figure, panels = panel_grid(
        [title for title, _ in sets], lambda n, m: (CURVE_WIDTHS.get(n, 12.0), height * m + 0.7), most_columns=2
    )
    for axes, (_, of_set) in zip(panels, sets, strict=True):
        axes.set_xlim(0, 1.03 * of_set["iteration"].max())
    return figure, panels


def _by_method(of_set: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    for method in ordered_training_methods(of_set["method"]):
        yield method, of_set[of_set["method"] == method].set_index("iteration").sort_index()


def _published_of(of_set: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """The published peaks of a panel; two methods that the same number stands for have one."""
    here = published[(published["dataset"] == of_set["dataset"].iloc[0]) & published["method"].isin(of_set["method"])]
    return here.drop_duplicates(["percent", "first", "last"])


def _fit_axes(axes: Axes, of_set: pd.DataFrame, peaks: pd.DataFrame) -> None:
    """Show every marker, and leave out accuracies that only the first iterations have."""
    last = of_set["iteration"].max()
    shown = of_set[(of_set["iteration"] > FIRST_ITERATIONS * last) | of_set["chosen"]]
    bottom, top = min([shown["low"].min(), *peaks["percent"]]), max([of_set["high"].max(), *peaks["percent"]])
    room = 0.06 * (top - bottom) or 1.0
    axes.set_ylim(bottom - room, top + room)
    axes.set_xlim(0, 1.03 * max([last, *peaks["last"]]))


# --- marks ------------------------------------------------------------------------------------------


def _is_faint(of_set: pd.DataFrame, method: str) -> bool:
    """Whether others stand out in the panel of a data set."""
    return method not in MAIN and of_set["method"].nunique() > MOST_BANDS


def _draw_line(axes: Axes, method: str, curve: pd.DataFrame, name: str, is_faint: bool) -> None:
    """A curve, and over all curves a marker at the chosen iteration."""
    style = training_method_style(method)
    look: dict[str, Any] = {"alpha": FAINT, "linewidth": 0.7, "zorder": 1.5} if is_faint else {"linewidth": 1.3}
    axes.plot(curve.index, curve[name], color=style["color"], linestyle=style["linestyle"], **look)
    chosen = curve.loc[curve["chosen"], name]
    axes.plot(
        chosen.index,
        chosen,
        color=style["color"],
        marker=style["marker"],
        markersize=1.3 * _size(method),
        markeredgecolor=style["color"] if style["marker"].startswith("$") else "white",  # an outline hides letters
        markeredgewidth=0.5,
        linestyle="none",
        zorder=4,
        clip_on=False,
    )


def _name_lines(axes: Axes, of_set: pd.DataFrame, below: str, beside: str) -> None:
    """The names of `named_methods` at the right of a panel, in the order of the ends of their lines, which thin lines
    join.

    Limits and scales of the axes are set.
    """
    is_crowded = of_set["method"].nunique() > MOST_BANDS
    of_set = of_set[of_set["method"].isin(named_methods(of_set))]
    last = of_set.sort_values("iteration", kind="stable").groupby("method", sort=False)[[below, beside]].last()
    ends = axes.transAxes.inverted().transform(axes.transData.transform(last.to_numpy()))
    height = max(2.3, 0.6 + LABEL * len(last)) - 0.6
    places = spread(ends[:, 1].clip(0, 1), LABEL / height)
    places = places - max(0.0, places.max() - 1) + max(0.0, -places.min())
    for (method, _), (x, y), place in zip(last.iterrows(), ends, places, strict=True):
        style = training_method_style(str(method))
        axes.plot(
            [x, 1.0, 1.03],
            [y.clip(0, 1), y.clip(0, 1), place],
            transform=axes.transAxes,
            color=style["color"],
            linewidth=0.5,
            alpha=0.7,
            clip_on=False,
            gid="leader",
        )
        name = training_method_name(str(method))
        look = {
            "color": style["color"],
            "fontsize": SMALL,
            "weight": "bold" if is_crowded and method in MAIN else "normal",
        }
        axes.text(1.04, place, name, transform=axes.transAxes, va="center", **look)


def named_methods(of_set: pd.DataFrame) -> list[str]:
    """The methods of a panel whose lines have names: at most `MOST_NAMES`, unless `MAIN` has more."""
    last = of_set.sort_values("iteration", kind="stable").groupby("method", sort=False)["accuracy"].last()
    order = last.sort_values(ascending=False, kind="stable").index
    main = [str(method) for method in order if method in MAIN]
    return main + [str(method) for method in order if method not in MAIN][: max(0, MOST_NAMES - len(main))]


def _explain_marks(figure: Figure, shown: pd.DataFrame, with_published: bool = False) -> None:
    note = "; hollow: published" if with_published else ""
    if (shown.groupby("dataset")["method"].nunique() > MOST_BANDS).any():
        note += "; bold: methods of the papers, and TreeCRF-Newton"
    if (shown.groupby("dataset")["method"].nunique() > MOST_NAMES).any():
        note += "; of the others, the best are named"
    figure.suptitle(f"marker: chosen by cross-validation{note}", fontsize=SMALL)


def _draw_sizes(axes: Axes, of_set: pd.DataFrame) -> None:
    for method in ordered_training_methods(of_set["method"]):
        line = of_set[of_set["method"] == method].sort_values("n_train")
        axes.errorbar(
            line["n_train"],
            line["value"],
            line["sd"].fillna(0),
            **training_method_style(method),
            linewidth=1.0,
            elinewidth=0.6,
            markersize=_size(method),
            label=training_method_name(method),
        )
    axes.set_xscale("log")
    sizes = sorted(of_set["n_train"].unique())
    axes.set_xticks(sizes, [f"{size:,.0f}" for size in sizes])
    axes.xaxis.set_minor_locator(NullLocator())


def _draw_published(axes: Axes, peaks: pd.DataFrame) -> None:
    """Hollow markers, at both ends of a range of iterations."""
    for peak in peaks.to_dict("records"):
        style = training_method_style(peak["method"])
        axes.plot(
            [peak["first"], peak["last"]],
            [peak["percent"]] * 2,
            color=style["color"],
            marker=style["marker"],
            markerfacecolor="none",
            markersize=1.5 * _size(peak["method"]),
            linewidth=0.6,
            zorder=3,
        )


def _size(method: str) -> float:
    return MARKER_SIZES.get(training_method_style(method)["marker"], 3.8)


def _draw_accuracies(axes: Axes, of_set: pd.DataFrame, places: list[int]) -> None:
    reach = [of_set["value"] - of_set["low"], of_set["high"] - of_set["value"]]
    reach = [side.clip(lower=0) for side in reach]  # the mean of equal numbers may be rounded
    axes.plot(
        of_set["peak"],
        places,
        linestyle="none",
        marker=">",
        markersize=5,
        markerfacecolor="none",
        color=PEAK_COLOR,
        label="peak of the test curve",
    )
    axes.errorbar(
        of_set["value"],
        places,
        xerr=reach,
        linestyle="none",
        marker="o",
        markersize=4.5,
        capsize=1.6,
        elinewidth=1.0,
        color=training_method_style("treecrf")["color"],
        label="cross-validated choice, smallest to largest run",
    )
    axes.tick_params(axis="y", length=0)
