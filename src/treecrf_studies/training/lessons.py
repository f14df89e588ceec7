"""What a run teaches of all methods."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from treecrf.io.messages import counted
from treecrf.statistics.estimates import SIGNIFICANCE_LEVEL
from treecrf_studies.framework.frames import Frames
from treecrf_studies.framework.lessons import FAMILY, Answer, Pair, gaps
from treecrf_studies.rendering.cells import signed, with_and
from treecrf_studies.rendering.style import ordered_training_methods, training_method_name
from treecrf_studies.training.choices import preferred_at

ACCURACY_DIGITS = 2
"""After the point of a percentage, as tables show it: methods that are equal so far are tied."""


def at_choice(frames: Frames, name: str) -> pd.DataFrame:
    """A frame of the study at the cross-validated choice, with the preferred decoder."""
    return preferred_at(frames.read("training", name))


def between(*pairs: tuple[str, str]) -> Answer:
    """Pairs of methods of the study of training, on its test sets and on larger samples."""

    def answer(frames: Frames) -> Iterator[Pair]:
        tests, larger = at_choice(frames, "comparisons"), frames.read("training", "larger_comparisons")
        if len(larger):
            is_second = larger["population"] == "second"
            larger = larger.assign(dataset=larger["sample"] + np.where(is_second, " (second population)", ""))
        for method, other in pairs:
            of_pair = gaps(tests, method, other, FAMILY), gaps(larger, method, other, FAMILY)
            yield Pair(training_method_name(method), training_method_name(other), *of_pair)

    return answer


def highest(frames: Frames) -> Iterator[str]:
    """The methods with the highest accuracy on each data set, how many a test finds worse than another, and those that
    no test finds worse.
    """
    chosen, tests = at_choice(frames, "summary"), at_choice(frames, "comparisons")
    if not (len(chosen) and len(tests)):
        return
    accuracy = chosen["value"].round(ACCURACY_DIGITS)
    first = chosen[accuracy == accuracy.groupby(chosen["dataset"]).transform("max")]
    names = first.groupby("dataset", sort=False)["method"].agg(_ties)
    by_names = names.index.to_series().groupby(names, sort=False).agg(with_and)
    yield f"The highest are those of {'; '.join(f'{methods} on {sets}' for methods, sets in by_names.items())}."
    sides = {"worse": "method", "better": "other"}
    parts = [
        tests.loc[tests["decision"] == word, ["dataset", side]].set_axis(["dataset", "method"], axis=1)
        for word, side in sides.items()
    ]
    beaten = pd.concat(parts).drop_duplicates()
    n_beaten, n = (rows["dataset"].value_counts().reindex(names.index, fill_value=0) for rows in (beaten, chosen))
    worse = with_and(f"{n_beaten[name]} of {n[name]} on {name}" for name in names.index)
    yield f"Methods that tests find worse than any other one, not only than the best: {worse}."
    n_sets = chosen.groupby("method")["dataset"].nunique()
    safe = set(n_sets.index[n_sets == n_sets.max()]) - set(beaten["method"])
    if safe:
        unbeaten = with_and(map(training_method_name, ordered_training_methods(safe)))
        yield f"On none of {n_sets.max()} data sets does a test find a better method than {unbeaten}."


def _ties(methods: pd.Series) -> str:
    """Methods in a sentence, and that they are equal where they are several."""
    return f"{with_and(map(training_method_name, methods))}{' (a tie)' if len(methods) > 1 else ''}"


def seconds_of_training(frames: Frames) -> Iterator[str]:
    """CPU seconds of a training up to the chosen iteration, as a multiple of TreeCRF's."""
    chosen = at_choice(frames, "summary")
    if chosen.empty:
        return
    seconds = chosen.pivot_table(index="dataset", columns="method", values="cpu_seconds")
    for method in ("mallet", "linear_crf"):
        if {method, "treecrf"} <= set(seconds):
            ratios = (seconds[method] / seconds["treecrf"]).dropna()
            yield (
                f"Up to the chosen iteration, {training_method_name(method)} takes {ratios.min():.2g} to "
                f"{ratios.max():.2g} times the CPU seconds of TreeCRF ({counted(len(ratios), 'data set')})."
            )


def related_sequences(frames: Frames) -> Iterator[str]:
    """What cross-validation promises where related proteins are on both sides of a split, and where they are not."""
    sides = {"protein_ungrouped": "related proteins on both sides", "protein": "related proteins together"}
    summaries = [frames.read("training", "summary", [name]) for name in sides]
    for how, summary in zip(sides.values(), summaries, strict=True) if all(map(len, summaries)) else ():
        rows = preferred_at(summary)
        rows = rows[rows["method"].isin(["treecrf", "treecrf_newton", "treecrf_original", "linear_crf"])]
        promised = (rows["held_out_accuracy"] - rows["value"]).dropna()
        yield (
            f"With {how}, cross-validation promises {signed(promised.min())} to {signed(promised.max())} points more "
            f"than the test accuracy ({counted(len(promised), 'method')})."
        )


def tests_of_positions(frames: Frames) -> Iterator[str]:
    """How many differences McNemar's test on positions finds, and how many of them a test on sequences does."""
    tests = at_choice(frames, "comparisons")
    if tests.empty:
        return
    by_positions = tests["papers_p_holm"] < SIGNIFICANCE_LEVEL
    n_both = int((by_positions & tests["decision"].isin(["better", "worse"])).sum())
    yield (
        f"Of {len(tests)} pairs of methods, McNemar's test on positions separates {int(by_positions.sum())}; a test on "
        f"sequences confirms {n_both} of these (both with Holm's correction)."
    )
    cut, full = (frames.read("future", "best", [name]) for name in ("xor", "xor_full"))
    if len(cut) and len(full):
        both = cut.merge(full, on="method", suffixes=("", "_full")).query("not method.str.startswith('ff_')")
        gained = both["value"] - both["value_full"]
        yield (
            f"On xor, cutting the last bags at the end of a sequence adds {signed(gained.min())} to "
            f"{signed(gained.max())} points ({counted(len(gained), 'method')})."
        )
