"""What pages and figures show of a table: its sequences, as a model labels them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from treecrf.automl.labeller import TableLabeller
from treecrf.io.arrays import gather_ranges
from treecrf.pages.viewer import Viewed
from treecrf.readers.tables import TypedTable
from treecrf.sequences import SequenceSet, window_rows

MOST_POSITIONS = 200_000
"""Of a larger file, sequences drawn at random are shown."""


def view_table(
    model: TableLabeller, table: TypedTable, data: SequenceSet, wanted: int, seed: int, most: int = MOST_POSITIONS
) -> tuple[Viewed, int]:
    """Label the sequences of a table.

    Parameters
    ----------
    model : TableLabeller
    table : TypedTable
    data : SequenceSet
        Of all of it (`TableLabeller.encode`, with new labels where there are labels).
    wanted : int
        Number of a sequence that is shown in any case.
    seed : int
        Of the drawing of sequences, where there are more than `most` positions.

    Returns
    -------
    viewed : Viewed
    place : int
        Of the wanted sequence among those that are shown.
    """
    chosen = np.arange(len(data))
    if data.n_positions > most:
        order = np.append(wanted, np.random.default_rng(seed).permutation(np.delete(chosen, wanted)))
        fits = np.cumsum(data.lengths[order]) <= most
        fits[0] = True
        chosen = np.sort(order[fits])
    part = data.select(chosen)
    ready = model.prepare(part)
    rows = gather_ranges(data.observation_offsets, chosen)[1][window_rows(part, (0, 0))[:, 0]]
    columns = {}
    for name in model.columns.attributes:
        if name in data.number_names:
            columns[name] = pd.Series(data.numbers[rows, data.number_names.index(name)])
        else:
            columns[name] = pd.Series(table.frame[name].to_numpy(dtype=object)[rows], dtype=object)
    ids = table.frame[model.columns.sequence].astype(str).to_numpy()
    known = tuple(model.labeller.label_names_)
    viewed = Viewed(
        ids[data.observation_offsets[chosen]].tolist(),
        part.offsets,
        pd.DataFrame(columns),
        known if part.labels is None else part.label_names,
        model.labeller.predict_proba(ready),
        model.metric.predict(model.labeller, ready),
        part.labels,
    )
    return viewed, int(np.flatnonzero(chosen == wanted)[0])
