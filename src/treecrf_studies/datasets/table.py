"""Users' sequences as a data set."""

from __future__ import annotations

from treecrf.readers.reading import load_table
from treecrf_studies.datasets.description import Description

DESCRIPTIONS = (
    Description("table", "a table of your own", (0, 0), load_table, source="yours", kind="table", is_drawn=True),
)
