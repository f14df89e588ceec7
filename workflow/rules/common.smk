"""Settings and every helper of the rules; no rules."""

import importlib.util
import os
import sys
from pathlib import Path

import treecrf
from treecrf import datasets
from treecrf.studies.training.settings import CHOSEN_BY
from treecrf.io.code_digest import CodeGraph
from treecrf.io.checksums import noted, refuse_damaged
from treecrf.studies.settings import TableDataset, load_settings

# One job is one thread of computation; Snakemake runs jobs side by side.
for variable in (
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
):
    os.environ[variable] = "1"

CODE = CodeGraph(Path(treecrf.__file__).parent)
SCRIPTS = Path(workflow.current_basedir).parent / "scripts"

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

if workflow.is_main_process:
    try:
        refuse_damaged(noted(RESULTS))
    except ValueError as error:
        raise WorkflowError(str(error)) from None


def code_of(script, importing=()):
    """A digest of the package's code that a script runs: a job whose code has changed runs again."""
    return CODE.digest(SCRIPTS / f"{script}.py", importing)


def labeller_code(method):
    """A digest of the file of a class of the user's own: its jobs run again when it has changed."""
    if method not in SETTINGS.labellers:
        return None
    name = SETTINGS.labellers[method].class_name.partition(":")[0]
    if sys.path[0] != os.getcwd():
        sys.path.insert(0, os.getcwd())
    try:
        found = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        found = None
    if found is None or not found.origin:
        raise WorkflowError(
            f"configuration: 'labellers.{method}' names the module {name!r}, which is not there; put it into the "
            "working directory or install it."
        )
    return CODE.digest(Path(found.origin))


# --- resources --------------------------------------------------------------------------------------


def growing(amount):
    """A resource that is `amount` at the first attempt, twice as much at the second, and so on.

    The amounts of the rules that train are at least 1.5 times the most that was measured (`max_rss` in MB and `s` of
    results/benchmarks, on two busy cores). None is under 500 MB and 5 minutes: nodes may be slow to read files.
    """
    return lambda wildcards, attempt: amount * attempt


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


OUTCOMES = ("folds", "choice", "curves", "predictions", "phases", "notes")
TRAINING_SUMMARIES = (
    "summary",
    "choice",
    "curves",
    "costs",
    "comparisons",
    "notes",
)


def training_settings(dataset, method):
    """The settings that a job looks at, so that changing others runs nothing anew."""
    return SETTINGS.training.of(dataset).used_by(method)


def choice_for_method(wildcards):
    """Input function: the choice of the method that chooses for this one, if another one does."""
    other = CHOSEN_BY.get(wildcards.method)
    return (
        f"{RESULTS}/training/{wildcards.dataset}/{other}.choice.parquet"
        if other
        else []
    )


def training_outcomes(wildcards):
    """Input function: the files of all methods of a data set, by kind."""
    methods = SETTINGS.training.of(wildcards.dataset).methods
    return {
        kind: [
            f"{RESULTS}/training/{wildcards.dataset}/{method}.{kind}.parquet"
            for method in methods
        ]
        for kind in OUTCOMES
        if kind != "folds"
    }


def training_summaries(name):
    """One file of the summary of every data set of the study."""
    return [
        f"{RESULTS}/training/{dataset}/{name}.csv"
        for dataset in SETTINGS.training.datasets
    ]


def measured(names, file):
    """One file of each data set of the study that is also among `names`."""
    return [
        f"{RESULTS}/training/{name}/{file}.csv"
        for name in SETTINGS.training.datasets
        if name in names
    ]


def measurements():
    """The measurements of cost over all data sets, by name."""
    scaling = SETTINGS.scaling
    wanted = {
        "scaling": scaling.methods,
        "windows": measured(scaling.window_datasets, "windows"),
        "sampling": measured(scaling.sampling_datasets, "sampling"),
    }
    return {
        name: f"{RESULTS}/training/{name}.csv"
        for name, parts in wanted.items()
        if parts
    }


def stand_ins():
    """Whether each data set of the study stands in for another one."""
    return {
        name: described(name).stand_in is not None
        for name in SETTINGS.training.datasets
    }


def drawn_figures():
    """The figures for which there is something to draw."""
    known = {"summary", "curves", *measurements()}
    return [name for name, (_, kind, *_) in TRAINING_FIGURES.items() if kind in known]


def to_draw(kind):
    """The files that a figure shows."""
    return measurements()[kind] if kind in measurements() else training_summaries(kind)


def training_results():
    """What the study ends in."""
    if not SETTINGS.training.datasets:
        return []
    tables = [*TRAINING_TABLES, *(set(measurements()) - {"scaling"})]
    return [f"{RESULTS}/training/tables/{name}.html" for name in tables] + [
        f"{RESULTS}/training/{name}.svg" for name in drawn_figures()
    ]


# --- future features --------------------------------------------------------------------------------


FUTURE_SIDES = ("train", "validation", "test")
FUTURE_OUTCOMES = ("runs", "predictions", "weights", "trees")
FUTURE_EXAMPLE = f"{RESULTS}/future/example.csv"
FUTURE_SUMMARIES = ("runs", "summary", "best", "tests", "weights", "trees")


def future_options(name):
    """Options of treecrf.datasets.load_splits for a data set; the draw has a seed of its own."""
    return {key: value for key, value in load_options(name).items() if key != "seed"}


def future_description(name):
    """Where the data of a data set are from, and what they stand in for."""
    return {"source": source_of(name), "stand_in": described(name).stand_in}


def future_draws(name, side):
    """One set of all draws of a data set."""
    n_seeds = SETTINGS.future.of(name).n_seeds
    return [
        f"{RESULTS}/future/{name}/seed_{seed}.{side}.npz" for seed in range(n_seeds)
    ]


def future_outcomes(wildcards):
    """Input function: the files of all methods of a data set, by kind."""
    methods = SETTINGS.future.of(wildcards.dataset).methods
    return {
        kind: [
            f"{RESULTS}/future/{wildcards.dataset}/{method}.{kind}.parquet"
            for method in methods
        ]
        for kind in FUTURE_OUTCOMES
    }


def future_summaries(name):
    """One file of the summary of every data set of the study."""
    return [
        f"{RESULTS}/future/{dataset}/{name}.csv" for dataset in SETTINGS.future.datasets
    ]


def with_future_features():
    """The data sets on which features are discovered."""
    return [
        name
        for name in SETTINGS.future.datasets
        if any(m.startswith("ff_") for m in SETTINGS.future.of(name).methods)
    ]


def future_results():
    """What the study ends in."""
    if not SETTINGS.future.datasets:
        return []
    return (
        [f"{RESULTS}/future/tables/{name}.html" for name in FUTURE_TABLES]
        + [f"{RESULTS}/future/orders.svg", FUTURE_EXAMPLE]
        + [
            f"{RESULTS}/future/{name}/{picture}.svg"
            for name in with_future_features()
            for picture in ("weights", "trees")
        ]
    )


# --- missing values ---------------------------------------------------------------------------------


MISSING_SUMMARIES = ("evaluations", "comparisons", "costs", "frequencies")
"""Those that claims are checked against."""


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


# --- claims ------------------------------------------------------------------------------------------


def descriptions():
    """What the data sets of all studies are."""
    prepared = [*SETTINGS.training.datasets, *SETTINGS.missing.datasets]
    return [
        *(
            f"{RESULTS}/data/{name}/description.json"
            for name in dict.fromkeys(prepared)
        ),
        *(
            f"{RESULTS}/future/{name}/description.json"
            for name in SETTINGS.future.datasets
        ),
    ]


def claim_results():
    """What claims are checked against: the summaries and measurements of all studies, and what their data are."""
    return [
        *descriptions(),
        *(path for name in TRAINING_SUMMARIES for path in training_summaries(name)),
        *measurements().values(),
        *(path for name in MISSING_SUMMARIES for path in missing_summaries(name)),
        *(path for name in FUTURE_SUMMARIES for path in future_summaries(name)),
        *([FUTURE_EXAMPLE] if SETTINGS.future.datasets else []),
    ]


# --- all studies ------------------------------------------------------------------------------------


def write_page_of_what_is_there():
    """The page without the data sets whose jobs failed."""
    from treecrf.report.page import UNFINISHED_PAGE, write_page

    write_page(SETTINGS, LOGS, finished=False)
    print(
        f"Some steps failed; the page of what was finished is {REPORTS}/{UNFINISHED_PAGE}",
        file=sys.stderr,
    )
