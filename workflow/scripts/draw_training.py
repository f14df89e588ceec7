"""Draw one figure of the training study over all data sets.

Outputs
-------
The figure as SVG, PDF and PNG.
"""

from _job import job
from treecrf.figures import scaling, training
from treecrf.figures.style import save_figure
from treecrf.reporting.files import atomic, read_frames

FIGURES = {"scaling": scaling, "training": training}

with job(snakemake):
    module, function = snakemake.params.function.split(".")
    figure = getattr(FIGURES[module], function)(read_frames(snakemake.input))
    for path in snakemake.output:
        with atomic(path) as temporary:
            save_figure(figure, temporary, path.rsplit(".", 1)[1])
