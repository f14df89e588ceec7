"""The command line of the studies: own data, and what can be done with the results of a run."""

from __future__ import annotations

from treecrf.cli import run_command


def main() -> None:
    """Run ``treecrf-studies``."""
    run_command("treecrf-studies", "treecrf_studies.cli._app")
