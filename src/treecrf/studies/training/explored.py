"""Results of the training study for the explorer (see `treecrf.studies.explored`)."""

from __future__ import annotations

import pandas as pd

from treecrf.io.files import stacked
from treecrf.rendering.style import training_method_name
from treecrf.studies.explored import ACCURACY, ANSWERED, CURVES, PAIRS, PUBLISHED, SCORES, Frames, renamed, tidy
from treecrf.studies.training.comparing import counting_runs
from treecrf.studies.training.names import BETTER, CHOICE, PEAK, UNPERTURBED
from treecrf.studies.training.published import INFERRED, training_accuracies, training_costs

FRAMES = ("summary", "choice", "curves", "costs", "comparisons", "peak_comparisons")

TEST = (
    "Two methods, all their trainings together, change places in whole groups of related test sequences (in blocks of positions "
    "where there are too few sequences)."
)

ANSWERS = "predictions"

STEPS = {
    "forward_backward_seconds": "CPU seconds of forward-backward per iteration",
    "induction_seconds": "CPU seconds of induction per iteration",
}

name_of = training_method_name


def scores(frames: Frames) -> pd.DataFrame:
    """Mean accuracy of the perturbed trainings, or of the one there is, at the choice and at the peak."""
    if "summary" not in frames:
        return tidy(pd.DataFrame(), SCORES)
    summary = frames["summary"]
    parts = []
    for point, prefix, told in ((CHOICE, "chosen", ""), (PEAK, "peak", "peak_")):
        mean, plain = summary[f"{prefix}_mean"], summary[f"{prefix}_accuracy"]
        named = {"low": summary[f"{prefix}_min"], "high": summary[f"{prefix}_max"]}
        parts.append(
            summary.assign(
                point=point,
                metric=ACCURACY,
                value=mean.fillna(plain),
                n_runs=summary["n_perturbed_runs"].where(mean.notna(), 1),
                chosen=summary[f"{told}candidate"].astype(str)
                + ", iteration "
                + summary[f"{told}iteration"].astype(str),
                **{end: values.fillna(plain) for end, values in named.items()},
            )
        )
    return tidy(pd.concat(parts), SCORES)


def pairs(frames: Frames) -> pd.DataFrame:
    """At the choice; at the peak where it is tested."""
    names = {
        "mean_points": "points", "holm_low": "low", "holm_high": "high", "valid_p_value": "p_value",
    }  # fmt: skip
    parts = [
        renamed(frames[name], names).assign(point=point)
        for name, point in (("comparisons", CHOICE), ("peak_comparisons", PEAK))
        if name in frames
    ]
    return tidy(pd.concat(parts) if parts else pd.DataFrame(), PAIRS)


def curves(frames: Frames) -> pd.DataFrame:
    """As chosen, with the decoder that cross-validation prefers."""
    found = frames.get("curves", pd.DataFrame())
    return tidy(found.rename(columns={"chosen": "is_chosen"}).assign(decoder=BETTER), CURVES)


def answers(predictions: pd.DataFrame, frames: Frames) -> pd.DataFrame:
    """Of the trainings at the choice that count, by decoder and for the preferred one."""
    kept = predictions[predictions["stage"] == CHOICE]
    parts = [counting_runs(of_method) for _, of_method in kept.groupby(["method", "decoder"], sort=False)]
    kept = stacked([kept.iloc[:0], *parts])
    run = kept["run"].astype("category").cat.rename_categories(_run_name)
    kept = kept.assign(point=CHOICE, run=run)
    preferred = frames["summary"].query("decoder == @BETTER")[["dataset", "method", "chosen_decoder"]]
    better = kept.merge(preferred.rename(columns={"chosen_decoder": "decoder"})).assign(decoder=BETTER)
    return tidy(pd.concat([kept, better]), ANSWERED)


def _run_name(run: int) -> str:
    return "unperturbed" if run == UNPERTURBED else f"perturbed start {run}"


def published(frames: Frames) -> pd.DataFrame:
    """Tables 3.4 and 3.5, whose accuracies are peaks of one training, and the seconds of tables 3.5 and 3.6."""
    if "summary" not in frames:
        return tidy(pd.DataFrame(), PUBLISHED)
    summary = frames["summary"]
    known = training_accuracies().merge(summary, on=["dataset", "method", "decoder"])
    ends = {
        "low": known[["peak_min", "peak_accuracy"]].min(axis=1),
        "high": known[["peak_max", "peak_accuracy"]].max(axis=1),
    }
    accuracies = known.assign(
        point=PEAK,
        quantity="accuracy (%)",
        source="PhD table " + known["table"],
        published=known["percent"],
        measured=known["peak_accuracy"],
        **ends,
        at_choice=known["chosen_accuracy"],
        counted=~known.duplicated(["dataset", "number"]),
        inferred=known["dataset"].isin(INFERRED),
    )
    parts = [accuracies]
    printed = training_costs()
    seconds = summary[summary["decoder"] == BETTER].merge(printed, on=["dataset", "method"], suffixes=("", "_printed"))
    parts.append(
        seconds.assign(
            quantity="CPU seconds of a training",
            source="PhD table 3.5",
            published=seconds["cpu_seconds_printed"],
            measured=seconds["cpu_seconds"],
        )
    )
    if "costs" in frames:
        steps = frames["costs"].merge(printed, on=["dataset", "method"], suffixes=("", "_printed"))
        parts += [
            steps.assign(
                decoder=BETTER, quantity=text, source="PhD table 3.6", published=steps[f"{name}_printed"], measured=steps[name]
            )
            for name, text in STEPS.items()
        ]  # fmt: skip
    found = pd.concat(parts).dropna(subset=["published", "measured"])
    return tidy(found.assign(counted=found["counted"].ne(False), inferred=found["inferred"].eq(True)), PUBLISHED)
