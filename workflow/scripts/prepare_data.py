"""Make the training and the test set of one data set.

Outputs
-------
train, test : SequenceSet (.npz)
description : JSON, what the page says of the data set
"""

from _job import job
from treecrf import datasets
from treecrf.reporting.description import describe_sets
from treecrf.reporting.files import write_json

with job(snakemake.log[0]):
    source = snakemake.params.source
    train, test = datasets.load(source, **snakemake.params.options)
    train.save(snakemake.output.train)
    test.save(snakemake.output.test)
    description = describe_sets(source, datasets.describe(source), snakemake.params.window, train, test)
    write_json(description, snakemake.output.description)
