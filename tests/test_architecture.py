"""Imports run downward only, and Snakemake is known only under workflow/."""

import ast

from builders import ROOT

PACKAGE = "treecrf"

LAYERS = (
    "__main__",
    "cli",
    "report",
    "studies",
    "rendering",
    "tabular",
    "models",
    "missing",
    "datasets",
    "trees",
    "chain",
    "sequences",
    "options",
    "statistics",
    "compiled",
    "io",
)
"""From top to bottom, one room a layer; a module may import its own room and those below. ``__init__`` shows parts of all."""


def imports(file):
    """Full names of everything that the module imports, with the line; relative imports are made absolute."""
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


def test_imports_run_downward():
    assert violations(ROOT / "src") == []


def test_snakemake_is_known_only_under_workflow():
    files = [file for folder in ("src", "tests", "benchmarks") for file in (ROOT / folder).rglob("*.py")]
    assert [str(file) for file in files for name, _ in imports(file) if name.split(".")[0] == "snakemake"] == []


def test_upward_imports_are_found(tmp_path):
    package = tmp_path / PACKAGE
    for name, text in {
        "__init__.py": "from treecrf.models.tree import Tree\n",
        "sequences.py": "def f():\n    from treecrf import chain\n",
        "chain.py": "import treecrf.sequences\nimport treecrf.models.tree\n",
        "models/tree.py": "from treecrf.chain import x\nfrom ..studies import training\nfrom . import other\n",
        "studies/training.py": "from treecrf.models.tree import Tree\nfrom treecrf import Tree\nimport snakemake.io\n",
        "datasets/own.py": "from treecrf.sequences import x\nfrom treecrf.models import y\n",
        "surprise.py": "",
    }.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)
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
