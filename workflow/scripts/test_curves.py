"""Accuracy of one lambda on one test set, from F = 0 and from perturbed starts.

Outputs
-------
curves : Parquet, one row per run, iteration and decoder
phases : Parquet, CPU seconds per run and phase of training
"""

from _job import job
from treecrf.reporting.files import write_frame
from treecrf.sequences import SequenceSet
from treecrf.settings import TrainingSettings
from treecrf.studies.training import test_curves

with job(snakemake.log[0]):
    curves, phases = test_curves(
        snakemake.wildcards.dataset,
        SequenceSet.load(snakemake.input.train),
        SequenceSet.load(snakemake.input.test),
        tuple(snakemake.params.window),
        float(snakemake.wildcards.l2),
        TrainingSettings(**snakemake.params.settings),
    )
    write_frame(curves, snakemake.output.curves)
    write_frame(phases, snakemake.output.phases)
