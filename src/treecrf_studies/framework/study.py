"""The declaration of a study: its jobs, summaries, tables and figures, from which workflow, page and provenance
follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

from treecrf.io.files import resource, write_text

Call = tuple[str, str, Sequence[str], str, Mapping[str, bool]]
"""Of a table or figure: name of its file, function, frames, the value of what it is over, if anything, and keyword
arguments.
"""

JOIN = "+"
"""Between the methods that share a job, in the names of its files."""


@dataclass(frozen=True)
class Job:
    """One kind of job: a function of the study's ``jobs.py``, run once for each combination of the fields of its path.

    Attributes
    ----------
    function : str
        It takes a `treecrf_studies.framework.jobs.JobContext`.
    path : str
        Of its files below the study's results, with ``{frame}`` and a field for each thing that it runs over:
        ``{dataset}``, and ``{methods}``, which the function is called with one after another.
    frames : tuple of str
        What the function returns, in its order; a function with one frame returns it alone.
    verb : str
        First word of the rule's name.
    message : str
        What Snakemake says when the job starts.
    mem_mb, minutes : int
        Memory and time of the first attempt; kinds of jobs with more minutes begin first.
    datasets : str
        The setting that names its data sets; empty for a job without one.
    module : str
        The module that has the function.
    has_settings : bool
        Whether the function looks at settings.
    on_samples : bool
        Whether its data sets are larger samples of those of the study (`treecrf_studies.training.larger`).
    n_stages : int
        How often it calls `treecrf_studies.framework.jobs.JobCache.all_finished`: what other jobs may do
        beforehand.
    without : tuple of str
        Settings of the study that it does not look at, although they are those of a job: a change of them reruns
        nothing.
    """

    function: str
    path: str
    frames: tuple[str, ...]
    verb: str
    message: str
    mem_mb: int = 1000
    minutes: int = 30
    datasets: str = "datasets"
    module: str = "jobs"
    has_settings: bool = True
    on_samples: bool = False
    n_stages: int = 0
    without: tuple[str, ...] = ()

    def files(self) -> dict[str, str]:
        """Template of each frame's file, by frame."""
        return {frame: self.path.replace("{frame}", frame) for frame in self.frames}

    @property
    def portion(self) -> str:
        """Template of the file of a portion of a long job, with the fields ``{stage}`` and ``{portion}``."""
        return f"{self.path.partition('{frame}')[0]}{self.verb}_portion_{{stage}}_{{portion}}.zip"

    def runs_over(self, name: str) -> bool:
        """Whether the job runs once for each value of a field."""
        return f"{{{name}}}" in self.path


@dataclass(frozen=True)
class Summary:
    """The frames (CSV) that ``summary.py`` makes of the jobs of one data set, or of all; `settings` names those that it
    uses.

    A summary over all data sets says in `of` which frame of the jobs each of its own is made of.
    """

    frames: tuple[str, ...]
    of: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    message: str = "Compares the methods on {wildcards.dataset}"

    @property
    def of_dataset(self) -> bool:
        """Whether there is one for each data set."""
        return not self.of

    def source(self, name: str) -> str:
        """The frame of the jobs that a frame of a summary over all data sets is made of."""
        return self.of[self.frames.index(name)]


@dataclass(frozen=True)
class Shown:
    """A table or a figure.

    Attributes
    ----------
    name : str
        Of its files and, unless `caption` says otherwise, of its caption.
    place : (str, str, str)
        Section of Snakemake's report, item, and version: two versions of one item have a toggle between them. Unless a
        version is given, it is the kind.
    reference : str
        What it is called in a paper, such as "Figure 3.3a".
    over : str
        What there is one of each of: "method", "decoder", "baseline", "dataset"; empty for a single one.
    caption : str
    needs : tuple of str
        Frames that it shows.
    function : str
        The function of ``tables.py`` or ``figures.py`` that makes it, of the frames that it shows and the value of
        `over`: unless given, it has the name, and of a table ``_layout`` after it.
    only_papers : bool
        Whether it compares with what papers print, and only runs that may be about them have it.
    tells_papers : bool
        Whether the function has an argument `of_papers`: without it, it shows nothing of what papers print.
    """

    name: str
    place: tuple[str, ...]
    over: str = ""
    caption: str = ""
    needs: tuple[str, ...] = ()
    function: str = ""
    only_papers: bool = False
    tells_papers: bool = False
    reference: str = ""

    kind: ClassVar[str]
    suffix: ClassVar[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", (*self.place, self.kind)[:3])
        object.__setattr__(self, "function", self.function or self.name + self.suffix)

    def item(self, of_papers: bool) -> str:
        """What Snakemake's report calls it; with `of_papers` its reference stands first."""
        name = self.place[1]
        return f"{self.reference}: {name[0].lower()}{name[1:]}" if of_papers and self.reference else name

    def dataset(self, value: str) -> str:
        """The data set that a value of `over` is; empty where it is of something else."""
        return value if self.over == "dataset" else ""

    def files(self, values: Sequence[str]) -> dict[str, str]:
        """Value of `over` by the name of each file, without its suffix; below the folder of tables or figures."""
        if not self.over:
            return {self.name: ""}
        if self.over == "dataset":
            return {f"{value}/{self.name}": value for value in values}
        return {f"{self.name}_{value}": value for value in values}


class Table(Shown):
    """A layout that ``tables.py`` makes."""

    kind, suffix = "table", "_layout"


class Figure(Shown):
    """A picture that ``figures.py`` draws."""

    kind, suffix = "figure", ""


@dataclass(frozen=True)
class View:
    """What the explorer shows of a study and no frame has: a function of the study, of these frames."""

    function: str
    frames: tuple[str, ...]


BY_JOB = ("predictions", "counts")
"""Views whose first frame is large: it is read job by job."""


def _frames(part: str | View, view: str) -> tuple[str, ...]:
    frames = (part,) if isinstance(part, str) else part.frames
    return frames[1:] if view in BY_JOB else frames


@dataclass(frozen=True)
class Study:
    """A study: names only, so that importing one is cheap.

    Attributes
    ----------
    name : str
        Of its folder, its settings and its results.
    title : str
    jobs : tuple of Job
    summary : Summary
    tables : tuple of Table
    figures : tuple of Figure
    settings : str
        The class of its settings.
    compiles : str
        The study whose compiled routines its jobs need, which `warm_kernels` of that study's ``jobs.py`` compiles;
        itself unless given.
    within : str
        The study whose data sets alone its jobs run on; all unless given.
    draws : bool
        Whether it draws its own training, validation and test sets, several times.
    claimed : tuple of str
        Frames that claims are checked against: those that they read, and no others.
    phases : str
        Path of the files of a data set with columns method, cpu_seconds and perhaps phase; it may have the field
        ``{methods}``.
    phases_note : str
        What these seconds are those of.
    views : mapping of str to tuple of (str or View)
        What the explorer shows of it: frames by the view (`treecrf_studies.framework.views.VIEWS`) whose columns they
        have, or what has to be computed of frames.
    names : str
        The function from a method to its name for readers, in a module of the study or by its full name.
    conditions : str
        The function from a frame to a text on each row: under which condition, such as a window; none unless given.
    repeated : str
        What is repeated: what the numbers in the column draw of frames count.
    tested : str
        What the tests between methods permute or resample, in a sentence.
    references : tuple of str
        Methods that are no competitors, such as a generator's own model: neither ranked nor tested.
    """

    name: str
    title: str
    jobs: tuple[Job, ...]
    summary: Summary
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    settings: str = ""
    compiles: str = ""
    within: str = ""
    draws: bool = False
    claimed: tuple[str, ...] = ()
    phases: str = ""
    phases_note: str = ""
    views: Mapping[str, tuple[str | View, ...]] = field(default_factory=dict)
    names: str = ""
    conditions: str = ""
    repeated: str = "draw"
    tested: str = ""
    references: tuple[str, ...] = ()

    @property
    def tabulated(self) -> tuple[str, ...]:
        """Frames that the tables show."""
        return tuple(dict.fromkeys(name for table in self.tables for name in table.needs))

    @property
    def explored(self) -> tuple[str, ...]:
        """Frames that the views need, without those that are read job by job."""
        names = [name for view, parts in self.views.items() for part in parts for name in _frames(part, view)]
        return tuple(dict.fromkeys(names))

    @property
    def shown_by(self) -> tuple[str, ...]:
        """The functions of the study that the views call."""
        computed = [part.function for parts in self.views.values() for part in parts if isinstance(part, View)]
        return tuple(filter(None, [self.names, self.conditions, *computed]))

    def tabulate(self, calls: Iterable[Call], frames: Mapping[str, Any]) -> dict[str, Any]:
        """The layouts of tables by the names of their files, where there are the frames that they show."""
        tables = self.module("tables")
        return {
            name: getattr(tables, function)(*(frames[need] for need in needs), *([value] if value else []), **options)
            for name, function, needs, value, options in calls
            if frames.keys() >= set(needs)
        }

    def module_name(self, part: str) -> str:
        """Full name of one of the study's modules."""
        return f"treecrf_studies.{self.name}.{part}"

    def full_name(self, function: str) -> str:
        """Full name of a function in the study's folder ("summary.make_frames"); of others it is given."""
        return function if function.startswith(("treecrf.", "treecrf_studies.")) else self.module_name(function)

    def function(self, name: str) -> Any:
        """The function with this full name (`full_name`)."""
        module, _, function = self.full_name(name).rpartition(".")
        return getattr(import_module(module), function)

    def module(self, part: str) -> ModuleType:
        """One of the study's modules: settings, jobs, summary, tables, figures, claims, page."""
        return import_module(self.module_name(part))

    def caption(self, name: str, of_papers: bool = True) -> str:
        """The text of a caption (reStructuredText without markup but ``literals``).

        Without `of_papers` it has no word about papers: of those captions that are mappings it is ``text`` alone, to
        which ``papers`` adds.
        """
        return _text(_texts(self.name, "captions")[name], of_papers)

    def write_captions(self, folder: Path, of_papers: bool = True) -> None:
        """Write each caption to a file of its own, as Snakemake's report reads them; files that are up to date stay."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in _texts(self.name, "captions"):
            path, text = folder / f"{name}.rst", self.caption(name, of_papers)
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                write_text(text, path)

    def limitations(self, of_papers: bool = True) -> list[str]:
        """What the results do not show, a sentence each; `of_papers` adds those of the comparison with the papers."""
        texts = _texts(self.name, "limitations")
        return [*texts["text"], *(texts["papers"] if of_papers else ())]


@cache
def _texts(study: str, name: str) -> dict[str, Any]:
    import yaml  # importing a study is cheap

    return dict(yaml.safe_load(resource(f"treecrf_studies.{study}", f"{name}.yaml")))


def _text(text: str | Mapping[str, str], of_papers: bool) -> str:
    if isinstance(text, str):
        return text
    return f"{text['text']} {text['papers']}" if of_papers else text["text"]


def combinations(path: str, values: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """A path with each combination of the values of its fields filled in."""
    names = [name for name in values if f"{{{name}}}" in path]
    for chosen in product(*(values[name] for name in names)):
        filled = path
        for name, value in zip(names, chosen, strict=True):
            filled = filled.replace(f"{{{name}}}", str(value))
        yield filled


OVER_DRAWS = "Differences between methods are tested by the corrected resampled t test over the draws."

OVER_DRAWS_OR_GROUPS = f"{OVER_DRAWS[:-1]}; with one draw, by a t test over groups of related test sequences."
