"""Summaries of the study of output coding (M.S. thesis, chapter 5)."""

from __future__ import annotations

import pandas as pd

from treecrf.studies.coding.comparing import compare_gains, compare_methods
from treecrf.studies.coding.methods import BEAM, CASCADE, LEARNERS, form_of
from treecrf.studies.coding.names import CHUNK_NAMES, LINE
from treecrf.studies.framework.custom import joined_names
from treecrf.studies.framework.job_context import SummaryContext
from treecrf.studies.framework.resamples import Rules, overlap_of

BEST_NAMES = [
    "dataset", "learner", "use", "window", "method", "size", "held_out_accuracy", "accuracy", "cpu_seconds", "best_on_test",
    "best_accuracy",
]  # fmt: skip


def summarise(context: SummaryContext) -> dict[str, pd.DataFrame]:
    """All jobs of one data set, in the order of the methods, as frames.

    Returns
    -------
    dict
        "runs", all of them; "lines" (`average_runs`); "best" (`choose_by_held_out`); "comparisons"
        (`treecrf.studies.coding.comparing.compare_methods`), each method with the longest code or the chosen beam; "gains"
        (`treecrf.studies.coding.comparing.compare_gains`).
    """
    runs = pd.concat(context.frames["runs"], ignore_index=True)
    predictions = pd.concat(context.frames["predictions"], ignore_index=True)
    lines = average_runs(runs)
    best = choose_by_held_out(lines)
    rules = Rules(**context.settings, test_per_train=overlap_of(runs, context.source))
    compared = predictions.merge(compared_sizes(lines, best), on=LINE)
    gains = [
        pair
        for learner in LEARNERS
        for pair in ((f"{learner}_secoc", f"{learner}_iid"), (f"{learner}_cascade_1", f"{learner}_secoc"))
    ]
    return {
        "runs": runs, "lines": lines, "best": best, "comparisons": compare_methods(compared, rules),
        "gains": compare_gains(compared, gains, rules),
    }  # fmt: skip


def average_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """Over the draws: mean accuracies and their spread, medians of CPU seconds; `LINE`, n_seeds and the columns of runs."""
    groups = runs.groupby(LINE, sort=False)
    means = {name: (name, "mean") for name in ("held_out_accuracy", "accuracy", *CHUNK_NAMES)}
    return groups.agg(
        n_seeds=("seed", "nunique"),
        **means,
        accuracy_sd=("accuracy", "std"),
        accuracy_low=("accuracy", "min"),
        accuracy_high=("accuracy", "max"),
        cpu_seconds=("cpu_seconds", "median"),
        chosen=("chosen", lambda names: joined_names(name for name in names if isinstance(name, str))),
    ).reset_index()


def choose_by_held_out(lines: pd.DataFrame) -> pd.DataFrame:
    """The history of cascades and the beam that the held-out training sequences prefer, by learner and window.

    Among cascades with the longest code, among beams of any size; of equally good ones the first. best_on_test and
    best_accuracy: the best on the test sequences, as the thesis chose it, which is no choice that a user can make.
    """
    forms = {method: form_of(method) for method in lines["method"].unique()}
    rows = []
    for (dataset, window), of_window in lines.groupby(["dataset", "window"], sort=False):
        for learner in LEARNERS:
            for use in (CASCADE, BEAM):
                fits = [method for method, form in forms.items() if form and (form.learner, form.use) == (learner, use)]
                found = of_window[of_window["method"].isin(fits) & of_window["held_out_accuracy"].notna()]
                if use == CASCADE:
                    found = found[found["size"] == found["size"].max()]
                if found.empty:
                    continue
                chosen, best = (
                    found.iloc[int(found[name].to_numpy().argmax())] for name in ("held_out_accuracy", "accuracy")
                )
                constant = {"dataset": dataset, "learner": learner, "use": use, "window": window}
                values = {name: chosen[name] for name in BEST_NAMES if name in chosen and name not in constant}
                name = best["method"] if use == CASCADE else best["size"]
                rows.append(constant | values | {"best_on_test": str(name), "best_accuracy": best["accuracy"]})
    return pd.DataFrame(rows, columns=BEST_NAMES)


def compared_sizes(lines: pd.DataFrame, best: pd.DataFrame) -> pd.DataFrame:
    """Rows of `LINE`: which size of each method is compared, the longest code, the chosen beam."""
    beams = best[best["use"] == BEAM]
    others = lines[~lines["method"].isin([f"{learner}_{BEAM}" for learner in LEARNERS])]
    longest = others.groupby(["dataset", "method", "window"], sort=False)["size"].max().reset_index()
    return pd.concat([longest[LINE], beams[LINE]], ignore_index=True)
