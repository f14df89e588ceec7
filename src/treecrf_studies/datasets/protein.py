"""Protein secondary structure (Qian and Sejnowski 1988), from the UCI files.

``<>`` opens a sequence, ``R s`` is a residue and its state, ``end`` or ``<end>`` may close a protein. A protein
of several chains has ``<>`` between them and no ``end``: sequences are split at every ``<>`` (111 and 17, the
numbers of the dissertation). Some training sequences are of the same protein or of relatives: those that share more
than a tenth of their runs of four residues are a group.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from treecrf.io.messages import quoted
from treecrf.sequences import Attribute, SequenceSet
from treecrf_studies.datasets.description import Description
from treecrf_studies.datasets.loading import DataError, parse_files, text_lines

RESIDUES = tuple("ACDEFGHIKLMNPQRSTVWY")
STATES = ("_", "e", "h")

FILES = tuple(f"protein/protein-secondary-structure.{part}" for part in ("train", "test"))


def parse(data: bytes, file: str) -> SequenceSet:
    """Read one UCI file (bytes; `file` names it in errors)."""
    residues: list[int] = []
    states: list[int] = []
    offsets = [0]
    opened = False
    for number, raw in enumerate(text_lines(data, "ascii"), start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if line in ("<>", "end", "<end>"):
            if len(residues) > offsets[-1]:
                offsets.append(len(residues))
            opened = line == "<>"
            continue
        words = line.split()
        if not opened:
            raise DataError(file, number, "a residue stands before '<>'")
        if len(words) != 2 or words[0] not in RESIDUES or words[1] not in STATES:
            raise DataError(file, number, f"expected a residue and its state, found {quoted(line)}")
        residues.append(RESIDUES.index(words[0]))
        states.append(STATES.index(words[1]))
    if len(residues) > offsets[-1]:
        offsets.append(len(residues))
    if not residues:
        raise DataError(file, None, "holds no residues")
    values = np.array(residues, dtype=np.int32)[:, None]
    return SequenceSet(values, np.array(offsets), (Attribute("residue", RESIDUES),), np.array(states), STATES)


def load(raw: Path) -> tuple[SequenceSet, SequenceSet]:
    """Training and test set."""
    train, test = parse_files(raw, FILES, parse)
    return train, test


DESCRIPTIONS = (
    Description(
        "protein",
        "secondary structure of proteins",
        (5, 5),
        load,
        FILES,
        source="Qian and Sejnowski 1988, UCI; non-commercial research",
        groups={"length": 4, "share": 0.1},
    ),
)
