"""Draw what the future features found on one data set look at, and their first trees.

Outputs
-------
weights, trees : SVG
"""

from _job import job
from treecrf.io.files import atomic, read_frames
from treecrf.rendering.style import save_figure
from treecrf.studies.future.figures import feature_trees, what_features_see

with job(snakemake):
    for name, draw in (("weights", what_features_see), ("trees", feature_trees)):
        figure = draw(read_frames([snakemake.input[name]]))
        with atomic(snakemake.output[name]) as temporary:
            save_figure(figure, temporary, "svg")
