"""`treecrf fit` with defaults on files of strangers, beside rivals: gap to the best, estimate minus truth, CPU seconds.

``TREECRF_MIRROR=folder python benchmarks/own_files.py facies bach --splits 2`` reads
``folder/strangers/NAME_train.csv.gz`` alone. Groups of sequences are split at random, 70 % train. LightGBM sees lags -2
to 2, and a part of the training groups chooses its leaves and iterations; CRFsuite sees neighbours, pairs, affixes and
shapes of text, other files with bins and the same lags; the BiLSTM-CRF (Huang, Xu and Yu 2015) sees affixes and shapes
of words, and a part of the training groups chooses its passes. ``--alone`` adds each method of ``treecrf fit`` without
the others.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from treecrf.automl.candidates import METHODS, affordable, candidate_windows, methods_to_compare
from treecrf.automl.choice import MOST_POSITIONS, plan
from treecrf.automl.cross_validation import FEW_GROUPS, cut_into_blocks, make_folds
from treecrf.automl.fitting import AUTO, FitOptions, prepare_missing
from treecrf.automl.scores import Counts, Metric, choose_metric
from treecrf.inputs import DerivedInputs
from treecrf.inputs.derived import without_stamps
from treecrf.models.neural.neural_crf import NeuralCRF
from treecrf.models.window.classifiers import WindowLightGBM
from treecrf.readers.reading import read_table
from treecrf.readers.tables import TypedTable
from treecrf.sequences import MISSING, SequenceSet
from treecrf.statistics.selection import hold_out

LAGS = (2, 2)
LEAVES, STAGES = (7, 31), (25, 50, 100)
SHARE = 0.3


class File(NamedTuple):
    """Columns of a file."""

    sequence: str = "sequence"
    label: str = "label"


FILES = {
    "facies": File("Well Name", "Facies"),
    "bach": File("Choral_ID", "Chord"),
    "fev": File("ptnum", "acute"),
    **{name: File() for name in ("occupancy", "snips", "weibo", "swda", "watchS", "posW", "posS", "vowels", "cmuS")},
}


def read(name: str) -> SequenceSet:
    """The training table of a file; fewer than three sequences are cut into blocks."""
    data = of_table(read_table(Path(os.environ["TREECRF_MIRROR"]) / f"strangers/{name}_train.csv.gz"), FILES[name])
    return cut_into_blocks(data) if len(np.unique(data.groups)) < FEW_GROUPS else data


def of_table(table: TypedTable, file: File) -> SequenceSet:
    """All columns but those that number rows are inputs."""
    names = [name for name in table if name not in (file.sequence, file.label, "Event_number")]
    return table.encode(table.decide_columns(file.sequence, file.label, tuple(names), {}, None))


Result = tuple[np.ndarray, float, float, float, float]
"""Predicted codes, the estimate, the ends of its interval, and the CPU seconds that were announced; NaN of rivals."""

NOTHING = (np.nan,) * 4


def ours(train: SequenceSet, test: SequenceSet, metric: Metric, budget: float, method: str = AUTO) -> Result:
    """What `treecrf fit` does with a training table."""
    options = FitOptions(method=method, budget=budget)
    folds = make_folds(train, 0, MOST_POSITIONS, metric)
    compared = affordable(methods_to_compare(options)[0], folds.data, budget, len(folds.parts))
    planned = plan(folds, candidate_windows(without_stamps(train)), compared, options)
    announced, choice = planned.predict_seconds(), planned.carry_out()
    labeller, treatment = choice.build(options)
    transform = prepare_missing(labeller, treatment, train)
    train, test = (data if transform is None else transform.transform(data) for data in (train, test))
    return metric.predict(labeller.fit(train), test), *choice.accuracy, announced


def lightgbm(train: SequenceSet, test: SequenceSet, metric: Metric, _budget: float) -> Result:
    """LightGBM on lags, regularized, or rare labels make it diverge; held-out groups choose leaves and iterations."""
    marked = prepare_missing(WindowLightGBM(), "indicator", train) if train.attributes else None
    train, test = (data if marked is None else marked.transform(data) for data in (train, test))
    fitting, judging = (train.select(part) for part in hold_out(train.groups, SHARE, 0))

    def fitted(data: SequenceSet, leaves: int, n_iterations: int) -> WindowLightGBM:
        return WindowLightGBM(n_iterations, window=LAGS, max_leaves=leaves, min_count=2, l2_regularization=1.0).fit(
            data
        )

    scores = {
        (leaves, n): metric.counts(fitted(fitting, leaves, n).predict(judging), judging).points
        for leaves in LEAVES
        for n in STAGES
    }
    return fitted(train, *max(scores, key=scores.__getitem__)).predict(test), *NOTHING


def crfsuite(train: SequenceSet, test: SequenceSet, _metric: Metric, _budget: float) -> Result:
    """python-crfsuite with its defaults on the features that its users write down."""
    import pycrfsuite

    derived = DerivedInputs(("words", "neighbours")).fit(train)
    trainer = pycrfsuite.Trainer(verbose=False)
    names = np.array(train.label_names)
    lags = (
        range(1) if any(each.block == "neighbours" for each in derived.derivations_) else range(-LAGS[0], LAGS[1] + 1)
    )
    for features, labels in zip(_features(derived.transform(train), lags), _by_sequence(train, names), strict=True):
        trainer.append(features, labels)
    trainer.set_params({"max_iterations": 100})
    tagger = pycrfsuite.Tagger()
    with TemporaryDirectory() as folder:
        trainer.train(f"{folder}/model")
        tagger.open(f"{folder}/model")
        predicted = [label for features in _features(derived.transform(test), lags) for label in tagger.tag(features)]
        tagger.close()
    return np.array([train.label_names.index(label) for label in predicted]), *NOTHING


def bilstm_crf(train: SequenceSet, test: SequenceSet, _metric: Metric, _budget: float) -> Result:
    """`NeuralCRF` with its defaults; held-out groups choose the passes."""
    derived = DerivedInputs(("words", "times")).fit(train)
    return NeuralCRF().fit(derived.transform(train)).predict(derived.transform(test)), *NOTHING


def _by_sequence(data: SequenceSet, names: np.ndarray) -> list[list[str]]:
    texts = names[data.labels].tolist()
    return [texts[start:stop] for start, stop in zip(data.offsets[:-1], data.offsets[1:], strict=True)]


def _features(data: SequenceSet, lags: Sequence[int]) -> Iterator[list[list[str]]]:
    """A text for each category, and one for the tenth of each number, of the observations at these lags."""
    columns = [
        [f"{attribute.name}={attribute.categories[code]}" if code != MISSING else "" for code in codes]
        for attribute, codes in zip(data.attributes, data.values.T, strict=True)
    ]
    for name, numbers in zip(data.number_names, data.numbers.T, strict=True):
        edges = np.unique(np.nanquantile(numbers, np.arange(0.1, 1, 0.1)))
        columns.append([f"{name}={tenth}" for tenth in np.searchsorted(edges, numbers).tolist()])
    rows = [[text for text in row if text] for row in zip(*columns, strict=True)]
    for start, stop in zip(data.observation_offsets[:-1], data.observation_offsets[1:], strict=True):
        yield [
            [f"{lag}:{text}" for lag in lags if start <= place + lag < stop for text in rows[place + lag]]
            for place in range(start, stop)
        ]


Method = Callable[[SequenceSet, SequenceSet, Metric, float], Result]

RIVALS: dict[str, Method] = {"lightgbm": lightgbm, "crfsuite": crfsuite, "bilstm_crf": bilstm_crf}

ALONE: dict[str, Method] = {f"--method {name}": partial(ours, method=name) for name in METHODS}


def compare(data: SequenceSet, seed: int, budget: float, rivals: Sequence[str], *, is_alone: bool) -> pd.DataFrame:
    """One split: a row for each method.

    points, estimate, low, high (percent); gap, gap_low, gap_high (points of ours minus the best rival's, on the row of
    ours); holds (whether the interval has the truth), announced, seconds.
    """
    metric = choose_metric(data)
    train, test = (data.select(part) for part in hold_out(data.groups, SHARE, seed))
    group = np.unique(test.groups, return_inverse=True)[1]
    rows, counts = [], []
    methods = {"treecrf fit": ours} | {name: RIVALS[name] for name in rivals} | (ALONE if is_alone else {})
    for name, method in methods.items():
        began = time.process_time()
        predicted, *told = method(train, test, metric, budget)
        counts.append(metric.counts(predicted, test).by_group(group))
        rows.append((name, metric.name, float(counts[-1].points), *told, time.process_time() - began))
    frame = pd.DataFrame(
        rows, columns=["method", "metric", "points", "estimate", "low", "high", "announced", "seconds"]
    )
    frame.loc[0, "holds"] = float(frame["low"][0] <= frame["points"][0] <= frame["high"][0])
    if not rivals:
        return frame
    best = int(frame["points"][1 : 1 + len(rivals)].idxmax())
    parts = Counts.stacked([counts[0], counts[best]]).parts
    differences = parts[0] - parts[1]
    n_groups = len(differences)
    student = stdtrit(n_groups - 1, 0.975) if n_groups > 1 else np.nan
    half = student * np.sqrt(n_groups / max(n_groups - 1, 1)) * np.linalg.norm(differences - differences.mean())
    gap = differences.sum()
    frame.loc[0, ["gap", "gap_low", "gap_high"]] = [gap, gap - half, gap + half]
    return frame


def main() -> None:
    """Print a row for each file, split and method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+", choices=sorted(FILES))
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--budget", type=float, default=40.0)
    parser.add_argument("--rivals", nargs="*", choices=[*RIVALS], default=[*RIVALS])
    parser.add_argument("--alone", action="store_true", help="each method of treecrf fit by itself, too")
    options = parser.parse_args()
    for name in options.names:
        data = read(name)
        for seed in range(options.splits):
            rows = (
                compare(data, seed, options.budget, options.rivals, is_alone=options.alone)
                .assign(file=name, split=seed)
                .round(2)
            )
            print(rows.set_index(["file", "split", "method"]).to_string(), flush=True)


if __name__ == "__main__":
    main()
