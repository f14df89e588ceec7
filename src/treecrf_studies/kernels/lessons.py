"""What a run teaches of kernels."""

from __future__ import annotations

from collections.abc import Iterator

from treecrf_studies.framework.frames import Frames
from treecrf_studies.framework.lessons import Pair, gaps
from treecrf_studies.kernels.methods import BEST_KERNEL, BEST_TREES, method_text


def kernels_and_trees(frames: Frames) -> Iterator[Pair]:
    """Conjunctions of inputs in kernels, and kernels against trees (UAI 2004)."""
    tests = frames.read("kernels", "comparisons")
    for pair in (("degree_2", "degree_1"), (BEST_TREES, BEST_KERNEL)):
        yield Pair(method_text(pair[0]), method_text(pair[1]), gaps(tests, *pair))
