"""Predicted labels beside the rows of a table."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd

from treecrf.models.base import Decoder
from treecrf.tabular.labeller import TableLabeller

PREDICTED = "predicted"
"""Name of the column with the predicted labels."""


def add_predictions(
    model: TableLabeller, frame: pd.DataFrame, path: str | os.PathLike[str], decoder: Decoder, probabilities: bool
) -> pd.DataFrame:
    """The table with the predicted label of every row as a last column; labels in the table are not looked at.

    With `probabilities` a column ``P(LABEL)`` for each label comes before it: that of the position, whatever the other
    positions are. A ValueError if the table has a column of such a name.
    """
    labels = model.labeller.label_names_
    added = [*([f"P({name})" for name in labels] if probabilities else []), PREDICTED]
    taken = [name for name in added if name in frame.columns]
    if taken:
        raise ValueError(
            f"table {path} has a column {taken[0]!r} already, which predictions would be called; rename it."
        )
    data = model.read(frame, path, labelled=False)
    columns = {}
    if probabilities:
        columns = dict(zip(added, model.labeller.predict_proba(data).T, strict=False))
    names = np.array(labels, dtype=object)
    columns[PREDICTED] = names[model.labeller.predict(data, decoder)]
    return pd.concat([frame, pd.DataFrame(columns, index=frame.index)], axis=1)
