"""The studies of the papers, one folder each."""

from __future__ import annotations

from importlib import import_module

from treecrf_studies.framework.study import Study

MODULES = (
    "treecrf_studies.training", "treecrf_studies.cost", "treecrf_studies.missing", "treecrf_studies.future",
    "treecrf_studies.coding", "treecrf_studies.kernels", "treecrf_studies.ensembles",
)  # fmt: skip
"""The registry: each of these has a `STUDY`."""


def registry() -> tuple[Study, ...]:
    """All studies, in the order of the page."""
    return tuple(import_module(name).STUDY for name in MODULES)
