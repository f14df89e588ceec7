"""Measure how training and prediction cost grows with sequence length and number of features.

Outputs
-------
CSV, see `treecrf.studies.cost.jobs.measure_scaling`
"""

from _job import job
from treecrf.io.files import write_frame
from treecrf.studies.cost.jobs import measure_scaling
from treecrf.studies.cost.settings import ScalingSettings

with job(snakemake):
    write_frame(measure_scaling(ScalingSettings(**snakemake.params.settings)), snakemake.output[0])
