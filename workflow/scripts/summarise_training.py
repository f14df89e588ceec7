"""Choose lambda and iteration of one data set by cross-validation and set its test accuracy beside the published one.

Outputs
-------
choice : CSV, chosen lambda and iteration by decoder
summary : CSV, published and measured accuracy by decoder
candidates : CSV, cross-validated accuracy of every lambda, iteration and decoder
cpu : CSV, CPU seconds of training by lambda and phase
"""

from _job import job
from treecrf.reporting.files import read_frames, read_json, write_frame
from treecrf.reporting.published import treecrf_accuracies
from treecrf.studies.training import choose, cross_validated_accuracy, mean_cpu_seconds, summarise

with job(snakemake.log[0]):
    folds = read_frames(snakemake.input.folds)
    choice = choose(folds)
    stand_in = bool(read_json(snakemake.input.description)["stand_in"])
    published = treecrf_accuracies().query("dataset == @snakemake.params.source")
    curves = read_frames(snakemake.input.curves)
    summary = summarise(snakemake.wildcards.dataset, choice, curves, published, stand_in)
    write_frame(choice, snakemake.output.choice)
    write_frame(summary, snakemake.output.summary)
    write_frame(cross_validated_accuracy(folds), snakemake.output.candidates)
    write_frame(mean_cpu_seconds(read_frames(snakemake.input.phases)), snakemake.output.cpu)
