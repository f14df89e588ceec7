"""Variance components, against planted ones and the textbook's formulas."""

import os
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from statsmodels.formula.api import mixedlm

from treecrf.statistics.variance import decompose_variance

MANY = 10**9
"""Positions of a sequence, so that counts have any accuracy."""


def frame(accuracies, factors, positions=MANY):
    """Counts from accuracies with one dimension for each factor."""
    places = np.indices(accuracies.shape).reshape(accuracies.ndim, -1)
    n_positions = np.broadcast_to(positions, accuracies.shape).ravel()
    columns = {"method": 0, **dict(zip(factors, places, strict=True))}
    return pd.DataFrame(
        {**columns, "n_positions": n_positions, "n_correct": np.rint(accuracies.ravel() * n_positions).astype(int)}
    )


def planted(rng, shape, deviations):
    """0.8 plus independent effects; `deviations` by the dimensions that they vary with."""
    values = np.full(shape, 0.8)
    for dimensions, deviation in deviations.items():
        extent = [size if axis in dimensions else 1 for axis, size in enumerate(shape)]
        values = values + deviation * rng.normal(size=extent)
    return values


def estimate(table):
    return decompose_variance(table).set_index("component")["moment_estimate"]


def test_one_way_by_hand():
    # Two runs of one method on equal sequences: the classical mean squares of crossed factors.
    y = np.random.default_rng(0).uniform(0.5, 0.9, (6, 4))
    rows, columns = y.mean(axis=1, keepdims=True), y.mean(axis=0, keepdims=True)
    residual = ((y - rows - columns + y.mean()) ** 2).sum() / 15
    sequence = (4 * rows.var(ddof=1) - residual) / 4
    run = (6 * columns.var(ddof=1) - residual) / 6
    found = estimate(frame(y, ("sequence", "run")))
    assert_allclose([found["sequence"], found["run"], found["residual"]], [sequence, run, residual], rtol=1e-6)


RUNS = {"sequence": (1,), "method x sequence": (0, 1), "run": (0, 2), "residual": (0, 1, 2)}
TRAININGS = {
    "sequence": (1,),
    "training_set": (2,),
    "method x sequence": (0, 1),
    "method x training_set": (0, 2),
    "sequence x training_set": (1, 2),
    "residual": (0, 1, 2),
}
BOTH = {
    "sequence": (1,),
    "training_set": (2,),
    "method x training_set": (0, 2),
    "run": (0, 2, 3),
    "residual": (0, 1, 2, 3),
}


@pytest.mark.parametrize(
    ("seed", "shape", "factors", "planted_in", "deviations", "n", "tolerance", "unequal"),
    [
        (2, (3, 60, 10), ("run",), RUNS, (0.05, 0.03, 0.02, 0.01), 60, 0.12, True),
        (3, (4, 50, 8), ("training_set",), TRAININGS, (0.05, 0.03, 0.02, 0.02, 0.015, 0.01), 80, 0.2, False),
        (4, (3, 30, 8, 3), ("training_set", "run"), BOTH, (0.05, 0.03, 0.02, 0.015, 0.01), 60, 0.2, False),
    ],
)
def test_planted_components(seed, shape, factors, planted_in, deviations, n, tolerance, unequal):
    rng = np.random.default_rng(seed)
    positions = (rng.integers(1, 20, shape[1]) * 10**8)[:, None] if unequal else MANY
    effects = dict(zip(planted_in.values(), deviations, strict=True))
    tables = (frame(planted(rng, shape, effects), ("method", "sequence", *factors), positions) for _ in range(n))
    found = pd.DataFrame([estimate(table) for table in tables]).mean()
    assert_allclose(found[[*planted_in]], np.square(deviations), rtol=tolerance)
    if planted_in is BOTH:
        assert_allclose(found.drop([*planted_in]), 0, atol=2e-5)


def test_equal_sequences_give_what_restricted_likelihood_gives():
    deviations = {(1,): 0.05, (0, 1): 0.03, (0, 2): 0.02, (0, 1, 2): 0.01}
    table = frame(planted(np.random.default_rng(0), (3, 17, 5), deviations), ("method", "sequence", "run"))
    parts = {"sequence": "0 + C(sequence)", "pair": "0 + C(method):C(sequence)", "run": "0 + C(method):C(run)"}
    data = table.assign(accuracy=table["n_correct"] / table["n_positions"], all=1)
    model = mixedlm("accuracy ~ C(method)", data, groups="all", vc_formula=parts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one group of all rows has no effect of its own, which is on the boundary
        result = model.fit()
    likely = dict(zip(model.exog_vc.names, result.vcomp, strict=True)) | {"residual": result.scale}
    names = {"sequence": "sequence", "method x sequence": "pair", "run": "run", "residual": "residual"}
    found = estimate(table)
    assert_allclose([found[name] for name in names], [likely[name] for name in names.values()], rtol=1e-3)


def test_negative_estimates_become_0_and_are_shown():
    y = np.array([[0.6, 0.8], [0.8, 0.6], [0.6, 0.8], [0.8, 0.6]])
    found = decompose_variance(frame(y, ("sequence", "run"))).set_index("component")
    assert found.loc["sequence", "moment_estimate"] < 0
    assert found.loc["sequence", ["variance", "accuracy_points"]].tolist() == [0, 0]


def test_points_are_what_a_component_adds_to_an_accuracy():
    y = planted(np.random.default_rng(5), (2, 25, 4), {(1,): 0.05, (0, 2): 0.02, (0, 1, 2): 0.01})
    found = decompose_variance(frame(y, ("method", "sequence", "run"))).set_index("component")
    n_effects = {"sequence": 25, "method x sequence": 25, "run": 4, "residual": 100}
    for name, number in n_effects.items():
        assert found.loc[name, "accuracy_points"] == pytest.approx(100 * np.sqrt(found.loc[name, "variance"] / number))


def test_more_runs_than_another_method_has_are_left_out():
    y = np.random.default_rng(6).uniform(0.5, 0.9, (2, 8, 5))
    table = frame(y, ("method", "sequence", "run"))
    short = table[(table["method"] == 0) | (table["run"] < 3)].assign(run=lambda some: some["run"] * 7 + some["method"])
    assert_allclose(estimate(short), estimate(table[table["run"] < 3]), rtol=1e-9)


def test_every_process_finds_the_same_bits():
    """Strings have other hashes in every process, and so sets of them another order."""
    program = (
        "import numpy as np, pandas as pd; from treecrf.statistics.variance import decompose_variance;"
        "names = ['method', 'training_set', 'run', 'sequence'];"
        "places = np.indices((3, 3, 4, 20)).reshape(4, -1);"
        "table = pd.DataFrame(dict(zip(names, places))).assign(n_positions=lambda rows: 5 + rows.sequence % 7);"
        "table['n_correct'] = np.random.default_rng(1).integers(0, 5, len(table));"
        "print(decompose_variance(table).to_csv())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": str(seed)},
            text=True,
            capture_output=True,
            check=True,
        ).stdout
        for seed in (1, 2)
    }
    assert len(found) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda table: table.drop(columns="n_correct"), "no column 'n_correct'"),
        (lambda table: table[1:], "one row for each combination"),
        (lambda table: pd.concat([table, table[:1]]), "one row for each combination"),
        (lambda table: table[table["sequence"] == 0], "two sequences"),
        (lambda table: table[(table["method"] == 0) & (table["run"] == 0)], "two methods"),
        (lambda table: table.assign(n_positions=np.arange(len(table)) + 10**9), "unlike numbers of positions"),
    ],
)
def test_unusable_counts(change, message):
    table = frame(np.random.default_rng(8).uniform(0.5, 0.9, (2, 3, 2)), ("method", "sequence", "run"))
    with pytest.raises(ValueError, match=message):
        decompose_variance(change(table))
