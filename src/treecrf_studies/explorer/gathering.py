"""The views of all studies of a run, from the files of its results."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from treecrf.io.files import read_frame, stacked
from treecrf.sequences import SequenceSet
from treecrf.statistics.estimates import SIGNIFICANCE_LEVEL, Estimates, adjust_holm
from treecrf.statistics.ranking import RANK_COLUMNS, REFERENCE, SEPARATION_MARGIN, UNTESTED, rank_cases
from treecrf_studies.explorer.answers import Answers, summarise_answers
from treecrf_studies.framework.metrics import ACCURACY, BRIER_SCORE, LOG_LOSS, MACRO_F1, SEQUENCES_RIGHT
from treecrf_studies.framework.paths import StudyFiles
from treecrf_studies.framework.settings import Settings
from treecrf_studies.framework.study import BY_JOB, Study
from treecrf_studies.framework.summaries import summarise
from treecrf_studies.framework.views import CASE, CELL, VIEWS, frames_there, read_view, tidy, with_samples
from treecrf_studies.registry import registry

OF_ANSWERS = {
    "confusion": [*CELL, "label", "predicted", "n"],
    "calibration": [*CELL, "low", "high", "n_positions", "probability", "right"],
    "hardest": [*CELL, "place", "sequence", "n_positions", "n_wrong", "first", "observed", "label", "predicted"],
}
"""Frames of `treecrf_studies.explorer.answers.Answers` beside its runs, and their columns."""


RANKS = RANK_COLUMNS[2:]
"""Columns about the standing of a method (`treecrf_studies.explorer.gathering.standings`)."""

DIGITS = 9
"""After the point of mean accuracies: equal methods stay equal, in whatever order their runs are added."""


class Gathered(NamedTuple):
    """Views of all studies, each with a column study first; columns as in `treecrf_studies.framework.views.VIEWS` and
    `OF_ANSWERS`.

    Attributes
    ----------
    scores : DataFrame
        With standing (`UNTESTED` where not every pair is tested, `REFERENCE` for what is no competitor) and rank,
        gap_points, gap_low, gap_high, rank_low and rank_high of the accuracy, missing for these.
    pairs : DataFrame
        With family_low, family_high, p_holm and decision (`treecrf_studies.explorer.gathering.decided`), without
        references.
    runs, curves, published, confusion, calibration, hardest : DataFrame
    methods : DataFrame
        study, method, name.
    labels : DataFrame
        study, dataset, names (list): of the labels, by their codes.
    larger : DataFrame
        sample, dataset: larger samples that are data sets of scores, and the data set of the papers that each is of.
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
    larger: pd.DataFrame


def gather(settings: Settings) -> Gathered:
    """Everything that the studies offer of what the folder of results holds, which may be little or nothing."""
    found = [part for study in registry() for part in _of_study(study, settings)]
    columns = VIEWS | OF_ANSWERS | {"labels": ["dataset", "names"]}
    empty = {"scores": [*VIEWS["scores"], *RANKS], "pairs": [*VIEWS["pairs"], "family_low", "family_high", "p_holm"]}
    frames = {
        name: stacked(
            [pd.DataFrame(columns=["study", *empty.get(name, names)]), *(part[name] for part in found if name in part)]
        )
        for name, names in columns.items()
        if name not in ("seconds", "predictions", "counts")
    }
    there = set(frames["scores"]["dataset"])
    larger = [(name, sample.of) for name, sample in settings.training.larger_samples.items() if name in there]
    samples = pd.DataFrame(larger, columns=["sample", "dataset"])
    return Gathered(**frames, methods=_methods(frames), larger=samples)


def _of_study(study: Study, settings: Settings) -> Iterator[dict[str, pd.DataFrame]]:
    """The views of each data set of a study, and those of frames that no data set has for itself."""
    files = StudyFiles(study, settings)
    for dataset in ("", *files.all_datasets()):
        frames = frames_there(files, study.explored, dataset)
        if not frames:
            continue
        found = {name: read_view(study, name, frames) for name in VIEWS if name not in BY_JOB}
        found["published"] = with_samples(found["published"], settings)
        found["runs"] = _averaged(found["runs"])
        if "scores" not in study.views:
            found["scores"] = _scores_of_runs(found["runs"], found["seconds"])
        if "predictions" in study.views:
            tests = _Tests(study, settings, dataset)
            found = _with_answers(found, _answers(study, files, dataset, frames, tests), dataset)
            if tests.label_names:
                found["labels"] = pd.DataFrame({"dataset": [dataset], "names": [list(tests.label_names)]})
        margin = getattr(getattr(settings, study.name), "separation_margin", SEPARATION_MARGIN)
        found["pairs"] = decided(_compared(found["pairs"], found["scores"], study.references))
        found["scores"] = _ranked(found["scores"], found["pairs"], study.references, margin)
        yield {name: frame.assign(study=study.name)[["study", *frame]] for name, frame in found.items()}


def _averaged(runs: pd.DataFrame) -> pd.DataFrame:
    """One row for each run: the mean accuracy of its rows, such as of several test sets."""
    means = runs.groupby([*CELL, "run"], sort=False, observed=True)["accuracy"].transform("mean")
    return runs.assign(accuracy=means).drop_duplicates([*CELL, "run"]) if len(runs) else runs


def _scores_of_runs(runs: pd.DataFrame, seconds: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracy of the runs, the lowest and the highest, and the median of their seconds."""
    if runs.empty:
        return tidy(pd.DataFrame(), VIEWS["scores"])
    keys = [*CELL, "stand_in"]
    found = summarise(runs[[*keys, "accuracy"]], keys, {"accuracy": {"quantity": ACCURACY}}).round(DIGITS)
    of_runs = seconds.groupby([*CELL, "run"])["cpu_seconds"].sum().groupby(CELL).median()
    return tidy(found.join(of_runs, on=CELL), VIEWS["scores"])


def _compared(pairs: pd.DataFrame, scores: pd.DataFrame, references: Collection[str]) -> pd.DataFrame:
    """The pairs of methods that have a score and are no references."""
    rivals = set(scores["method"]) - set(references)
    return pairs[pairs["method"].isin(rivals) & pairs["other"].isin(rivals)]


def _ranked(scores: pd.DataFrame, pairs: pd.DataFrame, references: Collection[str], margin: float) -> pd.DataFrame:
    """Scores with the standing and the ranks of their methods."""
    is_reference = scores["method"].isin(list(references))
    ranks = standings(scores[~is_reference], pairs, margin)
    ranked = scores.merge(ranks, on=CELL, how="left") if len(ranks) else scores.assign(**dict.fromkeys(RANKS))
    known = ranked["standing"].astype(object).where(ranked["standing"].notna(), UNTESTED)
    return ranked.assign(standing=known.mask(is_reference.to_numpy(), REFERENCE))


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


def _answers(
    study: Study, files: StudyFiles, dataset: str, frames: dict[str, pd.DataFrame], tests: _Tests
) -> list[Answers]:
    """What the predictions of each job say; read one after another, as they are large."""
    first, found = study.views["predictions"][0], []
    name = first if isinstance(first, str) else first.frames[0]
    for path in files.outcomes(dataset).get(name, []):
        if Path(path).is_file():
            rows = read_view(study, "predictions", {**frames, name: read_frame(path)})
            found.append(summarise_answers(rows, tests.sets))
    return found


def _with_answers(found: dict[str, pd.DataFrame], answers: list[Answers], dataset: str) -> dict[str, pd.DataFrame]:
    """The views of a data set with what the predictions say: more metrics, runs, confusion, calibration, hardest
    sequences.
    """
    if not answers:
        return found
    scores = found["scores"]
    runs = stacked([each.runs for each in answers]).assign(dataset=dataset)
    if found["runs"].empty:
        found["runs"] = tidy(runs, VIEWS["runs"])
    known = scores[scores["quantity"] == scores["quantity"].iloc[0]].drop(
        columns=["quantity", "value", "low", "high", "n"]
    )
    measured = {name: {"quantity": name} for name in (MACRO_F1, SEQUENCES_RIGHT, LOG_LOSS, BRIER_SCORE)}
    more = known.merge(summarise(runs[[*CELL, *measured]], CELL, measured), on=CELL)
    scores = pd.concat([scores, more[list(scores)]], ignore_index=True)
    of_answers = {
        name: tidy(stacked([getattr(each, name) for each in answers]).assign(dataset=dataset), columns)
        for name, columns in OF_ANSWERS.items()
    }
    return found | {"scores": scores} | of_answers


def _methods(frames: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """What readers see of every method."""
    keys = ["study", "method"]
    every = pd.concat([frames[name][keys] for name in ("scores", "pairs", "published")]).drop_duplicates()
    names = {study.name: study.function(study.names) for study in registry() if study.views}
    return every.assign(name=[names[study](method) for study, method in every.itertuples(index=False)])


ESTIMATE = ("value", "standard_error", "degrees_of_freedom")
"""Columns of pairs that intervals come from."""


def decided(pairs: pd.DataFrame) -> pd.DataFrame:
    """Pairs with p_holm, family_low and family_high, of the family of pairs of a case, and the decision that follows
    from p_holm.

    "better" or "worse" where p_holm is below the level; else "equivalent" where the study has decided so, and
    "undecided". Where a study decides each of its pairs by itself, this is stricter than its tables: whoever looks at
    all pairs to find the best method has to correct for all of them.
    """
    parts = []
    for _, of_case in pairs.groupby(CASE, sort=False):
        p_holm = adjust_holm(of_case["p_value"].to_numpy(dtype=float))
        low, high = Estimates(*of_case[list(ESTIMATE)].to_numpy(dtype=float).T).interval_bonferroni()
        direction = np.where(of_case["value"].to_numpy(dtype=float) > 0, "better", "worse")
        otherwise = np.where(of_case["decision"] == "equivalent", "equivalent", "undecided")
        decision = np.where(p_holm < SIGNIFICANCE_LEVEL, direction, otherwise)
        parts.append(of_case.assign(family_low=low, family_high=high, p_holm=p_holm, decision=decision))
    return pd.concat(parts, ignore_index=True) if parts else pairs.assign(family_low=[], family_high=[], p_holm=[])


def standings(scores: pd.DataFrame, pairs: pd.DataFrame, separation_margin: float = SEPARATION_MARGIN) -> pd.DataFrame:
    """Standings and ranks of the methods of each case in which every pair is tested
    (`treecrf.statistics.ranking.rank_cases`).

    Scores are without references, which are no competitors; pairs are of `decided`. `CASE`, method, rank, gap_points,
    gap_low, gap_high, standing, rank_low and rank_high.
    """
    of_accuracy = scores.loc[scores["quantity"] == ACCURACY, [*CASE, "method", "value"]]
    return rank_cases(of_accuracy, pairs, CASE, separation_margin).drop(columns="value")
