"""Masks from schemes and known labels against rules that are written out, and the encoding of entities."""

import itertools

import numpy as np
import pytest

from treecrf.chain import constraints

NAMES = {
    "bio": ("O", "B-PER", "I-PER", "B-LOC", "I-LOC"),
    "bioes": ("O", "B-PER", "I-PER", "E-PER", "S-PER", "B-X-Y", "E-X-Y"),
}


def encode(pieces, scheme):
    """Labels of a sequence of pieces, which are "O" or (type, length)."""
    for piece in pieces:
        if piece == "O":
            yield "O"
            continue
        kind, length = piece
        letters = ["B", *"I" * (length - 1)]
        if scheme == "bioes":
            letters = ["S"] if length == 1 else ["B", *"I" * (length - 2), "E"]
        yield from (f"{letter}-{kind}" for letter in letters)


def encodings(scheme, kinds, length):
    """The label sequences of this length that are encodings of entities."""
    choices = ["O", *itertools.product(kinds, range(1, length + 1))]
    for n_pieces in range(1, length + 1):
        for pieces in itertools.product(choices, repeat=n_pieces):
            found = tuple(encode(pieces, scheme))
            if len(found) == length and set(found) <= set(NAMES[scheme]):
                yield found


@pytest.mark.parametrize(("scheme", "kinds"), [("bio", ("PER", "LOC")), ("bioes", ("PER", "X-Y"))])
@pytest.mark.parametrize("length", [1, 2, 4])
def test_paths_of_a_scheme_are_the_encodings_of_entities(scheme, kinds, length):
    names = NAMES[scheme]
    follows = constraints.steps_of_scheme(names, scheme)
    may_end = constraints.last_labels_of_scheme(names, scheme)
    left = {
        tuple(names[label] for label in path)
        for path in itertools.product(range(len(names)), repeat=length)
        if follows[[-1, *path[:-1]], path].all() and may_end[path[-1]]
    }
    assert left == set(encodings(scheme, kinds, length))


def test_labels_without_types():
    follows = constraints.steps_of_scheme(("I", "O", "B"), "bio")
    np.testing.assert_array_equal(follows, [[1, 1, 1], [0, 1, 1], [1, 1, 1], [0, 1, 1]])


@pytest.mark.parametrize("name", ["X-PER", "B-", "BPER", "", "b-PER", "E-PER", "O-PER"])
def test_labels_that_a_scheme_does_not_have_are_refused(name):
    with pytest.raises(ValueError, match=rf"^the label '{name}' is none of the scheme bio: O, B, I, or one of"):
        constraints.steps_of_scheme(("O", "B", name), "bio")


def test_other_schemes_are_refused():
    with pytest.raises(ValueError, match=r"^the scheme 'iob' is not known; choose one of bio, bioes, bilou, bmes\.$"):
        constraints.steps_of_scheme(("O", "B"), "iob")


def test_known_labels():
    found = constraints.allow_known([-1, 1, 0], 3, 2)
    np.testing.assert_array_equal(found, [[True, True], [False, True], [True, False]])


@pytest.mark.parametrize(
    ("check", "given", "message"),
    [
        (lambda given: constraints.allow_known(given, 2, 2), [0, 2], r"^known: 2 at position 1 is none of -1 to 1\.$"),
        (
            lambda given: constraints.allow_known(given, 2, 2),
            [0.0, 1.0],
            r"^known must be codes of labels .* not float64 of",
        ),
        (lambda given: constraints.allow_known(given, 2, 2), [0], r"of shape \(2,\), not int64 of shape \(1,\)\.$"),
        (
            lambda given: constraints.checked_allowed(given, 1, 2),
            [[True]],
            r"bool of shape \(1, 2\), .* not bool of shape \(1, 1",
        ),
        (lambda given: constraints.checked_allowed(given, 1, 2), [[1, 0]], r"^allowed must be bool"),
        (
            lambda given: constraints.checked_steps(given, 1),
            [[True]],
            r"bool array of shape \(2, 1\): .* of shape \(1, 1\)\.$",
        ),
        (lambda given: constraints.checked_steps(given, 1), [[1], [1]], r"these are int64"),
    ],
)
def test_what_is_no_mask_is_refused(check, given, message):
    with pytest.raises(ValueError, match=message):
        check(given)
