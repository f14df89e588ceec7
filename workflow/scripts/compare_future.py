"""Train and test one method on all draws of one data set of the study of future features.

Outputs
-------
runs, predictions, weights, trees : Parquet, see `treecrf.studies.future.jobs.FutureOutcome`
"""

from _job import job, pieces_of
from treecrf.datasets.synthetic import Splits
from treecrf.io.files import write_frame
from treecrf.sequences import SequenceSet
from treecrf.studies.future.jobs import compare_future
from treecrf.studies.future.settings import FutureSettings

with job(snakemake):
    pieces = pieces_of(snakemake)
    sides = [[SequenceSet.load(path) for path in snakemake.input[side]] for side in Splits._fields]
    outcome = compare_future(
        snakemake.wildcards.dataset,
        {seed: Splits(*sets) for seed, sets in enumerate(zip(*sides, strict=True))},
        tuple(snakemake.params.window),
        snakemake.wildcards.method,
        FutureSettings(**snakemake.params.settings),
        pieces,
    )
    for kind, frame in outcome._asdict().items():
        write_frame(frame, snakemake.output[kind])
pieces.clear()
