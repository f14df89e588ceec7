"""What all figures share: axes without a window, colours, and files with the same bytes each time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from treecrf.io.files import atomic
from treecrf.io.messages import needs_extra
from treecrf.io.palette import COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SETTINGS: Any = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "svg.hashsalt": "treecrf",
    "pdf.fonttype": 42,
    "text.parse_math": False,  # a dollar in a label or a word is a dollar
}
"""matplotlib settings of every figure."""

FORMATS = (".png", ".svg", ".pdf")
"""Endings of the files that `save_figure` writes."""

MAIN, OPPOSITE, QUIET = COLORS[0][0], COLORS[1][0], "#bbbbbb"
"""Colours of bars, of what points the other way or is wrong, and of what has no colour of its own."""

NO_DATES: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {"Software": None}}


@contextmanager
def styled() -> Iterator[None]:
    """Settings of this package, for this block alone."""
    with needs_extra("plot"):
        import matplotlib as mpl
    with mpl.rc_context(SETTINGS):
        yield


def new_figure(width: float, height: float) -> Figure:
    """A figure of this size in inches that no window shows."""
    with needs_extra("plot"):
        from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def axes_of(ax: Axes | None, width: float, height: float) -> Axes:
    """The axes, or new ones of a figure of this size."""
    return new_figure(width, height).subplots() if ax is None else ax


def save_figure(drawn: Figure | Axes, path: str | os.PathLike[str]) -> None:
    """Write a figure, or that of axes, as the ending of the path says (`FORMATS`); atomic, the same bytes each time."""
    kind = os.path.splitext(os.fspath(path))[1].lower().removeprefix(".")
    if f".{kind}" not in FORMATS:
        raise ValueError(f"{os.fspath(path)}: figures are {', '.join(FORMATS)} files; name it so.")
    figure: Any = drawn.figure
    with styled(), atomic(path) as temporary:
        figure.savefig(temporary, format=kind, dpi=200, metadata=NO_DATES[kind])
