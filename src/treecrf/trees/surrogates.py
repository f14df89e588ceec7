"""Choosing the surrogates of a split (PhD section 4.3; Breiman et al. 1984, section 5.3)."""

from __future__ import annotations

from numba import boolean, float64, int32, int64, void

from treecrf.trees.kernel import kernel


@kernel(void(int32[:, ::1], float64[::1], int64, int64, boolean, float64))
def _insert(surrogates, agreements, slot, code, polarity, agreement):
    """Put a surrogate in its place among the best, behind those that agree as well."""
    place = len(surrogates)
    while place > 0 and agreement > agreements[place - 1]:
        place -= 1
    if place == len(surrogates):
        return
    for i in range(len(surrogates) - 1, place, -1):
        agreements[i] = agreements[i - 1]
        for j in range(3):
            surrogates[i, j] = surrogates[i - 1, j]
    agreements[place] = agreement
    surrogates[place, 0] = slot
    surrogates[place, 1] = code
    surrogates[place, 2] = polarity


@kernel(void(int64[::1], int64[::1], int64, int64, int64, int64[::1], boolean, float64[::1], int32[:, ::1]))
def choose_surrogates(
    true_histogram, false_histogram, true_weight, false_weight, slot, first_cell, either_polarity, agreements,
    surrogates,
):  # fmt: skip
    """Find the tests that agree best with a split, by weight, among the rows where both outcomes are known.

    A surrogate must agree with the split in more of that weight than the larger side has. Tests of previous
    labels are no candidates: a leaf is a product of positions and states, so they tell nothing about a window.

    Parameters
    ----------
    true_histogram, false_histogram : int64, shape (n_cells,)
        Weights, by window cell, of the rows where the split's test holds and of those where it does not.
    true_weight, false_weight : int64
        Of all such rows.
    slot : int64
        Slot of the split.
    first_cell : int64, shape (n_slots + 1,)
        The last cell of each slot is "missing".
    either_polarity : bool
        Whether the opposite of a test may be a surrogate.
    agreements : float64, shape (n_surrogates,)
        Work space.
    surrogates : int32, shape (n_surrogates, 3)
        Overwritten: slot, code, and 1 for the test itself or 0 for its opposite; a slot of -1 ends the list. Best
        agreement first, among equals the lowest cell first, the test itself before its opposite.
    """
    agreements[:] = 0.0
    surrogates[:, :] = -1
    for other in range(len(first_cell) - 1):
        missing = first_cell[other + 1] - 1
        known_true = true_weight - true_histogram[missing]
        known_false = false_weight - false_histogram[missing]
        known = known_true + known_false
        if other == slot or known <= 0:
            continue
        for cell in range(first_cell[other], missing):
            agreeing = true_histogram[cell] + (known_false - false_histogram[cell])
            if agreeing > max(known_true, known_false):
                agreement = float64(agreeing) / float64(known)
                _insert(surrogates, agreements, other, cell - first_cell[other], True, agreement)
            elif either_polarity and known - agreeing > max(known_true, known_false):
                agreement = float64(known - agreeing) / float64(known)
                _insert(surrogates, agreements, other, cell - first_cell[other], False, agreement)
