"""Settings and every helper of the rules; no rules."""

import atexit
import importlib.util
import os
import sys
import time
from functools import partial
from pathlib import Path

import treecrf
import treecrf_studies
from treecrf_studies import datasets
from treecrf.readers.reading import files_of
from treecrf_studies.methods.catalogue import code_of_methods
from treecrf_studies.records.code_digest import CodeGraph
from treecrf.io.files import noted, refuse_damaged
from treecrf_studies.records.environment import COMMIT, commit
from treecrf_studies.report.outdated import remove_outdated, settle_times
from treecrf_studies.registry import registry
from treecrf_studies.framework.config_checks import (
    class_problems,
    file_problems,
    table_options,
    time_problems,
)
from treecrf_studies.framework.paths import StudyFiles
from treecrf_studies.framework.settings import TableDataset, load_settings
from treecrf_studies.framework.study import JOIN

# One job is one thread of computation; Snakemake runs jobs side by side.
for variable in (
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
):
    os.environ[variable] = "1"

os.environ.setdefault(COMMIT, commit() or "")

CODE = CodeGraph(
    *(Path(package.__file__).parent for package in (treecrf, treecrf_studies))
)
SCRIPTS = Path(workflow.current_basedir).parent / "scripts"

try:
    SETTINGS = load_settings(config)
except ValueError as error:
    raise WorkflowError(str(error)) from None

STUDIES = {study.name: StudyFiles(study, SETTINGS) for study in registry()}
GIVEN = SETTINGS.model_dump(mode="json", exclude={"compare", "overwrite"})
RESULTS = SETTINGS.results
REPORTS = SETTINGS.reports
RAW = SETTINGS.raw
LOGS = f"{RESULTS}/logs"
BENCHMARKS = f"{RESULTS}/benchmarks"
PAGE = f"{REPORTS}/index.html"
UNFINISHED = f"{REPORTS}/unfinished/index.html"
EXPLORER = f"{REPORTS}/explorer.html"
MANIFEST = f"{RESULTS}/manifest.json"

if workflow.is_main_process:
    try:
        refuse_damaged(noted(RESULTS))
    except ValueError as error:
        raise WorkflowError(str(error)) from None
    for files in [] if workflow.output_settings.dryrun else STUDIES.values():
        files.study.write_captions(
            Path(RESULTS, "captions", files.study.name), SETTINGS.may_concern_papers
        )
    problems = [*class_problems(SETTINGS), *time_problems(SETTINGS, time.time())]
    if workflow.output_settings.dryrun:  # a run finds them in its first jobs
        problems += file_problems(SETTINGS)
    if problems:
        raise WorkflowError("\n".join(problems))
    places = map(Path, (MANIFEST, PAGE, EXPLORER, UNFINISHED))
    sentences = [*remove_outdated(*places, workflow.output_settings.dryrun)]
    if not workflow.output_settings.dryrun:
        sentences += settle_times(map(Path, (RESULTS, REPORTS, RAW)), time.time())
    for sentence in sentences:
        print(sentence, file=sys.stderr)


def caption_of(study, name):
    """The file of a caption, for Snakemake's report."""
    return str(Path(RESULTS, "captions", study.name, f"{name}.rst").absolute())


def code_of(script, *modules, importing=()):
    """A digest of the code that a script runs, and of the modules of a study that it calls: an edit runs jobs again."""
    return CODE.digest(
        SCRIPTS / f"{script}.py", *map(CODE.file, modules), importing=importing
    )


CATALOGUE = CODE.file("treecrf_studies.methods.catalogue")


def code_of_job(script, *modules, importing=()):
    """As `code_of`, without the catalogue: what it says of a job's methods is among the values of the job."""
    return CODE.digest(
        SCRIPTS / f"{script}.py",
        *map(CODE.file, modules),
        importing=importing,
        without=[CATALOGUE],
    )


def explored_modules(study):
    """The modules whose functions the explorer calls for a study."""
    return sorted({study.full_name(name).rpartition(".")[0] for name in study.shown_by})


def code_of_study(study):
    """A digest of the code that decides the numbers of a study: its jobs and its summary, not its tables and figures."""
    modules = {study.module_name(job.module) for job in study.jobs}
    return code_of("job", *sorted(modules), study.module_name("summary"))


def method_code(study, method=""):
    """What the catalogue says of a method of a study, or of all, with a digest of its classes; of a class of the user's
    own that of its file: its jobs run again when it has changed.
    """
    if method not in SETTINGS.labellers:
        rows, modules = code_of_methods(study.name, method)
        return [rows, CODE.digest(*map(CODE.file, modules), without=[CATALOGUE])]
    name = SETTINGS.labellers[method].class_name.partition(":")[0]
    if sys.path[0] != os.getcwd():
        sys.path.insert(0, os.getcwd())
    return CODE.digest(Path(importlib.util.find_spec(name).origin))


def growing(amount):
    """A resource that is `amount` at the first attempt, twice as much at the second, and so on.

    The amounts of the rules that train are at least 1.5 times the most that was measured (`max_rss` in MB and `s` of
    results/benchmarks, on two busy cores). None is under 500 MB and 5 minutes: nodes may be slow to read files.
    """
    return lambda wildcards, attempt: amount * attempt


def minutes_of(job, wildcards, attempt):
    """The resource `runtime` of a job: `growing`, for each of its methods."""
    return job.minutes * len(methods_of(wildcards)) * attempt


# --- data -------------------------------------------------------------------------------------------


def source_of(name):
    """Name in treecrf_studies.datasets of the data set `name`."""
    dataset = SETTINGS.datasets[name]
    return "table" if isinstance(dataset, TableDataset) else dataset.source or name


def raw_files(wildcards):
    """The files that a data set is made from."""
    dataset = SETTINGS.datasets[wildcards.dataset]
    if isinstance(dataset, TableDataset):
        tables = [path for path in (dataset.path, dataset.test) if path]
        return [str(file) for path in tables for file in files_of(path)]
    return [f"{RAW}/{path}" for path in described(wildcards.dataset).files]


def load_options(name, with_seed=True):
    """Options of treecrf_studies.datasets.load for the data set `name`; draws have seeds of their own."""
    dataset = SETTINGS.datasets[name]
    groups = dataset.model_dump(mode="json")["groups"]
    if not isinstance(dataset, TableDataset):
        given = {
            key: value
            for key, value in dataset.options.items()
            if with_seed or key != "seed"
        }
        return {"raw": RAW, "groups": groups, **given}
    return table_options(dataset) | ({"seed": SETTINGS.seed} if with_seed else {})


def described(name):
    """What treecrf_studies.datasets says of the data set `name`."""
    try:
        return datasets.describe(source_of(name))
    except (KeyError, ValueError) as error:
        raise WorkflowError(
            f"configuration: 'datasets.{name}': {error.args[0]}"
        ) from None


def window_of(name):
    """Observations before and after that labellers of the data set `name` see."""
    window = SETTINGS.datasets[name].window
    return list(described(name).window if window is None else window)


# --- before the first job, and after a failure ------------------------------------------------------


def other_settings():
    """What to say where finished jobs would run again with other settings; nothing where the configuration allows it."""
    from treecrf_studies.records.jobs import refuse_overwriting

    if SETTINGS.overwrite is not True:
        try:
            jobs = workflow.dag.needrun_jobs(exclude_finished=False)
            refuse_overwriting(jobs, SETTINGS.overwrite or ())
        except ValueError as error:
            return str(error)
    return ""


def keep_other_settings():
    """Stop where finished jobs would run again with other settings."""
    if sentence := other_settings():
        raise WorkflowError(sentence)


def tell_other_settings():
    """Say at the end of a dry run what a run would stop for."""
    if sentence := workflow.dag and other_settings():
        print(sentence, file=sys.stderr)


if workflow.output_settings.dryrun:  # Snakemake has no hook for it
    atexit.register(tell_other_settings)


def write_page_of_what_is_there():
    """The page without the data sets whose jobs failed."""
    from treecrf_studies.report.page import write_page

    write_page(SETTINGS, LOGS, finished=False)
    print(
        f"Some steps failed; the page of what was finished is {UNFINISHED}",
        file=sys.stderr,
    )
