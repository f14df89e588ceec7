"""Counts that the tests of deviance share."""

import pytest
from method_counts import arrays, frame


@pytest.fixture
def counts():
    """Counts of three methods on sequences of unlike difficulty."""
    return frame(*arrays())
