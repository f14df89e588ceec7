"""Metrics as ratios of counts: against other ways to count, and what decoding for them allows."""

import numpy as np
import pytest
from builders import larger_set

from treecrf import LinearCRF, SequenceSet
from treecrf.automl.scores import Counts, Metric, breaks_scheme, choose_metric
from treecrf.chain.constraints import last_labels_of_scheme, steps_of_scheme
from treecrf.statistics.chunks import chunk_f1, segment_f1
from treecrf.statistics.metrics import estimate_accuracy

NAMES = {
    "bio": ("B-X", "B-Y", "I-X", "I-Y", "O"),
    "bioes": ("B-X", "E-X", "I-X", "O", "S-X"),
    "bilou": ("B-X", "I-X", "L-X", "O", "U-X"),
    "bmes": ("B", "E", "M", "S"),
}


def tagged(scheme, n_sequences=30, seed=0):
    """Labels that keep to a scheme, drawn step by step, and an input that mostly tells the label."""
    rng, names = np.random.default_rng(seed), NAMES[scheme]
    follows, may_end = steps_of_scheme(names, scheme), last_labels_of_scheme(names, scheme)
    labels, lengths = [], []
    while len(lengths) < n_sequences:
        path = []
        for _ in range(int(rng.integers(1, 12))):
            path.append(int(rng.choice(np.flatnonzero(follows[path[-1] if path else -1]))))
        if may_end[path[-1]]:
            labels += path
            lengths.append(len(path))
    codes = np.array(labels)
    seen = np.where(rng.random(len(codes)) < 0.6, codes, rng.integers(0, len(names), len(codes)))
    offsets = np.append(0, np.cumsum(lengths))
    return SequenceSet(seen[:, None], offsets, [("a", [*"abcde"[: len(names)]])], codes, names)


@pytest.mark.parametrize("scheme", NAMES)
def test_span_f1_is_that_of_chunks(scheme):
    data = tagged(scheme)
    metric = choose_metric(data)
    assert metric == Metric("span_f1", scheme)
    predicted = data.values[:, 0].astype(np.int16)
    counts = metric.counts(predicted, data)
    names = np.array(data.label_names)
    strict = {"bilou": "BILOU", "bmes": "BMES"}.get(scheme)
    assert counts.points == pytest.approx(chunk_f1(names[data.labels], names[predicted], data.offsets, strict).f1)
    one = metric.counts(predicted[: data.offsets[1]], data.select([0]))
    assert (one.numerator, one.denominator) == (counts.numerator[0], counts.denominator[0])
    assert metric.counts(np.array(data.labels), data).points == 100


def test_accuracy_and_segments():
    data = larger_set()
    predicted = np.roll(data.labels, 1)
    right = Metric().counts(predicted, data)
    assert right.points == pytest.approx(100 * (predicted == data.labels).mean())
    assert right.estimate() == estimate_accuracy(right.numerator, right.denominator)
    names = np.array(data.label_names)
    expected = segment_f1(names[data.labels], names[predicted], data.offsets).f1
    assert Metric("segment_f1").counts(predicted, data).points == pytest.approx(expected)
    assert choose_metric(data) == Metric("accuracy")
    with pytest.raises(ValueError, match="--metric span_f1 needs labels that mark spans"):
        choose_metric(data, "span_f1")


def test_parts_add_up_and_deviate_as_the_jackknife_does():
    rng = np.random.default_rng(0)
    whole = rng.integers(5, 30, 200)
    counts = Counts(rng.binomial(whole, 0.7), whole)
    assert counts.parts.sum() == pytest.approx(counts.points)
    leaving = [counts.of(np.arange(200) != left).points for left in range(200)]
    jackknife = np.sqrt(199 / 200 * ((leaving - np.mean(leaving)) ** 2).sum())
    ours = np.sqrt(200 / 199) * np.linalg.norm(counts.parts - counts.parts.mean())
    assert ours == pytest.approx(jackknife, rel=0.02)
    group = np.arange(200) // 2
    assert counts.by_group(group).points == counts.points
    for of_groups, of_sequences in zip(counts.by_group(group), counts, strict=True):
        assert of_groups.tolist() == np.bincount(group, weights=of_sequences).tolist()
    stacked = Counts.stacked([counts, counts])
    assert stacked.by_group(group).parts.shape == (2, 100)
    assert Counts.joined([counts, counts]).points == counts.points


@pytest.mark.parametrize("scheme", NAMES)
def test_impossible_pairs_are_left_out(scheme):
    data, other = tagged(scheme), tagged(scheme, seed=1)
    labeller = LinearCRF(max_iterations=3).fit(data)
    metric = choose_metric(data)
    predicted = metric.predict(labeller, other)
    assert choose_metric(other.with_labels(predicted)).constraints == scheme
    greedy = labeller.predict_proba(other).argmax(axis=1).astype(np.int16)
    assert (Metric().decode(labeller.predict_proba(other), other.offsets, other.label_names) == greedy).all()
    sure = np.zeros((other.n_positions, len(other.label_names)))
    sure[:, 1] = 1  # what no sequence may have everywhere
    found = metric.decode(sure, other.offsets, other.label_names)
    assert choose_metric(other.with_labels(found)).constraints == scheme


def test_the_decoded_sequence_is_the_likeliest_of_the_possible_ones():
    marginals = np.random.default_rng(0).dirichlet(np.ones(5), 3)
    follows = steps_of_scheme(NAMES["bio"], "bio")
    possible = [path for path in np.ndindex(5, 5, 5) if follows[[-1, *path[:2]], path].all()]
    best = max(possible, key=lambda path: np.prod(marginals[range(3), path]))
    assert Metric("span_f1", "bio").decode(marginals, np.array([0, 3]), NAMES["bio"]).tolist() == list(best)


def test_slips_of_annotators_are_no_reason_to_break_the_scheme():
    names, n = ["O", "B-X", "I-X"], 300
    labels = np.tile([0, 1, 2], n)
    labels[1] = 2  # one span of 300 that begins with I
    data = SequenceSet(labels[:, None], np.array([0, len(labels)]), [("a", list("abc"))], labels, names)
    assert choose_metric(data) == Metric("span_f1", "bio")
    assert not breaks_scheme(data)
    labels[1::30] = 2
    assert choose_metric(data.with_labels(labels)) == Metric("span_f1", None)
    assert breaks_scheme(data.with_labels(labels))


def test_labels_that_break_the_scheme_are_not_constrained():
    data = tagged("bio")
    labels = np.array(data.labels)
    labels[0] = data.label_names.index("I-X")  # as in the first scheme of this kind, where only neighbours need a B
    assert choose_metric(data.with_labels(labels)) == Metric("span_f1", None)
