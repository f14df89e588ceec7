"""Java, for the tests that need it."""

import pytest

from treecrf_studies.methods.java import machine


@pytest.fixture(scope="session")
def java():
    """The running Java virtual machine; tests that need it are skipped where there is none."""
    problem = machine.java_problem()
    if problem:
        pytest.skip(problem)
    return machine.start_java()
