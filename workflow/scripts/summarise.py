"""The frames of one data set of a study, or of all, from its jobs.

Outputs
-------
CSV, see the study's `summary.summarise`; of a study that draws its own data also JSON: where they are from.
"""

from inspect import signature

from _job import find_study, job
from treecrf.io.files import read_frame, read_json, write_frame, write_json
from treecrf.sequences import SequenceSet
from treecrf.studies.confidence import CONFIDENCE

with job(snakemake):
    study, given, values = find_study(snakemake.params.study), snakemake.input, snakemake.params["values"]
    summarise = study.module("summary").summarise
    known = {
        "frames": lambda: {
            frame: [read_frame(path, CONFIDENCE) for path in given[frame]]
            for job in study.jobs
            for frame in job.frames
            if given.get(frame)
        },
        "dataset": lambda: snakemake.wildcards.dataset,
        "description": lambda: read_json(given.description),
        "train": lambda: SequenceSet.load(given.train),
        "test": lambda: SequenceSet.load(given.test),
    }
    wanted = signature(summarise).parameters
    frames = summarise(**{name: values[name] if name in set(values) else known[name]() for name in wanted})
    for name, frame in frames.items():
        write_frame(frame, snakemake.output[name])
    if snakemake.output.get("description"):
        write_json({name: values[name] for name in ("source", "stand_in")}, snakemake.output.description)
