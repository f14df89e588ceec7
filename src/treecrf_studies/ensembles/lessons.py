"""What a run teaches of ensembles."""

from __future__ import annotations

from collections.abc import Iterator

from treecrf_studies.ensembles.methods import BEST as RETRAINED_EXPERT
from treecrf_studies.ensembles.methods import COMBINED
from treecrf_studies.framework.frames import Frames
from treecrf_studies.framework.lessons import Pair, gaps


def experts(frames: Frames) -> Iterator[Pair]:
    """ESPBoost against the best expert, and what part B's labels are worth to that expert (ESPBoost 2014)."""
    tests = frames.read("ensembles", "comparisons")
    names = {"espboost": COMBINED["espboost"], RETRAINED_EXPERT: "the best expert with all labels"}
    for method, name in names.items():
        yield Pair(name, "the best expert of part A", gaps(tests, method, "best_expert"))
