"""The job of the study of ensembles on real data: experts are trained and combined on all draws of one data set."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import pandas as pd

from treecrf.sequences import SequenceSet
from treecrf.statistics.selection import derive_seed
from treecrf.studies.ensembles.combining import combine_draw
from treecrf.studies.ensembles.methods import EXPERTS
from treecrf.studies.ensembles.parts import divide
from treecrf.studies.ensembles.settings import EnsemblesSettings
from treecrf.studies.framework.confidence import CONFIDENCE
from treecrf.studies.framework.job_context import JobContext
from treecrf.studies.framework.resamples import shared_part

RUN_NAMES = ["dataset", "method", "seed", "accuracy", "chosen", "cpu_seconds", "n_train", "n_test", "shared_part"]
PREDICTION_NAMES = ["dataset", "method", "seed", "group", "position", "label", "predicted", *CONFIDENCE]
EXPERT_NAMES = ["dataset", "seed", "expert", "held_out_accuracy", "accuracy", "retrained_accuracy", "cpu_seconds"]
BOOSTING_NAMES = [
    "dataset", "seed", "class_map", "chosen_rounds", "loss", "n_rounds", "first_share", "correlation", "first_loss", "slack",
    "difference",
]  # fmt: skip


class EnsemblesOutcome(NamedTuple):
    """What one job finds.

    Attributes
    ----------
    runs : DataFrame
        Columns `RUN_NAMES`: percent of the positions of C, one row for each draw and ensemble; the expert or the class map that was
        chosen on B; CPU seconds of what combines the experts; positions of A and B, and of C; `shared_part` of the draws.
    predictions : DataFrame
        Columns `PREDICTION_NAMES`, of C. Group: that of related sequences. Without probabilities where votes are combined: their
        shares are none.
    experts : DataFrame
        Columns `EXPERT_NAMES`: percent of the positions of B and of C, of C also after training with A and B; CPU seconds of the
        training with A.
    boosting : DataFrame
        Columns `BOOSTING_NAMES`: class map and rounds that cross-validation chose for ESPBoost, and its loss on C; of a run that
        goes on to the end with this map, its `treecrf.ensembles.espboost.Record` on C, and theorem 3 on B as in
        `treecrf.studies.ensembles.generated.Voted`.
    """

    runs: pd.DataFrame
    predictions: pd.DataFrame
    experts: pd.DataFrame
    boosting: pd.DataFrame


def combine_experts(job: JobContext[EnsemblesSettings]) -> EnsemblesOutcome:
    """All ensembles on one data set, whose sequences are divided anew; what is found of one draw is a part of the job."""
    dataset, settings = job.dataset, job.settings.of(job.dataset)
    data = SequenceSet.concatenate(job.sets)
    draws = [
        divide(data, settings.sizes, derive_seed(job.seed, dataset, "parts", draw)) for draw in range(settings.n_seeds)
    ]
    found = [
        job.cache.finished(f"seed_{draw}", partial(combine_draw, dataset, draw, parts, job.window, settings))
        for draw, parts in enumerate(draws)
    ]
    runs, predictions, experts, boosting = (pd.concat(frames, ignore_index=True) for frames in zip(*found, strict=True))
    runs["shared_part"] = shared_part(draws)
    return EnsemblesOutcome(
        runs[RUN_NAMES], predictions[PREDICTION_NAMES], experts[EXPERT_NAMES], boosting[BOOSTING_NAMES]
    )


def warm_kernels() -> None:
    """Run every compiled routine of the study once on tiny sets, so that later processes find it compiled."""
    from treecrf.datasets import load

    train, test = load("hmm", n_train=12, n_test=6)
    few = {"newton_iterations": 2, "tree_iterations": 2, "tree_leaves": 2, "linear_iterations": 2, "n_epochs": 1}
    experts = [name for name in EXPERTS if name != "neural_crf"]  # it has no kernels of its own
    settings = EnsemblesSettings(n_seeds=1, lightgbm_iterations=2, experts=experts, **few)
    combine_experts(JobContext(settings, "hmm", window=(1, 1), sets=(train, test)))
