"""This package's labellers keep what every labeller promises."""

import pytest
from contract import *  # noqa: F403
from contract import assert_large_numbers_are_refused, assert_workers_agree, fitted
from labellers import LABELLERS, TRAIN

from treecrf import NeuralCRF, NeuralNetwork


@pytest.fixture(scope="module", params=LABELLERS)
def named(request):
    return fitted(LABELLERS, request.param)


def test_predictions_in_worker_processes_are_those_of_one():
    models = [
        LABELLERS[name]().fit(TRAIN) for name in ("TreeCRF", "TreeCRF with a beam", "InducedCRF", "VotedPerceptron")
    ]
    assert_workers_agree([*models, models[0].flattened()])


@pytest.mark.parametrize("make", [NeuralNetwork, NeuralCRF])
def test_numbers_that_cannot_be_standardized_are_refused(make):
    assert_large_numbers_are_refused(make)
