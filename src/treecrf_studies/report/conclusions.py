"""What the page of each paper begins with: at most three sentences that say what came out, from the numbers of the run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from treecrf_studies.framework.views import (
    NEAR,
    distinct_accuracies,
    nearness_texts,
    published_pairs,
    published_values,
)
from treecrf_studies.rendering.cells import number, signed, with_and
from treecrf_studies.rendering.parts import Markdown, escaped, link, md
from treecrf_studies.rendering.style import method_name, training_method_name
from treecrf_studies.report.lessons import Frames, Lesson, Pair, ensembles, future_features, kernels, many_labels
from treecrf_studies.report.papers import MISSING, Paper, claim_path, verdict_text
from treecrf_studies.training.choices import PEAK, preferred_at
from treecrf_studies.training.published import INFERRED as INFERRED_SETS

WORDS = {"better": "more accurate", "worse": "less accurate", "equivalent": "equivalent", "undecided": "undecided"}
"""Of decisions."""

MOST = 3
"""Sentences of a conclusion."""

REASON = "likely because its line features are inferred: the dissertation does not name them"


def conclude(paper: Paper, frames: Frames, claims: pd.DataFrame, compared: pd.DataFrame) -> list[Markdown]:
    """The conclusion of a paper, a sentence each; none where the run has nothing for it.

    Parameters
    ----------
    paper : Paper
    frames : Frames
    claims, compared : DataFrame
        From `treecrf_studies.report.ledger`.
    """
    found = [escaped(text) for text in _met(paper, frames)]
    found += CONCLUSIONS[paper.start](frames, claims.set_index("id"), compared[compared["part"] == ""])
    return found[:MOST]


def _met(paper: Paper, frames: Frames) -> Iterator[str]:
    pairs = distinct_accuracies(published_values(frames.settings))
    pairs = pairs[pairs["source"].map(paper.numbers).astype(bool)]
    counted = pairs[pairs["kind"] == ""]
    if len(counted):
        met, _, _ = nearness_texts(pairs)
        quantity = "peaks of test curves" if counted["measured"].ne(counted["at_choice"]).any() else "accuracies"
        yield f"{met} printed {quantity} on {with_and(counted['dataset'].unique())} are met within {NEAR:g} point."


Found = list[Markdown]


def _training(frames: Frames, claims: pd.DataFrame, compared: pd.DataFrame) -> Found:
    """Orders of methods that are reversed where columns are inferred, and the seconds to the peak beside published ones."""
    summary = frames.read("training", "summary")
    found = []
    if len(summary):
        peaks = preferred_at(summary, PEAK).set_index(["dataset", "method"])[["published", "value"]]
        found += [text for name in INFERRED_SETS if name in peaks.index for text in _reversed(name, peaks)]
    seconds = compared[compared["id"].isin(["P3.14", "P3.15"])].dropna(subset=["measured", "published"])
    if len(seconds):
        is_inverse = seconds["id"] == "P3.15"  # TreeCRF by MALLET
        ratios = seconds[["measured", "published"]].where(~is_inverse, 1 / seconds[["measured", "published"]], axis=0)
        texts = [_ratios(seconds.loc[of.index, "dataset"], of) for _, of in ratios.groupby(is_inverse)]
        found.append(f"CPU seconds of MALLET (Java) to its peak, divided by those of TreeCRF: {' and '.join(texts)}.")
    return [escaped(text) for text in found]


def _reversed(dataset: str, peaks: pd.DataFrame) -> Iterator[str]:
    """A sentence where the peaks of TreeCRF and MALLET have not the order that the dissertation prints."""
    found: dict[str, Any] = {str(method): row for method, row in peaks.loc[[dataset]].droplevel(0).T.to_dict().items()}
    rows = {name: found[name] for name in ("mallet", "treecrf") if name in found}
    if len(rows) == 2 and np.prod([rows["mallet"][name] - rows["treecrf"][name] for name in peaks]) < 0:
        texts = [
            f"{training_method_name(name)} {number(row['value'])} %, published {number(row['published'])}"
            for name, row in rows.items()
        ]
        yield f"On {dataset} the order of peaks is reversed ({'; '.join(texts)}), {REASON}."


def _ratios(datasets: pd.Series, ratios: pd.DataFrame) -> str:
    """The span of measured ratios, and of the published ones in brackets."""
    digits = {name: 3 if ratios[name].max() >= 100 else 2 for name in ratios}
    spans = [f"{ratios[name].min():.{digits[name]}g} to {ratios[name].max():.{digits[name]}g}" for name in ratios]
    return f"{spans[0]} on {with_and(datasets)} (published: {spans[1]})"


def _missing(frames: Frames, claims: pd.DataFrame, compared: pd.DataFrame) -> Found:
    """Instance weighting against the other treatments, by the claim about all cases, and on FAQ sets."""
    tests = frames.read("missing", "comparisons")
    if tests.empty:
        return []
    tests = tests[tests["other"] == "instance_weighting"]
    behind = tests[tests["decision"] == "worse"]["method"].value_counts()
    text = (
        f"Instance weighting is better than another treatment in {int(behind.sum())} of {len(tests)} tests "
        f"({with_and(f'{method_name(str(name))} {n}' for name, n in behind.items()) or 'none'}) and worse in "
        f"{int((tests['decision'] == 'better').sum())}."
    )
    found, claim, rows = [escaped(text)], "P4.15", compared[compared["id"] == "P4.15"]
    if len(rows):
        found.append(
            md(
                "“Best in most cases” ({claim}) is {verdict}: it beats the best other treatment of the dissertation in {n} of "
                "{all} cases by a test; {page} counts ties, too.",
                claim=link(claim, claim_path(claim)),
                verdict=verdict_text(str(claims["verdict"][claim])),
                n=int((rows["holds"] == "yes").sum()),
                all=len(rows),
                page=link("the page on missing values", MISSING),
            )
        )
    return [*found, *map(escaped, _on_inferred(frames, tests))]


def _on_inferred(frames: Frames, tests: pd.DataFrame) -> Iterator[str]:
    pairs = published_pairs(published_values(frames.settings))
    of = tests[tests["dataset"].isin(INFERRED_SETS)]
    printed = pairs[(pairs["study"] == "missing") & pairs["dataset"].isin(INFERRED_SETS)]
    if len(of) and len(printed) and not of["decision"].isin(["better", "worse"]).any():
        most = printed.iloc[printed["published"].abs().argmax()]
        yield (
            f"On {with_and(of['dataset'].unique())} no test separates the treatments (published log odds: up to "
            f"{signed(most['published'])}), {REASON}."
        )


def _short(pair: Pair) -> str:
    """On which data sets the first of two methods is more accurate, less or neither."""
    by_decision: dict[str, list[str]] = {}
    for gap in pair.gaps:
        by_decision.setdefault(gap.decision, []).append(gap.dataset)
    texts = [f"{WORDS[name]} on {with_and(by_decision[name])}" for name in WORDS if name in by_decision]
    text = f"{pair.method} vs {pair.other}: {'; '.join(texts)}."
    return text[0].upper() + text[1:]


def _of_lesson(answer: Callable[[Frames], Lesson | None]) -> Callable[..., Found]:
    def found(frames: Frames, claims: pd.DataFrame, compared: pd.DataFrame) -> Found:
        lesson = answer(frames)
        return [escaped(_short(pair)) for pair in lesson.pairs if pair.gaps] if lesson else []

    return found


def _without_verdict(frames: Frames, claims: pd.DataFrame, compared: pd.DataFrame) -> Found:
    """Why the claims of ICML 2004 have no verdict: the text at hand has lost words."""
    rows = claims[(claims.index.str[0] == "I") & (claims["verdict"] == "no_verdict")]
    if rows.empty:
        return []
    text = f"{len(rows)} claims of this paper have no verdict: the text at hand has lost words that they hang on."
    return [escaped(text)]


CONCLUSIONS: dict[str, Callable[[Frames, pd.DataFrame, pd.DataFrame], Found]] = {
    "P3": _training,
    "P4": _missing,
    "P5": _of_lesson(future_features),
    "M": _of_lesson(many_labels),
    "I": _without_verdict,
    "U": _of_lesson(kernels),
    "E": _of_lesson(ensembles),
}
"""By the letters that ids of claims of a paper begin with."""
