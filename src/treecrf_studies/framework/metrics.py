"""What studies measure of predictions: names of metrics, and how readers see them."""

from __future__ import annotations

from typing import NamedTuple

ACCURACY, MACRO_F1, SEQUENCES_RIGHT = "accuracy", "macro F1", "sequences right"
LOG_LOSS, BRIER_SCORE = "log loss", "Brier score"
"""Values of `metric`; see `METRICS`."""

OF_CHUNKS = {name: f"{name} of noun phrases" for name in ("precision", "recall", "F1")}
"""Further ones."""


class Metric(NamedTuple):
    """What readers see of a metric: its title with the unit, digits after the point, and whether less is better."""

    title: str
    digits: int = 2
    is_loss: bool = False


METRICS = {
    ACCURACY: Metric("accuracy (%)"),
    MACRO_F1: Metric("macro F1 (%)"),
    SEQUENCES_RIGHT: Metric("sequences without an error (%)"),
    **{name: Metric(f"{name} (%)") for name in OF_CHUNKS.values()},
    LOG_LOSS: Metric("log loss (nats)", 4, is_loss=True),
    BRIER_SCORE: Metric("Brier score", 4, is_loss=True),
}
