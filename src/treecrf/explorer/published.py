"""Published numbers and what was measured in their place, as charts show them."""

from __future__ import annotations

import pandas as pd

from treecrf.explorer.gathering import Gathered

OWN, STAND_IN = "the papers' data", "a stand-in for them"
"""Values of `data`."""


def published_rows(gathered: Gathered) -> pd.DataFrame:
    """`Gathered.published` with data, where (the data set) and name (of the method)."""
    rows = gathered.published.merge(gathered.methods, on=["study", "method"])
    return rows.assign(data=rows["stand_in"].eq(True).map({True: STAND_IN, False: OWN}), where=rows["dataset"])
