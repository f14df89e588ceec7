"""Parts of the network that need no JAX: shapes and first values of its weights, and batches of inputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treecrf.compiled.struct import Known, Rule
from treecrf.io.arrays import Bools, Ints, starts_of
from treecrf.models.window.features import Scale, standardized
from treecrf.sequences import MISSING, Attribute, SequenceSet

Shapes = dict[str, tuple[int, ...]]

FILTERS = 32, 64
"""Of the two convolutions over a picture, each of 3 by 3 places."""

CONVOLUTIONS = 3
"""Of a layer over the sequence, which see places 1, 2 and 4 apart."""


class Architecture(NamedTuple):
    """What decides the shapes of the weights.

    Attributes
    ----------
    kind : "lstm" or "convolution"
    n_codes : int
        Rows of the table of embeddings, of all attributes together.
    n_attributes, n_numbers, n_labels, n_places, embedding, width, n_layers : int
        `n_places`: those of the window that the first layer sees.
    order : 0 or 1
        Whether labels have transitions.
    picture : (int, int) or None
    """

    kind: str
    n_codes: int
    n_attributes: int
    n_numbers: int
    n_labels: int
    n_places: int
    embedding: int
    width: int
    n_layers: int
    order: int
    picture: tuple[int, int] | None

    def shapes(self) -> Shapes:
        """Shapes of the weights, by name; a bias has one axis."""
        n_inputs = self.n_attributes * self.embedding
        shapes: Shapes = {"embeddings": (self.n_codes, self.embedding)} if self.n_attributes else {}
        if self.picture is None:
            n_inputs += 2 * self.n_numbers
        else:
            n_before = 2
            for number, n_filters in enumerate(FILTERS):
                shapes |= {f"picture_{number}": (3, 3, n_before, n_filters), f"picture_{number}_bias": (n_filters,)}
                n_before = n_filters
            rows, columns = (-(-side // 2 ** len(FILTERS)) for side in self.picture)
            shapes |= {
                "picture_out": (rows * columns * n_before, 2 * self.width),
                "picture_out_bias": (2 * self.width,),
            }
            n_inputs += 2 * self.width
        n_inputs *= self.n_places
        w = self.width
        if self.kind == "convolution":
            shapes |= {"first": (n_inputs, w), "first_bias": (w,)}
            for layer in range(CONVOLUTIONS * self.n_layers):
                shapes |= {f"layer_{layer}_scale": (w,), f"layer_{layer}_shift": (w,)}
                shapes |= {f"layer_{layer}": (3 * w, w), f"layer_{layer}_bias": (w,)}
            n_inputs = w
        else:
            for layer in range(self.n_layers):
                shapes |= {f"layer_{layer}": (n_inputs, 8 * w), f"layer_{layer}_bias": (8 * w,)}
                shapes |= {f"layer_{layer}_state": (2, w, 4 * w)}
                n_inputs = 2 * w
        shapes |= {"out": (n_inputs, self.n_labels), "out_bias": (self.n_labels,)}
        return shapes | ({"transitions": (self.n_labels, self.n_labels + 1)} if self.order else {})

    def start(self, rng: np.random.Generator) -> dict[str, NDArray[np.float32]]:
        """Weights drawn at random (Glorot and Bengio 2010), the same on every machine."""
        weights = {}
        for name, shape in self.shapes().items():
            drawn = rng.standard_normal(shape)
            if name == "transitions" or len(shape) == 1:
                value = np.zeros(shape)
            elif name == "embeddings":
                value = drawn * 0.5
            else:
                fan_in, fan_out = int(np.prod(shape[:-1])), shape[-1]
                if name.endswith("_state"):
                    fan_in, fan_out = shape[1], shape[1]
                elif name.startswith("layer") and self.kind == "lstm":
                    fan_out = self.width
                value = drawn * np.sqrt(2 / (fan_in + fan_out))
            if name.endswith("_scale"):
                value += 1
            if self.kind == "lstm" and name.endswith("_bias") and name.startswith("layer"):
                value.reshape(2, 4, -1)[:, 1] = 1  # forget gates begin open
            weights[name] = value.astype(np.float32)
        return weights

    @property
    def n_weights(self) -> int:
        """How many numbers there are in all weights."""
        return sum(int(np.prod(shape)) for shape in self.shapes().values())


SHORTEST = 8
"""Rows have this length, twice as much, four times as much, and so on, as each length is compiled."""

MOST_LENGTHS = 3
"""A training set has rows of at most so many lengths."""


LONGEST = 2**24
"""No row is longer."""


def _are_row_lengths(lengths: Ints, _: Known) -> bool:
    return bool((lengths >= SHORTEST).all() and (lengths <= LONGEST).all() and (np.diff(lengths) > 0).all())


ROW_LENGTHS = Rule(f"rise from at least {SHORTEST} to at most {LONGEST:,}", _are_row_lengths)
"""What lengths of rows from a file must be."""


def row_lengths(n_observations: Ints) -> Ints:
    """The lengths of the rows of a training set, rising; of many, those are left out that save the least padding."""
    lengths, counts = np.unique(_doubled(n_observations, SHORTEST), return_counts=True)
    while len(lengths) > MOST_LENGTHS:
        spared = int((counts[:-1] * np.diff(lengths)).argmin())
        counts[spared + 1] += counts[spared]
        lengths, counts = np.delete(lengths, spared), np.delete(counts, spared)
    return lengths


def _doubled(n_observations: Ints, shortest: int) -> Ints:
    """The length, doubled as often as each sequence needs."""
    exponents = np.ceil(np.log2(np.maximum(n_observations, shortest) / shortest)).astype(np.int64)
    return shortest * 2**exponents


class Batch(NamedTuple):
    """Some sequences of at most `length` observations, and rows of no observations up to the size of a batch.

    Attributes
    ----------
    codes : int32, shape (n_rows, left + length + right, n_attributes)
        Rows of the network's table of embeddings.
    numbers : float32, shape (n_rows, left + length + right, n_numbers)
        Standard ones; NaN where missing, 0 outside the sequence.
    inside : bool, shape (n_rows, length)
        Where there are observations.
    positions : int64, shape (n_rows, length)
        Numbers of positions in the set; -1 where there is none.
    """

    codes: NDArray[np.int32]
    numbers: NDArray[np.float32]
    inside: Bools
    positions: Ints


class Batches:
    """The sequences of a set as `Inputs.apply` gives it, by length, in batches of nearly `batch_size` positions.

    `lengths` of rows rise (`row_lengths`); longer sequences have rows of the last one, doubled.
    """

    def __init__(
        self,
        data: SequenceSet,
        scale: Scale,
        window: tuple[int, int],
        batch_size: int,
        lengths: Ints,
    ) -> None:
        self._window, self._batch_size = window, batch_size
        first = first_rows(data.attributes)
        sizes = np.diff(first)
        codes = np.where(data.values == MISSING, sizes - 2, data.values) + first[:-1]
        numbers = standardized(data.numbers, scale.mean, scale.deviation)
        # The last row of either is that of places outside of the sequence.
        self._codes = np.vstack([codes, first[1:] - 1]).astype(np.int32)
        self._numbers = np.vstack([numbers, np.zeros(numbers.shape[1])]).astype(np.float32)
        self._offsets, self._observation_offsets = data.offsets, data.observation_offsets
        n_observations, longest = np.diff(data.observation_offsets), int(lengths[-1])
        known = lengths[np.minimum(np.searchsorted(lengths, n_observations), len(lengths) - 1)]
        self._lengths = np.where(n_observations <= longest, known, _doubled(n_observations, longest))

    def in_order(self) -> Iterator[Batch]:
        """All sequences, the shortest rows first."""
        for length in np.unique(self._lengths).tolist():
            yield from self._of_length(length, np.flatnonzero(self._lengths == length))

    def shuffled(self, rng: np.random.Generator) -> Iterator[Batch]:
        """All sequences in an order drawn at random; those of a batch have rows of one length."""
        parts = []
        for length in np.unique(self._lengths).tolist():
            order = rng.permutation(np.flatnonzero(self._lengths == length))
            n_rows = self._n_rows(length)
            parts += [(length, order[begin : begin + n_rows]) for begin in range(0, len(order), n_rows)]
        for number in rng.permutation(len(parts)):
            yield from self._of_length(*parts[number])

    def _n_rows(self, length: int) -> int:
        return max(self._batch_size // length, 1)

    def _of_length(self, length: int, sequences: Ints) -> Iterator[Batch]:
        n_rows, (left, right) = self._n_rows(length), self._window
        places = np.arange(-left, length + right)
        for begin in range(0, len(sequences), n_rows):
            chosen = sequences[begin : begin + n_rows]
            first, last = self._observation_offsets[chosen, None], self._observation_offsets[chosen + 1, None]
            rows = np.full((n_rows, len(places)), -1)
            rows[: len(chosen)] = np.where((places >= 0) & (first + places < last), first + places, -1)
            positions = np.full((n_rows, length), -1)
            first, last = self._offsets[chosen, None], self._offsets[chosen + 1, None]
            positions[: len(chosen)] = np.where(first + np.arange(length) < last, first + np.arange(length), -1)
            inside = rows[:, left : left + length] >= 0
            yield Batch(self._codes[rows], self._numbers[rows], inside, positions)


def first_rows(attributes: tuple[Attribute, ...]) -> Ints:
    """Where the embeddings of each attribute begin, and how many there are: categories, then MISSING and EDGE."""
    return starts_of([len(attribute.categories) + 2 for attribute in attributes])


def scatter(batch: Batch, rows: NDArray[Any], out: NDArray[Any]) -> None:
    """Write rows of values for the positions of a batch, shape (n_rows, length, ..), to their places in the set."""
    there = batch.positions >= 0
    out[batch.positions[there]] = rows[there]
