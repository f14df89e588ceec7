"""The study of missing values (PhD chapter 4): accuracy of each way of handling them, by share of missing cells.

Every function takes data and settings and gives a tidy frame. One job is one method on one data set: at all rates, with
all other kinds of trees, or with all mechanisms, and with all damaged training sets.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.missing import MECHANISMS, transform_of
from treecrf.missing.mechanisms import MCAR
from treecrf.models.base import Labeller
from treecrf.models.boosted.boosting import Checkpoint
from treecrf.sequences import Attribute, SequenceSet
from treecrf.statistics.blocks import cut_blocks
from treecrf.statistics.selection import derive_seed, hold_out
from treecrf_studies.framework.jobs import Frames, JobContext, joined
from treecrf_studies.framework.methods import find_method
from treecrf_studies.framework.selection import FEWEST_ITERATIONS, ChosenLabeller, choose, train_as_chosen
from treecrf_studies.methods.catalogue import MISSING, TREATMENTS
from treecrf_studies.missing.methods import COUNT_NAMES, PAPERS, TREES
from treecrf_studies.missing.settings import MissingSettings
from treecrf_studies.options import Candidate, candidate_name, combinations

Transform = Callable[[SequenceSet], SequenceSet]

COST_NAMES = ["dataset", "rate", "method", "draw", "phase", "cpu_seconds", "n_iterations"]
CHOICE_NAMES = ["dataset", "rate", "method", "draw", "candidate", "iteration", "held_out_accuracy"]


class MissingOutcome(NamedTuple):
    """What one job finds.

    Attributes
    ----------
    counts : DataFrame
        dataset, rate, method, draw (of the damaged training set), test_set, sequence, group, block, n_positions,
        n_correct: a row for each evaluation and test sequence, or block of lines where there are few sequences.
    choices : DataFrame
        dataset, rate, method, draw, candidate (such as ``l2_regularization=10``), iteration, held_out_accuracy.
    costs : DataFrame
        dataset, rate, method, draw, phase, cpu_seconds, n_iterations. Phases: "choice" (all candidates on
        two thirds of the training set), those of `TreeCRF.seconds_` (the chosen one on all of it), "prediction"
        (of one test set, mean).
    """

    counts: pd.DataFrame
    choices: pd.DataFrame
    costs: pd.DataFrame


def damage(
    data: SequenceSet,
    dataset: str,
    rate: float,
    side: str,
    index: int,
    seed: int = 0,
    mechanism: str = MCAR,
    **options: Any,
) -> SequenceSet:
    """Make a data set's cells missing by one of `treecrf.missing.MECHANISMS`, which takes the `options`.

    All arguments but the data and the options decide the generator, and they alone: every method sees the same missing
    cells, and other rates and mechanisms have others. The `side` is "train" or "test".
    """
    how = () if mechanism == MCAR else (mechanism,)
    rng = np.random.default_rng(derive_seed(seed, dataset, "holes", *how, f"{rate:g}", side, index))
    return MECHANISMS[mechanism].make(data, rate, rng, **options)


def evaluate_rates(job: JobContext[MissingSettings]) -> MissingOutcome:
    """`evaluate_method` at every rate of the settings, one after another."""
    return _stacked(evaluate_method(job, rate) for rate in job.settings.rates)


def evaluate_trees(job: JobContext[MissingSettings]) -> MissingOutcome:
    """`evaluate_method` at every rate with each of the other kinds of trees; the frames have a column trees.

    Without rows for methods that are no treatment of missing values in trees.
    """
    fewer = _with_training_sets(job, min(job.settings.n_training_sets, job.settings.tree_training_sets))
    kinds = job.settings.other_trees if job.method in TREATMENTS else []
    return _labelled(
        "trees",
        {trees: _stacked(evaluate_method(fewer, rate, trees) for rate in job.settings.rates) for trees in kinds},
    )


def evaluate_mechanisms(job: JobContext[MissingSettings]) -> MissingOutcome:
    """`evaluate_method` with each mechanism that these data can have; the frames have a column mechanism."""
    settings, n_columns = job.settings, len(job.train.attributes) + len(job.train.number_names)
    possible = [name for name in settings.mechanisms if n_columns >= MECHANISMS[name].least_columns]
    fewer = _with_training_sets(job, settings.mechanism_training_sets)
    return _labelled(
        "mechanism", {name: evaluate_method(fewer, settings.mechanism_rate, PAPERS, name) for name in possible}
    )


def _with_training_sets(job: JobContext[MissingSettings], n_training_sets: int) -> JobContext[MissingSettings]:
    return replace(job, settings=job.settings.model_copy(update={"n_training_sets": n_training_sets}))


def evaluate_method(
    job: JobContext[MissingSettings], rate: float, trees: str = PAPERS, mechanism: str = MCAR
) -> MissingOutcome:
    """Train one method on every damaged training set and test it on every damaged test set.

    Settings of the trees and iteration are chosen by hold-out within the damaged training set; the split is the same
    for every method, rate and training set. At rate 0 there is one training set and one test set; where a mechanism
    spares training sets there is one of these. Data set and seed of the job decide, with rate and mechanism, the
    missing cells and the split. A custom labeller gets the data with missing cells; the kind of trees, of
    `treecrf_studies.missing.methods.TREES`, is no matter to it. What one damaged training set yields at one rate is a
    part of the job.
    """
    dataset, method, settings, train, test = job.dataset, job.method, job.settings, job.train, job.test
    how = MECHANISMS[mechanism]
    options = {name: getattr(settings, name) for name in how.options}

    def damaged(data: SequenceSet, side: str, index: int) -> SequenceSet:
        return damage(data, dataset, rate, side, index, job.seed, mechanism, **options)

    n_training_sets = settings.n_training_sets if rate and how.in_training else 1
    tests = [damaged(test, "test", index) for index in range(settings.n_test_sets if rate else 1)]
    fitted, held_out = hold_out(train.groups, settings.held_out, derive_seed(job.seed, dataset, "hold-out"))
    constant: dict[str, Any] = {"dataset": dataset, "rate": float(rate), "method": method}

    def evaluate(draw: int, _checkpoint: Checkpoint | None) -> Frames:
        given = damaged(train, "train", draw) if how.in_training else train
        candidates = _candidates(method, settings, trees)
        labellers = [_build(given, job.window, method, candidate, settings, trees) for candidate in candidates]
        before = time.thread_time()
        choice = _choose(labellers, given.select(fitted), given.select(held_out), method, settings)
        seconds = {"choice": time.thread_time() - before}
        transform = _fitted_transform(method, given, settings)
        trained = train_as_chosen(choice, transform(given))
        seconds |= getattr(trained.labeller, "seconds_", {})
        before = time.thread_time()
        counts = []
        for test_set, damaged_test in enumerate(tests):
            predicted = trained.predict(transform(damaged_test), (settings.decoder,))[settings.decoder]
            correct = predicted == trained.labeller.align_labels(damaged_test)
            counts.append(count_correct(correct, test, settings).assign(test_set=test_set))
        seconds["prediction"] = (time.thread_time() - before) / len(tests)
        chosen: dict[str, Any] = {
            "candidate": candidate_name(candidates[labellers.index(choice.labeller)]),
            "iteration": choice.stage or 1,
            "held_out_accuracy": choice.accuracy,
        }
        costs = pd.DataFrame({"phase": list(seconds), "cpu_seconds": list(seconds.values())})
        frames = (pd.concat(counts), pd.DataFrame([chosen]), costs.assign(n_iterations=chosen["iteration"]))
        return tuple(frame.assign(draw=draw, **constant) for frame in frames)

    prefix = f"{trees}_{mechanism}_rate_{rate:g}"
    outcomes = [job.cache.finished(f"{prefix}_draw_{draw}", partial(evaluate, draw)) for draw in range(n_training_sets)]
    counts, choices, costs = joined(outcomes)
    return MissingOutcome(counts[COUNT_NAMES], choices[CHOICE_NAMES].astype({"iteration": int}), costs[COST_NAMES])


def warm_kernels() -> None:
    """Run every compiled routine of the study once on a tiny set, so that later processes find it compiled."""
    rng = np.random.default_rng(0)
    names = ("a", "b", "c")
    values, labels = rng.integers(0, 3, (60, 2), np.int16), rng.integers(0, 3, 60, np.int16)
    attributes = (Attribute("first", names), Attribute("second", names))
    data = SequenceSet(values, np.arange(0, 61, 5), attributes, labels, names)
    tiny = MissingSettings(n_iterations=2, n_training_sets=1, n_test_sets=1)
    for trees, method in product(TREES, TREATMENTS):
        evaluate_method(JobContext(tiny, "warm", method, (1, 1), (data, data)), 0.3, trees)


def _stacked(outcomes: Iterable[MissingOutcome]) -> MissingOutcome:
    return MissingOutcome(*joined(outcomes))


def _labelled(name: str, outcomes: Mapping[str, MissingOutcome]) -> MissingOutcome:
    """The frames of all outcomes with a column that says which is whose; without rows where there are none."""
    if not outcomes:
        return MissingOutcome(
            *(pd.DataFrame(columns=[*names, name]) for names in (COUNT_NAMES, CHOICE_NAMES, COST_NAMES))
        )
    return _stacked(
        MissingOutcome(*(frame.assign(**{name: label}) for frame in outcome)) for label, outcome in outcomes.items()
    )


def _candidates(method: str, settings: MissingSettings, trees: str) -> list[Candidate]:
    """What hold-out chooses from; of a treatment in trees, what it does for this kind of trees."""
    if method in TREATMENTS:
        return combinations(TREES[trees].grid_of(settings))
    return find_method(method, MISSING, settings.labellers).candidates(settings)


def _build(
    given: SequenceSet,
    window: tuple[int, int],
    method: str,
    candidate: Candidate,
    settings: MissingSettings,
    trees: str,
) -> Labeller:
    """A labeller with the settings of a candidate, which is to see a training set that was not transformed yet."""
    if method in TREATMENTS:
        n_slots = (len(given.attributes) + len(given.number_names)) * (1 + sum(window))
        n_surrogates = settings.n_surrogates or max(1, n_slots - 1)
        candidate = {"n_surrogates": n_surrogates, **TREES[trees].fixed, **candidate}
    return find_method(method, MISSING, settings.labellers).build(settings, candidate, window)


def _choose(
    labellers: Sequence[Labeller],
    fitted: SequenceSet,
    held_out: SequenceSet,
    method: str,
    settings: MissingSettings,
) -> ChosenLabeller:
    """The best on the held-out sequences, whose missing values are in place; among equals the fewest iterations."""
    transform = _fitted_transform(method, fitted, settings)
    return choose(
        labellers,
        [(transform(fitted), transform(held_out))],
        settings.test_every,
        judged=True,
        decoder=settings.decoder,
        ties=FEWEST_ITERATIONS,
    )


def _fitted_transform(method: str, train: SequenceSet, settings: MissingSettings) -> Transform:
    """What fills or marks the missing cells of data as a method is to see them, fitted to the training set."""
    transform = transform_of(MISSING[method].transform, settings.mark) if method in MISSING else None
    return transform.fit(train).transform if transform else _unchanged


def _unchanged(data: SequenceSet) -> SequenceSet:
    return data


def count_correct(correct: NDArray[np.bool_], test: SequenceSet, settings: MissingSettings) -> pd.DataFrame:
    """Sequence, its group, positions and correct positions of every block; a sequence is one where there are enough."""
    length = settings.block_length if len(test) < settings.blocks_under else int(test.n_positions)
    starts = cut_blocks(test.offsets, length)
    sequence = np.searchsorted(test.offsets, starts, side="right") - 1
    return pd.DataFrame(
        {
            "sequence": sequence,
            "group": test.groups[sequence],
            "block": np.arange(len(starts)),
            "n_positions": np.diff(np.append(starts, test.n_positions)),
            "n_correct": np.add.reduceat(correct.astype(np.int64), starts),
        }
    )
