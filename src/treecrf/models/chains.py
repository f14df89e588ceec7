"""Labellers whose predictions are those of chains with potentials: marginals, likelihood, the likeliest labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from treecrf import chain
from treecrf.chain import lattice as lattices
from treecrf.chain import trellis as trellises
from treecrf.chain._kernels import MAX_POTENTIAL
from treecrf.chain.inference import MAX_EXPONENT, partial_log_likelihood
from treecrf.chain.lattice import Lattice, Weights
from treecrf.chain.trellis import Trellis
from treecrf.io.arrays import Codes, Floats, Ints
from treecrf.models.base import Labeller
from treecrf.models.decoding import DECODERS, Decoder, check_decoder
from treecrf.sequences import MISSING, SequenceSet


class Chains(Protocol):
    """The chains of a data set."""

    def marginals(self) -> Floats:
        """P(y_t | X), shape (n_positions, n_labels)."""

    def log_likelihood(self, labels: Codes) -> Floats:
        """log P(Y | X) of every sequence, shape (n_sequences,); labels that are `MISSING` are summed over."""

    def viterbi(self) -> Codes:
        """The likeliest labels, shape (n_positions,)."""

    def trellis(self) -> Trellis:
        """All their paths, to be constrained (`treecrf.chain.trellis`)."""


def log_likelihood_of(labels: Codes) -> Callable[..., Floats]:
    """The log likelihood of dense chains with these labels, of which some may not be known."""
    return partial_log_likelihood if (labels == MISSING).any() else chain.log_likelihood


class DenseChains(NamedTuple):
    """Chains of any order, all of whose potentials are given (`treecrf.chain`).

    Attributes
    ----------
    potentials : float64, shape (n_labels, n_positions, n_states)
    offsets : int64, shape (n_sequences + 1,)
    order : int
    """

    potentials: Floats
    offsets: Ints
    order: int

    def marginals(self) -> Floats:
        """See `Chains`."""
        return chain.forward_backward(self.potentials, self.offsets, self.order).labels

    def log_likelihood(self, labels: Codes) -> Floats:
        """See `Chains`."""
        return log_likelihood_of(labels)(self.potentials, labels, self.offsets, self.order)

    def viterbi(self) -> Codes:
        """See `Chains`."""
        if not self.order:  # positions by themselves
            return self.potentials[:, :, 0].argmax(axis=0).astype(np.int16)
        return chain.viterbi(self.potentials, self.offsets, self.order).labels

    def trellis(self) -> Trellis:
        """See `Chains`."""
        return trellises.trellis_of_potentials(self.potentials, self.offsets, self.order)


N_STEPS = 3
"""Positions whose exponentials are multiplied before they are scaled again."""

PART_BYTES = 2**22
"""Of the potentials of a part of `ScoredChains`: they stay in a cache."""


class ScoredChains(NamedTuple):
    """Chains of order 0 or 1 whose potentials are a score of the position and one of the pair with the label before.

    What they answer is what `DenseChains` do but for rounding. Where scores are of labels, no potentials are made for
    it; else those of a few sequences at a time.

    Attributes
    ----------
    scores : float64, shape (n_positions, n_labels) or (n_positions, n_states * n_labels)
        Of each label, or by state before and label.
    by_state : float64, shape (n_labels, n_states)
        By label and the state before (`treecrf.chain.StateSpace`): of order 1 the label before, START last.
    offsets : int64, shape (n_sequences + 1,)
    order : int
    """

    scores: Floats
    by_state: Floats
    offsets: Ints
    order: int

    def potentials(self) -> Floats:
        """Those of `DenseChains`, of all positions together."""
        n_labels = len(self.by_state)
        by_position = self.scores.reshape(len(self.scores), -1, n_labels).transpose(2, 0, 1)
        return np.add(by_position, self.by_state[:, None, :], order="C")

    def marginals(self) -> Floats:
        """See `Chains`."""
        if not self._are_scores_of_labels():
            return np.concatenate([part.marginals() for _, part in self._parts()])
        from treecrf.chain._kernels import infer_scored  # its kernels are loaded where they run

        highest, transitions = self.scores.max(axis=1, keepdims=True), self.by_state.T
        if N_STEPS * (np.ptp(self.scores, axis=1).max() + np.ptp(transitions)) > MAX_EXPONENT:
            return np.concatenate([part.marginals() for _, part in self._parts()])
        marginals = np.empty(self.scores.shape)
        infer_scored(
            np.exp(self.scores - highest), np.exp(transitions - transitions.max(), order="C"), self._starts(), marginals
        )
        return marginals

    def log_likelihood(self, labels: Codes) -> Floats:
        """See `Chains`."""
        ask = log_likelihood_of(labels)  # each part is asked as the whole would be: the last digits differ
        return np.concatenate(
            [ask(part.potentials, labels[at], part.offsets, self.order) for at, part in self._parts()]
        )

    def viterbi(self) -> Codes:
        """See `Chains`."""
        if not self.order:
            return (self.scores + self.by_state[:, 0]).argmax(axis=1).astype(np.int16)
        if not self._are_scores_of_labels():
            return np.concatenate([part.viterbi() for _, part in self._parts()])
        from treecrf.chain._kernels import find_scored_paths

        labels = np.empty(len(self.scores), dtype=np.int16)
        find_scored_paths(self.scores, np.ascontiguousarray(self.by_state.T), self._starts(), labels)
        return labels

    def trellis(self) -> Trellis:
        """See `Chains`."""
        if not self.order:
            return trellises.trellis_of_scores(self.scores + self.by_state[:, 0], self.offsets)
        if self.scores.shape[1] > len(self.by_state):
            return trellises.trellis_of_potentials(self.potentials(), self.offsets, self.order)
        whole = trellises.trellis_of_scores(self.scores, self.offsets)
        return whole._replace(transitions=self.by_state.copy())

    def _are_scores_of_labels(self) -> bool:
        """Whether kernels for scores of labels can answer; other kernels refuse potentials that are not finite."""
        of_labels = self.order == 1 and self.scores.shape[1] == len(self.by_state)
        return of_labels and all(np.abs(part).max() <= MAX_POTENTIAL for part in (self.scores, self.by_state))

    def _starts(self) -> Ints:
        return self.offsets.copy()  # writable, as the kernels' types say

    def _parts(self) -> Iterator[tuple[slice, DenseChains]]:
        """The positions of one or more sequences, and their chains."""
        n_together = max(PART_BYTES // self.by_state.nbytes, 1)
        n_sequences, first = len(self.offsets) - 1, 0
        while first < n_sequences:
            begin = self.offsets[first]
            last = int(np.searchsorted(self.offsets, begin + n_together, side="right")) - 1
            last = max(last, first + 1)
            places = slice(begin, self.offsets[last])
            part = self._replace(scores=self.scores[places], offsets=self.offsets[first : last + 1] - begin)
            yield places, DenseChains(part.potentials(), part.offsets, self.order)
            first = last


class LatticeChains(NamedTuple):
    """Chains whose positions may have some labels alone (`treecrf.chain.lattice`).

    Attributes
    ----------
    lattice : Lattice
    potentials : Weights
    """

    lattice: Lattice
    potentials: Weights

    def marginals(self) -> Floats:
        """See `Chains`; 0 for labels that a position may not have."""
        marginals = lattices.lattice_marginals(self.lattice, self.potentials).labels
        return lattices.by_label(self.lattice, marginals, len(self.potentials.transitions))

    def log_likelihood(self, labels: Codes) -> Floats:
        """See `Chains`; minus infinity for labels that a position may not have."""
        if (labels == MISSING).any():
            from treecrf.chain import beam  # its kernels are loaded where they run

            return beam.partial_log_likelihood(self.lattice, self.potentials, labels)
        return lattices.lattice_log_likelihood(self.lattice, self.potentials, labels)

    def viterbi(self) -> Codes:
        """See `Chains`."""
        return lattices.lattice_viterbi(self.lattice, self.potentials)

    def trellis(self) -> Trellis:
        """See `Chains`; labels that a position may not have are on no path."""
        return trellises.trellis_of_lattice(self.lattice, self.potentials)


Watch = Callable[[int, Floats], None]
"""Called with the number of iterations and marginals, shape (n_positions, n_labels)."""

Kept = TypeVar("Kept", bound=Sequence[Any] | NDArray[Any])


def kept_stages(stages: Kept, are_all: bool, every: int | None) -> Kept:
    """Every `every`-th of the stages that training kept, or with None the last one, which is always kept."""
    if every is None:
        return stages[-1:]  # type: ignore[return-value]
    if not are_all:
        raise ValueError("training kept its last stage alone; train with keep_stages=True to look at the others.")
    return stages[every - 1 :: every]  # type: ignore[return-value]


class ChainLabeller(Labeller):
    """A labeller whose predictions are those of chains with potentials (`treecrf.models.chains`).

    Subclasses have a setting `order` and implement `_staged_potentials`, or `_staged_chains`.
    """

    order: int
    window: tuple[int, int]

    def _staged_potentials(self, data: SequenceSet, every: int | None = None) -> Iterator[Floats]:
        """The potentials after every `every` stages of training, or after the last one; may be changed in place."""
        raise NotImplementedError

    def _staged_chains(self, data: SequenceSet, every: int | None = None) -> Iterator[Chains]:
        """The chains after every `every` stages of training, or after the last one."""
        for potentials in self._staged_potentials(data, every):
            yield DenseChains(potentials, data.offsets, self.order)

    def potentials(self, data: SequenceSet) -> Floats:
        """F^y(state, window), shape (n_labels, n_positions, n_states); states as in `treecrf.chain`."""
        return next(self._staged_potentials(data))

    def _marginals(self, data: SequenceSet) -> Floats:
        return next(self._staged_chains(data)).marginals()

    def _log_likelihood(self, data: SequenceSet) -> Floats:
        labels = self.align_labels(data, unknown=True)
        return next(self._staged_chains(data)).log_likelihood(labels)

    def staged_predict_proba(self, data: SequenceSet, every: int = 1) -> Iterator[Floats]:
        """`predict_proba` after `every`, 2 `every`, .. iterations."""
        for chains in self._staged_chains(data, every):
            yield chains.marginals()

    def fit_watched(
        self, train: SequenceSet, data: SequenceSet, watch: Watch, every: int = 1, weights: Floats | None = None
    ) -> None:
        """`fit`; `watch` is called with `predict_proba` of another set after `every`, 2 `every`, .. iterations."""
        self.keeping_stages().fit(train, sample_weight=weights)
        for number, marginals in enumerate(self.staged_predict_proba(data, every), start=1):
            watch(number * every, marginals)

    def staged_predict(
        self, data: SequenceSet, decoders: tuple[Decoder, ...] = DECODERS, every: int = 1
    ) -> Iterator[dict[Decoder, Codes]]:
        """`predict` after `every`, 2 `every`, .. iterations, by decoder."""
        for decoder in decoders:
            check_decoder(decoder)
        for chains in self._staged_chains(data, every):
            yield {decoder: self._decode(chains, decoder) for decoder in decoders}

    def answer(
        self, data: SequenceSet, decoders: tuple[Decoder, ...] = DECODERS, stage: int | None = None
    ) -> tuple[dict[Decoder, Codes], Floats]:
        """`predict`, by decoder, and `predict_proba` after `stage` iterations, or the last one, of the same scores."""
        for decoder in decoders:
            check_decoder(decoder)
        chains = next(self._staged_chains(data, stage), None) or next(self._staged_chains(data))
        return {decoder: self._decode(chains, decoder) for decoder in decoders}, chains.marginals()

    def staged_greedy(self, data: SequenceSet, every: int) -> Iterator[Codes]:
        """`greedy_labels` after `every`, 2 `every`, .. iterations, of a method with local potentials, as a MEMM."""
        for potentials in self._staged_potentials(data, every):
            yield greedy_labels(potentials, data.offsets, self.order)

    def trellis(self, data: SequenceSet) -> Trellis:
        return next(self._staged_chains(data)).trellis()

    @property
    def reach(self) -> tuple[int, int]:
        left, right = self.window
        return left, right

    def _viterbi(self, data: SequenceSet) -> Codes:
        return next(self._staged_chains(data)).viterbi()

    def _decode(self, chains: Chains, decoder: Decoder) -> Codes:
        if decoder == "viterbi" or not self.order:  # positions by themselves: the decoders agree
            return chains.viterbi()
        return chains.marginals().argmax(axis=1).astype(np.int16)


def greedy_labels(potentials: Floats, offsets: Ints, order: int) -> Codes:
    """The likeliest label of each position, given the labels predicted before it: a beam of one (PhD section 5.1).

    Of ``log P(y | state, window)``, shape (n_labels, n_positions, n_states); the lowest code wins ties.
    """
    space = chain.StateSpace(len(potentials), order)
    after = _states_after(space)
    lengths = np.diff(offsets)
    states = np.full(len(lengths), space.n_states - 1)  # of no labels
    labels = np.empty(potentials.shape[1], dtype=np.int16)
    for place in range(lengths.max()):
        there = np.flatnonzero(lengths > place)
        positions = offsets[there] + place
        chosen = potentials[:, positions, states[there]].argmax(axis=0)
        labels[positions] = chosen
        states[there] = after[states[there], chosen]
    return labels


def _states_after(space: chain.StateSpace) -> Ints:
    """The state that each label leads to from each state, shape (n_states, n_labels)."""
    before = [tuple(labels) for labels in space.labels_of_state.tolist()]
    numbers = {labels: state for state, labels in enumerate(before)}
    after = np.empty((space.n_states, space.n_labels), dtype=np.int64)
    for (state, labels), label in product(enumerate(before), range(space.n_labels)):
        after[state, label] = numbers[(label, *labels)[: space.order]]
    return after
