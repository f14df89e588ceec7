"""Style of all figures: colours that colour-blind readers tell apart, line styles that survive print."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

DECODER_STYLES: dict[str, dict[str, Any]] = {
    "forward_backward": {"color": "#0072B2", "marker": "o", "linestyle": "-"},
    "viterbi": {"color": "#D55E00", "marker": "s", "linestyle": (0, (4, 1.2))},
}
"""Colours from the palette of Okabe and Ito, by decoder; line and marker differ too."""

DECODER_NAMES = {"forward_backward": "forward-backward", "viterbi": "Viterbi", "better": "preferred by CV"}

METHOD_STYLES: dict[str, dict[str, Any]] = {
    "instance_weighting": {"color": "#0072B2", "marker": "o", "linestyle": "-"},
    "surrogate_splitting": {"color": "#D55E00", "marker": "s", "linestyle": (0, (4, 1.2))},
    "imputation": {"color": "#009E73", "marker": "^", "linestyle": (0, (6, 1.2, 1.2, 1.2))},
    "indicator": {"color": "#CC79A7", "marker": "D", "linestyle": (0, (1.2, 1.2))},
    "default_direction": {"color": "#000000", "marker": "v", "linestyle": (0, (3, 1, 1, 1, 1, 1))},
}
"""The same palette, by method for missing values; line and marker differ too."""

METHOD_NAMES = {
    "instance_weighting": "instance weighting",
    "surrogate_splitting": "surrogate splitting",
    "imputation": "imputation",
    "indicator": "indicator",
    "default_direction": "default direction",
}
"""Methods for missing values as readers see them, in the order of lines and columns."""

TRAINING_METHOD_STYLES: dict[str, dict[str, Any]] = {
    "treecrf": {"color": "#0072B2", "marker": "o", "linestyle": "-"},
    "treecrf_original": {"color": "#56B4E9", "marker": "h", "linestyle": (0, (5, 1))},
    "treecrf_flat": {"color": "#CC79A7", "marker": "p", "linestyle": (0, (3, 1.2))},
    "linear_crf": {"color": "#000000", "marker": "D", "linestyle": (0, (1.2, 1.2))},
    "induced_crf": {"color": "#009E73", "marker": "^", "linestyle": (0, (6, 1.2, 1.2, 1.2))},
    "mallet": {"color": "#D55E00", "marker": "s", "linestyle": (0, (4, 1.2))},
    "mallet_linear": {"color": "#E69F00", "marker": "P", "linestyle": (0, (3, 1, 1, 1, 1, 1))},
    "smile": {"color": "#CC79A7", "marker": "v", "linestyle": (0, (6, 1, 1, 1, 1, 1))},
    "memm": {"color": "#56B4E9", "marker": "X", "linestyle": (0, (2, 2))},
    "sliding_window": {"color": "#E69F00", "marker": "<", "linestyle": (0, (1, 2))},
    "neural_network": {"color": "#009E73", "marker": ">", "linestyle": (0, (2, 1))},
    "lightgbm": {"color": "#D55E00", "marker": "d", "linestyle": (0, (8, 2))},
}
"""The same palette, by method of the training study; methods of one colour differ in line and marker."""

OTHER_STYLE: dict[str, Any] = {"color": "#4d4d4d", "marker": "*", "linestyle": (0, (1, 1))}
"""Of a method that `TRAINING_METHOD_STYLES` does not have."""

TRAINING_METHOD_NAMES = {
    "treecrf": "TreeCRF",
    "treecrf_original": "TreeCRF, original",
    "treecrf_flat": "TreeCRF, flattened",
    "linear_crf": "linear CRF",
    "induced_crf": "CRF with induction",
    "mallet": "MALLET",
    "mallet_linear": "MALLET, no induction",
    "smile": "SMILE",
    "memm": "MEMM",
    "sliding_window": "sliding window",
    "neural_network": "neural network",
    "lightgbm": "LightGBM",
}
"""Methods of the training study as readers see them, in the order of lines and columns."""

SETTINGS: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#d9d9d9",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "svg.hashsalt": "treecrf",
    "pdf.fonttype": 42,
}
"""matplotlib settings of every figure."""


def save_figure(figure: Figure, path: str | os.PathLike[str], kind: str) -> None:
    """Write `figure` to `path` as "svg", "pdf" or "png", the same bytes each time."""
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}[kind]
    with mpl.rc_context(SETTINGS):
        figure.savefig(path, format=kind, dpi=200, metadata=metadata)


def ordered_methods(methods: Iterable[str]) -> list[str]:
    """Each method for missing values once: those of `METHOD_NAMES` in its order, then the others in the order given."""
    return _known_first(methods, METHOD_NAMES)


def method_name(method: str) -> str:
    """What readers see of a method for missing values; the name of a labeller of their own is theirs."""
    return METHOD_NAMES.get(method, method)


def method_style(method: str) -> dict[str, Any]:
    """Colour, marker and line style of a method for missing values."""
    return METHOD_STYLES.get(method, OTHER_STYLE)


def ordered_training_methods(methods: Iterable[str]) -> list[str]:
    """Each method once: those of `TRAINING_METHOD_NAMES` in its order, then the others in the order given."""
    return _known_first(methods, TRAINING_METHOD_NAMES)


def is_own(method: str) -> bool:
    """Whether a method of the training study is a class of the user's own."""
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
