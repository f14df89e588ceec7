"""Settings and every helper of the rules; no rules."""

import hashlib
import os
import sys
from pathlib import Path

from treecrf import datasets
from treecrf.settings import TableDataset, load_settings

# One job is one thread of computation; Snakemake runs jobs side by side.
for variable in (
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
):
    os.environ[variable] = "1"

PACKAGE = Path(datasets.__file__).resolve().parents[1]

try:
    SETTINGS = load_settings(config)
except ValueError as error:
    raise WorkflowError(str(error)) from None

RESULTS = SETTINGS.results
REPORTS = SETTINGS.reports
RAW = SETTINGS.raw
LOGS = f"{RESULTS}/logs"
BENCHMARKS = f"{RESULTS}/benchmarks"
PAGE = f"{REPORTS}/index.html"
KERNELS = f"{RESULTS}/kernels.json"
MIRROR = SETTINGS.mirror or os.environ.get("TREECRF_MIRROR")


# --- data -------------------------------------------------------------------------------------------


def source_of(name):
    """Name in treecrf.datasets of the data set `name`."""
    dataset = SETTINGS.datasets[name]
    return "table" if isinstance(dataset, TableDataset) else dataset.source or name


def raw_files(wildcards):
    """The files that a data set is made from."""
    dataset = SETTINGS.datasets[wildcards.dataset]
    if isinstance(dataset, TableDataset):
        return [path for path in (dataset.path, dataset.test) if path]
    return [f"{RAW}/{path}" for path in described(wildcards.dataset).files]


def load_options(name):
    """Options of treecrf.datasets.load for the data set `name`."""
    dataset = SETTINGS.datasets[name]
    if isinstance(dataset, TableDataset):
        return dataset.model_dump(mode="json", exclude={"kind", "window"}) | {
            "seed": SETTINGS.seed
        }
    return {"raw": RAW, **dataset.options}


def described(name):
    """What treecrf.datasets says of the data set `name`."""
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


# --- training ---------------------------------------------------------------------------------------


def training_settings(*unused):
    """The study's settings without those that a job does not use, so that changing them runs nothing anew."""
    return SETTINGS.training.model_dump(
        mode="json", exclude={"datasets", "l2_regularizations", *unused}
    )


def by_lambda(kind):
    """Input function: the files of all lambdas of a data set."""
    names = [f"{value:g}" for value in SETTINGS.training.l2_regularizations]
    return lambda wildcards: [
        f"{RESULTS}/training/{wildcards.dataset}/{kind}/l2_{name}.parquet"
        for name in names
    ]


def training_summaries():
    """The summary of every data set of the study."""
    return [
        f"{RESULTS}/training/{name}/summary.csv" for name in SETTINGS.training.datasets
    ]


def training_results():
    """What the study ends in."""
    if not SETTINGS.training.datasets:
        return []
    figures = [
        f"{RESULTS}/training/{name}/figure_3_1.svg"
        for name in SETTINGS.training.datasets
    ]
    return [f"{RESULTS}/training/table.html"] + figures


# --- missing values ---------------------------------------------------------------------------------


def missing_settings():
    """The study's settings without those that a job does not use, so that changing them runs nothing anew."""
    unused = {"datasets", "methods", "rates", "baseline", "baselines"}
    return SETTINGS.missing.model_dump(mode="json", exclude=unused)


def missing_jobs(kind):
    """Input function: the files of all methods and rates of a data set."""
    rates = [f"{rate:g}" for rate in SETTINGS.missing.rates]
    return lambda wildcards: [
        f"{RESULTS}/missing/{wildcards.dataset}/{method}/rate_{rate}.{kind}.parquet"
        for method in SETTINGS.missing.methods
        for rate in rates
    ]


def missing_summaries(name):
    """One file of the summary of every data set of the study."""
    return [
        f"{RESULTS}/missing/{dataset}/{name}.csv"
        for dataset in SETTINGS.missing.datasets
    ]


def missing_results():
    """What the study ends in."""
    if not SETTINGS.missing.datasets:
        return []
    baselines = {
        SETTINGS.missing.baseline_of(name) for name in SETTINGS.missing.datasets
    }
    tables = ["accuracy", "costs", "deviance"]
    tables += [
        f"{table}_{method}"
        for method in SETTINGS.missing.methods
        for table in ("coefficients", "significance", "effects")
    ]
    return (
        [f"{RESULTS}/missing/tables/{name}.html" for name in tables]
        + [f"{RESULTS}/missing/figure_4_1.svg", f"{RESULTS}/missing/figure_4_2.svg"]
        + [f"{RESULTS}/missing/effects_{name}.svg" for name in sorted(baselines)]
        + [GUIDE]
    )


GUIDE = f"{REPORTS}/missing_values.md"
TABLE_CODE = [
    f"reporting/{name}.py" for name in ("missing_tables", "rendering", "tables")
]


# --- all studies ------------------------------------------------------------------------------------


def code_of(*parts):
    """A digest of the package's files under `parts`: a job whose code has changed runs again."""
    digest = hashlib.sha256()
    for part in parts:
        path = PACKAGE / part
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


CORE = (
    "sequences.py",
    "_frames.py",
    "_kernel_cache.py",
    "_chain_kernels.py",
    "chain.py",
)
KERNEL_CODE = code_of(*CORE, "trees", "models")
TRAINING_CODE = code_of(*CORE, "trees", "models", "selection.py", "studies/training.py")
MISSING_CODE = code_of(
    *CORE, "trees", "models", "selection.py", "missing.py", "studies/missing.py"
)


def write_page_of_what_is_there():
    """The page without the data sets whose jobs failed."""
    from treecrf.reporting.html import write_page

    write_page(SETTINGS, LOGS)
    print(
        f"Some steps failed; the page of what was finished is {PAGE}", file=sys.stderr
    )
