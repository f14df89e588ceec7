"""Names, colours, markers and lines of methods."""

from treecrf_studies.rendering.style import (
    METHOD_NAMES,
    METHOD_STYLES,
    OTHER_STYLE,
    TRAINING_METHOD_NAMES,
    TRAINING_METHOD_STYLES,
    ordered_methods,
    ordered_training_methods,
    training_method_name,
    training_method_style,
)
from treecrf_studies.training.figures import FIGURE_METHODS


def test_methods_can_be_told_apart():
    assert set(TRAINING_METHOD_STYLES) == set(TRAINING_METHOD_NAMES)
    styles = [*TRAINING_METHOD_STYLES.values(), OTHER_STYLE]
    assert len({style["marker"] for style in styles}) == len(styles)
    assert len({(style["color"], style["linestyle"]) for style in styles}) == len(styles)
    together = [TRAINING_METHOD_STYLES[method] for method in FIGURE_METHODS]
    for part in ("color", "marker", "linestyle"):
        assert len({style[part] for style in together}) == len(together)


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
