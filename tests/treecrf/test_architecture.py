"""Imports of the library run downward and know nothing of the studies, and its tests mirror it."""

import ast

import pytest
from builders import ROOT
from importing import circle, private_names, rooms_without_tests, violations, write_modules

LAYERS = (
    "__main__",
    "cli",
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
"""From top to bottom, one room a layer; a module may import its own room and those below. ``__init__`` shows parts of all."""


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


@pytest.mark.parametrize(
    "late",
    ["from ..a import x\n", "if TYPE_CHECKING:\n    from ..a import x\n", "def f():\n    from ..a import x\n"],
    ids=["at import", "for types", "in a function"],
)
def test_circles_are_found(tmp_path, late):
    texts = {
        "treecrf/a.py": "import treecrf.b\n",
        "treecrf/b.py": "try:\n    from treecrf.c import d\nexcept ImportError:\n    pass\n",
        "treecrf/c/__init__.py": "",
        "treecrf/c/d.py": late,
    }
    write_modules(tmp_path, texts)
    found = circle(tmp_path)
    assert (found[0], set(found)) == (found[-1], {"treecrf.a", "treecrf.b", "treecrf.c.d"})
    write_modules(tmp_path, {"treecrf/c/d.py": "import treecrf.e\n"})
    assert circle(tmp_path) == []


def test_private_names_are_found(tmp_path):
    file = tmp_path / "a.py"
    file.write_text(
        "from treecrf.b import _c, d\nimport json\nd._e()\njson.__doc__\nm.setattr(d, '_f', 1)\nself._g\nd.h\n"
    )
    assert sorted(private_names(file)) == ["_c", "_f", "d._e"]


def test_every_room_has_a_folder_of_tests():
    assert rooms_without_tests(ROOT / "src/treecrf", ROOT / "tests/treecrf") == []


def test_upward_imports_are_found(tmp_path):
    texts = {
        "__init__.py": "from treecrf.models.tree import Tree\n",
        "sequences.py": "def f():\n    from treecrf import chain\n",
        "chain.py": "import treecrf.sequences\nimport treecrf.models.tree\n",
        "models/tree.py": "from treecrf.chain import x\nfrom ..cli import main\nfrom . import other\n",
        "cli/fit.py": "from treecrf.models.tree import Tree\nfrom treecrf import Tree\nimport snakemake.io\n",
        "readers/own.py": "def f():\n    from treecrf_studies import x\nfrom treecrf.models import y\n",
        "surprise.py": "",
    }
    write_modules(tmp_path / "treecrf", texts)
    places = [sentence.split(" ")[0] for sentence in violations(tmp_path, "treecrf", LAYERS)]
    assert places == [
        "treecrf/chain.py:2",
        "treecrf/cli/fit.py:2",
        "treecrf/cli/fit.py:3",
        "treecrf/models/tree.py:2",
        "treecrf/readers/own.py:3",
        "treecrf/readers/own.py:2",
        "treecrf/sequences.py:2",
        "treecrf/surprise.py:",
    ]
