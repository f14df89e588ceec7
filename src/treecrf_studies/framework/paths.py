"""The files of a study under given settings: those of its jobs, summaries, tables and figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, product
from pathlib import Path
from typing import Any

from treecrf_studies.framework.settings import Settings
from treecrf_studies.framework.study import JOIN, Call, Job, Shown, Study, combinations

TABLE_SUFFIXES, FIGURE_SUFFIXES = (".csv",), (".svg", ".pdf", ".png")
"""Of the files that a table and a figure are written to."""


class StudyFiles:
    """The files of a study under a configuration, relative to the working directory."""

    def __init__(self, study: Study, settings: Settings) -> None:
        self.study = study
        self.settings = getattr(settings, study.name)
        self.folder = f"{settings.results}/{study.name}"
        self._data = self.folder if study.draws else f"{settings.results}/data"
        self._within = getattr(settings, study.within).datasets if study.within else list(settings.datasets)
        self._sources = {name: getattr(dataset, "source", None) for name, dataset in settings.datasets.items()}
        self._of_papers = settings.may_concern_papers
        self._methods_per_job, self._n_portions = settings.methods_per_job, settings.portions

    def datasets(self, job: Job) -> list[str]:
        """The data sets that a kind of job runs on, as far as the study that it stays within has them too."""
        names: list[str] = getattr(self.settings, job.datasets) if job.datasets else []
        return [name for name in names if name in self._within]

    def all_datasets(self) -> list[str]:
        """The data sets of all jobs, each once."""
        return list(dict.fromkeys(name for job in self.study.jobs for name in self.datasets(job)))

    def distinct_datasets(self) -> list[str]:
        """Those that are not another one of the study with other folds or options."""
        names = self.all_datasets()
        return [name for name in names if self._sources.get(name) not in names]

    def is_finished(self, dataset: str) -> bool:
        """Whether the summary of a data set is there; always where one summary is of all.

        A data set that the study does not summarise, such as a larger sample, is finished with its jobs.
        """
        if not self.study.summary.of_dataset:
            return True
        if dataset not in self.settings.datasets:
            return all(Path(path).is_file() for paths in self.outcomes(dataset).values() for path in paths)
        return all(Path(self.folder, dataset, f"{name}.csv").is_file() for name in self.study.summary.frames)

    def finished(self) -> list[str]:
        """The data sets that are finished, those that the study summarises where it does one by one."""
        summarised = self.settings.datasets if self.study.summary.of_dataset else self.all_datasets()
        return [name for name in self.all_datasets() if name in summarised and self.is_finished(name)]

    def unfinished(self) -> list[str]:
        """The data sets without all results."""
        return [name for name in self.all_datasets() if not self.is_finished(name)]

    def computed(self) -> list[str]:
        """The finished data sets and their larger samples; all of a study that has one summary of all."""
        if not self.study.summary.of_dataset:
            return self.all_datasets()
        return [name for each in self.finished() for name in (each, *self.settings.samples_of(each))]

    def batches(self, dataset: str, job: Job | None = None) -> list[str]:
        """The methods that share a job on a data set, joined; on a larger sample each has its own."""
        if job is not None and job.on_samples:
            return [str(method) for method in self.settings.larger_methods_on(dataset)]
        return [JOIN.join(batch) for batch in self.settings.of(dataset).batches(self._methods_per_job)]

    def outcomes(self, dataset: str) -> dict[str, list[str]]:
        """The files of all jobs on one data set, by frame."""
        return {
            frame: list(combinations(f"{self.folder}/{path}", self._values(job, dataset)))
            for job in self.study.jobs
            if dataset in self.datasets(job)
            for frame, path in job.files().items()
        }

    def summed_up(self, dataset: str) -> dict[str, list[str]]:
        """The files that the summary of a data set is made of, by frame: its own outcomes and those of its larger
        samples.
        """
        files = self.outcomes(dataset)
        for sample in self.settings.samples_of(dataset):
            for frame, paths in self.outcomes(sample).items():
                files[frame] = [*files.get(frame, ()), *paths]
        return files

    def shared(self) -> dict[str, list[str]]:
        """The files of jobs without a data set, by frame."""
        jobs = [job for job in self.study.jobs if not job.runs_over("dataset")]
        return {frame: [f"{self.folder}/{path}"] for job in jobs for frame, path in job.files().items()}

    def n_portions(self, job: Job, wildcards: Mapping[str, str]) -> int:
        """Number of portions of a job that other jobs do beforehand."""
        place = [wildcards[name] for name in ("dataset", "methods") if job.runs_over(name)] or [job.function]
        return self._n_portions.get(".".join([self.study.name, *place]), 0) if job.n_stages else 0

    def portions(self, job: Job, wildcards: Mapping[str, str], stages: int) -> list[str]:
        """The files of the portions of the first stages of a long job."""
        numbers = product(range(stages), range(self.n_portions(job, wildcards)))
        template = f"{self.folder}/{job.portion}"
        return [template.format(**wildcards, stage=stage, portion=portion) for stage, portion in numbers]

    def choice(self, dataset: str, method: str) -> str:
        """The file with the choice of a method on a data set."""
        (path,) = (job.files()["choice"] for job in self.study.jobs if "choice" in job.frames)
        batch = next((batch for batch in self.batches(dataset) if method in batch.split(JOIN)), method)
        return f"{self.folder}/{path.format(dataset=dataset, methods=batch)}"

    def measured(self) -> dict[str, list[str]]:
        """The files of all jobs on all data sets, by frame; of jobs without a data set, those of a study that runs."""
        files: dict[str, list[str]] = {}
        for job in self.study.jobs:
            for frame, path in job.files().items():
                if job.runs_over("dataset"):
                    files[frame] = [file for name in self.datasets(job) for file in self.outcomes(name)[frame]]
                else:
                    files[frame] = [f"{self.folder}/{path}"] if self.settings.is_wanted else []
        return files

    def frames(self, names: Iterable[str]) -> dict[str, list[str]]:
        """The files of frames over all data sets; those that there are none of are left out."""
        return {name: paths for name in names if (paths := self.paths(name))}

    def paths(self, name: str, datasets: Sequence[str] | None = None) -> list[str]:
        """The files of a summary (CSV), or of jobs without one, over all data sets or some; an empty name among these
        stands for jobs without a data set.
        """
        summary = self.study.summary
        if name in summary.frames and summary.of_dataset:
            wanted = self.settings.datasets if datasets is None else filter(None, datasets)
            return [f"{self.folder}/{dataset}/{name}.csv" for dataset in wanted]
        if name in summary.frames:
            return [f"{self.folder}/{name}.csv"] if self.measured()[summary.source(name)] else []
        if datasets is None:
            return self.measured()[name]
        jobs = [self.outcomes(dataset) if dataset else self.shared() for dataset in datasets]
        return [path for files in jobs for path in files.get(name, ())]

    def claimed(self) -> list[str]:
        """The files (CSV) that claims read: summaries of data sets, or measurements where a summary joins all of
        them.
        """
        joined = not self.study.summary.of_dataset
        files = self.measured() if joined else self.frames(self.study.claimed)
        return [path for name in self.study.claimed for path in files.get(name, ())]

    def sets(self, dataset: str) -> dict[str, list[str]]:
        """The files of the sequences of a data set, by side; of a study that draws its own, those of all draws."""
        folder = f"{self._data}/{dataset}"
        if not self.study.draws:
            return {side: [f"{folder}/{side}.npz"] for side in ("train", "test")}
        seeds = range(self.settings.of(dataset).n_seeds)
        return {
            side: [f"{folder}/seed_{seed}.{side}.npz" for seed in seeds] for side in ("train", "validation", "test")
        }

    def descriptions(self) -> list[str]:
        """The files that say what the data sets are."""
        return [f"{self._data}/{name}/description.json" for name in self.all_datasets()]

    def shown(self, entries: Iterable[Shown]) -> dict[str, tuple[Shown, str]]:
        """Tables or figures that there is something for: entry and value of what it is over, by the file's name.

        One that needs no frames is for a study that runs; one that is only of papers is left out where the run is about
        none.
        """
        return {
            name: (entry, value)
            for entry in entries
            if (self._of_papers or not entry.only_papers)
            if (len(self.frames(entry.needs)) == len(entry.needs) if entry.needs else self.settings.is_wanted)
            for name, value in entry.files(self.settings.values(entry.over) if entry.over else ()).items()
        }

    def calls(self, entries: Iterable[Shown] | None = None) -> list[Call]:
        """What makes the tables, or other entries, that there is something for."""
        shown = self.shown(self.study.tables if entries is None else entries)
        options = {"of_papers": self._of_papers}
        return [
            (name, entry.function, entry.needs, value, options if entry.tells_papers else {})
            for name, (entry, value) in shown.items()
        ]

    def tables(self, *suffixes: str) -> list[str]:
        """The files of the tables that end in these suffixes."""
        return [f"{self.folder}/tables/{name}{suffix}" for name in self.shown(self.study.tables) for suffix in suffixes]

    def figures(self, *suffixes: str) -> list[str]:
        """The files of the figures that end in these suffixes."""
        return [f"{self.folder}/{name}{suffix}" for name in self.shown(self.study.figures) for suffix in suffixes]

    def results(self) -> list[str]:
        """What the study ends in: pages of its tables, pictures of its figures."""
        return self.tables(".csv") + self.figures(".svg")

    def by_kind(self) -> dict[str, list[str]]:
        """All files of the study that stay, by what they are: sets, what jobs measured and summaries, tables, figures.

        Each is in the folder of the study or of all data, in that of its data set if it is of one; tables are in a
        folder of their own within that of the study.
        """
        sets = [paths for name in self.all_datasets() for paths in self.sets(name).values()]
        frames = [*self.measured().values(), *self.frames(self.study.summary.frames).values()]
        return {
            "data": list(chain.from_iterable(sets)),
            "frame": list(chain.from_iterable(frames)),
            "description": self.descriptions(),
            "table": self.tables(*TABLE_SUFFIXES),
            "figure": self.figures(*FIGURE_SUFFIXES),
        }

    def everything(self) -> list[str]:
        """All files of the study that stay."""
        return list(dict.fromkeys(chain.from_iterable(self.by_kind().values())))

    def _values(self, job: Job, dataset: str) -> Mapping[str, Sequence[Any]]:
        return {"dataset": [dataset], "methods": self.batches(dataset, job) if job.runs_over("methods") else ()}
