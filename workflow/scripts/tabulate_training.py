"""The tables of the training study over all data sets.

Outputs
-------
Each table as HTML, CSV and LaTeX.
"""

from _job import job
from treecrf.io.files import read_frames
from treecrf.rendering.layouts import write_layout
from treecrf.studies.training.layouts import training_layouts

with job(snakemake):
    frames = {name: read_frames(paths) for name, paths in snakemake.input.items()}
    layouts = training_layouts(frames)
    for name, page in snakemake.output.items():
        write_layout(layouts[name], page.removesuffix(".html"))
