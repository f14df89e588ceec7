"""Three rivals as a competent user tunes them: a small grid on a third of the training sequences, then all.

A rival sees the observations around a position. Trees have codes of categories and may have summaries (mean, deviation)
of a wide window; python-crfsuite has a feature for each cell, of numbers the standardized value or the tenth that it
falls in.
"""

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier
from sklearn.ensemble import HistGradientBoostingClassifier

KEYS = ["sequence", "label"]
EVERY = 10
RARE = 2
"""Words that the training table has less often are one."""


def tune(train: pd.DataFrame, test: pd.DataFrame, grid: list, fit: Callable) -> tuple[float, str]:
    """The accuracy on the test table of the best setting, in percent, and what it is.

    ``fit(fitting, asked, setting)`` yields predictions for the table `asked`, one for each number of iterations.
    """
    names = train["sequence"].unique()
    held_out = train["sequence"].isin(np.random.default_rng(0).permutation(names)[: max(len(names) // 3, 1)])
    fitting, judging = train[~held_out].reset_index(drop=True), train[held_out].reset_index(drop=True)
    scores = {}
    for setting in grid:
        for stage, predicted in enumerate(fit(fitting, judging, setting)):
            scores[setting, stage] = np.mean(predicted == judging["label"])
    setting, stage = max(scores, key=scores.get)
    predicted = list(fit(train, test, setting))
    right = np.mean(predicted[min(stage, len(predicted) - 1)] == test["label"])
    return 100 * right, f"{setting}, stage {stage + 1}"


def tree_grid(reaches: tuple[int, ...], summaries: tuple[int, ...]) -> list:
    """(reach, reach of summaries or 0, leaves)."""
    views = [(reach, 0) for reach in reaches] + [(1, reach) for reach in summaries]
    return [(*view, leaves) for view, leaves in product(views, (7, 31))]


def by_lightgbm(fitting: pd.DataFrame, asked: pd.DataFrame, setting: tuple, n_iterations: int) -> Iterator[np.ndarray]:
    """Predictions of LightGBM after every ten iterations."""
    reach, of_summaries, leaves = setting
    inputs, categories = coded(fitting, fitting, reach, of_summaries)
    model = LGBMClassifier(n_estimators=n_iterations, num_leaves=leaves, n_jobs=1, verbosity=-1)
    model.fit(inputs, fitting["label"], categorical_feature=categories)
    cells = coded(fitting, asked, reach, of_summaries)[0]
    for stage in range(EVERY, n_iterations + EVERY, EVERY):
        yield model.predict(cells, num_iteration=min(stage, n_iterations))


def by_histograms(
    fitting: pd.DataFrame, asked: pd.DataFrame, setting: tuple, n_iterations: int
) -> Iterator[np.ndarray]:
    """Predictions of HistGradientBoosting after every ten iterations; words are numbers: it has 255 categories."""
    reach, of_summaries, leaves = setting
    inputs, categories = coded(fitting, fitting, reach, of_summaries)
    small = [column for column in categories if inputs[:, column].max() < 255]
    model = HistGradientBoostingClassifier(
        max_iter=n_iterations, max_leaf_nodes=leaves, early_stopping=False, categorical_features=small or None
    ).fit(inputs, fitting["label"])
    cells = coded(fitting, asked, reach, of_summaries)[0]
    for stage, predicted in enumerate(model.staged_predict(cells), 1):
        if stage % EVERY == 0 or stage == n_iterations:
            yield predicted


def coded(fitting: pd.DataFrame, asked: pd.DataFrame, reach: int, of_summaries: int) -> tuple[np.ndarray, list[int]]:
    """Cells of the window of every row, NaN outside and for unknown categories; the columns of categories."""
    cells, of_text = asked[["sequence"]].copy(), []
    for name in fitting.columns.difference(KEYS, sort=False):
        of_text.append(not pd.api.types.is_numeric_dtype(fitting[name]))
        if of_text[-1]:
            counts = fitting[name].value_counts()
            known = {value: code for code, value in enumerate(sorted(counts.index[counts >= RARE]))}
            cells[name] = asked[name].map(known).astype(float)
        else:
            cells[name] = asked[name]
    names = list(cells.columns.drop("sequence"))
    grouped = cells.groupby("sequence", sort=False)[names]
    columns = [grouped.shift(-distance).to_numpy(float) for distance in range(-reach, reach + 1)]
    categories = np.flatnonzero(of_text * (2 * reach + 1)).tolist()
    if of_summaries:
        rolling = grouped.rolling(2 * of_summaries + 1, center=True, min_periods=1)
        columns += [rolling.mean().to_numpy(float), rolling.std(ddof=0).to_numpy(float)]
    return np.hstack(columns), categories


def crf_grid(reaches: tuple[int, ...], has_numbers: bool) -> list:
    """(reach, whether numbers are binned, c2)."""
    return list(product(reaches, (False, True) if has_numbers else (False,), (0.1, 1.0)))


def by_crfsuite(
    fitting: pd.DataFrame, asked: pd.DataFrame, setting: tuple, n_iterations: int, path: str
) -> Iterator[np.ndarray]:
    """The predictions of python-crfsuite; its model goes to `path`."""
    import pycrfsuite

    reach, binned, c2 = setting
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({"c2": c2, "max_iterations": n_iterations, "feature.possible_transitions": True})
    for features, labels in examples(fitting, fitting, reach, binned):
        trainer.append(features, labels)
    trainer.train(path)
    tagger = pycrfsuite.Tagger()
    tagger.open(path)
    yield np.concatenate([tagger.tag(features) for features, _ in examples(fitting, asked, reach, binned)])


def examples(fitting: pd.DataFrame, asked: pd.DataFrame, reach: int, binned: bool) -> Iterator[tuple[list, list]]:
    """Features and labels of each sequence; a missing cell has no feature."""
    cells = asked[KEYS].copy()
    for name in fitting.columns.difference(KEYS, sort=False):
        if not pd.api.types.is_numeric_dtype(fitting[name]):
            cells[name] = [f"={value}" if isinstance(value, str) else np.nan for value in asked[name]]
        elif binned:
            edges = np.unique(np.nanquantile(fitting[name], np.arange(1, 10) / 10))
            bins = pd.Series(np.searchsorted(edges, asked[name]), asked.index).map("={}".format)
            cells[name] = bins.where(asked[name].notna(), np.nan)
        else:
            cells[name] = (asked[name] - fitting[name].mean()) / (fitting[name].std() or 1.0)
    names = list(cells.columns.drop(KEYS))
    for _, rows in cells.groupby("sequence", sort=False):
        named = [
            [
                (f"{name}{cell}", 1.0) if isinstance(cell, str) else (name, cell)
                for name, cell in zip(names, row, strict=True)
                if cell == cell
            ]
            for row in rows[names].to_numpy()
        ]
        features = [
            {
                f"{d}|{name}": value
                for d in range(-reach, reach + 1)
                if 0 <= t + d < len(named)
                for name, value in named[t + d]
            }
            | {"bias": 1.0}
            for t in range(len(named))
        ]
        yield features, list(rows["label"])
