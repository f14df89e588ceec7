"""Parts of headlines: the results of a study in a sentence or two with its numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable

import pandas as pd

from treecrf.io.messages import counted

DIGITS = 2
"""After the point of a percentage, as tables show it: methods that are equal so far are equally good."""


def counted_names(names: Iterable[str], total: int, unit: str, where: str = "on", note: str = "") -> str:
    """How often each name is there, the commonest first; several may be there in one case. `note` follows the unit."""
    counts = Counter(names).most_common()
    first = f"{counts[0][0]} {where} {counts[0][1]} of {counted(total, unit)}{note}"
    ties = "; ties count for each" if sum(count for _, count in counts) > total else ""
    return ", ".join([first, *(f"{name} {where} {count}" for name, count in counts[1:])]) + ties


def counted_standings(
    ranks: pd.DataFrame, standings: Collection[str], name_of: Callable[[str], str], unit: str, where: str = "on"
) -> str:
    """In how many of the cases in which it is ranked each method has one of these standings, the commonest first.

    `ranks` has method and standing (`treecrf.statistics.ranking.rank_cases`). Empty where no method has any.
    """
    n_ranked = ranks["method"].value_counts().to_dict()
    counts = ranks.loc[ranks["standing"].isin(standings), "method"].value_counts(sort=False)
    found = [
        f"{name_of(str(method))} {where} {n} of {n_ranked[method]}"
        for method, n in counts.sort_values(ascending=False, kind="stable").items()
    ]
    return ", ".join([f"{found[0]} {unit}{'' if found[0].endswith(' 1') else 's'}", *found[1:]]) if found else ""
