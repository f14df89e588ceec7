"""Names, colours, markers and lines of methods."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from treecrf_studies.rendering.panels import panel_grid, save_figure, seen_in, shortened
from treecrf_studies.rendering.style import (
    INK,
    METHOD_NAMES,
    METHOD_STYLES,
    OTHER_STYLE,
    SETTINGS,
    TRAINING_METHOD_NAMES,
    TRAINING_METHOD_STYLES,
    ordered_methods,
    ordered_training_methods,
    training_method_name,
    training_method_style,
)


def test_methods_can_be_told_apart():
    assert set(TRAINING_METHOD_STYLES) == set(TRAINING_METHOD_NAMES)
    styles = [*TRAINING_METHOD_STYLES.values(), OTHER_STYLE]
    assert len({style["marker"] for style in styles}) == len(styles)
    assert len({(style["color"], style["linestyle"]) for style in styles}) == len(styles)


def test_unknown_methods_come_last_and_are_shown_by_their_id():
    assert ordered_training_methods(["z", "memm", "a", "treecrf", "z"]) == ["treecrf", "memm", "z", "a"]
    assert (training_method_name("z"), training_method_name("memm")) == ("z", "MEMM")
    assert training_method_style("z") == OTHER_STYLE


def test_methods_differ_in_colour_marker_and_line():
    for part in ("color", "marker", "linestyle"):
        assert len({style[part] for style in METHOD_STYLES.values()}) == len(METHOD_STYLES)
    assert list(METHOD_STYLES) == list(METHOD_NAMES)
    assert ordered_methods(["indicator", "imputation", "indicator"]) == ["imputation", "indicator"]
    assert ordered_methods(["guessing", "imputation", "own"]) == [
        "imputation",
        "guessing",
        "own",
    ]  # the user's own last


def luminance(color):
    """Relative luminance of WCAG 2."""
    channels = np.array(to_rgb(color))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


@pytest.mark.parametrize("ground", ["#ffffff", "#131416"])
def test_light_and_dark_pages_show_text_and_marks(ground):
    assert SETTINGS["figure.facecolor"] == SETTINGS["axes.facecolor"] == "none"

    def contrast(color):
        pair = sorted([luminance(color), luminance(ground)])
        return (pair[1] + 0.05) / (pair[0] + 0.05)

    assert contrast(INK) > 4
    styles = [*METHOD_STYLES.values(), *TRAINING_METHOD_STYLES.values(), OTHER_STYLE]
    assert min(contrast(style["color"]) for style in styles) > 3


def test_long_titles_have_lines_as_narrow_as_their_panels():
    _, panels = panel_grid(["hyphen_tex (a stand-in for the lists)", "b"], lambda n, m: (2.2 * n, 2.0))
    assert panels[0].get_title(loc="left").split("\n") == ["hyphen_tex (a stand-in", "for the lists)"]
    assert panels[1].get_title(loc="left") == "b"


def test_a_file_says_which_lines_end_highest_and_lowest(tmp_path):
    figure, panels = panel_grid(["a", "b", "c"], lambda columns, rows: (4.0, 2.0))
    for place, name in enumerate(("one", "two", "three")):
        panels[0].plot([2, 1, 3], [0.0, 5.0 * place, np.nan], label=name)
        panels[1].errorbar([1, 2], [50.0, 60.25 + place], [1, 1], label=name)
    panels[2].plot([1, 2], [3, 4], label="alone")
    said = "Highest and lowest line: a: one ends at 0.00, one at 0.00; b: three ends at 62.2, one at 60.2."
    assert seen_in(figure) == said
    save_figure(figure, tmp_path / "figure.svg", "svg")
    assert f"<dc:description>{said}</dc:description>" in (tmp_path / "figure.svg").read_text()
    assert seen_in(panel_grid(["a"], lambda columns, rows: (1.0, 1.0))[0]) == ""


def test_places_of_a_picture_are_to_a_hundredth_of_a_point():
    drawn = b'<path d="M 1.23456 -7.5 L 10 2.999999 \nz" style="stroke-opacity: 0.313725"/>'
    assert shortened(drawn) == b'<path d="M 1.23 -7.5 L 10 2.99 \nz" style="stroke-opacity: 0.313725"/>'
    used = b'<use x="3.14159" y="2.71828" transform="translate(82.585171 204.844184) scale(0.015625)"/>'
    assert shortened(used) == b'<use x="3.14" y="2.71" transform="translate(82.58 204.84) scale(0.015625)"/>'
