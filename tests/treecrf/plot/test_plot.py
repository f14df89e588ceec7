"""Figures: what they draw are the numbers they were given."""

from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from treecrf.automl.contributions import Contributions
from treecrf.automl.explanation import BEFORE
from treecrf.io.palette import COLORS, color_numbers
from treecrf.plot import plot_calibration, plot_confusion, plot_contributions, plot_importance, plot_sequence
from treecrf.plot.sequence import MOST_LINES, runs
from treecrf.plot.style import save_figure

NAMES = ["up", "down", "$x$"]


def sequence(n=40, seed=0):
    rng = np.random.default_rng(seed)
    probabilities = rng.dirichlet(np.ones(3), n)
    inputs = pd.DataFrame(rng.normal(size=(n, 6)), columns=list("abcdef")).assign(word=["a<b"] * n)
    return inputs, probabilities, rng.choice(NAMES, n).tolist()


def test_numbers_are_drawn_over_time():
    inputs, probabilities, true = sequence()
    figure = plot_sequence(inputs, probabilities, NAMES, true, title="one")
    panels = figure.axes
    assert len(panels) == MOST_LINES + 3
    for ax, name in zip(panels, "abcd", strict=False):
        np.testing.assert_array_equal(ax.lines[0].get_ydata(), inputs[name])
    assert len(panels[MOST_LINES].patches) == len(list(runs(true)))
    bands = [patch.get_data() for patch in panels[-1].patches]
    np.testing.assert_allclose(np.array([band.values - band.baseline for band in bands]).T, probabilities, atol=1e-12)
    named = plot_sequence(inputs, probabilities, NAMES, columns=["f"])
    assert [ax.get_ylabel() for ax in named.axes] == ["f", "predicted", "probability"]
    given = Figure(figsize=(3, 2))
    assert plot_sequence(inputs, probabilities, NAMES, figure=given) is given
    assert given.axes
    assert tuple(given.get_size_inches()) == (3, 2)


def test_every_label_that_is_seen_has_its_key():
    probabilities = np.tile([0.7, 0.29, 0.01], (5, 1))
    figure = plot_sequence(pd.DataFrame({"x": np.arange(5.0)}), probabilities, NAMES, ["up"] * 5)
    assert [text.get_text() for text in figure.legends[0].texts] == ["up", "down"]


def test_of_many_labels_the_commonest_have_keys():
    names = [f"l{number:02d}" for number in range(20)]
    true = [names[-1 - row % (row // 20 + 1)] for row in range(400)]  # later ones oftener
    figure = plot_sequence(
        pd.DataFrame({"x": np.arange(400.0)}), np.eye(20)[[names.index(name) for name in true]], names, true
    )
    assert [text.get_text() for text in figure.legends[0].texts] == [*names[-12:], "and 8 more"]


def test_long_titles_are_broken():
    long = " ".join(["word"] * 20)
    table = pd.DataFrame({"column": ["a"], "contribution": [0.5]})
    contributions = Contributions(long, (), 0.5, 0.0, table, None)
    lines = plot_contributions(contributions).get_title().split("\n")
    assert len(lines) > 1
    assert max(map(len, lines)) <= 60


def test_words_are_written_with_their_labels():
    words = pd.DataFrame({"word": ["Ada", "Lovelace", "wrote", "$\\frac$"]})
    tags = ["B-PER", "I-PER", "O"]
    probabilities = np.array([[0.9, 0.05, 0.05], [0.1, 0.8, 0.1], [0.0, 0.0, 1.0], [0.6, 0.2, 0.2]])
    figure = plot_sequence(words, probabilities, tags, ["B-PER", "I-PER", "O", "O"])
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert texts == ["Ada", "PER", "Lovelace", "", "wrote", "", "$\\frac$", "B-PER, true O"]


def test_positions_are_drawn_at_their_times():
    inputs, probabilities, true = sequence()
    times = np.datetime64("2024-01-31T12:00:00") + np.cumsum(np.arange(40) % 3 + 1) * np.timedelta64(60, "s")
    times[20:] += np.timedelta64(7200, "s")
    figure = plot_sequence(inputs, probabilities, NAMES, true, times=times, time_name="when")
    line = figure.axes[0].lines[0]
    days = (times - np.datetime64("1970-01-01")) / np.timedelta64(1, "D")
    np.testing.assert_allclose(line.get_xdata(), days)
    band = figure.axes[-1].patches[0].get_data()
    assert len(band.values) == 41  # a gap of two hours is no position's
    assert figure.axes[-1].get_xlabel() == "when"
    for wrong in (times[:39], times[::-1]):
        with pytest.raises(ValueError, match="plot_sequence: the times have shape"):
            plot_sequence(inputs, probabilities, NAMES, times=wrong)


def test_odd_inputs_are_refused():
    inputs, probabilities, true = sequence()
    with pytest.raises(ValueError, match=r"give one for each of 39 positions and 3 labels"):
        plot_sequence(inputs[:39], probabilities, NAMES)
    with pytest.raises(ValueError, match=r"true has 3 labels for 40 positions"):
        plot_sequence(inputs, probabilities, NAMES, true[:3])
    with pytest.raises(ValueError, match=r"there is no column 'z'"):
        plot_sequence(inputs, probabilities, NAMES, columns=["z"])
    with pytest.raises(ValueError, match=r"choose 'column' or 'offset'"):
        plot_importance(pd.DataFrame({"attribute": [], "lost": []}), by="row")
    with pytest.raises(ValueError, match=r"no column 'distance'"):
        plot_importance(pd.DataFrame({"attribute": [], "gain": []}), by="offset")


def test_bars_are_importances_with_intervals():
    table = pd.DataFrame({"attribute": ["x", "y"], "lost": [1.0, 5.0], "low": [0.5, 3.0], "high": [1.5, 8.0]})
    ax = plot_importance(table)
    assert [bar.get_width() for bar in ax.patches] == [5.0, 1.0]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["y", "x"]
    [segments] = [part.get_segments() for part in ax.collections]
    assert [segment[:, 0].tolist() for segment in segments] == [[3.0, 8.0], [0.5, 1.5]]


def test_offsets_are_columns_of_a_heat_map():
    gains = pd.DataFrame({"attribute": ["x", "x", "y"], "distance": [-1, 0, 0], "gain": [0.2, 0.1, 0.7]})
    ax = plot_importance(gains, by="offset")
    assert ax.images[0].get_array().tolist() == [[0.0, 0.7], [0.2, 0.1]]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["-1", "0"]
    assert [bar.get_width() for bar in plot_importance(gains).patches] == pytest.approx([0.7, 0.3])


def test_a_confusion_matrix_has_counts_and_shares():
    counts = pd.DataFrame([[8, 2], [0, 5]], index=["u", "v"], columns=["u", "v"])
    ax = plot_confusion(counts)
    assert ax.images[0].get_array().tolist() == [[0.8, 0.2], [0.0, 1.0]]
    assert [text.get_text() for text in ax.texts] == ["8", "2", "5"]
    many = pd.DataFrame(np.eye(40, dtype=int) * np.arange(1, 41))
    assert "(30 of 40)" in plot_confusion(many).get_title()


def test_calibration_leaves_empty_bins_out():
    bins = pd.DataFrame(
        {
            "low": [0.0, 0.5],
            "high": [0.5, 1.0],
            "n_positions": [0, 4],
            "probability": [np.nan, 0.8],
            "right": [np.nan, 1.0],
        }
    )
    ax = plot_calibration(bins)
    assert ax.lines[1].get_xydata().tolist() == [[0.8, 1.0]]


def found(n_columns=3, runner_up=None):
    parts = np.linspace(2.0, -1.0, n_columns)
    names = [BEFORE, *(f"column {number}" for number in range(1, n_columns))]
    table = pd.DataFrame({"column": names, "contribution": parts})
    return Contributions("up", ("down",), 0.5 + float(parts.sum()), 0.5, table, runner_up)


def test_a_waterfall_leads_from_the_baseline_to_the_score():
    for n_columns in (3, 30):
        contributions = found(n_columns)
        ax = plot_contributions(contributions)
        bars = ax.patches
        assert bars[0].get_x() == contributions.baseline
        for bar, after in pairwise(bars):
            assert bar.get_x() + bar.get_width() == pytest.approx(after.get_x(), abs=1e-9)
        assert bars[-1].get_x() + bars[-1].get_width() == pytest.approx(contributions.score, abs=1e-9)
    assert "after down" in ax.get_title()
    assert "approximate" in plot_contributions(found(runner_up="down")).get_title()


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_files_have_the_same_bytes_each_time(tmp_path, suffix):
    inputs, probabilities, true = sequence()
    for name in "ab":
        save_figure(plot_sequence(inputs, probabilities, NAMES, true), tmp_path / f"{name}.{suffix}")
    first, second = (tmp_path / f"{name}.{suffix}" for name in "ab")
    assert first.read_bytes() == second.read_bytes() != b""
    with pytest.raises(ValueError, match=r"figures are \.png, \.svg, \.pdf files"):
        save_figure(plot_sequence(inputs, probabilities, NAMES, true), tmp_path / "a.jpg")


def test_settings_of_the_caller_stay():
    before = dict(mpl.rcParams)
    plot_confusion(pd.DataFrame([[1]], index=["u"], columns=["u"]))
    assert dict(mpl.rcParams) == before


def test_labels_of_one_type_share_a_colour():
    assert color_numbers(["B-x", "I-x", "O", "B-y"], "BIO") == [0, 0, None, 1]
    assert color_numbers(["O", "B", "I"], "BIO") == [None, 0, 0]
    assert color_numbers(list("abc"), None) == [0, 1, 2]
    assert color_numbers([str(number) for number in range(13)], None)[-1] == 13 - 1 - len(COLORS)
