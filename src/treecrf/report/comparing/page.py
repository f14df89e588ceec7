"""The page that compares two runs, and the same as CSV."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd

from treecrf.io.files import atomic, write_frame, write_text
from treecrf.rendering.cells import DASH, cell_texts, count_text, number, p_value_text, seconds_text, signed
from treecrf.rendering.folders import Folders
from treecrf.rendering.parts import Fold, Part, Section, Table, drawn, paragraph
from treecrf.rendering.style import save_figure
from treecrf.rendering.templates import render_page
from treecrf.report.comparing.changes import find_changes
from treecrf.report.comparing.costs import compare_costs
from treecrf.report.comparing.figure import MOST, draw_moves
from treecrf.report.comparing.flips import find_flips
from treecrf.report.comparing.numbers import BEYOND, OUTCOMES, WITHIN, compare_numbers
from treecrf.report.comparing.runs import Run, open_run
from treecrf.report.comparing.words import flips_sentence, gaps, headline, moved_sentence
from treecrf.report.rules import verdict_text

PAGE = "index.html"

NUMBERS_NOTE = """
A number is the accuracy of a method on a data set. It is the same where every prediction is. The others are tested as the studies
test two methods, the second run against the first: flips of whole test sequences (or blocks of these, where there are few), the
corrected resampled t test over draws, or test sequences crossed with damaged training sets. p-values are corrected over all numbers
of which a prediction changed (Holm); "better" and "worse" are those below 0.05, and "equivalent" those whose 90 % interval lies
within the margin. A test of a single training speaks of two trained models: it does not know the luck of a training.
"""

MOVED_CAPTION = f"""
The numbers that moved, at most {MOST}, those that moved farthest. Right of the line, the second run is better. Filled: beyond noise.
"""

COSTS_NOTE = """
CPU seconds of the trainings that the studies keep, and the second run's divided by the first's. Nothing tests them: seconds of different
machines, or of a busy one, say little about the code.
"""


def write_comparison(
    first: str | os.PathLike[str], second: str | os.PathLike[str], folder: str | os.PathLike[str]
) -> str:
    """Write the comparison of two runs into a folder: ``index.html``, and CSV files: changes, numbers, verdicts, costs.

    Parameters
    ----------
    first, second : path-like
        Folders of results, or archives.
    folder : path-like

    Returns
    -------
    str
        What it says first, in one sentence.

    Raises
    ------
    FileNotFoundError, ValueError
        One sentence, if one of them is no run, or damaged.
    """
    place = Path(folder)
    with open_run(first) as one, open_run(second) as other:
        changes, numbers, costs = find_changes(one, other), compare_numbers(one, other), compare_costs(one, other)
        flips, n_judged = find_flips(one, other)
        for name, frame in (("changes", changes), ("numbers", numbers), ("verdicts", flips), ("costs", costs)):
            write_frame(frame, place / f"{name}.csv")
        said = headline(one, other, changes, numbers)
        page = render_page(
            "comparison.html",
            title="Two runs compared",
            headline=said,
            sentences=[text for text in (moved_sentence(numbers), flips_sentence(flips, n_judged)) if text],
            gaps=list(gaps(one, other, numbers)),
            runs=_runs(one, other),
            sections=[
                Section("changes", "What changed", _changes(changes, place)),
                Section("numbers", "Which numbers moved", _numbers(numbers, place)),
                Section("verdicts", "Which verdicts flipped", _flips(flips, place)),
                Section("costs", "CPU time", _costs(costs, place)),
            ],
            folders=Folders(place, place),
        )
    write_text(page, place / PAGE)
    return said


def _runs(one: Run, other: Run) -> Table:
    """Which run is which."""

    def about(run: Run) -> dict[str, str]:
        written, commit = str(run.manifest.get("written", DASH)), str(run.manifest.get("commit") or DASH)
        digits, _, is_dirty = commit.partition("-")
        return {
            "written (UTC)": written[:16].replace("T", " "), "commit": "-".join(filter(None, (digits[:10], is_dirty))),
            "machine": str(run.manifest.get("machine", DASH)),
        }  # fmt: skip

    rows = [{"run": place, "name": run.name, **about(run)} for place, run in (("first", one), ("second", other))]
    return Table("The two runs", pd.DataFrame(rows))


def _changes(changes: pd.DataFrame, folder: Path) -> list[Part]:
    if changes.empty:
        return [paragraph("Nothing that the manifests know.")]
    layout = changes.replace("", DASH)
    return [Table("Settings, code, versions, machine and raw files that differ", layout, folder / "changes")]


def _numbers(numbers: pd.DataFrame, folder: Path) -> list[Part]:
    parts: list[Part] = [paragraph(NUMBERS_NOTE)]
    if len(numbers):
        counts = pd.crosstab(numbers["study"], numbers["outcome"])
        shown = counts.reindex(list(dict.fromkeys(numbers["study"])), columns=list(OUTCOMES), fill_value=0).map(
            count_text
        )
        total = numbers["outcome"].value_counts().reindex(list(OUTCOMES), fill_value=0).map(count_text)
        layout = pd.concat([shown, total.to_frame("all studies").T]).rename_axis("study").reset_index()
        parts.append(Table("Numbers by study", layout, folder / "numbers"))
    figure = draw_moves(numbers)
    if figure is not None:
        for kind in ("svg", "pdf", "png"):
            with atomic(folder / f"moved.{kind}") as temporary:
                save_figure(figure, temporary, kind)
        n_beyond = int((numbers["outcome"] == BEYOND).sum())
        alt = f"Numbers that moved between the runs, with intervals; beyond noise: {n_beyond}. The tables below hold all of them."
        parts += drawn(folder / "moved.svg", alt, MOVED_CAPTION)
    for outcome, title in ((BEYOND, "Moved beyond noise"), (WITHIN, "Moved within noise")):
        rows = numbers[numbers["outcome"] == outcome]
        if len(rows):
            table = Table(title, _moved(rows.sort_values("points", key=abs, ascending=False, kind="stable")))
            parts.append(table if outcome == BEYOND else Fold(title, [table]))
    return parts


def _moved(rows: pd.DataFrame) -> pd.DataFrame:
    """Numbers as texts."""
    names = [f"{method} ({of})" if of else method for method, of in zip(rows["method"], rows["of"], strict=True)]
    intervals = [
        f"{signed(low)} to {signed(high)}" for low, high in zip(rows["points_low"], rows["points_high"], strict=True)
    ]
    speaks = ["method" if of_method else "trained models" for of_method in rows["is_of_method"]]
    tested = [f"{int(n)} {by}" for n, by in zip(rows["n_clusters"], rows["tested_by"], strict=True)]
    return pd.DataFrame(
        {
            "study": rows["study"], "data set": rows["dataset"], "method": names,
            "first (%)": cell_texts(rows["accuracy_from"], number), "second (%)": cell_texts(rows["accuracy_to"], number),
            "points": cell_texts(rows["points"], signed), "95 % interval": intervals,
            "p": cell_texts(rows["p_value"], p_value_text), "p (Holm)": cell_texts(rows["p_holm"], p_value_text),
            "decision": rows["decision"], "tested by": tested, "speaks of": speaks,
            "predictions changed": [
                f"{changed:,} of {every:,}" for changed, every in zip(rows["n_changed"], rows["n_predictions"], strict=True)
            ],
            **({"note": [note or DASH for note in rows["note"]]} if rows["note"].any() else {}),
        }
    )  # fmt: skip


def _flips(flips: pd.DataFrame, folder: Path) -> list[Part]:
    if flips.empty:
        return [paragraph("None, neither as judged nor under another rule.")]
    layout = pd.DataFrame(
        {
            "claim": flips["id"], "rule": flips["rule"], "first": [verdict_text(word) for word in flips["from"]],
            "second": [verdict_text(word) for word in flips["to"]], "what the paper says": flips["statement"],
        }
    )  # fmt: skip
    return [Table("Verdicts that differ, as judged and under other rules", layout, folder / "verdicts")]


def _costs(costs: pd.DataFrame, folder: Path) -> list[Part]:
    if costs.empty:
        return [paragraph("No study of which both runs keep CPU seconds.")]
    columns = {
        "study": costs["study"], "data set": costs["dataset"], "method": costs["method"].astype(str),
        "first (CPU s)": cell_texts(costs["seconds_from"], seconds_text),
        "second (CPU s)": cell_texts(costs["seconds_to"], seconds_text), "ratio": cell_texts(costs["ratio"], number),
    }  # fmt: skip
    table = Table("CPU seconds by study, data set and method", pd.DataFrame(columns), folder / "costs")
    return [paragraph(COSTS_NOTE), Fold("CPU seconds by study, data set and method", [table])]
