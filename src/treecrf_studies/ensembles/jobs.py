"""The job of the study of ensembles on real data: experts are trained and combined on all draws of one data set."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.ensembles.combiners import COMBINERS, Combiner, Evidence, OfVotes
from treecrf.ensembles.espboost import ESPBoost, record
from treecrf.ensembles.voting import BestExpert
from treecrf.models.base import Labeller
from treecrf.models.boosted.boosting import Checkpoint
from treecrf.sequences import SequenceSet
from treecrf.statistics.selection import derive_seed, sequence_folds
from treecrf_studies.datasets.synthetic import Splits
from treecrf_studies.ensembles.methods import COMBINED, EXPERTS, RETRAINED
from treecrf_studies.ensembles.settings import EnsemblesSettings
from treecrf_studies.framework.jobs import Frames, JobContext
from treecrf_studies.framework.methods import find_method
from treecrf_studies.framework.metrics import PREDICTED, prediction_frame
from treecrf_studies.framework.resamples import shared_part
from treecrf_studies.methods.catalogue import ENSEMBLES
from treecrf_studies.options import Window

RUN_NAMES = ["dataset", "method", "draw", "accuracy", "settings", "cpu_seconds", "n_train", "n_test", "shared_part"]
EXPERT_NAMES = ["dataset", "draw", "expert", "held_out_accuracy", "accuracy", "retrained_accuracy", "cpu_seconds"]
BOOSTING_NAMES = [
    "dataset",
    "draw",
    "class_map",
    "chosen_rounds",
    "loss",
    "n_rounds",
    "first_share",
    "correlation",
    "first_loss",
    "slack",
    "difference",
]


class EnsemblesOutcome(NamedTuple):
    """What one job finds.

    Attributes
    ----------
    runs : DataFrame
        Columns `RUN_NAMES`: percent of the positions of C, one row for each draw and ensemble; the expert or the class
        map that was chosen on B; CPU seconds of what combines the experts; positions of A and B, and of C;
        `shared_part` of the draws.
    predictions : DataFrame
        Of C. Group: that of related sequences. Without probabilities where votes are combined: their
        shares are none.
    experts : DataFrame
        Columns `EXPERT_NAMES`: percent of the positions of B and of C, of C also after training with A and B; CPU
        seconds of the training with A.
    boosting : DataFrame
        Columns `BOOSTING_NAMES`: class map and rounds that cross-validation chose for ESPBoost, and its loss on C; of a
        run that goes on to the end with this map, its `treecrf.ensembles.espboost.Record` on C, and theorem 3 on B as
        in `treecrf_studies.ensembles.generated.Voted`.
    """

    runs: pd.DataFrame
    predictions: pd.DataFrame
    experts: pd.DataFrame
    boosting: pd.DataFrame


def combine_experts(job: JobContext[EnsemblesSettings]) -> EnsemblesOutcome:
    """All ensembles on one data set, whose sequences are divided anew; each draw is a part of the job."""
    dataset, settings = job.dataset, job.settings.of(job.dataset)
    data = SequenceSet.concatenate(job.sets)
    draws = [
        divide(data, settings.sizes, derive_seed(job.seed, dataset, "parts", draw)) for draw in range(settings.n_seeds)
    ]
    runs, predictions, experts, boosting = job.cache.joined(
        {
            f"seed_{draw}": partial(combine_draw, dataset, draw, parts, job.window, settings)
            for draw, parts in enumerate(draws)
        }
    )
    runs["shared_part"] = shared_part(draws)
    return EnsemblesOutcome(
        runs[RUN_NAMES],
        predictions[["dataset", "method", "draw", "group", *PREDICTED]],
        experts[EXPERT_NAMES],
        boosting[BOOSTING_NAMES],
    )


def warm_kernels() -> None:
    """Run every compiled routine of the study once on tiny sets, so that later processes find it compiled."""
    from treecrf_studies.datasets import load

    train, test = load("hmm", n_train=12, n_test=6)
    few = {"newton_iterations": 2, "tree_iterations": 2, "tree_leaves": 2, "linear_iterations": 2, "n_epochs": 1}
    experts = [name for name in EXPERTS if name != "neural_crf"]  # it has no kernels of its own
    settings = EnsemblesSettings(n_seeds=1, lightgbm_iterations=2, experts=experts, **few)
    combine_experts(JobContext(settings, "hmm", window=(1, 1), sets=(train, test)))


def combine_draw(
    dataset: str, draw: int, parts: Splits, window: Window, settings: EnsemblesSettings, _checkpoint: Checkpoint | None
) -> Frames:
    """Runs, predictions, experts and boosting of one draw, whose `parts` are A, B and C, see `EnsemblesOutcome`."""
    part_b, part_c = parts.validation, parts.test
    truth_b, truth_c = np.asarray(part_b.labels), np.asarray(part_c.labels)
    (on_b, on_c), seconds_of_a = _ask(parts.train, (part_b, part_c), window, settings)
    (retrained,), _ = _ask(parts.all_training, (part_c,), window, settings)
    combiners, seconds = _fit(on_b, truth_b, derive_seed(dataset, "combine", draw))
    constant: dict[str, Any] = {"dataset": dataset, "draw": draw}
    runs, predictions = [], []
    for method in COMBINED:
        source = RETRAINED.get(method, method)
        combiner, evidence = combiners[source], retrained if method in RETRAINED else on_c
        marginals = combiner.predict_proba(evidence) if combiner.has_probabilities else None
        # the likeliest labels, as `predict` has them: hundreds of trees of each label need not be asked twice
        labels = combiner.predict(evidence) if marginals is None else marginals.argmax(axis=1).astype(np.int16)
        runs.append(
            constant
            | {"method": method, "accuracy": _percent(labels, truth_c), "settings": _chosen(combiner, settings)}
            | {"cpu_seconds": seconds[source], "n_test": part_c.n_positions}
            | {"n_train": parts.train.n_positions + part_b.n_positions}
        )
        predictions.append(prediction_frame(part_c, labels, marginals).assign(method=method, **constant))
    experts = pd.DataFrame(
        {
            "expert": settings.experts,
            "held_out_accuracy": _percent(on_b.predictions, truth_b[:, None]),
            "accuracy": _percent(on_c.predictions, truth_c[:, None]),
            "retrained_accuracy": _percent(retrained.predictions, truth_c[:, None]),
            "cpu_seconds": seconds_of_a,
        }
    )
    boosting = _boosting(combiners["espboost"], on_b, truth_b, on_c, truth_c, settings)
    return (
        pd.DataFrame(runs),
        pd.concat(predictions, ignore_index=True),
        experts.assign(**constant),
        pd.DataFrame([constant | boosting]),
    )


def _ask(
    train: SequenceSet, sets: tuple[SequenceSet, ...], window: Window, settings: EnsemblesSettings
) -> tuple[list[Evidence], list[float]]:
    """Train the experts, and ask them about some sets; also CPU seconds of the training of each."""
    experts, seconds = [], []
    for name in settings.experts:
        began = time.process_time()
        experts.append(make_expert(name, window, settings).fit(train))
        seconds.append(time.process_time() - began)
    return [Evidence.ask(experts, data) for data in sets], seconds


def _fit(on_b: Evidence, truth: NDArray[Any], seed: int) -> tuple[dict[str, Combiner], dict[str, float]]:
    """What combines the experts, learnt on B, and CPU seconds."""
    combiners, seconds = {}, {}
    for name in COMBINED:
        if name not in RETRAINED:
            began = time.process_time()
            combiner = COMBINERS[name]()
            combiners[name] = combiner.fit(on_b, truth, seed) if combiner.needs_evidence else combiner
            seconds[name] = time.process_time() - began
    return combiners, seconds


def _percent(predicted: NDArray[Any], truth: NDArray[Any]) -> Any:
    """Percent of the positions that are right, of each column."""
    percent = 100 * (predicted == truth).mean(axis=0)
    return float(percent) if percent.ndim == 0 else percent


def _chosen(combiner: Combiner, settings: EnsemblesSettings) -> str:
    """The expert or the class map that was chosen; nothing of other combiners."""
    if not isinstance(combiner, OfVotes):
        return ""
    if isinstance(combiner.vote, BestExpert):
        return settings.experts[combiner.vote.expert_]
    return combiner.class_map


def _boosting(
    combiner: Combiner,
    on_b: Evidence,
    truth_b: NDArray[Any],
    on_c: Evidence,
    truth_c: NDArray[Any],
    settings: EnsemblesSettings,
) -> dict[str, Any]:
    """What was chosen for ESPBoost, and the record of a run that goes on to the end."""
    assert isinstance(combiner, OfVotes)
    assert isinstance(combiner.vote, ESPBoost)
    (classes_b, n_classes), (classes_c, _) = (each.classes(combiner.class_map) for each in (on_b, on_c))
    trained, tested = (on_b.predictions, truth_b, classes_b), (on_c.predictions, truth_c, classes_c)
    recorded, _ = boost_to_the_end(trained, tested, settings, n_classes)
    chosen = {"class_map": combiner.class_map, "chosen_rounds": len(combiner.vote.alphas_)}
    return chosen | {"loss": combiner.vote.loss(*tested)} | recorded


Votes = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
"""Predictions of experts, labels and classes, as `ESPBoost.fit` takes them."""


def boost_to_the_end(
    trained: Votes, tested: Votes, settings: EnsemblesSettings, n_classes: int | None = None
) -> tuple[dict[str, Any], Checked]:
    """A run that goes on to its end: what is recorded of it, and both sides of theorem 3."""
    boosted = ESPBoost(settings.n_rounds).fit(*trained, n_classes)
    checked = check_bound(boosted, *trained, settings.rhos)
    bound = {"slack": checked.slack, "difference": checked.difference}
    return record(boosted, *tested)._asdict() | bound, checked


def make_expert(name: str, window: Window, settings: EnsemblesSettings) -> Labeller:
    """A labeller of `treecrf_studies.ensembles.methods.EXPERTS`, not trained."""
    return find_method(name, ENSEMBLES).build(settings, {}, window)


class Checked(NamedTuple):
    """Both sides of theorem 3 on the training positions, and of the equality behind it.

    Margin losses, the fractions of positions whose margin is at most rho, and the theorem's bounds on them have shape
    (n_rounds, n_rhos). `difference` is the largest relative one of F(alpha) and the product of Z_1, .., Z_T over all
    rounds T: the theorem at rho = 0.
    """

    margin_losses: NDArray[np.float64]
    bounds: NDArray[np.float64]
    difference: float

    @property
    def slack(self) -> float:
        """The least difference of bound and margin loss; below 0 it would contradict the theorem."""
        return float((self.bounds - self.margin_losses).min())


def check_bound(
    boosted: ESPBoost, predictions: NDArray[Any], labels: NDArray[Any], classes: NDArray[Any], rhos: Sequence[float]
) -> Checked:
    """Check the theorem on the positions that `boosted` was fitted to; arrays as of `ESPBoost.fit`."""
    margin_losses = boosted.staged_margin_losses(predictions, labels, classes, np.array(rhos))
    objective, product = lemma_1(boosted, predictions, labels, classes), boosted.bound(0.0)
    return Checked(margin_losses, boosted.bound(rhos), float(np.abs(objective / product - 1).max()))


def lemma_1(
    boosted: ESPBoost, predictions: NDArray[Any], labels: NDArray[Any], classes: NDArray[Any]
) -> NDArray[np.float64]:
    """F(alpha), the right side of lemma 1, after 1, 2, .. rounds, shape (n_rounds,): a mean over positions, round by
    round.
    """
    right, rows = np.asarray(predictions) == np.asarray(labels)[:, None], np.arange(len(labels))
    exponents, means = np.zeros(len(labels)), []
    for path, alpha in zip(boosted.paths_, boosted.alphas_, strict=True):
        exponents -= alpha * np.where(right[rows, path[classes]], 1.0, -1.0)
        means.append(np.exp(exponents).mean())
    return np.array(means)


def divide(data: SequenceSet, sizes: Sequence[float], seed: int) -> Splits:
    """Draw the three parts, as train, validation and test; related sequences are in the same one.

    `sizes` are the least numbers of sequences, as far as the set has so many; shares of all if they sum to at most 1. A
    ValueError says that the set is too small.
    """
    wanted = np.array(sizes) * (len(data) if sum(sizes) <= 1 else 1)
    if round(wanted.sum()) > len(data):
        raise ValueError(
            f"parts of {', '.join(f'{size:g}' for size in wanted)} sequences were asked for and there are {len(data)}; "
            "lower sizes."
        )
    order = sequence_folds(data.groups, len(np.unique(data.groups)), seed)  # the groups in random order
    lengths = np.cumsum([len(group) for group in order])
    ends = np.minimum(np.searchsorted(lengths, np.round(np.cumsum(wanted))) + 1, len(order))
    parts = [order[first:last] for first, last in zip([0, *ends], ends, strict=False)]
    if not all(parts):
        raise ValueError(f"{len(order)} unrelated sequences do not make three parts; give more, or other sizes.")
    return Splits(*(data.select(np.sort(np.concatenate(part))) for part in parts))
