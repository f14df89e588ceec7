"""Predictions of each direction alone in the example of section 5.1, and of both.

Outputs
-------
CSV, see `treecrf.studies.future.summary.one_directional_example`
"""

from _job import job
from treecrf.io.files import write_frame
from treecrf.studies.future.summary import one_directional_example

with job(snakemake):
    write_frame(one_directional_example(), snakemake.output[0])
