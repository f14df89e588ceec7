"""Compare the methods for missing values on one data set.

Outputs
-------
evaluations : CSV, correct positions per rate, method, training set and test set
comparisons : CSV, tests and effects of every method against every other
deviance : CSV, analysis of deviance
choices : CSV, chosen lambda and iteration
costs : CSV, CPU seconds per phase
frequencies : CSV, share of the observations on which attributes of two categories are true
"""

from _job import job
from treecrf.io.files import read_frames, read_json, write_frame
from treecrf.sequences import SequenceSet
from treecrf.statistics.deviance import analysis_of_deviance, compare_all
from treecrf.studies.missing.jobs import comparable, evaluations, feature_frequencies

with job(snakemake):
    stand_in = bool(read_json(snakemake.input.description)["stand_in"])
    counts = read_frames(snakemake.input.counts)
    whole = SequenceSet.concatenate([SequenceSet.load(snakemake.input[side]) for side in ("train", "test")])
    frames = {
        "evaluations": evaluations(counts),
        "comparisons": compare_all(comparable(counts)),
        "deviance": analysis_of_deviance(comparable(counts)),
        "choices": read_frames(snakemake.input.choices),
        "costs": read_frames(snakemake.input.costs),
        "frequencies": feature_frequencies(snakemake.wildcards.dataset, whole),
    }
    for name, frame in frames.items():
        write_frame(frame.assign(stand_in=stand_in), snakemake.output[name])
