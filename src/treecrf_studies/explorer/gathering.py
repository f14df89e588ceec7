"""The views of all studies of a run, from the files of its results."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.io.files import stacked
from treecrf.sequences import SequenceSet
from treecrf.statistics.estimates import SIGNIFICANCE_LEVEL, Estimates, adjust_holm
from treecrf.statistics.metrics import macro_f1
from treecrf.statistics.ranking import RANK_COLUMNS, REFERENCE, SEPARATION_MARGIN, UNTESTED, rank_cases
from treecrf_studies.framework.frames import Frames
from treecrf_studies.framework.metrics import (
    ACCURACY,
    BRIER_SCORE,
    LOG_LOSS,
    MACRO_F1,
    P_LABEL,
    SEQUENCES_RIGHT,
    brier_score,
    has_confidence,
    log_loss,
    reliability,
)
from treecrf_studies.framework.settings import Settings
from treecrf_studies.framework.study import BY_JOB, Study
from treecrf_studies.framework.summaries import summarise
from treecrf_studies.framework.views import CASE, CELL, VIEWS, read_by_job, read_view, tidy, with_samples
from treecrf_studies.registry import registry

OF_ANSWERS = {
    "confusion": [*CELL, "label", "predicted", "n"],
    "calibration": [*CELL, "low", "high", "n_positions", "probability", "right"],
    "hardest": [*CELL, "place", "sequence", "n_positions", "n_wrong", "first", "observed", "label", "predicted"],
}
"""Frames of `treecrf_studies.explorer.gathering.Answers` beside its runs, and their columns."""


RANKS = RANK_COLUMNS[2:]
"""Columns about the standing of a method (`treecrf_studies.explorer.gathering.standings`)."""

MEAN_DIGITS = 9
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
    frames = Frames(settings)
    parts = [part for study in registry() for part in _of_study(study, frames)]
    columns = VIEWS | OF_ANSWERS | {"labels": ["dataset", "names"]}
    empty = {"scores": [*VIEWS["scores"], *RANKS], "pairs": [*VIEWS["pairs"], "family_low", "family_high", "p_holm"]}
    views = {
        name: stacked(
            [pd.DataFrame(columns=["study", *empty.get(name, names)]), *(part[name] for part in parts if name in part)]
        )
        for name, names in columns.items()
        if name not in ("seconds", "predictions", "counts")
    }
    there = set(views["scores"]["dataset"])
    larger = [(name, sample.of) for name, sample in settings.training.larger_samples.items() if name in there]
    samples = pd.DataFrame(larger, columns=["sample", "dataset"])
    return Gathered(**views, methods=_methods(views), larger=samples)


def _of_study(study: Study, run: Frames) -> Iterator[dict[str, pd.DataFrame]]:
    """The views of each data set of a study, and those of frames that no data set has for itself."""
    settings, files = run.settings, run.files[study.name]
    for dataset in ("", *files.all_datasets()):
        frames = run.several(study.name, study.explored, [dataset])
        if not frames:
            continue
        views = {name: read_view(study, name, frames) for name in VIEWS if name not in BY_JOB}
        views["published"] = with_samples(views["published"], settings)
        views["runs"] = _averaged(views["runs"])
        if "scores" not in study.views:
            views["scores"] = _scores_of_runs(views["runs"], views["seconds"])
        if "predictions" in study.views:
            tests = _Tests(study, settings, dataset)
            answers = [summarise_answers(rows, tests.sets) for rows in read_by_job(run, study, "predictions", dataset)]
            views = _with_answers(views, answers, dataset)
            if tests.label_names:
                views["labels"] = pd.DataFrame({"dataset": [dataset], "names": [list(tests.label_names)]})
        margin = getattr(getattr(settings, study.name), "separation_margin", SEPARATION_MARGIN)
        views["pairs"] = decided(_compared(views["pairs"], views["scores"], study.references))
        views["scores"] = _ranked(views["scores"], views["pairs"], study.references, margin)
        yield {name: frame.assign(study=study.name)[["study", *frame]] for name, frame in views.items()}


def _averaged(runs: pd.DataFrame) -> pd.DataFrame:
    """One row for each run: the mean accuracy of its rows, such as of several test sets."""
    means = runs.groupby([*CELL, "run"], sort=False, observed=True)["accuracy"].transform("mean")
    return runs.assign(accuracy=means).drop_duplicates([*CELL, "run"]) if len(runs) else runs


def _scores_of_runs(runs: pd.DataFrame, seconds: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracy of the runs, the lowest and the highest, and the median of their seconds."""
    if runs.empty:
        return tidy(pd.DataFrame(), VIEWS["scores"])
    keys = [*CELL, "stand_in"]
    scores = summarise(runs[[*keys, "accuracy"]], keys, {"accuracy": {"quantity": ACCURACY}}).round(MEAN_DIGITS)
    of_runs = seconds.groupby([*CELL, "run"])["cpu_seconds"].sum().groupby(CELL).median()
    return tidy(scores.join(of_runs, on=CELL), VIEWS["scores"])


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


def _with_answers(views: dict[str, pd.DataFrame], answers: list[Answers], dataset: str) -> dict[str, pd.DataFrame]:
    """The views of a data set with what the predictions say: more metrics, runs, confusion, calibration, hardest
    sequences.
    """
    if not answers:
        return views
    scores = views["scores"]
    runs = stacked([each.runs for each in answers]).assign(dataset=dataset)
    if views["runs"].empty:
        views["runs"] = tidy(runs, VIEWS["runs"])
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
    return views | {"scores": scores} | of_answers


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


# --- answers beyond accuracy ----------------------------------------------------------------------

KEYS = ["variant", "decoder", "point", "method"]

N_HARDEST = 8
"""Sequences that are kept of each method."""

EXCERPT = 64
"""Positions that are kept of a longer sequence: those with the most errors."""


class Answers(NamedTuple):
    """Frames about the labels that were predicted, with the columns `KEYS`.

    Attributes
    ----------
    runs : DataFrame
        run, accuracy, macro F1, sequences right (percent), log loss (nats) and Brier score: NaN without probabilities.
    confusion : DataFrame
        label, predicted (codes), n: positions of all runs together.
    calibration : DataFrame
        The bins of `treecrf.statistics.metrics.reliability`, of the runs with probabilities together.
    hardest : DataFrame
        place (from 1), sequence, n_positions, n_wrong, first (place of the excerpt), observed (texts; empty where
        unknown), label, predicted (lists of codes): of the first run.
    """

    runs: pd.DataFrame
    confusion: pd.DataFrame
    calibration: pd.DataFrame
    hardest: pd.DataFrame


def summarise_answers(answers: pd.DataFrame, tests: dict[str, SequenceSet]) -> Answers:
    """The frames of the predictions (rows of `treecrf_studies.framework.views.VIEWS`).

    `tests` has the test set of each run, for its observations and, where the predictions do not say, its sequences; it
    may lack any. A set under the empty name is that of every run, and the predictions say which of its sequences is
    meant.
    """
    runs, calibration, hardest = [], [], []
    for key, of_method in answers.groupby(KEYS, sort=False, observed=True):
        named: dict[str, Any] = dict(zip(KEYS, key, strict=True))
        told = of_method[of_method[P_LABEL].notna()]
        if len(told):
            calibration.append(reliability(told).assign(**named))
        for place, (run, of_run) in enumerate(of_method.groupby("run", sort=False, observed=True)):
            rows = with_sequences(of_run, tests.get(str(run)))
            runs.append(named | {"run": run, **_metrics(rows)})
            if not place:
                shown = tests.get(str(run), tests.get(""))
                hardest += [named | row for row in hardest_sequences(rows, shown)]
    cells = [*KEYS, "label", "predicted"]
    confusion = _known(answers).groupby(cells, observed=True).size().rename("n").reset_index()
    return Answers(pd.DataFrame(runs), confusion, stacked(calibration or [pd.DataFrame()]), pd.DataFrame(hardest))


def _known(rows: pd.DataFrame) -> pd.DataFrame:
    """The positions whose labels are known to the method."""
    return rows[(rows["label"] >= 0) & (rows["predicted"] >= 0)]


def with_sequences(rows: pd.DataFrame, test: SequenceSet | None) -> pd.DataFrame:
    """The rows in the order of their positions, each with the number of its sequence.

    Where the predictions do not say it, the test set does; without one, a sequence ends where the group of related
    sequences changes.
    """
    place = rows["sequence"].to_numpy().astype(np.int64), rows["position"].to_numpy()
    rows = rows.iloc[np.lexsort(place[::-1])]
    if (rows["sequence"] >= 0).all():
        return rows
    if test is not None and rows["position"].max() < test.offsets[-1]:
        number = np.searchsorted(test.offsets, rows["position"].to_numpy(), side="right") - 1
    else:
        group = rows["group"].to_numpy()
        number = np.append(0, np.cumsum(group[1:] != group[:-1]))
    return rows.assign(sequence=number)


def hardest_sequences(rows: pd.DataFrame, test: SequenceSet | None) -> list[dict[str, Any]]:
    """The sequences with the most wrong positions, equals by the share of wrong ones, with their labels."""
    wrong = (rows["label"] != rows["predicted"]).to_numpy()
    begins = sequence_starts(rows)
    n_wrong, n_positions = np.add.reduceat(wrong, begins, dtype=np.int64), np.diff(begins, append=len(rows))
    order = np.lexsort((-n_wrong / n_positions, -n_wrong))
    sequences = []
    for place, index in enumerate(order[: min(N_HARDEST, int((n_wrong > 0).sum()))], start=1):
        of_sequence = rows.iloc[begins[index] : begins[index] + n_positions[index]]
        number = int(of_sequence["sequence"].iloc[0])
        first = _excerpt((of_sequence["label"] != of_sequence["predicted"]).to_numpy())
        shown = of_sequence.iloc[first : first + EXCERPT]
        sequences.append(
            {
                "place": place,
                "sequence": number,
                "n_positions": len(of_sequence),
                "n_wrong": int(n_wrong[index]),
                "first": first,
                "observed": _observed(test, number, first, len(of_sequence)) if test is not None else [],
                "label": shown["label"].tolist(),
                "predicted": shown["predicted"].tolist(),
            }
        )
    return sequences


def _excerpt(wrong: NDArray[np.bool_]) -> int:
    """Where the excerpt with the most errors begins."""
    if len(wrong) <= EXCERPT:
        return 0
    sums = np.convolve(wrong, np.ones(EXCERPT, dtype=np.int64), mode="valid")
    return int(sums.argmax())


def _observed(test: SequenceSet, number: int, first: int, n_positions: int) -> list[str]:
    """The observations of an excerpt as texts, of the first attribute; empty where they are not known."""
    if not test.attributes or number >= len(test):
        return []
    values = test.select([number]).values[:, 0]
    if len(values) < n_positions:
        return []
    names = test.attributes[0].categories
    return [
        names[value] if value >= 0 else "?" for value in values[first : first + EXCERPT + (len(values) - n_positions)]
    ]


def sequence_starts(rows: pd.DataFrame) -> NDArray[np.int64]:
    """Where the sequences of rows that `with_sequences` has put in order begin."""
    number = rows["sequence"].to_numpy()
    return np.append(0, np.flatnonzero(number[1:] != number[:-1]) + 1)


def _metrics(rows: pd.DataFrame) -> dict[str, float]:
    label, predicted = _known(rows)[["label", "predicted"]].to_numpy(dtype=np.int64).T
    right = (rows["label"] == rows["predicted"]).to_numpy()
    whole = np.logical_and.reduceat(right, sequence_starts(rows))
    return {
        ACCURACY: float(100 * right.mean()),
        MACRO_F1: 100 * macro_f1(label, predicted, np.array([0, len(label)])) if len(label) else np.nan,
        SEQUENCES_RIGHT: float(100 * whole.mean()),
        LOG_LOSS: log_loss(rows) if has_confidence(rows) else np.nan,
        BRIER_SCORE: brier_score(rows) if has_confidence(rows) else np.nan,
    }
