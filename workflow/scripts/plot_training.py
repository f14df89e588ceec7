"""Draw figure 3.1 for one data set: test accuracy by iteration at the chosen lambda.

Outputs
-------
The figure as SVG, PDF and PNG.
"""

import pandas as pd

from _job import job
from treecrf.figures.style import save_figure
from treecrf.figures.training import accuracy_by_iteration
from treecrf.reporting.files import atomic, read_frames

with job(snakemake.log[0]):
    figure = accuracy_by_iteration(
        read_frames(snakemake.input.curves), pd.read_csv(snakemake.input.choice), pd.read_csv(snakemake.input.summary)
    )
    for path in snakemake.output:
        with atomic(path) as temporary:
            save_figure(figure, temporary, path.rsplit(".", 1)[1])
