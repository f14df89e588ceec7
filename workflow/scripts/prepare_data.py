"""Make the training and the test set of one data set.

Outputs
-------
train, test : SequenceSet (.npz)
description : JSON, what the page says of the data set
"""

from _job import job
from treecrf.io.files import write_json
from treecrf_studies import datasets
from treecrf_studies.datasets.description import describe_sets
from treecrf_studies.datasets.download import fetch

with job(snakemake):
    source = snakemake.params.source
    for file in datasets.describe(source).files:
        # A file that was put there by hand is checked too.
        fetch(file, snakemake.params.raw, mirror=snakemake.config.get("mirror"))
    train, test = datasets.load(source, **snakemake.params.options)
    train.save(snakemake.output.train)
    test.save(snakemake.output.test)
    description = describe_sets(source, datasets.describe(source), snakemake.params.window, train, test)
    write_json(description, snakemake.output.description)
