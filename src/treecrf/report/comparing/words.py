"""Sentences that sum up a comparison of two runs."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from treecrf.io.messages import counted
from treecrf.rendering.words import points_text, with_and
from treecrf.report.comparing.changes import KINDS
from treecrf.report.comparing.numbers import BEYOND, NOT_COMPARED, SAME, WITHIN
from treecrf.report.comparing.runs import Run
from treecrf.report.rules import AS_JUDGED, verdict_text
from treecrf.studies.claims import NOT_RUN

UNKNOWN = "has no manifest: its settings, code, versions and machine are not known"


def headline(one: Run, other: Run, changes: pd.DataFrame, numbers: pd.DataFrame) -> str:
    """What changed, and how many numbers with it: "Same code, same settings, other machine: 412 numbers are the same bits, .."."""
    return f"{_what_changed(one, other, changes)}: {_what_moved(numbers)}."


def moved_sentence(numbers: pd.DataFrame) -> str:
    """The numbers that moved beyond noise, the best known of them by name; empty if there are none."""
    beyond = numbers[numbers["outcome"] == BEYOND]
    if beyond.empty:
        return ""
    better, worse = (int((beyond["decision"] == word).sum()) for word in ("better", "worse"))
    farthest = beyond.loc[beyond["points"].abs().sort_values().index[-1]].to_dict()
    of = f" ({farthest['of']})" if farthest["of"] else ""
    return (
        f"Of the {counted(len(beyond), 'number')} beyond noise, {better:,} {_are(better)} better and {worse:,} {_are(worse)} worse in the "
        f"second run; {farthest['method']}{of} on {farthest['dataset']} moved farthest: {points_text(farthest['points'])} "
        f"({farthest['study']})."
    )


def flips_sentence(flips: pd.DataFrame, n_judged: int) -> str:
    """How many verdicts flipped, and how many claims one run alone has results for."""
    judged = flips[flips["rule"] == AS_JUDGED]
    alone = (judged[["from", "to"]] == NOT_RUN).any(axis=1)
    flipped = judged[~alone].to_dict("records")
    of = f"of {counted(n_judged, 'claim')} that both runs judge"
    shown = with_and(f"{row['id']} ({verdict_text(row['from'])} to {verdict_text(row['to'])})" for row in flipped)
    said = f"{counted(len(flipped), 'verdict')} flipped, {of}: {shown}." if flipped else f"No verdict flipped, {of}."
    return (
        f"{said} {counted(int(alone.sum()), 'claim')} {_are(int(alone.sum()))} judged by one run alone."
        if alone.any()
        else said
    )


def gaps(one: Run, other: Run, numbers: pd.DataFrame) -> Iterator[str]:
    """What could not be compared, and why."""
    for place, run in (("first", one), ("second", other)):
        silent = [key for key in KINDS.values() if key not in run.manifest]
        if not run.manifest:
            yield f"The {place} run, {run.name}, {UNKNOWN}."
        elif silent:
            yield f"The manifest of the {place} run says nothing of {with_and(silent)}: whether they changed is not known."
        if run.changed:
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
    studies = [name for name in kinds["code"]["name"] if name != "commit"] if "code" in kinds else []
    same = {
        kind: f"same {word}" if key in one.manifest and key in other.manifest else f"{word} not known"
        for (kind, key), word in zip(
            KINDS.items(), ("settings", "code", "versions", "machine", "raw files"), strict=True
        )
    }
    parts = [
        f"other code ({', '.join(studies)})" if studies else same["code"],
        f"{counted(len(kinds['setting']), 'setting')} changed" if "setting" in kinds else same["setting"],
        *([f"other versions of {with_and(kinds['version']['name'])}"] if "version" in kinds else []),
        *(["other raw files"] if "raw file" in kinds else []),
        "other machine" if "machine" in kinds else same["machine"],
    ]
    text = ", ".join(parts)
    return text[0].upper() + text[1:]


def _what_moved(numbers: pd.DataFrame) -> str:
    counts = {outcome: int((numbers["outcome"] == outcome).sum()) for outcome in (SAME, WITHIN, BEYOND, NOT_COMPARED)}
    if not len(numbers) - counts[NOT_COMPARED]:
        return "no number could be compared"
    same = f"{counted(counts[SAME], 'number')} {_are(counts[SAME])} the same{' bits' if counts[SAME] else ''}"
    beyond = f"{counts[BEYOND]:,} beyond it" if counts[BEYOND] else "none beyond it"
    rest = f", and {counts[NOT_COMPARED]:,} could not be compared" if counts[NOT_COMPARED] else ""
    return f"{same}, {counts[WITHIN]:,} moved within noise, {beyond}{rest}"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"
