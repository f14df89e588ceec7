"""Results to look at without running anything: tables, figures and provenance of a run, as files to commit.

``python -m treecrf.report.snapshot`` writes them from a finished run of ``config/config.yaml``.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from treecrf.io.configuration import read_configuration
from treecrf.io.files import read_json, write_frame, write_json, write_text
from treecrf.rendering.layouts import to_markdown
from treecrf.rendering.markdown import figure_markdown, study_markdown, table_markdown
from treecrf.rendering.parts import Figure, Study, Table
from treecrf.report import evidence, provenance
from treecrf.report.ledger import BY_RULE, CLAIMS, read_ledger
from treecrf.report.ledger_page import ledger_fragment, ledger_summary
from treecrf.report.page import studies, unfinished
from treecrf.report.rules import CAPTION, NOTE, rules_layout
from treecrf.studies.settings import Settings, load_settings

BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"
"""What stands before and after the part of README.md that the snapshot writes."""

SUMMARY = "readme.md"
"""The part of README.md, with links from the snapshot's own folder."""


def write_snapshot(settings: Settings, folder: str | os.PathLike[str], today: datetime.date) -> None:
    """Write the results of a run to `folder`, in place of what is there.

    Parameters
    ----------
    settings : Settings
        Where the results are, and every setting.
    folder : path-like
        ``index.md``, a page per study with a folder of its tables (CSV) and figures, ``claims.md`` and ``claims.csv``, what
        they rest on (`treecrf.report.evidence`), ``provenance.json``, and `SUMMARY`.
    today : date

    Raises
    ------
    ValueError
        If no study has results.
    """
    results, final = Path(settings.results), Path(folder)
    shown = studies(settings, results)
    if not shown:
        raise ValueError(f"{results}: no study is finished there; run `make results` first.")
    new = final.with_name(f"{final.name}.{os.getpid()}.tmp")
    try:
        _write_parts(settings, shown, new, today)
        shutil.rmtree(final, ignore_errors=True)
        new.rename(final)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def readme_with_results(readme: str, folder: Path, link: str) -> str:
    """The text of README.md with its part taken from the snapshot in `folder`.

    Parameters
    ----------
    readme : str
        Has `BEGIN` and `END`, each on a line of its own.
    folder : Path
        Of the snapshot; where it is not there, the part is empty.
    link : str
        The way from README.md to that folder.

    Raises
    ------
    ValueError
        If the markers are not there.
    """
    if BEGIN not in readme or END not in readme:
        raise ValueError(f"README.md: the lines {BEGIN} and {END} are not there; put them where results are to stand.")
    file = folder / SUMMARY
    part = file.read_text(encoding="utf-8") if file.is_file() else ""
    part = re.sub(r"\]\((?!https?:)", f"]({link}/", part)
    before, _, rest = readme.partition(BEGIN)
    return f"{before}{BEGIN}\n{part}{END}{rest.partition(END)[2]}"


# --- parts ------------------------------------------------------------------------------------------


def _write_parts(settings: Settings, shown: Sequence[Study], folder: Path, today: datetime.date) -> None:
    results = Path(settings.results)
    claims, by_rule = read_ledger(results)
    for study in shown:
        write_text(study_markdown(study, folder), folder / f"{study.identifier}.md")
    write_frame(claims, folder / CLAIMS)
    write_frame(by_rule, folder / BY_RULE)
    write_text(_claims(claims, by_rule), folder / "claims.md")
    evidence.write_evidence(settings, folder / evidence.FOLDER)
    _write_provenance(settings, results, folder, today)
    write_text(_index(settings, shown, claims, folder), folder / "index.md")
    write_text(_summary(shown[0], claims, folder), folder / SUMMARY)


def _claims(claims: pd.DataFrame, by_rule: pd.DataFrame) -> str:
    """The ledger, and its verdicts under other rules."""
    rules = f"## {CAPTION}\n\n{' '.join(NOTE.split())}\n\n{to_markdown(rules_layout(claims, by_rule))}"
    return f"# Claims of the papers\n\n{ledger_fragment(claims, by_rule)}\n\n{rules}"


def _index(settings: Settings, shown: Sequence[Study], claims: pd.DataFrame, folder: Path) -> str:
    """The page to start from: the main results, then the first figure and table of each study."""
    origin = read_json(folder / "provenance.json")
    parts = [
        f"# Results\n\nComputed by `make results` and written by `make snapshot` on {origin['date']}, code at commit "
        f"`{origin['commit']}`, on {origin['machine']}. Settings, seeds, versions, CPU time and checksums of the raw "
        "files: [provenance.json](provenance.json).\n\n",
        *(f"- [{study.title}]({study.identifier}.md): {study.headline}\n" for study in shown),
        f"- [Claims of the papers](claims.md): {ledger_summary(claims)}\n\n",
        f"{evidence.about_evidence()}\n\n",
    ]
    absent = unfinished(settings, Path(settings.results))
    if absent:
        parts.append(f"Not in these results: {', '.join(absent)}.\n\n")
    for study in shown:
        parts.append(f"## {study.title}\n\n{_first(study, folder)}[All tables and figures]({study.identifier}.md)\n\n")
    costs = origin["cpu_time"]
    if costs:
        parts.append(f"## CPU time\n\n{to_markdown(provenance.study_costs(pd.DataFrame(costs)))}")
    return "".join(parts)


def _summary(study: Study, claims: pd.DataFrame, folder: Path) -> str:
    """What README.md shows: the sentence, figure and table of the first study, and the ledger's counts."""
    counts = f"[{ledger_summary(claims)}](claims.md) [All results](index.md)"
    return f"{study.headline}\n\n{_first(study, folder)}{counts}\n"


def _first(study: Study, folder: Path) -> str:
    """The first figure and the first table of a study."""
    parts = [part for section in study.sections for part in section.parts]
    place = folder / study.identifier
    figure = next((figure_markdown(part, place) for part in parts if isinstance(part, Figure)), "")
    return figure + next((table_markdown(part, place) for part in parts if isinstance(part, Table)), "")


def _write_provenance(settings: Settings, results: Path, folder: Path, today: datetime.date) -> None:
    frames = {
        "versions": provenance.versions(),
        "seeds": provenance.seeds(settings),
        "raw_files": provenance.raw_checksums(settings),
        "cpu_time": provenance.job_costs(results / "benchmarks", provenance.used_datasets(settings)),
        "cpu_seconds_by_phase": provenance.phase_costs(results, settings),
    }
    origin = {
        "date": today.isoformat(),
        "commit": provenance.commit(),
        "machine": provenance.machine(),
        "settings": provenance.used_settings(settings),
    }
    # Through JSON text: pandas knows how to write its own values, and a phase that a method lacks is null, not NaN.
    write_json(
        origin | {name: json.loads(frame.to_json(orient="records")) for name, frame in frames.items()},
        folder / "provenance.json",
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """The command ``python -m treecrf.report.snapshot``."""
    parser = argparse.ArgumentParser(prog="python -m treecrf.report.snapshot", description=__doc__)
    parser.add_argument("--config", default="config/config.yaml", help="settings of the run (default: %(default)s)")
    parser.add_argument("--folder", default="docs/results", help="where to write (default: %(default)s)")
    parser.add_argument("--readme", default="README.md", help="file whose part is rewritten (default: %(default)s)")
    given = parser.parse_args(arguments)
    try:
        settings = load_settings(read_configuration([given.config]))
        readme, folder = Path(given.readme), Path(given.folder)
        readme_with_results(text := readme.read_text(encoding="utf-8"), folder, "")
        write_snapshot(settings, folder, datetime.datetime.now(tz=datetime.UTC).date())
        link = Path(os.path.relpath(folder, readme.parent)).as_posix()
        write_text(readme_with_results(text, folder, link), readme)
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    print(f"The results are in {folder}/index.md; {readme} shows the first of them.")


if __name__ == "__main__":
    main()
