"""Whether the parts of a `treecrf.sequences.SequenceSet` fit together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treecrf.io.frames import Encoded
from treecrf.io.messages import quoted, repeated


def check_parts(data: Encoded, groups: NDArray[np.int64]) -> None:
    """Raise a ValueError that names the first place where the parts of a set contradict each other."""
    if data.values.ndim != 2:
        raise ValueError(f"values must have shape (n_observations, n_attributes), not {data.values.shape}.")
    if data.values.shape[1] != len(data.attributes):
        raise ValueError(
            f"values have {data.values.shape[1]} columns but {len(data.attributes)} attributes are described; "
            "every sequence needs the same attributes."
        )
    if data.labels is not None and data.labels.ndim != 1:
        raise ValueError(f"labels must have shape (n_positions,), not {data.labels.shape}.")
    for name, offsets, total in (
        ("offsets", data.offsets, None if data.labels is None else len(data.labels)),
        ("observation_offsets", data.observation_offsets, len(data.values)),
    ):
        if offsets.ndim != 1 or len(offsets) == 0 or offsets[0] != 0 or (np.diff(offsets) < 0).any():
            raise ValueError(f"{name} must start at 0 and never fall.")
        if total is not None and offsets[-1] != total:
            raise ValueError(
                f"{name} end at {offsets[-1]} but there are {total} rows; the last offset must be that number."
            )
    if len(data.offsets) != len(data.observation_offsets):
        raise ValueError("offsets and observation_offsets must describe the same number of sequences.")
    n_sequences = len(data.offsets) - 1
    if groups.shape != (n_sequences,):
        raise ValueError(f"groups must have shape ({n_sequences},), one number a sequence, not {groups.shape}.")
    lengths = np.diff(data.offsets)
    short = np.flatnonzero(np.diff(data.observation_offsets) < lengths)
    if len(short):
        raise ValueError(f"sequence {short[0]} has more positions than observations.")
    empty = np.flatnonzero(lengths == 0)
    if len(empty):
        raise ValueError(f"sequence {empty[0]} has no positions; leave it out.")
    highest = data.values.max(axis=0) if len(data.values) else ()
    for j, ((name, categories, _), code) in enumerate(zip(data.attributes, highest, strict=False)):
        if code >= len(categories):
            row = int(data.values[:, j].argmax())
            raise ValueError(
                f"attribute {name!r}: code {data.values[row, j]} at observation {row} is beyond its "
                f"{len(categories)} categories."
            )
    _check_numbers(data)
    if data.labels is not None and data.labels.max(initial=-1) >= len(data.label_names):
        row = int(data.labels.argmax())
        raise ValueError(
            f"label code {data.labels[row]} at position {row} is beyond the {len(data.label_names)} label names."
        )


def _check_numbers(data: Encoded) -> None:
    if data.numbers.shape != (len(data.values), len(data.number_names)):
        raise ValueError(
            f"numbers must have shape ({len(data.values)}, {len(data.number_names)}), a row for each observation and a column "
            f"for each of number_names, not {data.numbers.shape}."
        )
    twice = repeated([*data.number_names, *(attribute[0] for attribute in data.attributes)])
    if data.number_names and twice is not None:
        raise ValueError(f"two inputs are called {quoted(twice)}; rename one.")
    infinite = np.argwhere(np.isinf(data.numbers))
    if len(infinite):
        row, column = infinite[0]
        raise ValueError(
            f"number {data.number_names[column]!r} is infinite at observation {row}; write NaN where it is not known."
        )
