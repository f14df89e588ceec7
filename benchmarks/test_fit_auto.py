"""`treecrf fit` and `treecrf evaluate` with defaults on four files, beside three rivals that were tuned by hand."""

import os
import re
import subprocess
import sys
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from shipped_files import DATA_SETS

MOST_CPU, MOST_MEGABYTES, ALLOWED = 60, 500, 0.5


class Views(NamedTuple):
    """How far rivals see: a linear CRF, trees, and trees with summaries; after how many iterations they end."""

    crf: tuple[int, ...]
    trees: tuple[int, ...]
    summaries: tuple[int, ...] = ()
    n_iterations: int = 100


VIEWS = {
    "vowels": Views((0, 1, 3), (1, 3, 6)),
    "accelerometer": Views((1, 3), (3, 12), (12,), 60),
    "words": Views((0, 1), (1,), (), 60),
    "patients": Views((0, 1, 3), (0, 1, 3)),
}


def drawn(seed):
    """A few sequences of numbers with holes and of letters, for a run that measures nothing."""
    rng = np.random.default_rng(seed)
    letters, noise = rng.choice(list("abc"), 48), rng.normal(size=48)
    size = noise.round(2) + (letters == "b")
    return pd.DataFrame(
        {
            "sequence": np.arange(48) // 6,
            "letter": letters,
            "size": np.where(noise > 1, np.nan, size),
            "label": np.where(letters == "a", "x", "y"),
        }
    )


@pytest.fixture
def tables(request, tiny):
    """Training and test table of a kind."""

    def read(kind):
        if tiny:
            return drawn(1), drawn(2)
        return DATA_SETS[kind](request.getfixturevalue("raw") if kind == "words" else None)

    return read


def measured(*arguments):
    """What a command prints, its CPU seconds and its peak in MB."""
    code = (
        "import resource, subprocess, sys; r = subprocess.run([sys.executable, '-m', 'treecrf', *sys.argv[1:]]);"
        "u = resource.getrusage(resource.RUSAGE_CHILDREN); print('USED', u.ru_utime + u.ru_stime, u.ru_maxrss / 1024);"
        "sys.exit(r.returncode)"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"COLUMNS": "80"},
    ).stdout
    used = out.rsplit("USED", 1)[1].split()
    return out, float(used[0]), float(used[1])


def rivals(kind, train, test, size, folder):
    """Accuracies on the test table by rival, with the setting that the training table chose."""
    import tuned_rivals

    views = VIEWS[kind]
    has_numbers = train.drop(columns=tuned_rivals.KEYS).select_dtypes("number").shape[1] > 0
    n_iterations = size(views.n_iterations)
    crf = tuned_rivals.crf_grid(views.crf, has_numbers)
    trees = tuned_rivals.tree_grid(views.trees, views.summaries if has_numbers else ())
    methods = {
        "python-crfsuite": (crf, partial(tuned_rivals.by_crfsuite, path=str(folder / "crf.model"))),
        "LightGBM": (trees, tuned_rivals.by_lightgbm),
        "HistGradientBoosting": (trees, tuned_rivals.by_histograms),
    }
    for name, (grid, fit) in methods.items():
        fit = partial(fit, n_iterations=n_iterations)
        yield name, *tuned_rivals.tune(train, test, grid[: size(len(grid))], fit)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("kind", DATA_SETS)
def test_defaults_beside_rivals(record, tables, size, tiny, tmp_path, kind):
    train, test = tables(kind)
    train.to_csv(tmp_path / "train.csv", index=False)
    test.to_csv(tmp_path / "test.csv", index=False)
    few = ("--iterations", 2, "--budget", 1) if tiny else ()
    _, training, trained = measured("fit", tmp_path / "train.csv", "-o", tmp_path / "m.npz", *few)
    out, judging, judged = measured("evaluate", tmp_path / "m.npz", tmp_path / "test.csv")
    accuracy = float(re.search(r"accuracy ([\d.]+) % on [\d,]+ positions", out)[1])
    best = 0.0
    for name, points, setting in rivals(kind, train, test, size, tmp_path):
        record(f"{kind}: {name} {setting}", f"{points:.2f}")
        best = max(best, points)
    record(f"{kind}: treecrf fit", f"{accuracy:.2f}", f"at least {best - ALLOWED:.2f}")
    record(f"{kind}: fit and evaluate, CPU seconds", f"{training + judging:.1f}", f"below {MOST_CPU}")
    record(f"{kind}: fit and evaluate, peak MB", f"{max(trained, judged):.0f}", f"below {MOST_MEGABYTES}")
