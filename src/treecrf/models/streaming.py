"""`LabelStream`: the labels of one sequence whose observations come one after another."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from treecrf.chain.smoothing import LagSmoother
from treecrf.chain.trellis import Trellis, constrain, states_of_depth, steps_at
from treecrf.io.arrays import Floats, Ints
from treecrf.io.columns import MISSING, Column, Vocabulary, cell_text, encode_categories
from treecrf.io.frames import Encoded
from treecrf.io.messages import listed, quoted, warn
from treecrf.models.decoding import Constraints, chain_lag, step_masks
from treecrf.models.inputs import Inputs, warned
from treecrf.sequences import SequenceSet


class StreamLabel(NamedTuple):
    """The label of an observation of a stream.

    Attributes
    ----------
    position : int
        Number of the observation, from 0.
    label : str
        The likeliest.
    probabilities : float64, shape (n_labels,)
        Of all labels, in the order of ``label_names_``, given what had come when it was labelled.
    """

    position: int
    label: str
    probabilities: Floats


class CodedWindows(NamedTuple):
    """Potentials that follow from the categories in a window.

    Attributes
    ----------
    align : callable
        Gives a set with the training set's categories, or refuses it.
    scores : callable
        Gives the potentials of one position, shape (n_labels, n_states) or (n_labels, 1), from the codes of its window,
        int64, shape (left + 1 + right, n_attributes); outside the sequence they are C for each of C categories.
    """

    align: Callable[[SequenceSet], SequenceSet]
    scores: Callable[[Ints], Floats]


class LabelStream:
    """The labels of one sequence whose observations come one after another (fixed-lag smoothing).

    Observation t is labelled when observation t + lag has come, by all that has come: the forward recursion up to the
    last position whose window is complete, and the backward one from there to t. What is still to come counts nothing.
    The last `lag` observations are labelled by `finish`, as in a set. The labels are those that ``predict(data,
    lag=lag)`` gives for the whole sequence; with a lag of its length or more, they are those of ``predict(data)``.

    Parameters
    ----------
    trellis_of : callable
        Gives all paths of a set (`treecrf.chain.trellis.Trellis`).
    inputs : Inputs
    vocabularies : mapping of str to Vocabulary
        The categories in which `trellis_of` sees attributes, by name; none where it looks at those that there are.
    label_names : tuple of str
    order : int
        Number of previous labels that the potentials see.
    reach : (int, int)
        How many observations before and after a position its potentials see.
    lag : int
        At least the right side of the reach.
    windows : CodedWindows, optional
        Gives the same potentials as `trellis_of`, without a set of sequences between.
    constraints
        As for `Labeller.predict`.

    Raises
    ------
    ValueError
        In one sentence, if the lag is too short.
    """

    def __init__(
        self,
        trellis_of: Callable[[SequenceSet], Trellis],
        inputs: Inputs,
        vocabularies: Mapping[str, Vocabulary],
        label_names: tuple[str, ...],
        order: int,
        reach: tuple[int, int],
        lag: int,
        constraints: Constraints | None = None,
        windows: CodedWindows | None = None,
    ) -> None:
        n_later, order = chain_lag(lag, constraints, reach[1]), max(order, 1)
        self._trellis_of, self._inputs, self._label_names = trellis_of, inputs, label_names
        self._vocabularies = vocabularies
        self._names = [*(attribute.name for attribute in inputs.categories), *inputs.number_names]
        self._left, self._right = max(reach[0], order), lag - n_later
        self._follows, self._may_end = step_masks(constraints, label_names)
        self._order, self._smoother = order, LagSmoother(len(label_names), order, n_later)
        n_recent = self._left + 1 + self._right
        self._recent: deque[Mapping[str, Any]] = deque(maxlen=n_recent)
        self._windows, self._reach = windows, reach
        self._edge = np.array([len(attribute.categories) for attribute in inputs.attributes])
        self._codes = np.tile(self._edge, (n_recent, 1))
        self._n_seen = self._n_labelled = 0
        self._warned: list[str] = []
        self._finished = False

    def push(self, observation: Mapping[str, Any]) -> StreamLabel | None:
        """Take the next observation; the label of the one `lag` before, if there is one.

        Parameters
        ----------
        observation : mapping
            The category (text) or number of each attribute, by name; None or NaN where it is missing.

        Raises
        ------
        ValueError
            If an attribute has no value, a number is none, the stream has ended, or no labelling is left.
        """
        self._check_open()
        self._check(observation)
        self._recent.append(observation)
        if self._windows is not None:
            self._codes[:-1] = self._codes[1:]
            self._codes[-1] = self._codes_of(observation, self._windows)
        self._n_seen += 1
        position = self._n_seen - 1 - self._right
        if position < 0:
            return None
        settled = self._smoother.push(self._steps(position))
        return None if settled is None else self._label(settled)

    def finish(self) -> list[StreamLabel]:
        """End the sequence: the labels of the observations that have none so far."""
        self._check_open()
        self._finished = True
        settled = [self._smoother.push(self._steps(p)) for p in range(max(self._n_seen - self._right, 0), self._n_seen)]
        settled += self._smoother.finish()
        return [self._label(probabilities) for probabilities in settled if probabilities is not None]

    def _label(self, probabilities: Floats) -> StreamLabel:
        self._n_labelled += 1
        name = self._label_names[int(probabilities.argmax())]
        return StreamLabel(self._n_labelled - 1, name, probabilities)

    def _steps(self, position: int) -> Floats:
        """The potentials of a position whose window is complete, of the states that may stand before it."""
        windows = self._windows
        steps = self._steps_of_set(position) if windows is None else self._steps_of_codes(position, windows)
        if self._may_end is not None and self._finished and position == self._n_seen - 1:
            steps[~self._may_end] = -np.inf
        return steps

    def _steps_of_set(self, position: int) -> Floats:
        first = max(position - self._left, 0)
        with self._warned_once():
            trellis = self._trellis_of(self._set_of(list(self._recent)[first - self._n_seen :]))
        return steps_at(constrain(trellis, None, self._follows), position - first)

    def _steps_of_codes(self, position: int, windows: CodedWindows) -> Floats:
        (left, right), place = self._reach, len(self._codes) - (self._n_seen - position)
        codes = self._codes[place - left : place + right + 1]
        if len(codes) <= left + right:
            codes = np.vstack([codes, np.tile(self._edge, (left + 1 + right - len(codes), 1))])
        by_state = windows.scores(codes)
        states, before = states_of_depth(len(by_state), self._order, min(position, self._order))
        steps = by_state[:, states] if by_state.shape[1] > 1 else by_state.repeat(len(states), axis=1)
        if self._follows is not None:
            steps[~self._follows.T[:, before]] = -np.inf
        return steps

    def _codes_of(self, observation: Mapping[str, Any], windows: CodedWindows) -> list[int]:
        """The categories of an observation as training numbers them."""
        codes = [
            known.place_of.get(_text_of(observation[name]) or "", MISSING) for name, known in self._vocabularies.items()
        ]
        if min(codes, default=MISSING) == MISSING or self._inputs.number_names:
            with self._warned_once():
                codes = windows.align(self._set_of([observation])).values[0].tolist()
        return codes

    @contextmanager
    def _warned_once(self) -> Iterator[None]:
        outside = warned.set(self._warned)
        try:
            yield
        finally:
            warned.reset(outside)

    def _check_open(self) -> None:
        if self._finished:
            raise ValueError("the stream has ended; make another one for the next sequence.")

    def _check(self, observation: Mapping[str, Any]) -> None:
        names = self._names
        for name in names:
            if name not in observation:
                raise ValueError(
                    f"observation {self._n_seen} has no {quoted(name)}; give each of {listed(names)} (None where it is "
                    "missing)."
                )
        if len(observation) > len(names) and not self._n_seen:
            new = [name for name in observation if name not in names]
            warn(f"the training set did not have {listed(new)}, left out of the stream.")
        for name in self._inputs.number_names:
            value = observation[name]
            is_number = isinstance(value, (int, float, np.integer, np.floating))
            if value is not None and not (is_number and not np.isinf(value)):
                raise ValueError(
                    f"observation {self._n_seen}: {quoted(name)} is {quoted(value)}; give a number, or None."
                )

    def _set_of(self, rows: list[Mapping[str, Any]]) -> SequenceSet:
        """These observations as a set of one sequence."""
        attributes, columns = [], []
        for attribute in self._inputs.categories:
            cells = [_text_of(row[attribute.name]) for row in rows]
            known = self._vocabularies.get(attribute.name)
            codes, names = None if known is None else known.codes(cells), attribute.categories
            if codes is None:
                codes, names = encode_categories(Column(cells, attribute.name))
            columns.append(codes)
            attributes.append((attribute.name, names, attribute.ordered, attribute.anchored))
        names = self._inputs.number_names
        numbers = [[np.nan if row[name] is None else float(row[name]) for row in rows] for name in names]
        offsets = np.array([0, len(rows)])
        return SequenceSet.of_parts(Encoded.unlabelled(columns, attributes, numbers, names, offsets))  # all was checked


def _text_of(cell: Any) -> str | None:
    """The text of a cell, None where it is missing."""
    if cell is None or type(cell) is str:
        return cell
    return None if isinstance(cell, float) and np.isnan(cell) else cell_text(cell)
