"""What predicted labels say, against scikit-learn and by hand."""

import numpy as np
import pandas as pd
import pytest
from builders import random_set
from sklearn.metrics import confusion_matrix as reference_matrix
from sklearn.metrics import f1_score, log_loss

from treecrf.statistics.metrics import brier_score, reliability
from treecrf_studies.explorer.gathering import (
    EXCERPT,
    N_HARDEST,
    hardest_sequences,
    summarise_answers,
    with_sequences,
)
from treecrf_studies.framework.metrics import CONFIDENCE, confidence


def answers(label, predicted, sequence, **more):
    rows = {"variant": "", "decoder": "viterbi", "point": "choice", "method": "m", "run": "draw 0", "group": sequence}
    rows |= {"sequence": sequence, "position": range(len(label)), "label": label, "predicted": predicted}
    rows |= dict.fromkeys(CONFIDENCE, np.nan)
    return pd.DataFrame(rows | more)


@pytest.mark.parametrize("seed", range(5))
def test_confusion_and_f1_are_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    label, predicted = rng.integers(0, 4, 60), rng.integers(0, 6, 60)
    unknown = [0, -1], [-1, 0]  # are left out
    given = (np.concatenate(pair) for pair in zip((label, predicted), unknown, strict=True))
    found = summarise_answers(answers(*given, [0] * 62), {})
    matrix = np.zeros((6, 6), dtype=int)
    matrix[found.confusion["label"], found.confusion["predicted"]] = found.confusion["n"]
    np.testing.assert_array_equal(matrix, reference_matrix(label, predicted, labels=range(6)))
    expected = f1_score(label, predicted, average="macro", zero_division=0)
    assert found.runs["macro F1"].tolist() == [pytest.approx(100 * expected, rel=1e-12)]


def test_runs_confusion_and_hardest_of_a_method():
    first = answers([0, 0, 1, 1, 0], [0, 1, 1, 0, 1], [3, 3, 7, 7, 7])
    second = answers([0, 0, 1, 1, 0], [0, 0, 1, 1, 0], [3, 3, 7, 7, 7], run="draw 1")
    found = summarise_answers(pd.concat([first, second]), {})
    assert found.runs["accuracy"].tolist() == [40, 100]
    assert found.runs["sequences right"].tolist() == [0, 100]
    assert found.runs["run"].tolist() == ["draw 0", "draw 1"]
    counts = {(row.label, row.predicted): row.n for row in found.confusion.itertuples()}
    assert counts == {(0, 0): 4, (0, 1): 2, (1, 0): 1, (1, 1): 3}
    assert found.hardest[["place", "sequence", "n_wrong", "n_positions"]].to_numpy().tolist() == [
        [1, 7, 2, 3],
        [2, 3, 1, 2],
    ]
    assert found.hardest["predicted"].tolist() == [[1, 0, 1], [0, 1]]


def told_run(seed, run):
    """Answers with probabilities, and the marginals they are of."""
    rng = np.random.default_rng(seed)
    marginals, label = rng.dirichlet(np.ones(3), 40), rng.integers(0, 3, 40)
    predicted = marginals.argmax(axis=1)
    return answers(label, predicted, [0] * 40, run=run, **confidence(marginals, label, predicted)), marginals


def test_probabilities_give_log_loss_brier_score_and_calibration():
    runs = {run: told_run(seed, run) for seed, run in enumerate(("draw 0", "draw 1"))}
    found = summarise_answers(pd.concat([rows for rows, _ in runs.values()]), {})
    for run, (rows, marginals) in runs.items():
        of_run = found.runs.set_index("run").loc[run]
        expected = log_loss(rows["label"], marginals, labels=range(3))
        assert of_run["log loss"] == pytest.approx(expected, rel=1e-6)
        assert of_run["Brier score"] == pytest.approx(brier_score(marginals, rows["label"].to_numpy()), rel=1e-6)
    marginals = np.concatenate([marginals for _, marginals in runs.values()])
    label = np.concatenate([rows["label"] for rows, _ in runs.values()])
    expected = reliability(marginals, label)
    pd.testing.assert_frame_equal(found.calibration[list(expected)], expected, rtol=1e-6)
    assert set(found.calibration["method"]) == {"m"}


def test_a_run_without_all_probabilities_has_no_measure_of_them():
    rows, _ = told_run(0, "draw 0")
    rows.loc[3, list(CONFIDENCE)] = np.nan
    other = answers([0, 1], [0, 1], [0, 0], method="votes")
    found = summarise_answers(pd.concat([rows, other]), {})
    assert found.runs[["log loss", "Brier score"]].isna().all(axis=None)
    assert found.calibration["n_positions"].sum() == len(rows) - 1
    assert summarise_answers(other, {}).calibration.empty


def test_sequences_are_those_of_the_test_set_or_of_groups():
    data = random_set(np.random.default_rng(0), n_sequences=4)
    rows = answers([0] * data.n_positions, [0] * data.n_positions, -1, group=np.repeat([5, 5, 9, 2], data.lengths))
    assert with_sequences(rows, data)["sequence"].tolist() == np.repeat(range(4), data.lengths).tolist()
    assert with_sequences(rows, None)["sequence"].tolist() == np.repeat([0, 0, 1, 2], data.lengths).tolist()
    told = rows.assign(sequence=np.repeat([4, 3, 2, 1], data.lengths)).sample(frac=1, random_state=0)
    assert with_sequences(told, data)["sequence"].is_monotonic_increasing


def test_a_long_sequence_is_cut_to_where_most_errors_are():
    rng = np.random.default_rng(3)
    label, predicted = rng.integers(0, 2, 400), rng.integers(0, 2, 400)
    (row,) = hardest_sequences(answers(label, predicted, [0] * 400), None)
    wrong = label != predicted
    best = max(range(400 - EXCERPT + 1), key=lambda first: wrong[first : first + EXCERPT].sum())
    assert row["first"] == best
    assert row["label"] == label[best : best + EXCERPT].tolist()
    assert row["n_wrong"] == wrong.sum()


def test_observations_stand_beside_the_labels():
    data = random_set(np.random.default_rng(1), n_sequences=3, longest=4)
    rows = answers(data.labels, 1 - np.minimum(data.labels, 1), np.repeat(range(3), data.lengths))
    names = data.attributes[0].categories
    for row in hardest_sequences(rows, data):
        one = data.select([row["sequence"]])
        assert row["observed"] == [names[value] if value >= 0 else "?" for value in one.values[:, 0]]
        assert row["label"] == one.labels.tolist()


def test_only_wrong_sequences_are_hard_and_few_are_kept():
    n = 3 * N_HARDEST
    predicted = [1 if place % 2 else 0 for place in range(n)]
    found = hardest_sequences(answers([0] * n, predicted, range(n)), None)
    assert len(found) == N_HARDEST
    assert all(row["n_wrong"] for row in found)
    assert hardest_sequences(answers([0, 1], [0, 1], [0, 1]), None) == []
