"""What the parts of figure 3.3 show of a run of the papers' protocol, in words."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from treecrf.io.messages import counted
from treecrf_studies.cost.summary import reduce_scaling
from treecrf_studies.framework.frames import Frames
from treecrf_studies.framework.page import Words
from treecrf_studies.rendering.cells import texts_of, three_digits, two_digits, with_and
from treecrf_studies.rendering.style import training_method_name


def tell_growth(axis: str, quantity: str, by: str, what: str) -> Callable[[Frames], Words | None]:
    """Of a part, by its axis and quantity in the frame of the study, and by both in words."""

    def tell(frames: Frames) -> Words | None:
        scaling = frames.read("cost", "scaling", [""])
        if scaling.empty:
            return None
        rows = reduce_scaling(scaling[(scaling["axis"] == axis) & (scaling["quantity"] == quantity)])
        return growth_words(rows, by, what) if len(set(rows["size"])) > 1 else None

    return tell


def growth_words(rows: pd.DataFrame, by: str, what: str) -> Words:
    """What a part of figure 3.3 shows, from rows of `treecrf_studies.cost.summary.reduce_scaling`: methods at the
    largest value, and the medians of all.
    """
    rows = rows.assign(method=rows["method"].map(training_method_name)).sort_values(["size", "value"])
    columns = {"size": by, "method": "method", "value": "seconds", "low": "seconds_low", "high": "seconds_high"}
    rows = rows[[*columns, "n_positions"]].rename(columns=columns)
    largest = rows[rows[by] == rows[by].max()]
    quick, slow, end = largest.iloc[0], largest.iloc[-1], f"a {by} of {rows[by].max():g}"
    sentence = (
        f"{two_digits(slow['seconds'] / quick['seconds'])} times the CPU seconds of {quick['method']} are taken by "
        f"{slow['method']} at {end}."
    )
    shown = with_and(f"{name} {three_digits(seconds)}" for name, seconds in largest[["method", "seconds"]].to_numpy())
    alt = f"{what} by {by}, on logarithmic axes, of {counted(len(largest), 'method')}. At {end}: {shown}."
    numbers = texts_of(rows)
    numbers[by] = [f"{size:g}" for size in rows[by]]
    for name in ("seconds", "seconds_low", "seconds_high"):
        numbers[name] = rows[name].map(three_digits)
    return Words(sentence, alt, numbers)
