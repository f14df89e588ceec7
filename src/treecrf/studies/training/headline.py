"""The headline of the training study."""

from __future__ import annotations

import pandas as pd

from treecrf.rendering.cells import signed
from treecrf.rendering.style import training_method_name
from treecrf.studies.headlines import best_rows, counted_names
from treecrf.studies.training.summary import BETTER

OURS = "treecrf"
"""The method that published values are compared for."""


def training_headline(summary: pd.DataFrame) -> str:
    """Which methods are best at the cross-validated choice, and how far TreeCRF is from the published values."""
    better = summary[summary["decoder"] == BETTER]
    better = better.assign(percent=better["chosen_mean"].fillna(better["chosen_accuracy"]))
    best = best_rows(better, "percent", "dataset")
    counts = counted_names(map(training_method_name, best["method"]), best["dataset"].nunique(), "data sets")
    sentence = f"Most accurate at the cross-validated choice{_runs_text(better)}: {counts}."
    known = better[(better["method"] == OURS) & better["published"].notna() & ~better["stand_in"].astype(bool)]
    if known.empty:
        return sentence
    gaps = known.set_index("dataset")["percent"] - known.set_index("dataset")["published"]
    furthest = str(gaps.abs().idxmax())
    return (
        f"{sentence} {training_method_name(OURS)} minus its published accuracy, where the data are the published ones: median "
        f"{signed(gaps.median())} points over {len(gaps)} data sets, furthest {signed(gaps[furthest])} on {furthest}."
    )


def _runs_text(better: pd.DataFrame) -> str:
    """What is compared where some methods have a mean over perturbed runs, and others one training."""
    single = better["chosen_mean"].isna().groupby(better["dataset"]).mean()
    mixed = single.between(0, 1, inclusive="neither").any()
    return " (mean over perturbed runs; one training of methods without such runs)" if mixed else ""
