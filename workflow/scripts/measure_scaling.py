"""Measure how training and prediction cost grows with sequence length and number of features.

Outputs
-------
CSV, see `treecrf.studies.scaling.measure_scaling`
"""

from _job import job
from treecrf._scaling_settings import ScalingSettings
from treecrf.reporting.files import write_frame
from treecrf.studies.scaling import measure_scaling

with job(snakemake):
    write_frame(measure_scaling(ScalingSettings(**snakemake.params.settings)), snakemake.output[0])
