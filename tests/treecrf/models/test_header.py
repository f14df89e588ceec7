"""Headers of saved models with each field deleted or changed, their digest right: one sentence, or labels."""

import pytest
from saved_models import assert_headers_are_checked

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
