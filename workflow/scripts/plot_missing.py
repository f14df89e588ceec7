"""Draw one figure of the study of missing values over all data sets.

Outputs
-------
The figure as SVG, PDF and PNG.
"""

from _job import job
from treecrf.io.files import atomic, read_frames
from treecrf.rendering.style import save_figure
from treecrf.studies.missing import figures as missing

with job(snakemake):
    draw = getattr(missing, snakemake.params.function)
    figure = draw(read_frames(snakemake.input), *snakemake.params.arguments)
    for path in snakemake.output:
        with atomic(path) as temporary:
            save_figure(figure, temporary, path.rsplit(".", 1)[1])
