"""Where the names are that this package had before: in the package of the studies, or in another module."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from typing import Any, NoReturn

STUDIES = "treecrf_studies"

_FAMILIES = {
    "CodedCRF": "coding",
    "FutureFeatureMEMM": "future",
    "FutureFeatureTreeCRF": "future",
    "KernelCRF": "kernel",
    "MalletCRF": "java",
    "SmileCRF": "java",
}
"""Families of labellers that went to the studies, by class."""

_PLACES = {
    **{room: room for room in ("datasets", "explorer", "options", "records", "rendering", "report")},
    "studies": "",
    "ensembles.generators": "ensembles.generators",
    "io.code_digest": "records.code_digest",
    **{f"cli.{command}": f"cli.{command}" for command in ("missing", "report")},
    **{f"models.{folder}": f"methods.{folder}" for folder in _FAMILIES.values()},
    **{name: f"methods.{name}" for name in _FAMILIES},
}
"""Places below this package and below that of the studies."""

_JOINED = {
    "chain.lag": "chain.smoothing",
    "compiled.rules": "compiled.struct",
    "ensembles.stacking": "ensembles.combiners",
    "estimators.padding": "estimators.labels",
    "estimators.routing": "estimators.protocol",
    "models.boosted.checkpoint": "models.boosted.boosting",
    "models.boosted.memm": "models.boosted.treecrf",
    "readers.sets": "readers.reading",
    "statistics.mcnemar": "statistics.paired",
    "statistics.sign_flip": "statistics.paired",
}
"""Modules that became part of another one here."""


def place(name: str) -> str | None:
    """A sentence about the new place of a full name; None where it has none."""
    package, _, rest = name.partition(".")
    if package != "treecrf" or rest not in _PLACES | _JOINED:
        return None
    new = f"{package}.{_JOINED[rest]}" if rest in _JOINED else f"{STUDIES}.{_PLACES[rest]}".rstrip(".")
    return f"{name} is now {new}; import that."


def family(name: str) -> str | None:
    """What a sentence says of the class of a labeller that went to the studies; None of others."""
    if name not in _FAMILIES:
        return None
    return f"a labeller of the family {_FAMILIES[name]}, which is in the package {STUDIES}; install that"


class _Moved(MetaPathFinder):
    """Refuses the imports of former names; Python asks it first, as their folders may be left with caches in them."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: Any = None) -> None:
        if sentence := place(fullname):
            raise ImportError(sentence, name=fullname)


sys.meta_path.insert(0, _Moved())


def report_main() -> NoReturn:
    """The command ``treecrf-report``."""
    sys.exit(gone("treecrf-report compare", "treecrf-studies compare"))


def gone(former: str, command: str) -> int:
    """Say where a command is; wrong usage, by the exit code."""
    print(f"{former} is now {command}; run that.", file=sys.stderr)
    return 2
