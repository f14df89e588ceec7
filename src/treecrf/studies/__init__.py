"""The studies of the papers, one folder each."""

from __future__ import annotations

from importlib import import_module

from treecrf.studies.framework.study import Study

MODULES = (
    "treecrf.studies.training", "treecrf.studies.cost", "treecrf.studies.missing", "treecrf.studies.future",
    "treecrf.studies.coding", "treecrf.studies.kernels", "treecrf.studies.ensembles",
)  # fmt: skip
"""The registry: each of these has a `STUDY`."""


def registry() -> tuple[Study, ...]:
    """All studies, in the order of the page."""
    return tuple(import_module(name).STUDY for name in MODULES)
