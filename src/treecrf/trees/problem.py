"""The data that a tree is grown from, and the settings of its growth."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from treecrf.compiled.struct import Int16, Int64, compiled_type, struct
from treecrf.trees.columns import Columns
from treecrf.trees.packing import Packing
from treecrf.trees.sweep import Sweep, n_spaced, n_table


@struct
class Handling(NamedTuple):
    """What happens to a row where the tested cell is missing.

    With a learned direction, the row goes to one side, that with the larger gain in training (default direction).
    Otherwise gains are taken from the rows where the test's outcome is known. Where no surrogate or direction tells, the
    row goes to the side with more of the known rows, or blends: it goes to both sides, with weights in proportion to the
    known rows there (instance weighting, PhD section 4.2).
    """

    learns_direction: bool
    scales_gain: Annotated[bool, "Whether a gain is multiplied by the known share of the node's rows, as C4.5 does."]
    n_surrogates: Annotated[int, "So many surrogate tests are tried first, best first (PhD section 4.3; 0: none)."]
    either_polarity: Annotated[bool, "Whether the opposite of a test may be a surrogate too."]
    blends: bool


HANDLING = compiled_type(Handling)
NO_HANDLING = Handling(False, False, 0, False, False)
"""Where no cell is missing."""


@struct
class Problem(NamedTuple):
    """The windows of a training set, and the settings of its trees.

    Unless `handling` is `NO_HANDLING`, the last cell of each slot is "missing". The number of previous labels of each
    position, and what `treecrf.trees.holes.surrogates.count_missing` gives, are empty where windows stand for several
    positions or nothing needs them.
    """

    columns: Columns
    sweep: Sweep
    labels_of_state: Annotated[Int16, "n_all_states, order"]
    n_labels: int
    max_leaves: int
    l2_regularization: float
    packing: Packing
    handling: Handling
    depths: Annotated[Int16, "n_positions"]
    missing_counts: Annotated[Int64, "n_depths, n_slots, n_cells"]

    def sizes(self) -> dict[str, int]:
        """Lengths of the buffers that growing needs."""
        n_all_states, order = self.labels_of_state.shape
        n_cells = int(self.columns.first_cell[-1])
        return {
            "n_leaves": self.max_leaves,
            "n_all_states": n_all_states,
            "n_positions": len(self.columns.cells),
            "n_cells": n_cells,
            "n_features": n_cells + order * (self.n_labels + 1),
            "n_surrogates": self.handling.n_surrogates,
            "n_depths": order + 1,
            "n_spaced": n_spaced(self.sweep),
            "n_table": n_table(self.sweep),
        }


PROBLEM = compiled_type(Problem)
