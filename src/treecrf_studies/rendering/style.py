"""Style of all figures: colours that colour-blind readers tell apart on light and dark pages, line styles that survive
print.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from treecrf_studies.methods.catalogue import DRAWINGS, MISSING, OTHER, TREATMENTS, Drawing, drawing_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK = "#777777"
"""Text, axes and neutral marks: 4:1 on white and on the ground of dark pages, since figures have no ground."""

GRID = "#88888850"
"""Lines behind marks."""

_ON_BOTH = {
    "#000000": INK,
    "#4d4d4d": "#a67c52",
    "#882255": "#b0427a",
    "#999999": "#909090",
    "#56B4E9": "#3a96cc",
    "#E69F00": "#c48600",
}
"""Instead of colours of the catalogue that white or dark pages swallow: names at lines and marks have 3:1 on both."""

DECODER_NAMES = {"forward_backward": "forward-backward", "viterbi": "Viterbi", "better": "preferred by CV"}


def on_both(drawing: Drawing) -> dict[str, Any]:
    """Colour, marker and line style of a drawing, in a colour that light and dark pages show."""
    return drawing.style | {"color": _ON_BOTH.get(drawing.color, drawing.color)}


# The treatments take the colours of the palette that stand out on white.
_MISSING_DRAWINGS = {name: TREATMENTS.get(name) or drawing_of(name, MISSING) for name in MISSING}

METHOD_STYLES = {name: on_both(drawing) for name, drawing in _MISSING_DRAWINGS.items()}
"""By method for missing values."""

METHOD_NAMES = {name: drawing.name for name, drawing in _MISSING_DRAWINGS.items()}
"""Methods for missing values as readers see them, in the order of lines and columns."""

TRAINING_METHOD_STYLES = {name: on_both(drawing) for name, drawing in DRAWINGS.items()}
"""By method of the training study."""

TRAINING_METHOD_NAMES = {name: drawing.name for name, drawing in DRAWINGS.items()}
"""Methods of the training study as readers see them, in the order of lines and columns."""

OTHER_STYLE: dict[str, Any] = on_both(Drawing("", *OTHER))
"""Of a method that `TRAINING_METHOD_STYLES` does not have."""

SETTINGS: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "svg.hashsalt": "treecrf",
    "pdf.fonttype": 42,
}
"""matplotlib settings of every figure."""


NOTHING = "nothing to show"
"""Title of a figure that is a sentence: pages leave it out."""

SMALL = 8
"""Size of legends, of numbers beside marks and of long lists of names; all other text has that of `SETTINGS`."""


def save_figure(figure: Figure, path: str | os.PathLike[str], kind: str, with_fonts: bool = True) -> None:
    """Write `figure` to `path` as "svg", "pdf" or "png", the same bytes each time; without fonts, the text of an SVG is
    in those of its reader, which takes a fifth of the bytes.
    """
    import matplotlib as mpl  # tables use this module too, and draw nothing

    from treecrf_studies.rendering.panels import seen_in

    told = {"Title": figure.get_label(), "Description": seen_in(figure)}
    told = {name: text for name, text in told.items() if text}
    metadata = {"svg": {"Date": None, **told}, "pdf": {"CreationDate": None}, "png": {"Software": None}}[kind]
    with mpl.rc_context(SETTINGS if with_fonts else SETTINGS | {"svg.fonttype": "none"}):
        figure.savefig(path, format=kind, dpi=200, metadata=metadata)
    figure.set_layout_engine("none")  # laid out once: the layout takes as long as the drawing


def ordered_methods(methods: Iterable[str]) -> list[str]:
    """Each method for missing values once: those of `METHOD_NAMES` in its order, then the others in the order given."""
    return _known_first(methods, METHOD_NAMES)


def method_name(method: str) -> str:
    """What readers see of a method for missing values; the name of a custom labeller is theirs."""
    return METHOD_NAMES.get(method, method)


def method_style(method: str) -> dict[str, Any]:
    """Colour, marker and line style of a method for missing values."""
    return METHOD_STYLES.get(method, OTHER_STYLE)


def ordered_training_methods(methods: Iterable[str]) -> list[str]:
    """Each method once: those of `TRAINING_METHOD_NAMES` in its order, then the others in the order given."""
    return _known_first(methods, TRAINING_METHOD_NAMES)


def is_custom(method: str) -> bool:
    """Whether a method of the training study is a custom labeller."""
    return method not in TRAINING_METHOD_NAMES


def training_method_name(method: str) -> str:
    """What readers see of a method of the training study; its id where it has no name."""
    return TRAINING_METHOD_NAMES.get(method, method)


def training_method_style(method: str) -> dict[str, Any]:
    """Colour, marker and line style of a method of the training study."""
    return TRAINING_METHOD_STYLES.get(method, OTHER_STYLE)


def _known_first(methods: Iterable[str], known: Iterable[str]) -> list[str]:
    present = dict.fromkeys(methods)
    return list(dict.fromkeys([*(method for method in known if method in present), *present]))
