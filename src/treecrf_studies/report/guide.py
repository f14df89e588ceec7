"""What a reader should use, and how to cite: recommendations, each with its evidence and its uncertainty, from a run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from treecrf import __version__
from treecrf.statistics.ranking import WORSE
from treecrf_studies.coding.methods import method_text
from treecrf_studies.framework.comparisons import facing
from treecrf_studies.framework.metrics import OF_CHUNKS
from treecrf_studies.missing.advice import MCAR, MECHANISM_CASE, MNAR, judge
from treecrf_studies.missing.ranking import CASE
from treecrf_studies.rendering.cells import number, seconds_text, signed, with_and
from treecrf_studies.rendering.parts import Markdown, Note, Page, Section, code_block, listed, md
from treecrf_studies.rendering.style import method_name, training_method_name
from treecrf_studies.report.figures import NEAR_BEST, cost_frame
from treecrf_studies.report.lessons import Frames, gaps
from treecrf_studies.training.choices import BETTER

CHUNKED = "conll2000_np"
"""The data set of words with BIO labels."""

CITE = "cite.md"

OWN_DATA = """
**Your own file**: `treecrf describe FILE --sequence S --label L` shows how it is read, `treecrf fit` chooses a method and trains it. \
docs/own_data.md compares all methods on it.
"""


def choose(frames: Frames) -> Section:
    """What to start with for words, for missing cells and for little time, as far as the run has evidence."""
    found = [*_words(frames), *_missing(frames), *_time(frames)]
    return Section("choose", "Choose a method", listed([*found, md(OWN_DATA)]) if found else [])


def _words(frames: Frames) -> Iterator[Markdown]:
    scores, tests = frames.of("coding", CHUNKED, "scores"), frames.of("coding", CHUNKED, "comparisons")
    if not (len(scores) and len(tests)):
        return
    scores = scores[(scores["quantity"] == OF_CHUNKS["F1"]) & scores["counted"].astype(bool)]
    scores = scores.sort_values("value", ascending=False).drop_duplicates("method")
    if len(scores) < 2:
        return
    best, second = scores.iloc[0], scores.iloc[1]
    against = facing(tests[tests["window"] == best["window"]], best["method"])
    yield md(
        "**Words with BIO labels**: start with {best} (F1 of noun phrases {f1} %, {seconds} CPU seconds); {second} has {next} % in "
        "{quick} s. *Based on* [noun phrases](site:thesis-new.md#coding-chunks). *Uncertainty*: one data set, one training; tests "
        "compare the accuracy of labels, not F1, and find it better than {worse} of {n} methods.",
        best=method_text(best["method"]),
        f1=number(best["value"]),
        seconds=seconds_text(best["cpu_seconds"]),
        second=method_text(second["method"]),
        next=number(second["value"]),
        quick=seconds_text(second["cpu_seconds"]),
        worse=int((against["decision"] == "better").sum()),
        n=len(against),
    )


def _missing(frames: Frames) -> Iterator[Markdown]:
    parts = [
        (frames.read("missing", f"{kind}evaluations"), frames.read("missing", f"{kind}comparisons"), case)
        for kind, case in (("", CASE), ("mechanism_", MECHANISM_CASE))
    ]
    judged = judge([part for part in parts if len(part[0]) and len(part[1])])
    if judged.empty:
        return

    def first(kind: str, n: int) -> str:
        of_kind = judged[judged["missing"] == kind].assign(worse=judged["standing"] == WORSE)
        found = of_kind.groupby("method").agg(gap=("gap", "mean"), worse=("worse", "sum"), n=("gap", "size"))
        return " or ".join(
            f"{method_name(name)} ({signed(gap)} points to the best; worse than another in {worse} of {n} cases)"
            for name, gap, worse, n in found.nlargest(n, "gap").itertuples()
        )

    text = "**Inputs with missing cells**: start with {random} where cells are missing completely at random"
    text += (
        ", with {other} where absence depends on the value or the label" if (judged["missing"] == MNAR).any() else ""
    )
    yield md(
        text
        + ". *Based on* [missing values](site:missing-values.md). *Uncertainty*: {n} data sets of categories and line features, "
        "none of numbers from sensors; “worse” is by a test with Holm's correction.",
        random=first(MCAR, 2),
        other=first(MNAR, 1),
        n=judged["dataset"].nunique(),
    )


def _time(frames: Frames) -> Iterator[Markdown]:
    costs = cost_frame(frames.read("training", "summary"))
    if len(costs) < 2:
        return
    best = costs.iloc[0]
    near = costs[costs["accuracy"] >= best["accuracy"] - NEAR_BEST].sort_values("seconds").iloc[0]
    tests = frames.read("training", "comparisons")
    found = gaps(tests[tests["decoder"] == BETTER], near["method"], best["method"]) if len(tests) else []
    shown = [gap.dataset for gap in found if gap.decision == "worse"]
    yield md(
        "**Accuracy or time**: {best} has the highest mean accuracy ({accuracy} %, {slow} CPU seconds); {near} reaches {lower} % in "
        "{quick} s. *Based on* [accuracy and CPU time](site:index.md#accuracy-vs-cpu-time). *Uncertainty*: a mean over {datasets}; tests find {near} "
        "less accurate {where}.",
        best=training_method_name(best["method"]),
        accuracy=number(best["accuracy"]),
        slow=seconds_text(best["seconds"]),
        near=training_method_name(near["method"]),
        lower=number(near["accuracy"]),
        quick=seconds_text(near["seconds"]),
        datasets=best["datasets"],
        where=f"only on {with_and(shown)}" if shown else "on none of them",
    )


def cite_page(run: str) -> Page:
    """Authors, title, version and licence, from CITATION.cff, and what `run` says of the run: its date and commit."""
    path = Path(__file__).resolve().parents[3] / "CITATION.cff"
    known: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else {}
    authors = " and ".join(
        author.get("name") or f"{author['family-names']}, {author['given-names']}"
        for author in known.get("authors", ())
    )
    fields = {"author": f"{{{authors}}}", "title": known.get("title", "treecrf"), "version": __version__, "note": run}
    entry = "@software{treecrf,\n" + "".join(f"  {name} = {{{text}}},\n" for name, text in fields.items() if text) + "}"
    items = [
        md("**Run**: {run}.", run=run),
        md(
            "**Licence** of code, texts, figures and numbers: {licence}. The data sets have terms of their own (docs/datasets.md).",
            licence=known.get("license", "BSD-3-Clause"),
        ),
        md(
            "**Numbers** of a figure or table: the CSV file that is linked below it. *What was run* names versions, seeds and checksums."
        ),
        md(
            "**Papers**: please cite also the paper whose method or table you use; each page begins with its reference."
        ),
    ]
    return Page(CITE, "How to cite", "How to cite", [], [Note(code_block(entry, "bibtex")), *listed(items)])
