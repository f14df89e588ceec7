"""The ledger of a benchmark run: every measured figure beside its target, printed at the end."""

import os
from pathlib import Path

import pytest

LEDGER: list[tuple[str, str, str]] = []


@pytest.fixture
def record():
    """Note a figure: ``record(what, measured, target)``, both as text."""

    def note(what: str, measured: str, target: str = "") -> None:
        LEDGER.append((what, measured, target))

    return note


@pytest.fixture(scope="session")
def raw():
    """The folder of raw files; benchmarks on real data are skipped without it."""
    folder = Path(os.environ.get("TREECRF_MIRROR", "data/raw"))
    if not folder.is_dir():
        pytest.skip("no raw data: set TREECRF_MIRROR to a folder that holds them, or run `snakemake download`")
    return folder


def pytest_terminal_summary(terminalreporter):
    """Print the ledger."""
    if LEDGER:
        terminalreporter.section("measured against target (medians, this machine, this run)")
        for what, measured, target in LEDGER:
            terminalreporter.write_line(f"{what:<72} {measured:>14}   {target}")
