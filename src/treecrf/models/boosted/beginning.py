"""The training of a labeller before its first iteration."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from treecrf import chain
from treecrf.models.boosted.growers import columns_of, distinct_windows_of
from treecrf.models.boosted.label_dictionary import make_lattice, make_predecessors
from treecrf.models.boosted.lattice_training import Candidates, LatticeTraining
from treecrf.models.boosted.params import divides_rows, growth_of, handling_of, kinds_of, make_sampling, uses_lattice
from treecrf.models.boosted.training import Training
from treecrf.sequences import SequenceSet
from treecrf.trees.sweep import build_sweep

if TYPE_CHECKING:
    from treecrf.models.boosted.treecrf import TreeCRF


def begin_training(
    labeller: TreeCRF,
    train: SequenceSet,
    start: NDArray[np.float64],
    dictionary: NDArray[np.bool_],
    seconds: dict[str, float],
    weights: NDArray[np.float64] | None = None,
) -> Training | LatticeTraining:
    """The training that the settings of a labeller ask for; its windows' time is added to `seconds`.

    Parameters
    ----------
    train : SequenceSet
        As the trees see it: categories alone.
    start : float64, shape (n_labels, n_states)
    dictionary : bool, shape (n_symbols + 1, n_labels)
        As from `treecrf.models.boosted.label_dictionary.learn_dictionary`.
    weights : float64, shape (n_positions,), optional
        Of positions (`treecrf.models.weights`).
    """
    assert train.labels is not None
    sampling = make_sampling(
        labeller.row_fraction, labeller.feature_fraction, labeller.influence_trimming, labeller.sampling_seed,
        labeller.pseudo_likelihood_iterations,
    )  # fmt: skip
    newton, kinds, growth = labeller.leaf_values == "newton", kinds_of(labeller, train), growth_of(labeller)
    before = time.thread_time()
    if uses_lattice(labeller):
        columns = columns_of(labeller, train)
        sweep = build_sweep(train, labeller.window, labeller.missing != "error")
        seconds["windows"] = time.thread_time() - before
        return LatticeTraining(
            columns, sweep, _candidates(labeller, train, dictionary), train.labels, start, kinds, labeller.max_leaves, growth,
            newton, sampling, weights,
        )  # fmt: skip
    divides = divides_rows(labeller, train)
    with_missing = divides or labeller.missing == "incorporated"
    columns, windows, window_of = distinct_windows_of(labeller, train, with_missing)
    sweep = build_sweep(windows, labeller.window, with_missing)
    seconds["windows"] = time.thread_time() - before
    space = chain.StateSpace(len(train.label_names), labeller.order)
    return Training(
        columns, sweep, train.offsets, train.labels, space, start, kinds, labeller.max_leaves, growth, handling_of(labeller),
        divides, newton, window_of, sampling, labeller._criterion == "local", weights,
    )  # fmt: skip


def _candidates(labeller: TreeCRF, train: SequenceSet, dictionary: NDArray[np.bool_]) -> Candidates:
    setting = labeller.label_dictionary
    return Candidates(
        make_lattice(train, dictionary, setting),
        make_predecessors(train, dictionary, setting),
        labeller.transitions == "full",
        labeller.beam,
    )
