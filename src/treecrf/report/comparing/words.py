"""What a comparison of two runs says in a few sentences."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from treecrf.io.messages import counted
from treecrf.rendering.words import with_and
from treecrf.report.comparing.numbers import BEYOND, NOT_COMPARED, SAME, WITHIN
from treecrf.report.comparing.runs import Run
from treecrf.report.rules import AS_JUDGED

UNKNOWN = "has no manifest: its settings, code, versions and machine are not known"


def headline(one: Run, other: Run, changes: pd.DataFrame, numbers: pd.DataFrame) -> str:
    """What changed, and how many numbers with it: "Same code, same settings, other machine: 412 numbers are the same bits, .."."""
    return f"{_what_changed(one, other, changes)}: {_what_moved(numbers)}."


def moved_sentence(numbers: pd.DataFrame) -> str:
    """The numbers that moved beyond noise, the best known of them by name; empty if there are none."""
    beyond = numbers[numbers["outcome"] == BEYOND]
    if beyond.empty:
        return ""
    counts = {word: int((beyond["decision"] == word).sum()) for word in ("better", "worse")}
    largest = beyond.loc[beyond["points"].abs().idxmax()]
    of = f" ({largest['of']})" if largest["of"] else ""
    return (
        f"Of those beyond noise, the second run is better in {counts['better']} and worse in {counts['worse']}; it moved most in "
        f"{largest['method']}{of} on {largest['dataset']}: {largest['points']:+.2f} points ({largest['study']})."
    ).replace("-", "−")


def flips_sentence(flips: pd.DataFrame, n_judged: int) -> str:
    """How many verdicts flipped."""
    judged = flips[flips["rule"] == AS_JUDGED]
    if judged.empty:
        return (
            f"No verdict flipped: {counted(n_judged, 'claim')} were judged by both runs."
            if n_judged
            else "No claim was judged by both runs."
        )
    shown = with_and(
        f"{row['id']} ({_verdict(row['from'])} to {_verdict(row['to'])})" for row in judged.to_dict("records")
    )
    return f"{counted(len(judged), 'verdict')} changed: {shown}."


def gaps(one: Run, other: Run, numbers: pd.DataFrame) -> Iterator[str]:
    """What could not be compared, and why."""
    for place, run in (("first", one), ("second", other)):
        if not run.manifest:
            yield f"The {place} run, {run.name}, {UNKNOWN}."
        elif run.changed:
            n_files = counted(len(run.changed), "file")
            yield (
                f"{n_files} of the {place} run changed after its manifest was written, such as {run.changed[0]}: what it says of "
                "settings and code may not hold for them."
            )
    absent = numbers[numbers["outcome"] == NOT_COMPARED]
    for (study, note), rows in absent.groupby(["study", "note"], sort=False):
        methods = with_and(dict.fromkeys(f"{row['method']} on {row['dataset']}" for row in rows.to_dict("records")))
        yield f"{counted(len(rows), 'number')} of {study}: {note} ({methods})."


def _what_changed(one: Run, other: Run, changes: pd.DataFrame) -> str:
    if not (one.manifest and other.manifest):
        which = (
            "The second run has no"
            if one.manifest
            else "The first run has no"
            if other.manifest
            else "Neither run has a"
        )
        return f"{which} manifest, so what changed is not known"
    kinds = {str(kind): rows for kind, rows in changes.groupby("kind", sort=False)}
    code = kinds.get("code")
    studies = [name for name in code["name"] if name != "commit"] if code is not None else []
    parts = [f"other code ({', '.join(studies)})" if studies else "same code"]
    parts.append(f"{counted(len(kinds['setting']), 'setting')} changed" if "setting" in kinds else "same settings")
    if "version" in kinds:
        parts.append(f"other versions of {with_and(kinds['version']['name'])}")
    if "raw file" in kinds:
        parts.append("other raw files")
    parts.append("other machine" if "machine" in kinds else "same machine")
    text = ", ".join(parts)
    return text[0].upper() + text[1:]


def _what_moved(numbers: pd.DataFrame) -> str:
    counts = {outcome: int((numbers["outcome"] == outcome).sum()) for outcome in (SAME, WITHIN, BEYOND, NOT_COMPARED)}
    if not len(numbers) - counts[NOT_COMPARED]:
        return "no number could be compared"
    verb = "is" if counts[SAME] == 1 else "are"
    same = f"{counted(counts[SAME], 'number')} {verb} the same{' bits' if counts[SAME] else ''}"
    beyond = f"{counts[BEYOND]:,} beyond it" if counts[BEYOND] else "none beyond it"
    rest = f", and {counts[NOT_COMPARED]:,} could not be compared" if counts[NOT_COMPARED] else ""
    return f"{same}, {counts[WITHIN]:,} moved within noise, {beyond}{rest}"


def _verdict(verdict: str) -> str:
    return verdict.replace("_", " ")
