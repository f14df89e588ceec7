"""Settings for tests whose outcome is not known."""

from __future__ import annotations

from typing import NamedTuple

from numba import boolean, int64, types


class Handling(NamedTuple):
    """What happens to a row where the tested cell is missing.

    Attributes
    ----------
    learns_direction : bool
        The row goes to one side, that with the larger gain in training (default direction). Otherwise gains are
        taken from the rows where the test's outcome is known.
    scales_gain : bool
        Whether such a gain is multiplied by the known share of the node's rows, as C4.5 does.
    n_surrogates : int
        So many surrogate tests are tried first, best first (PhD section 4.3; 0: none).
    either_polarity : bool
        Whether the opposite of a test may be a surrogate too.
    blends : bool
        Where no surrogate or direction tells: whether the row goes to both sides, with weights in proportion to
        the known rows there (instance weighting, PhD section 4.2), or to the side with more of them.
    """

    learns_direction: bool
    scales_gain: bool
    n_surrogates: int
    either_polarity: bool
    blends: bool


HANDLING = types.NamedTuple((boolean, boolean, int64, boolean, boolean), Handling)
"""The compiled type of `Handling`."""
