"""Which modules import which, and private names that leave their modules."""

import ast
from graphlib import CycleError, TopologicalSorter

PACKAGES = ("treecrf", "treecrf_studies")
"""From bottom to top: each imports itself and those before it."""


def imports(file):
    """Full names of everything that the module imports, at its top, inside functions and for type checkers; with the
    line.
    """
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = next(name for name in PACKAGES if name in file.parts)
            place = file.parts[file.parts.index(package) : -node.level]
            base = ".".join([*place, *([node.module] if node.module else [])])
            yield from ((f"{base}.{alias.name}", node.lineno) for alias in node.names)


def violations(source, top_package, layers):
    """Sentences about imports under `source` (the folder that holds the package) that run upward.

    `layers` are rooms, or tuples of rooms, from top to bottom.
    """
    package = source / top_package
    rank = {
        part: depth for depth, layer in enumerate(layers) for part in ([layer] if isinstance(layer, str) else layer)
    }
    above = PACKAGES[PACKAGES.index(top_package) + 1 :]
    found = []
    for file in sorted(package.rglob("*.py")):
        part = file.relative_to(package).with_suffix("").parts[0]
        if part == "__init__":
            continue
        where = file.relative_to(source)
        if part not in rank:
            found.append(f"{where}: {part!r} has no layer; give it one")
            continue
        for name, line in imports(file):
            top, *rest = name.split(".")
            if top == "snakemake":
                found.append(f"{where}:{line} imports snakemake, which is known only under workflow/")
            if top in above:
                found.append(f"{where}:{line} imports {name}, of a package above it")
            if top != top_package:
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
            case ast.ImportFrom(module=str(module)) if module.startswith(PACKAGES):
                yield from (alias.name for alias in node.names if is_private(alias.name))
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner in modules and is_private(name):
                yield f"{owner}.{name}"
            case ast.Call(func=ast.Attribute(attr="setattr"), args=[_, ast.Constant(value=str(name)), *_]):
                yield from [name] if is_private(name) else []


def is_private(name):
    return name.startswith("_") and not name.startswith("__") and name not in OF_NAMED_TUPLES


def leaving(root, *folders):
    """Private names by file, of the files of folders that use others' ones."""
    files = sorted(file for folder in folders for file in (root / folder).rglob("*.py"))
    return {str(file.relative_to(root)): names for file in files if (names := [*private_names(file)])}


def rooms_without_tests(package, tests):
    """The rooms of a package that have no folder of tests."""
    rooms = {file.parent.relative_to(package) for file in package.rglob("*.py") if file.name != "__init__.py"}
    return [room.as_posix() for room in sorted(rooms) if not any((tests / room).glob("test_*.py"))]
