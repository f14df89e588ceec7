"""SMILE's encoded files: a writer, and the reader of its copy of the protein data."""

import numpy as np

from treecrf.sequences import Attribute, SequenceSet, slot_sizes, window_codes
from treecrf_studies.datasets import hyphenation, protein
from treecrf_studies.datasets.loading import DataError

PROTEIN_FILES = tuple(f"protein/sparse.protein.11.{part}" for part in ("train", "test"))
"""Copies of the UCI files' sequences, as windows of 11 residues."""

PROTEIN_WINDOW = (5, 5)


def decode_protein(data, file):
    """The sequences of a copy; DataError where the windows of a sequence contradict each other."""
    n_residues, middle = len(protein.RESIDUES), PROTEIN_WINDOW[0]
    windows = hyphenation.read_encoded(data, file, n_residues + 1, sum(PROTEIN_WINDOW) + 1, len(protein.STATES))
    centre = windows.codes[:, middle]
    if (centre >= n_residues).any():
        raise DataError(file, int((centre >= n_residues).argmax()) + 2, "a window has no residue in its middle")
    attributes = (Attribute("residue", protein.RESIDUES),)
    values, labels = centre[:, None].astype(np.int16), windows.labels.astype(np.int16)
    result = SequenceSet(values, windows.offsets, attributes, labels, protein.STATES)
    if not np.array_equal(window_codes(result, PROTEIN_WINDOW), windows.codes):
        raise DataError(file, None, "the windows of a sequence contradict each other")
    return result


def encode(data, window):
    """The bytes of a labelled set with one attribute and no missing cell."""
    if data.labels is None or len(data.attributes) != 1 or data.has_missing:
        raise ValueError("SMILE's format holds one attribute without missing cells, and labels; give such a set.")
    codes, n_codes = window_codes(data, window).astype(np.int64), int(slot_sizes(data.attributes, window)[0])
    n_slots = codes.shape[1]
    features = codes + n_codes * np.arange(n_slots)
    lines = [f"{len(data)} {len(data.label_names)} {n_codes * n_slots}"]
    for sequence, (begin, end) in enumerate(zip(data.offsets[:-1], data.offsets[1:], strict=True), start=1):
        for row in range(begin, end):
            cells = " ".join(map(str, features[row]))
            lines.append(f"{sequence} {row - begin + 1} {n_slots} {cells} {data.labels[row]}")
    return ("\n".join(lines) + "\n").encode("ascii")
