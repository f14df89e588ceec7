"""What a run teaches of features of the future."""

from __future__ import annotations

from collections.abc import Iterator

from treecrf_studies.framework.frames import Frames
from treecrf_studies.framework.lessons import Gap, Pair
from treecrf_studies.future.tables import gains


def discovered_features(frames: Frames) -> Iterator[Pair]:
    """Discovered features of the future (PhD chapter 5)."""
    best, tests = frames.read("future", "best"), frames.read("future", "comparisons")
    if len(best) and len(tests):
        gained = [Gap(name, pair.points, *pair.interval, pair.decision) for name, pair in gains(best, tests).items()]
        yield Pair("the best with discovered features", "the best without", gained, is_averaged=False)
