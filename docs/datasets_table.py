"""Writes the tables of data sets in datasets.md from the package's declarations and the raw files.

``make figures`` runs it. It needs the raw files, in ``data/raw`` or in the folder that ``TREECRF_MIRROR`` names.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from treecrf import SequenceSet
from treecrf.io.files import read_configuration, write_text
from treecrf_studies import datasets
from treecrf_studies.datasets.download import raw_files
from treecrf_studies.framework.settings import load_settings
from treecrf_studies.registry import registry

PAGE = Path(__file__).parent / "datasets.md"
CONFIGS = [PAGE.parent.parent / "config" / name for name in ("config.yaml", "extended.yaml")]
BEGIN, END = "<!-- data sets: begin -->", "<!-- data sets: end -->"
HEADS = ("data set", "content", "sequences", "positions", "labels", "inputs", "window", "studies")


def studies_of() -> dict[str, list[str]]:
    """Names of the studies that use a data set in the extended protocol, by the data set's name in the package."""
    settings = load_settings(read_configuration(CONFIGS))
    found: dict[str, list[str]] = {}
    for study in registry():
        keys = [job.datasets for job in study.jobs if job.datasets]
        for name in dict.fromkeys(name for key in keys for name in getattr(getattr(settings, study.name), key)):
            source = getattr(settings.datasets.get(name), "source", None) or name
            if study.name not in found.setdefault(source, []):
                found[source].append(study.name)
    return found


def inputs_of(data: SequenceSet) -> str:
    """How many categories and numbers an observation has."""
    sizes = [len(attribute.categories) for attribute in data.attributes]
    shown = f"{sizes[0]:,} categories" if len(sizes) == 1 else f"{len(sizes)} attributes" if sizes else ""
    numbers = f"{len(data.number_names)} numbers" if data.number_names else ""
    return ", ".join(part for part in (shown, numbers) if part)


def row(name: str, studies: list[str]) -> list[str]:
    """The cells of a data set: sizes of training and test set, of all documents where one is left out."""
    about = datasets.describe(name)
    parts = [datasets.documents(name)] if about.whole else list(datasets.load(name, **about.draw(0)))
    n_labels = len(np.unique(np.concatenate([part.labels for part in parts])))
    return [
        f"`{name}`",
        about.summary + (" (stand-in)" if about.stand_in else ""),
        " / ".join(f"{len(part):,}" for part in parts),
        " / ".join(f"{part.n_positions:,}" for part in parts),
        str(n_labels),
        inputs_of(parts[0]),
        "{}, {}".format(*about.window),
        ", ".join(studies) or "–",
    ]


def sources() -> Iterator[list[str]]:
    """The cells of each source of raw files: its data sets, number and bytes of files, and terms."""
    by_source: dict[str, list[str]] = {}
    for name in datasets.names():
        if datasets.describe(name).files:
            by_source.setdefault(datasets.describe(name).source, []).append(name)
    for source, names in by_source.items():
        files = {file for name in names for file in datasets.describe(name).files}
        citation, _, terms = source.rpartition("; ")
        yield [
            ", ".join(f"`{name}`" for name in names),
            citation or source,
            str(len(files)),
            f"{sum(raw_files()[file].bytes for file in files):,}",
            terms.replace("no terms", "none") if citation else "none stated",
        ]


def tables() -> str:
    """Both tables as Markdown."""
    used = studies_of()
    names = [name for name in datasets.names() if datasets.describe(name).kind != "table"]
    rows = [row(name, used.get(name, [])) for name in names]
    return f"{_markdown(HEADS, rows)}\n{_markdown(('data sets', 'source', 'files', 'bytes', 'terms'), sources())}"


def _markdown(heads, rows) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def page_with_tables(page: str) -> str:
    """The page with new tables between its markers."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{tables()}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    if "TREECRF_MIRROR" not in os.environ and not Path("data/raw").is_dir():
        raise SystemExit("datasets_table.py needs the raw files; set TREECRF_MIRROR or run make results first.")
    write_text(page_with_tables(PAGE.read_text(encoding="utf-8")), PAGE)
