"""Results to look at without running anything: tables, figures and provenance of a run, as files to commit.

``python -m treecrf.report.snapshot`` writes them from a run of ``config/config.yaml``: studies that the run has finished take
the place of what was there of them, others stay as they are.
"""

from __future__ import annotations

import argparse
import datetime
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from treecrf.io.files import read_configuration, write_frame, write_text
from treecrf.rendering.layouts import to_markdown
from treecrf.report import evidence, provenance
from treecrf.report.ledger import BY_RULE, CLAIMS, verdicts, verdicts_by_rule
from treecrf.report.ledger_page import ledger_fragment, ledger_summary
from treecrf.report.page import studies
from treecrf.report.rules import CAPTION, NOTE, rules_layout
from treecrf.report.study_part import PROVENANCE, StudyPart, keep_part, read_parts, write_part
from treecrf.studies import registry
from treecrf.studies.framework.settings import BANNERS, Settings, load_settings


def write_snapshot(settings: Settings, folder: str | os.PathLike[str], today: datetime.date) -> None:
    """Write the results of a run to `folder`; of studies that the run has no results of, what is there stays.

    Parameters
    ----------
    settings : Settings
        Where the results are, and every setting.
    folder : path-like
        Of each study a page, a folder with its tables (CSV), its figures and where they come from
        (`treecrf.report.study_part`), and what its claims rest on (`treecrf.report.evidence`); of all of them ``index.md``,
        ``claims.md`` and ``claims.csv``.
    today : date

    Raises
    ------
    ValueError
        If no study has results, or the profile of the run decides no claim.
    """
    if settings.profile in BANNERS:
        raise ValueError(
            f"{settings.results}: the run has the profile {settings.profile!r}, which decides no claim; run `make results`."
        )
    results, final = Path(settings.results), Path(folder)
    shown = {study.identifier: study for study in studies(settings, results)}
    if not shown:
        raise ValueError(f"{results}: no study is finished there; run `make results` first.")
    new, old = (final.with_name(f"{final.name}.{os.getpid()}.{suffix}") for suffix in ("tmp", "old"))
    try:
        for study in registry():
            if study.name in shown:
                write_part(study, shown[study.name], settings, new, today)
            else:
                keep_part(study, final, new)
        write_shared(new)
        if final.exists():
            final.rename(old)
        new.rename(final)
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def write_guides(settings: Settings, folder: str | os.PathLike[str]) -> None:
    """Copy the guides that a run has written among its reports to `folder`."""
    for study in registry():
        written = Path(settings.reports) / study.guide
        if study.guide and written.exists():
            write_text(written.read_text(encoding="utf-8"), Path(folder) / study.guide)


def write_shared(folder: Path) -> None:
    """Write what the snapshot in `folder` says of all studies from its parts: the ledger and ``index.md``."""
    parts = read_parts(folder)
    claims, by_rule = verdicts(folder / evidence.FOLDER), verdicts_by_rule(folder / evidence.FOLDER)
    write_frame(claims, folder / CLAIMS)
    write_frame(by_rule, folder / BY_RULE)
    write_text(_claims(claims, by_rule), folder / "claims.md")
    write_text(_index(parts, claims), folder / "index.md")


# --- parts ------------------------------------------------------------------------------------------


def _claims(claims: pd.DataFrame, by_rule: pd.DataFrame) -> str:
    """The ledger, and its verdicts under other rules."""
    rules = f"## {CAPTION}\n\n{' '.join(NOTE.split())}\n\n{to_markdown(rules_layout(claims, by_rule))}"
    return f"# Claims of the papers\n\n{ledger_fragment(claims, by_rule)}\n\n{rules}"


def _index(parts: Sequence[StudyPart], claims: pd.DataFrame) -> str:
    """The page to start from: the main results, then origin, first figure and first table of each study."""
    texts = [
        "# Results\n\nComputed by `make results` and written by `make snapshot`. Each study says below which run it is from.\n\n",
        *(f"- [{part.study.title}]({part.study.name}.md): {part.origin['headline']}\n" for part in parts),
        f"- [Claims of the papers](claims.md): {ledger_summary(claims)}\n\n",
        f"{evidence.about_evidence()}\n\n",
    ]
    if absent := _absent(parts):
        texts.append(f"Not in these results: {'; '.join(absent)}.\n\n")
    for part in parts:
        pages = f"[All tables and figures]({part.study.name}.md)"
        texts.append(f"## {part.study.title}\n\n{_origin(part)}\n\n{part.first}{pages}\n\n")
    costs = pd.DataFrame([row for part in parts for row in part.origin["cpu_time"]])
    if len(costs):
        # Studies share the jobs that prepare their data.
        layout = provenance.study_costs(costs.drop_duplicates(["study", "step", "data set"]))
        texts.append(f"## CPU time\n\n{to_markdown(layout)}")
    return "".join(texts)


def _absent(parts: Sequence[StudyPart]) -> list[str]:
    """Studies that there is nothing of, and the data sets that others lack."""
    unfinished = {part.study.name: part.origin["unfinished"] for part in parts}
    lacks = {study.title: unfinished.get(study.name, ["all"]) for study in registry()}
    return [f"{', '.join(names)} of {title}" for title, names in lacks.items() if names]


def _origin(part: StudyPart) -> str:
    """Where the numbers of a study come from."""
    origin = part.origin
    return (
        f"Written on {origin['date']}, code at commit `{origin['commit']}`, on {origin['machine']}. Settings, seeds, versions, "
        f"CPU time and checksums of the raw files: [{PROVENANCE}]({part.study.name}/{PROVENANCE})."
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """The command ``python -m treecrf.report.snapshot``."""
    parser = argparse.ArgumentParser(prog="python -m treecrf.report.snapshot", description=__doc__)
    parser.add_argument("--config", default="config/config.yaml", help="settings of the run (default: %(default)s)")
    parser.add_argument(
        "--folder", default="docs/results", help="where to write; guides go to the folder above (default: %(default)s)"
    )
    given = parser.parse_args(arguments)
    try:
        settings = load_settings(read_configuration([given.config]))
        write_snapshot(settings, given.folder, datetime.datetime.now(tz=datetime.UTC).date())
        write_guides(settings, Path(given.folder).parent)
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    print(f"The results are in {given.folder}/index.md.")


if __name__ == "__main__":
    main()
