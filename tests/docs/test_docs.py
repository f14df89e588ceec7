"""README.md, config/README.md and docs/: their blocks run, links lead somewhere, and `make docs` builds."""

import contextlib
import importlib
import inspect
import io
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import is_typeddict
from urllib.parse import unquote

import pytest
import typer
import yaml
from builders import ROOT
from markdown_it import MarkdownIt
from numpydoc.docscrape import ClassDoc, FunctionDoc
from planted_predictions import plant_counts
from sybil import Sybil
from sybil.evaluators.python import PythonEvaluator
from sybil.parsers.markdown import CodeBlockParser

from treecrf.cli import app, main
from treecrf_studies import datasets
from treecrf_studies.cli._app import app as studies_app
from treecrf_studies.framework.settings import load_settings
from treecrf_studies.registry import registry

WRITTEN_BY_RUNS = [ROOT / "docs/results", ROOT / "docs/api"]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    ROOT / "CHANGELOG.md",
    ROOT / "config/README.md",
    *sorted(page for page in (ROOT / "docs").rglob("*.md") if not {*page.parents} & {*WRITTEN_BY_RUNS}),
]
FOLDERS = ("src", "workflow", "tests", "docs", "config", "examples", "benchmarks")
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
PROTOCOL = yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))


# --- blocks -----------------------------------------------------------------------------------------


def run_python(example):
    """Run a block; what it prints must be the block of text after it. Blocks that need raw files need a mirror."""
    names = re.findall(r'datasets\.load\("(\w+)"', example.parsed)
    if any(datasets.describe(name).kind == "files" for name in names) and "TREECRF_MIRROR" not in os.environ:
        pytest.skip(f"needs raw files of {', '.join(names)}; set TREECRF_MIRROR")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        PythonEvaluator()(example)
    assert "printed" not in example.namespace, "what an earlier block printed is not shown on the page"
    if printed.getvalue():
        example.namespace["printed"] = printed.getvalue()


def compare_text(example):
    """Text after a block that printed something is what it printed."""
    printed = example.namespace.pop("printed", None)
    if printed is not None:
        assert lines_of(printed) == lines_of(example.parsed)


def run_console(example):
    """Commands after ``$``; those whose output is shown are run, and must say that."""
    parts = re.split(r"^\$ (.*)\n", example.parsed, flags=re.MULTILINE)
    assert not parts[0].strip()
    for command, shown in zip(parts[1::2], parts[2::2], strict=True):
        check_command(command)
        if shown.strip():
            assert lines_of(output_of(shlex.split(command)[1:])) == lines_of(shown)


def check_shell(example):
    """Commands of this project are known as they stand."""
    for command in example.parsed.splitlines():
        check_command(command)


def load_yaml(example):
    """Settings, laid over those of the page's earlier blocks and of the protocol, as Snakemake lays them."""
    example.namespace.setdefault("settings", yaml.safe_load(yaml.safe_dump(PROTOCOL)))
    lay_over(example.namespace["settings"], yaml.safe_load(example.parsed))
    load_settings(example.namespace["settings"])


EVALUATORS = {
    "python": run_python,
    "text": compare_text,
    "console": run_console,
    "sh": check_shell,
    "yaml": load_yaml,
}
SYBIL = Sybil([CodeBlockParser(language, evaluator) for language, evaluator in EVALUATORS.items()])
APPS = {"treecrf": app, "treecrf-studies": studies_app}


def lay_over(settings, others):
    for key, value in others.items():
        if isinstance(value, dict) and isinstance(settings.get(key), dict):
            lay_over(settings[key], value)
        else:
            settings[key] = value


def check_command(command):
    words = shlex.split(command.split(" | ")[0], comments=True)
    program = Path(words[0]).name if words else ""
    if program == "make":
        assert words[1] in TARGETS
    elif program in APPS:
        group = typer.main.get_command(APPS[program])
        group.commands[words[1]].make_context(words[1], words[2:])
    elif program == "snakemake":
        check_snakemake(words[1:])


def check_snakemake(words):
    """Options are known; other words are rules, or values of the option before."""
    rules = {study.name for study in registry()}
    for path in (ROOT / "workflow/Snakefile", *(ROOT / "workflow/rules").glob("*.smk")):
        rules |= set(re.findall(r"(?m)^ *rule (\w+):", path.read_text(encoding="utf-8")))
    for before, word in pairwise(["snakemake", *words]):
        if word.startswith("-"):
            assert re.search(rf"^  (-\w .*)?{word}\b", snakemake_help(), flags=re.MULTILINE), word
        elif before in ("--configfile", "--profile"):
            assert (ROOT / word).exists() or word == Path(word).name  # without a folder it is a file of the reader's
        else:
            assert before in ("--cores", "--report", "--config") or word in rules, word


@cache
def snakemake_help():
    return subprocess.run([sys.executable, "-m", "snakemake", "--help"], text=True, capture_output=True).stdout


def output_of(arguments):
    """What ``treecrf`` says to these arguments, stdout and stderr."""
    with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.redirect_stderr(output):
        before, sys.argv = sys.argv, ["treecrf", *arguments]
        try:
            main()
        except SystemExit:
            pass
        finally:
            sys.argv = before
    return output.getvalue()


def lines_of(text):
    """Lines as they stand on a page: without progress, which a terminal shows as a bar, or a first run."""
    return [
        line.rstrip() for line in text.strip().splitlines() if not re.match(r"[a-z ]+: \d+ of \d+, |Compiling ", line)
    ]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where the blocks of a page run: the examples and the configuration are there, and counts of test sequences."""
    for name in ("examples", "config"):
        shutil.copytree(ROOT / name, tmp_path / name)
    plant_counts(tmp_path / "docs/results/evidence/training/hyphen")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page.name != "recompute.md"],  # it needs docs/results: test_recompute.py
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_blocks(page, folder):
    document = SYBIL.parse(page)
    for example in document.examples():
        example.evaluate()
    assert "printed" not in document.namespace


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_files(page):
    tokens = MarkdownIt().enable("table").parse(page.read_text(encoding="utf-8"))
    inside = [child for token in tokens for child in token.children or []]
    targets = [str(token.attrGet("href") or token.attrGet("src") or "") for token in inside]
    for target in targets:
        if target and not re.match(r"[a-z]+:|#|\.\./\.\./actions/", target):  # pages of the repository's host
            assert (page.parent / unquote(target.partition("#")[0])).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_named_files_exist(page):
    """Files and folders of the repository in backticks, but those that runs write."""
    tokens = MarkdownIt().enable("table").parse(page.read_text(encoding="utf-8"))
    codes = [child.content for token in tokens for child in token.children or [] if child.type == "code_inline"]
    named = [code for code in codes if re.fullmatch(rf"({'|'.join(FOLDERS)})/\S*", code)]
    committed = [name for name in named if not name.startswith("docs/results/")]
    assert [name for name in committed if not (ROOT / name).exists()] == []


# --- figures and tables that scripts write ----------------------------------------------------------


def test_figure_is_what_the_script_draws(tmp_path):
    script = runpy.run_path(str(ROOT / "docs/figures/labelled_sequence.py"))
    letters, probabilities, hyphens = script["label_word"]()
    assert None in letters
    assert len(letters) == len(probabilities) + 1 == len(hyphens) + 1
    script["draw"](letters, probabilities, hyphens, tmp_path / "drawn.svg")
    committed = (ROOT / "docs/figures/labelled_sequence.svg").read_text(encoding="utf-8")
    assert (tmp_path / "drawn.svg").read_text(encoding="utf-8") == committed


@pytest.mark.skipif("TREECRF_MIRROR" not in os.environ, reason="needs raw files; set TREECRF_MIRROR")
def test_tables_of_data_sets_are_what_the_script_writes():
    page = (ROOT / "docs/datasets.md").read_text(encoding="utf-8")
    assert page == runpy.run_path(str(ROOT / "docs/datasets_table.py"))["page_with_tables"](page)


@pytest.mark.slow
def test_table_of_compilation_is_what_the_script_writes():
    page = (ROOT / "docs/walkthrough.md").read_text(encoding="utf-8")
    assert page == runpy.run_path(str(ROOT / "docs/compilation_table.py"))["page_with_table"](page)


# --- examples of the reader's own data and method ---------------------------------------------------


def jobs_of(example, expected=0):
    """Jobs by rule, or what is said, of a dry run of a configuration."""
    command = [sys.executable, "-m", "snakemake", "--cores", "1", "--snakefile", str(ROOT / "Snakefile"), "-n"]
    command += ["--configfile", example]
    process = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert process.returncode == expected, process.stdout
    return dict(re.findall(r"^(\w+) +(\d+)$", process.stdout, flags=re.MULTILINE)) or process.stdout


@pytest.mark.workflow
def test_a_misspelt_class_is_named_before_the_run(folder):
    file = folder / "examples/own_method.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace(":WindowNaiveBayes", ":NaiveBayes"), encoding="utf-8")
    said = jobs_of("examples/own_method.yaml", expected=1)
    assert "'labellers.naive_bayes': examples.window_naive_bayes:NaiveBayes: the module" in said
    assert "has no class 'NaiveBayes'." in said
    assert "Traceback" not in said


# --- docstrings -------------------------------------------------------------------------------------


def listed_modules(text):
    """The modules that docs/api.md, or a part of it, lists."""
    return re.findall(r"^   (treecrf[\w.]*)$", text, flags=re.MULTILINE)


API = (ROOT / "docs/api.md").read_text(encoding="utf-8")
FOR_USERS = listed_modules(API.partition("\n## Internals\n")[0])
"""Types and names say what functions of other modules take."""


def public_parts(module):
    """Functions, classes and methods that a module defines, by name."""
    for name, part in vars(module).items():
        if name.startswith("_") or getattr(part, "__module__", None) != module.__name__:
            continue
        if inspect.isfunction(part):
            yield name, part
        elif inspect.isclass(part):
            yield name, part
            methods = (item for item in vars(part).items() if not item[0].startswith("_"))
            for key, value in methods:
                method = getattr(value, "__func__", value)
                if inspect.isfunction(method):
                    yield f"{name}.{key}", method


def undocumented(name, part):
    """What the docstring of a part does not say; empty if nothing."""
    if not inspect.getdoc(part):
        return f"{name} has no docstring"
    if is_typeddict(part) or part.__init__ in (Exception.__init__, ValueError.__init__):  # it has no signature
        return ""
    taken = [key for key in inspect.signature(part).parameters if key not in ("self", "cls")]
    parsed = ClassDoc(part) if inspect.isclass(part) else FunctionDoc(part)
    described = [each for row in parsed["Parameters"] for each in row.name.replace("*", "").split(", ")]
    strange = [each for each in described if each not in taken]
    if strange:
        return f"{name} has no parameter {strange[0]!r}"
    absent = [each for each in taken if each not in described]
    has_labellers = part.__module__.startswith(("treecrf.models", "treecrf_studies.methods"))
    is_for_users = part.__module__ in FOR_USERS and not has_labellers
    by_themselves = inspect.isfunction(part) and "." not in name and len(taken) > 2 and is_for_users
    if (described and absent) or (by_themselves and "Parameters" not in inspect.getdoc(part)):
        return f"{name} does not describe {absent[0]!r}"
    return ""


@pytest.mark.parametrize("module", listed_modules(API))
def test_docstrings(module):
    found = importlib.import_module(module)
    assert inspect.getdoc(found)
    assert [text for name, part in public_parts(found) if (text := undocumented(name, part))] == []


# --- the built pages --------------------------------------------------------------------------------


class Resources(HTMLParser):
    """Addresses of what a page loads when it is opened."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        name = "href" if tag == "link" else "src"
        if tag != "a" and dict(attrs).get(name):
            self.found.append(dict(attrs)[name])


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The pages that ``make docs`` builds; warnings are errors."""
    folder = tmp_path_factory.mktemp("docs")
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=shutil.ignore_patterns("api", "gallery"))
    for name in ("config", "examples"):
        shutil.copytree(ROOT / name, folder / name)
    for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "CITATION.cff"):
        shutil.copy(ROOT / name, folder / name)
    recipe = re.search(r"sphinx-build (.*)", (ROOT / "Makefile").read_text(encoding="utf-8"))[1]
    command = [sys.executable, "-m", "sphinx", *recipe.split()]
    process = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert process.returncode == 0, process.stdout
    return folder / "build/docs"


def test_every_public_module_has_a_page(built):
    assert {page.stem for page in (built / "api").glob("*.html")} == {*listed_modules(API)}


def test_every_example_has_a_page_with_its_figure(built):
    names = {script.stem for script in (ROOT / "examples/gallery").glob("plot_*.py")}
    assert {page.stem for page in (built / "gallery").glob("plot_*.html")} == names
    for name in names:
        assert f"sphx_glr_{name}_001.png" in (built / f"gallery/{name}.html").read_text(encoding="utf-8")
    page = (built / "own_data.html").read_text(encoding="utf-8")
    assert re.search(r'href="gallery/index\.html"><span[^>]*>gallery<', page)  # in its text


def test_the_explorer_of_the_published_results_is_there(built):
    (link,) = re.findall(r'href="(results/explorer\.html)"', (built / "explorer.html").read_text(encoding="utf-8"))
    assert "TreeCRF-Newton" in (built / link).read_text(encoding="utf-8")


def test_built_pages_load_nothing_from_elsewhere(built):
    pages = [*built.rglob("*.html")]
    assert len(pages) > len(listed_modules(API))
    for page in pages:
        resources = Resources(page.read_text(encoding="utf-8")).found
        assert [address for address in resources if re.match(r"(https?:)?//", address)] == []
    sheets = [*built.rglob("*.css")]
    assert sheets
    for sheet in sheets:
        assert not re.search(r"(url\(|@import)\s*[\"']?(https?:)?//", sheet.read_text(encoding="utf-8"))
