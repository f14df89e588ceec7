"""`NeuralCRF`: a conditional random field whose potentials are the outputs of a network over the whole sequence."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from types import ModuleType
from typing import Annotated, Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from treecrf.compiled.struct import FINITE, SOME, Float32, Int64
from treecrf.estimators.checks import (
    FIRST_ORDER,
    NOT_NEGATIVE,
    PART,
    SECONDS,
    SEED,
    SHARE,
    SIZE,
    TOLERANCE,
    Check,
    one_of,
    optional,
    whole,
)
from treecrf.io.arrays import Arrays, Codes, Floats, in_units
from treecrf.io.messages import counted, needs_extra, quoted
from treecrf.io.process import GIB, check_memory
from treecrf.models.base import Monitor, prefixed, refuse_rest, take_declared, take_prefixed
from treecrf.models.chains import ChainLabeller, ScoredChains, Watch
from treecrf.models.inputs import ClassWeight, refuse_mixed
from treecrf.models.neural.architecture import FILTERS, ROW_LENGTHS, Architecture, Batches, first_rows, row_lengths
from treecrf.models.window.features import Scale
from treecrf.sequences import MISSING, Attribute, SequenceSet
from treecrf.statistics.selection import hold_out

_JAX_BYTES, _JAX_ADDRESSES, _THREAD_ADDRESSES = GIB // 2, GIB, 72 * 2**20
"""What JAX takes beside its arrays, the addresses that it reserves, and those of each of its threads."""


def _is_picture(value: Any) -> bool:
    return isinstance(value, tuple | list) and len(value) == 2 and all(SIZE.holds(side) for side in value)


@dataclass(eq=False, repr=False)
class NeuralCRF(ChainLabeller):
    """Conditional random field whose potentials are the outputs of a network that sees the whole sequence.

    Categories have embeddings, and so have missing cells and places outside the sequence; numbers are standard ones,
    with an indicator of missing ones. A bidirectional LSTM (Huang, Xu and Yu 2015) or dilated residual convolutions
    (Strubell et al. 2017) score the labels, and with order 1 pairs of labels have a weight. Training maximizes the log
    likelihood by AdamW with dropout; labels that are not known are summed over. The model is the exponential average of
    the weights. Held-out sequences choose the number of passes over the training set, with which the network is trained
    again, by all sequences.

    Needs the extra "neural" (JAX). One thread trains, so that the same seed gives the same bits.

    Parameters
    ----------
    kind : "lstm" or "convolution"
        What stands between inputs and scores.
    order : 0 or 1
        1: a CRF; 0: the softmax of each position by itself.
    width : int
        Features of a layer, of an LSTM in each direction.
    n_layers : int
        Layers of an LSTM, or blocks of three convolutions, which see places 1, 2 and 4 apart.
    embedding : int
        Most numbers that stand for a category.
    dropout : float
        Share of the features that a layer does not see, drawn at each update: by an LSTM for a sequence, by
        convolutions for a position.
    input_dropout : float
        Share of the cells that count as missing in an update: what the training set does not show is seen like that.
    picture : (int, int), optional
        Rows and columns of the picture that the numbers are, row by row: two convolutions of 3 by 3 places see it, in
        training shifted by at most one place.
    window : (int, int)
        Observations before and after each that the first layer sees.
    n_epochs : int
        Most passes over the training set, or their number without `held_out`.
    held_out : float, optional
        Share of the groups of sequences that chooses the number of passes.
    patience : int
        Passes without a better result on these before their training ends.
    batch_size : int
        Positions to an update of the weights, nearly.
    learning_rate, weight_decay : float
        Of AdamW.
    averaging : float
        What the average of the weights keeps of itself at an update.
    unseen : "missing" or "error"
        What to do with a category that the training set's attributes do not name: with a warning, take it for missing,
        or refuse it.
    random_state : int
        Seed of the first weights, the order of the sequences, dropout, and the choice of the held-out ones.
    min_count, class_weight : see `treecrf.models.base.Labeller`

    Attributes
    ----------
    weights_ : dict of float32 arrays
        By name; see `treecrf.models.neural.architecture.Architecture.shapes`.
    scale_ : Scale
    row_lengths_ : int64, shape (n_lengths,)
        To which sequences are padded.
    n_epochs_ : int
        Passes over the training set.
    seconds_ : dict
        CPU seconds of `fit` by phase, compilation included: "choice", "update".
    """

    kind: str = "lstm"
    order: int = 1
    width: int = 64
    n_layers: int = 1
    embedding: int = 32
    dropout: float = 0.3
    input_dropout: float = 0.02
    picture: tuple[int, int] | None = None
    window: tuple[int, int] = (1, 1)
    n_epochs: int = 60
    held_out: float | None = 0.15
    patience: int = 10
    batch_size: int = 256
    learning_rate: float = 3e-3
    weight_decay: float = 1e-2
    averaging: float = 0.99
    unseen: str = "missing"
    random_state: int = 0
    min_count: int = 1
    class_weight: ClassWeight = None

    _judges = cast("tuple[Callable[[int, Arrays], None], ...]", ())  # hear of passes and their weights
    has_stages = False  # passes are chosen in training
    takes_numbers = True
    takes_unknown_labels = True
    takes_weights = True
    _fitted_arrays: ClassVar = {"scale": Scale, "row_lengths": Annotated[Int64, "n_lengths", SOME, ROW_LENGTHS]}
    _fitted_values: ClassVar = {"n_epochs": whole(0), "seconds": SECONDS}
    _parameter_constraints: ClassVar = {
        "kind": one_of("lstm", "convolution"),
        "order": FIRST_ORDER,
        "width": SIZE,
        "n_layers": whole(1, 12),
        "embedding": SIZE,
        "dropout": TOLERANCE,
        "input_dropout": TOLERANCE,
        "picture": Check(
            lambda value: value is None or _is_picture(value), "give None or (rows, columns), such as (16, 8)"
        ),
        "n_epochs": SIZE,
        "held_out": optional(PART),
        "patience": SIZE,
        "batch_size": SIZE,
        "learning_rate": SHARE,
        "weight_decay": NOT_NEGATIVE,
        "averaging": TOLERANCE,
        "random_state": SEED,
    }

    # --- training -----------------------------------------------------------------------------------

    def _train(self, train: SequenceSet, labels: Codes, weights: Floats | None, monitor: Monitor | None) -> None:
        unit, counts = (1.0, np.ones(len(labels))) if weights is None else in_units(weights)
        if self.order:
            refuse_mixed(labels, counts, train.offsets)
        self.scale_ = Scale.of(train, weights, together=self.picture is not None)
        self.row_lengths_ = row_lengths(np.diff(train.observation_offsets))
        shape = self._architecture(train.attributes, len(train.number_names), len(train.label_names))
        self.seconds_ = {"choice": 0.0, "update": 0.0}
        n_reports = 0

        def train_on(data: SequenceSet, counts: Floats, phase: str) -> Iterator[Arrays]:
            nonlocal n_reports
            began = time.process_time()  # JAX works in threads of its own
            for of_epoch, value in self._epochs(shape, data, counts):
                yield of_epoch
                self.seconds_[phase] += time.process_time() - began
                n_reports, began = n_reports + 1, time.process_time()
                if monitor is not None:
                    monitor(n_reports, dict(self.seconds_), unit * value)

        self.n_epochs_ = self.n_epochs
        if self.held_out is not None and len(np.unique(train.groups)) > 1:
            fitted, choosing = hold_out(train.groups, self.held_out, self.random_state)
            of_sequences = np.split(counts, train.offsets[1:-1])
            first, judged = (np.concatenate([of_sequences[i] for i in part]) for part in (fitted, choosing))
            trained = train_on(train.select(fitted), first, "choice")
            self.n_epochs_ = self._choose(trained, train.select(choosing), judged)
        for epoch, of_epoch in enumerate(islice(train_on(train, counts, "update"), self.n_epochs_), start=1):
            self.weights_ = of_epoch
            for judge in self._judges:
                judge(epoch, of_epoch)

    def fit_watched(
        self, train: SequenceSet, data: SequenceSet, watch: Watch, every: int = 1, weights: Floats | None = None
    ) -> None:
        """See `ChainLabeller`; an iteration is a pass over all sequences, and none are held out."""
        aligned = self._learn_inputs(self._examples(train, None)[0]).apply(data, self.unseen)

        def judge(epoch: int, of_layers: Arrays) -> None:
            if epoch % every == 0:
                watch(epoch, self._chains(aligned, of_layers).marginals())

        held_out, self.held_out, self._judges = self.held_out, None, (judge,)
        try:
            self.fit(train, sample_weight=weights)
        finally:
            self.held_out, self._judges = held_out, ()

    def _choose(self, trained: Iterator[Arrays], judging: SequenceSet, counts: Floats) -> int:
        """The number of passes with most right positions of held-out sequences; among equals the likeliest."""
        assert judging.labels is not None
        counts = in_units(np.where(judging.labels != MISSING, counts, 0.0))[1]
        of_sequences = np.maximum.reduceat(counts, judging.offsets[:-1])
        best, chosen = (-1.0, -np.inf), 1
        for epoch, weights in enumerate(islice(trained, self.n_epochs), start=1):
            chains = self._chains(judging, weights)
            accuracy = float(counts @ (chains.marginals().argmax(axis=1) == judging.labels) / counts.sum())
            result = accuracy, float(of_sequences @ chains.log_likelihood(judging.labels))
            if result > best:
                best, chosen = result, epoch
            elif epoch - chosen >= self.patience:
                break
        return chosen

    def _epochs(self, shape: Architecture, data: SequenceSet, counts: Floats) -> Iterator[tuple[Arrays, float]]:
        network = self._load_network(data, shape)
        assert data.labels is not None
        update = network.Update(self.learning_rate, self.weight_decay, self.averaging)
        rates = self.dropout, self.input_dropout
        return network.epochs(
            shape, update, self._batches(data), data.labels, counts, _missing_codes(data), rates, self.random_state
        )

    def _architecture(self, attributes: tuple[Attribute, ...], n_numbers: int, n_labels: int) -> Architecture:
        picture = None if self.picture is None else (int(self.picture[0]), int(self.picture[1]))
        if picture is not None and picture[0] * picture[1] != n_numbers:
            raise ValueError(
                f"picture={picture} has {counted(picture[0] * picture[1], 'place')} and the sequences have "
                f"{counted(n_numbers, 'number')}; give the rows and columns of the picture, or None."
            )
        widest = max((len(attribute.categories) for attribute in attributes), default=1)
        return Architecture(
            self.kind,
            int(first_rows(attributes)[-1]),
            len(attributes),
            n_numbers,
            n_labels,
            sum(self.window) + 1,
            min(self.embedding, max(widest, 1)),
            self.width,
            self.n_layers,
            self.order,
            picture,
        )

    def expected_memory(self, train: SequenceSet) -> int:
        """About the bytes of training: eight numbers a weight, and what gradients need of each feature of a batch."""
        return self._expected_memory(
            train, self._architecture(train.attributes, len(train.number_names), len(train.label_names))
        )

    def _expected_memory(self, data: SequenceSet, shape: Architecture, row_length: int = 0) -> int:
        longest = max(int(np.diff(data.observation_offsets).max()), row_length)
        n_features = shape.n_places * (shape.n_attributes * shape.embedding + 2 * shape.n_numbers)
        n_features += 40 * shape.width * shape.n_layers + 8 * shape.n_labels
        if shape.picture is not None:
            n_features += 4 * sum(FILTERS) * shape.n_numbers
        of_set = data.values.size + data.numbers.size + 3 * data.n_positions * shape.n_labels
        return 4 * (8 * shape.n_weights + 3 * max(self.batch_size, 2 * longest) * n_features + 2 * of_set)

    def _load_network(self, data: SequenceSet, shape: Architecture) -> ModuleType:
        """The module that runs JAX, which ends the process where memory lacks, and takes long to import."""
        is_loaded = "jaxlib" in sys.modules
        check_memory(
            self._expected_memory(data, shape, int(self.row_lengths_[-1])) + (0 if is_loaded else _JAX_BYTES),
            f"the net of JAX with batch_size={quoted(self.batch_size)}",
            "lower batch_size or width, or use a machine with more",
            0 if is_loaded else _JAX_ADDRESSES + _THREAD_ADDRESSES * (os.cpu_count() or 1),
        )
        with needs_extra("neural"):
            from treecrf.models.neural import network
        return network

    def _batches(self, data: SequenceSet) -> Batches:
        return Batches(
            data, self.scale_, (int(self.window[0]), int(self.window[1])), self.batch_size, self.row_lengths_
        )

    # --- prediction ---------------------------------------------------------------------------------

    def _chains(self, data: SequenceSet, weights: Arrays) -> ScoredChains:
        """The chains of a set as training sees it."""
        shape = self._architecture(data.attributes, len(data.number_names), len(weights["out_bias"]))
        network = self._load_network(data, shape)
        scores = network.predict_scores(shape, weights, self._batches(data), _missing_codes(data), data.n_positions)
        n_labels = shape.n_labels
        by_state = weights["transitions"].astype(np.float64) if self.order else np.zeros((n_labels, 1))
        return ScoredChains(scores, by_state, data.offsets, self.order)

    def _staged_chains(self, data: SequenceSet, every: int | None = None) -> Iterator[ScoredChains]:
        aligned = self._aligned(data)
        if (every or 1) == 1:
            yield self._chains(aligned, self.weights_)

    def _staged_potentials(self, data: SequenceSet, every: int | None = None) -> Iterator[Floats]:
        for chains in self._staged_chains(data, every):
            yield chains.potentials()

    def _refuse_missing(self, data: SequenceSet) -> None:
        """Refuse nothing: missing cells are inputs like others."""

    @property
    def reach(self) -> tuple[int, int]:
        """Refused, as it sees the whole sequence."""
        raise ValueError("NeuralCRF labels no streams, as it sees the whole sequence; leave lag out.")

    # --- files --------------------------------------------------------------------------------------

    def _sizes(self) -> dict[str, Any]:
        return super()._sizes() | {"n_numbers": len(self.inputs_.number_names)}

    def _state(self) -> tuple[dict[str, Any], Arrays]:
        values, arrays = super()._state()
        return values, arrays | prefixed("weights", self.weights_)

    def _restore(self, values: dict[str, Any], arrays: Arrays) -> None:
        super()._restore(values, arrays)
        shape = self._architecture(self.attributes_, len(self.inputs_.number_names), len(self.label_names_))
        declared = {n: Annotated[Float32, ", ".join(map(str, axes)), FINITE] for n, axes in shape.shapes().items()}
        of_net = take_prefixed("weights", arrays)
        self.weights_ = take_declared(of_net, declared, {})
        refuse_rest(of_net)


def _missing_codes(data: SequenceSet) -> NDArray[np.int32]:
    """The row of the embeddings that stands for a missing cell, by attribute."""
    return (first_rows(data.attributes)[1:] - 2).astype(np.int32)
