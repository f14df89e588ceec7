"""The labellers of this study as readers see them, and their published accuracies."""

from __future__ import annotations

import pandas as pd

from treecrf.models.labellers import FUTURE


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


def with_published(summary: pd.DataFrame, published: pd.DataFrame) -> pd.DataFrame:
    """A summary (one G_0 of each method and bag) with the columns family, order and published (percent, or NaN)."""
    parts = [split_method(method) for method in summary["method"]]
    known = published.rename(columns={"percent": "published"})[["dataset", "method", "bag", "published"]]
    joined = summary.merge(known, on=["dataset", "method", "bag"], how="left")
    return joined.assign(family=[family for family, _ in parts], order=[order for _, order in parts])
