"""Fitted transforms of holes as JSON values."""

from __future__ import annotations

from typing import Any

from treecrf.missing.transforms import Imputer, Indicator


def describe_transform(holes: Imputer | Indicator | None) -> dict[str, Any] | None:
    """What `restore_transform` takes; None for no transform."""
    if isinstance(holes, Imputer):
        return {
            "kind": "imputation",
            "add_indicator": holes.add_indicator,
            "fill_values": holes.fill_values_,
            "medians": holes.medians_,
        }
    if isinstance(holes, Indicator):
        return {"kind": "indicator", "mark": holes.mark, "flagged": holes.flagged_, "medians": holes.medians_}
    return None


def restore_transform(described: dict[str, Any] | None) -> Imputer | Indicator | None:
    """What `describe_transform` described."""
    if described is None:
        return None
    if described["kind"] == "imputation":
        imputer = Imputer(described.get("add_indicator", False))  # older models have no flags
        imputer.fill_values_, imputer.medians_ = described["fill_values"], described.get("medians", {})
        return imputer
    indicator = Indicator(described["mark"])
    indicator.flagged_, indicator.medians_ = described["flagged"], described.get("medians", {})
    return indicator
