"""Sets that several test files need."""

from pathlib import Path

import numpy as np
import pytest

from treecrf import TreeCRF, chain
from treecrf.missing import inject
from treecrf.sequences import Attribute, SequenceSet, slot_sizes, window_codes

TESTS = Path(__file__).parents[1]
ROOT = TESTS.parent


def random_set(rng, n_sequences=6, n_labels=3, n_attributes=2, n_categories=3, longest=5):
    lengths = rng.integers(1, longest + 1, n_sequences)
    lengths[0] = 1
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    attributes = tuple(Attribute(f"a{j}", tuple("abcdefgh"[:n_categories])) for j in range(n_attributes))
    values = rng.integers(0, n_categories, (offsets[-1], n_attributes))
    labels = rng.integers(0, n_labels, offsets[-1])
    return SequenceSet(values, offsets, attributes, labels, tuple("ABCDE"[:n_labels]))


def binary_set():
    """Eight inputs of 0 or 1, and the exclusive or of the first two as the label."""
    values = np.random.default_rng(0).integers(0, 2, (48, 8))
    attributes = tuple(Attribute(f"x{j}", ("0", "1")) for j in range(1, 9))
    return SequenceSet(values, np.arange(0, 49, 8), attributes, values[:, 0] ^ values[:, 1], ("0", "1"))


def hidden_labels(data, share=0.4, seed=0):
    """The set with some labels unknown, one of them at least, but not that of the first position."""
    labels = np.array(data.labels)
    labels[np.random.default_rng(seed).random(len(labels)) < share] = -1
    labels[-1], labels[0] = -1, data.labels[0]
    return data.with_labels(labels)


def larger_set(seed=0, n_sequences=40, longest=30):
    return random_set(np.random.default_rng(seed), n_sequences, 3, 2, 5, longest)


def lasting_set(n_sequences=6, length=60):
    """Two labels, of which the second follows the first once in a sequence, and a category that mostly tells which it
    is.
    """
    rng = np.random.default_rng(0)
    changes = rng.integers(length // 4, 3 * length // 4, n_sequences)
    labels = (np.arange(length) >= changes[:, None]).ravel().astype(int)
    values = np.where(rng.random(labels.size) < 0.7, labels, rng.integers(0, 4, labels.size))
    attribute = Attribute("a0", tuple("abcd"))
    offsets = length * np.arange(n_sequences + 1)
    return SequenceSet(values[:, None], offsets, (attribute,), labels, ("A", "B"))


def letters(*words):
    """Words over a and b as sequences; the last letter of each has no position."""
    values = np.array([["ab".index(letter)] for word in words for letter in word])
    ends = np.cumsum([0] + [len(word) for word in words])
    offsets = ends - np.arange(len(ends))
    return SequenceSet(values, offsets, (Attribute("letter", ("a", "b")),), observation_offsets=ends)


def lettered_set(rng, n_sequences=30):
    """Four letters, each with two labels of five."""
    offsets = np.concatenate([[0], np.cumsum(rng.integers(1, 9, n_sequences))])
    letters = rng.integers(0, 4, offsets[-1])
    labels = letters + (rng.random(offsets[-1]) < 0.4)
    return SequenceSet(letters[:, None], offsets, (Attribute("letter", tuple("abcd")),), labels, tuple("VWXYZ"))


HOLE_METHODS = ("instance_weighting", "surrogate_splitting", "default_direction")


POLICIES = [
    {"missing": "instance_weighting"},
    {"missing": "instance_weighting", "scale_gain": True},
    {"missing": "surrogate_splitting"},
    {"missing": "surrogate_splitting", "scale_gain": True, "n_surrogates": 1},
    {"missing": "surrogate_splitting", "n_surrogates": 2, "either_polarity": False, "all_missing": "both"},
    {"missing": "default_direction"},
    {"missing": "default_direction", "unseen_missing": "both"},
]


def dependent_set(rng, n_sequences, n_labels=3, longest=5, n_categories=3, n_attributes=2, unlabelled=1):
    """Sequences with attributes that depend on each other, so that surrogates exist."""
    lengths = rng.integers(1, longest + 1, n_sequences)
    observed = lengths + rng.integers(0, unlabelled + 1, n_sequences)
    offsets, observation_offsets = (np.concatenate([[0], np.cumsum(part)]) for part in (lengths, observed))
    first = rng.integers(0, n_categories, observation_offsets[-1])
    columns = [np.where(rng.random(len(first)) < 0.7, first, rng.integers(0, n_categories, len(first)))]
    columns += [rng.permutation(n_categories)[columns[0]] if j == 1 else first for j in range(1, n_attributes)]
    attributes = [Attribute(f"a{j}", tuple("abcdefgh"[:n_categories])) for j in range(n_attributes)]
    labels = rng.integers(0, n_labels, offsets[-1])
    values = np.stack(columns, axis=1)
    return SequenceSet(values, offsets, attributes, labels, tuple("ABC"[:n_labels]), observation_offsets)


def assert_same_bits(first, second, sets=()):
    """The same trees, history, and potentials of other sets, byte for byte."""
    for name in first.forest_._fields:
        assert getattr(first.forest_, name).tobytes() == getattr(second.forest_, name).tobytes(), name
    assert first.log_likelihood_history_.tobytes() == second.log_likelihood_history_.tobytes()
    for data in sets:
        assert first.potentials(data).tobytes() == second.potentials(data).tobytes()


def named_start(model):
    """The potentials that training started from, for each label by its previous labels."""
    states = chain.StateSpace(len(model.label_names_), model.order).labels_of_state.tolist()
    return [dict(zip(map(tuple, states), row, strict=True)) for row in model.start_]


def assert_potentials(model, data, expected, tolerance=1e-8):
    """Potentials are those expected by (label, position, previous labels)."""
    states, potentials = list(named_start(model)[0]), model.potentials(data)
    for (label, position, previous), value in expected.items():
        assert abs(potentials[label, position, states.index(previous)] - value) <= tolerance


def assert_same_trees(first, second):
    """The same splits and values to the bit, whether or not they have surrogates."""
    for name in ("parents", "columns", "values", "first_split"):
        assert getattr(first.forest_, name).tobytes() == getattr(second.forest_, name).tobytes(), name
    for index in range(first.forest_.n_trees):
        one, other = first.forest_.tree(index), second.forest_.tree(index)
        for split in range(len(one.parents)):
            assert one.test(split).tolist() == other.test(split).tolist()


def assert_gradient(objective, at, gradient, every=1, atol=1e-6):
    """That every n-th number of a gradient is the slope of an objective there."""
    for index in range(0, len(at), every):
        step = 1e-5 * (np.arange(len(at)) == index)
        slope = (objective(at + step) - objective(at - step)) / 2e-5
        assert gradient[index] == pytest.approx(slope, abs=atol)


def words_of(data):
    """The categories of the first attribute of each sequence, as text."""
    letters = np.array(data.attributes[0].categories)[data.values[:, 0]]
    return ["".join(word) for word in np.split(letters, data.observation_offsets[1:-1])]


def contents(*sets):
    """Every sequence of some sets as bytes, in ascending order: its labels, then its inputs."""
    each = [one for data in sets for one in data]
    return sorted(one.labels.tobytes() + one.values.astype(np.int32).tobytes() for one in each)


def assert_methods_agree(train, test, **settings):
    plain = TreeCRF(**settings).fit(train)
    assert plain.forest_.first_split[-1] > plain.forest_.n_trees  # more than a split for each tree
    # Tests that differ on trimmed rows alone are equal in training, and "incorporated" may take another of them.
    for policy in POLICIES if "influence_trimming" in settings else [*POLICIES, {"missing": "incorporated"}]:
        model = TreeCRF(**settings, **policy).fit(train)
        if policy["missing"] != "incorporated":  # which may swap the sides of a test
            assert_same_trees(model, plain)
        assert model.log_likelihood_history_.tobytes() == plain.log_likelihood_history_.tobytes()
        assert model.potentials(test).tobytes() == plain.potentials(test).tobytes()


def damaged_sets(seed=0, n_sequences=40, longest=20):
    rng = np.random.default_rng(seed)
    return [inject(dependent_set(rng, n_sequences, longest=longest), 0.2, rng) for _ in range(2)]


def letter_set(seed, n_sequences=8, n_labels=3, longest=5, n_categories=4):
    """Letters that mostly tell the label, and a flag that does not."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, longest + 1, n_sequences)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    labels = rng.integers(0, n_labels, offsets[-1])
    letters = np.where(rng.random(offsets[-1]) < 0.6, labels, rng.integers(0, n_categories, offsets[-1]))
    values = np.stack([letters, rng.integers(0, 2, offsets[-1])], axis=1)
    attributes = (Attribute("letter", tuple("abcdef"[:n_categories])), Attribute("flag", ("no", "yes")))
    return SequenceSet(values, offsets, attributes, labels, tuple("XYZ"[:n_labels]))


def number_set(seed, n_sequences=40, n_numbers=3, n_labels=3, longest=20, noise=1.0):
    """A chain of labels, each of which has means of its own for some numbers; a letter tells it sometimes."""
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(rng.integers(1, longest + 1, n_sequences))])
    stays = rng.random(offsets[-1]) < 0.7
    drawn = rng.integers(0, n_labels, offsets[-1])
    labels = drawn[np.maximum.accumulate(np.where(stays, 0, np.arange(offsets[-1])))]
    means = np.random.default_rng([1, n_numbers]).normal(size=(n_labels, n_numbers))
    numbers = means[labels] + noise * rng.normal(size=(offsets[-1], n_numbers))
    letters = np.where(rng.random(offsets[-1]) < 0.5, labels, drawn)
    names = tuple(f"x{j}" for j in range(1, n_numbers + 1))
    return SequenceSet(
        letters[:, None],
        offsets,
        (Attribute("letter", tuple("abcdef"[:n_labels])),),
        labels,
        tuple("XYZUVW"[:n_labels]),
        numbers=numbers,
        number_names=names,
    )


def holed_numbers(seed):
    """A small `number_set` with missing numbers."""
    data = number_set(seed, n_sequences=12)
    missing = np.random.default_rng(seed).random(data.numbers.shape) < 0.3
    return data.with_numbers(np.where(missing, np.nan, data.numbers))


def copied_set(seed, n_sequences=40, n_labels=3):
    """A letter, a copy of it (which makes ties), a flag, a rare mark."""
    rng = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(rng.integers(1, 6, n_sequences))])
    letters = rng.integers(0, 3, offsets[-1])
    values = np.stack([letters, letters, rng.integers(0, 2, offsets[-1]), rng.random(offsets[-1]) < 0.1], axis=1)
    attributes = (
        Attribute("letter", ("a", "b", "c")),
        Attribute("copy", ("a", "b", "c")),
        Attribute("flag", ("no", "yes")),
        Attribute("mark", ("no", "yes")),
    )
    labels = rng.integers(0, n_labels, offsets[-1])
    return SequenceSet(values, offsets, attributes, labels, tuple("XYZ"[:n_labels]))


def cells_by_position(data, window):
    """The cells that hold at each position, from the codes of its window."""
    sizes = slot_sizes(data.attributes, window)
    first = np.concatenate([[0], np.cumsum(sizes)])
    return [
        {int(first[slot] + code) for slot, code in enumerate(row) if code < sizes[slot]}
        for row in window_codes(data, window)
    ]


def tuples(conjunctions):
    return [conjunctions.cells_of(i) for i in range(conjunctions.size)]


def letter_before(n_sequences=40, length=10, seed=0):
    """The letter before decides the label: a window of one is enough, and a chain helps nobody."""
    rng = np.random.default_rng(seed)
    letters = rng.integers(0, 3, (n_sequences, length))
    labels = np.hstack([np.zeros((n_sequences, 1), dtype=int), letters[:, :-1]])
    offsets = np.arange(n_sequences + 1) * length
    return SequenceSet(letters.reshape(-1, 1), offsets, [("letter", "abc")], labels.ravel(), "uvw")


def by_sequence(data):
    """The frames of the sequences, and lists of their labels."""
    frame = data.to_frame()
    parts = [part.drop(columns="sequence") for _, part in frame.groupby("sequence")]
    return [part.drop(columns="label") for part in parts], [part["label"].tolist() for part in parts]
