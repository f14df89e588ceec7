"""Small runs whose predictions are known: folders of results with what jobs keep, and manifests."""

import datetime

import numpy as np
import pandas as pd

from treecrf.io.files import write_frame, write_json
from treecrf.report.manifest import MANIFEST, write_manifest
from treecrf.studies.framework.settings import load_settings

N_SEQUENCES, LENGTH = 40, 10

CODE = {"training": "0123", "kernels": "4567", "missing": "89ab", "claims": "cdef"}

WRITTEN = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)


def places(n_sequences=N_SEQUENCES, length=LENGTH):
    """Where predictions are, and labels."""
    sequence = np.repeat(np.arange(n_sequences), length)
    labels = np.random.default_rng(0).integers(2, size=len(sequence))
    return pd.DataFrame(
        {"sequence": sequence, "group": sequence, "position": np.arange(len(sequence)), "label": labels}
    )


def predicted(labels, error, seed):
    """Labels, of which a share is wrong."""
    return np.where(np.random.default_rng(seed).random(len(labels)) < error, 1 - labels, labels)


def trainings(method, error, seed=0, n_runs=3, dataset="toy", **more):
    """Predictions of the training study: an unperturbed training, and others."""
    where = places(**more)
    constant = {
        "dataset": dataset,
        "method": method,
        "candidate": "a=0",
        "stage": "choice",
        "decoder": "viterbi",
        "split": 0,
    }
    runs = [
        where.assign(run=run, predicted=predicted(where["label"], error, (seed, run + 1))) for run in range(-1, n_runs)
    ]
    return pd.concat(runs, ignore_index=True).assign(**constant)


def draws(method, error, seed=0, n_seeds=4, dataset="toy", **more):
    """Predictions of a study that draws its data."""
    where = places(**more).drop(columns="sequence")
    parts = [
        where.assign(seed=draw, predicted=predicted(where["label"], error, (seed, draw))) for draw in range(n_seeds)
    ]
    return pd.concat(parts, ignore_index=True).assign(dataset=dataset, method=method)


def runs_of(predictions):
    """The frame runs beside predictions of draws."""
    found = predictions.assign(accuracy=100.0 * (predictions["label"] == predictions["predicted"]))
    means = found.groupby(["dataset", "method", "seed"])["accuracy"].mean().reset_index()
    return means.assign(cpu_seconds=2.0, n_train=200, n_test=100, shared_part=1.0, chosen="a")


def counts(method, error, seed=0, n_sets=3, rates=(0.1, 0.3), dataset="toy", **more):
    """Correct positions of the study of missing values, by damaged set."""
    where, parts = places(**more), []
    for rate in rates:
        for training_set in range(n_sets):
            right = where["label"] == predicted(where["label"], error, (seed, int(100 * rate), training_set))
            of_set = where.assign(n_correct=right.astype(int), n_positions=1).groupby(["sequence", "group"])
            found = of_set[["n_positions", "n_correct"]].sum().reset_index()
            parts.append(found.assign(rate=rate, training_set=training_set, test_set=0, block=found["sequence"]))
    return pd.concat(parts, ignore_index=True).assign(dataset=dataset, method=method)


def plant_run(folder, error=0.2, seed=0, **methods):
    """Write what the jobs of three studies keep of the methods a and b, `error` wrong, to a folder of results.

    `methods` are other errors of single methods of the study of kernels.
    """
    every = []
    for method in ("a", "b"):
        write_frame(trainings(method, error, seed), folder / f"training/toy/{method}.predictions.parquet")
        write_frame(counts(method, error, seed), folder / f"missing/toy/{method}.counts.parquet")
        of_draws = draws(method, methods.get(method, error), seed)
        write_frame(of_draws, folder / f"kernels/toy/{method}.predictions.parquet")
        every.append(runs_of(of_draws))
        write_frame(every[-1], folder / f"kernels/toy/{method}.runs.parquet")
    write_frame(pd.concat(every), folder / "kernels/toy/runs.csv")
    write_json({"source": "protein", "stand_in": None}, folder / "kernels/toy/description.json")
    return folder


def settings_of(folder, **more):
    """Settings of such a run."""
    studies = {name: {"datasets": ["toy"], "methods": ["a", "b"]} for name in ("training", "missing", "kernels")}
    studies["missing"]["baselines"] = {"toy": "a"}
    labellers = {name: {"class": "somebody:Class"} for name in ("a", "b")}
    places = {name: str(folder.parent / f"{folder.name}_{name}") for name in ("reports", "archives")}
    return load_settings(
        {
            "profile": "own",
            "results": str(folder),
            "datasets": {"toy": {"source": "protein"}},
            "labellers": labellers,
            **places,
            **studies,
            **more,
        }
    )


def plant_manifest(folder, code=None, now=WRITTEN, **more):
    """Write its manifest."""
    write_manifest(settings_of(folder, **more), CODE | (code or {}), now)
    return folder / MANIFEST
