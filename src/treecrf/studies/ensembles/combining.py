"""One draw of the parts A, B and C of a data set: its experts, what combines them, and what ESPBoost is made of."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.datasets.synthetic import Splits
from treecrf.ensembles.combiners import COMBINERS, Combiner, Evidence, OfVotes
from treecrf.ensembles.espboost import ESPBoost, record
from treecrf.ensembles.voting import BestExpert
from treecrf.models.boosted.checkpoint import Checkpoint
from treecrf.sequences import SequenceSet
from treecrf.statistics.selection import derive_seed
from treecrf.studies.ensembles.bound import check_bound
from treecrf.studies.ensembles.experts import Window, make_expert
from treecrf.studies.ensembles.methods import COMBINED, RETRAINED
from treecrf.studies.ensembles.settings import EnsemblesSettings
from treecrf.studies.framework.confidence import confidence
from treecrf.studies.framework.job_cache import Frames


class Asked(NamedTuple):
    """What the experts of one training say of some sets, and CPU seconds of the training of each."""

    evidence: tuple[Evidence, ...]
    seconds: tuple[float, ...]


def combine_draw(
    dataset: str, draw: int, parts: Splits, window: Window, settings: EnsemblesSettings, _checkpoint: Checkpoint | None
) -> Frames:
    """Runs, predictions, experts and boosting of one draw, see `treecrf.studies.ensembles.jobs.EnsemblesOutcome`.

    Parameters
    ----------
    dataset : str
    draw : int
    parts : Splits
        A, B and C.
    window : (int, int)
    settings : EnsemblesSettings
    """
    part_b, part_c = parts.validation, parts.test
    truth_b, truth_c = np.asarray(part_b.labels), np.asarray(part_c.labels)
    of_a = _ask(parts.train, (part_b, part_c), window, settings)
    on_b, on_c = of_a.evidence
    retrained = _ask(SequenceSet.concatenate([parts.train, part_b]), (part_c,), window, settings).evidence[0]
    combiners, seconds = _fit(on_b, truth_b, derive_seed(dataset, "combine", draw))
    constant: dict[str, Any] = {"dataset": dataset, "seed": draw}
    runs, predictions = [], []
    for method in COMBINED:
        source = RETRAINED.get(method, method)
        combiner, evidence = combiners[source], retrained if method in RETRAINED else on_c
        marginals = combiner.predict_proba(evidence) if combiner.has_probabilities else None
        # the likeliest labels, as `predict` has them: hundreds of trees of each label need not be asked twice
        labels = combiner.predict(evidence) if marginals is None else marginals.argmax(axis=1).astype(np.int16)
        runs.append(
            constant
            | {"method": method, "accuracy": _percent(labels, truth_c), "chosen": _chosen(combiner, settings)}
            | {"cpu_seconds": seconds[source], "n_test": part_c.n_positions}
            | {"n_train": parts.train.n_positions + part_b.n_positions}
        )
        columns: dict[str, Any] = {
            "group": np.repeat(part_c.groups, part_c.lengths),
            "position": np.arange(part_c.n_positions),
        }
        columns |= {"label": truth_c, "predicted": labels} | confidence(marginals, truth_c, labels)
        predictions.append(pd.DataFrame(constant | {"method": method} | columns))
    experts = pd.DataFrame(
        {
            "expert": settings.experts,
            "held_out_accuracy": _percent(on_b.predictions, truth_b[:, None]),
            "accuracy": _percent(on_c.predictions, truth_c[:, None]),
            "retrained_accuracy": _percent(retrained.predictions, truth_c[:, None]),
            "cpu_seconds": of_a.seconds,
        }
    )
    boosting = _boosting(combiners["espboost"], on_b, truth_b, on_c, truth_c, settings)
    return (
        pd.DataFrame(runs),
        pd.concat(predictions, ignore_index=True),
        experts.assign(**constant),
        pd.DataFrame([constant | boosting]),
    )


def _ask(train: SequenceSet, sets: tuple[SequenceSet, ...], window: Window, settings: EnsemblesSettings) -> Asked:
    """Train the experts, and ask them."""
    experts, seconds = [], []
    for name in settings.experts:
        began = time.process_time()
        experts.append(make_expert(name, window, settings).fit(train))
        seconds.append(time.process_time() - began)
    return Asked(tuple(Evidence.ask(experts, data) for data in sets), tuple(seconds))


def _fit(on_b: Evidence, truth: NDArray[Any], seed: int) -> tuple[dict[str, Combiner], dict[str, float]]:
    """What combines the experts, learnt on B, and CPU seconds."""
    combiners, seconds = {}, {}
    for name in COMBINED:
        if name not in RETRAINED:
            began = time.process_time()
            combiners[name] = COMBINERS[name]().fit(on_b, truth, seed)
            seconds[name] = time.process_time() - began
    return combiners, seconds


def _percent(predicted: NDArray[Any], truth: NDArray[Any]) -> Any:
    """Percent of the positions that are right, of each column."""
    found = 100 * (predicted == truth).mean(axis=0)
    return float(found) if found.ndim == 0 else found


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
    whole = ESPBoost(settings.n_rounds).fit(*trained, n_classes)
    checked = check_bound(whole, *trained, settings.rhos)
    chosen: dict[str, Any] = {"class_map": combiner.class_map, "chosen_rounds": len(combiner.vote.alphas_)}
    chosen |= {"loss": combiner.vote.loss(*tested)}
    return chosen | record(whole, *tested)._asdict() | {"slack": checked.slack, "difference": checked.difference}
