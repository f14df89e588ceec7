"""Training that goes on with the trees of a model, on further sequences."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from treecrf.automl.fitting import innermost
from treecrf.automl.labeller import Origin, TableLabeller, ranges_of
from treecrf.models.base import Labeller, Monitor
from treecrf.models.boosted.treecrf import TreeCRF
from treecrf.models.pipelines import TransformingLabeller
from treecrf.sequences import SequenceSet


def check_continuable(model: TableLabeller, name: str) -> TreeCRF:
    """The trees of a model, called `name` in the error; a ValueError if it is of a method that cannot go on."""
    labeller = _trained(model.labeller)
    if not isinstance(labeller, TreeCRF):
        raise ValueError(
            f"{name} is a {type(labeller).__name__}, whose training cannot go on; only models of one TreeCRF can "
            "(--method treecrf_newton). Train on all files instead."
        )
    return labeller


def _trained(labeller: Labeller) -> Labeller:
    return _trained(labeller.labeller_) if isinstance(labeller, TransformingLabeller) else labeller


def continue_training(
    model: TableLabeller, data: SequenceSet, n_more: int, path: Path, n_threads: int, monitor: Monitor | None = None
) -> None:
    """Add iterations of boosting to a model, in place.

    Parameters
    ----------
    model : TableLabeller
        Of one TreeCRF (`check_continuable`).
    data : SequenceSet
        Labelled sequences (`TableLabeller.encode`). The further trees are grown on these alone.
    n_more : int
        Number of iterations.
    path : path
        Of the file, for the model's origin.
    n_threads : int
    monitor : callable, optional
        As of `Labeller.fit`.

    Notes
    -----
    Inputs, their bins and the labels stay those of the first training. On the same set the result is that of one longer
    training, to the bit.
    """
    trees = check_continuable(model, "the model")
    settings = {"n_iterations": len(trees.steps_) + n_more, "warm_start": True, "n_threads": n_threads}
    ready = model.prepare(data)
    outer = model.labeller
    while isinstance(outer, TransformingLabeller):
        ready = outer.prepare(ready)
        outer = outer.labeller_
    innermost(model.labeller).set_params(**settings)  # what a pipeline was built with, and its prediction follows
    trees.set_params(**settings)
    trees.fit(ready, monitor=monitor)
    for each in (innermost(model.labeller), trees):
        each.set_params(warm_start=False)
    now = Origin.of(path, data, None, "sequence")
    before = model.origin
    model.origin = (
        now
        if before is None
        else replace(
            now,
            file=f"{before.file}, {now.file}",
            digest="",
            n_sequences=before.n_sequences + now.n_sequences,
            n_positions=before.n_positions + now.n_positions,
            n_groups=before.n_groups + now.n_groups,
            metric=before.metric,
        )
    )
    model.ranges = {**model.ranges, **ranges_of(data)}  # the newest numbers are what the next ones are measured by
