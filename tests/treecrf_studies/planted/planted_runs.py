"""Small runs whose predictions are known: folders of results with what jobs keep, and manifests."""

import datetime

import numpy as np
import pandas as pd

from treecrf.io.files import write_frame, write_json
from treecrf_studies.framework.settings import load_settings
from treecrf_studies.report.archive import MANIFEST, write_manifest

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


def labelled(**more):
    """Predictions of which a fifth is wrong, with constant columns `more`."""
    where = places()
    wrong = np.random.default_rng(1).random(len(where)) < 0.2
    return where.assign(predicted=np.where(wrong, 1 - where["label"], where["label"]), **more)


def runs_of(method):
    """The frame runs of a study with four draws."""
    frame = pd.DataFrame({"dataset": "toy", "method": method, "draw": range(4), "accuracy": [79.75, 81.25, 78.5, 80.0]})
    return frame.assign(cpu_seconds=2.0, n_train=200, n_test=100, shared_part=1.0, settings="a")


def plant_run(folder):
    """Write what the jobs of three studies keep of the methods a and b to a folder of results."""
    for method in ("a", "b"):
        for name in ("training/toy/{}.predictions", "missing/toy/{}.counts", "kernels/toy/{}.predictions"):
            write_frame(labelled(dataset="toy", method=method), folder / f"{name.format(method)}.parquet")
        write_frame(runs_of(method), folder / f"kernels/toy/{method}.runs.parquet")
    write_frame(pd.concat([runs_of("a"), runs_of("b")]), folder / "kernels/toy/runs.csv")
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
