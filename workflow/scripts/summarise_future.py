"""Put the methods of one data set of the study of future features together.

Outputs
-------
runs, summary, best, tests, weights, trees : CSV, see `treecrf.studies.future.summary.put_together`
description : JSON, where the data are from
"""

import pandas as pd

from _job import job
from treecrf.io.files import write_frame, write_json
from treecrf.studies.future.jobs import FutureOutcome
from treecrf.studies.future.summary import put_together

with job(snakemake):
    frames = {kind: [pd.read_parquet(path) for path in snakemake.input[kind]] for kind in FutureOutcome._fields}
    for name, frame in put_together(**frames, exact_under=snakemake.params.exact_under).items():
        write_frame(frame, snakemake.output[name])
    write_json(snakemake.params.description, snakemake.output.description)
