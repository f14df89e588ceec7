"""The tidy frames of all studies of a run, from the files of its results."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pandas as pd

from treecrf.explorer.answers import Answers, summarise_answers
from treecrf.explorer.ranking import decided, standings
from treecrf.io.files import read_frame, read_frames, stacked
from treecrf.sequences import SequenceSet
from treecrf.statistics.ranking import RANK_COLUMNS, REFERENCE, SEPARATION_MARGIN, UNTESTED
from treecrf.studies import registry
from treecrf.studies.explored import (
    BRIER_SCORE,
    CASE,
    CURVES,
    LOG_LOSS,
    MACRO_F1,
    PAIRS,
    PUBLISHED,
    RUNS,
    SCORES,
    SEQUENCES_RIGHT,
    Frames,
    tidy,
)
from treecrf.studies.paths import StudyFiles
from treecrf.studies.settings import Settings
from treecrf.studies.study import Study

VIEWS = {"scores": SCORES, "pairs": PAIRS, "runs": RUNS, "curves": CURVES, "published": PUBLISHED}
"""Frames that functions of the studies' ``explored.py`` give, and their columns."""

CELL = [*CASE, "method"]

CONFUSION = [*CELL, "label", "predicted", "n"]
CALIBRATION = [*CELL, "low", "high", "n_positions", "probability", "right"]
HARDEST = [*CELL, "place", "sequence", "n_positions", "n_wrong", "first", "observed", "label", "predicted"]

OF_ANSWERS = {"confusion": CONFUSION, "calibration": CALIBRATION, "hardest": HARDEST}
"""Frames of `treecrf.explorer.answers.Answers` beside its runs, and their columns."""


class Gathered(NamedTuple):
    """Frames of all studies, each with a column study first; columns as in `treecrf.studies.explored`.

    Attributes
    ----------
    scores : DataFrame
        With standing (`UNTESTED` where not every pair is tested, `REFERENCE` for what is no competitor) and rank, gap_points,
        gap_low, gap_high, rank_low and rank_high of the accuracy, missing for these.
    pairs : DataFrame
        With holm_low, holm_high, p_holm and decision (`treecrf.explorer.ranking.decided`), without references.
    runs, curves, published, confusion, calibration, hardest : DataFrame
    methods : DataFrame
        study, method, name.
    labels : DataFrame
        study, dataset, names (list): of the labels, by their codes.
    """

    scores: pd.DataFrame
    pairs: pd.DataFrame
    runs: pd.DataFrame
    curves: pd.DataFrame
    published: pd.DataFrame
    confusion: pd.DataFrame
    calibration: pd.DataFrame
    hardest: pd.DataFrame
    methods: pd.DataFrame
    labels: pd.DataFrame


def gather(settings: Settings) -> Gathered:
    """Everything that the studies offer of what the folder of results holds, which may be little or nothing."""
    found = [part for study in registry() for part in _of_study(study, settings)]
    columns = VIEWS | OF_ANSWERS | {"labels": ["dataset", "names"]}
    frames = {
        name: stacked([pd.DataFrame(columns=["study", *names]), *(part[name] for part in found if name in part)])
        for name, names in columns.items()
    }
    ranked = [part["standings"] for part in found if len(part.get("standings", ()))]
    if ranked:
        frames["scores"] = frames["scores"].merge(pd.concat(ranked), on=["study", *CELL], how="left")
    else:
        frames["scores"] = frames["scores"].assign(**dict.fromkeys(RANK_COLUMNS[2:]))
    frames["scores"]["standing"] = _standing(frames["scores"])
    if "p_holm" not in frames["pairs"]:
        frames["pairs"] = frames["pairs"].assign(holm_low=None, holm_high=None, p_holm=None)
    return Gathered(**frames, methods=_methods(frames))


def _of_study(study: Study, settings: Settings) -> Iterator[dict[str, pd.DataFrame]]:
    """The frames of each data set of a study, and those of all together."""
    explored, files = study.module("explored"), StudyFiles(study, settings)
    shared = {
        name: read_frames(there)
        for name in getattr(explored, "SHARED", ())
        if (there := [path for path in files.measured()[name] if Path(path).is_file()])
    }
    if shared:
        yield _named(study, {"published": explored.published(shared)})
    for dataset in files.all_datasets():
        frames = _frames(explored, files, dataset)
        if not frames:
            continue
        found = {name: getattr(explored, name)(frames) for name in VIEWS if hasattr(explored, name)}
        if "ANSWERS" in vars(explored):
            tests = _Tests(study, settings, dataset)
            found = _with_answers(found, _answers(explored, files, dataset, frames, tests))
            if tests.label_names:
                found["labels"] = pd.DataFrame({"dataset": [dataset], "names": [list(tests.label_names)]})
        if "pairs" in found:
            references = getattr(explored, "REFERENCES", ())
            found["pairs"] = decided(_without(found["pairs"], references))
            margin = getattr(getattr(settings, study.name), "separation_margin", SEPARATION_MARGIN)
            found["standings"] = standings(_without(found["scores"], references), found["pairs"], margin)
        yield _named(study, found)


def _without(frame: pd.DataFrame, references: Collection[str]) -> pd.DataFrame:
    """The rows that are not of references."""
    names = [name for name in ("method", "other") if name in frame]
    return frame[~frame[names].isin(list(references)).any(axis=1)]


def _standing(scores: pd.DataFrame) -> pd.Series:
    """The standing of each row, also where there are no ranks."""
    references = {
        (study.name, method) for study in registry() for method in getattr(study.module("explored"), "REFERENCES", ())
    }
    is_reference = [pair in references for pair in zip(scores["study"], scores["method"], strict=True)]
    known = scores["standing"].astype(object).where(scores["standing"].notna(), UNTESTED)
    return known.mask(pd.Series(is_reference, index=scores.index, dtype=bool), REFERENCE)


def _frames(explored: ModuleType, files: StudyFiles, dataset: str) -> Frames:
    """The frames of a data set that are there, by name."""
    outcomes, summary = files.outcomes(dataset), files.study.summary
    found = {}
    for name in explored.FRAMES:
        of_summary = name in summary.frames and summary.of_dataset
        paths = [f"{files.folder}/{dataset}/{name}.csv"] if of_summary else outcomes.get(name, [])
        if there := [path for path in paths if Path(path).is_file()]:
            found[name] = read_frames(there)
    return found


# --- predictions ------------------------------------------------------------------------------------


class _Tests:
    """The test sets of a data set of a study, as far as they are kept."""

    def __init__(self, study: Study, settings: Settings, dataset: str) -> None:
        data, own = Path(settings.results, "data", dataset), Path(settings.results, study.name, dataset)
        self.sets: dict[str, SequenceSet] = {}
        sides = [data / f"{side}.npz" for side in ("train", "test")]
        if study.draws:
            for path in sorted(own.glob("seed_*.test.npz")):
                self.sets[f"draw {path.name.split('.')[0].removeprefix('seed_')}"] = SequenceSet.load(path)
        elif all(path.is_file() for path in sides):
            self.sets[""] = SequenceSet.concatenate([SequenceSet.load(path) for path in sides])
        first = next(iter(self.sets.values()), None)
        self.label_names = first.label_names if first is not None else None


def _answers(explored: ModuleType, files: StudyFiles, dataset: str, frames: Frames, tests: _Tests) -> list[Answers]:
    """What the predictions of each job say; read one after another, as they are large."""
    paths = files.outcomes(dataset).get(explored.ANSWERS, [])
    return [
        summarise_answers(explored.answers(read_frame(path), frames), tests.sets)
        for path in paths
        if Path(path).is_file()
    ]


def _with_answers(found: dict[str, pd.DataFrame], answers: list[Answers]) -> dict[str, pd.DataFrame]:
    """The views of a data set with what the predictions say: more metrics, runs, confusion, calibration, hardest sequences."""
    if not answers:
        return found
    scores = found["scores"]
    dataset = scores["dataset"].iloc[0]
    runs = stacked([each.runs for each in answers]).assign(dataset=dataset)
    if not len(found.get("runs", ())):
        found["runs"] = tidy(runs, RUNS)
    known = scores[scores["metric"] == scores["metric"].iloc[0]].drop(
        columns=["metric", "value", "low", "high", "n_runs"]
    )
    for metric in (MACRO_F1, SEQUENCES_RIGHT, LOG_LOSS, BRIER_SCORE):
        of_runs = runs.dropna(subset=[metric]).groupby(CELL, sort=False)[metric].agg(["mean", "min", "max", "size"])
        named = of_runs.set_axis(["value", "low", "high", "n_runs"], axis=1).reset_index()
        more = known.merge(named, on=CELL).assign(metric=metric)
        scores = pd.concat([scores, more[SCORES]], ignore_index=True)
    of_answers = {
        name: tidy(stacked([getattr(each, name) for each in answers]).assign(dataset=dataset), columns)
        for name, columns in OF_ANSWERS.items()
    }
    return found | {"scores": scores} | of_answers


def _named(study: Study, frames: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The frames with the name of the study in front."""
    for frame in frames.values():
        frame.insert(0, "study", study.name)
    return frames


def _methods(frames: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """What readers see of every method."""
    names = {study.name: study.module("explored").name_of for study in registry()}
    every = pd.concat([frames["scores"][["study", "method"]], frames["pairs"][["study", "method"]],
                       frames["published"][["study", "method"]]]).drop_duplicates()  # fmt: skip
    return every.assign(
        name=[names[study](method) for study, method in zip(every["study"], every["method"], strict=True)]
    )
