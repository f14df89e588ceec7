"""The tables of the study of future features over all data sets.

Outputs
-------
Each table as HTML, CSV and LaTeX.
"""

from _job import job
from treecrf.io.files import read_frames
from treecrf.rendering.layouts import write_layout
from treecrf.studies.future.tables import future_layouts

with job(snakemake):
    layouts = future_layouts({name: read_frames(paths) for name, paths in snakemake.input.items()})
    for name, page in snakemake.output.items():
        write_layout(layouts[name], page.removesuffix(".html"))
