"""Summaries of the study of output coding (M.S. thesis, chapter 5)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from treecrf_studies.coding.methods import BEAM, CASCADE, CHUNK_NAMES, LEARNERS, LINE, form_of, is_coded
from treecrf_studies.framework.jobs import SummaryContext
from treecrf_studies.framework.metrics import ACCURACY, OF_CHUNKS
from treecrf_studies.framework.resamples import (
    COMPARISON_NAMES,
    OF_DRAWS,
    Counts,
    Rules,
    compare_counts,
    compare_draws,
    count_correct,
    rules_of,
)
from treecrf_studies.framework.summaries import summarise
from treecrf_studies.options import joined_names

BEST_NAMES = [
    "dataset",
    "learner",
    "use",
    "window",
    "method",
    "size",
    "held_out_accuracy",
    "value",
    "cpu_seconds",
    "best_on_test",
    "best_value",
]


def make_frames(context: SummaryContext) -> dict[str, pd.DataFrame]:
    """All jobs of one data set, in the order of the methods, as frames.

    Returns
    -------
    dict
        "runs" and "timings", all of them; "scores" (`score_draws`); "best" (`choose_by_held_out`); "comparisons"
        (`treecrf_studies.coding.summary.compare_methods`), each method with the longest code or the chosen beam;
        "gains" (`treecrf_studies.coding.summary.compare_gains`); "lengths"
        (`treecrf_studies.coding.summary.compare_lengths`).
    """
    runs, predictions = map(context.of_jobs, ("runs", "predictions"))
    scores = score_draws(runs)
    best = choose_by_held_out(scores[scores["quantity"] == ACCURACY])
    scores = with_counted(scores, best)
    rules, compared = rules_of(context), compared_rows(predictions, scores)
    gains = [
        pair
        for learner in LEARNERS
        for pair in ((f"{learner}_secoc", f"{learner}_iid"), (f"{learner}_cascade_1", f"{learner}_secoc"))
    ]
    return {
        "runs": runs,
        "timings": context.of_jobs("timings"),
        "scores": scores,
        "best": best,
        "comparisons": compare_methods(compared, rules),
        "gains": compare_gains(compared, gains, rules),
        "lengths": compare_lengths(predictions, rules),
    }


def score_draws(runs: pd.DataFrame) -> pd.DataFrame:
    """Accuracies, and precision, recall and F1 of noun phrases, over the draws by `LINE`.

    See `treecrf_studies.framework.summaries.summarise`. Further columns: held_out_accuracy (mean), n_iterations and
    settings.
    """
    return summarise(
        runs,
        LINE,
        {"accuracy": {"quantity": ACCURACY}}
        | {name: {"quantity": metric} for name, metric in zip(CHUNK_NAMES, OF_CHUNKS.values(), strict=True)},
        held_out_accuracy=("held_out_accuracy", "mean"),
        n_iterations=("n_iterations", "first"),
        settings=("settings", lambda names: joined_names(name for name in names if isinstance(name, str))),
    )


def choose_by_held_out(scores: pd.DataFrame) -> pd.DataFrame:
    """The history of cascades and the beam that the held-out training sequences prefer, by learner and window.

    Among cascades with the longest code, among beams of any size; of equally good ones the first. best_on_test and
    best_value: the best on the test sequences, as the thesis chose it, which is no choice that a user can make.
    """
    forms = {method: form_of(method) for method in scores["method"].unique()}
    rows = []
    for (dataset, window), of_window in scores.groupby(["dataset", "window"], sort=False):
        for learner in LEARNERS:
            for use in (CASCADE, BEAM):
                fits = [method for method, form in forms.items() if form and (form.learner, form.use) == (learner, use)]
                scored = of_window[of_window["method"].isin(fits) & of_window["held_out_accuracy"].notna()]
                if use == CASCADE:
                    scored = scored[scored["size"] == scored["size"].max()]
                if scored.empty:
                    continue
                chosen, best = (
                    scored.iloc[int(scored[name].to_numpy().argmax())] for name in ("held_out_accuracy", "value")
                )
                constant = {"dataset": dataset, "learner": learner, "use": use, "window": window}
                values = {name: chosen[name] for name in BEST_NAMES if name in chosen and name not in constant}
                name = best["method"] if use == CASCADE else best["size"]
                rows.append(constant | values | {"best_on_test": str(name), "best_value": best["value"]})
    return pd.DataFrame(rows, columns=BEST_NAMES)


def with_counted(scores: pd.DataFrame, best: pd.DataFrame) -> pd.DataFrame:
    """The scores with counted: whether it is the size that a method is compared with, the longest code or the chosen
    beam.
    """
    is_beam = scores["method"].isin([f"{learner}_{BEAM}" for learner in LEARNERS])
    is_longest = scores["size"] == scores.groupby(["dataset", "method", "window"])["size"].transform("max")
    chosen = scores[LINE].merge(best.loc[best["use"] == BEAM, LINE].assign(chosen=True), how="left")["chosen"]
    return scores.assign(counted=np.where(is_beam, chosen.notna(), is_longest))


def compared_rows(rows: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """The rows of runs or predictions with the sizes that methods are compared with."""
    return rows.merge(scores.loc[scores["counted"], LINE].drop_duplicates(), on=LINE)


WINDOW_NAMES = ["dataset", "window", *COMPARISON_NAMES[1:]]


def compare_methods(predictions: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    """Every pair of methods on one data set with the same window (`treecrf_studies.framework.resamples.compare_draws`).

    `predictions` are those of `treecrf_studies.coding.jobs.CodingOutcome`, one size of each method; the columns are
    `WINDOW_NAMES`.
    """
    parts = [
        compare_draws(of_window, rules).assign(window=window)
        for window, of_window in predictions.groupby("window", sort=True)
    ]
    return pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)[WINDOW_NAMES]


def compare_gains(predictions: pd.DataFrame, gains: Sequence[tuple[str, str]], rules: Rules) -> pd.DataFrame:
    """How much larger the gain of one method over another is with the smallest window than with the next one.

    `gains` are pairs (method, other). The columns are those of `compare_methods`, less the paper's test, which there is
    none of.
    """
    windows = sorted(set(predictions["window"]))[:2]
    by_window = [count_correct(predictions[predictions["window"] == window]) for window in windows]
    parts = []
    for method, other in gains:
        if len(windows) < 2 or not all({method, other} <= set(counts.methods) for counts in by_window):
            continue
        small, large = (
            [counts.correct[counts.methods.index(name)] for name in (method, other)] for counts in by_window
        )
        crossed = np.stack([small[0] + large[1], small[1] + large[0]])
        parts.append(compare_counts(Counts((method, other), crossed, by_window[0].positions), rules))
    compared = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=WINDOW_NAMES)
    names = [name for name in WINDOW_NAMES if name not in OF_DRAWS]
    dataset, window = predictions["dataset"].iloc[0], f"{windows[0]} - {windows[-1]}"
    return compared.assign(dataset=dataset, window=window)[names]


LENGTH_NAMES = ["dataset", "method", "window", "size", "longest", *COMPARISON_NAMES[3:]]


def compare_lengths(predictions: pd.DataFrame, rules: Rules) -> pd.DataFrame:
    """The longest code of each method but one (size) with the longest one: a positive difference is overfitting.

    `predictions` are those of `treecrf_studies.coding.jobs.CodingOutcome`; the columns are `LENGTH_NAMES`.
    """
    parts = []
    coded = predictions[predictions["method"].map(is_coded).astype(bool)]
    for (method, window), rows in coded.groupby(["method", "window"], sort=False):
        sizes = sorted(set(rows["size"]))
        if len(sizes) < 2:
            continue
        by_length = rows.sort_values("size", kind="stable").assign(method=lambda frame: frame["size"].astype(str))
        compared = {"method": method, "window": window, "size": sizes[0], "longest": sizes[-1]}
        parts.append(compare_draws(by_length, rules).assign(**compared))
    return pd.concat(parts, ignore_index=True)[LENGTH_NAMES] if parts else pd.DataFrame(columns=LENGTH_NAMES)
