"""Labellers that treecrf fit tries by itself, and the cost of training each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from treecrf.automl.fitting import AUTO, FitOptions, build, n_reports, resolve_missing, with_derived
from treecrf.ensembles.labeller import Ensemble
from treecrf.inputs import BLOCKS, NEIGHBOURS, DerivedInputs
from treecrf.inputs.binning import MOST_BINS
from treecrf.inputs.times import identifying_times
from treecrf.models.base import Labeller
from treecrf.models.boosted.treecrf import TreeCRF
from treecrf.models.linear.linear_crf import VECTORS, LinearCRF
from treecrf.models.linear.stochastic import TRIAL
from treecrf.models.neural.neural_crf import NeuralCRF
from treecrf.models.pipelines import TransformingLabeller
from treecrf.models.window.classifiers import WindowLightGBM
from treecrf.sequences import SequenceSet, slot_sizes

METHODS = ("linear_crf", "treecrf_newton", "lightgbm", "neural_crf")
"""Methods that are tried, the fastest to predict first; the last one where the budget is large (`affordable`)."""

GRIDS: Mapping[str, tuple[dict[str, Any], ...]] = {
    "linear_crf": ({"variance": 1.0}, {"variance": 1.0, "n_bins": 10}, {"variance": 10.0}, {"variance": 0.1}),
    "treecrf_newton": tuple({"learning_rate": 0.2, "max_leaves": n} for n in (10, 30, 4)),
    "lightgbm": tuple({"learning_rate": 0.2, "max_leaves": n, "l2_regularization": 1.0} for n in (10, 31, 4)),
    "neural_crf": ({"dropout": 0.3}, {"dropout": 0.5}),
}
"""Settings by method, the most usual ones first; one learning rate, as settings are compared after the same few
iterations. Without regularization the softmax of LightGBM diverges where labels are rare.
"""

ITERATIONS = 60
"""At most, unless stated otherwise; held-out sequences choose how many of them."""

MANY_LABELS = 12
"""From here on trees have a matrix of transitions beside them: full ones cost too much."""

PASSES = 16
"""Of averaged stochastic gradient descent over the sequences, which trains linear CRFs of words: the many weights of
words, few of which a sequence has, settle in a dozen passes.
"""

LEAST_SEQUENCES = 20
"""Below which L-BFGS trains these. After a dozen of its steps on text, accuracy goes up and down by points from step to
step, so that a fold and the whole file differ at the same step.
"""

ITERATIONS_OF_MANY = 20
"""Of trees for that many labels, at most: they are dear, and gain little after that."""

TEXT: Mapping[str, Any] = {"variance": 3.0, "min_count": 2, "iterations": 80}
"""Settings of a linear CRF that sees text as users of CRFsuite write it down: many weights take longer to settle by
L-BFGS, and pairs of words that occur once say nothing.
"""

TREE_BINS = 63
"""Of a number, in trees."""

SMALL = 5000
"""Positions below which a file is small."""

ANCHORS = (2, 4)
"""Observations from the start and from the end of short sequences that trees also see."""

SHORT, MANY_SEQUENCES = 20, 100
"""Observations of a short sequence, at most, on average; sequences from which on these are tried."""

MANY_CATEGORIES = 100
"""From here on an attribute is one of words."""

MOST_REACH = 12
"""Observations on either side of the widest window."""

EPOCHS = 30
"""Passes of the neural CRF over the sequences, at most."""

NEURAL_SHARE = 1 / 3
"""Of the budget, for all trainings of the neural CRF."""

WORDS = {
    "variance": "variance",
    "n_bins": "bins",
    "max_leaves": "leaves",
    "dropout": "dropout",
}
"""What settings are called."""


class Candidate(NamedTuple):
    """A labeller to try.

    Attributes
    ----------
    method : str
    window : (int, int)
    settings : dict
        Others than the method's preset, by the names of `treecrf.automl.fitting.build`, "iterations" among them.
    missing : str
        The treatment of missing cells (`treecrf.automl.fitting.prepare_missing`).
    derived : tuple of str, optional
        Blocks of derived inputs that it sees (`treecrf.inputs.BLOCKS`), without time stamps that identify rows; None:
        the inputs as they are.
    """

    method: str
    window: tuple[int, int]
    settings: dict[str, Any]
    missing: str
    derived: tuple[str, ...] | None = None

    def build(self) -> Labeller:
        """The labeller, not trained, which is given derived inputs and treated missing cells."""
        return build(self.method, {"window": self.window} | self.settings)

    def build_whole(self, options: FitOptions) -> tuple[Labeller, str]:
        """The labeller that derives inputs by itself, not trained, and the treatment of missing cells that it leaves to
        others.
        """
        labeller = self.build()
        options.prepare(labeller, self.method)
        return with_derived(labeller, self.missing, self.derived)

    @property
    def inputs(self) -> str:
        """Which inputs it sees, in a word: the given ones, and derived ones after a plus."""
        return f"+{','.join(self.derived)}" if self.derived else "given"

    @property
    def iterations(self) -> int:
        """The most."""
        return int(self.settings["iterations"])

    def with_iterations(self, number: int) -> Candidate:
        """The same with another number of iterations."""
        return self._replace(settings=self.settings | {"iterations": number})


def methods_to_compare(options: FitOptions) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """The methods to compare, each with the settings that were decided and it has, and why others are left out.

    Raises
    ------
    ValueError
        For options that none of the methods has.
    """
    if options.method not in (AUTO, *METHODS):
        raise ValueError(f"--window auto tries {', '.join(METHODS)}; give {options.method} a window such as 3,3.")
    if options.held_out:
        raise ValueError("auto holds sequences out by itself; leave --held-out out.")
    compared: dict[str, dict[str, Any]] = {}
    left_out = []
    for method in METHODS if options.method == AUTO else (options.method,):
        if options.method == AUTO and method == "lightgbm" and find_spec("lightgbm") is None:
            left_out.append("lightgbm, which is not installed (pip install 'treecrf[rivals]').")
            continue
        if options.method == AUTO and method == "neural_crf" and find_spec("jax") is None:
            left_out.append("neural_crf, which needs an extra that is not installed (pip install 'treecrf[neural]').")
            continue
        settings = options.used_settings(method)
        try:
            build(method, settings)
            resolve_missing(method, options.missing)
        except ValueError as error:
            left_out.append(str(error))
        else:
            compared[method] = settings
    if not compared:
        raise ValueError(left_out[0])
    return compared, left_out


def affordable(
    compared: Mapping[str, dict[str, Any]], data: SequenceSet, budget: float, n_folds: int
) -> dict[str, dict[str, Any]]:
    """The methods whose trainings the budget allows.

    The neural CRF takes part if its trainings take no more than `NEURAL_SHARE` of the budget, or if it is alone.
    """
    if len(compared) == 1 or "neural_crf" not in compared:
        return dict(compared)
    labeller = build("neural_crf", {"iterations": EPOCHS} | dict(compared["neural_crf"]))
    n_trainings = len(GRIDS["neural_crf"]) + n_folds
    cost = n_trainings * estimate_seconds(labeller, data, n_reports(labeller))
    return {
        name: settings for name, settings in compared.items() if name != "neural_crf" or cost <= NEURAL_SHARE * budget
    }


def candidate_windows(data: SequenceSet) -> list[tuple[int, int]]:
    """Windows to try, narrow ones first; none reaches beyond the longest sequence.

    No, one and three observations on either side; where numbers are labelled in long runs (an activity, a stage of
    sleep), also half a run, `MOST_REACH` at most: single numbers say little about it.
    """
    reaches = [0, 1, 3]
    wide = min(MOST_REACH, int(mean_run(data)) // 2)
    if data.number_names and wide > max(reaches):
        reaches.append(wide)
    longest = int(np.diff(data.observation_offsets).max()) - 1
    return list(dict.fromkeys((min(reach, longest),) * 2 for reach in reaches))


DERIVED_REACHES = (0, 1)
"""Observations on either side of windows with derived inputs, of which each looks at neighbours itself or has many
categories.
"""


def derivable_blocks(data: SequenceSet, derive: tuple[str, ...] | None) -> list[tuple[str, ...] | None]:
    """Blocks of derived inputs to try, none at all first; those that a user has decided come after it, unless none is.

    None where there is nothing to derive and nothing to take away. Time stamps are also tried by themselves, and where
    there is text its neighbours with the parts of words: what users of CRFsuite write down.
    """
    none = () if identifying_times(data) else None
    if derive is not None:
        return [none, derive] if derive else [none]
    learnt = {derivation.block for derivation in DerivedInputs((*BLOCKS, NEIGHBOURS)).fit(data).derivations_}
    suiting = tuple(block for block in BLOCKS if block in learnt)
    text = tuple(block for block in ("words", NEIGHBOURS) if block in learnt)
    tried = [suiting, ("times",) if "times" in suiting else (), text if NEIGHBOURS in learnt else ()]
    return [none, *(blocks for blocks in dict.fromkeys(tried) if blocks)]


def has_words(data: SequenceSet) -> bool:
    """Whether an attribute has `MANY_CATEGORIES`."""
    return any(len(attribute.categories) >= MANY_CATEGORIES for attribute in data.attributes)


def has_ends(data: SequenceSet) -> bool:
    """Whether there are many short sequences, of which most positions are near an end."""
    return len(data) >= MANY_SEQUENCES and len(data.values) <= SHORT * len(data)


def mean_run(data: SequenceSet) -> float:
    """Positions for which a label stays the same, on average, within sequences."""
    labels = np.asarray(data.labels)
    begins = np.append(True, labels[1:] != labels[:-1])
    begins[data.offsets[:-1]] = True
    return data.n_positions / int(begins.sum())


def make_candidates(
    method: str,
    data: SequenceSet,
    windows: list[tuple[int, int]],
    missing: str,
    decided: Mapping[str, Any],
    derived: Sequence[tuple[str, ...] | None] = (None,),
    is_weighted: bool = False,
) -> Iterator[list[Candidate]]:
    """Rounds of candidates: first every window and derived inputs, then other settings, then other treatments of
    missing cells.

    Parameters
    ----------
    method : str
        One of `METHODS`.
    data : SequenceSet
    windows : list of (int, int)
    missing : str
        The treatment of missing cells, or "auto".
    decided : mapping
        Settings that a user has decided, as far as the method has them.
    derived : sequence of tuple of str
        Blocks of derived inputs to try (`derivable_blocks`); neighbours are for `text_candidates` alone.
    is_weighted : bool
        Whether positions have weights.

    Yields
    ------
    list of Candidate
        What a round does not vary is that of the first candidate of all; the caller replaces it by the best so far.
    """
    windows = [(1, 1)] if method == "neural_crf" else windows  # it sees the whole sequence
    usual = {"iterations": ITERATIONS} | _settings_for(method, data, is_weighted) | dict(decided)
    first, *other_treatments = _treatments(method, data, missing, usual)
    if first == "incorporated":
        usual["missing"] = first
    grid = [settings | usual for settings in GRIDS[method]]
    if method == "linear_crf" and has_words(data):  # most weights are of words seen seldom: the wide prior first
        grid.sort(key=lambda settings: -settings["variance"])
    if (
        len(data.label_names) >= MANY_LABELS and "max_leaves" in grid[0]
    ):  # each has few positions: small trees before large ones
        grid[1:] = sorted(grid[1:], key=lambda settings: settings["max_leaves"])
    if method == "treecrf_newton" and has_ends(data):
        grid.append(grid[0] | {"anchors": ANCHORS} | dict(decided))
    bins_matter = bool(data.number_names)
    distinct = [
        settings
        for i, settings in enumerate(grid)
        if settings not in grid[:i] and (bins_matter or "n_bins" not in settings)
    ]
    near = [window for window in windows if max(window) <= max(DERIVED_REACHES)] or windows[:1]
    yield [
        Candidate(method, window, distinct[0], first, blocks)
        for blocks in derived
        if not blocks or NEIGHBOURS not in blocks
        for window in (near if blocks else windows)
    ]
    yield [Candidate(method, windows[0], settings, first) for settings in distinct[1:]]
    yield [Candidate(method, windows[0], distinct[0], treatment) for treatment in other_treatments]


def text_candidates(
    data: SequenceSet,
    missing: str,
    decided: Mapping[str, Any],
    derived: Sequence[tuple[str, ...] | None],
    is_weighted: bool = False,
) -> list[Candidate]:
    """Linear CRFs that see the neighbours of text as derived inputs, where there are some; the arguments are those of
    `make_candidates`.
    """
    treatment = _treatments("linear_crf", data, missing, {})[0]
    settings = {**TEXT, **_solver_of_words(data, is_weighted), **decided}
    return [
        Candidate("linear_crf", (0, 0), settings, treatment, blocks)
        for blocks in derived
        if blocks and NEIGHBOURS in blocks
    ]


def _settings_for(method: str, data: SequenceSet, is_weighted: bool) -> dict[str, Any]:
    """Settings that follow from the sizes of the file.

    Trees have few bins for numbers: they grow in half the time, and are no worse. They take words that the file has
    once as one, as new words look like them; a linear CRF has a weight for each: such words share their suffixes with
    others, and its prior holds it.
    """
    has_bins = method not in ("linear_crf", "neural_crf") and data.number_names
    settings: dict[str, Any] = {"n_bins": TREE_BINS} if has_bins else {}
    if method == "neural_crf":
        settings = {"iterations": EPOCHS, "held_out": None}
    if has_words(data):
        settings |= _solver_of_words(data, is_weighted) if method == "linear_crf" else {"min_count": 2}
    if len(data.label_names) >= MANY_LABELS and method == "treecrf_newton":
        settings |= {"transitions": "separable", "iterations": ITERATIONS_OF_MANY}
    return settings


def _solver_of_words(data: SequenceSet, is_weighted: bool) -> dict[str, Any]:
    """Steps need sequences, whose positions weigh the same."""
    return {} if is_weighted or len(data) < LEAST_SEQUENCES else {"solver": "sgd", "iterations": PASSES}


def _treatments(method: str, data: SequenceSet, missing: str, settings: Mapping[str, Any]) -> list[str]:
    """Treatments of missing cells to try: what was asked for, or those that suit the method, the most usual one first.

    Trees with a matrix of transitions let tests ask for a missing cell; LightGBM sees missing numbers as they are, and
    missing categories as one more; a linear CRF may have flags where the file has missing cells.
    """
    if missing != AUTO:
        return [resolve_missing(method, missing)]
    if method == "treecrf_newton" and settings.get("transitions") == "separable":
        return ["incorporated"]
    if method == "neural_crf":
        return ["error"]  # missing cells are inputs like others
    if method == "lightgbm":
        return ["indicator" if data.attributes else "error"]
    usual = resolve_missing(method, missing)
    other = "imputation_indicator" if method == "linear_crf" else "incorporated"
    return [usual, other] if data.has_missing else [usual]


def refine(candidate: Candidate, data: SequenceSet) -> Candidate:
    """The candidate as it passes through the folds: trees of a small file learn half as fast and twice as long.

    Their probabilities are better then. Of a large file, and with a number of iterations that a user has decided, it
    stays.
    """
    if (
        candidate.method in ("linear_crf", "neural_crf")
        or data.n_positions >= SMALL
        or candidate.iterations != ITERATIONS
    ):
        return candidate
    rate = candidate.settings["learning_rate"] / 2
    return candidate._replace(settings=candidate.settings | {"learning_rate": rate, "iterations": 2 * ITERATIONS})


def describe_settings(candidate: Candidate) -> str:
    """The settings in which candidates of a method differ, in a few words."""
    shown = [f"{words} {candidate.settings[name]:g}" for name, words in WORDS.items() if name in candidate.settings]
    if (anchors := candidate.settings.get("anchors")) is not None:
        shown.append(f"anchors {anchors[0]},{anchors[1]}")
    return ", ".join(shown or ["usual settings"])


# --- what a training costs --------------------------------------------------------------------------

NANOSECOND = 1e-9
"""The unit of the coefficients below: CPU time of one core of a server of 2020, within about a factor of two."""

DIVIDING = 3.0
"""How many times longer trees take that divide rows between both sides of a test."""

COMPILING = 4.0
"""CPU seconds that a training of the neural CRF takes before its first pass; the first one of all takes some 15."""

TREE = 1.5e5
"""Nanoseconds of every tree, however small."""

OF_MANY = 0.5
"""Share of the cost of a tree of LightGBM where there are many labels, most of which are rare and have small trees."""

TRIALS = 6.0
"""Passes over some sequences that choose the rate of stochastic gradient descent, usually."""

SORTING = 3.0
"""How many times longer LightGBM takes for an attribute of words, whose categories it sorts, in addition."""


def estimate_seconds(labeller: Labeller, train: SequenceSet, n_iterations: int) -> float:
    """Approximate CPU seconds of a training; 0 for a labeller whose cost is not known.

    `n_iterations` of an ensemble are how many experts are trained, all parts together.
    """
    if isinstance(labeller, Ensemble):
        share = n_iterations / len(labeller.experts)
        return share * sum(estimate_seconds(expert, train, n_reports(expert)) for expert in labeller.make_experts())
    if isinstance(labeller, TransformingLabeller):
        return estimate_seconds(labeller.labeller, labeller.new_transform().fit_transform(train), n_iterations)
    n_labels, n_positions = len(train.label_names), train.n_positions
    n_slots, n_bins = _n_slots(labeller, train), _n_bins(labeller, train)
    each = n_positions * n_slots * n_labels
    pairs = n_positions * n_labels**2
    if isinstance(labeller, LinearCRF):
        weights = _n_weights(labeller, train)
        if labeller.solver == "sgd":
            n_passes = n_iterations + 1 + TRIALS * min(TRIAL / len(train), 1.0)
            touched = each + n_positions * (2.5 * _n_pairs(train) + 15 * n_labels)
            return 0.01 + n_passes * NANOSECOND * (touched + 20 * weights)
        return 0.01 + n_iterations * NANOSECOND * (5e5 + 2.5 * each + 0.7 * pairs + 30 * weights)
    if isinstance(labeller, TreeCRF):
        growing = n_labels * _leaf_cost(labeller, train)
        divides = labeller.boosting_params().missing in ("instance_weighting", "surrogate_splitting")
        divided = DIVIDING if train.has_missing and divides else 1.0
        chains = 1.4 * pairs * max(n_labels, 1) ** (labeller.order - 1)
        return 0.01 + n_iterations * NANOSECOND * (TREE * n_labels + divided * growing + chains)
    if isinstance(labeller, WindowLightGBM):
        wordy = sum(len(attribute.categories) >= MANY_CATEGORIES for attribute in train.attributes) * (
            sum(labeller.window) + 1
        )
        tree = (
            (OF_MANY if n_labels >= MANY_LABELS else 1.0)
            * (n_slots + SORTING * wordy)
            * (4 * n_positions + 18 * labeller.max_leaves * n_bins / n_slots)
        )
        return 0.01 + n_iterations * NANOSECOND * (4e5 + n_labels * tree)
    if isinstance(labeller, NeuralCRF):
        step = labeller.n_layers * labeller.width * (150 + 4 * labeller.width) + 10 * n_labels**2
        return COMPILING + n_iterations * NANOSECOND * n_positions * step
    return 0.0


def scoring_seconds(candidate: Candidate, held_out: SequenceSet, n_stages: int, is_constrained: bool = False) -> float:
    """Approximate CPU seconds to score so many stages of a training on a set with its derived inputs.

    Trees are added up over the stages; other methods predict anew at each of them. With constraints each stage is
    decoded.
    """
    n_labels = len(held_out.label_names)
    times = n_stages if candidate.method in ("linear_crf", "neural_crf") else 1
    of_stage = NANOSECOND * (100 + (3 * n_labels**2 if is_constrained else 0))
    return held_out.n_positions * (times * prediction_seconds(candidate, held_out) + n_stages * of_stage)


def prediction_seconds(candidate: Candidate, data: SequenceSet) -> float:
    """Approximate CPU seconds to label a position of a set with its derived inputs."""
    labeller, n_labels = candidate.build(), len(data.label_names)
    reading = 20.0 * _n_slots(labeller, data)
    if isinstance(labeller, NeuralCRF):
        scoring = labeller.n_layers * labeller.width * (50 + 1.5 * labeller.width)
    elif isinstance(labeller, LinearCRF):
        scoring = 1.5 * _n_slots(labeller, data) * n_labels
    else:
        scoring = (8.0 if isinstance(labeller, TreeCRF) else 25.0) * candidate.iterations * n_labels
    return NANOSECOND * (reading + scoring + 0.3 * n_labels**2)


def estimate_memory(labeller: Labeller, train: SequenceSet, n_iterations: int) -> int:
    """Approximate bytes of memory of a training, without the program and the file; 0 where unknown."""
    if isinstance(labeller, Ensemble):
        return max(estimate_memory(expert, train, n_reports(expert)) for expert in labeller.make_experts())
    if isinstance(labeller, TransformingLabeller):
        return estimate_memory(labeller.labeller, labeller.new_transform().fit_transform(train), n_iterations)
    if isinstance(labeller, TreeCRF | NeuralCRF):
        return labeller.expected_memory(train)
    if isinstance(labeller, LinearCRF):
        vectors = VECTORS[labeller.solver] + (n_iterations if labeller.keep_stages else 1)
        return 8 * _n_weights(labeller, train) * vectors
    return 8 * train.n_positions * _n_slots(labeller, train) if isinstance(labeller, WindowLightGBM) else 0


def _leaf_cost(labeller: TreeCRF, train: SequenceSet) -> float:
    """Nanoseconds to grow a tree: sums over positions by bin of numbers, and sums over all categories in each leaf."""
    places, leaves = _n_places(labeller) + _n_anchored(labeller), labeller.max_leaves
    n_numbers = places * len(train.number_names)
    n_categories = places * sum(min(len(attribute.categories), MOST_BINS) for attribute in train.attributes)
    of_positions = train.n_positions * (13 + n_numbers * (0.35 + 0.5 * sqrt(leaves / 10)))
    return of_positions + 3.4 * leaves * n_numbers * labeller.n_bins + n_categories * (210 + 17 * leaves)


def _n_slots(labeller: Labeller, train: SequenceSet) -> int:
    return (_n_places(labeller) + _n_anchored(labeller)) * (len(train.attributes) + len(train.number_names))


def _n_places(labeller: Labeller) -> int:
    left, right = labeller.get_params().get("window", (0, 0))
    return int(left + right + 1)


def _n_anchored(labeller: Labeller) -> int:
    """Anchored observations of every position."""
    return 0 if labeller.anchors is None else sum(labeller.anchors[:2])


def _n_bins(labeller: Labeller, train: SequenceSet) -> int:
    """Bins of all slots together, of which every leaf has sums; categories are as many at most as a number may have
    bins.
    """
    of_categories = sum(min(len(attribute.categories), MOST_BINS) for attribute in train.attributes)
    return (_n_places(labeller) + _n_anchored(labeller)) * (of_categories + len(train.number_names) * labeller.n_bins)


def _n_weights(labeller: LinearCRF, train: SequenceSet) -> int:
    """Weights of cells, as of categories that are not rare, and of pairs of labels."""
    n_labels, places = len(train.label_names), _n_places(labeller) + _n_anchored(labeller)
    cells = int(slot_sizes(train.attributes, (0, 0)).sum()) + len(train.number_names) * (labeller.n_bins + 1)
    if labeller.min_count > 1:
        cells = sum(_n_common(train.values[:, j], labeller.min_count) for j in range(train.values.shape[1]))
        cells += len(train.number_names) * (labeller.n_bins + 1)
    return cells * places * n_labels + n_labels**2


def _n_pairs(train: SequenceSet) -> int:
    """Pairs of labels that occur."""
    labels = np.asarray(train.labels).astype(np.int64)
    return len(np.unique(labels[:-1] * len(train.label_names) + labels[1:]))


def _n_common(codes: np.ndarray, min_count: int) -> int:
    """Categories that are there so often, one for all others, and one for places outside of sequences."""
    return int((np.bincount(codes[codes >= 0]) >= min_count).sum()) + 2
