"""Code digests: the files that a script depends on, and the edits that change its digest."""

import ast

import pytest
from builders import ROOT

from treecrf_studies.records.code_digest import CodeGraph

SOURCE = ROOT / "src"
PACKAGES = (SOURCE / "treecrf", SOURCE / "treecrf_studies")

FILES = {
    "treecrf/__init__.py": "from treecrf.labels import label\nfrom treecrf.plain import x\n",
    "treecrf/plain.py": '"""A module."""\nx = 1\n\n\ndef f():\n    """Says x."""\n    return x\n',
    "treecrf/labels.py": "def label():\n    from . import late\n    return late.x\n",
    "treecrf/late.py": "x = 1\n",
    "treecrf/typed.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from treecrf.plain import f\n",
    "treecrf/table.py": 'NAMES = {"one": "treecrf.plain", "two": "treecrf.nosuch"}\n',
    "treecrf/rows.py": 'ROWS = {"one": "treecrf.plain:x", "two": "treecrf.nosuch:x"}\n',
    "treecrf/loader.py": "from importlib import import_module\nfrom treecrf.rows import ROWS\none = import_module\n",
    "treecrf/parts/__init__.py": "from treecrf.parts import words\nfrom treecrf.plain import f\n",
    "treecrf/parts/words.py": "from pathlib import Path\nWORDS = Path(__file__).with_name('words.txt').read_text()\n",
    "treecrf/parts/words.txt": "one two\n",
    "treecrf/parts/pages/page.html": "<p>\n",
    "treecrf/parts/inner/__init__.py": "from ..words import WORDS\nfrom ...plain import f\n",
    "treecrf/parts/inner/own.csv": "1\n",
    "treecrf/wrong.py": "from treecrf.nosuch.deep import x\n",
}


@pytest.fixture
def package(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path / "treecrf"


def files_of(package, text):
    """What a script with `text` depends on, without the script."""
    script = package.parent / "script.py"
    script.write_text(text)
    paths = CodeGraph(package).files(script)
    return {path.relative_to(package).as_posix() for path in paths if path != script}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import numpy\nfrom _job import job\n", set()),
        ("import treecrf.plain\n", {"plain.py"}),
        ("from treecrf.labels import label\n", {"labels.py", "late.py"}),
        ("from treecrf import plain\n", {"plain.py"}),
        ("from treecrf import label\n", {"__init__.py", "plain.py", "labels.py", "late.py"}),
        ("from treecrf.typed import x\n", {"typed.py"}),
        ("from treecrf.table import NAMES\n", {"table.py", "plain.py"}),
        ("from treecrf.rows import ROWS\n", {"rows.py"}),
        ("from treecrf.loader import one\n", {"loader.py", "rows.py", "plain.py"}),
        ("from treecrf.parts.words import WORDS\n", {"parts/words.py", "parts/words.txt", "parts/pages/page.html"}),
        (
            "from treecrf.parts import anything\n",
            {"parts/__init__.py", "plain.py", "parts/words.py", "parts/words.txt", "parts/pages/page.html"},
        ),
        (
            "def late():\n    from treecrf.parts import inner\n",
            {"parts/inner/__init__.py", "plain.py", "parts/words.py", "parts/words.txt", "parts/pages/page.html"},
        ),
    ],
)
def test_a_script_depends_on_what_it_imports(package, text, expected):
    assert files_of(package, text) == expected


def test_code_counts_and_comments_do_not(package):
    before = CodeGraph(package).digest(package / "table.py")
    plain = package / "plain.py"
    plain.write_text('"""Other words."""\n# a comment\nx = 1\ndef f():\n    return (x)\n')
    assert CodeGraph(package).digest(package / "table.py") == before
    plain.write_text(FILES["treecrf/plain.py"].replace("x = 1", "x = 2"))
    assert CodeGraph(package).digest(package / "table.py") != before


def test_only_the_files_that_import_something_count_where_that_is_wanted(package):
    (package / "kernels.py").write_text("from numba import njit\nfrom treecrf.plain import x\n")
    before = CodeGraph(package).digest(package / "kernels.py", importing=["numba"])
    (package / "plain.py").write_text("x = 2\n")
    assert CodeGraph(package).digest(package / "kernels.py", importing=["numba"]) == before
    (package / "kernels.py").write_text("from numba import njit\nfrom treecrf.plain import x\ny = 3\n")
    assert CodeGraph(package).digest(package / "kernels.py", importing=["numba"]) != before


def test_resources_and_names_of_files_count(package):
    before = CodeGraph(package).digest(package / "parts/words.py")
    page = package / "parts/pages/page.html"
    page.write_text("<b>\n")
    edited = CodeGraph(package).digest(package / "parts/words.py")
    page.rename(page.with_name("other.html"))
    assert len({before, edited, CodeGraph(package).digest(package / "parts/words.py")}) == 3


@pytest.mark.parametrize("folder", ["a", "z"])  # before and after the package in alphabetical order
def test_the_digest_does_not_know_where_package_and_script_are(package, tmp_path, folder):
    script = tmp_path / "treecrf_script.py"
    script.write_text("from treecrf.labels import label\n")
    before = CodeGraph(package).digest(script)
    (tmp_path / "m").mkdir()
    (tmp_path / folder).mkdir()
    moved = package.rename(tmp_path / "m/treecrf")
    assert CodeGraph(moved).digest(script.rename(tmp_path / folder / script.name)) == before


def test_every_script_of_the_workflow_has_a_digest():
    graph = CodeGraph(*PACKAGES)
    scripts = [path for path in (ROOT / "workflow/scripts").glob("*.py") if not path.name.startswith("_")]
    assert len({graph.digest(script) for script in scripts}) == len(scripts)


def test_modules_of_several_packages_count(package):
    other = package.with_name("treecrf_studies")
    (other / "records").mkdir(parents=True)
    (other / "study.py").write_text(
        "from treecrf.plain import x\nfrom treecrf_studies.records import what\nfrom . import late\n"
    )
    (other / "late.py").write_text("NAME = 'treecrf.late'\n")
    (other / "records/__init__.py").write_text("")
    found = CodeGraph(package, other).files(other / "study.py")
    names = [path.relative_to(package.parent).as_posix() for path in found]
    assert names == ["treecrf/late.py", "treecrf/plain.py", "treecrf_studies/late.py", "treecrf_studies/study.py"]
    assert CodeGraph(package).files(other / "study.py") == [package / "plain.py", other / "study.py"]


# --- what the graph takes for granted ---------------------------------------------------------------

DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)


def effects(body):
    """Statements that do more than define or re-export names.

    ``with kernel_cache()`` may stand around imports, and what stands under ``if TYPE_CHECKING`` does not run.
    """
    for node in body:
        if isinstance(node, ast.With) and "kernel_cache" in ast.unparse(node.items[0]):
            yield from effects(node.body)
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            yield from effects(node.orelse)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        elif (
            isinstance(node, ast.Assign) and not all(isinstance(target, ast.Name) for target in node.targets)
        ) or not isinstance(node, DEFINITIONS):
            yield ast.unparse(node)


def test_packages_fronts_only_define_and_reexport():
    fronts = sorted(SOURCE.rglob("__init__.py"))
    assert {str(file): list(effects(ast.parse(file.read_text()).body)) for file in fronts} == {
        str(file): [] for file in fronts
    }


def test_effects_are_seen():
    text = "x = 1\nimport a\na.b = 2\nprint(x)\nwith kernel_cache():\n    from a import c\n    c()\n"
    assert list(effects(ast.parse(text).body)) == ["a.b = 2", "print(x)", "c()"]
    text = "if TYPE_CHECKING:\n    import a\nelse:\n    print(1)\nif x:\n    import b\n"
    assert list(effects(ast.parse(text).body)) == ["print(1)", "if x:\n    import b"]


def test_names_that_the_front_loads_late_count(tmp_path):
    (tmp_path / "script.py").write_text("from treecrf import TreeCRF\n")
    assert SOURCE / "treecrf/models/boosted/treecrf.py" in CodeGraph(*PACKAGES).files(tmp_path / "script.py")


def test_drawing_depends_on_the_registry_and_on_no_labeller():
    graph = CodeGraph(*PACKAGES)
    found = {path.relative_to(SOURCE).as_posix() for path in graph.files(SOURCE / "treecrf_studies/rendering/style.py")}
    assert found == {
        "treecrf/models/registry.py",
        "treecrf_studies/methods/catalogue.py",
        "treecrf_studies/rendering/style.py",
    }
