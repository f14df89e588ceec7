"""The page that says which method for missing values to use when, from the numbers of this run.

Outputs
-------
Markdown.
"""

from _job import job
from treecrf.io.files import read_frames, write_text
from treecrf.studies.missing.guide import missing_values_guide

with job(snakemake):
    frames = {name: read_frames(paths) for name, paths in snakemake.input.items()}
    write_text(
        missing_values_guide(**frames, command="snakemake --cores 2 missing --configfile my.yaml"), snakemake.output[0]
    )
