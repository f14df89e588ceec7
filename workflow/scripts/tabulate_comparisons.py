"""Tables of comparisons with one baseline: coefficients beside the published ones, all tests, points of accuracy.

Outputs
-------
Each table as HTML, CSV and LaTeX.
"""

from _job import job
from treecrf.io.files import read_frames
from treecrf.rendering.layouts import write_layout
from treecrf.studies.missing.tables import COMPARISON_LAYOUTS, comparison_layout

with job(snakemake):
    comparisons, baseline = read_frames(snakemake.input), snakemake.wildcards.method
    for kind, page in zip(COMPARISON_LAYOUTS, snakemake.output[:3], strict=True):
        write_layout(comparison_layout(kind, comparisons, baseline), page.removesuffix(".html"))
