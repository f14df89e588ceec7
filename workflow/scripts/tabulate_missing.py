"""The tables of accuracy, cost and deviance of all methods, rates and data sets.

Outputs
-------
Each table as HTML, CSV and LaTeX.
"""

from _job import job
from treecrf.reporting import missing_tables
from treecrf.reporting.files import read_frames
from treecrf.reporting.rendering import write_layout

with job(snakemake):
    layouts = (
        missing_tables.accuracy_layout(read_frames(snakemake.input.evaluations)),
        missing_tables.costs_layout(read_frames(snakemake.input.costs)),
        missing_tables.deviance_layout(read_frames(snakemake.input.deviance)),
    )
    for layout, page in zip(layouts, snakemake.output[:3], strict=True):
        write_layout(layout, page.removesuffix(".html"))
