"""Constrained predictions, best paths, spans and streams, against the likelihoods of all label sequences."""

import itertools
import math
import warnings

import naive_decoding
import numpy as np
import pytest
from builders import random_set
from numpy.testing import assert_allclose, assert_array_equal

import treecrf
from treecrf import MEMM, SequenceSet, SlidingWindow, TreeCRF, VotedPerceptron
from treecrf.models.custom import CustomLabeller

TREES = {"n_iterations": 3, "max_leaves": 4, "l2_regularization": 1.0}
LABELLERS = {
    "order 0": SlidingWindow(**TREES, window=(1, 1)),
    "order 1": TreeCRF(**TREES, window=(1, 1)),
    "order 2": TreeCRF(**TREES, order=2),
    "order 3": TreeCRF(**TREES, order=3, window=(0, 1)),
    "memm": MEMM(**TREES, order=2, window=(1, 0)),
    "separable": TreeCRF(**TREES, window=(1, 1), transitions="separable"),
    "dictionary": TreeCRF(**TREES, window=(0, 1), label_dictionary="a0"),
    "perceptron": VotedPerceptron(n_epochs=3, window=(1, 1)),
    "induced": treecrf.InducedCRF(n_iterations=4, features_per_induction=5, window=(1, 0)),
    "linear": treecrf.LinearCRF(window=(2, 1)),
    "custom": CustomLabeller("window_naive_bayes:WindowNaiveBayes", window=(1, 1)),
}
CLOSE = {"rtol": 1e-8, "atol": 1e-10}


def sets(seed=0):
    """To learn from, and to label: four sequences of up to four positions, three labels."""
    rng = np.random.default_rng(seed)
    train = random_set(rng, 30, 3, 2, 3, 5)
    data = random_set(rng, 8, 3, 2, 3, 4)
    return train, data.select(np.argsort(-data.lengths, kind="stable")[[7, 0, 3, 1]])


@pytest.fixture(scope="module", params=LABELLERS)
def fitted(request):
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of linear models that stop early
        patch.chdir(request.config.rootpath / "examples")
        return LABELLERS[request.param].fit(sets()[0])


@pytest.fixture(scope="module")
def every(fitted):
    """log P(path | X) of all label sequences, for each sequence."""
    labeller, (_, data) = fitted, sets()
    n_labels, longest = len(labeller.label_names_), int(data.lengths.max())
    found = [{} for _ in range(len(data))]
    for path in itertools.product(range(n_labels), repeat=longest):
        labels = np.concatenate([path[:length] for length in data.lengths])
        logs = labeller.log_likelihood(data.with_labels(labels, labeller.label_names_))
        for i, length in enumerate(data.lengths):
            found[i][path[:length]] = float(logs[i])
    return found


def kept(paths, data, limits):
    """Those that are within limits."""
    allowed = np.ones((data.n_positions, 3), dtype=bool) if limits.get("allowed") is None else limits["allowed"].copy()
    for position, label in enumerate(limits.get("known", [])):
        allowed[position] &= (label == -1) | (np.arange(3) == label)
    return [
        {
            path: score
            for path, score in of_one.items()
            if score > -np.inf and naive_decoding.is_allowed(path, begin, allowed, limits.get("constraints"))
        }
        for of_one, begin in zip(paths, data.offsets[:-1], strict=True)
    ]


def limits_of(rng, data, names):
    """Some limits."""
    allowed = rng.random((data.n_positions, 3)) < 0.7
    known = np.where(rng.random(data.n_positions) < 0.3, rng.integers(0, 3, data.n_positions), -1)
    follows = rng.random((4, 3)) < 0.7
    return {name: {"allowed": allowed, "known": known, "constraints": follows}[name] for name in names}


@pytest.mark.parametrize("names", [["allowed"], ["known"], ["constraints"], ["allowed", "known", "constraints"]])
def test_within_limits(fitted, every, names):
    _, data = sets()
    rng = np.random.default_rng(len(names))
    for _ in range(3):
        limits = limits_of(rng, data, names)
        paths = kept(every, data, limits)
        empty = [i for i, of_one in enumerate(paths) if not of_one]
        if empty:
            for ask in (fitted.predict, fitted.predict_proba):
                with pytest.raises(ValueError, match=rf"^sequence {empty[0]}: no labelling is left by its position"):
                    ask(data, **limits)
            continue
        expected, best = np.zeros((data.n_positions, 3)), []
        for of_one, begin in zip(paths, data.offsets[:-1], strict=True):
            best += naive_decoding.n_best(of_one, 1)[0]
            for path, probability in naive_decoding.probabilities(of_one).items():
                expected[begin + np.arange(len(path)), path] += probability
        found = fitted.predict_proba(data, **limits)
        assert_allclose(found, expected, **CLOSE)
        assert (found[expected == 0] == 0).all()
        assert_array_equal(fitted.predict(data, **limits), found.argmax(axis=1))
        assert_array_equal(fitted.predict(data, "viterbi", **limits), best)


def test_n_best_and_spans(fitted, every):
    _, data = sets()
    for limits in ({}, {"known": np.where(np.arange(data.n_positions) == 2, 1, -1)}):
        paths = kept(every, data, limits)
        if not all(paths):  # a dictionary may forbid a label that is known
            continue
        n = 3**4
        found = fitted.predict_n_best(data, n, **limits)
        for i, of_one in enumerate(paths):
            begin, end = data.offsets[i : i + 2]
            assert found.n_paths[i] == len(of_one)
            logs = found.log_probabilities[: len(of_one), i]
            probability = naive_decoding.probabilities(of_one)
            rows = [tuple(row) for row in found.labels[: len(of_one), begin:end].tolist()]
            assert set(rows) == set(of_one)
            assert_allclose(np.exp(logs), [probability[row] for row in rows], **CLOSE)
            assert (np.diff(logs) <= 1e-12).all()
        assert_array_equal(fitted.predict(data, "viterbi", **limits), found.labels[0])
        spans = [(i, a, b, name) for i in range(4) for a in range(2) for b in range(a, 4) for name in "ABC"]
        spans = [span for span in spans if span[2] < data.lengths[span[0]]]
        wanted = [
            math.fsum(
                p
                for path, p in naive_decoding.probabilities(paths[i]).items()
                if set(path[a : b + 1]) == {"ABC".index(name)}
            )
            for i, a, b, name in spans
        ]
        assert_allclose(fitted.span_probability(data, spans, **limits), wanted, **CLOSE)


def test_without_limits_nothing_changes(fitted):
    _, data = sets()
    assert_array_equal(fitted.predict(data, allowed=None, lag=None), fitted.predict(data))
    everything = np.ones((data.n_positions, 3), dtype=bool)
    assert_allclose(fitted.predict_proba(data, allowed=everything), fitted.predict_proba(data), **CLOSE)


# --- streams ----------------------------------------------------------------------------------------


def observations(data, sequence):
    begin, end = data.observation_offsets[sequence : sequence + 2]
    for row in data.values[begin:end]:
        yield {a.name: a.categories[code] for a, code in zip(data.attributes, row, strict=True)}


def is_chain(labeller):
    return not isinstance(labeller, CustomLabeller)


@pytest.mark.parametrize("masked", [False, True])
def test_streams_give_what_lagged_predictions_give(fitted, masked):
    if not is_chain(fitted):
        with pytest.raises(ValueError, match=r"^CustomLabeller labels no streams, as it is no chain of windows;"):
            fitted.stream(3)
        return
    _, data = sets()
    follows = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1], [1, 1, 1]], dtype=bool) if masked else None
    for lag in (1, 2, 9):
        expected = fitted.predict_proba(data, lag=lag, constraints=follows)
        labels = fitted.predict(data, lag=lag, constraints=follows)
        for sequence, (begin, end) in enumerate(itertools.pairwise(data.offsets)):
            stream = fitted.stream(lag, constraints=follows)
            found = [stream.push(observation) for observation in observations(data, sequence)]
            assert found[:lag] == [None] * min(lag, end - begin)
            found = [*found[lag:], *stream.finish()]
            assert [label.position for label in found] == list(range(end - begin))
            assert_allclose([label.probabilities for label in found], expected[begin:end], **CLOSE)
            assert [label.label for label in found] == [fitted.label_names_[i] for i in labels[begin:end]]
    whole = fitted.predict_proba(data, constraints=follows)
    assert_allclose(expected, whole, **CLOSE)  # a lag of 9 sees everything


def test_a_lagged_label_is_the_last_one_of_a_cut_set(fitted):
    """Potentials of complete windows decide: those of the set whose later positions have none."""
    if not is_chain(fitted):
        return
    _, data = sets()
    right = fitted.reach[1]
    lag, trellis = right + 1, fitted.trellis(data)
    for begin, end in itertools.pairwise(data.offsets):
        for t in range(end - begin):
            cut = min(t + 2, end - begin)  # the positions that count
            part = trellis._replace(
                offsets=np.array([0, cut]),
                unary=trellis.unary[begin : begin + cut],
                table=np.ascontiguousarray(trellis.table[:, begin : begin + cut])
                if trellis.table.size
                else trellis.table,
                rows=trellis.rows[begin : begin + cut],
                columns=trellis.columns[begin : begin + cut],
            )
            found = treecrf.chain.trellis.trellis_marginals(part).labels[t]
            assert_allclose(fitted.predict_proba(data, lag=lag)[begin + t], found, **CLOSE)


def numbers_set():
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(60, 2))
    numbers[5, 0] = np.nan
    words = rng.integers(-1, 3, (60, 1))
    labels = (numbers[:, 1] > 0).astype(int) + (words[:, 0] > 1)
    return SequenceSet(
        words,
        np.arange(0, 61, 6),
        [("word", "xyz")],
        labels,
        ("O", "B-a", "I-a"),
        numbers=numbers,
        number_names=("u", "v"),
    )


def test_streams_of_numbers_holes_and_new_categories():
    data = numbers_set()
    labeller = TreeCRF(**TREES, window=(1, 0), missing="instance_weighting").fit(data)
    one = data.select([0])
    codes = one.values.copy()
    new = one.with_values(codes, (one.attributes[0]._replace(categories=("new", "y", "z")),))
    with pytest.warns(UserWarning, match="treated as missing"):
        expected = labeller.predict_proba(new, lag=0, constraints="bio")
    stream = labeller.stream(0, constraints="bio")
    for t in range(6):
        cell = codes[t, 0]
        word = None if cell < 0 else ("new", "y", "z")[cell]
        observation = {
            "word": word,
            "u": None if np.isnan(one.numbers[t, 0]) else one.numbers[t, 0],
            "v": one.numbers[t, 1],
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = stream.push(observation)
        assert_allclose(found.probabilities, expected[t], **CLOSE)
    assert stream.finish() == []


def test_the_last_label_of_a_scheme_is_known_at_the_end():
    data = numbers_set().with_labels(numbers_set().labels, ("O", "B-a", "E-a"))
    labeller = TreeCRF(**TREES, missing="instance_weighting").fit(data)
    whole = labeller.predict_proba(data, constraints="bioes")
    assert (whole[data.offsets[1:] - 1, 1] == 0).all()
    assert_allclose(labeller.predict_proba(data, lag=7, constraints="bioes"), whole, **CLOSE)
    expected = labeller.predict_proba(data.select([1]), lag=1, constraints="bioes")
    stream = labeller.stream(1, constraints="bioes")
    rows = zip(data.select([1]).values[:, 0], data.select([1]).numbers, strict=True)
    pushed = [stream.push({"word": None if c < 0 else "xyz"[c], "u": u, "v": v}) for c, (u, v) in rows]
    found = [label.probabilities for label in [*pushed[1:], *stream.finish()]]
    assert_allclose(found, expected, **CLOSE)
    with pytest.raises(ValueError, match=r"^lag=0: give a whole number of observations, at least the 1 that"):
        labeller.stream(0, constraints="bioes")


# --- errors -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def labeller():
    return LABELLERS["order 1"].fit(sets()[0])


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (
            {"lag": 0},
            r"^lag=0: give a whole number of observations, at least the 1 that the labeller sees after a position\.$",
        ),
        ({"lag": 2.0}, r"^lag=2\.0: give a whole number"),
        ({"lag": True}, r"^lag=True: give a whole number"),
        ({"allowed": [[True] * 3]}, r"^allowed must be bool of shape \(\d+, 3\)"),
        ({"known": [5]}, r"^known must be codes"),
        ({"constraints": "bio"}, r"^the label 'A' is none of the scheme bio"),
        ({"constraints": "iob9"}, r"^the scheme 'iob9' is not known"),
        ({"constraints": np.ones((3, 3), dtype=bool)}, r"^constraints must be the name of a scheme"),
        ({"decoder": "viterbi", "lag": 4}, r"^lag: whole paths are known at the end alone;"),
        ({"decoder": "best", "lag": 4}, r"^decoder 'best' is not known"),
    ],
)
def test_limits_that_are_none_are_refused(labeller, limits, message):
    with pytest.raises(ValueError, match=message):
        labeller.predict(sets()[1], **limits)


def test_questions_that_have_no_answer_are_refused(labeller):
    data = sets()[1]
    with pytest.raises(ValueError, match=r"^n=0: give the number of paths"):
        labeller.predict_n_best(data, 0)
    with pytest.raises(ValueError, match=r"^n='3': give the number of paths"):
        labeller.predict_n_best(data, "3")
    with pytest.raises(
        ValueError, match=r"^\(0, 1, 'A'\) is no span; give \(sequence, first position, last position, label\)\.$"
    ):
        labeller.span_probability(data, [(0, 1, "A")])
    with pytest.raises(ValueError, match=r"^lag: whole paths are known at the end alone;"):
        labeller.predict_n_best(data, 1, lag=3)
    with pytest.raises(ValueError, match=r"is not fitted; call fit first\.$"):
        TreeCRF().stream(1)
    beam = TreeCRF(**TREES, transitions="separable", beam=2).fit(sets()[0])
    with pytest.raises(ValueError, match=r"^beam=2 labels no streams, as"):
        beam.predict(data, lag=3)


def test_streams_refuse_what_is_no_observation(labeller):
    stream = labeller.stream(1)
    with pytest.raises(
        ValueError, match=r"^observation 0 has no 'a1'; give each of 'a0', 'a1' \(None where it is missing\)\.$"
    ):
        stream.push({"a0": "a"})
    assert stream.push({"a0": "a", "a1": "b"}) is None
    assert [label.position for label in stream.finish()] == [0]
    with pytest.raises(ValueError, match=r"^the stream has ended; make another one for the next sequence\.$"):
        stream.push({"a0": "a", "a1": "b"})
    with pytest.raises(ValueError, match=r"^the stream has ended;"):
        stream.finish()
    numbers = TreeCRF(**TREES, missing="instance_weighting").fit(numbers_set()).stream(0)
    for value in ("1", math.inf):
        with pytest.raises(ValueError, match=r"^observation 0: 'u' is .*; give a number, or None\.$"):
            numbers.push({"word": "x", "u": value, "v": 1})


def test_ensembles_are_positions_by_themselves():
    train, data = sets()
    ensemble = treecrf.Ensemble(
        experts=(TreeCRF(**TREES), VotedPerceptron(n_epochs=2)), combine="marginal_average", n_folds=2
    ).fit(train)
    allowed = np.ones((data.n_positions, 3), dtype=bool)
    allowed[3] = [False, True, True]
    expected = ensemble.predict_proba(data) * allowed
    assert_allclose(
        ensemble.predict_proba(data, allowed=allowed), expected / expected.sum(axis=1, keepdims=True), **CLOSE
    )
    assert_array_equal(ensemble.predict(data, allowed=allowed), expected.argmax(axis=1))
