"""The ledger of a benchmark run: every measured figure beside its target, printed at the end."""

import os
from pathlib import Path

import pytest

from treecrf_studies import datasets

LEDGER: list[tuple[str, str, str]] = []


@pytest.fixture
def record():
    """Note a figure: ``record(what, measured, target)``, both as text."""

    def note(what: str, measured: str, target: str = "") -> None:
        LEDGER.append((what, measured, target))

    return note


def pytest_addoption(parser):
    """Offer a size at which every benchmark merely runs, so that tests notice one that is broken."""
    parser.addoption("--tiny", action="store_true", help="run each benchmark on a small generated set, a few rounds")


@pytest.fixture(scope="session")
def tiny(pytestconfig):
    """Whether nothing is measured."""
    return pytestconfig.getoption("--tiny")


@pytest.fixture(scope="session")
def size(tiny):
    """``size(number)`` is the number of iterations, rounds or sequences, or 2 at most."""
    return lambda number: min(number, 2) if tiny else number


@pytest.fixture(scope="session")
def load(tiny, request):
    """Read a data set as ``datasets.load(name, ...)`` does; without real data their benchmarks are skipped."""

    def read(name, **options):
        if tiny:
            return [data.select(range(12)) for data in datasets.load("hmm")]
        if datasets.describe(name).kind == "files":
            options["raw"] = request.getfixturevalue("raw")
        return datasets.load(name, **options)

    return read


@pytest.fixture(scope="session")
def raw():
    """The folder of raw files."""
    folder = Path(os.environ.get("TREECRF_MIRROR", "data/raw"))
    if not folder.is_dir():
        pytest.skip("no raw data: set TREECRF_MIRROR to a folder that holds them, or run `make results`")
    return folder


def pytest_terminal_summary(terminalreporter, config):
    """Print the ledger, of measurements."""
    if LEDGER and not config.getoption("--tiny"):
        terminalreporter.section("measured against target (medians, this machine, this run)")
        for what, measured, target in LEDGER:
            terminalreporter.write_line(f"{what:<72} {measured:>14}   {target}")
