"""Wrong arrays and frames given to functions of statistics and of missing values: an answer or one sentence.

Each argument is changed in one of three ways: it holds the same in another form, so the answer must be the same; it is no array of
such numbers, so there must be an error; or it holds other values, where both may come.
"""

import numpy as np
import pandas as pd
import pytest
import scipy.stats  # noqa: F401  takes long to load, which is no part of an input's time
from fuzzing import N_INPUTS, fuzz, quiet

from treecrf.missing import mechanisms
from treecrf.sequences import Attribute, SequenceSet
from treecrf.statistics.blocks import (
    autocorrelation_time,
    choose_blocks,
    compare_crossed,
    cut_blocks,
    decompose_crossed,
    estimate_blocks,
    join_blocks,
)  # fmt: skip
from treecrf.statistics.chunks import chunk_f1, chunk_f1_by_type, segment_f1
from treecrf.statistics.deviance import (
    analysis_of_deviance,
    compare_all,
    compare_methods,
    find_likelihood_ratios,
    fit_probabilities,
    make_design,
    order_by_counts,
)  # fmt: skip
from treecrf.statistics.estimates import adjust_holm, decide, estimate_resampled, is_negligible
from treecrf.statistics.mcnemar import compare_pairs
from treecrf.statistics.metrics import (
    METRICS,
    bin_confidence,
    brier_of_sums,
    brier_score,
    correct_for_choice,
    estimate_accuracy,
    estimate_share,
    geometric_mean,
    mean_f1,
    mean_with_interval,
    ratio_of_geometric_means,
    reliability,
    sequence_accuracy,
    sum_log_probabilities,
)  # fmt: skip
from treecrf.statistics.ranking import rank_cases, rank_methods
from treecrf.statistics.selection import hold_out, repeated_folds, sequence_folds, training_draws
from treecrf.statistics.sign_flip import compare_flips, draw_flips, flip_p_values, flip_sums, score_flip_p_value
from treecrf.statistics.two_way import estimate_crossed, make_pairs, training_covariances
from treecrf.statistics.variance import decompose_variance

pytestmark = pytest.mark.slow

N_POSITIONS, OFFSETS = 12, np.array([0, 3, 7, 12])
VALUES = (np.nan, np.inf, -np.inf, -1, -2, 2**40, 2**62, -(2**63), 1e308, 5e-324, 0.5, 0, 1, 3, 12, 70000)


def of_positions(rng):
    return {"truth": rng.integers(-1, 3, N_POSITIONS), "predicted": rng.integers(0, 3, N_POSITIONS), "offsets": OFFSETS,
            "weights": rng.random(N_POSITIONS)}  # fmt: skip


def ignoring_offsets(metric):
    return lambda truth, predicted, weights: metric(truth, predicted, OFFSETS, weights)


def probable(rng):
    return {"probabilities": rng.dirichlet(np.ones(3), N_POSITIONS), "labels": rng.integers(0, 3, N_POSITIONS)}


def of_clusters(rng, *shape):
    positions = rng.integers(5, 9, 7)
    return {"correct": rng.integers(0, positions + 1, (*shape, 7)), "positions": positions}


def of_pairs(rng):
    return {
        "points": rng.normal(size=3),
        "p_value": rng.random(3),
        "low": rng.normal(size=3),
        "high": rng.normal(size=3),
    }


def tags(rng):
    names = np.array(["O", "B-X", "I-X", "B-Y"])
    return {
        "true": names[rng.integers(0, 4, N_POSITIONS)],
        "predicted": names[rng.integers(0, 4, N_POSITIONS)],
        "offsets": OFFSETS,
    }


def of_trainings(rng):
    return [rng.integers(0, 5, (n, 6)) for n in (2, 3, 2)]


def of_blocks(rng):
    right = rng.integers(0, 2, (2, N_POSITIONS))
    return {"first": right, "second": right[:, ::-1].copy(), "offsets": OFFSETS, "least_length": 2}


def cells(rng):
    sizes = rng.integers(20, 30, (3, 2)).astype(float)
    return {"cells": np.floor(sizes * rng.uniform(0.3, 0.7, (3, 2))), "sizes": sizes}


def counts(rng):
    rows = [
        {"dataset": "d", "rate": 0.1, "method": method, "training_set": training, "test_set": 0, "sequence": sequence,
         "group": sequence, "block": sequence, "n_positions": 9 + sequence, "n_correct": int(rng.integers(2, 8))}
        for method in ("a", "b") for training in range(3) for sequence in range(4)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def outcomes(rng):
    rows = [
        {"dataset": "d", "decoder": "viterbi", "method": method, "sequence": position // 4, "position": position,
         "correct": bool(rng.integers(2))}
        for method in "ab" for position in range(N_POSITIONS)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def compared(rng):
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    frame = pd.DataFrame(pairs, columns=["method", "other"]).assign(
        case="x", accuracy_points=rng.normal(size=3), points_standard_error=1.0, degrees_of_freedom=5.0, decision="undecided"
    )  # fmt: skip
    return {"accuracy_points": pd.Series([80.0, 81.0, 79.5], index=list("abc")), "comparisons": frame}


def cases(rng):
    given = compared(rng)
    accuracies = given["accuracy_points"].rename_axis("method").rename("accuracy_points").reset_index().assign(case="x")
    return {"accuracies": accuracies, "comparisons": given["comparisons"], "case": ["case"]}


def flips(rng):
    return {"differences": rng.integers(-3, 4, (2, 6)), "flips": draw_flips(6, 0), "training_error": rng.random(2),
            "degrees_of_freedom": np.array([3.0, 5.0])}  # fmt: skip


def a_set(rng):
    values, numbers = rng.integers(-1, 3, (N_POSITIONS, 2)), rng.normal(size=(N_POSITIONS, 1))
    attributes = tuple(Attribute(name, ("x", "y", "z")) for name in "ab")
    return SequenceSet(
        values, OFFSETS, attributes, rng.integers(0, 2, N_POSITIONS), ("p", "q"), numbers=numbers, number_names=("n",)
    )


def damage(mechanism):
    """A mechanism as a function of the arrays of a set."""

    def call(values, numbers, rate):
        data = a_set(np.random.default_rng(0)).with_values(values).with_numbers(numbers)
        found = mechanism(data, rate, np.random.default_rng(1))
        return found.values, found.numbers

    return call


def damage_arrays(rng):
    data = a_set(rng)
    return {"values": np.array(data.values), "numbers": np.array(data.numbers), "rate": 0.3}


def walk(places, after_seen, draws):
    return mechanisms.Chains(places).walk(0.5, after_seen, 0.2, draws)


def only(*names, of, **more):
    """Some of the arguments that a function makes, and others."""
    return lambda rng: (
        {name: argument for name, argument in of(rng).items() if name in names}
        | {name: make(rng) for name, make in more.items()}
    )


def groups(rng):
    return rng.integers(0, 6, 20)


CALLS = {
    **{name: (ignoring_offsets(metric), only("truth", "predicted", "weights", of=of_positions)) for name, metric in METRICS.items() if metric is not sequence_accuracy},
    "sequence_accuracy": (sequence_accuracy, of_positions),
    "mean_f1": (mean_f1, lambda rng: {name: rng.integers(1, 9, 3) for name in ("hits", "positions", "predictions")}),
    "sum_log_probabilities": (sum_log_probabilities, lambda rng: probable(rng) | {"offsets": OFFSETS}),
    "brier_score": (brier_score, probable),
    "brier_of_sums": (brier_of_sums, lambda rng: {"sums_of_squares": rng.random(9), "of_truth": rng.random(9)}),
    "reliability": (reliability, probable),
    "bin_confidence": (bin_confidence, lambda rng: {"confidence": rng.random(9), "right": rng.random(9) < 0.5}),
    "estimate_accuracy": (estimate_accuracy, of_clusters),
    "estimate_share": (estimate_share, lambda rng: {"counts": rng.normal(size=7), "positions": np.arange(7) + 3}),
    "correct_for_choice": (correct_for_choice, lambda rng: of_clusters(rng, 4) | {"seed": 0}),
    "mean_with_interval": (mean_with_interval, lambda rng: {"values": rng.normal(size=5)}),
    "geometric_mean": (geometric_mean, lambda rng: {"values": rng.random(5) + 0.5}),
    "ratio_of_geometric_means": (
        ratio_of_geometric_means, lambda rng: {"values": rng.random(5) + 0.5, "others": rng.random(4) + 0.5},
    ),
    "adjust_holm": (adjust_holm, lambda rng: {"p_values": rng.random(5)}),
    "decide": (decide, of_pairs),
    "is_negligible": (is_negligible, only("low", "high", of=of_pairs)),
    "estimate_resampled": (
        lambda **given: vars(estimate_resampled(**given)),
        lambda rng: {"differences": rng.integers(-3, 4, (2, 5)), "positions": rng.integers(9, 12, 5), "test_per_train": 0.5},
    ),
    "sequence_folds": (sequence_folds, lambda rng: {"groups": groups(rng), "n_folds": 3, "seed": 0}),
    "hold_out": (hold_out, lambda rng: {"groups": groups(rng), "share": 0.3, "seed": 0}),
    "repeated_folds": (repeated_folds, lambda rng: {"groups": groups(rng), "n_folds": 3, "n_repeats": 2, "seed": 0}),
    "training_draws": (training_draws, lambda rng: {"groups": groups(rng), "n_train": 9, "n_draws": 2, "seed": 0}),
    "flip_sums": (flip_sums, only("differences", "flips", of=flips)),
    "flip_p_values": (flip_p_values, flips),
    "score_flip_p_value": (score_flip_p_value, lambda rng: {"scores": rng.normal(size=(8, 2)), "seed": 0}),
    "make_pairs": (lambda correct: vars(make_pairs(correct)), lambda rng: {"correct": of_trainings(rng)}),
    "compare_flips": (
        compare_flips,
        lambda rng: {"methods": list("abc"), "correct": of_trainings(rng), "n_positions": 60, "seed": 0},
    ),
    "training_covariances": (training_covariances, lambda rng: {"correct": rng.integers(0, 5, (3, 6))}),
    "estimate_crossed": (
        lambda **given: vars(estimate_crossed(**given)),
        lambda rng: {"differences": rng.integers(-3, 4, (2, 5, 3)), "positions": rng.integers(9, 12, (5, 3))},
    ),
    "estimate_blocks": (
        lambda **given: vars(estimate_blocks(**given).estimates),
        lambda rng: {"correct": list(rng.random((3, 2, N_POSITIONS)) < 0.5), "offsets": OFFSETS, "least_length": 2},
    ),
    "choose_blocks": (choose_blocks, of_blocks),
    "cut_blocks": (cut_blocks, lambda rng: {"offsets": OFFSETS, "length": 2}),
    "autocorrelation_time": (
        autocorrelation_time, lambda rng: {"values": rng.integers(0, 3, N_POSITIONS), "offsets": OFFSETS},
    ),
    "join_blocks": (join_blocks, lambda rng: {"differences": rng.integers(-2, 3, N_POSITIONS), "offsets": OFFSETS}),
    "chunk_f1": (chunk_f1, tags),
    "chunk_f1_by_type": (chunk_f1_by_type, tags),
    "segment_f1": (segment_f1, tags),
    "order_by_counts": (order_by_counts, cells),
    "fit_probabilities": (fit_probabilities, cells),
    "find_likelihood_ratios": (find_likelihood_ratios, cells),
    "make_design": (make_design, lambda rng: {"method": np.arange(6) % 3, "training_set": np.arange(6) // 3}),
    "compare_methods": (compare_methods, lambda rng: {"counts": counts(rng), "baseline": "a"}),
    "compare_all": (compare_all, lambda rng: {"counts": counts(rng)}),
    "analysis_of_deviance": (analysis_of_deviance, lambda rng: {"counts": counts(rng)}),
    "compare_crossed": (compare_crossed, lambda rng: {"counts": counts(rng)}),
    "decompose_crossed": (decompose_crossed, lambda rng: {"counts": counts(rng)}),
    "decompose_variance": (decompose_variance, lambda rng: {"counts": counts(rng)}),
    "compare_pairs": (compare_pairs, lambda rng: {"outcomes": outcomes(rng)}),
    "rank_methods": (rank_methods, compared),
    "rank_cases": (rank_cases, cases),
    "ranks": (mechanisms.ranks, lambda rng: {"numbers": rng.normal(size=(6, 2))}),
    "standardised": (mechanisms.standardised, lambda rng: {"scores": rng.normal(size=(6, 2))}),
    "Chains": (walk, lambda rng: {"places": np.arange(9) % 3, "after_seen": rng.random(9), "draws": rng.random(9)}),
    **{name: (damage(each.make), damage_arrays) for name, each in mechanisms.MECHANISMS.items()},
}  # fmt: skip


def of_other_form(rng, array):
    """The same numbers or texts."""
    frozen = array.copy()
    frozen.flags.writeable = False
    twice = np.repeat(array, 2, axis=-1)
    return (array.tolist(), np.asfortranarray(array), twice[..., ::2], array[::-1].copy()[::-1], frozen)[
        rng.integers(5)
    ]


def of_other_type(rng, array):
    """No such array."""
    ragged = [[1, 2], [3]]
    nothing = np.full(array.shape, None)
    return (
        ragged, nothing, array[None], np.array(1), np.zeros(array.shape, dtype="M8[s]"), np.zeros(array.shape, dtype=complex),
        "abc", object(),
    )[rng.integers(8)]  # fmt: skip


def of_other_values(rng, array):
    """Some of them others, or fewer, more or none."""
    choice = rng.integers(6)
    if choice == 0:
        return array[:-1] if rng.random() < 0.7 else array[:0]
    if choice == 1:
        return np.concatenate([array, array])
    if choice == 2 and array.dtype.kind in "iufb":
        return array.astype(rng.choice(["f2", "f4", "i1", "u1", "u8", "?", "O", "U8", "S8"]))
    if array.dtype.kind in "US":
        changed = array.astype("U40")
        changed.flat[rng.integers(array.size)] = rng.choice(["", "X", "B-", "O ", "I-X", "é\nß", "B" * 40])
        return changed
    changed = array.astype(float if choice == 3 or array.dtype.kind == "f" else np.int64)
    with np.errstate(all="ignore"):
        for _ in range(int(rng.integers(1, 4))):
            value = VALUES[rng.integers(len(VALUES))]
            if changed.dtype.kind != "f" and not abs(value) <= 2**62:  # there is no such whole number
                value = 2**62
            changed.flat[rng.integers(array.size)] = value
    return changed


def frame_of_other_form(rng, frame):
    order = rng.permutation(len(frame.columns))
    return (frame.iloc[:, order], frame.copy(), frame.astype({frame.columns[0]: object}))[rng.integers(3)]


def frame_of_other_type(rng, frame):
    return (frame.to_dict("list"), frame.to_numpy(), None, frame.iloc[:, :0], frame["method"])[rng.integers(5)]


def frame_of_other_values(rng, frame):
    frame, column, choice = frame.copy(), str(rng.choice(frame.columns)), rng.integers(6)
    if choice == 0:
        return frame.drop(columns=column)
    if choice == 1:
        return frame.iloc[: rng.integers(len(frame))]
    if choice == 2:
        return pd.concat([frame, frame.iloc[[0]]])
    if choice == 3:
        return frame.assign(**{column: rng.choice(["x", "y"], len(frame))})
    values = frame[column].astype(object).tolist()
    values[rng.integers(len(values))] = (*VALUES, None, "x", True)[rng.integers(len(VALUES) + 3)]
    typed = pd.Series(values, index=frame.index)
    return frame.assign(**{column: typed if choice == 4 else typed.infer_objects()})


SAME, WRONG, OTHER = "same", "wrong", "other"
ARRAYS = {SAME: of_other_form, WRONG: of_other_type, OTHER: of_other_values}
FRAMES = {SAME: frame_of_other_form, WRONG: frame_of_other_type, OTHER: frame_of_other_values}


def change(rng, right):
    """One argument changed: how, and all arguments."""
    name = rng.choice([name for name, given in right.items() if isinstance(given, np.ndarray | pd.DataFrame | list)])
    given, kind = right[name], str(rng.choice([SAME, WRONG, OTHER, OTHER]))
    if isinstance(given, list) and isinstance(given[0], np.ndarray):
        place = int(rng.integers(len(given)))
        changed = [*given[:place], ARRAYS[kind](rng, given[place]), *given[place + 1 :]]
    elif isinstance(given, list):
        return SAME, right
    else:
        changed = (FRAMES if isinstance(given, pd.DataFrame) else ARRAYS)[kind](rng, given)
    return kind, right | {name: changed}


def assert_same(found, expected):
    if isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=1e-9)
    elif isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for name in expected:
            assert_same(found[name], expected[name])
    elif isinstance(expected, tuple | list):
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    elif np.asarray(expected).dtype.kind in "fc":
        np.testing.assert_allclose(found, expected, rtol=1e-9)
    else:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", CALLS)
def test_an_argument_that_is_changed(name):
    call, make = CALLS[name]

    def given(rng):
        right = make(rng)
        return right, *change(rng, right)

    def use(arguments):
        right, kind, changed = arguments
        with quiet(), np.errstate(all="ignore"):
            if kind == SAME:
                expected = call(**right)
                try:
                    found = call(**changed)
                except ValueError as error:
                    raise AssertionError(f"refused: {error}") from error
                assert_same(found, expected)
            elif kind == WRONG:
                assert call(**changed) is None, "an answer"
            else:
                call(**changed)

    fuzz(name, given, use, max(N_INPUTS // 5, 20))
