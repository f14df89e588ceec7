"""Say what a run would do: ``python workflow/plan.py --cores N --configfile FILE``, from the folder of the Snakefile.

Builds Snakemake's graph of jobs, as its dry run does, and asks it which jobs are to run and why.
"""

from __future__ import annotations

import argparse
import logging
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from snakemake.api import SnakemakeApi
from snakemake.settings.types import ConfigSettings, DAGSettings, OutputSettings, Quietness, ResourceSettings

from treecrf.io.configuration import read_configuration
from treecrf.records.calibration import REFERENCE_SECONDS, kernel_seconds
from treecrf.records.jobs import factors, read_records, record_place
from treecrf.records.machine import machine, machine_id
from treecrf.report.computed_by import machine_text
from treecrf.report.planning.expected import expected
from treecrf.report.planning.jobs import ABSENT, BROKEN, FOLLOWS, Job, why_files, why_parameters
from treecrf.report.planning.plan import plan_text
from treecrf.studies.settings import load_settings

ROOT = Path(__file__).resolve().parents[1]
PUBLISHED = ROOT / "docs/results"
"""The snapshot of the run that was published."""


def jobs_of_run(configfiles: list[str], targets: list[str]) -> list[Job]:
    """The jobs of a run; empty, after Snakemake's message, where there is something wrong."""
    output = OutputSettings(
        dryrun=True,
        quiet={Quietness.RULES, Quietness.PROGRESS},
        log_level_override=logging.ERROR,
        enable_file_logging=False,
    )
    with SnakemakeApi(output) as api:
        try:
            run = api.workflow(
                resource_settings=ResourceSettings(cores=1),
                config_settings=ConfigSettings(configfiles=[Path(file) for file in configfiles]),
                snakefile=ROOT / "Snakefile",
            )
            # A run starts incomplete jobs again, as workflow/profiles/default says.
            run.dag(DAGSettings(targets=frozenset(targets), force_incomplete=True)).execute_workflow(executor="dryrun")
            return _jobs(run._workflow.dag)
        except Exception as error:
            api.print_exception(error)
            return []


def _jobs(dag: Any) -> list[Job]:
    """The jobs of a graph that run something."""
    names = {job: record_place(job.log[0])[1].removesuffix(".json") for job in dag.jobs if not job.is_norun}
    return [
        Job(
            name=name,
            rule=job.rule.name,
            dataset=job.wildcards_dict.get("dataset", ""),
            needs=tuple(names[other] for other in dag.dependencies[job] if other in names),
            is_done=not dag.needrun(job),
            why=_why(dag, job) if dag.needrun(job) else "",
            priority=int(job.priority) if dag.needrun(job) else 0,
            threads=job.threads,
            mem_mb=job.resources.get("mem_mb", 0),
        )
        for job, name in names.items()
    ]


def _why(dag: Any, job: Any) -> str:
    """Why a job is to run, from Snakemake's reason; the first that holds."""
    reason = dag.reason(job)
    study = job.params.get("study", job.rule.name)
    if reason.forced or reason.incomplete_output:  # nothing else is forced
        return BROKEN
    if reason.missing_output:
        return ABSENT
    if reason.params_changed:
        return why_parameters(study, reason.params_changed.only_old, reason.params_changed.only_new)
    if files := reason.updated_input - reason.updated_input_run:
        return why_files([str(file) for file in files])
    if reason.updated_input_run:
        return FOLLOWS
    if reason.input_changed:
        return f"other files are read for {study} than before"
    if reason.code_changed:
        return f"a file of workflow/scripts that {study} runs is newer than its results"
    return str(reason)


def factor_here(results: str) -> float | None:
    """The factor of this machine: as its jobs have measured it, else measured now."""
    known = factors(read_records(results)).get(machine_id())
    seconds = None if known else kernel_seconds()
    return known or (seconds and seconds / REFERENCE_SECONDS)


def free_bytes(folder: str) -> int:
    """Bytes that are free where a folder is or will be."""
    path = Path(folder).resolve()
    return shutil.disk_usage(next(place for place in (path, *path.parents) if place.exists())).free


def main() -> int:
    """Print the plan; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", help="studies or files; the whole page unless given")
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    parser.add_argument("--configfile", action="append", default=[])
    given = parser.parse_args()
    jobs = jobs_of_run(given.configfile, given.targets)
    if not jobs:
        return 1
    settings = load_settings(read_configuration(["config/config.yaml", *given.configfile]))
    factor = factor_here(settings.results)
    print(f"{machine_text(machine())}{f', factor {factor:.2f}' if factor else ''}.\n")
    print(
        plan_text(jobs, expected(jobs, settings, PUBLISHED, factor), given.cores, free_bytes(settings.results)), end=""
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
