"""SMILE's encoded files: a writer."""

import numpy as np

from treecrf.sequences import slot_sizes, window_codes


def encode(data, window):
    """The bytes of a labelled set with one attribute and no missing cell."""
    codes, n_codes = window_codes(data, window).astype(np.int64), int(slot_sizes(data.attributes, window)[0])
    n_slots = codes.shape[1]
    features = codes + n_codes * np.arange(n_slots)
    lines = [f"{len(data)} {len(data.label_names)} {n_codes * n_slots}"]
    for sequence, (begin, end) in enumerate(zip(data.offsets[:-1], data.offsets[1:], strict=True), start=1):
        for row in range(begin, end):
            cells = " ".join(map(str, features[row]))
            lines.append(f"{sequence} {row - begin + 1} {n_slots} {cells} {data.labels[row]}")
    return ("\n".join(lines) + "\n").encode("ascii")
