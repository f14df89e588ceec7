"""Descriptions of data sets, as the pages of studies say them."""

from __future__ import annotations

from treecrf.datasets import describe
from treecrf.rendering.cells import window_text
from treecrf.studies.framework.settings import Settings, TableDataset


def described(settings: Settings, name: str, has_window: bool = True) -> str:
    """Name, kind, source and stand-in of a data set; its window, unless a study has several."""
    dataset = settings.datasets[name]
    known = describe("table" if isinstance(dataset, TableDataset) else dataset.source or name)
    window = f", {window_text(known.window if dataset.window is None else dataset.window)}" if has_window else ""
    stand_in = f"; stand-in: {known.stand_in}" if known.stand_in else ""
    return f"{name}: {known.summary}{window}; {known.source}{stand_in}"
