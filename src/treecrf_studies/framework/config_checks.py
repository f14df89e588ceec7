"""Checks of what a configuration names and pydantic cannot see: classes and their settings, files and their columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from treecrf.readers.reading import files_of
from treecrf_studies import datasets
from treecrf_studies.framework.settings import Settings, TableDataset
from treecrf_studies.options import custom_candidates


def table_options(dataset: TableDataset) -> dict[str, Any]:
    """Options of `treecrf_studies.datasets.load` for a table, but for the seed."""
    return dataset.model_dump(mode="json", exclude={"kind", "window"})


def class_problems(settings: Settings) -> Iterator[str]:
    """What is wrong with the classes of a user's own: a sentence for each one that cannot be imported or made."""
    from treecrf.models.custom import CustomLabeller

    for name, labeller in settings.labellers.items():
        try:
            for candidate in custom_candidates(labeller):
                CustomLabeller(labeller.class_name, {**labeller.settings, **candidate}).check()
        except Exception as error:  # of the user's own code
            yield f"configuration: 'labellers.{name}': {_sentence(error)}"


def file_problems(settings: Settings) -> Iterator[str]:
    """What is wrong with tables, as reading them shows: a sentence for each one; and with the folder of raw files."""
    for name, dataset in settings.datasets.items():
        if isinstance(dataset, TableDataset):
            try:
                datasets.load("table", seed=settings.seed, **table_options(dataset))
            except (ValueError, OSError) as error:
                yield f"configuration: 'datasets.{name}': {_sentence(error)}"
    if settings.mirror is not None and not Path(settings.mirror).is_dir():
        yield f"configuration: 'mirror': there is no folder {settings.mirror}; correct the path or leave it out."


def time_problems(settings: Settings, now: float) -> Iterator[str]:
    """Tables that are later than `now` (seconds since 1970): Snakemake fails where a result is older than its table."""
    tables = [(name, dataset) for name, dataset in settings.datasets.items() if isinstance(dataset, TableDataset)]
    for name, dataset in tables:
        for file in (
            file for path in (dataset.path, dataset.test) if path and Path(path).exists() for file in files_of(path)
        ):
            if Path(file).stat().st_mtime > now + 60:
                problem = f"{file} was changed in a time to come; correct the clock, or touch the file"
                yield f"configuration: 'datasets.{name}': {problem}."


def _sentence(error: Exception) -> str:
    """The first line of what an error says, or its kind."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
