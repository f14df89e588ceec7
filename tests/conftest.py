"""Fixtures that several test files share; the library's tests need nothing of the studies."""

import os
import shutil
from pathlib import Path

import pytest
from builders import TESTS
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

pytest.register_assert_rewrite("contract", "rows", "saved_models", "changed_models")

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")

CALL_KERNELS = {"chain", "cli", "compiled", "models", "methods", "automl", "trees", "test_jobs.py", "test_study.py"}
"""Folders and files of tests that call most of the compiled kernels."""


@pytest.fixture(scope="session", autouse=True)
def unsynced():
    """Files are not forced to the disk, as no test cuts the power; those of other processes are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(scope="session")
def mirror():
    """The folder of the real raw files; tests that need it are skipped where TREECRF_MIRROR does not name one."""
    folder = os.environ.get("TREECRF_MIRROR")
    if not folder:
        pytest.skip("TREECRF_MIRROR is not set: the real raw files are not here")
    if not Path(folder).is_dir():
        pytest.skip(f"TREECRF_MIRROR names {folder}, which is not a folder")
    return Path(folder)


@pytest.fixture(scope="session")
def data():
    """The folder of small invented files."""
    return TESTS / "data"


@pytest.fixture(scope="session")
def chromium():
    """A browser without a network."""
    from chromium import started

    with started() as chromium:
        yield chromium


@pytest.fixture(scope="session")
def training_results(tmp_path_factory):
    """What `results` copies."""
    from runs import write_training_results

    folder = tmp_path_factory.mktemp("training_results")
    write_training_results(folder)
    return folder


@pytest.fixture
def results(training_results, tmp_path):
    """A folder with the results of the training study on the data set hmm, and of half of xor."""
    return shutil.copytree(training_results, tmp_path, dirs_exist_ok=True)


@pytest.fixture
def write(tmp_path):
    """Writes text or bytes to a file of this name; returns its path."""

    def write(name, text):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path / name

    return write


class OneProcessEach(LoadScopeScheduling):
    """Runs the tests of a file in one process, and all tests of the workflow, which read one run."""

    def _split_scope(self, nodeid):
        path = nodeid.partition("::")[0]
        return "workflow" if path.startswith("tests/workflow/") else path


def pytest_xdist_make_scheduler(config, log):
    """How `pytest -n` shares out the tests."""
    return OneProcessEach(config, log)


def _turn(item):
    """The workflow, which takes longest, comes first; what uses its compiled kernels comes when they are there."""
    parts = item.path.relative_to(TESTS.parent).parts
    return 0 if "workflow" in parts else 2 if CALL_KERNELS.intersection(parts) else 1


def pytest_collection_modifyitems(items):
    """Order the tests; mark whole folders and everything that starts Java as slow."""
    items.sort(key=_turn)
    for item in items:
        if TESTS in item.path.parents:
            folders = {*item.path.relative_to(TESTS).parts}
            if folders & {"docs", "faults", "fuzz"} or "java" in item.fixturenames:
                item.add_marker(pytest.mark.slow)
