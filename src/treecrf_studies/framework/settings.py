"""The whole configuration: its keys, their defaults (PROTOCOL's), and what to say when one is wrong.

``python -m treecrf_studies.framework.settings`` prints the JSON schema that ``config/schema.json`` holds.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args

from pydantic import AfterValidator, Field, ValidationError, field_validator, model_validator

from treecrf.grouping import NamedRule
from treecrf.io.columns import Kind
from treecrf.io.messages import listed, quoted
from treecrf.readers.text_files import Dialect
from treecrf_studies.coding.settings import CodingSettings
from treecrf_studies.cost.settings import CostSettings
from treecrf_studies.ensembles.settings import EnsemblesSettings
from treecrf_studies.future.settings import FutureSettings
from treecrf_studies.kernels.settings import KernelsSettings
from treecrf_studies.methods.catalogue import TRAINING, TREATMENTS
from treecrf_studies.missing.settings import MissingSettings
from treecrf_studies.options import Labellers, Model, Name, StudySettings, Window
from treecrf_studies.registry import registry
from treecrf_studies.training.settings import TrainingSettings

_SHELL = re.compile(r"^~|\$\w|\$\{")
"""What a shell would put another text for."""


def _read(path: str) -> str:
    if not path.strip():
        raise ValueError("is empty; name a file or folder, or leave the key out")
    if _SHELL.search(path):
        raise ValueError(f"is {path!r}, where no shell fills in ~ or $; write the whole path")
    if "\n" in path or "\t" in path:
        raise ValueError(f"is {path!r}, which has a line break or tab; rename it")
    return path


def _written(path: str) -> str:
    normal = os.path.normpath(_read(path))
    if normal != normal.strip():
        raise ValueError(f"is {path!r}, which begins or ends with a blank; remove it")
    if "{" in normal or "}" in normal:
        raise ValueError(f"is {path!r}, and braces have a meaning for Snakemake; choose another name")
    if normal.startswith(".."):
        raise ValueError(f"is {path!r}, outside the working folder; name a folder inside it, or an absolute path")
    here = Path.cwd().resolve()
    if Path(normal).resolve() in (here, *here.parents):
        raise ValueError(f"is {path!r}, which holds the working folder; name a folder inside it, or an absolute path")
    return normal


ReadPath = Annotated[str, AfterValidator(_read)]
"""A file or folder that a run reads."""

WrittenFolder = Annotated[str, AfterValidator(_written)]
"""A folder that a run writes to; without a slash at its end."""


def refuse_same(folders: Mapping[str, str]) -> None:
    """Raise a ValueError where two of the folders that a run writes to, given by names of settings, are one."""
    names: dict[Path, str] = {}
    for name, folder in folders.items():
        other = names.setdefault(Path(folder).resolve(), name)
        if other != name:
            raise ValueError(f"{name} and {other} are the same folder, {folder!r}; choose another for one of them")


_MOST_VALUES, _MOST_LEVELS, _LARGEST = 100_000, 30, 2**63 - 1
"""Of a configuration: values, counted as often as they are referred to; levels of nesting; whole numbers."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


class Runs(Model):
    """Sequences are related if they have many runs of observations in common."""

    length: int = Field(4, ge=1, description="Observations of a run.")
    share: float = Field(
        0.1, ge=0, lt=1, description="Share of the runs of the shorter sequence; more than it link two."
    )


Groups = Annotated[
    NamedRule | Runs | None,
    Field(
        description='Related sequences, which folds and tests keep together: "none", "copies", or those with more than '
        "a `share` (0.1) of their runs of `length` (4) observations in common (default: by data set)."
    ),
]


class BuiltinDataset(Model):
    """A data set that the package knows how to get or to generate."""

    kind: Literal["builtin"] = "builtin"
    source: str | None = Field(
        None, description="Name in treecrf_studies.datasets (default: the name of the data set)."
    )
    options: dict[str, Any] = Field({}, description="Options of treecrf_studies.datasets.load for this data set.")
    window: Window | None = Field(None, description="Observations before and after (default: the published window).")
    groups: Groups = None


class TableDataset(Model):
    """Sequences of your own: a file, or a folder of files, with one row per observation; an empty cell is missing."""

    kind: Literal["table"]
    path: ReadPath = Field(
        description="The training table, or the only one: CSV, Parquet, columns or CoNLL-U file, or a folder with a "
        "file for each sequence."
    )
    test: ReadPath | None = Field(None, description="The test table.")
    split: str | None = Field(None, description='Column that holds "train" or "test", in place of a test table.')
    test_fraction: float = Field(1 / 3, gt=0, lt=1, description="Share of the sequences that is held out otherwise.")
    sequence: str = Field("sequence", description="Column that tells sequences apart.")
    label: str = Field("label", description="Column with the labels; the last one of a columns file.")
    attributes: list[str] | None = Field(None, description="Input columns (default: all other columns).")
    kinds: dict[str, Kind] = Field(
        {},
        description="Input columns and what they hold, `number` or `category`; unless given, a column of numbers holds "
        "numbers, but for few whole ones.",
    )
    format: Literal["csv", "columns", "conllu", "parquet"] | None = Field(
        None, description="Format of the files (default: by suffix)."
    )
    separator: str | None = Field(None, description="Field separator of a CSV file (default: detected).")
    decimal: Literal[".", ","] | None = Field(
        None, description="Decimal mark of a CSV file, `.` or `,` (default: detected)."
    )
    encoding: str | None = Field(None, description="Such as `utf-8` or `cp1252` (default: detected).")
    window: Window = Field((0, 0), description="Observations before and after that the labeller sees.")
    groups: Annotated[str, Field(min_length=1)] | Runs | None = Field(
        None,
        description="Related sequences, which folds, intervals and tests keep together: a column of what they share, "
        'such as a person, which is then no input; or "none", "copies" (default), or those with more than a `share` '
        "(0.1) of their runs of `length` (4) observations in common.",
    )

    @property
    def groups_column(self) -> str | None:
        """The column of what related sequences share, where `groups` names one."""
        return self.groups if isinstance(self.groups, str) and self.groups not in get_args(NamedRule) else None

    @model_validator(mode="after")
    def _dialect_is_known(self) -> TableDataset:
        try:
            Dialect(self.format, self.separator, self.decimal, self.encoding)
        except ValueError as error:
            raise ValueError(str(error).removesuffix(".")) from None
        return self


Dataset = Annotated[BuiltinDataset | TableDataset, Field(discriminator="kind")]


Profile = Literal["protocol", "extended", "short", "demo", "own"]

BANNERS = {
    "extended": "Extended protocol: that of the papers, with methods, data and larger samples beyond them.",
    "short": "Shortened protocol: decides no claim.",
    "demo": "Demonstration: decides no claim.",
}
"""Above everything else on the pages of a run whose profile is one of these."""

UNDECIDING = ("short", "demo")
"""Profiles whose results decide no claim."""


class Settings(Model):
    """The whole configuration of a run."""

    profile: Profile = Field(
        description="What is run: `protocol` (that of the papers), `extended` (with what treecrf adds to it), `short` "
        "(fewer iterations, folds and candidates), `demo` or `own`. No claim is decided by `short` and `demo`."
    )
    reasons: dict[str, str] = Field(
        {},
        description="Why settings differ from the protocol: the reason for each study, `study.setting`, "
        "`study.data_set` or `study.data_set.setting`. The profiles `protocol` and `extended` need one for each that "
        "differs.",
    )
    mirror: ReadPath | None = Field(
        None, description="Folder with copies of the raw files (default: the environment variable TREECRF_MIRROR)."
    )
    raw: WrittenFolder = Field(
        "data/raw", description="Folder of the raw files; put files here that cannot be downloaded."
    )
    results: WrittenFolder = Field("results", description="Folder of everything that is computed.")
    reports: WrittenFolder = Field("reports", description="Folder of the pages to read.")
    archives: WrittenFolder = Field("archives", description="Folder of the archives of runs.")
    compare: ReadPath | None = Field(
        None, description="Folder of results, or archive, of the run that the target `compare` sets this one beside."
    )
    overwrite: bool | list[str] = Field(
        False,
        description="Whether finished jobs may run again with other settings, which replaces their results; or the "
        "settings that may be others, such as `training.max_leaves`.",
    )
    note: str = Field("", description="A remark on the run, above everything else on its pages.")
    seed: int = Field(0, ge=0, description="With names, decides the folds and what a table holds out.")
    methods_per_job: int = Field(
        1,
        ge=1,
        description="Methods that one job runs one after another, since each start of a job takes seconds. Above 1, a "
        "method that is added may join the job of others, which then run again.",
    )
    portions: dict[str, Annotated[int, Field(ge=2, le=100)]] = Field(
        {},
        description="Long jobs whose trainings other jobs do beforehand, each a portion, and how many: by "
        "`study.data_set.method`, or `study.function` of a job without methods. What is found does not depend on it.",
    )
    datasets: dict[Name, Dataset] = Field(description="The data sets of this run, by the names used below.")
    labellers: Labellers = Field({}, description="Classes of your own, by the names that the studies call them.")
    training: TrainingSettings = Field(
        default_factory=lambda: TrainingSettings(), description="The study of chapter 3."
    )
    cost: CostSettings = Field(
        default_factory=lambda: CostSettings(methods=[]), description="Cost by length and window; sampling."
    )
    missing: MissingSettings = Field(default_factory=lambda: MissingSettings(), description="The study of chapter 4.")
    future: FutureSettings = Field(default_factory=lambda: FutureSettings(), description="The study of chapter 5.")
    coding: CodingSettings = Field(
        default_factory=lambda: CodingSettings(), description="The study of the M.S. thesis."
    )
    kernels: KernelsSettings = Field(default_factory=lambda: KernelsSettings(), description="The study of UAI 2004.")
    ensembles: EnsemblesSettings = Field(
        default_factory=lambda: EnsemblesSettings(), description="The study of ensembles (2014)."
    )

    @field_validator("datasets", mode="before")
    @classmethod
    def _builtin_by_default(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        return {name: _with_kind(options) for name, options in value.items()}

    @model_validator(mode="before")
    @classmethod
    def _studies_know_labellers(cls, values: Any) -> Any:
        """Studies get the labellers, so that the settings of a job say everything about it."""
        if not (isinstance(values, Mapping) and values.get("labellers")):
            return values
        models = {study.name: cls.model_fields[study.name].annotation for study in registry()}
        given = {
            name: values.get(name) or {}
            for name, model in models.items()
            if "labellers" in model.model_fields  # type: ignore[union-attr]
        }
        studies = {
            name: {**study, "labellers": values["labellers"]}
            for name, study in given.items()
            if isinstance(study, Mapping)
        }
        return {**values, **studies}

    @model_validator(mode="before")
    @classmethod
    def _own_runs_measure_cost_on_purpose(cls, values: Any) -> Any:
        """The protocol's `cost`, below the file of a user, counts where that names its methods or a data set of it."""
        if not isinstance(values, Mapping) or values.get("profile") != "own":
            return values
        try:
            cost, training = values["cost"], values.get("training", {})
            names = {*cost.get("window_datasets", ()), *cost.get("sampling_datasets", ())}
            is_left_out = "methods" not in cost and names <= {*values["datasets"]} - {*training.get("datasets", ())}
        except (LookupError, TypeError, AttributeError):  # the fields say what is wrong
            return values
        left_out: dict[str, list[str]] = {key: [] for key in ("methods", "window_datasets", "sampling_datasets")}
        return {**values, "cost": {**cost, **left_out}} if is_left_out else values

    @model_validator(mode="after")
    def _labellers_have_names_of_their_own(self) -> Settings:
        taken = {*TRAINING, *TREATMENTS}
        for name in self.labellers:
            if name in taken:
                raise ValueError(f"labellers names {name!r}, which is a method of its own; choose another name")
        for study in registry():
            if getattr(getattr(self, study.name), "labellers", self.labellers) != self.labellers:
                raise ValueError(f"{study.name} has labellers of its own; move them to the labellers of all studies")
        return self

    @model_validator(mode="after")
    def _names_are_known(self) -> Settings:
        keys = [(study.name, job.datasets) for study in registry() for job in study.jobs if job.datasets]
        for study, key in keys:
            unknown = [name for name in getattr(getattr(self, study), key) if name not in self.datasets]
            if unknown:
                raise ValueError(
                    f"{study}.{key} names {unknown[0]!r}, which is not under datasets "
                    f"({listed(self.datasets, str)}); describe it there or leave it out"
                )
        return self

    @model_validator(mode="after")
    def _folders_differ(self) -> Settings:
        refuse_same({name: getattr(self, name) for name in ("raw", "results", "reports", "archives")})
        return self

    @model_validator(mode="after")
    def _portions_are_of_jobs(self) -> Settings:
        jobs = [(study.name, job) for study in registry() for job in study.jobs if job.n_stages]
        with_methods = {study for study, job in jobs if job.runs_over("methods")}
        alone = [f"{study}.{job.function}" for study, job in jobs if not job.runs_over("methods")]
        for name in self.portions:
            study, _, rest = name.partition(".")
            if not (name in alone or (study in with_methods and rest.count(".") == 1)):
                raise ValueError(
                    f"portions names {name!r}, which is no job that can be divided; give {', '.join(alone)}, or data "
                    f"set and method of {listed(sorted(with_methods), str)} as study.data_set.method"
                )
        return self

    @model_validator(mode="after")
    def _protocol_is_kept(self) -> Settings:
        unexplained = (
            [each for each in self.differences if not each.why] if self.profile in ("protocol", "extended") else []
        )
        for study, datasets, setting, protocol, used, _ in unexplained:
            place = ".".join([study, *datasets[:1], setting])
            raise ValueError(
                f"{place} is {quoted(used)} where the protocol has {quoted(protocol)}; name another profile (profile: "
                "own), or give the reason under reasons"
            )
        return self

    @property
    def decides_claims(self) -> bool:
        """Whether the results decide claims of the papers: those of a shortened protocol do not."""
        return self.profile not in UNDECIDING

    @property
    def may_concern_papers(self) -> bool:
        """Whether the run can be about papers: not the demo, nor a run of somebody's own methods or data alone."""
        is_own = all(isinstance(dataset, TableDataset) for dataset in self.datasets.values())
        return self.profile != "demo" and not self.labellers and not is_own

    @property
    def banner(self) -> str:
        """What stands above everything else on the pages of the run."""
        return " ".join(filter(None, (BANNERS.get(self.profile), self.note)))

    @property
    def differences(self) -> list[Difference]:
        """The settings that differ from the protocol."""
        return differences({study.name: getattr(self, study.name) for study in registry()}, self.reasons)


def config_parser(prog: str, description: str | None) -> argparse.ArgumentParser:
    """A parser with the option ``--config``, the files that `treecrf.io.files.read_configuration` reads."""
    parser = argparse.ArgumentParser(prog=prog, description=description)
    parser.add_argument(
        "--config",
        nargs="+",
        default=["config/config.yaml"],
        metavar="FILE",
        help="settings of the run, each file laid over those before",
    )
    return parser


def load_settings(mapping: object) -> Settings:
    """Check a configuration as read from YAML; anything but a mapping is refused.

    Raises
    ------
    ValueError
        One sentence that names the first wrong key, what is wrong with it, and what to do.
    """
    if not isinstance(mapping, Mapping):
        raise ValueError(f"configuration: holds {quoted(mapping)}, not keys with values; see config/README.md.")
    _check_values(mapping)
    try:
        return Settings.model_validate(dict(mapping))
    except ValidationError as error:
        raise ValueError(_sentence(error)) from None


def json_schema() -> str:
    """The JSON schema of the configuration, as text."""
    return json.dumps(Settings.model_json_schema(), indent=2) + "\n"


def _check_values(mapping: Mapping[Any, Any]) -> None:
    """Refuse what would stop a run later or never end: too much, too deep, and what JSON cannot hold."""
    waiting: list[tuple[tuple[Any, ...], Any]] = [((), mapping)]
    n_values = 0
    while waiting:
        names, value = waiting.pop()
        n_values += 1
        if n_values > _MOST_VALUES:
            raise ValueError(f"configuration: holds more than {_MOST_VALUES:,} values; leave some out.")
        problem = _problem_of(value) or ("is nested too deep" if len(names) > _MOST_LEVELS else None)
        if problem is not None:
            key = ".".join(name if isinstance(name, str) else quoted(name) for name in names)
            raise ValueError(
                f"configuration: {quoted(key)} holds {quoted(value)}, which {problem}; change it (config/README.md "
                "describes it)."
            )
        if isinstance(value, Mapping):
            waiting.extend(((*names, name), name) for name in value if isinstance(name, str))
            waiting.extend(((*names, name), inner) for name, inner in value.items())
        elif isinstance(value, list | tuple):
            waiting.extend(((*names, place), inner) for place, inner in enumerate(value))


def _problem_of(value: Any) -> str | None:
    if isinstance(value, str):
        return "has a control character" if _CONTROL.search(value) else None
    if isinstance(value, int) and abs(value) > _LARGEST:
        return f"is beyond {_LARGEST:,}"
    if isinstance(value, Mapping) and not all(isinstance(name, str) for name in value):
        return "has a key that is not text (put it in quotes)"
    is_plain = value is None or isinstance(value, int | float | list | tuple | Mapping)
    return None if is_plain else f"is of the type {type(value).__name__} (text needs quotes)"


def _with_kind(options: Any) -> Any:
    return {"kind": "builtin", **(options or {})} if options is None or isinstance(options, Mapping) else options


def _sentence(error: ValidationError) -> str:
    """The first of pydantic's errors; those that validators of settings raise are whole sentences already."""
    errors = error.errors()
    first = errors[0]
    key = ".".join(str(part) for part in first["loc"] if part not in ("builtin", "[key]"))
    others = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    if first["type"] == "value_error":
        return f"configuration: {quoted(key) + ' ' if key else ''}{first['ctx']['error']}{others}."
    value = "" if first["type"] in ("missing", "extra_forbidden") else f" ({quoted(first['input'])})"
    message = first["msg"][0].lower() + first["msg"][1:]
    return f"configuration: {quoted(key)}{value}: {message}; see config/README.md{others}."


# --- the protocol -----------------------------------------------------------------------------------


class Difference(NamedTuple):
    """A setting of a study that has another value than in the protocol.

    The data sets are those with this value; there are none where the study as a whole has it. `why` is empty without a
    reason.
    """

    study: str
    datasets: tuple[str, ...]
    setting: str
    protocol: Any
    used: Any
    why: str


def differences(studies: Mapping[str, Model], reasons: Mapping[str, str]) -> list[Difference]:
    """Where the studies that are run differ from the protocol, each value once.

    Parameters
    ----------
    studies : mapping of str to Model
        Settings by name of the study.
    reasons : mapping of str to str
        By ``study.data_set.setting``, ``study.setting``, ``study.data_set`` or ``study``; the first of these that is
        there holds.
    """
    differences: list[Difference] = []
    for study, given in studies.items():
        if not getattr(given, "is_wanted", True):
            continue
        alike: dict[tuple[str, str], list[Difference]] = {}
        for each in _of_study(study, given, reasons):
            alike.setdefault((each.setting, repr((each.protocol, each.used, each.why))), []).append(each)
        for same in alike.values():
            datasets = tuple(name for each in same for name in each.datasets)
            is_all = isinstance(given, StudySettings) and len(datasets) == len(given.datasets) > 1
            differences.append(same[0]._replace(datasets=() if is_all else datasets))
    return differences


def _of_study(study: str, given: Model, reasons: Mapping[str, str]) -> Iterator[Difference]:
    """One for each setting of the study as a whole and for each setting of each data set."""
    if not isinstance(given, StudySettings):
        yield from _between(study, (), type(given)(), given, set(type(given).model_fields), reasons)
        return
    protocol = type(given)(datasets=given.datasets)
    yield from _between(study, (), protocol, given, set(given.whole), reasons)
    for name in given.datasets:
        of_dataset = set(type(given).model_fields) - given.whole
        yield from _between(study, (name,), protocol.of(name), given.of(name), of_dataset, reasons)


def _between(
    study: str, datasets: tuple[str, ...], protocol: Model, given: Model, names: set[str], reasons: Mapping[str, str]
) -> Iterator[Difference]:
    before, now = protocol.model_dump(mode="json"), given.model_dump(mode="json")
    for name in type(given).model_fields:
        is_of_run = name in ("overrides", "labellers") or name.endswith("datasets")
        is_same = sorted(before[name]) == sorted(now[name]) if name == "methods" else before[name] == now[name]
        if name not in names or is_of_run or is_same:
            continue
        keys = [f"{study}.{dataset}.{name}" for dataset in datasets] + [f"{study}.{name}"]
        keys += [f"{study}.{dataset}" for dataset in datasets] + [study]
        why = next((reasons[key] for key in keys if key in reasons), "")
        yield Difference(study, datasets, name, before[name], now[name], why)


if __name__ == "__main__":
    print(json_schema(), end="")
