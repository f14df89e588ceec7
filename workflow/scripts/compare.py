"""Comparison of this run with another one.

Outputs
-------
One HTML file that needs no other file and no network; beside it CSV, see
`treecrf_studies.report.comparing.write_comparison`.
"""

from pathlib import Path

from _job import job
from treecrf_studies.report.comparing import write_comparison

with job(snakemake, noted=False):
    other = Path(snakemake.input[1])
    folder = other.parent if other.name == "manifest.json" else other
    write_comparison(folder, snakemake.params.results, Path(snakemake.output[0]).parent)
