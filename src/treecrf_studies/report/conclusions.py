"""What follows from a run: what a reader should use, with evidence and uncertainty, and what the page of each paper
begins with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pandas as pd

from treecrf.statistics.ranking import WORSE
from treecrf_studies.coding import page as coding
from treecrf_studies.coding.methods import method_text
from treecrf_studies.ensembles import page as ensembles
from treecrf_studies.framework.comparisons import facing
from treecrf_studies.framework.frames import Frames
from treecrf_studies.framework.lessons import Pair, gaps
from treecrf_studies.framework.metrics import OF_CHUNKS
from treecrf_studies.framework.views import (
    NEAR,
    distinct_accuracies,
    nearness_texts,
    published_pairs,
    published_values,
)
from treecrf_studies.future import page as future
from treecrf_studies.kernels import page as kernels
from treecrf_studies.missing.advice import MCAR, MECHANISM_CASE, MNAR, judge, relative_costs
from treecrf_studies.missing.ranking import CASE
from treecrf_studies.rendering.cells import number, seconds_text, signed, with_and
from treecrf_studies.rendering.parts import Markdown, Section, escaped, link, listed, md
from treecrf_studies.rendering.style import method_name, training_method_name
from treecrf_studies.report.ledger import Ledger
from treecrf_studies.report.papers import MISSING, Paper, claim_path, verdict_text
from treecrf_studies.training.choices import PEAK, preferred_at
from treecrf_studies.training.findings import cost_frame, quickest_near
from treecrf_studies.training.lessons import at_choice
from treecrf_studies.training.published import INFERRED as INFERRED_SETS

# --- choice of a method -----------------------------------------------------------------------------

CHUNKED = "conll2000_np"
"""The data set of words with BIO labels."""

OWN_DATA = (
    "**Your own file, and numbers of sensors**, which no data set here has: `treecrf describe FILE` shows how it is "
    "read, `treecrf fit FILE` chooses a method and trains it. How to compare all methods on it: docs/own_data.md."
)


def choose(frames: Frames) -> Section:
    """What to start with for words, for missing cells and for little time, as far as the run has evidence."""
    answers = [*_words(frames), *_missing_cells(frames), *_time(frames)]
    return Section("choose", "Choose a method", listed([*answers, md(OWN_DATA)]) if answers else [])


def _words(frames: Frames) -> Iterator[Markdown]:
    scores, tests = (frames.read("coding", name, [CHUNKED]) for name in ("scores", "comparisons"))
    if not (len(scores) and len(tests)):
        return
    scores = scores[(scores["quantity"] == OF_CHUNKS["F1"]) & scores["counted"].astype(bool)]
    scores = scores.sort_values("value", ascending=False, kind="stable").drop_duplicates("method")
    if len(scores) < 2:
        return
    best, second = scores.iloc[0], scores.iloc[1]
    against = facing(tests[tests["window"] == best["window"]], best["method"])
    yield md(
        "**Words with BIO labels**: start with {best} (F1 of noun phrases {f1} %, {seconds} CPU seconds); {second} has "
        "{next} % in {quick} s.\n\n"
        "  *Based on* [noun phrases](site:thesis-new.md#coding-chunks). *Uncertainty*: one data "
        "set, one training; by accuracy of labels, not F1, tests find it better than {worse} of {n} other methods.",
        best=method_text(best["method"]),
        f1=number(best["value"]),
        seconds=seconds_text(best["cpu_seconds"]),
        second=method_text(second["method"]),
        next=number(second["value"]),
        quick=seconds_text(second["cpu_seconds"]),
        worse=int((against["decision"] == "better").sum()),
        n=len(against),
    )


def _missing_cells(frames: Frames) -> Iterator[Markdown]:
    parts = [
        (frames.read("missing", f"{kind}evaluations"), frames.read("missing", f"{kind}comparisons"), case)
        for kind, case in (("", CASE), ("mechanism_", MECHANISM_CASE))
    ]
    judged = judge([part for part in parts if len(part[0]) and len(part[1])])
    if judged.empty:
        return

    relative = relative_costs(frames.read("missing", "costs"))

    def first(kind: str, n: int) -> str:
        of_kind = judged[judged["missing"] == kind].assign(worse=judged["standing"] == WORSE)
        means = of_kind.groupby("method").agg(gap=("gap", "mean"), worse=("worse", "sum"), n=("gap", "size"))
        return " or ".join(
            f"{method_name(name)} ({signed(gap)} points to the best; worse in {worse} of {n} cases"
            + (f"; CPU time {relative[name]:.1f}" if name in relative else "")
            + ")"
            for name, gap, worse, n in means.nlargest(n, "gap").itertuples()
        )

    has_other = (judged["missing"] == MNAR).any()
    yield md(
        "**Inputs with missing cells**: let TreeCRF treat them by {random} where cells are missing completely at random"
        + ", by {other} where absence depends on the value or the label" * bool(has_other)
        + ". Other methods: docs/missing_values.md.\n\n"
        "  *Based on* [missing values](site:missing-values.md). *Uncertainty*: {n} data sets of categories and line "
        "features, none of numbers from sensors. *Worse*: a test with Holm's correction finds another treatment "
        "better. *CPU time*: of an iteration, imputation = 1.",
        random=first(MCAR, 2),
        other=first(MNAR, 1),
        n=judged["dataset"].nunique(),
    )


def _time(frames: Frames) -> Iterator[Markdown]:
    costs = cost_frame(at_choice(frames, "summary"))
    if len(costs) < 2:
        return
    best, near = costs.iloc[0], quickest_near(costs)
    tests = gaps(at_choice(frames, "comparisons"), near["method"], best["method"])
    shown = [gap.dataset for gap in tests if gap.decision == "worse"]
    yield md(
        "**Accuracy or time**: {best} has the highest mean accuracy ({accuracy} %, {slow} CPU seconds); {near} reaches "
        "{lower} % in {quick} s.\n\n  *Based on* [accuracy and CPU time](site:index.md#accuracy-vs-cpu-time). "
        "*Uncertainty*: a mean over {datasets}; tests find {near} less accurate {where}.",
        best=training_method_name(best["method"]),
        accuracy=number(best["accuracy"]),
        slow=seconds_text(best["seconds"]),
        near=training_method_name(near["method"]),
        lower=number(near["accuracy"]),
        quick=seconds_text(near["seconds"]),
        datasets=best["datasets"],
        where=f"only on {with_and(shown)}" if shown else "on none of them",
    )


# --- papers -----------------------------------------------------------------------------------------

MOST_SENTENCES = 3
"""Sentences of a conclusion."""

REASON = "likely because its line features are inferred: the dissertation does not name them"


def conclude(paper: Paper, frames: Frames, judged: Ledger) -> list[Markdown]:
    """The conclusion of a paper, a sentence each; none where the run has nothing for it.

    Parameters
    ----------
    paper : Paper
    frames : Frames
    judged : Ledger
    """
    compared = judged.compared[judged.compared["part"] == ""]
    own = CONCLUSIONS[paper.start](frames, judged.claims.set_index("id"), compared)
    return [escaped(text) for text in (*_met(paper, frames), *own)][:MOST_SENTENCES]


def _met(paper: Paper, frames: Frames) -> Iterator[str]:
    pairs = distinct_accuracies(published_values(frames))
    pairs = pairs[pairs["source"].map(paper.numbers).astype(bool)]
    counted = pairs[pairs["kind"] == ""]
    if len(counted):
        quantity = "peaks of test curves" if counted["measured"].ne(counted["at_choice"]).any() else "accuracies"
        sets = with_and(counted["dataset"].unique())
        yield f"{nearness_texts(pairs)[0]} printed {quantity} on {sets} are met within {NEAR:g} point."


def _training(frames: Frames, claims: pd.DataFrame, compared: pd.DataFrame) -> Iterator[str]:
    """Orders of methods that are reversed where columns are inferred, and the seconds to the peak beside published
    ones.
    """
    summary = preferred_at(frames.read("training", "summary"), PEAK)
    for name in INFERRED_SETS:
        rows = summary[summary["dataset"] == name].set_index("method") if len(summary) else summary
        if {"mallet", "treecrf"} <= set(rows.index):
            peaks = rows.loc[["mallet", "treecrf"], ["value", "published"]].astype(float)
            if np.prod(np.diff(peaks, axis=0)) < 0:
                texts = (
                    f"{training_method_name(str(method))} {number(measured)} %, published {number(published)}"
                    for method, measured, published in peaks.itertuples()
                )
                yield f"On {name} the order of peaks is reversed ({'; '.join(texts)}), {REASON}."
    seconds = compared[compared["id"].isin(["P3.14", "P3.15"])].dropna(subset=["measured", "published"])
    if len(seconds):
        is_inverse = seconds["id"] == "P3.15"  # TreeCRF by MALLET
        ratios = seconds[["measured", "published"]].where(~is_inverse, 1 / seconds[["measured", "published"]], axis=0)
        texts = (_ratios(seconds.loc[of.index, "dataset"], of) for _, of in ratios.groupby(is_inverse))
        yield f"CPU seconds of MALLET (Java) to its peak, divided by those of TreeCRF: {' and '.join(texts)}."


def _ratios(datasets: pd.Series, ratios: pd.DataFrame) -> str:
    """The span of measured ratios, and of the published ones in brackets."""
    digits = {name: 3 if ratios[name].max() >= 100 else 2 for name in ratios}
    spans = [f"{ratios[name].min():.{digits[name]}g} to {ratios[name].max():.{digits[name]}g}" for name in ratios]
    return f"{spans[0]} on {with_and(datasets)} (published: {spans[1]})"


def _missing(frames: Frames, claims: pd.DataFrame, compared: pd.DataFrame) -> Iterator[str]:
    """Instance weighting against the other treatments, by the claim about all cases, and on FAQ sets."""
    tests = frames.read("missing", "comparisons")
    if tests.empty:
        return
    tests = tests[tests["other"] == "instance_weighting"]
    behind = tests[tests["decision"] == "worse"]["method"].value_counts()
    yield (
        f"Instance weighting is better than another treatment in {int(behind.sum())} of {len(tests)} tests "
        f"({with_and(f'{method_name(str(name))} {n}' for name, n in behind.items()) or 'none'}) and worse in "
        f"{int((tests['decision'] == 'better').sum())}."
    )
    claim, rows = "P4.15", compared[compared["id"] == "P4.15"]
    if len(rows):
        yield md(
            "“Best in most cases” ({claim}) is {verdict}: it beats the best other treatment of the dissertation in {n} "
            "of {all} cases by a test; {page} counts ties, too.",
            claim=link(claim, claim_path(claim)),
            verdict=verdict_text(str(claims["verdict"][claim])),
            n=int((rows["holds"] == "yes").sum()),
            all=len(rows),
            page=link("the page on missing values", MISSING),
        )
    pairs = published_pairs(published_values(frames))
    of = tests[tests["dataset"].isin(INFERRED_SETS)]
    printed = pairs.loc[(pairs["study"] == "missing") & pairs["dataset"].isin(INFERRED_SETS), "published"]
    if len(of) and len(printed) and not of["decision"].isin(["better", "worse"]).any():
        most = printed.iloc[np.abs(printed).argmax()]
        yield (
            f"On {with_and(of['dataset'].unique())} no test separates the treatments (published log odds: up to "
            f"{signed(most)}), {REASON}."
        )


def _without_verdict(frames: Frames, claims: pd.DataFrame, compared: pd.DataFrame) -> Iterator[str]:
    """Why the claims of ICML 2004 have no verdict: the text at hand has lost words."""
    n = int(((claims.index.str[0] == "I") & (claims["verdict"] == "no_verdict")).sum())
    if n:
        yield f"{n} claims of this paper have no verdict: the text at hand has lost words that they depend on."


Conclusion = Callable[[Frames, pd.DataFrame, pd.DataFrame], Iterator[str]]


def _of_pairs(answer: Callable[[Frames], Iterable[Pair]]) -> Conclusion:
    return lambda frames, claims, compared: (pair.text for pair in answer(frames) if pair.gaps)


CONCLUSIONS: dict[str, Conclusion] = {
    "P3": _training,
    "P4": _missing,
    "P5": _of_pairs(future.discovered_features),
    "M": _of_pairs(coding.many_labels),
    "I": _without_verdict,
    "U": _of_pairs(kernels.kernels_and_trees),
    "E": _of_pairs(ensembles.experts),
}
"""By the letters that ids of claims of a paper begin with."""
