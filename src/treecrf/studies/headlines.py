"""Parts of headlines: the results of a study in a sentence or two with its numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pandas as pd

from treecrf.io.messages import counted

DIGITS = 2
"""After the point of a percentage, as tables show it: methods that are equal so far are equally good."""


def best_rows(frame: pd.DataFrame, column: str, *of: str) -> pd.DataFrame:
    """The rows with the highest value of each group `of`, the value as it is shown: all of them where several are equal."""
    shown = frame.assign(**{column: frame[column].round(DIGITS)})
    return shown[shown[column] == shown.groupby(list(of))[column].transform("max")]


def counted_names(names: Iterable[str], total: int, unit: str, where: str = "on", note: str = "") -> str:
    """How often each name is there, the commonest first; several may be there in one case. `note` follows the unit."""
    counts = Counter(names).most_common()
    first = f"{counts[0][0]} {where} {counts[0][1]} of {counted(total, unit)}{note}"
    ties = "; ties count for each" if sum(count for _, count in counts) > total else ""
    return ", ".join([first, *(f"{name} {where} {count}" for name, count in counts[1:])]) + ties
