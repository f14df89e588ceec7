"""Draw one figure of the training study over all data sets.

Outputs
-------
The figure as SVG, PDF and PNG.
"""

from _job import job
from treecrf.io.files import atomic, read_frames
from treecrf.rendering.style import save_figure
from treecrf.studies.cost import figures as scaling
from treecrf.studies.training import figures as training

FIGURES = {"scaling": scaling, "training": training}

with job(snakemake):
    module, function = snakemake.params.function.split(".")
    figure = getattr(FIGURES[module], function)(read_frames(snakemake.input))
    for path in snakemake.output:
        with atomic(path) as temporary:
            save_figure(figure, temporary, path.rsplit(".", 1)[1])
