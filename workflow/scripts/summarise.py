"""The frames of one data set of a study, or of all, from its jobs.

Outputs
-------
CSV, see the study's `summary.make_frames`; of a study that draws its own data also JSON: where they are from.
"""

from _job import find_study, job
from treecrf.io.files import write_frame, write_json
from treecrf_studies.framework.jobs import read_summary

with job(snakemake):
    study, values = find_study(snakemake.params.study), snakemake.params["values"]
    context = read_summary(study, values, dict(snakemake.input.items()), snakemake.wildcards.get("dataset", ""))
    for name, frame in study.module("summary").make_frames(context).items():
        write_frame(frame, snakemake.output[name])
    if snakemake.output.get("description"):
        write_json({"source": context.source, "stand_in": context.stand_in}, snakemake.output.description)
