"""Measure what sampling and influence trimming cost and gain on one data set.

Outputs
-------
CSV, see `treecrf.studies.cost.jobs.measure_sampling`
"""

from _job import job
from treecrf.io.files import write_frame
from treecrf.sequences import SequenceSet
from treecrf.studies.cost.jobs import measure_sampling
from treecrf.studies.cost.settings import ScalingSettings

with job(snakemake):
    frame = measure_sampling(
        snakemake.wildcards.dataset,
        SequenceSet.load(snakemake.input.train),
        SequenceSet.load(snakemake.input.test),
        tuple(snakemake.params.window),
        ScalingSettings(**snakemake.params.settings),
    )
    write_frame(frame, snakemake.output[0])
