"""Accuracy of one lambda on the held-out folds of one training set.

Outputs
-------
Parquet: one row per fold, iteration and decoder.
"""

from _job import job
from treecrf.reporting.files import write_frame
from treecrf.sequences import SequenceSet
from treecrf.settings import TrainingSettings
from treecrf.studies.training import cross_validate

with job(snakemake.log[0]):
    folds = cross_validate(
        snakemake.wildcards.dataset,
        SequenceSet.load(snakemake.input.train),
        tuple(snakemake.params.window),
        float(snakemake.wildcards.l2),
        TrainingSettings(**snakemake.params.settings),
        snakemake.params.seed,
    )
    write_frame(folds, snakemake.output[0])
