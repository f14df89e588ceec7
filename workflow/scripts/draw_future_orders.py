"""Draw the accuracy of labellers by order.

Outputs
-------
The figure as SVG, PDF and PNG.
"""

from _job import job
from treecrf.io.files import atomic, read_frames
from treecrf.rendering.style import save_figure
from treecrf.studies.future.figures import accuracy_by_order
from treecrf.studies.future.tables import with_published
from treecrf.studies.published import future_accuracies

with job(snakemake):
    figure = accuracy_by_order(with_published(read_frames(snakemake.input), future_accuracies()))
    for path in snakemake.output:
        with atomic(path) as temporary:
            save_figure(figure, temporary, path.rsplit(".", 1)[1])
