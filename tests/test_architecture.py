"""Imports run downward only, Snakemake is known only under workflow/, and tests mirror the package."""

import ast
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter

import pytest
from builders import ROOT

from treecrf.studies import registry

PACKAGE = "treecrf"

LAYERS = (
    "__main__",
    "cli",
    "explorer",
    "report",
    "studies",
    "rendering",
    "automl",
    "ensembles",
    "models",
    "missing",
    "datasets",
    "readers",
    "trees",
    "chain",
    "inputs",
    "estimators",
    "sequences",
    "options",
    "metrics",
    "statistics",
    "records",
    "compiled",
    "io",
)
"""From top to bottom, one room a layer; a module may import its own room and those below. ``__init__`` shows parts of all."""


def imports(file):
    """Full names of everything that the module imports, at its top, inside functions and for type checkers; with the line."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            place = file.parts[file.parts.index(PACKAGE) : -node.level]
            base = ".".join([*place, *([node.module] if node.module else [])])
            yield from ((f"{base}.{alias.name}", node.lineno) for alias in node.names)


def violations(source):
    """Sentences about imports under `source` (the folder that holds the package) that run upward."""
    package = source / PACKAGE
    rank = {part: depth for depth, part in enumerate(LAYERS)}
    found = []
    for file in sorted(package.rglob("*.py")):
        part = file.relative_to(package).with_suffix("").parts[0]
        if part == "__init__":
            continue
        where = file.relative_to(source)
        if part not in rank:
            found.append(f"{where}: {part!r} has no layer in LAYERS; give it one")
            continue
        for name, line in imports(file):
            top, *rest = name.split(".")
            if top == "snakemake":
                found.append(f"{where}:{line} imports snakemake, which is known only under workflow/")
            if top != PACKAGE:
                continue
            target = rest[0] if rest else ""
            if target not in rank:
                found.append(f"{where}:{line} imports {name} from the package's front, which is above it")
            elif rank[target] < rank[part]:
                found.append(f"{where}:{line} imports {name}, which is above it")
    return found


def circle(source):
    """Names of modules under `source` of which each imports the next, anywhere in it; none if there are none."""
    files = {".".join(file.relative_to(source).with_suffix("").parts): file for file in source.rglob("*.py")}
    modules = {name.removesuffix(".__init__"): file for name, file in files.items()}
    graph = {}
    for name, file in modules.items():
        nearest = {full if full in modules else full.rpartition(".")[0] for full, _ in imports(file)}
        graph[name] = (nearest & set(modules)) - {name}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1][::-1]
    return []


def test_imports_run_downward():
    assert violations(ROOT / "src") == []


def test_no_modules_import_each_other():
    assert circle(ROOT / "src") == []


def write_modules(folder, texts):
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


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


@pytest.mark.parametrize("part", ["figures", "tables"])
def test_drawing_and_tabulating_load_no_labeller(part):
    modules = ", ".join(study.module_name(part) for study in registry())
    code = f"import sys, {modules}, treecrf.rendering.style; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    heavy = {"numba", "scipy", "statsmodels", "pydantic"} | ({"matplotlib"} if part == "tables" else set())
    assert not loaded & heavy
    registries = {"treecrf.models.registry"}
    assert {name for name in loaded if name.startswith("treecrf.models.")} <= registries


def test_snakemake_is_known_only_under_workflow():
    files = [file for folder in ("src", "tests", "benchmarks") for file in (ROOT / folder).rglob("*.py")]
    assert [str(file) for file in files for name, _ in imports(file) if name.split(".")[0] == "snakemake"] == []


OF_NAMED_TUPLES = ("_fields", "_replace", "_asdict")
"""Public names with an underscore."""


def private_names(file):
    """Private names of other modules that a module imports, reaches through a module that it imports, or replaces."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    nodes = list(ast.walk(tree))
    aliases = [alias for node in nodes if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names]
    modules = {alias.asname or alias.name for alias in aliases}
    for node in nodes:
        match node:
            case ast.ImportFrom(module=str(module)) if module.startswith(PACKAGE):
                yield from (alias.name for alias in node.names if is_private(alias.name))
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner in modules and is_private(name):
                yield f"{owner}.{name}"
            case ast.Call(func=ast.Attribute(attr="setattr"), args=[_, ast.Constant(value=str(name)), *_]):
                yield from [name] if is_private(name) else []


def is_private(name):
    return name.startswith("_") and not name.startswith("__") and name not in OF_NAMED_TUPLES


@pytest.mark.parametrize(
    "folder",
    [f"{top}/{room}" for top in (f"src/{PACKAGE}", "tests") for room in ("studies", "report", "explorer", "rendering")],
)
def test_private_names_stay_in_their_modules(folder):
    files = sorted((ROOT / folder).rglob("*.py"))
    assert {str(file.relative_to(ROOT)): names for file in files if (names := [*private_names(file)])} == {}


def test_private_names_are_found(tmp_path):
    file = tmp_path / "a.py"
    file.write_text(
        "from treecrf.b import _c, d\nimport json\nd._e()\njson.__doc__\nm.setattr(d, '_f', 1)\nself._g\nd.h\n"
    )
    assert sorted(private_names(file)) == ["_c", "_f", "d._e"]


def test_every_room_has_a_folder_of_tests():
    package = ROOT / "src" / PACKAGE
    rooms = {file.parent.relative_to(package) for file in package.rglob("*.py") if file.name != "__init__.py"}
    assert [room.as_posix() for room in sorted(rooms) if not any((ROOT / "tests" / room).glob("test_*.py"))] == []


def test_upward_imports_are_found(tmp_path):
    texts = {
        "__init__.py": "from treecrf.models.tree import Tree\n",
        "sequences.py": "def f():\n    from treecrf import chain\n",
        "chain.py": "import treecrf.sequences\nimport treecrf.models.tree\n",
        "models/tree.py": "from treecrf.chain import x\nfrom ..studies import training\nfrom . import other\n",
        "studies/training.py": "from treecrf.models.tree import Tree\nfrom treecrf import Tree\nimport snakemake.io\n",
        "datasets/own.py": "from treecrf.sequences import x\nfrom treecrf.models import y\n",
        "surprise.py": "",
    }
    write_modules(tmp_path / PACKAGE, texts)
    places = [sentence.split(" ")[0] for sentence in violations(tmp_path)]
    assert places == [
        "treecrf/chain.py:2",
        "treecrf/datasets/own.py:2",
        "treecrf/models/tree.py:2",
        "treecrf/sequences.py:2",
        "treecrf/studies/training.py:2",
        "treecrf/studies/training.py:3",
        "treecrf/surprise.py:",
    ]


def test_a_module_that_is_run_calls_main_last():
    """With ``python -m`` what stands below the call does not exist yet."""
    guard = '\nif __name__ == "__main__":\n'
    bodies = {
        path: path.read_text(encoding="utf-8").partition(guard)[2] for path in sorted((ROOT / "src").rglob("*.py"))
    }
    called = {path.name: body for path, body in bodies.items() if body}
    assert called
    assert {
        name for name, body in called.items() if any(line and line[0] != " " for line in body.splitlines())
    } == set()
