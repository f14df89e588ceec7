"""Digest of the code that a file runs: an edit reruns the jobs that use it, and no others.

The code of a file is the file itself and every module of the packages that it imports, directly or through
others, with the other files (tables, pages, word lists) that these modules read. It is found without running
anything, from the syntax trees:

- ``import treecrf.a`` and ``from treecrf.a import b`` count wherever they stand, in functions too, and so does
  a string that is the full name of a module, as in tables of names; what stands under ``if TYPE_CHECKING`` does not.
- A string ``module:name``, as in tables of classes, counts for the files that have or import the table and load by
  name (`importlib.import_module`), and not for those that read the table alone.
- Importing ``treecrf.a.b`` makes Python run ``treecrf/__init__.py`` and ``treecrf/a/__init__.py`` first. These
  define and re-export names and do nothing else (a test holds them to it), so they count only where something is
  imported from them. The front of the package imports everything; if it counted, everything would depend on all.
- A module that mentions ``__file__``, ``importlib``, ``PackageLoader`` or ``resource`` reads the files of
  its folder that are not Python, and of the packages that it names.
- ``from _job import job`` in a script counts for the file of that name beside it.
- The room ``records`` of a package does not count: it says where results are from and changes none.
- Comments, docstrings and layout do not count: they change no result.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

_UNCOUNTED = "records"
"""The room of a package whose files are no part of a digest."""

_READERS = ("__file__", "PackageLoader", "resource")


class _Module(NamedTuple):
    """What the syntax tree of one file tells."""

    digest: str
    imports: frozenset[Path]
    offers: frozenset[Path]
    loads: bool
    names: frozenset[str]
    resources: frozenset[Path]


class _Source(NamedTuple):
    """What the text of a file tells, wherever it lies."""

    digest: str
    imports: tuple[ast.stmt, ...]
    strings: frozenset[str]
    class_paths: frozenset[str]
    names: frozenset[str]
    loads: bool
    reads: bool


class CodeGraph:
    """The imports among the modules of some packages, given by their folders; each file is read once."""

    def __init__(self, *packages: Path) -> None:
        self._packages = {package.name: package.resolve() for package in packages}
        self._modules: dict[Path, _Module] = {}

    def files(self, *starts: Path, without: Iterable[Path] = ()) -> list[Path]:
        """The files `starts` and every file of the packages that they depend on, sorted; nothing that only `without`
        says.

        A ValueError names an import of a module that its package does not have.
        """
        modules: set[Path] = set()
        waiting, left_out = [start.resolve() for start in starts], {*without}
        while waiting:
            file = waiting.pop()
            if file not in modules | left_out and self._place(file)[1:2] != (_UNCOUNTED,):
                modules.add(file)
                module = self._module(file)
                waiting.extend(module.imports)
                if module.loads:
                    tables = {file, *module.imports} - left_out
                    waiting.extend(offered for table in tables for offered in self._module(table).offers)
        return sorted(modules.union(*(self._module(file).resources for file in modules)))

    def digest(self, *starts: Path, importing: Iterable[str] = (), without: Iterable[Path] = ()) -> str:
        """16 hexadecimal digits that change with the code of `starts`: a script, and the modules that it calls by name.

        Of the files that `files` gives, those count that themselves import a module in `importing` (full names), if
        there are any.
        """
        wanted = set(importing)
        lines = []
        for file in self.files(*starts, without=without):
            if wanted and not (file.suffix == ".py" and wanted & self._module(file).names):
                continue
            name = "/".join(self._place(file)) or file.name
            content = self._module(file).digest if file.suffix == ".py" else _hash(file.read_bytes())
            lines.append(f"{name} {content}\n")
        # Sorted by name: the order of full paths would change with the folders in which package and script lie.
        return _hash("".join(sorted(lines)).encode())[:16]

    def _module(self, file: Path) -> _Module:
        if file not in self._modules:
            source = _read(file.read_bytes())
            named = {path for name in source.strings if (path := self.file(name))}
            folders = {file.parent, *(path.parent for path in named)} if source.reads else set()
            self._modules[file] = _Module(
                digest=source.digest,
                imports=frozenset(self._imported(source.imports, file)) | named,
                offers=frozenset(path for name in source.class_paths if (path := self.file(name))),
                loads=source.loads,
                names=source.names,
                resources=frozenset(data for folder in folders for data in _data(folder)),
            )
        return self._modules[file]

    def _imported(self, nodes: Iterable[ast.stmt], file: Path) -> Iterator[Path]:
        """The files of the packages' modules that import statements name, and of modules beside the file."""
        for node in nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if self._is_ours(alias.name):
                        yield self.file(alias.name) or self._unknown(alias.name, file, node.lineno)
            elif isinstance(node, ast.ImportFrom):
                base = self._base(node, file)
                if (beside := file.with_name(f"{base}.py")).is_file():
                    yield beside
                if self._is_ours(base):
                    for alias in node.names:
                        imported = self.file(f"{base}.{alias.name}") or self.file(base)
                        yield imported or self._unknown(base, file, node.lineno)

    def _base(self, node: ast.ImportFrom, file: Path) -> str:
        """The full name of what a statement imports from."""
        if not node.level:
            return node.module or ""
        place = self._place(file)[: -node.level]
        return ".".join([*place, *([node.module] if node.module else [])])

    def _is_ours(self, name: str) -> bool:
        return name.split(".")[0] in self._packages

    def _place(self, file: Path) -> tuple[str, ...]:
        """The name of the package that a file is in, and those of folders and file below it; empty of other files."""
        for name, package in self._packages.items():
            if file.is_relative_to(package):
                return (name, *file.relative_to(package).parts)
        return ()

    def file(self, name: str) -> Path | None:
        """The file of the module with a full name, if its package has it."""
        if not self._is_ours(name):
            return None
        top, *parts = name.split(".")
        path = self._packages[top].joinpath(*parts)
        candidates = (path / "__init__.py", path.with_suffix(".py"))
        return next((candidate for candidate in candidates if candidate.is_file()), None)

    def _unknown(self, name: str, file: Path, line: int) -> Path:
        package = self._packages[name.split(".")[0]]
        raise ValueError(f"{file}:{line} imports {name}, which {package} does not have; fix the import.")


@cache
def _read(content: bytes) -> _Source:
    tree = _stripped(ast.parse(content))
    nodes = list(ast.walk(tree))
    return _Source(
        digest=_hash(ast.dump(tree).encode()),
        imports=tuple(node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)),
        strings=frozenset(_strings(nodes)),
        class_paths=frozenset(_class_paths(nodes)),
        names=frozenset(_names(nodes)),
        loads=any(isinstance(node, ast.Name) and node.id == "import_module" for node in nodes),
        reads=_reads(nodes),
    )


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _names(nodes: list[ast.AST]) -> Iterator[str]:
    """Full names of the modules, of this package or another, that absolute imports name."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def _texts(nodes: list[ast.AST]) -> Iterator[str]:
    return (node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))


def _strings(nodes: list[ast.AST]) -> Iterator[str]:
    """Strings that look like the full name of a module."""
    return (text for text in _texts(nodes) if "." in text and all(part.isidentifier() for part in text.split(".")))


def _class_paths(nodes: list[ast.AST]) -> Iterator[str]:
    """Modules in strings that look like ``module:name``."""
    pairs = (text.split(":") for text in _texts(nodes) if text.count(":") == 1)
    return (module for module, name in pairs if name.isidentifier())


def _reads(nodes: list[ast.AST]) -> bool:
    """Whether a module may read files beside it."""
    return any(name.split(".")[0] == "importlib" for name in _names(nodes)) or any(
        isinstance(node, ast.Name) and node.id in _READERS for node in nodes
    )


def _data(folder: Path) -> Iterator[Path]:
    """The files of a folder that are not Python, with those of folders below it that are no packages."""
    for path in folder.iterdir():
        if path.name.startswith((".", "__")):
            continue
        if path.is_dir() and not (path / "__init__.py").is_file():
            yield from _data(path)
        elif path.is_file() and path.suffix != ".py":
            yield path


def _stripped(tree: ast.Module) -> ast.Module:
    """The tree without docstrings and without what stands under ``if TYPE_CHECKING``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            node.body = [ast.Pass()]
        elif isinstance(body := getattr(node, "body", None), list):
            node.body = [part for part in body if not _is_string(part)]  # type: ignore[attr-defined]
    return tree


def _is_string(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
