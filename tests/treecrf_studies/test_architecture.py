"""Imports of the studies run downward, Snakemake is known only under workflow/, and the tests mirror the package."""

import subprocess
import sys

import pytest
from builders import ROOT
from importing import imports, leaving, rooms_without_tests, violations

from treecrf_studies.registry import registry

STUDIES = ("training", "cost", "missing", "future", "coding", "kernels", "ensembles", "framework")

LAYERS = (
    "__main__",
    "cli",
    "explorer",
    "report",
    (*STUDIES, "registry"),
    "rendering",
    "methods",
    "datasets",
    "options",
    "records",
)
"""From top to bottom; the studies and their framework are one layer."""


def test_imports_run_downward():
    assert violations(ROOT / "src", "treecrf_studies", LAYERS) == []


@pytest.mark.parametrize("part", ["figures", "tables"])
def test_drawing_and_tabulating_load_no_labeller(part):
    modules = ", ".join(study.module_name(part) for study in registry())
    code = f"import sys, {modules}, treecrf_studies.rendering.style; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    heavy = {"numba", "scipy", "statsmodels", "pydantic"} | ({"matplotlib"} if part == "tables" else set())
    assert not loaded & heavy
    labellers = {name for name in loaded if name.startswith(("treecrf.models.", "treecrf_studies.methods."))}
    assert labellers <= {"treecrf.models.registry", "treecrf_studies.methods.catalogue"}


def test_snakemake_is_known_only_under_workflow():
    files = [file for folder in ("src", "tests", "benchmarks") for file in (ROOT / folder).rglob("*.py")]
    assert [str(file) for file in files for name, _ in imports(file) if name.split(".")[0] == "snakemake"] == []


@pytest.mark.parametrize("top", ["src", "tests"])
def test_private_names_stay_in_their_modules(top):
    rooms = ("explorer", "report", *STUDIES, "rendering")
    assert leaving(ROOT, *(f"{top}/treecrf_studies/{room}" for room in rooms)) == {}


def test_every_room_has_a_folder_of_tests():
    assert rooms_without_tests(ROOT / "src/treecrf_studies", ROOT / "tests/treecrf_studies") == []


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
