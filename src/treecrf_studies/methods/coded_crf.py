"""CodedCRF: many labels by the bits of a code, each bit a chain of two labels."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from treecrf.compiled.struct import TRUTH, Bool
from treecrf.estimators.checks import FLAG, HEADERS, SEED, SIZE, Check, whole
from treecrf.estimators.protocol import follow, new_one
from treecrf.io.arrays import Codes, Floats
from treecrf.io.messages import counted
from treecrf.models.base import Labeller, Monitor
from treecrf.models.boosted.treecrf import TreeCRF
from treecrf.models.decoding import DECODERS, Decoder, check_decoder
from treecrf.models.persistence import packed, unpacked
from treecrf.sequences import Attribute, SequenceSet, window_codes
from treecrf.statistics.selection import sequence_folds

if TYPE_CHECKING:
    from treecrf.chain.trellis import Trellis


_MOST_TRIES = 1000  # of a column, and of a whole code


def make_code(n_labels: int, length: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """A code word for each label, shape (n_labels, length): fair random bits, drawn column by column.

    A column is drawn again while it is constant, or equal or complementary to an earlier one; the whole code while two
    labels share a word. Codes of the same seed begin with the same columns, whatever their length, unless one was drawn
    again.

    Raises
    ------
    ValueError
        If there are no so many different words or columns.
    """
    least = int(np.ceil(np.log2(max(n_labels, 2))))
    if length < least:
        raise ValueError(f"code_length={length}: {n_labels} labels need words of at least {least} bits.")
    if n_labels <= 16 and length > 2 ** (n_labels - 1) - 1:
        raise ValueError(
            f"code_length={length}: {n_labels} labels have {2 ** (n_labels - 1) - 1} different columns; give at most "
            "so many."
        )
    for _ in range(_MOST_TRIES):
        columns: list[NDArray[np.bool_]] = []
        seen: set[bytes] = set()
        while len(columns) < length:
            column = rng.integers(0, 2, n_labels).astype(np.bool_)
            if column.all() or not column.any() or column.tobytes() in seen:
                continue
            columns.append(column)
            seen |= {column.tobytes(), (~column).tobytes()}
        code = np.stack(columns, axis=1)
        if len(np.unique(code, axis=0)) == n_labels:
            return code
    raise ValueError(
        f"code_length={length}: no code with a word for each of {n_labels} labels was drawn; give more bits."
    )


def staged_distances(bits: NDArray[np.float64], code: NDArray[np.bool_], every: int) -> Iterator[NDArray[np.float64]]:
    """L1 distance of each position's first `every`, 2 `every`, .. bits to those of each word, in one pass.

    Parameters
    ----------
    bits : float64, shape (n_positions, code_length)
        Probabilities of 1.
    code : bool, shape (n_labels, code_length)
    every : int

    Yields
    ------
    float64, shape (n_positions, n_labels)
        The same array again and again.
    """
    from treecrf_studies.methods._distance_kernels import add_distances

    distances, columns = np.zeros((len(bits), len(code))), np.ascontiguousarray(code.T)
    for last in range(every, code.shape[1] + 1, every):
        add_distances(bits, columns, last - every, last, distances)
        yield distances


_BITS = ("0", "1", "(outside)")


def window_attributes(attributes: Sequence[Attribute], window: tuple[int, int]) -> tuple[Attribute, ...]:
    """An attribute for each slot of a window."""
    left, right = window
    return tuple(
        Attribute(f"{attribute.name} {place:+d}", (*attribute.categories, "(outside)"))
        for place in range(-left, right + 1)
        for attribute in attributes
    )


def windows_as_attributes(data: SequenceSet, window: tuple[int, int]) -> SequenceSet:
    """The same positions with the slots of their windows as attributes, so that a window is one observation.

    The code of a place outside the sequence becomes a category, which a missing cell gets, too.
    """
    attributes = window_attributes(data.attributes, window)
    outside = np.array([len(attribute.categories) - 1 for attribute in attributes], dtype=np.int32)
    codes = np.minimum(window_codes(data, window), outside)
    return SequenceSet(codes, data.offsets, attributes, groups=data.groups)


def neighbours(bits: NDArray[np.bool_], offsets: NDArray[np.int64]) -> NDArray[np.int32]:
    """The bit of the position before each, and that of the position after, shape (n_positions, 2)."""
    columns = np.full((len(bits), 2), len(_BITS) - 1, dtype=np.int32)
    columns[1:, 0] = bits[:-1]
    columns[:-1, 1] = bits[1:]
    columns[offsets[:-1], 0] = columns[offsets[1:] - 1, 1] = len(_BITS) - 1
    return columns


def with_history(windows: SequenceSet, history: NDArray[np.int32], first: int) -> SequenceSet:
    """The windows and, for each of some bits, that of the position before and of the one after.

    Parameters
    ----------
    windows : SequenceSet
        As from `windows_as_attributes`.
    history : int32, shape (n_positions, 2 n_bits)
        As from `neighbours`, of what earlier labellers predict, bit after bit.
    first : int
        Number of the first of these bits.
    """
    bits = range(first, first + history.shape[1] // 2)
    added = [Attribute(f"bit {bit} {place}", _BITS) for bit in bits for place in ("before", "after")]
    return windows.with_values(np.hstack([windows.values, history]), (*windows.attributes, *added))


ALL = "all"
"""Value of the setting `history` for every earlier bit."""

_N_FOLDS = 5
_ROUNDING = 1e-9  # of what training knows of the probabilities


def _is_history(value: Any) -> bool:
    return whole(0).holds(value) or (isinstance(value, str) and value == ALL)


@dataclass(eq=False, repr=False)
class CodedCRF(Labeller):
    """Error-correcting output coding of label sequences (Hao 2009, chapters 3 and 4).

    Every label has a random word of bits. A labeller of two labels learns each bit of the positions' words from the
    window, and from what the labellers of earlier bits predict for the neighbours. A position gets the label whose word
    has the smallest L1 distance to the probabilities of its bits, the lowest label where several have it.

    With ``history=0`` the bits are independent (the thesis' i-SECOC; iid with a base of order 0), else this is its
    cascade, c-SECOC.

    Parameters
    ----------
    base : Labeller
        A labeller of two labels; each bit gets a copy. Its window is what the bits see of the observations. Unless
        given, trees of the thesis' form.
    code_length : int
        Bits of a word. The columns of a shorter code are the first ones of a longer one, so a long training has the
        shorter ones in it: they are its stages.
    history : int or "all"
        So many bits just before a bit are inputs: what was predicted for the position before and for the one after.
    seed : int
        Of the code.
    cross_fit : bool
        Whether the inputs of later bits in training are predictions of labellers that were trained on other sequences
        (5 folds), not of the labeller itself as in the thesis.
    unseen : "missing" or "error"
        What to do with a category that the training set's attributes do not name: count it as the place outside a
        sequence, with a warning, or refuse it.
    n_bins, min_count : int
        As of the other labellers.

    Attributes
    ----------
    code_ : bool, shape (n_labels, code_length)
    bits_ : list of Labeller
        The labellers of the bits.
    seconds_ : dict
        CPU seconds of `fit` by phase, those of the bits added.
    """

    base: Any = None
    code_length: int = 100
    history: int | str = 5
    seed: int = 0
    cross_fit: bool = False
    unseen: str = "missing"
    n_bins: int = TreeCRF.n_bins
    min_count: int = 1

    has_probabilities = False
    _fitted_arrays: ClassVar = {"code": Annotated[Bool, "n_labels, code_length", TRUTH]}

    _parameter_constraints: ClassVar = {
        "base": Check(
            lambda value: isinstance(value, Labeller) and hasattr(value, "window"), "give a labeller with a window"
        ),
        "code_length": SIZE,
        "history": Check(_is_history, f"give a whole number of at least 0 or {ALL!r}"),
        "seed": SEED,
        "cross_fit": FLAG,
    }

    def __post_init__(self) -> None:
        if self.base is None:
            self.base = TreeCRF(n_iterations=80, max_leaves=40, l2_regularization=5.0)  # the thesis does not tell these

    def _check_settings(self) -> None:
        super()._check_settings()
        self.base._check_settings()
        if self.base.anchors is not None:
            raise ValueError("base: CodedCRF gives its base windows without anchored inputs; leave anchors out.")
        if self.history != ALL and int(self.history) >= self.code_length:
            raise ValueError(
                f"history={self.history}: a code of {self.code_length} bits has fewer before the last one; give a "
                f"smaller number or {ALL!r}."
            )

    # --- training -----------------------------------------------------------------------------------

    def _train(self, train: SequenceSet, labels: Codes, weights: Floats | None, monitor: Monitor | None) -> None:
        if self.cross_fit and len(np.unique(train.groups)) < _N_FOLDS:
            raise ValueError(
                f"cross_fit: the training set has fewer than {_N_FOLDS} sequences that are not related; give more, or "
                "cross_fit=False."
            )
        code = make_code(len(train.label_names), self.code_length, np.random.default_rng(self.seed))
        windows = windows_as_attributes(train, self.base.window)
        history, self.bits_ = self._no_history(train), list[Any]()
        self.seconds_: dict[str, float] = {}
        for bit in range(self.code_length):
            bit_set = windows.with_labels(code[labels, bit], ("0", "1"))
            data, labeller = self._inputs_of(bit, bit_set, history), self._make_bit()
            if self.cross_fit:
                predicted = self._predict_others(data)
                labeller.fit(data)
            else:
                predicted = _fit_predict(labeller, data)
            self._count_seconds(labeller)
            history[:, 2 * bit : 2 * bit + 2] = neighbours(predicted, data.offsets)
            self.bits_.append(labeller)
            if monitor is not None:
                monitor(bit + 1, dict(self.seconds_), float("nan"))
        self.code_ = code

    def _first_of(self, bit: int) -> int:
        """The first bit that a bit has for input."""
        return 0 if self.history == ALL else max(bit - int(self.history), 0)

    def _no_history(self, data: SequenceSet) -> NDArray[np.int32]:
        """Room for what is predicted for the neighbours of each position, bit after bit."""
        return np.empty((data.n_positions, 2 * self.code_length), dtype=np.int32)

    def _inputs_of(self, bit: int, windows: SequenceSet, history: NDArray[np.int32]) -> SequenceSet:
        first = self._first_of(bit)
        return with_history(windows, history[:, 2 * first : 2 * bit], first)

    def _make_bit(self) -> Any:
        return new_one(self.base, window=(0, 0), min_count=1)

    def _predict_others(self, data: SequenceSet) -> NDArray[np.bool_]:
        """The bits of each part of the sequences, by a labeller of the others."""
        bits = np.zeros(data.n_positions, dtype=np.bool_)
        for fold in sequence_folds(data.groups, _N_FOLDS, self.seed):
            rest = np.setdiff1d(np.arange(len(data)), fold)
            part = data.select(fold)
            positions = np.concatenate([np.arange(data.offsets[i], data.offsets[i + 1]) for i in fold])
            labeller = self._make_bit().fit(data.select(rest))
            self._count_seconds(labeller)
            bits[positions] = _probability_of_one(labeller, part) > 0.5
        return bits

    def _count_seconds(self, labeller: Any) -> None:
        for phase, seconds in labeller.seconds_.items():
            self.seconds_[phase] = self.seconds_.get(phase, 0.0) + seconds

    def flattened(self) -> Self:
        """A copy that labels faster, with the flat form of the trees of each bit (`TreeCRF.flattened`)."""
        self._check_fitted()
        if not hasattr(self.base, "flattened"):
            raise ValueError(f"flattened: base={type(self.base).__name__} has no flat form; train with trees.")
        flat = copy.copy(self)
        flat.bits_ = [labeller.flattened() for labeller in self.bits_]
        return flat

    # --- prediction ---------------------------------------------------------------------------------

    def bit_probabilities(self, data: SequenceSet) -> NDArray[np.float64]:
        """P(bit = 1 | X) by the labeller of each bit, shape (n_positions, code_length)."""
        aligned = self._aligned(data)
        windows = windows_as_attributes(aligned, self.base.window)
        probabilities, history = list[NDArray[np.float64]](), self._no_history(aligned)
        for bit, labeller in enumerate(self.bits_):
            follow(labeller, self.base)
            probabilities.append(_probability_of_one(labeller, self._inputs_of(bit, windows, history)))
            history[:, 2 * bit : 2 * bit + 2] = neighbours(probabilities[-1] > 0.5, aligned.offsets)
        return np.ascontiguousarray(np.stack(probabilities, axis=1))

    def _marginals(self, data: SequenceSet) -> NDArray[np.float64]:
        """``code_length`` less the L1 distance to each word, normalized; these are no probabilities."""
        (distances,) = staged_distances(self.bit_probabilities(data), self.code_, self.code_length)
        nearness = self.code_length - distances
        return nearness / nearness.sum(axis=1, keepdims=True)

    def trellis(self, data: SequenceSet) -> Trellis:
        raise ValueError(
            "CodedCRF has no probabilities that could be constrained, nor paths; take TreeCRF, or leave these "
            "arguments out."
        )

    def staged_predict(
        self, data: SequenceSet, decoders: tuple[Decoder, ...] = DECODERS, every: int = 1
    ) -> Iterator[dict[Decoder, NDArray[np.int16]]]:
        """`predict` with the first `every`, 2 `every`, .. bits of the code, as far as these go, by decoder; all
        decoders agree.
        """
        for decoder in decoders:
            check_decoder(decoder)
        if not 0 < every <= self.code_length:
            raise ValueError(f"every={every}: give 1 to {self.code_length}, the bits of the code.")
        for distances in staged_distances(self.bit_probabilities(data), self.code_, every):
            labels = distances.argmin(axis=1).astype(np.int16)
            yield dict.fromkeys(decoders, labels)

    # --- files --------------------------------------------------------------------------------------

    _described: ClassVar = {"bits": HEADERS}

    def _sizes(self) -> dict[str, Any]:
        return super()._sizes() | {"code_length": self.code_length}

    def _state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        values, arrays = super()._state()
        headers, of_bits = packed("bit", self.bits_)
        return values | {"bits": headers}, arrays | of_bits

    def _restore(self, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        super()._restore(values, arrays)
        self.bits_ = unpacked("bit", values["bits"], arrays, _BITS[:2])
        if len(self.bits_) != self.code_length:
            raise ValueError(f"there are {len(self.bits_)} labellers of {counted(self.code_length, 'bit')}")


def _fit_predict(labeller: Labeller, train: SequenceSet) -> NDArray[np.bool_]:
    """Train a labeller of a bit; the bits that it predicts for the training set."""
    probabilities = labeller.fit_predict_proba(train)[:, 1]
    if (np.abs(probabilities - 0.5) < _ROUNDING).any():  # which side it is on, prediction must say
        probabilities = _probability_of_one(labeller, train)
    return np.asarray(probabilities > 0.5)


def _probability_of_one(labeller: Labeller, data: SequenceSet) -> NDArray[np.float64]:
    return labeller.predict_proba(data)[:, 1]
