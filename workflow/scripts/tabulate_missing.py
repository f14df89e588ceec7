"""The tables of accuracy, cost and deviance of all methods, rates and data sets.

Outputs
-------
Each table as HTML, CSV and LaTeX.
"""

from _job import job
from treecrf.io.files import read_frames
from treecrf.rendering.layouts import write_layout
from treecrf.studies.missing import tables as missing_tables

with job(snakemake):
    layouts = (
        missing_tables.accuracy_layout(read_frames(snakemake.input.evaluations)),
        missing_tables.costs_layout(read_frames(snakemake.input.costs)),
        missing_tables.deviance_layout(read_frames(snakemake.input.deviance)),
    )
    for layout, page in zip(layouts, snakemake.output[:3], strict=True):
        write_layout(layout, page.removesuffix(".html"))
