"""The training study (PhD chapter 3): TreeCRF's accuracy by lambda, iteration and decoder.

Every function takes data and settings and gives a tidy frame. One job is one lambda of one data set;
`choose` and `summarise` put the jobs of a data set together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treecrf.models.treecrf import TreeCRF
from treecrf.selection import best_candidate, derive_seed, sequence_folds
from treecrf.sequences import Attribute, SequenceSet
from treecrf.settings import TrainingSettings

UNPERTURBED = -1
"""Value of the column `run` for the run that starts from F = 0; the others hold their random_state."""

BETTER = "better"
"""Value of the column `decoder` for the decoder that cross-validation prefers (table 3.5 shows one number)."""


def cross_validate(
    dataset: str,
    train: SequenceSet,
    window: tuple[int, int],
    l2_regularization: float,
    settings: TrainingSettings,
    seed: int,
) -> pd.DataFrame:
    """Accuracy on held-out folds of the training set, for every iteration and decoder.

    Parameters
    ----------
    dataset : str
        Name of the data set; with `seed` it decides the folds, so every lambda is judged on the same ones.
    train : SequenceSet
    window : (int, int)
    l2_regularization : float
    settings : TrainingSettings
    seed : int

    Returns
    -------
    DataFrame
        dataset, l2_regularization, fold, iteration, decoder, n_correct, n_positions, cpu_seconds (of training,
        up to this iteration).
    """
    frames = []
    folds = sequence_folds(len(train), settings.n_folds, derive_seed(seed, dataset, "folds"))
    for fold, held_out in enumerate(folds):
        kept = np.setdiff1d(np.arange(len(train)), held_out)
        curve, _ = _train_and_test(
            train.select(kept), train.select(held_out), window, l2_regularization, settings, UNPERTURBED
        )
        frames.append(curve.assign(fold=fold).drop(columns="train_log_likelihood"))
    frame = pd.concat(frames, ignore_index=True).assign(dataset=dataset, l2_regularization=float(l2_regularization))
    names = ["dataset", "l2_regularization", "fold", "iteration", "decoder", "n_correct", "n_positions", "cpu_seconds"]
    return frame[names]


def test_curves(
    dataset: str,
    train: SequenceSet,
    test: SequenceSet,
    window: tuple[int, int],
    l2_regularization: float,
    settings: TrainingSettings,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Accuracy on the test set after training on the whole training set, from F = 0 and from perturbed starts.

    Returns
    -------
    curves : DataFrame
        dataset, l2_regularization, run (`UNPERTURBED` or the random_state), iteration, decoder, n_correct,
        n_positions, train_log_likelihood, cpu_seconds (of training, up to this iteration).
    phases : DataFrame
        dataset, l2_regularization, run, phase, cpu_seconds (of the whole training).
    """
    curves, phases = [], []
    for run in [UNPERTURBED, *range(settings.n_perturbed_runs)]:
        curve, seconds = _train_and_test(train, test, window, l2_regularization, settings, run)
        curves.append(curve.assign(run=run))
        phases.append(pd.DataFrame({"phase": list(seconds), "cpu_seconds": list(seconds.values())}).assign(run=run))
    constant: dict[str, Any] = {"dataset": dataset, "l2_regularization": float(l2_regularization)}
    names = ["dataset", "l2_regularization", "run", "iteration", "decoder", "n_correct", "n_positions"]
    return (
        pd.concat(curves, ignore_index=True).assign(**constant)[[*names, "train_log_likelihood", "cpu_seconds"]],
        pd.concat(phases, ignore_index=True).assign(**constant)[[*names[:3], "phase", "cpu_seconds"]],
    )


def cross_validated_accuracy(folds: pd.DataFrame) -> pd.DataFrame:
    """Mean over the folds of the accuracy of every candidate.

    Parameters
    ----------
    folds : DataFrame
        From `cross_validate`, all lambdas of one data set.

    Returns
    -------
    DataFrame
        decoder, l2_regularization, iteration, accuracy (mean of the folds), fold_sd.
    """
    accuracy = folds.assign(accuracy=folds["n_correct"] / folds["n_positions"])
    groups = accuracy.groupby(["decoder", "l2_regularization", "iteration"])["accuracy"]
    return groups.agg(accuracy="mean", fold_sd="std").reset_index()


def choose(folds: pd.DataFrame) -> pd.DataFrame:
    """The lambda and the iteration with the best cross-validated accuracy, by decoder.

    Among equals the fewest iterations win, then the smallest lambda.

    Parameters
    ----------
    folds : DataFrame
        From `cross_validate`, all lambdas of one data set.

    Returns
    -------
    DataFrame
        decoder, l2_regularization, iteration, cv_accuracy, cv_fold_sd; one row per decoder, in the order of `folds`.
    """
    candidates = cross_validated_accuracy(folds)
    rows = [
        best_candidate(candidates[candidates["decoder"] == decoder], ["iteration", "l2_regularization"], "accuracy")
        for decoder in folds["decoder"].unique()
    ]
    chosen = pd.DataFrame(rows).rename(columns={"accuracy": "cv_accuracy", "fold_sd": "cv_fold_sd"})
    names = ["decoder", "l2_regularization", "iteration", "cv_accuracy", "cv_fold_sd"]
    return chosen[names].reset_index(drop=True).astype({"iteration": int, "l2_regularization": float})


def summarise(
    dataset: str, choice: pd.DataFrame, curves: pd.DataFrame, published: pd.DataFrame, stand_in: bool = False
) -> pd.DataFrame:
    """Published accuracy, accuracy at the cross-validated choice, and peak of the test curve, by decoder.

    The last row, decoder `BETTER`, stands for the decoder that cross-validation prefers. A peak is the best
    accuracy on the test set over all lambdas and iterations (and, in the last row, decoders): it uses the test
    labels to choose, so it says what the settings could give, not what they would give.

    Parameters
    ----------
    dataset : str
        Name of the data set.
    choice : DataFrame
        From `choose`.
    curves : DataFrame
        From `test_curves`, all lambdas of the data set.
    published : DataFrame
        decoder, percent, table: the published values of this data set; may be empty.
    stand_in : bool
        Whether the data set stands in for the one that the papers used.

    Returns
    -------
    DataFrame
        dataset, stand_in, decoder, chosen_decoder, published, published_table, l2_regularization, iteration,
        cv_accuracy, then for "chosen" and "peak": ``_accuracy`` (unperturbed), ``_mean``, ``_sd``, ``_min``,
        ``_max`` (over the perturbed runs), ``_minus_published`` (of the mean); peak_l2_regularization,
        peak_iteration (unperturbed), n_perturbed_runs. Accuracies in percent.
    """
    accuracy = curves.assign(percent=100 * curves["n_correct"] / curves["n_positions"])
    preferred = choice["decoder"].iloc[int(choice["cv_accuracy"].to_numpy().argmax())]
    rows = []
    for decoder in [*choice["decoder"], BETTER]:
        used = preferred if decoder == BETTER else decoder
        chosen = choice[choice["decoder"] == used].iloc[0]
        candidates = accuracy if decoder == BETTER else accuracy[accuracy["decoder"] == decoder]
        at_choice = accuracy[
            (accuracy["decoder"] == used)
            & (accuracy["iteration"] == chosen["iteration"])
            & (accuracy["l2_regularization"] == chosen["l2_regularization"])
        ]
        plain = candidates[candidates["run"] == UNPERTURBED]
        peak = best_candidate(plain, ["iteration", "l2_regularization"], "percent")
        known = published[published["decoder"] == decoder]
        value = float(known["percent"].iloc[0]) if len(known) else np.nan
        rows.append(
            {
                "dataset": dataset,
                "stand_in": stand_in,
                "decoder": decoder,
                "chosen_decoder": used,
                "published": value,
                "published_table": str(known["table"].iloc[0]) if len(known) else "",
                "l2_regularization": chosen["l2_regularization"],
                "iteration": chosen["iteration"],
                "cv_accuracy": 100 * chosen["cv_accuracy"],
                **_spread("chosen", at_choice.groupby("run")["percent"].max(), value),
                "peak_l2_regularization": peak["l2_regularization"],
                "peak_iteration": peak["iteration"],
                **_spread("peak", candidates.groupby("run")["percent"].max(), value),
                "n_perturbed_runs": int(curves.loc[curves["run"] != UNPERTURBED, "run"].nunique()),
            }
        )
    return pd.DataFrame(rows)


def mean_cpu_seconds(phases: pd.DataFrame) -> pd.DataFrame:
    """CPU seconds of one training on the whole training set, by lambda and phase: mean over the runs.

    Parameters
    ----------
    phases : DataFrame
        From `test_curves`, all lambdas of one data set.

    Returns
    -------
    DataFrame
        dataset, l2_regularization, phase, cpu_seconds (mean), n_runs; phases in the order of training.
    """
    groups = phases.groupby(["dataset", "l2_regularization", "phase"], sort=False)["cpu_seconds"]
    return groups.agg(cpu_seconds="mean", n_runs="size").reset_index()


def warm_kernels() -> None:
    """Run every compiled routine of the study once on a tiny set, so that later processes find it compiled."""
    rng = np.random.default_rng(0)
    names = ("a", "b", "c")
    values, labels = rng.integers(0, 3, (40, 1), np.int16), rng.integers(0, 3, 40, np.int16)
    data = SequenceSet(values, np.arange(0, 41, 4), (Attribute("symbol", names),), labels, names)
    tiny = TrainingSettings(n_iterations=2, n_perturbed_runs=2, n_folds=2)
    cross_validate("warm", data, (1, 1), 1.0, tiny, 0)
    test_curves("warm", data, data, (1, 1), 1.0, tiny)


def _train_and_test(
    train: SequenceSet,
    test: SequenceSet,
    window: tuple[int, int],
    l2_regularization: float,
    settings: TrainingSettings,
    run: int,
) -> tuple[pd.DataFrame, dict[str, float]]:
    """One training: a row per iteration and decoder, and the CPU seconds by phase."""
    model = TreeCRF(
        n_iterations=settings.n_iterations,
        max_leaves=settings.max_leaves,
        l2_regularization=float(l2_regularization),
        window=window,
        order=settings.order,
        unseen=settings.unseen,
        random_state=None if run == UNPERTURBED else run,
        start_noise=settings.start_noise,
    )
    elapsed: list[float] = []
    model.fit(train, monitor=lambda _iteration, seconds, _log_likelihood: elapsed.append(sum(seconds.values())))
    correct = _correct_by_stage(model, test, settings.decoders)
    n_iterations, n_decoders = correct.shape
    curve = pd.DataFrame(
        {
            "iteration": np.repeat(np.arange(1, n_iterations + 1), n_decoders),
            "decoder": np.tile(settings.decoders, n_iterations),
            "n_correct": correct.reshape(-1),
            "n_positions": test.n_positions,
            "train_log_likelihood": np.repeat(model.log_likelihood_history_[1:], n_decoders),
            "cpu_seconds": np.repeat(elapsed, n_decoders),
        }
    )
    return curve, model.seconds_


def _correct_by_stage(model: TreeCRF, test: SequenceSet, decoders: Sequence[str]) -> NDArray[np.int64]:
    """Number of correct positions after every iteration, int64, shape (n_iterations, n_decoders)."""
    truth = model.align_labels(test)
    stages = model.staged_predict(test, tuple(decoders))  # type: ignore[arg-type]
    return np.array([[(stage[decoder] == truth).sum() for decoder in stage] for stage in stages], dtype=np.int64)


def _spread(name: str, by_run: pd.Series, published: float) -> dict[str, float]:
    """Accuracy of the unperturbed run and, over the perturbed ones, mean, sd, minimum and maximum."""
    perturbed = by_run.drop(UNPERTURBED)
    return {
        f"{name}_accuracy": float(by_run[UNPERTURBED]),
        f"{name}_mean": float(perturbed.mean()),
        f"{name}_sd": float(perturbed.std(ddof=1)),
        f"{name}_min": float(perturbed.min()),
        f"{name}_max": float(perturbed.max()),
        f"{name}_minus_published": float(perturbed.mean()) - published,
    }
