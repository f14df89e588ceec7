"""Accuracy of one method for missing values on one data set at one rate, over damaged training and test sets.

Outputs
-------
counts : Parquet, one row per training set, test set and test sequence
choices : Parquet, chosen lambda and iteration per training set
costs : Parquet, CPU seconds per training set and phase
"""

from _job import job, pieces_of
from treecrf.io.files import write_frame
from treecrf.sequences import SequenceSet
from treecrf.studies.missing.jobs import evaluate_method
from treecrf.studies.missing.settings import MissingSettings

with job(snakemake):
    pieces = pieces_of(snakemake)
    outcome = evaluate_method(
        snakemake.wildcards.dataset,
        SequenceSet.load(snakemake.input.train),
        SequenceSet.load(snakemake.input.test),
        tuple(snakemake.params.window),
        float(snakemake.wildcards.rate),
        snakemake.wildcards.method,
        MissingSettings(datasets=[], **snakemake.params.settings),
        snakemake.params.seed,
        pieces,
    )
    for kind, frame in outcome._asdict().items():
        write_frame(frame, snakemake.output[kind])
pieces.clear()
