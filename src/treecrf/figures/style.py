"""How all figures look: colours that colour-blind readers tell apart, line styles that survive print."""

from __future__ import annotations

import os
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

DECODER_STYLES: dict[str, dict[str, Any]] = {
    "forward_backward": {"color": "#0072B2", "marker": "o", "linestyle": "-"},
    "viterbi": {"color": "#D55E00", "marker": "s", "linestyle": (0, (4, 1.2))},
}
"""Colours from the palette of Okabe and Ito, by decoder; line and marker differ too."""

DECODER_NAMES = {"forward_backward": "forward-backward", "viterbi": "Viterbi", "better": "preferred by CV"}

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
