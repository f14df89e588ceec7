"""All tables of the training study over all data sets, by the name of their file."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from treecrf.studies.cost.tables import steps_layout
from treecrf.studies.published import read_published, training_costs
from treecrf.studies.training.tables import (
    accuracy_layout,
    choices_layout,
    methods_layout,
    notes_layout,
    pairs_layout,
    shrinkage_layout,
)


def training_layouts(frames: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The tables of the training study.

    Parameters
    ----------
    frames : mapping of DataFrame
        summary, comparisons, costs and notes, as from `treecrf.studies.training.summary.put_together`, of all data sets.

    Returns
    -------
    dict of DataFrame
        Layouts for `treecrf.rendering.layouts.write_layout`.
    """
    summary, comparisons = frames["summary"], frames["comparisons"]
    tests = {f"tests_{decoder}": pairs_layout(comparisons, decoder) for decoder in dict.fromkeys(summary["decoder"])}
    return {
        "accuracy": accuracy_layout(summary),
        "peaks": accuracy_layout(summary, "peak"),
        "table_3_4": shrinkage_layout(summary, comparisons, read_published("table_3_4_shrinkage")),
        "table_3_5": methods_layout(summary, comparisons, read_published("table_3_5_methods")),
        "table_3_6": steps_layout(frames["costs"], training_costs()),
        "choices": choices_layout(summary),
        "notes": notes_layout(frames["notes"]),
        **tests,
    }
