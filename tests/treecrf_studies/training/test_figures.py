"""Figures of the training study: what is drawn is what was given."""

import numpy as np
import pandas as pd
import pytest
from planted_summary import outcome

from treecrf_studies.rendering.panels import save_figure
from treecrf_studies.rendering.style import training_method_style
from treecrf_studies.training.figures import (
    FAINT,
    accuracies,
    accuracy_by_iteration,
    accuracy_by_seconds,
    published_peaks,
    seconds_by_iteration,
)

NAN = np.nan


def curves_of(accuracy, chosen, dataset="protein", stand_in=False):
    """Learning curves; `accuracy` maps methods to the accuracies of the iterations, `chosen` to the chosen
    iteration.
    """
    rows = [
        {
            "dataset": dataset,
            "stand_in": stand_in,
            "method": method,
            "decoder": "viterbi",
            "preferred": True,
            "iteration": iteration,
            "accuracy": value,
            "low": value - 1.0,
            "high": value + 0.5,
            "cpu_seconds": 0.25 * iteration,
            "chosen": iteration == chosen[method],
        }
        for method, values in accuracy.items()
        for iteration, value in enumerate(values, start=1)
    ]
    return pd.DataFrame(rows)


@pytest.fixture
def curves():
    accuracy = {
        "linear_crf": [50.0, 60.0],
        "treecrf": [60.0, 63.0, 62.0],
        "memm": [1.0, 2.0],
        "mine": [40.0, 41.0],
        "bayes": [50.0],
    }
    chosen = {"linear_crf": 2, "treecrf": 2, "memm": 1, "mine": 1, "bayes": 1}
    return pd.concat([curves_of(accuracy, chosen), curves_of(accuracy, chosen, "faq_x", stand_in=True)])


def curves_and_marks(axes):
    """By colour: x and y of the curve, and of the marker over it; hollow markers apart."""
    lines, marks, hollow = {}, {}, {}
    for line in (line for line in axes.get_lines() if line.get_gid() != "leader"):
        points = [line.get_xdata().tolist(), line.get_ydata().tolist()]
        if line.get_markerfacecolor() == "none":
            hollow[line.get_color()] = points
        elif line.get_marker() != "None" and points[0]:
            marks[line.get_color()] = points
        elif points[0]:
            lines[line.get_color()] = points
    return lines, marks, hollow


def names_of(axes):
    """Names at the ends of the lines, from the top."""
    return [text.get_text() for text in sorted(axes.texts, key=lambda text: -text.get_position()[1])]


TREE, LINEAR, OWN, MEMM = (
    training_method_style(method)["color"] for method in ("treecrf", "linear_crf", "mine", "memm")
)


def test_accuracy_draws_curves_bands_and_choices(curves):
    figure = accuracy_by_iteration(curves, of_papers=False)
    protein, faq = figure.axes
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["protein", "faq_x (stand-in)"]
    for axes in (protein, faq):  # best first; without the method that has one iteration
        assert names_of(axes) == ["TreeCRF", "linear CRF", "mine", "MEMM"]
    assert figure.get_suptitle() == "marker: chosen by cross-validation"
    for axes in (protein, faq):
        lines, marks, hollow = curves_and_marks(axes)
        assert lines == {
            TREE: [[1, 2, 3], [60.0, 63.0, 62.0]],
            LINEAR: [[1, 2], [50.0, 60.0]],
            OWN: [[1, 2], [40.0, 41.0]],
            MEMM: [[1, 2], [1.0, 2.0]],
        }
        assert marks == {TREE: [[2], [63.0]], LINEAR: [[2], [60.0]], OWN: [[1], [40.0]], MEMM: [[1], [1.0]]}
        assert hollow == {}
    band = {tuple(point) for point in protein.collections[0].get_paths()[0].vertices.tolist()}
    assert {(1, 59.0), (2, 62.0), (3, 61.0), (1, 60.5), (2, 63.5), (3, 62.5)} <= band


def test_published_peaks_are_hollow(curves):
    published = published_peaks()
    assert tuple(published.set_index(["dataset", "method"]).loc[("protein", "treecrf")]) == (64.52, 142, 142)
    assert tuple(published.set_index(["dataset", "method"]).loc[("faq_aix", "linear_crf")]) == (94.04, 80, 140)
    figure = accuracy_by_iteration(curves)
    protein, faq = figure.axes
    assert curves_and_marks(protein)[2] == {TREE: [[142, 142], [64.52, 64.52]], LINEAR: [[66, 66], [62.44, 62.44]]}
    assert curves_and_marks(faq)[2] == {}  # a stand-in has no published curve
    assert figure.get_suptitle() == "marker: chosen by cross-validation; hollow: published"
    assert protein.get_xlim()[1] > 142
    assert protein.get_ylim()[1] > 64.52


def test_one_marker_for_two_methods_with_the_same_published_number():
    curves = curves_of({"induced_crf": [60.0], "mallet": [61.0]}, {"induced_crf": 1, "mallet": 1})
    mallet = training_method_style("mallet")["color"]
    (axes,) = accuracy_by_iteration(curves).axes
    assert curves_and_marks(axes)[2] == {mallet: [[123, 123], [64.43, 64.43]]}


def test_names_of_many_methods_stand_apart_beside_the_panel():
    several = {"treecrf": 61.0, "mallet": 60.9, "memm": 60.8, "smile": 60.7, "lightgbm": 60.6, "linear_crf": 60.5}
    accuracy = {method: [55.0, last] for method, last in several.items()} | {"neural_network": [20.0, 21.0]}
    figure = accuracy_by_iteration(curves_of(accuracy, dict.fromkeys(accuracy, 2)))
    (axes,) = figure.axes
    assert names_of(axes)[0] == "TreeCRF"
    assert names_of(axes)[-1] == "neural network"
    assert len(axes.collections) == 0  # bands of seven methods would hide each other
    assert {text.get_text() for text in axes.texts if text.get_weight() == "bold"} == {"TreeCRF", "MALLET"}
    assert sum(line.get_alpha() == FAINT for line in axes.get_lines()) == 5
    assert figure.get_suptitle().endswith("bold: methods of the papers, and TreeCRF-Newton")
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in axes.texts]
    assert not any(one.overlaps(other) for place, one in enumerate(boxes) for other in boxes[:place])
    assert all(box.x0 > axes.bbox.x1 and box.x1 <= figure.bbox.x1 for box in boxes)


def test_of_many_methods_the_papers_ours_and_the_best_have_names():
    named = {
        "treecrf": 50.0,
        "mallet": 51.0,
        "treecrf_newton": 52.0,
        **{f"best {place}": 70.0 + place for place in range(5)},
    }
    accuracy = {method: [40.0, last] for method, last in {"worse": 60.0, "worst": 59.0, **named}.items()}
    curves = curves_of(accuracy, dict.fromkeys(accuracy, 2))
    for draw in (accuracy_by_iteration, seconds_by_iteration, accuracy_by_seconds):
        figure = draw(curves)
        (axes,) = figure.axes
        names = names_of(axes)
        assert {"TreeCRF", "MALLET", "TreeCRF-Newton"} < set(names)
        assert (len(names), [name for name in names if name.startswith("wors")]) == (8, [])
        assert sum(line.get_alpha() == FAINT for line in axes.get_lines()) == 7  # also those without a name
        assert figure.get_suptitle().endswith("; of the others, the best are named")


def test_the_first_iterations_may_be_outside_the_axis():
    values = [5.0, *[60.0] * 8, 61.0, 62.0]
    (axes,) = accuracy_by_iteration(curves_of({"treecrf": values}, {"treecrf": 10})).axes
    assert 5.0 < axes.get_ylim()[0] < 59.0
    assert axes.get_ylim()[1] > 62.5
    (axes,) = accuracy_by_iteration(curves_of({"treecrf": values}, {"treecrf": 1})).axes
    assert axes.get_ylim()[0] < 5.0  # the choice is always shown


def test_seconds_draw_curves_and_choices(curves):
    figure = seconds_by_iteration(curves[curves["method"] == "treecrf"])
    lines, marks, _ = curves_and_marks(figure.axes[0])
    assert lines == {TREE: [[1, 2, 3], [0.25, 0.5, 0.75]]}
    assert marks == {TREE: [[2], [0.5]]}
    assert names_of(figure.axes[0]) == ["TreeCRF"]
    assert {(axes.get_xscale(), axes.get_yscale()) for axes in figure.axes} == {("log", "log")}


def test_accuracy_by_seconds_begins_with_the_data_sets_of_the_paper(curves):
    general = curves[curves["dataset"] == "protein"].assign(dataset="faq_ai_general")
    every = pd.concat([curves, general])
    figure = accuracy_by_seconds(every[every["method"] == "treecrf"])
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == ["ICML figure 2: faq_ai_general", "protein", "faq_x (stand-in)"]
    for axes in figure.axes:
        lines, marks, _ = curves_and_marks(axes)
        assert lines == {TREE: [[0.25, 0.5, 0.75], [60.0, 63.0, 62.0]]}
        assert marks == {TREE: [[0.5], [63.0]]}
        assert axes.get_xscale() == "log"


def test_the_decoder_that_is_not_preferred_is_not_drawn(curves):
    other = curves.assign(decoder="forward_backward", preferred=False, accuracy=1.0, low=0.0, high=2.0)
    both = accuracy_by_iteration(pd.concat([other, curves]))
    for axes, alone in zip(both.axes, accuracy_by_iteration(curves).axes, strict=True):
        assert curves_and_marks(axes) == curves_and_marks(alone)


def test_methods_of_the_figures(curves):
    only = curves[curves["method"] == "memm"]
    assert names_of(accuracy_by_iteration(only).axes[0]) == ["MEMM"]
    without = curves[curves["method"] == "bayes"]
    assert names_of(accuracy_by_iteration(without).axes[0]) == ["bayes"]  # alone, the one point that it has


def test_overview_draws_choice_spread_peak_and_published():
    rows = [
        outcome("protein", "linear_crf", "better", 60.0, 61.0, published=62.44),  # beside the papers' BASELINE
        outcome("protein", "treecrf", "better", 63.0, 64.0, published=64.52, unperturbed=1.0, low=62.0, high=65.0),
        outcome("protein", "treecrf", "viterbi", 9.0, 9.0),
        outcome("faq_x", "mine", "better", 95.5, 96.5, low=95.6),  # a minimum above the mean, by rounding
    ]
    summary = pd.concat(rows, ignore_index=True)
    (legend,) = accuracies(summary[summary["dataset"] == "protein"]).legends  # one panel is narrower than its legend
    assert legend.get_window_extent().width <= legend.figure.bbox.width
    figure = accuracies(summary)
    protein, faq = figure.axes
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["protein", "faq_x (stand-in)"]
    assert [label.get_text() for label in protein.get_yticklabels()] == ["TreeCRF", "linear CRF", "mine"]
    points = {line.get_label(): (line.get_xdata().tolist(), line.get_ydata().tolist()) for line in protein.get_lines()}
    np.testing.assert_equal(points["published"], ([NAN, 64.52], [1, 0]))
    assert points["peak of the test curve"] == ([61.0, 64.0], [1, 0])
    middle, _, (bars,) = protein.containers[0].lines
    assert (middle.get_xdata().tolist(), middle.get_ydata().tolist()) == ([60.0, 63.0], [1, 0])
    assert [segment[:, 0].tolist() for segment in bars.get_segments()] == [[60.0, 60.0], [62.0, 65.0]]
    assert faq.containers[0].lines[0].get_ydata().tolist() == [2]
    (legend,) = accuracies(summary.assign(published=float("nan"))).legends
    assert [text.get_text() for text in legend.get_texts() if "published" in text.get_text()] == []


# --- all figures ------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_sets", [1, 2, 5, 7])
def test_figures_have_a_panel_per_data_set(n_sets, tmp_path):
    sets = [curves_of({"treecrf": [60.0, 61.0]}, {"treecrf": 2}, f"set_{place}") for place in range(n_sets)]
    figure = accuracy_by_iteration(pd.concat(sets))
    assert len(figure.axes) == n_sets
    save_figure(figure, tmp_path / "figure.svg", "svg")  # no warning: the layout has room


@pytest.mark.parametrize("kind", ["svg", "pdf", "png"])
def test_figure_files_have_the_same_bytes_each_time(curves, tmp_path, kind):
    for name in ("first", "second"):
        save_figure(accuracy_by_iteration(curves), tmp_path / name, kind)
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
