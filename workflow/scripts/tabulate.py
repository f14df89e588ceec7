"""All tables of a study over all data sets.

Outputs
-------
Each table as CSV.
"""

from _job import find_study, job
from treecrf.io.files import read_frames, write_frame
from treecrf_studies.rendering.parts import flattened

with job(snakemake):
    frames = {name: read_frames(paths) for name, paths in snakemake.input.items()}
    layouts = find_study(snakemake.params.study).tabulate(snakemake.params.tables, frames)
    paths = [path for _, path in snakemake.output.items()]  # in the order of the calls
    for layout, path in zip(layouts.values(), paths, strict=True):
        write_frame(flattened(layout), path)
