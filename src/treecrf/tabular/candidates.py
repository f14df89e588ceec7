"""What `treecrf fit` tries of each method by itself: windows and a few settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from treecrf.models.base import Labeller
from treecrf.models.linear.linear_crf import LinearCRF
from treecrf.sequences import SequenceSet
from treecrf.tabular.costs import MANY_CATEGORIES, most_iterations
from treecrf.tabular.fitting import build, choose_missing
from treecrf.tabular.folds import SMALL

METHODS = ("linear_crf", "treecrf_newton", "lightgbm")
"""Methods that are tried, the fastest to predict first."""

GRIDS: Mapping[str, tuple[dict[str, Any], ...]] = {
    "linear_crf": ({"variance": 1.0}, {"variance": 1.0, "n_bins": 10}, {"variance": 10.0}, {"variance": 0.1}),
    "treecrf_newton": tuple({"learning_rate": 0.2, "max_leaves": n} for n in (10, 30, 4)),
    "lightgbm": tuple({"learning_rate": 0.2, "max_leaves": n} for n in (10, 31, 4)),
}
"""Settings by method, the most usual ones first; one learning rate, as settings are compared after the same few iterations."""

ITERATIONS = 60
"""At most, unless stated otherwise; held-out sequences choose how many of them."""

MANY_LABELS = 12
"""From here on trees have a matrix of transitions beside them: full ones cost too much."""

ITERATIONS_OF_MANY = 20
"""Of trees for that many labels, at most: they are dear, and gain little after that."""

TREE_BINS = 63
"""Of a number, in trees."""

MOST_REACH = 12
"""Observations on either side of the widest window."""

HISTORY_BYTES = 160 * 2**20
"""For the weights of a linear CRF after each of its iterations, were all kept: the more weights, the fewer iterations."""


WORDS = {"variance": "variance", "n_bins": "bins", "max_leaves": "leaves", "learning_rate": "learning rate"}
"""What settings are called."""


class Candidate(NamedTuple):
    """A labeller to try.

    Attributes
    ----------
    method : str
    window : (int, int)
    settings : dict
        Others than the method's preset, by the names of `treecrf.tabular.fitting.build`, "iterations" among them.
    missing : str
        The way with holes (`treecrf.tabular.fitting.handle_holes`).
    """

    method: str
    window: tuple[int, int]
    settings: dict[str, Any]
    missing: str

    def build(self) -> Labeller:
        """The labeller, not trained."""
        return build(self.method, {"window": self.window} | self.settings)

    @property
    def iterations(self) -> int:
        """The most."""
        return int(self.settings["iterations"])

    def with_iterations(self, number: int) -> Candidate:
        """The same with another number of iterations."""
        return self._replace(settings=self.settings | {"iterations": number})


def candidate_windows(data: SequenceSet) -> list[tuple[int, int]]:
    """Windows to try, narrow ones first; none reaches beyond the longest sequence.

    No, one and three observations on either side; where there are words, none and one, as what stands beside them tells little
    more than a chain does; where numbers are labelled in long runs (an activity, a stage of sleep), also
    half a run, `MOST_REACH` at most: single numbers say little about it.
    """
    reaches = [0, 1] if has_words(data) else [0, 1, 3]
    wide = min(MOST_REACH, int(mean_run(data)) // 2)
    if data.number_names and wide > max(reaches):
        reaches.append(wide)
    longest = int(np.diff(data.observation_offsets).max()) - 1
    return list(dict.fromkeys((min(reach, longest),) * 2 for reach in reaches))


def has_words(data: SequenceSet) -> bool:
    """Whether an attribute has `MANY_CATEGORIES`."""
    return any(len(attribute.categories) >= MANY_CATEGORIES for attribute in data.attributes)


def mean_run(data: SequenceSet) -> float:
    """Positions for which a label stays the same, on average, within sequences."""
    labels = np.asarray(data.labels)
    begins = np.append(True, labels[1:] != labels[:-1])
    begins[data.offsets[:-1]] = True
    return data.n_positions / int(begins.sum())


def make_candidates(
    method: str, data: SequenceSet, windows: list[tuple[int, int]], missing: str, given: Mapping[str, Any]
) -> Iterator[list[Candidate]]:
    """Rounds of candidates: first every window, then other settings, then other ways with holes.

    Parameters
    ----------
    method : str
        One of `METHODS`.
    data : SequenceSet
    windows : list of (int, int)
    missing : str
        The way with holes, or "auto".
    given : mapping
        Settings that a user has decided, as far as the method has them.

    Yields
    ------
    list of Candidate
        What a round does not vary is that of the first candidate of all; the caller replaces it by the best so far.
    """
    usual = {"iterations": ITERATIONS} | suit(method, data) | dict(given)
    ways = possible_ways(method, data, missing, usual)
    if ways[0] == "incorporated":
        usual["missing"] = ways[0]
    grid = [settings | usual for settings in GRIDS[method]]
    if method == "linear_crf" and has_words(data):  # most weights are of words seen seldom: the wide prior first
        grid.sort(key=lambda settings: -settings["variance"])
    distinct = [settings for i, settings in enumerate(grid) if settings not in grid[:i] and _differs(settings, data)]
    yield [Candidate(method, window, distinct[0], ways[0]) for window in windows]
    yield [Candidate(method, windows[0], settings, ways[0]) for settings in distinct[1:]]
    yield [Candidate(method, windows[0], distinct[0], way) for way in ways[1:]]


def suit(method: str, data: SequenceSet) -> dict[str, Any]:
    """Settings that follow from the sizes of the file.

    Trees have few bins for numbers: they grow in half the time, and are no worse. They take words that the file has once as one, as
    new words look like them; a linear CRF has a weight for each: such words share their suffixes with others, and its prior
    holds it.
    """
    settings: dict[str, Any] = {"n_bins": TREE_BINS} if method != "linear_crf" and data.number_names else {}
    if has_words(data) and method != "linear_crf":
        settings["min_count"] = 2
    if method == "treecrf_newton" and len(data.label_names) >= MANY_LABELS:
        settings |= {"transitions": "separable", "iterations": ITERATIONS_OF_MANY}
    return settings


def possible_ways(method: str, data: SequenceSet, missing: str, settings: Mapping[str, Any]) -> list[str]:
    """Ways with holes to try: what was asked for, or those that suit the method, the most usual one first.

    Trees with a matrix of transitions let tests ask for a missing cell; LightGBM sees missing numbers as they are, and
    missing categories as one more; a linear CRF may have flags where the file has holes.
    """
    if missing != "auto":
        return [choose_missing(method, missing)]
    if method == "treecrf_newton" and settings.get("transitions") == "separable":
        return ["incorporated"]
    if method == "lightgbm":
        return ["indicator" if data.attributes else "error"]
    usual = choose_missing(method, missing)
    other = "imputation_indicator" if method == "linear_crf" else "incorporated"
    return [usual, other] if data.has_missing else [usual]


def _differs(settings: Mapping[str, Any], data: SequenceSet) -> bool:
    """Whether bins matter."""
    return "n_bins" not in settings or bool(data.number_names)


def refined(candidate: Candidate, data: SequenceSet) -> Candidate:
    """The candidate as it passes through the folds: trees of a small file learn half as fast and twice as long.

    Their probabilities are better then. Of a large file, and with a number of iterations that a user has decided, it stays.
    """
    if candidate.method == "linear_crf" or data.n_positions >= SMALL or candidate.iterations != ITERATIONS:
        return candidate
    rate = candidate.settings["learning_rate"] / 2
    return candidate._replace(settings=candidate.settings | {"learning_rate": rate, "iterations": 2 * ITERATIONS})


def limited(candidate: Candidate, data: SequenceSet) -> Candidate:
    """The candidate, with fewer iterations where a linear CRF has many weights (`HISTORY_BYTES`)."""
    labeller = candidate.build()
    if not isinstance(labeller, LinearCRF):
        return candidate
    return candidate.with_iterations(min(candidate.iterations, most_iterations(labeller, data, HISTORY_BYTES)))


def describe_settings(candidate: Candidate) -> str:
    """The settings that tell candidates of a method apart, in a few words."""
    shown = [f"{words} {candidate.settings[name]:g}" for name, words in WORDS.items() if name in candidate.settings]
    return ", ".join(shown or ["usual settings"])
