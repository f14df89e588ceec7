"""Missing cells that all methods share on a data set."""

from __future__ import annotations

import numpy as np
import pandas as pd

from treecrf.sequences import MISSING, SequenceSet
from treecrf.studies.missing.jobs import damage
from treecrf.studies.missing.settings import MissingSettings


def shared(
    dataset: str, train: SequenceSet, test: SequenceSet, settings: MissingSettings, seed: int
) -> dict[str, pd.DataFrame]:
    """The cells that are missing completely at random in every damaged set.

    Returns
    -------
    dict of DataFrame
        holes: dataset, rate, side ("train" or "test"), index, observations and columns: lists, a pair for each missing cell;
        columns are counted over the attributes and then the numbers. At rate 0 nothing goes missing.
    """
    rows = []
    for rate in filter(None, settings.rates):
        for side, data, n_sets in (("train", train, settings.n_training_sets), ("test", test, settings.n_test_sets)):
            for index in range(n_sets):
                holed = damage(data, dataset, rate, side, index, seed)
                holes = np.nonzero(np.hstack([holed.values == MISSING, np.isnan(holed.numbers)]))
                place = {"dataset": dataset, "rate": rate, "side": side, "index": index}
                rows.append(place | {"observations": holes[0], "columns": holes[1]})
    return {"holes": pd.DataFrame(rows, columns=["dataset", "rate", "side", "index", "observations", "columns"])}
