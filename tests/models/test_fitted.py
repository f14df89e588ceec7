"""Fitted arrays: names in files, and what is refused."""

from typing import Annotated, NamedTuple

import numpy as np
import pytest

from treecrf.compiled.struct import Float64, Int64, struct
from treecrf.models.fitted import declared_values, named_arrays


@struct
class Parts(NamedTuple):
    """Two parts."""

    first: Annotated[Int64, "n_parts + 1"]
    cells: Annotated[Float64, "n_parts, 2"]


DECLARED = {
    "weights": Annotated[Float64, "n_cells + 1, n_labels"],
    "cells": Annotated[Float64, "n_cells"],
    "both": Annotated[Float64, "n_cells + n_more"],
    "parts": Parts,
}
VALUES = {
    "weights": np.zeros((4, 3)),
    "cells": np.zeros(3),
    "both": np.zeros(5),
    "parts": Parts(np.arange(3), np.ones((2, 2))),
}


def test_arrays_go_to_a_file_and_back():
    arrays = named_arrays(VALUES, DECLARED)
    assert list(arrays) == ["weights", "cells", "both", "parts_first", "parts_cells"]
    found = declared_values(arrays | {"other": np.zeros(1)}, DECLARED, {"n_labels": 3})
    assert list(found) == list(DECLARED)
    assert found["parts"].cells.tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("weights", np.zeros((4, 2)), r"^weights has an axis of 2, not of n_labels$"),
        ("weights", np.zeros((4, 3), dtype=np.float32), r"^weights has 2 axes of float32, not 2 of float64$"),
        ("cells", np.zeros(4), r"^cells has an axis of 4, not of n_cells$"),
        ("cells", np.zeros((3, 1)), r"^cells has 2 axes of float64, not 1 of float64$"),
        ("both", np.zeros(2), r"^both has an axis of 2, not of n_cells \+ n_more$"),
        ("parts_first", np.arange(4), r"^cells has an axis of 2, not of n_parts$"),
        ("parts_cells", np.ones((2, 3)), r"^cells has an axis of 3, not of 2$"),
    ],
)
def test_other_types_and_shapes_are_refused(name, array, message):
    with pytest.raises(ValueError, match=message):
        declared_values(named_arrays(VALUES, DECLARED) | {name: array}, DECLARED, {"n_labels": 3})


def test_an_array_that_is_not_there_is_missed():
    with pytest.raises(KeyError, match="weights"):
        declared_values({}, DECLARED, {"n_labels": 3})
