"""Numbers of two runs side by side: the same, moved within noise, or moved beyond it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from treecrf.report.comparing.runs import Run
from treecrf.statistics.blocks import LEAST_LENGTH
from treecrf.statistics.estimates import MARGIN, OPPOSITES, adjust_holm, decide
from treecrf.studies import registry
from treecrf.studies.draw_tests import overlap_of
from treecrf.studies.reruns import Rerun, RerunRules, pair_numbers
from treecrf.studies.study import Kept

COLUMNS = [
    "study", "dataset", "method", "of", "outcome", "accuracy_from", "accuracy_to", "points", "points_low", "points_high", "low_90",
    "high_90", "p_value", "p_holm", "decision", "margin", "tested_by", "n_clusters", "is_of_method", "n_predictions", "n_changed", "note",
]  # fmt: skip

SAME, WITHIN, BEYOND, NOT_COMPARED = "same", "within noise", "beyond noise", "not compared"

OUTCOMES = (SAME, WITHIN, BEYOND, NOT_COMPARED)


def compare_numbers(one: Run, other: Run) -> pd.DataFrame:
    """Every number of which one of two runs keeps the predictions.

    Returns
    -------
    DataFrame
        `COLUMNS`. study, dataset, method, and of (other conditions); accuracies in percent, and points of the second run minus
        the first; its intervals of 95 % and 90 %.

        outcome
            `SAME` if every prediction is; `WITHIN` or `BEYOND` by the decision; `NOT_COMPARED`, for the reason in note.
        p_value, p_holm, decision
            Of a valid test (`treecrf.studies.reruns.Tested`), corrected over all numbers of which a prediction changed: the rest are
            not tested, as nothing could be found. "better" or "worse" is the second run; "equivalent" or "undecided" otherwise.
    """
    found = list(_pairs(one, other))
    rows = [_row(study, dataset, margin, number) for study, dataset, margin, number in found]
    frame = pd.DataFrame(rows, columns=COLUMNS)
    tested = frame["p_value"].notna() | frame["tested_by"].ne("")
    part = frame[tested]
    p_holm = adjust_holm(part["p_value"].to_numpy(dtype=float))
    frame.loc[tested, "p_holm"] = p_holm
    numbers = zip(part["points"], p_holm, part["low_90"], part["high_90"], part["margin"], strict=True)
    words = [
        str(decide(np.array([points]), np.array([p]), np.array([low]), np.array([high]), margin=margin)[0])
        for points, p, low, high, margin in numbers
    ]
    frame.loc[tested, "decision"] = words
    frame.loc[tested, "outcome"] = [BEYOND if word in OPPOSITES else WITHIN for word in words]
    return frame


def _pairs(one: Run, other: Run) -> Iterator[tuple[str, str, float, Rerun]]:
    for study in registry():
        margin = float(other.setting(study.name, "equivalence_margin", MARGIN))
        for kept in study.kept:
            names = dict.fromkeys([*one.datasets(study.name, kept.frame), *other.datasets(study.name, kept.frame)])
            for dataset in names:
                for number in _of_dataset(one, other, study.name, dataset, kept):
                    yield study.name, dataset, margin, number


def _of_dataset(one: Run, other: Run, study: str, dataset: str, kept: Kept) -> Iterator[Rerun]:
    frames = [run.frame(study, dataset, kept.frame) for run in (one, other)]
    if frames[0] is None or frames[1] is None:
        yield Rerun("all", kept.frame, problem=f"only in the {'second' if frames[0] is None else 'first'} run")
        return
    try:
        rules = _rules(one, other, study, dataset, kept)
        yield from pair_numbers(kept, frames[0], frames[1], rules)
    except ValueError as error:
        yield Rerun("all", kept.frame, problem=str(error))


def _rules(one: Run, other: Run, study: str, dataset: str, kept: Kept) -> RerunRules:
    overlap = 0.0
    if kept.kind == "draws":
        runs = other.frame(study, dataset, "runs")
        if runs is None:
            raise ValueError("the second run does not say how much its draws overlap: it has no frame runs")
        try:
            overlap = overlap_of(runs, other.source(study, dataset))
        except KeyError as error:
            raise ValueError(f"the second run does not say how much its draws overlap: {error.args[0]}") from None
        except ValueError:
            raise ValueError("this version of treecrf does not know the data set") from None
    return RerunRules(
        test_per_train=overlap,
        equivalence_margin=float(other.setting(study, "equivalence_margin", MARGIN)),
        block_length=int(other.setting(study, "block_length", LEAST_LENGTH)),
        degrees_of_freedom=str(other.setting(study, "degrees_of_freedom", "")),
    )


def _row(study: str, dataset: str, margin: float, number: Rerun) -> dict[str, object]:
    known = {
        "study": study, "dataset": dataset, "method": number.method, "of": number.of, "margin": margin,
        "outcome": NOT_COMPARED if number.problem else SAME, "accuracy_from": number.accuracies[0],
        "accuracy_to": number.accuracies[1], "n_predictions": number.n_predictions, "n_changed": number.n_changed,
        "note": number.problem or number.note, "tested_by": "", "decision": "",
    }  # fmt: skip
    if number.test is None:
        return known
    tested = number.test()
    return known | {
        "points": tested.points, "points_low": tested.interval[0], "points_high": tested.interval[1],
        "low_90": tested.interval_90[0], "high_90": tested.interval_90[1], "p_value": tested.p_value, "tested_by": tested.by,
        "n_clusters": tested.n_clusters, "is_of_method": tested.is_of_method,
    }  # fmt: skip
