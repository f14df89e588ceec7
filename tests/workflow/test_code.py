"""An edit of the package runs anew the steps whose code it is, and no others: the digests that the rules give to
them.
"""

import shutil

import pytest
from builders import ROOT

from treecrf_studies.methods.catalogue import code_of_methods
from treecrf_studies.records.code_digest import CodeGraph
from treecrf_studies.registry import registry

SCRIPTS = ROOT / "workflow/scripts"
STEPS = {"job": "jobs", "summarise": "summary", "tabulate": "tables", "draw": "figures"}
"""Scripts that all studies share, and the module of a study at which the digest of each starts."""

NAMES = [study.name for study in registry()]
TRAIN = {f"job {name}" for name in NAMES}
COMPILE = {f"compile {study.name}" for study in registry() if not study.compiles}
COMPILERS = ("numba", "treecrf.compiled.kernel")
PACKAGES = ("treecrf", "treecrf_studies")


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A copy of the packages."""
    folder = tmp_path_factory.mktemp("code")
    for name in PACKAGES:
        shutil.copytree(ROOT / "src" / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def graph_of(source):
    return CodeGraph(*(source / name for name in PACKAGES))


def digests(source):
    """Digest of each step of each study, and of the compiled routines."""
    graph = graph_of(source)
    found = {
        f"{script} {name}": graph.digest(SCRIPTS / f"{script}.py", source / f"treecrf_studies/{name}/{module}.py")
        for name in NAMES
        for script, module in STEPS.items()
    }
    compiled = {
        f"compile {study.name}": graph.digest(
            SCRIPTS / "warm_kernels.py", source / f"treecrf_studies/{study.name}/jobs.py", importing=COMPILERS
        )
        for study in registry()
        if not study.compiles
    }
    return found | compiled


@pytest.fixture(scope="module")
def changed(source):
    """Edits a file of a package and tells which steps would run again; undone at once."""
    before = digests(source)

    def edit(name, old="from __future__ import annotations\n", new="from __future__ import annotations\nX = 1\n"):
        path = source / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))
        after = digests(source)
        path.write_text(text)
        return {step for step in before if before[step] != after[step]}

    return edit


def code_of_jobs(source):
    """As the rules have it: digests of jobs, in which the catalogue and the classes of methods do not count."""
    graph = graph_of(source)
    catalogue = graph.file("treecrf_studies.methods.catalogue")
    jobs = {name: source / f"treecrf_studies/{name}/jobs.py" for name in NAMES}
    return {name: graph.digest(SCRIPTS / "job.py", path, without=[catalogue]) for name, path in jobs.items()}


@pytest.mark.parametrize("file", ["catalogue.py", "java/mallet.py", "kernel/explicit.py"])
def test_a_method_more_and_the_class_of_a_method_run_no_job_of_others(source, file):
    before, path = code_of_jobs(source), source / "treecrf_studies/methods" / file
    text = path.read_text()
    path.write_text(f"{text}\nX = 1\n")
    after = code_of_jobs(source)
    path.write_text(text)
    assert after == before


@pytest.mark.parametrize("study", NAMES)
def test_the_code_of_every_method_is_known(source, study):
    graph, rows = graph_of(source), code_of_methods(study).rows
    assert all(graph.file(module) for module in code_of_methods(study).modules)
    assert rows


@pytest.mark.parametrize(
    ("study", "method", "modules"),
    [
        ("training", "mallet", ("treecrf_studies.methods.java.mallet",)),
        ("kernels", "primal", ("treecrf_studies.methods.kernel.explicit",)),
        ("missing", "imputation", ("treecrf.models.boosted.treecrf",)),
        ("future", "ff_memm_0", ("treecrf_studies.methods.future.future_memm",)),
        ("future", "sliding_window", ("treecrf.models.boosted.treecrf",)),
        ("coding", "gtb_iid", ()),
    ],
)
def test_a_method_has_the_code_of_its_class(study, method, modules):
    assert code_of_methods(study, method).modules == modules


def test_a_method_that_trains_others_has_the_code_of_all():
    assert code_of_methods("coding", "trees_and_nets") == code_of_methods("coding")
    assert code_of_methods("training", "mallet") != code_of_methods("training", "mallet_linear")


def test_a_comment_runs_nothing(changed):
    assert changed("treecrf/trees/grower.py", "from __future__", "# A comment.\nfrom __future__") == set()


@pytest.mark.parametrize("name", NAMES)
def test_figures_and_tables_of_a_study_run_no_other(changed, name):
    assert changed(f"treecrf_studies/{name}/figures.py") <= {f"draw {name}", f"tabulate {name}"}
    assert changed(f"treecrf_studies/{name}/tables.py") == {f"tabulate {name}"}


@pytest.mark.parametrize("name", NAMES)
def test_a_study_trains_itself_alone(changed, name):
    again = changed(f"treecrf_studies/{name}/jobs.py")
    assert again & TRAIN == {f"job {name}"}
    assert {step.split()[-1] for step in again} == {name}


@pytest.mark.parametrize("name", NAMES)
def test_settings_run_their_own_study(changed, name):
    assert changed(f"treecrf_studies/{name}/settings.py") & TRAIN == {f"job {name}"}


def test_the_trainer_trains_all(changed):
    assert changed("treecrf/trees/grower.py") >= TRAIN | COMPILE


def test_published_numbers_are_tabulated_anew(changed):
    again = changed("treecrf_studies/training/published/table_3_4_shrinkage.csv", "\n", "\n\n")
    assert again >= {"summarise training", "tabulate training"}
    assert not again & (TRAIN | COMPILE)


@pytest.mark.parametrize("name", ["jobs", "environment"])
def test_records_run_nothing(changed, name):
    assert changed(f"treecrf_studies/records/{name}.py") == set()


def test_what_all_settings_share_runs_nothing(changed):
    assert changed("treecrf_studies/framework/settings.py") == set()


@pytest.mark.parametrize("name", ["results.css", "results.js"])
def test_static_files_write_the_page_anew(source, name):
    path = source / "treecrf_studies/rendering/static" / name
    before = graph_of(source).digest(SCRIPTS / "write_page.py")
    text = path.read_text()
    path.write_text(f"{text}\n")
    after = graph_of(source).digest(SCRIPTS / "write_page.py")
    path.write_text(text)
    assert after != before


def test_what_hands_arguments_to_jobs_is_code_of_jobs(source):
    found = graph_of(source).files(SCRIPTS / "job.py")
    assert {SCRIPTS / "_context.py", SCRIPTS / "_job.py"} <= {*found}
    assert source.resolve() / "treecrf_studies/framework/jobs.py" in found


@pytest.mark.parametrize("file", ["claims.py", "claims.yaml"])
@pytest.mark.parametrize("name", NAMES)
def test_claims_of_a_study_are_checked_anew(source, name, file):
    def digest():
        claims = [source / f"treecrf_studies/{name}/claims.py" for name in NAMES]
        return graph_of(source).digest(SCRIPTS / "check_claims.py", *claims)

    before, path = digest(), source / f"treecrf_studies/{name}/{file}"
    text = path.read_text()
    path.write_text(f"{text}\nX: 1\n")
    after = digest()
    path.write_text(text)
    assert after != before
