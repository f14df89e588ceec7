"""Base of labellers whose predictions are those of chains with potentials."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import NDArray

from treecrf.models.base import DECODERS, Decoder, Labeller, check_decoder
from treecrf.models.chains import Chains, DenseChains
from treecrf.models.decoding import Limits, are_given, limited_marginals
from treecrf.models.questions import answers, judges
from treecrf.sequences import SequenceSet

if TYPE_CHECKING:
    from treecrf.chain.trellis import Trellis

Watch = Callable[[int, NDArray[np.float64]], None]
"""Called with the number of iterations and marginals, shape (n_positions, n_labels)."""


class ChainLabeller(Labeller):
    """A labeller whose predictions are those of chains with potentials (`treecrf.models.chains`).

    Subclasses have a setting `order` and implement `_staged_potentials`, or `_staged_chains`.
    """

    order: int
    window: tuple[int, int]

    def _staged_potentials(self, data: SequenceSet, every: int | None = None) -> Iterator[NDArray[np.float64]]:
        """The potentials after every `every` stages of training, or after the last one; may be changed in place."""
        raise NotImplementedError

    def _staged_chains(self, data: SequenceSet, every: int | None = None) -> Iterator[Chains]:
        """The chains after every `every` stages of training, or after the last one."""
        for potentials in self._staged_potentials(data, every):
            yield DenseChains(potentials, data.offsets, self.order)

    def potentials(self, data: SequenceSet) -> NDArray[np.float64]:
        """F^y(state, window), shape (n_labels, n_positions, n_states); states as in `treecrf.chain`."""
        return next(self._staged_potentials(data))

    @answers
    def predict_proba(self, data: SequenceSet, **limits: Unpack[Limits]) -> NDArray[np.float64]:
        """P(y_t | X) for every position, float64, shape (n_positions, n_labels); of lists, such an array a sequence.

        Within limits (see `predict`), given these.
        """
        if are_given(limits):
            return limited_marginals(self, data, limits)
        return next(self._staged_chains(data)).marginals()

    @judges
    def log_likelihood(self, data: SequenceSet) -> NDArray[np.float64]:
        """log P(Y | X) of every sequence, float64, shape (n_sequences,): of its labels that are known, summed over the others."""
        labels = self.align_labels(data, unknown=True)
        return next(self._staged_chains(data)).log_likelihood(labels)

    def staged_predict_proba(self, data: SequenceSet, every: int = 1) -> Iterator[NDArray[np.float64]]:
        """`predict_proba` after `every`, 2 `every`, .. iterations."""
        for chains in self._staged_chains(data, every):
            yield chains.marginals()

    def fit_watched(self, train: SequenceSet, data: SequenceSet, watch: Watch, every: int = 1) -> None:
        """`fit` with one set; `watch` is called with `predict_proba` of another after `every`, 2 `every`, .. iterations."""
        self.fit(train)
        for number, marginals in enumerate(self.staged_predict_proba(data, every), start=1):
            watch(number * every, marginals)

    def staged_predict(
        self, data: SequenceSet, decoders: tuple[Decoder, ...] = DECODERS, every: int = 1
    ) -> Iterator[dict[Decoder, NDArray[np.int16]]]:
        """`predict` after `every`, 2 `every`, .. iterations, by decoder."""
        for decoder in decoders:
            check_decoder(decoder)
        for chains in self._staged_chains(data, every):
            yield {decoder: self._decode(chains, decoder) for decoder in decoders}

    def answer(
        self, data: SequenceSet, decoders: tuple[Decoder, ...] = DECODERS, stage: int | None = None
    ) -> tuple[dict[Decoder, NDArray[np.int16]], NDArray[np.float64]]:
        """`predict`, by decoder, and `predict_proba` after `stage` iterations, or the last one, from scores that are computed once."""
        for decoder in decoders:
            check_decoder(decoder)
        chains = next(self._staged_chains(data, stage), None) or next(self._staged_chains(data))
        return {decoder: self._decode(chains, decoder) for decoder in decoders}, chains.marginals()

    def _trellis(self, data: SequenceSet) -> Trellis:
        return next(self._staged_chains(data)).trellis()

    @property
    def _reach(self) -> tuple[int, int]:
        left, right = self.window
        return left, right

    def _viterbi(self, data: SequenceSet) -> NDArray[np.int16]:
        return next(self._staged_chains(data)).viterbi()

    def _decode(self, chains: Chains, decoder: Decoder) -> NDArray[np.int16]:
        if decoder == "viterbi" or not self.order:  # positions by themselves: the decoders agree
            return chains.viterbi()
        return chains.marginals().argmax(axis=1).astype(np.int16)
