"""Predictions of the training study whose right and wrong positions are known, and probabilities of any study's."""

import numpy as np
import pandas as pd
import pytest

from treecrf.io.files import write_frame
from treecrf_studies.training.choices import UNPERTURBED
from treecrf_studies.training.summary import Rules

FB, VITERBI = "forward_backward", "viterbi"
RULES = Rules(exact_under=25, blocks_under=6, block_length=50, equivalence_margin=0.5)


def predictions(method, wrong, n_sequences=6, length=10, decoder=FB, groups=None, split=0, **constant):
    """Predictions of which `wrong[i]` of sequence i are not the label, from its first position on."""
    sequence = np.repeat(np.arange(n_sequences), length)
    within = np.tile(np.arange(length), n_sequences)
    frame = pd.DataFrame(
        {
            "sequence": sequence,
            "group": sequence if groups is None else np.repeat(groups, length),
            "position": np.arange(n_sequences * length),
            "predicted": (within < np.repeat(np.broadcast_to(wrong, n_sequences), length)).astype(int),
        }
    )
    known = {"dataset": "toy", "run": UNPERTURBED, "stage": "choice", "candidate": "a=0"}
    return frame.assign(**known | {"label": 0, "method": method, "decoder": decoder, "split": split} | constant)


def at_random(shares, n_draws, seed, n_positions=600, **constant):
    """Predictions of methods that are right on a share of positions, in sequences of 10; and a run of each draw."""
    rng, positions = np.random.default_rng(seed), np.arange(n_positions)
    columns = {"group": positions // 10, "position": positions, "label": 1}
    predictions = pd.concat(
        [
            pd.DataFrame(constant | {"method": method, "draw": draw, **columns})
            for draw in range(n_draws)
            for method in shares
        ],
        ignore_index=True,
    )
    right = rng.random(len(predictions)) < predictions["method"].map(shares)
    keys = [*constant, "method", "draw"]
    runs = (100.0 * right).groupby([predictions[key] for key in keys], sort=False).mean().rename("accuracy")
    sizes = {"n_train": 2 * n_positions, "n_test": n_positions, "shared_part": 1.0}
    return predictions.assign(predicted=right.astype(int)), runs.reset_index().assign(**sizes)


def plant_counts(folder):
    """Counts of three trainings of two methods on seven sequences, as a snapshot has them."""
    rng = np.random.default_rng(0)
    keys = pd.MultiIndex.from_product(
        [["treecrf", "linear_crf"], ["training 0", "training 1", "training 2"], range(7)],
        names=["method", "draw", "sequence"],
    )
    of_sample = {"dataset": "hyphen", "point": "choice", "decoder": "better", "n_positions": 9}
    counts = keys.to_frame(index=False).assign(**of_sample, n_correct=rng.integers(3, 9, len(keys)))
    write_frame(counts.assign(group=counts["sequence"]), folder / "counts.parquet")


def choice_of(method, better=FB):
    rows = [(decoder, 0.9 if decoder == better else 0.8) for decoder in (FB, VITERBI)]
    return pd.DataFrame(rows, columns=["decoder", "cv_accuracy"]).assign(method=method, dataset="toy")


def assert_confidence(predictions, marginals):
    """That predictions have the probabilities of these marginals, position by position."""
    for row, of_position in zip(predictions.itertuples(), marginals, strict=True):
        expected = (of_position[row.label], of_position[row.predicted], sum(p * p for p in of_position))
        assert (row.p_label, row.p_predicted, row.sum_squares) == pytest.approx(expected, rel=1e-6)
