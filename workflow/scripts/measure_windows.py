"""Measure cost and accuracy by the size of the window on one data set.

Outputs
-------
CSV, see `treecrf.studies.cost.jobs.measure_windows`
"""

from _job import job
from treecrf.io.files import write_frame
from treecrf.sequences import SequenceSet
from treecrf.studies.cost.jobs import measure_windows
from treecrf.studies.cost.settings import ScalingSettings

with job(snakemake):
    frame = measure_windows(
        snakemake.wildcards.dataset,
        SequenceSet.load(snakemake.input.train),
        SequenceSet.load(snakemake.input.test),
        ScalingSettings(**snakemake.params.settings),
    )
    write_frame(frame, snakemake.output[0])
