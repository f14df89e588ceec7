"""Probabilities of spans against enumeration."""

import itertools

import naive_decoding
import numpy as np
import pytest
from random_chains import SMALL, random_chains

from treecrf.chain import trellis as trellises
from treecrf.chain.spans import Span, span_probability

CLOSE = {"rtol": 1e-9, "atol": 1e-12}
TAGS = {"bio": ("O", "B-X", "I-X", "B-Y"), "bioes": ("I", "S", "O", "E", "B")}


def every_span(offsets, labels):
    for sequence, length in enumerate(np.diff(offsets)):
        for first, last in itertools.combinations_with_replacement(range(length), 2):
            yield from (Span(sequence, first, last, label) for label in labels)


def expected(potentials, offsets, order, span, holds, allowed=None, follows=None):
    begin, end = offsets[span.sequence], offsets[span.sequence + 1]
    scores = naive_decoding.constrained_paths(potentials, begin, end, order, allowed, follows)
    return sum(p for path, p in naive_decoding.probabilities(scores).items() if holds(path, span))


def entities(path, names, scheme):
    """(first, last, type) of the entities in a label sequence; a label that is out of place begins none."""
    tags = [names[label] for label in path]
    for first, tag in enumerate(tags):
        letter, kind = tag[:1], tag[2:]
        inside = f"I-{kind}" if kind else "I"
        after = first + 1
        while tags[after : after + 1] == [inside]:
            after += 1
        if letter == "S":
            yield first, first, kind
        elif letter == "B" and scheme == "bio":
            yield first, after - 1, kind
        elif letter == "B" and after < len(tags) and tags[after] == ("E-" + kind if kind else "E"):
            yield first, after, kind


@pytest.mark.parametrize(("n_labels", "order"), [case for case in SMALL if case[0] > 1])
def test_one_label_at_all_positions(n_labels, order):
    potentials, offsets = random_chains([1, n_labels, order], n_labels, order, [4, 1, 3])
    names = tuple("abcd"[:n_labels])

    def holds(path, span):
        return all(names[label] == span.label for label in path[span.first : span.last + 1])

    spans = list(every_span(offsets, names))[::-1]  # in no order of sequences
    found = span_probability(trellises.trellis_of_potentials(potentials, offsets, order), spans, names)
    np.testing.assert_allclose(found, [expected(potentials, offsets, order, s, holds) for s in spans], **CLOSE)


@pytest.mark.parametrize("order", range(4))
@pytest.mark.parametrize("scheme", TAGS)
def test_entities(scheme, order):
    names = TAGS[scheme]
    potentials, offsets = random_chains([2, order], len(names), order, [1, 4])
    rng = np.random.default_rng(order)
    follows = rng.random((len(names) + 1, len(names))) < 0.8
    allowed = rng.random((5, len(names))) < 0.9
    kinds = {name[2:] for name in names if name != "O"}

    def holds(path, span):
        return (span.first, span.last, span.label) in entities(path, names, scheme)

    spans = list(every_span(offsets, kinds))
    for masks in ((None, None), (allowed, follows)):
        trellis = trellises.constrain(trellises.trellis_of_potentials(potentials, offsets, order), *masks)
        found = span_probability(trellis, spans, names, scheme)
        wanted = [expected(potentials, offsets, order, span, holds, *masks) for span in spans]
        np.testing.assert_allclose(found, wanted, **CLOSE)
        assert sum(wanted) > 0


def test_no_spans():
    trellis = trellises.trellis_of_scores(np.zeros((3, 2)), np.array([0, 3]))
    assert span_probability(trellis, [], ("a", "b")).shape == (0,)


@pytest.mark.parametrize(
    ("span", "entities", "message"),
    [
        ((2, 0, 0, "O"), None, r"^span of sequence 2, positions 0 to 0: the set has the sequences 0 to 1\.$"),
        ((0, 2, 1, "O"), None, r"positions 2 to 1: give a first and a last position among 0 to 2, in this order\.$"),
        ((1, 0, 1, "O"), None, r"among 0 to 0, in this order\.$"),
        ((0, 0, 1, "X"), None, r"positions 0 to 1: there is no label 'X'; there are 'O', 'B-X'\.$"),
        ((0, 0, 1, "O"), "bio", r"there is no type of entities 'O'; there are 'X'\.$"),
        ((0, 0, 1, "X"), "conll", r"^the scheme 'conll' is not known"),
    ],
)
def test_what_there_is_not_is_refused(span, entities, message):
    trellis = trellises.trellis_of_scores(np.zeros((4, 2)), np.array([0, 3, 4]))
    with pytest.raises(ValueError, match=message):
        span_probability(trellis, [span], ("O", "B-X"), entities)


def test_labels_that_there_are_not_make_no_entity():
    trellis = trellises.trellis_of_scores(np.zeros((3, 2)), np.array([0, 3]))
    np.testing.assert_allclose(
        span_probability(trellis, [(0, 0, 1, "X"), (0, 0, 0, "X")], ("O", "B-X"), "bio"), [0, 0.5]
    )
