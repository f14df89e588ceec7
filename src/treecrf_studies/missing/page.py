"""Page section on missing values (PhD chapter 4), and what a run teaches of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pandas as pd

from treecrf.io.files import read_json
from treecrf_studies.framework.claims.judge import Results
from treecrf_studies.framework.frames import Frames
from treecrf_studies.framework.lessons import FAMILY, Pair, gaps
from treecrf_studies.framework.page import (
    PageContext,
    PageSection,
    StudyPage,
    choices,
    computed,
    figure,
    percent,
    setting,
    table,
    text,
    with_caption,
)
from treecrf_studies.missing.advice import advice, answers, tree_answers
from treecrf_studies.missing.claims import stars
from treecrf_studies.missing.words import BASELINE, tell_effects
from treecrf_studies.rendering.parts import Downloads, Part, captioned, listed, paragraph
from treecrf_studies.rendering.style import DECODER_NAMES, method_name, ordered_methods

INTRODUCTION = """
The study removes cells of the inputs completely at random, before windows are cut. Every method sees the same missing
cells, so compare the methods at one share. Damaged training sets of each share: {train}. Damaged test sets: {test}.

Lambda and iteration are chosen by hold-out within the damaged training set. The held-out share is {held_out}. The
decoder is {decoder}. At 0 %, nothing is removed, and there is one training and one test. Marks: docs/statistics.md.
"""

MECHANISMS_INTRODUCTION = """
The study removes {rate} of the cells by each mechanism, in training and test sets unless the table states otherwise.
Compare the rows of a data set to see which methods stay accurate under each mechanism. Each mechanism has {train}
damaged training sets.
"""

CHOICES = (
    "blocks_under",
    "block_length",
    "equivalence_margin",
    "degrees_of_freedom",
    "scale_gain",
    "n_surrogates",
    "either_polarity",
    "all_missing",
    "unseen_missing",
    "mark",
    "l2_regularizations",
    "n_iterations",
    "test_every",
    "n_training_sets",
    "n_test_sets",
    "papers_sets",
    "tree_training_sets",
    "newton_leaves",
    "newton_rates",
)
"""Settings that the papers leave open."""

COSTS = "CPU seconds by method"

OTHERS = "The results have tables with every other method as the baseline (`missing/tables`)."


def _stars(context: PageContext) -> list[Part]:
    """How many of the stars of table 4.1 are found again on each of its data sets; nothing for other sets."""
    if not context.of_papers:
        return []
    results = Results(context.results)
    items = [each.numbers for name in context.datasets for each in stars(results, name)]
    return (
        [
            paragraph(
                "The list shows how many stars of table 4.1 this run finds, with as many damaged sets as the "
                "dissertation."
            ),
            *listed(items),
        ]
        if items
        else []
    )


def _comparisons(context: PageContext) -> list[Part]:
    """Tables of the data sets that have a baseline, for each baseline; nothing where nothing was compared."""
    frames = context.frames("comparisons")
    if not frames or frames[0].empty:
        return []
    comparisons = frames[0]
    chosen = comparisons["dataset"].map(context.own.baseline_of)
    baselines = ordered_methods(chosen)
    shown = [
        part
        for place, baseline in enumerate(baselines)
        for part in _against(context, baseline, set(comparisons["dataset"][chosen == baseline]), is_first=not place)
    ]
    # That of which a finding is told comes first; the others are folded.
    effects = [part for baseline in sorted(baselines, reverse=True) for part in _effects(context, baseline)]
    figures = with_caption(effects, context.caption("effects"))
    tables = context.folder / "tables"
    tests = {f"all tests vs {method_name(name)}": tables / f"significance_{name}.csv" for name in baselines}
    deviance = table("deviance", "Analysis of deviance", has_caption=False)(context)
    return [*shown, *figures, *deviance, Downloads("Every pair:", tests), paragraph(OTHERS)]


def _against(context: PageContext, baseline: str, datasets: set[str], is_first: bool) -> list[Part]:
    """Log odds and points against a baseline on the data sets that have it; the first tables have captions and the
    anchor.
    """
    names = {kind: f"{kind}_{baseline}" for kind in ("coefficients", "effects")}
    layouts = {name: _of_sets(context.layouts[name], datasets) for name in names.values() if name in context.layouts}
    of_sets, name = replace(context, layouts=layouts), method_name(baseline)
    odds = of_sets.table(names["coefficients"], context.titled(f"Log odds vs {name}", "Table 4.1"))
    points = of_sets.table(names["effects"], f"Accuracy differences vs {name} on all damaged sets (points)")
    if not is_first:
        return [*odds, *points]
    return [
        *(replace(each, anchor=context.anchor("table_4_1")) for each in odds),
        captioned(context.caption("coefficients")),
        *points,
        captioned(context.caption("effects_table")),
    ]


def _effects(context: PageContext, baseline: str) -> list[Part]:
    name = method_name(baseline)
    alt = (
        f"Interval plot of accuracy differences vs {name} in points by share of missing cells, with a panel for each "
        "data set. The table above has the numbers."
    )
    tell = tell_effects if baseline == BASELINE else None
    return context.figure(f"effects_{baseline}", alt, label=f"vs {name}", tell=tell)


def _of_sets(layout: pd.DataFrame, names: set[str]) -> pd.DataFrame:
    """The rows of some data sets."""
    shown = [any(name in text.split(" ") for name in names) for text in layout.iloc[:, 0]]
    return layout[shown].reset_index(drop=True)


def _tree_answers(evaluations: pd.DataFrame, comparisons: pd.DataFrame, differences: pd.DataFrame) -> list[Part]:
    return listed(tree_answers(evaluations, comparisons, differences))


def _answers(context: PageContext) -> list[Part]:
    descriptions = {name: read_json(context.results / "data" / name / "description.json") for name in context.datasets}
    frames = context.frames("evaluations", "comparisons")
    return answers(descriptions, *frames) if frames else []


PAGE = StudyPage(
    (
        PageSection(
            "missing-advice",
            "Which method to use when",
            (
                computed(
                    advice, "evaluations", "comparisons", "costs", "mechanism_evaluations", "mechanism_comparisons"
                ),
            ),
        ),
        PageSection(
            "missing-accuracy",
            "Accuracy by share of missing cells",
            (
                text(
                    INTRODUCTION,
                    train=setting("n_training_sets"),
                    test=setting("n_test_sets"),
                    held_out=setting("held_out", percent),
                    decoder=setting("decoder", DECODER_NAMES.__getitem__),
                ),
                figure(
                    "figure_4_1",
                    "Line chart of accuracy by share of missing cells, with a panel for each of {names} and a line for "
                    "each method. The table below has the numbers.",
                ),
                table("accuracy", "Accuracy (%), mean ± standard deviation", has_caption=False),
                choices(CHOICES),
            ),
            "figure 4.1",
        ),
        PageSection(
            "missing-tests",
            "Significance of the differences",
            (
                _stars,
                _comparisons,
                table("variances", "Variance components"),
            ),
            "table 4.1",
        ),
        PageSection(
            "missing-trees",
            "Does the choice of method matter for TreeCRF-Newton?",
            (
                computed(_tree_answers, "tree_evaluations", "tree_comparisons", "tree_differences"),
                figure(
                    "trees",
                    "Line chart of accuracy by share of missing cells, with a panel for each data set and kind of "
                    "trees and a line for each method. The table below has the numbers.",
                ),
                table("trees", "Accuracy (%) by trees and method"),
                table("tree_differences", "Accuracy gain of other trees (points)"),
            ),
        ),
        PageSection(
            "missing-mechanisms",
            "Results by missingness mechanism",
            (
                text(
                    MECHANISMS_INTRODUCTION,
                    rate=setting("mechanism_rate", percent),
                    train=setting("mechanism_training_sets"),
                ),
                figure(
                    "mechanisms",
                    "Dot plot of accuracy by missingness mechanism, with a panel for each data set and a mark for "
                    "each method. The table below has the numbers.",
                ),
                table("mechanisms", "Accuracy (%) by mechanism and method"),
            ),
        ),
        PageSection("missing-cost", "CPU time by method", (table("costs", COSTS),)),
        PageSection(
            "line-features",
            "Line features",
            (
                figure(
                    "figure_4_2",
                    "Bar chart of the share of lines on which each line feature is true, in the order of the features.",
                ),
            ),
        ),
    ),
    answers=_answers,
)


# --- what a run teaches -----------------------------------------------------------------------------


def random_holes(frames: Frames) -> Iterator[Pair]:
    """Instance weighting where cells go missing completely at random (PhD chapter 4), at the highest rate."""
    tests = frames.read("missing", "comparisons")
    if len(tests):
        highest = tests[(tests["rate"] == tests["rate"].max()) & (tests["other"] == "instance_weighting")]
        name = f"instance weighting ({100 * tests['rate'].max():g} % missing)"
        for other in ("imputation", "indicator"):
            yield Pair(name, method_name(other), gaps(highest, "instance_weighting", other, FAMILY))


def label_holes(frames: Frames) -> Iterator[Pair]:
    """Instance weighting where cells go missing by label, against the best other treatment of each data set."""
    tests, counts = frames.read("missing", "mechanism_comparisons"), frames.read("missing", "mechanism_evaluations")
    if not (len(tests) and len(counts)):
        return
    tests, counts = (frame[frame["mechanism"] == "label"] for frame in (tests, counts))
    tests = tests[tests["other"] == "instance_weighting"]
    others = counts[counts["method"] != "instance_weighting"]
    sums = others.groupby(["dataset", "method"], sort=False)[["n_correct", "n_positions"]].sum()
    best = (sums["n_correct"] / sums["n_positions"]).groupby("dataset", sort=False).idxmax()
    for method, pairs in best.groupby(best.str[1], sort=False):
        of_method = gaps(tests[tests["dataset"].isin(pairs.index)], "instance_weighting", str(method), FAMILY)
        yield Pair("instance weighting", method_name(str(method)), of_method)
