"""Labellers that the tests of explanations share."""

import pytest
from explained import COLUMNS, LABELLERS, made

from treecrf.automl.labeller import TableLabeller


@pytest.fixture(scope="module", params=list(LABELLERS))
def model(request):
    return TableLabeller(LABELLERS[request.param].fit(made()), COLUMNS)
