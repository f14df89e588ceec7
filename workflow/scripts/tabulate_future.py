"""The tables of the study of future features over all data sets.

Outputs
-------
Each table as HTML, CSV and LaTeX.
"""

from _job import job
from treecrf.reporting.files import read_frames
from treecrf.reporting.future_tables import future_layouts
from treecrf.reporting.rendering import write_layout

with job(snakemake):
    layouts = future_layouts({name: read_frames(paths) for name, paths in snakemake.input.items()})
    for name, page in snakemake.output.items():
        write_layout(layouts[name], page.removesuffix(".html"))
