"""The guide to choosing a method, from the numbers of this run.

Outputs
-------
Markdown.
"""

from _job import find_study, job
from treecrf.io.files import read_frames, write_text

with job(snakemake):
    frames = {name: read_frames(paths) for name, paths in snakemake.input.items()}
    guide = find_study(snakemake.params.study).module("guide")
    write_text(
        guide.missing_values_guide(**frames, command="snakemake --cores 2 missing --configfile my.yaml"),
        snakemake.output[0],
    )
