"""Findings: figures whose caption, words and numbers are of the same frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from treecrf_studies.rendering.parts import Drawing, escaped, slug

WIDTH = 6.8
"""Inches of a figure: text has its size on pages of some 650 points."""


class Finding(NamedTuple):
    """A figure, what follows from it and what is seen in it, all of the same frame."""

    title: str
    draw: Callable[[pd.DataFrame], Figure]
    caption: Callable[[pd.DataFrame], str]
    alt: Callable[[pd.DataFrame], str]

    def drawing(self, frame: pd.DataFrame, layout: pd.DataFrame) -> Drawing:
        """The figure of a frame for a page; `layout` has its numbers as readers see them."""
        return Drawing(self.draw(frame), self.alt(frame), escaped(self.caption(frame)), layout, slug(self.title))
