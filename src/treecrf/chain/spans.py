"""Probabilities of what several positions in a row have together, which marginals of single positions do not tell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
from numba import float64, int64, uint64, void
from numpy.typing import NDArray

from treecrf.chain._kernels import log_sum, longest
from treecrf.chain.constraints import parse_labels, scheme_of
from treecrf.chain.trellis import TRELLIS, Trellis, backward, check_reached, forward, newest, place_of, step
from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Int16, Int64, compiled_type, struct
from treecrf.io.messages import listed, quoted


@struct
class Events(NamedTuple):
    """Labels of some positions in a row: a first one, others, a last one, and one that must not come next.

    The first label is that of a span of one position, too.
    """

    sequences: Annotated[Int64, "n_events", "Ascending."]
    begins: Annotated[Int64, "n_events", "First place in the sequence."]
    ends: Annotated[Int64, "n_events", "Last place."]
    labels: Annotated[Int16, "n_events, 4", "First, middle, last label, and the one that must not follow or -1."]


EVENTS = compiled_type(Events)


@kernel(void(TRELLIS, int64, int64, int64, float64, float64[::1], float64[::1]), error_model="numpy", allocates=True)
def _go(trellis, sequence, t, label, scale, now, after):
    """One step of the forward recursion, to one label alone; `after` stays as it was where other labels lead."""
    terms = np.empty(trellis.unary.shape[1])
    base, n_blocks, width, stride, per_label = place_of(trellis, t)
    position = uint64(trellis.offsets[sequence] + t)
    for block in range(n_blocks):
        for i in range(width):
            state = block * width + i
            before = newest(trellis, t, state, per_label)
            terms[i] = now[state] + step(trellis, position, uint64(label), base, state, before) - scale
        after[uint64(label) * stride + block] = log_sum(terms, width)


@kernel(int64(TRELLIS, EVENTS, float64[::1]), error_model="numpy", allocates=True)
def infer_events(trellis, events, logs):
    """Write the log probability of each event; returns the first position that no path reaches the end of, or -1."""
    n_labels = trellis.unary.shape[1]
    n_full, n_places = n_labels**trellis.order, longest(trellis.offsets) + 1
    alphas, betas, scales = np.empty((n_places, n_full)), np.empty((n_places, n_full)), np.empty(n_places)
    now, after = np.empty(n_full), np.empty(n_full)
    inferred = int64(-1)
    for event in range(len(logs)):
        sequence, begin, end = events.sequences[event], events.begins[event], events.ends[event]
        length = trellis.offsets[sequence + 1] - trellis.offsets[sequence]
        if sequence != inferred:
            stopped = forward(trellis, sequence, alphas, scales)
            if stopped >= 0:
                return trellis.offsets[sequence] + stopped
            backward(trellis, sequence, 0, length, scales, betas)
            inferred = sequence
        now[:] = alphas[begin]
        for t in range(begin, end + 1):
            place = 0 if t == begin else (2 if t == end else 1)
            after[:] = -np.inf
            _go(trellis, sequence, t, events.labels[event, place], scales[t], now, after)
            now, after = after, now
        t, forbidden = end + 1, events.labels[event, 3]
        if forbidden >= 0 and t < length:
            after[:] = -np.inf
            for label in range(n_labels):
                if label != forbidden:
                    _go(trellis, sequence, t, label, scales[t], now, after)
            now, after = after, now
            t += 1
        _, _, _, stride, _ = place_of(trellis, t - 1)
        n_states = n_labels * int64(stride)
        for state in range(n_states):
            now[state] += betas[t, state]
        logs[event] = log_sum(now, n_states) - log_sum(betas[0], 1)
    return -1


class Span(NamedTuple):
    """Some positions in a row of one sequence.

    Attributes
    ----------
    sequence : int
        Number of the sequence, from 0.
    first, last : int
        Its first and its last position in the sequence, from 0; both belong to it.
    label : str
        What they are: a label that all of them have, or the type of an entity.
    """

    sequence: int
    first: int
    last: int
    label: str


def span_probability(
    trellis: Trellis,
    spans: Iterable[tuple[int, int, int, str]],
    label_names: Sequence[str],
    entities: str | None = None,
) -> NDArray[np.float64]:
    """The probability of each span, float64, shape (n_spans,), given that a path is one of the trellis'.

    Parameters
    ----------
    trellis : Trellis
    spans : iterable of Span or (sequence, first, last, label)
    label_names : sequence of str
    entities : str, optional
        A name of `treecrf.chain.constraints.SCHEMES`: labels of spans are types of entities ("" where labels are bare
        letters), and a span has one that begins at its first position and ends at its last one. Unless given, all its
        positions have its label, whatever those around it have.

    Raises
    ------
    ValueError
        If there is no such sequence, position, label or type, or a sequence has no path.
    """
    checked = [_span(span) for span in spans]
    _check_places(checked, np.diff(trellis.offsets))
    labels_of = _entity_labels(label_names, entities) if entities is not None else _equal_labels(label_names)
    what = "label" if entities is None else "type of entities"
    for span in checked:
        if span.label not in labels_of:
            raise ValueError(f"{_words(span)}: there is no {what} {quoted(span.label)}; there are {listed(labels_of)}.")
    labels = np.array([labels_of[s.label][min(s.last - s.first, 2)] for s in checked], dtype=np.int16).reshape(-1, 4)
    places = np.array([span[:3] for span in checked], dtype=np.int64).reshape(-1, 3)
    possible = ~(labels[:, :3] < 0).any(axis=1)
    order = np.flatnonzero(possible)[np.argsort(places[possible, 0], kind="stable")]
    sequences, begins, ends = np.ascontiguousarray(places[order].T)
    logs = np.empty(len(order))
    events = Events(sequences, begins, ends, np.ascontiguousarray(labels[order]))
    check_reached(trellis, infer_events(trellis, events, logs))
    probabilities = np.zeros(len(checked))
    probabilities[order] = np.exp(logs)
    return probabilities


_Labels = tuple[tuple[int, int, int, int], ...]
"""Of spans of one, two, and more positions: as in `Events`, -1 for a label that there is not."""


def _equal_labels(label_names: Sequence[str]) -> dict[str, _Labels]:
    return {name: ((code, code, code, -1),) * 3 for code, name in enumerate(label_names)}


def _entity_labels(label_names: Sequence[str], scheme: str) -> dict[str, _Labels]:
    """The labels of spans of each type of entity."""
    rules = scheme_of(scheme)
    codes = {part: code for code, part in enumerate(parse_labels(label_names, scheme))}
    labels_of: dict[str, _Labels] = {}
    for kind in {kind: None for letter, kind in codes if letter in rules.tags}:
        single, first, middle, last = (
            codes.get((letter, kind), -1) for letter in (rules.single, rules.first, rules.middle, rules.last)
        )
        not_next = -1 if rules.unfinished else last  # a label that ends an entity needs no look at the next one
        labels_of[kind] = ((single,) * 3 + (not_next,), (first, last, last, not_next), (first, middle, last, not_next))
    return labels_of


def _span(span: Iterable[Any]) -> Span:
    parts = list(span)
    if len(parts) != 4 or not all(isinstance(place, int | np.integer) for place in parts[:3]):
        raise ValueError(f"{quoted(span)} is no span; give (sequence, first position, last position, label).")
    sequence, first, last, label = parts
    return Span(sequence, first, last, str(label))


def _check_places(spans: list[Span], lengths: NDArray[np.int64]) -> None:
    for span in spans:
        if not 0 <= span.sequence < len(lengths):
            raise ValueError(f"{_words(span)}: the set has the sequences 0 to {len(lengths) - 1}.")
        if not 0 <= span.first <= span.last < lengths[span.sequence]:
            raise ValueError(
                f"{_words(span)}: give a first and a last position among 0 to {lengths[span.sequence] - 1}, "
                "in this order."
            )


def _words(span: Span) -> str:
    return f"span of sequence {span.sequence}, positions {span.first} to {span.last}"
