"""The table of settings that differ from the protocol."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from treecrf.io.messages import counted
from treecrf.rendering.parts import Part, Table, paragraph, setting_text
from treecrf.studies.framework.protocol import Difference
from treecrf.studies.framework.settings import Settings

TITLE = "Settings that differ from the protocol"

NOTE = "The protocol is the default of every setting. Profile of this run: {profile}."


def differing_parts(settings: Settings, studies: Iterable[str]) -> list[Part]:
    """What the profile of the run is, and a table of the settings of studies that differ from the protocol.

    Parameters
    ----------
    settings : Settings
    studies : iterable of str
        Names of those that the page shows.
    """
    shown = set(studies)
    layout = differing_layout(each for each in settings.differences if each.study in shown)
    note = paragraph(NOTE, profile=settings.profile)
    return [note, Table(TITLE, layout)] if len(layout) else [note, paragraph("No setting differs.")]


def differing_layout(differences: Iterable[Difference]) -> pd.DataFrame:
    """Study, data sets, setting, value of the protocol, value of this run and the reason, as texts."""
    rows = [
        (each.study, ", ".join(each.datasets) or "all", each.setting, *_values(each), each.why or "not given")
        for each in differences
    ]
    return pd.DataFrame(rows, columns=["study", "data sets", "setting", "protocol", "this run", "why"])


def _values(difference: Difference) -> tuple[str, str]:
    """The protocol's value and the run's; of methods, how many and which ones are left out or added."""
    before, now = difference.protocol, difference.used
    if difference.setting != "methods":
        return setting_text(before), setting_text(now)
    changes = {"without": _only(before, now), "also": _only(now, before)}
    texts = [f"{word} {', '.join(names)}" for word, names in changes.items() if names]
    return counted(len(before), "method"), f"{counted(len(now), 'method')}: {'; '.join(texts)}"


def _only(these: list[Any], others: list[Any]) -> list[Any]:
    return [name for name in these if name not in others]
