"""What a run teaches of missing values."""

from __future__ import annotations

from collections.abc import Iterator

from treecrf_studies.framework.frames import Frames
from treecrf_studies.framework.lessons import FAMILY, Pair, gaps
from treecrf_studies.rendering.style import method_name


def random_holes(frames: Frames) -> Iterator[Pair]:
    """Instance weighting where cells go missing completely at random (PhD chapter 4), at the highest rate."""
    tests = frames.read("missing", "comparisons")
    if len(tests):
        highest = tests[(tests["rate"] == tests["rate"].max()) & (tests["other"] == "instance_weighting")]
        name = f"instance weighting ({100 * tests['rate'].max():g} % missing)"
        for other in ("imputation", "indicator"):
            yield Pair(name, method_name(other), gaps(highest, "instance_weighting", other, FAMILY))


def label_holes(frames: Frames) -> Iterator[Pair]:
    """Instance weighting where cells go missing by label, against the best other treatment of each data set."""
    tests, counts = frames.read("missing", "mechanism_comparisons"), frames.read("missing", "mechanism_evaluations")
    if not (len(tests) and len(counts)):
        return
    tests, counts = (frame[frame["mechanism"] == "label"] for frame in (tests, counts))
    tests = tests[tests["other"] == "instance_weighting"]
    others = counts[counts["method"] != "instance_weighting"]
    sums = others.groupby(["dataset", "method"], sort=False)[["n_correct", "n_positions"]].sum()
    best = (sums["n_correct"] / sums["n_positions"]).groupby("dataset", sort=False).idxmax()
    for method, pairs in best.groupby(best.str[1], sort=False):
        of_method = gaps(tests[tests["dataset"].isin(pairs.index)], "instance_weighting", str(method), FAMILY)
        yield Pair("instance weighting", method_name(str(method)), of_method)
