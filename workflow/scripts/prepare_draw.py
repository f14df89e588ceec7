"""Make one draw of the training, validation and test set of a data set.

Outputs
-------
train, validation, test : SequenceSet (.npz)
"""

from _job import job
from treecrf_studies import datasets
from treecrf_studies.datasets.download import fetch

with job(snakemake):
    source = snakemake.params.source
    for file in datasets.describe(source).files:
        fetch(file, snakemake.params.raw, mirror=snakemake.config.get("mirror"))
    splits = datasets.load_splits(
        source, seed=int(snakemake.wildcards.seed), held_out=snakemake.params.held_out, **snakemake.params.options
    )
    for side, data in splits._asdict().items():
        data.save(snakemake.output[side])
