"""Sequences and labellers whose explanations are known: the letter before decides."""

import numpy as np

from treecrf import LinearCRF, SequenceSet, TreeCRF, WindowLightGBM
from treecrf.readers.tables import TableColumns


def made(seed=0, n_sequences=40):
    """The letter before decides; numbers say nothing."""
    rng = np.random.default_rng(seed)
    n = 10 * n_sequences
    values = rng.integers(0, 3, (n, 2))
    labels = np.where(np.arange(n) % 10, np.roll(values[:, 0], 1), 0)
    return SequenceSet(
        values,
        np.arange(0, n + 1, 10),
        [("letter", "abc"), ("noise", "xyz")],
        labels,
        "uvw",
        numbers=rng.normal(size=(n, 1)),
        number_names=("size",),
    )


COLUMNS = TableColumns("sequence", "label", ("letter", "noise", "size"), ("size",))
LABELLERS = {
    "trees": TreeCRF(n_iterations=5, max_leaves=5, window=(1, 1)),
    "linear": LinearCRF(window=(1, 1), max_iterations=20),
    "lightgbm": WindowLightGBM(n_iterations=5, window=(1, 1)),
}
