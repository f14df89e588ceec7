"""The guide to choosing a method, from the numbers of this run.

Outputs
-------
Markdown.
"""

from _job import find_study, job
from treecrf.io.files import read_frames, write_text

COMMAND = "snakemake --cores 2 missing --configfile my.yaml"

with job(snakemake):
    guide = find_study(snakemake.params.study).module("guide")
    names = ("evaluations", "comparisons", "costs", "deviance")
    frames = [read_frames(snakemake.input[name]) for name in names]
    write_text(guide.missing_values_guide(*frames, command=COMMAND), snakemake.output[0])
