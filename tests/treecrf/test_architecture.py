"""Imports of the library run downward and know nothing of the studies, and its tests mirror it."""

import ast

from builders import ROOT
from importing import circle, rooms_without_tests, violations

LAYERS = (
    "__main__",
    "cli",
    "plot",
    "pages",
    "automl",
    "ensembles",
    "models",
    "missing",
    "readers",
    "trees",
    "chain",
    "inputs",
    "grouping",
    "estimators",
    "sequences",
    "metrics",
    "statistics",
    "compiled",
    "io",
    "moved",
)
"""From top to bottom, one room a layer; a module may import its own room and those below. ``__init__`` shows parts of
all.
"""


def test_imports_run_downward():
    assert violations(ROOT / "src", "treecrf", LAYERS) == []


def test_no_modules_import_each_other():
    assert circle(ROOT / "src") == []


def test_the_tests_import_nothing_of_the_studies():
    """Nor its helpers: the library is tested without the other package."""
    files = [file for folder in ("treecrf", "helpers", "naive") for file in (ROOT / "tests" / folder).rglob("*.py")]
    own = {
        file.stem
        for folder in ("helpers", "planted")
        for file in (ROOT / "tests/treecrf_studies" / folder).glob("*.py")
    }
    found = {}
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if tops := {name.split(".")[0] for name in names if name} & {"treecrf_studies", *own}:
                found.setdefault(str(file.relative_to(ROOT)), set()).update(tops)
    assert found == {}


def test_every_room_has_a_folder_of_tests():
    assert rooms_without_tests(ROOT / "src/treecrf", ROOT / "tests/treecrf") == []
