"""The rows of the study: votes on generated predictions (table 1), the labellers that are combined, and what combines
them.
"""

from __future__ import annotations

from collections.abc import Iterable

from treecrf_studies.methods.catalogue import ENSEMBLES, names_of

VOTES = {
    "majority_vote_online": "majority vote (on-line)",
    "espboost": "ESPBoost",
    "sle": "SLE",
    "random_path": "random path (H_Rand)",
    "best_expert": "best expert",
    "descent": "descent on F (ours)",
}
"""Rows of table 1 in its order, as readers see them; the last one is not in the paper."""

EXPERTS = names_of(ENSEMBLES)
"""Labellers of `treecrf_studies.ensembles.jobs`, in the order of tables."""

BEST, STACKED, BOOSTED = "best_retrained", "stacking_retrained", "boosted_stacking_retrained"

COMBINED = {
    "best_expert": "best expert",
    "majority_vote": "majority vote",
    "marginal_average": "mean of marginals",
    "espboost": "ESPBoost",
    "online_majority_vote": "majority vote (on-line)",
    "stacking": "stacking (logistic)",
    "boosted_stacking": "stacking (LightGBM)",
    BEST: "best expert (A + B)",
    STACKED: "stacking (logistic; A + B)",
    BOOSTED: "stacking (LightGBM; A + B)",
}
"""Rows on real data: names of `treecrf.ensembles.combiners.COMBINERS`, then three whose experts are trained again, with
all labels.
"""

RETRAINED = {BEST: "best_expert", STACKED: "stacking", BOOSTED: "boosted_stacking"}
"""What combines the experts that are trained again, as it was learnt on part B with the experts of part A."""

STEPS = [
    ("espboost", "best_expert"),
    ("espboost", "majority_vote"),
    ("majority_vote", "best_expert"),
    ("marginal_average", "majority_vote"),
    ("online_majority_vote", "majority_vote"),
    ("stacking", "majority_vote"),
    ("stacking", "marginal_average"),
    ("boosted_stacking", "stacking"),
    (BEST, "espboost"),
    (STACKED, BEST),
    (BOOSTED, BEST),
    (BOOSTED, STACKED),
]
"""The pairs that tables show: what votes gain, then stacking, then what the labels of B are worth to the experts."""


def method_text(method: str) -> str:
    """What readers see of a row on real data."""
    return COMBINED[method]


def row_text(method: str) -> str:
    """What readers see of a row, on real data or of table 1."""
    return VOTES[method] if method in VOTES else method_text(method)


def ordered_methods(methods: Iterable[str]) -> list[str]:
    """Each once, in the order of `COMBINED`."""
    given = set(methods)
    return [name for name in COMBINED if name in given]
