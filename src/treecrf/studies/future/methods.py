"""The labellers of this study as readers see them, and their published accuracies."""

from __future__ import annotations

import pandas as pd

from treecrf.models.registry import FUTURE
from treecrf.rendering.style import DECODER_NAMES
from treecrf.studies.future.names import NO_BAG
from treecrf.studies.future.published import future_accuracies


def family_name(family: str) -> str:
    """What readers see of a labeller; a custom one has the name that they gave it."""
    return FUTURE[family].drawing.name if family in FUTURE else family


def split_method(method: str) -> tuple[str, int]:
    """The labeller and the order of a method's name."""
    family, _, order = method.rpartition("_")
    return (family, int(order)) if order.isdigit() and family in FUTURE else (method, 0)


def method_text(method: str) -> str:
    """What readers see of a method, perhaps with its bag in brackets."""
    name, _, bag = method.partition(" ")
    family, order = split_method(name)
    has_order = family in FUTURE and bool(FUTURE[family].orders)
    text = family_name(family) + (f"-{order}" if has_order else "")
    return f"{text} {bag}".strip()


def decoder_text(decoder: str) -> str:
    """What readers see of a decoder."""
    return DECODER_NAMES.get(decoder, decoder)


def variant_name(method: str, bag: str) -> str:
    """A method with its bag, where it has one."""
    return method if bag == NO_BAG else f"{method} ({bag})"


def variant_names(frame: pd.DataFrame) -> pd.Series:
    """`variant_name` of every row."""
    return pd.Series(
        [variant_name(m, b) for m, b in zip(frame["method"], frame["bag"], strict=True)],
        index=frame.index,
        dtype=object,
    )


def discovers_features(method: str) -> bool:
    """Whether a method, perhaps with its bag, discovers features of the future."""
    return method.startswith("ff_")


def with_published(summary: pd.DataFrame) -> pd.DataFrame:
    """A summary (one G_0 of each method and bag) with the columns family, order and published (percent, or NaN).

    Published values belong to the kind of the data, not to its name: bags cut at the end and full ones share them.
    """
    parts = [split_method(method) for method in summary["method"]]
    known = future_accuracies().rename(columns={"dataset": "kind", "percent": "published"})
    joined = summary.merge(known[["kind", "method", "bag", "published"]], on=["kind", "method", "bag"], how="left")
    return joined.assign(family=[family for family, _ in parts], order=[order for _, order in parts])
