"""Measure cost and accuracy by the size of the window on one data set.

Outputs
-------
CSV, see `treecrf.studies.scaling.measure_windows`
"""

from _job import job
from treecrf._scaling_settings import ScalingSettings
from treecrf.reporting.files import write_frame
from treecrf.sequences import SequenceSet
from treecrf.studies.scaling import measure_windows

with job(snakemake):
    frame = measure_windows(
        snakemake.wildcards.dataset,
        SequenceSet.load(snakemake.input.train),
        SequenceSet.load(snakemake.input.test),
        ScalingSettings(**snakemake.params.settings),
    )
    write_frame(frame, snakemake.output[0])
