"""Wrong arrays and frames given to functions of statistics and of missing values: an answer or one sentence.

Each argument is changed in one of three ways: it holds the same in another form, so the answer must be the same; it is
no array of such numbers, so there must be an error; or it holds other values, where both may come.
"""

import dataclasses
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import pytest
import scipy.stats  # noqa: F401  takes long to load, which is no part of an input's time
from fuzzing import FORMS, TYPES, VALUES, changed_array, changed_values, fuzz, quiet
from hypothesis import strategies as st

from treecrf.missing import mechanisms
from treecrf.sequences import Attribute, SequenceSet
from treecrf.statistics.blocks import (
    compare_crossed,
    decompose_crossed,
)
from treecrf.statistics.chunks import chunk_f1, chunk_f1_by_type, segment_f1
from treecrf.statistics.deviance import (
    analysis_of_deviance,
    compare_all,
    compare_methods,
)
from treecrf.statistics.estimates import adjust_holm, decide, estimate_resampled
from treecrf.statistics.metrics import (
    METRICS,
    brier_score,
    estimate_accuracy,
    mean_with_interval,
    reliability,
    sequence_accuracy,
)
from treecrf.statistics.paired import compare_flips, compare_pairs
from treecrf.statistics.ranking import rank_cases, rank_methods
from treecrf.statistics.selection import sequence_folds
from treecrf.statistics.two_way import estimate_crossed
from treecrf.statistics.variance import decompose_variance

N_POSITIONS, OFFSETS = 12, np.array([0, 3, 7, 12])


def of_positions(metric):
    """A metric of sequences whose offsets stay."""
    return lambda truth, predicted, weights: metric(truth, predicted, OFFSETS, weights)


def damage(mechanism):
    """A mechanism as a function of the arrays of a set."""
    attributes = tuple(Attribute(name, ("x", "y", "z")) for name in "ab")

    def call(values, numbers, rate):
        labels = np.arange(N_POSITIONS) % 2
        given = SequenceSet(values, OFFSETS, attributes, labels, ("p", "q"), numbers=numbers, number_names=("n",))
        found = mechanism(given, rate, np.random.default_rng(1))
        return found.values, found.numbers

    return call


@cache
def calls(seed):
    """Functions and right arguments of them, by name."""
    rng = np.random.default_rng(seed)
    whole, normal, share = rng.integers, rng.normal, rng.random
    positions = whole(5, 9, 7)
    probable = {"probabilities": rng.dirichlet(np.ones(3), N_POSITIONS), "labels": whole(0, 3, N_POSITIONS)}
    true, predicted = np.array(["O", "B-X", "I-X", "B-Y"])[whole(0, 4, (2, N_POSITIONS))]
    tags = {"true": true, "predicted": predicted, "offsets": OFFSETS}
    labelled = {
        "truth": whole(-1, 3, N_POSITIONS),
        "predicted": whole(0, 3, N_POSITIONS),
        "weights": share(N_POSITIONS),
    }
    trainings, groups = [whole(0, 5, (n, 6)) for n in (2, 3, 2)], whole(0, 6, 20)
    interval = {"low": normal(size=3), "high": normal(size=3)}
    counts = pd.DataFrame([*product("ab", range(3), range(4))], columns=["method", "training_set", "sequence"]).assign(
        dataset="d",
        rate=0.1,
        test_set=0,
        group=lambda rows: rows["sequence"],
        block=lambda rows: rows["sequence"],
        n_positions=lambda rows: 9 + rows["sequence"],
        n_correct=whole(2, 8, 24),
    )
    outcomes = pd.DataFrame([*product("ab", range(N_POSITIONS))], columns=["method", "position"]).assign(
        dataset="d",
        decoder="viterbi",
        sequence=lambda rows: rows["position"] // 4,
        correct=whole(0, 2, 2 * N_POSITIONS) == 1,
    )
    points = pd.Series([80.0, 81.0, 79.5], index=pd.Index(list("abc"), name="method"), name="value")
    comparisons = pd.DataFrame([("a", "b"), ("a", "c"), ("b", "c")], columns=["method", "other"]).assign(
        case="x",
        value=normal(size=3),
        standard_error=1.0,
        degrees_of_freedom=5.0,
        decision="undecided",
    )
    rows = [
        (sequence_accuracy, labelled | {"offsets": OFFSETS}),
        (brier_score, probable),
        (reliability, probable),
        (estimate_accuracy, {"correct": whole(0, positions + 1, 7), "positions": positions}),
        (mean_with_interval, {"values": normal(size=5)}),
        (adjust_holm, {"p_values": share(5)}),
        (decide, interval | {"points": normal(size=3), "p_value": share(3)}),
        (
            estimate_resampled,
            {"differences": whole(-3, 4, (2, 5)), "positions": whole(9, 12, 5), "test_per_train": 0.5},
        ),
        (sequence_folds, {"groups": groups, "n_folds": 3, "seed": 0}),
        (compare_flips, {"methods": list("abc"), "correct": trainings, "n_positions": 60, "seed": 0}),
        (estimate_crossed, {"differences": whole(-3, 4, (2, 5, 3)), "positions": whole(9, 12, (5, 3))}),
        *((function, tags) for function in (chunk_f1, chunk_f1_by_type, segment_f1)),
        (compare_methods, {"counts": counts, "baseline": "a"}),
        *((function, {"counts": counts}) for function in OF_COUNTS),
        (compare_pairs, {"outcomes": outcomes}),
        (rank_methods, {"accuracy_points": points, "comparisons": comparisons}),
        (
            rank_cases,
            {"accuracies": points.reset_index().assign(case="x"), "comparisons": comparisons, "case": ["case"]},
        ),
    ]
    data = {"values": whole(-1, 3, (N_POSITIONS, 2)), "numbers": normal(size=(N_POSITIONS, 1)), "rate": 0.3}
    return (
        {name: (of_positions(metric), labelled) for name, metric in METRICS.items() if metric is not sequence_accuracy}
        | {function.__name__: (function, arguments) for function, arguments in rows}
        | {name: (damage(each.make), data) for name, each in mechanisms.MECHANISMS.items()}
    )


OF_COUNTS = (compare_all, analysis_of_deviance, compare_crossed, decompose_crossed, decompose_variance)
SAME, WRONG, OTHER = "same", "wrong", "other"


@st.composite
def arrays(draw, kind, array):
    """An array in another form, no such array, or one of other values."""
    if kind == SAME:
        return draw(st.sampled_from([np.ndarray.tolist, *FORMS]))(array)
    if kind == WRONG:
        of_shape = [np.full(array.shape, None), np.zeros(array.shape, "M8[s]"), np.zeros(array.shape, complex)]
        return draw(st.sampled_from([[[1, 2], [3]], array[None], np.array(1), "abc", object(), *of_shape]))
    if array.dtype.kind in "US":
        return draw(changed_values(array))
    return draw(changed_array(array, TYPES) | changed_values(array.astype(float)))


@st.composite
def frames(draw, kind, frame):
    """The same for a frame."""
    columns = draw(st.permutations(list(frame.columns)))
    column = columns[0]
    if kind == SAME:
        return draw(st.sampled_from([frame[columns], frame.copy(), frame.astype({frame.columns[0]: object})]))
    if kind == WRONG:
        others = [frame.to_dict("list"), frame.to_numpy(), None, frame.iloc[:, :0], frame["method"]]
        return draw(st.sampled_from(others))
    place = draw(st.integers(0, len(frame) - 1))
    values = frame[column].astype(object).tolist()
    values[place] = draw(st.sampled_from([*VALUES, None, "x", True]))
    typed = pd.Series(values, index=frame.index)
    columns = (np.resize(["x", "y"], len(frame)), typed, typed.infer_objects())
    rows = (frame.drop(columns=column), frame.iloc[:place], pd.concat([frame, frame.iloc[[0]]]))
    return draw(st.sampled_from([*rows, *(frame.assign(**{column: each}) for each in columns)]))


@st.composite
def changed_arguments(draw, name):
    """A function, right arguments, how one of them is changed, and all arguments then."""
    call, right = calls(draw(st.integers(0, 9)))[name]
    names = [name for name in right if isinstance(right[name], np.ndarray | pd.DataFrame) or name == "correct"]
    changed = draw(st.sampled_from(names))
    kind, given = draw(st.sampled_from([SAME, WRONG, OTHER, OTHER])), right[changed]
    if isinstance(given, list):
        place = draw(st.integers(0, len(given) - 1))
        given = [*given[:place], draw(arrays(kind, given[place])), *given[place + 1 :]]
    else:
        given = draw((frames if isinstance(given, pd.DataFrame) else arrays)(kind, given))
    return call, right, kind, right | {changed: given}


def assert_same(found, expected):
    if isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=1e-9)
    elif dataclasses.is_dataclass(expected):
        assert_same(vars(found), vars(expected))
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


@pytest.mark.parametrize("name", calls(0))
def test_an_argument_that_is_changed(name):
    def use(given):
        call, right, kind, changed = given
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

    fuzz(changed_arguments(name), use, 0.2)
