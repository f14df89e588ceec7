"""What the explorer shows of the study of training: at the cross-validated choice and at the peak of the test curve."""

from __future__ import annotations

import pandas as pd

from treecrf_studies.framework.metrics import ACCURACY
from treecrf_studies.training.choices import BETTER, CHOICE, LAST, PEAK, UNPERTURBED, of_first_decoder


def scores(summary: pd.DataFrame) -> pd.DataFrame:
    """Accuracies at the choice, the mean of the perturbed trainings or the only one; and at the peaks."""
    alone, candidate = summary["chosen_accuracy"], summary["candidate"] + ", iteration "
    chosen = {
        name: summary[f"chosen_{of}"].fillna(alone) for name, of in (("value", "mean"), ("low", "min"), ("high", "max"))
    }
    at_choice = summary.assign(
        point=CHOICE,
        n=summary["n_perturbed_runs"].where(summary["chosen_mean"].notna(), 1),
        settings=candidate + summary["iteration"].astype(str),
        **chosen,
    )
    high = {name: summary[f"peak_{of}"] for name, of in (("value", "accuracy"), ("low", "low"), ("high", "high"))}
    at_peak = summary.assign(
        point=PEAK,
        n=1,
        cpu_seconds=summary["peak_cpu_seconds"],
        settings=candidate + summary["peak_iteration"].map("{:.0f}".format),
        **high,
    )
    return pd.concat([at_choice, at_peak.dropna(subset="value")], ignore_index=True).assign(metric=ACCURACY)


def preferred_curves(curves: pd.DataFrame) -> pd.DataFrame:
    """The test curves of the preferred decoders."""
    return curves[curves["preferred"]].assign(decoder=BETTER, is_chosen=curves["chosen"])


def predicted(predictions: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """The predictions that count at the choice, with each decoder and again with the preferred one."""
    chosen = _counted(predictions, CHOICE)
    preferred = summary.loc[summary["decoder"] == BETTER, ["dataset", "method", "chosen_decoder"]]
    better = chosen.merge(preferred.rename(columns={"chosen_decoder": "decoder"}))
    return _as_trainings(pd.concat([chosen, better.assign(decoder=BETTER)], ignore_index=True))


def beyond_choice(predictions: pd.DataFrame) -> pd.DataFrame:
    """Correct positions at the peaks, and after the last iteration."""
    rows = pd.concat([predictions[predictions["stage"] == PEAK], _counted(predictions, LAST)], ignore_index=True)
    return _as_trainings(rows.assign(n_positions=1, n_correct=rows["label"] == rows["predicted"]))


def of_samples(larger_counts: pd.DataFrame) -> pd.DataFrame:
    """Correct positions on the larger samples."""
    return larger_counts.assign(dataset=larger_counts["sample"], point=CHOICE)


def of_larger(frame: pd.DataFrame) -> pd.DataFrame:
    """Accuracies of larger samples or tests on them: each sample as a data set.

    The decoder that chose the settings stands for the preferred one too.
    """
    rows = pd.concat([frame, of_first_decoder(frame).assign(decoder=BETTER)], ignore_index=True)
    return rows.assign(dataset=rows["sample"])


def larger_scores(larger_accuracies: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracies on larger samples; their lowest and highest trainings are not kept."""
    rows = of_larger(larger_accuracies)
    return rows.assign(
        metric=ACCURACY,
        value=rows["accuracy"],
        n=rows["n_trainings"],
        cpu_seconds=rows["cpu_seconds"] / rows["n_trainings"],
        settings=rows["candidate"],
        stand_in=False,
    )


def _as_trainings(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.rename(columns={"run": "training", "stage": "point"})


def _counted(predictions: pd.DataFrame, stage: str) -> pd.DataFrame:
    """The perturbed trainings of each method and decoder at a stage, or the unperturbed one where it has no others."""
    at_stage = predictions[predictions["stage"] == stage]
    perturbed = at_stage["run"] != UNPERTURBED
    return at_stage[
        perturbed | ~perturbed.groupby([at_stage["method"], at_stage["decoder"]], observed=True).transform("any")
    ]
