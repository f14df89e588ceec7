"""The compiled part of `treecrf.chain.spans`."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numba import float64, int64, uint64, void

from treecrf.chain._trellis_kernels import TRELLIS, backward, forward, log_sum, longest, newest, place_of, step
from treecrf.compiled.kernel import kernel
from treecrf.compiled.struct import Int16, Int64, compiled_type, struct


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
    """One step of the forward recursion, to one label alone; `after` is minus infinity before where other labels lead."""
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
