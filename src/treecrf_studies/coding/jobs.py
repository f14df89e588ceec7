"""Jobs of the study of output coding (M.S. thesis, chapter 5).

One job is one method on one data set: every draw of the data, every window, every code length or beam. What is compared
on the test sequences is trained on all training sequences; before that, a held-out part of these chooses settings.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf import chain
from treecrf.io.arrays import places_in
from treecrf.models.base import Labeller
from treecrf.models.boosted.boosting import Checkpoint
from treecrf.models.boosted.treecrf import TreeCRF
from treecrf.models.linear.perceptron import VotedPerceptron
from treecrf.sequences import SequenceSet
from treecrf.statistics.chunks import chunk_f1
from treecrf.statistics.selection import derive_seed
from treecrf_studies.coding.methods import (
    ALL_LABELS,
    BEAM,
    CASCADE,
    CHUNK_NAMES,
    IID,
    KNOWN_MODEL,
    TREES_AND_NETS,
    Form,
    form_of,
)
from treecrf_studies.coding.settings import CodingSettings
from treecrf_studies.datasets.conll2000 import np_tags
from treecrf_studies.datasets.hidden_markov import known_model
from treecrf_studies.datasets.synthetic import Splits
from treecrf_studies.framework.jobs import Frames, JobContext
from treecrf_studies.framework.methods import find_method
from treecrf_studies.framework.metrics import PREDICTED, prediction_frame
from treecrf_studies.framework.resamples import shared_part
from treecrf_studies.framework.selection import DECODER, ChosenLabeller, Trained, choose, train_as_chosen
from treecrf_studies.methods.catalogue import CODING, N_NETS
from treecrf_studies.methods.coded_crf import ALL, CodedCRF
from treecrf_studies.options import Window, candidate_name

RUN_NAMES = [
    "dataset",
    "method",
    "window",
    "draw",
    "size",
    "held_out_accuracy",
    "accuracy",
    "cpu_seconds",
    *CHUNK_NAMES,
    "settings",
    "n_train",
    "n_test",
    "shared_part",
    "n_iterations",
]
TIMING_NAMES = ["dataset", "method", "window", "draw", "size", "repeat", "cpu_seconds"]

_SMALL: dict[str, Any] = {
    "gtb_iterations": 2,
    "beam_iterations": 2,
    "n_epochs": 1,
    "tree_iterations": 4,
    "test_every": 2,
    "beams": [1],
    "crfsuite_penalties": [1.0],
    "neural_epochs": 1,
    "n_timed_runs": 1,
    "tree_splits": ["one_vs_rest"],
    "separable_rates": [0.1],
    "full_rates": [0.1],
    "separable_leaves": [2],
    "full_leaves": [2],
    "cross_fit": False,
}
_N_SMALL = 6  # sequences


class CodingOutcome(NamedTuple):
    """What one job finds.

    Attributes
    ----------
    runs : DataFrame
        Columns `RUN_NAMES`, one row for each draw, window and size (bits of a code, labels of a beam, else 0): percent
        of the held-out part of the training sequences, where it chooses, and of the test sequences; CPU seconds of
        training; percent of noun phrases, where labels have these; what was chosen, in words; training and counted test
        positions; `shared_part` of the draws; iterations of the trees or passes of the perceptron of codes and beams.
    predictions : DataFrame
        Of the counted test positions: with the two longest codes, every beam. Group: that of related
        sequences. Without probabilities of codes and perceptrons, which have none.
    timings : DataFrame
        Columns `TIMING_NAMES`: CPU seconds of each of `n_timed_runs` equal trainings.
    """

    runs: pd.DataFrame
    predictions: pd.DataFrame
    timings: pd.DataFrame


class Labelled(NamedTuple):
    """The predictions of a set by a trained method of one size, and the CPU seconds of each timed training."""

    size: int
    predictions: pd.DataFrame
    seconds: Sequence[float]
    chosen: str = ""

    @property
    def labels(self) -> NDArray[np.int16]:
        """The predicted labels."""
        return self.predictions["predicted"].to_numpy()


def label_test_sets(job: JobContext[CodingSettings]) -> CodingOutcome:
    """One method on one data set; each draw with each window is a part of the job.

    Validation sequences are training sequences that choose.
    """
    method, splits = job.method, job.splits
    settings = job.settings.model_copy(update={"code_lengths": job.settings.lengths_of(method)})
    windows = settings.windows + (settings.wide_windows if form_of(method) is None else [])
    if method != KNOWN_MODEL:
        load_kernels(method, next(iter(splits.values())).train, settings)
    generator = Generator(job.source or job.dataset, job.options)
    draws = [
        Draw(job.dataset, seed, window, sets, generator) for (seed, sets), window in product(splits.items(), windows)
    ]
    runs, predictions, timings = job.cache.joined(
        {draw.name: partial(_label_draw, draw, method, settings) for draw in draws}
    )
    runs["shared_part"] = shared_part(splits.values())
    return CodingOutcome(
        runs[RUN_NAMES],
        predictions[["dataset", "method", "window", "draw", "size", "group", *PREDICTED]],
        timings[TIMING_NAMES],
    )


class Generator(NamedTuple):
    """What drew a data set: its name in `treecrf_studies.datasets`, and options."""

    source: str
    options: Mapping[str, Any]


class Draw(NamedTuple):
    """One draw of a data set, and the window that labellers see."""

    dataset: str
    seed: int
    window: Window
    sets: Splits
    generator: Generator

    @property
    def name(self) -> str:
        """The name of its part of a job."""
        return f"seed_{self.seed}_window_{self.window_size}"

    @property
    def window_size(self) -> int:
        """Number of observations in the window."""
        return sum(self.window) + 1

    @property
    def code_seed(self) -> int:
        """The same code for all methods and windows."""
        return derive_seed("code", self.dataset, self.seed)


def load_kernels(method: str, train: SequenceSet, settings: CodingSettings) -> None:
    """Run all that a method runs on a few sequences, so that no measured time has the loading of compiled routines in
    it.
    """
    few = train.select(np.arange(min(_N_SMALL, len(train))))
    # The longest code has all of the history.
    small = settings.model_copy(update=_SMALL | {"code_lengths": [max(settings.code_lengths)]})
    _label_with(method, Draw("", 0, (0, 0), Splits(few, few, few), Generator("", {})), small)


def _label_draw(draw: Draw, method: str, settings: CodingSettings, _checkpoint: Checkpoint | None) -> Frames:
    """Runs, predictions and timings of one draw with one window."""
    sets = draw.sets
    labelled, held_out = _label_with(method, draw, settings)
    counts, held_counts = (_counted(data, settings.first_counted) for data in (sets.test, sets.validation))
    truth, held_truth = _labels_of(sets.test), _labels_of(sets.validation)
    constant: dict[str, Any] = {
        "dataset": draw.dataset,
        "method": method,
        "window": draw.window_size,
        "draw": draw.seed,
    }
    n_train = sets.train.n_positions + sets.validation.n_positions
    form = form_of(method)
    runs = [
        constant
        | {
            "size": one.size,
            "held_out_accuracy": _percent(held_out.get(one.size), held_truth, held_counts),
            "accuracy": _percent(one.labels, truth, counts),
            "cpu_seconds": float(np.median(one.seconds)),
            "settings": one.chosen,
            "n_train": n_train,
            "n_test": int(counts.sum()),
            "n_iterations": _n_iterations(form, settings),
        }
        | score_chunks(sets.test, one.labels)
        for one in labelled
    ]
    timings = [
        constant | {"size": one.size, "repeat": repeat, "cpu_seconds": seconds}
        for one in labelled
        for repeat, seconds in enumerate(one.seconds)
    ]
    kept = labelled if form is not None and form.use == BEAM else labelled[-2:]
    predictions = [one.predictions[counts].assign(size=one.size, **constant) for one in kept]
    return pd.DataFrame(runs), pd.concat(predictions, ignore_index=True), pd.DataFrame(timings)


def _n_iterations(form: Form | None, settings: CodingSettings) -> float:
    if form is None:
        return float("nan")
    if form.learner == "vp":
        return settings.n_epochs
    return settings.beam_iterations if form.use == BEAM else settings.gtb_iterations


def score_chunks(data: SequenceSet, predicted: NDArray[np.int16]) -> dict[str, float]:
    """Precision, recall and F1 of noun phrases in percent, by `CHUNK_NAMES`; NaN where labels have none."""
    try:
        tags = np.array(np_tags(data.label_names))
    except ValueError:
        return dict.fromkeys(CHUNK_NAMES, float("nan"))
    score = chunk_f1(tags[_labels_of(data)], tags[predicted], data.offsets)
    return {name: getattr(score, name) for name in CHUNK_NAMES}


def _labels_of(data: SequenceSet) -> NDArray[np.int16]:
    assert data.labels is not None
    return data.labels


def _counted(data: SequenceSet, first: int) -> NDArray[np.bool_]:
    """Which positions are at this place of their sequence, or later."""
    return places_in(data.offsets) >= first


def _percent(predicted: NDArray[np.int16] | None, truth: NDArray[np.int16], counts: NDArray[np.bool_]) -> float:
    return float("nan") if predicted is None else 100 * float((predicted == truth)[counts].mean())


# --- methods ----------------------------------------------------------------------------------------


def _label_with(
    method: str, draw: Draw, settings: CodingSettings
) -> tuple[list[Labelled], dict[int, NDArray[np.int16]]]:
    """The test labels by size, and where the method is one to choose from, those of the held-out part."""
    if method == KNOWN_MODEL:
        return [_label_by_known_model(draw)], {}
    form = form_of(method)
    if form is None:
        return [_label_with_all(method, draw, settings)], {}
    label = _label_by_codes if form.use != BEAM else _label_by_beams
    labelled = label(form, draw, draw.sets.all_training, draw.sets.test, settings)
    if draw.seed >= settings.n_choosing or form.use not in (CASCADE, BEAM):
        return labelled, {}
    longest = max(settings.code_lengths)
    n_bits = math.ceil(settings.choosing_length * longest)
    if form.use == CASCADE:
        form, settings = _with_fewer_bits(form, settings, n_bits)
    settings = settings.model_copy(update={"n_timed_runs": 1})
    held_out = {one.size: one.labels for one in label(form, draw, draw.sets.train, draw.sets.validation, settings)}
    return labelled, held_out | ({longest: held_out[n_bits]} if form.use == CASCADE else {})


def _with_fewer_bits(form: Form, settings: CodingSettings, n_bits: int) -> tuple[Form, CodingSettings]:
    """A cascade whose longest code has so many bits; a history of as many is all that a bit can see."""
    if isinstance(form.history, int) and form.history >= n_bits:
        form = form._replace(history=ALL)
    lengths = [length for length in settings.code_lengths if length < n_bits]
    return form, settings.model_copy(update={"code_lengths": [*lengths, n_bits]})


def _label_by_codes(
    form: Form, draw: Draw, train: SequenceSet, data: SequenceSet, settings: CodingSettings
) -> list[Labelled]:
    """Label with each code length after one training: shorter codes are the first bits of the longest."""
    every, lengths = math.gcd(*settings.code_lengths), sorted(settings.code_lengths)
    timed = []
    for _ in range(settings.n_timed_runs):
        labeller, seconds = _train_coded(form, draw, train, settings)
        timed.append([seconds[length - 1] for length in lengths])
    stages = [stage[DECODER] for stage in labeller.staged_predict(data, (DECODER,), every)]
    return [
        Labelled(length, prediction_frame(data, stages[length // every - 1]), seconds)
        for length, seconds in zip(lengths, zip(*timed, strict=True), strict=True)
    ]


def _train_coded(form: Form, draw: Draw, train: SequenceSet, settings: CodingSettings) -> tuple[CodedCRF, list[float]]:
    """A labeller of bits, and the CPU seconds after each bit."""
    labeller, seconds = make_coded(form, draw.window, settings, draw.code_seed), list[float]()
    began = time.process_time()
    labeller.fit(train, monitor=lambda *_: seconds.append(time.process_time() - began))
    return labeller, seconds


def _label_by_beams(
    form: Form, draw: Draw, train: SequenceSet, data: SequenceSet, settings: CodingSettings
) -> list[Labelled]:
    """Label with each beam, none wider than there are labels."""
    beams = sorted({min(beam, len(train.label_names)) for beam in settings.beams})
    labelled = []
    for beam in beams:
        labellers = [make_beam(form, draw.window, settings, beam) for _ in range(settings.n_timed_runs)]
        trained = [train_as_chosen(ChosenLabeller(labeller), train) for labeller in labellers]
        labelled.append(_label(trained, data, beam))
    return labelled


def _label_with_all(method: str, draw: Draw, settings: CodingSettings) -> Labelled:
    """Label by the candidate that is right on most of the held-out part; of equals the first, with the fewest
    iterations.
    """
    sets = draw.sets
    candidates = make_candidates(method, draw.window, settings)
    every = settings.test_every if method in ALL_LABELS else 1
    choice = choose(candidates, [(sets.train, sets.validation)], every, partial(_counted, first=settings.first_counted))
    chosen = find_method(method, CODING, settings.labellers).chosen(choice.labeller)
    trained = train_as_chosen(choice, sets.all_training)
    return _label([trained], sets.test, 0, candidate_name(chosen | trained.values))


def _label(trained: Sequence[Trained], data: SequenceSet, size: int, chosen: str = "") -> Labelled:
    """Label by the first of several equal trainings."""
    labels, marginals = trained[0].answer(data)
    predictions = prediction_frame(data, labels[DECODER], marginals)
    return Labelled(size, predictions, [each.cpu_seconds for each in trained], chosen)


def _label_by_known_model(draw: Draw) -> Labelled:
    """Label by the probabilities that a set was drawn with: no labeller can do better on average."""
    test = draw.sets.test
    potentials = known_model(draw.generator.source, seed=draw.seed, **draw.generator.options).potentials(test)
    marginals = chain.forward_backward(potentials, test.offsets, 1).labels
    labels = marginals.argmax(axis=1).astype(np.int16)
    return Labelled(0, prediction_frame(test, labels, marginals), [0.0])


def warm_kernels() -> None:
    """Run every compiled routine of the study once on a tiny set, so that later processes find it compiled."""
    from treecrf_studies.datasets import load_splits

    sets = load_splits("transition", seed=0, n_train=6, n_test=3, length=8)
    settings = CodingSettings(methods=["gtb_iid"], code_lengths=[8, 10], n_seeds=1)
    methods = (
        "gtb_iid",
        "gtb_secoc",
        "gtb_cascade_1",
        "gtb_beam",
        "vp_iid",
        "vp_cascade_1",
        "vp_beam",
        "separable",
        "full",
    )
    for method in methods:
        load_kernels(method, sets.train, settings)


def make_coded(form: Form, window: Window, settings: CodingSettings, seed: int) -> CodedCRF:
    """A labeller of the bits of the longest code; all methods have the same code, which the seed decides."""
    base = _base(form, window, settings, order=0 if form.use == IID else 1)
    return CodedCRF(base, max(settings.code_lengths), form.history, seed, settings.cross_fit)


def make_beam(form: Form, window: Window, settings: CodingSettings, beam: int) -> Labeller:
    """A labeller of all labels that keeps the `beam` best of each position."""
    if form.learner == "vp":
        return VotedPerceptron(settings.n_epochs, beam, settings.early_update, window)
    return _base(form, window, settings, order=1).set_params(beam=beam, n_iterations=settings.beam_iterations)


def make_candidates(method: str, window: Window, settings: CodingSettings) -> list[Labeller]:
    """Labellers of all labels, each with other settings; held-out sequences choose."""
    if method == TREES_AND_NETS:
        return [_make_trees_and_nets(window, settings)]
    row = find_method(method, CODING, settings.labellers)
    return [row.build(settings, candidate, window) for candidate in row.candidates(settings)]


def _make_trees_and_nets(window: Window, settings: CodingSettings) -> Labeller:
    """The last trees of their grid, and nets of the first candidate with other seeds."""
    net = find_method("neural_crf", CODING)
    nets = [net.build(settings, net.candidates(settings)[0] | {"random_state": seed}, window) for seed in range(N_NETS)]
    trees = make_candidates("separable", settings.averaged_window, settings)[-1]
    return find_method(TREES_AND_NETS, CODING).build(settings, {"experts": [trees, *nets]}, window)


def _base(form: Form, window: Window, settings: CodingSettings, order: int) -> Labeller:
    """The base learner of a coded CRF."""
    if form.learner == "vp":
        return VotedPerceptron(settings.n_epochs, window=window, order=order)
    values = (settings.gtb_iterations, settings.gtb_leaves, settings.gtb_regularization, window)
    return TreeCRF(*values, order=order, missing="error")
