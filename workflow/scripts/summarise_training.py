"""Put the methods of one data set together.

Outputs
-------
summary : CSV, published accuracy, accuracy at the cross-validated choice, peak of the test curve
choice : CSV, chosen settings and iteration by split and decoder
curves : CSV, accuracy and CPU seconds by iteration
costs : CSV, CPU seconds of an iteration by phase
comparisons : CSV, McNemar's test for every pair of methods
notes : CSV, why a method was not run
"""

from _job import job
from treecrf.io.files import read_frames, read_json, write_frame
from treecrf.studies.published import training_accuracies
from treecrf.studies.training.jobs import Outcome
from treecrf.studies.training.summary import put_together

with job(snakemake):
    frames = {kind: read_frames(snakemake.input[kind]) for kind in Outcome._fields if kind != "folds"}
    description = read_json(snakemake.input.description)
    published = training_accuracies().query("dataset == @snakemake.params.source")
    summaries = put_together(
        frames, published, bool(description["stand_in"]), description["average_length"], description["n_features"],
        snakemake.params.exact_under,
    )  # fmt: skip
    for name, frame in summaries.items():
        write_frame(frame, snakemake.output[name])
