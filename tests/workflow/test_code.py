"""An edit of the package runs anew the steps whose code it is, and no others: the digests that the rules give to them."""

import shutil

import pytest
from builders import ROOT

from treecrf.io.code_digest import CodeGraph
from treecrf.studies import registry

SCRIPTS = ROOT / "workflow/scripts"
STEPS = {"job": "jobs", "summarise": "summary", "tabulate": "tables", "draw": "figures"}
"""Scripts that all studies share, and the module of a study at which the digest of each starts."""

NAMES = [study.name for study in registry()]
TRAIN = {f"job {name}" for name in NAMES}
COMPILE = {f"compile {study.name}" for study in registry() if not study.compiles}
COMPILERS = ("numba", "treecrf.compiled.kernel")


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A copy of the package."""
    folder = tmp_path_factory.mktemp("code") / "treecrf"
    return shutil.copytree(ROOT / "src/treecrf", folder, ignore=shutil.ignore_patterns("__pycache__"))


def digests(package):
    """Digest of each step of each study, and of the compiled routines."""
    graph = CodeGraph(package)
    found = {
        f"{script} {name}": graph.digest(SCRIPTS / f"{script}.py", package / f"studies/{name}/{module}.py")
        for name in NAMES
        for script, module in STEPS.items()
    }
    compiled = {
        f"compile {study.name}": graph.digest(
            SCRIPTS / "warm_kernels.py", package / f"studies/{study.name}/jobs.py", importing=COMPILERS
        )
        for study in registry()
        if not study.compiles
    }
    return found | compiled


@pytest.fixture(scope="module")
def changed(package):
    """Edits a file of the package and tells which steps would run again; undone at once."""
    before = digests(package)

    def edit(name, old="from __future__ import annotations\n", new="from __future__ import annotations\nX = 1\n"):
        path = package / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))
        after = digests(package)
        path.write_text(text)
        return {step for step in before if before[step] != after[step]}

    return edit


def test_a_comment_runs_nothing(changed):
    assert changed("trees/grower.py", "from __future__", "# A comment.\nfrom __future__") == set()


@pytest.mark.parametrize("name", NAMES)
def test_figures_and_tables_of_a_study_run_no_other(changed, name):
    assert changed(f"studies/{name}/figures.py") <= {f"draw {name}", f"tabulate {name}"}
    assert changed(f"studies/{name}/tables.py") == {f"tabulate {name}"}


@pytest.mark.parametrize("name", NAMES)
def test_a_study_trains_itself_alone(changed, name):
    again = changed(f"studies/{name}/jobs.py")
    assert again & TRAIN == {f"job {name}"}
    assert {step.split()[-1] for step in again} == {name}


@pytest.mark.parametrize("name", NAMES)
def test_settings_run_their_own_study(changed, name):
    assert changed(f"studies/{name}/settings.py") & TRAIN == {f"job {name}"}


def test_the_trainer_trains_all(changed):
    assert changed("trees/grower.py") >= TRAIN | COMPILE


def test_published_numbers_are_tabulated_anew(changed):
    again = changed("studies/training/published/table_3_4_shrinkage.csv", "\n", "\n\n")
    assert again >= {"summarise training", "tabulate training"}
    assert not again & (TRAIN | COMPILE)


@pytest.mark.parametrize("name", ["jobs", "environment"])
def test_records_run_nothing(changed, name):
    assert changed(f"records/{name}.py") == set()


def test_what_all_settings_share_runs_nothing(changed):
    assert changed("studies/framework/settings.py") == set()


@pytest.mark.parametrize("name", ["site.html", "parts.html", "../page.css", "../page.js"])
def test_templates_write_the_page_anew(package, name):
    path = package / "rendering/templates" / name
    before = CodeGraph(package).digest(SCRIPTS / "write_page.py")
    text = path.read_text()
    path.write_text(f"{text}\n")
    after = CodeGraph(package).digest(SCRIPTS / "write_page.py")
    path.write_text(text)
    assert after != before


def test_what_hands_arguments_to_jobs_is_code_of_jobs(package):
    found = CodeGraph(package).files(SCRIPTS / "job.py")
    assert {SCRIPTS / "_context.py", SCRIPTS / "_job.py"} <= {*found}
    assert package.resolve() / "studies/framework/job_cache.py" in found


@pytest.mark.parametrize("file", ["claims.py", "claims.yaml"])
@pytest.mark.parametrize("name", NAMES)
def test_claims_of_a_study_are_checked_anew(package, name, file):
    def digest():
        claims = [package / f"studies/{name}/claims.py" for name in NAMES]
        return CodeGraph(package).digest(SCRIPTS / "check_claims.py", *claims)

    before, path = digest(), package / f"studies/{name}/{file}"
    text = path.read_text()
    path.write_text(f"{text}\nX: 1\n")
    after = digest()
    path.write_text(text)
    assert after != before
