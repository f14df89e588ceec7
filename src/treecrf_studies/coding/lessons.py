"""What a run teaches of many labels."""

from __future__ import annotations

from collections.abc import Iterator

from treecrf_studies.coding.methods import method_text
from treecrf_studies.framework.frames import Frames
from treecrf_studies.framework.lessons import Pair, gaps


def many_labels(frames: Frames) -> Iterator[Pair]:
    """Trees of all labels at once against the chosen cascade of codes (M.S. thesis)."""
    best, tests = frames.read("coding", "best"), frames.read("coding", "comparisons")
    if not (len(best) and len(tests)):
        return
    tests = tests[tests["window"] == 1]
    cascades = best[(best["learner"] == "gtb") & (best["use"] == "cascade") & (best["window"] == 1)]
    chosen = cascades[["dataset", "method"]].to_numpy()
    for method in ("separable", "full"):
        of_method = [gap for name, cascade in chosen for gap in gaps(tests[tests["dataset"] == name], method, cascade)]
        yield Pair(f"{method_text(method)} with window 1", "the chosen cascade", of_method)
