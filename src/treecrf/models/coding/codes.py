"""Random codes of labels, and decoding (Hao 2009, chapter 3; Dietterich and Bakiri 1995)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

_MOST_TRIES = 1000  # of a column, and of a whole code


def make_code(n_labels: int, length: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """A code word for each label, shape (n_labels, length): fair random bits, drawn column by column.

    A column is drawn again while it is constant, or equal or complementary to an earlier one; the whole code while two
    labels share a word. Codes of the same seed begin with the same columns, whatever their length, unless one was drawn again.

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
            f"code_length={length}: {n_labels} labels have {2 ** (n_labels - 1) - 1} different columns; give at most so many."
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

    Yields
    ------
    float64, shape (n_positions, n_labels)
        The same array again and again.
    """
    from treecrf.models.coding._distance_kernels import add_distances

    distances, columns = np.zeros((len(bits), len(code))), np.ascontiguousarray(code.T)
    for last in range(every, code.shape[1] + 1, every):
        add_distances(bits, columns, last - every, last, distances)
        yield distances
