"""Choose, train and test one method on one data set.

Outputs
-------
folds, choice, curves, predictions, phases, notes : Parquet, see `treecrf.studies.training.jobs.Outcome`
"""

import pandas as pd

from _job import job, pieces_of
from treecrf.io.files import write_frame
from treecrf.sequences import SequenceSet
from treecrf.studies.training.jobs import compare_method
from treecrf.studies.training.settings import TrainingSettings

with job(snakemake):
    pieces = pieces_of(snakemake)
    outcome = compare_method(
        snakemake.wildcards.dataset,
        SequenceSet.load(snakemake.input.train),
        SequenceSet.load(snakemake.input.test),
        snakemake.params.protocol,
        tuple(snakemake.params.window),
        snakemake.wildcards.method,
        TrainingSettings(datasets=[], **snakemake.params.settings),
        snakemake.params.seed,
        pd.read_parquet(snakemake.input.choice) if snakemake.input.choice else None,
        pieces,
    )
    for kind, frame in outcome._asdict().items():
        write_frame(frame, snakemake.output[kind])
pieces.clear()
