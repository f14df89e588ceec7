"""Fitted arrays: names in files, and what is refused."""

from typing import Annotated, NamedTuple

import numpy as np
import pytest
from saved_models import (
    FOLDER,
    OF_STUDIES,
    SAVED,
    assert_has_its_stages,
    assert_headers_are_checked,
    assert_says_what_it_said,
)

import treecrf
from treecrf.compiled.struct import FINITE, Float64, Int64, below, offsets_into, struct
from treecrf.models.base import named_arrays, refuse_rest, take_declared
from treecrf.models.persistence import load_class
from treecrf.models.registry import LABELLERS


@struct
class Parts(NamedTuple):
    """Two parts."""

    first: Annotated[Int64, "n_parts + 1", offsets_into("n_cells_of_parts")]
    cells: Annotated[Float64, "n_parts, 2", FINITE, "Of each."]
    places: Annotated[Int64, "n_cells_of_parts", below("n_places")]


DECLARED = {
    "weights": Annotated[Float64, "n_cells + 1, n_labels", FINITE],
    "cells": Annotated[Float64, "n_cells", FINITE],
    "both": Annotated[Float64, "n_cells + n_more", FINITE],
    "pairs": Annotated[Float64, "n_cells * n_labels + 1", FINITE],
    "parts": Parts,
}
VALUES = {
    "weights": np.zeros((4, 3)),
    "cells": np.zeros(3),
    "both": np.zeros(5),
    "pairs": np.zeros(10),
    "parts": Parts(np.array([0, 2, 3]), np.ones((2, 2)), np.array([0, 4, 1])),
}
KNOWN = {"n_labels": 3, "n_places": 5}


def take(changes):
    return take_declared(named_arrays(VALUES, DECLARED) | changes, DECLARED, KNOWN)


def test_arrays_go_to_a_file_and_back():
    arrays = named_arrays(VALUES, DECLARED) | {"other": np.zeros(1)}
    assert list(arrays)[4:] == ["parts_first", "parts_cells", "parts_places", "other"]
    found = take_declared(arrays, DECLARED, KNOWN)
    assert list(found) == list(DECLARED)
    assert found["parts"].cells.tolist() == [[1, 1], [1, 1]]
    assert list(arrays) == ["other"]
    with pytest.raises(ValueError, match=r"^nothing declares the part other$"):
        refuse_rest(arrays)


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("weights", np.zeros((4, 2)), r"^weights has an axis of 2, not of n_labels$"),
        ("weights", np.zeros((4, 3), dtype=np.float32), r"^weights has 2 axes of float32, not 2 of float64$"),
        ("weights", np.zeros((4, 3), dtype=">f8"), r"^weights has 2 axes of >f8, not 2 of float64$"),
        ("weights", np.full((4, 3), np.nan), r"^weights must be finite$"),
        ("cells", np.zeros(4), r"^cells has an axis of 4, not of n_cells$"),
        ("cells", np.zeros((3, 1)), r"^cells has 2 axes of float64, not 1 of float64$"),
        ("both", np.zeros(2), r"^both has an axis of 2, not of n_cells \+ n_more$"),
        ("pairs", np.zeros(9), r"^pairs has an axis of 9, not of n_cells \* n_labels \+ 1$"),
        ("parts_first", np.arange(4), r"^cells has an axis of 2, not of n_parts$"),
        ("parts_first", np.array([0, 3, 2]), r"^first must begin at 0, never fall and end at n_cells_of_parts$"),
        ("parts_cells", np.ones((2, 3)), r"^cells has an axis of 3, not of 2$"),
        ("parts_places", np.array([0, 5, 1]), r"^places must be at least 0 and below n_places$"),
        ("parts_places", np.array([0, -1, 1]), r"^places must be at least 0 and below n_places$"),
        ("parts_more", np.zeros(1), r"^nothing declares the part more$"),
    ],
)
def test_other_types_shapes_and_values_are_refused(name, array, message):
    with pytest.raises(ValueError, match=message):
        take({name: array})


def test_an_array_that_is_not_there_is_missed():
    with pytest.raises(KeyError, match="weights"):
        take_declared({}, DECLARED, KNOWN)


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"cells": Annotated[Float64, "n_cells", "Cells."]}, r"^cells is declared without a rule for its values$"),
        (
            {"cells": Annotated[Float64, "n_one + n_other", FINITE]},
            r"^nothing tells the axis n_one \+ n_other of cells$",
        ),
    ],
)
def test_a_declaration_that_says_too_little_is_an_error_of_the_class(declared, message):
    with pytest.raises(TypeError, match=message):
        take_declared({"cells": np.zeros(3)}, declared, {})


# --- header ----------------------------------------------------------------------------------------


FAMILIES = (
    "crfsuite",
    "derivinglabeller",
    "ensemble",
    "imputinglabeller",
    "inducedcrf",
    "linearcrf",
    "memm",
    "neuralcrf",
    "neuralnetwork",
    "slidingwindow",
    "stackedsequential",
    "treecrf",
    "treecrf_with_anchors",
    "votedperceptron",
    "windowlightgbm",
)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_field_that_is_deleted_or_changed_gives_a_sentence_or_labels(name):
    assert_headers_are_checked(name)


# --- former versions -------------------------------------------------------------------------------


MODELS = [name for name in SAVED if not name.startswith(OF_STUDIES)]


@pytest.mark.parametrize("name", MODELS)
def test_a_saved_model_says_what_it_said(name):
    assert_says_what_it_said(name)


@pytest.mark.parametrize("name", MODELS)
def test_a_saved_model_has_its_stages(name):
    assert_has_its_stages(name)


def test_every_class_of_labellers_was_saved():
    classes = {load_class(row.class_path) for row in LABELLERS.values() if row.family != "neural"}
    assert classes <= {type(treecrf.load(FOLDER / f"{name}.npz")) for name in MODELS if "neuralcrf" not in name}
