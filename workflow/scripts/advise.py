"""The guide to choosing a method, from the numbers of this run.

Outputs
-------
Markdown.
"""

from inspect import signature

from _job import find_study, job
from treecrf.io.files import read_frames, write_text

with job(snakemake):
    write_guide = find_study(snakemake.params.study).module("guide").missing_values_guide
    wanted = signature(write_guide).parameters
    frames = {name: read_frames(paths) for name, paths in snakemake.input.items() if name in wanted}
    write_text(
        write_guide(**frames, command="snakemake --cores 2 missing --configfile my.yaml"),
        snakemake.output[0],
    )
