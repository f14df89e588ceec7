"""All tables of a study over all data sets.

Outputs
-------
Each table as HTML, CSV and LaTeX, and as JSON for the page.
"""

from _job import find_study, job
from treecrf.io.files import read_frames
from treecrf_studies.rendering.layouts import write_layout

with job(snakemake):
    frames = {name: read_frames(paths) for name, paths in snakemake.input.items()}
    layouts = find_study(snakemake.params.study).tabulate(snakemake.params.tables, frames)
    pages = [page for _, page in snakemake.output.items()]  # in the order of the calls
    for layout, page in zip(layouts.values(), pages, strict=True):
        write_layout(layout, page.removesuffix(".html"))
