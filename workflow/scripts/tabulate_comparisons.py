"""Tables of comparisons with one baseline: coefficients beside the published ones, all tests, points of accuracy.

Outputs
-------
Each table as HTML, CSV and LaTeX.
"""

from _job import job
from treecrf.reporting.files import read_frames
from treecrf.reporting.missing_tables import COMPARISON_LAYOUTS, comparison_layout
from treecrf.reporting.rendering import write_layout

with job(snakemake.log[0]):
    comparisons, baseline = read_frames(snakemake.input), snakemake.wildcards.method
    for kind in COMPARISON_LAYOUTS:
        write_layout(comparison_layout(kind, comparisons, baseline), f"{snakemake.params.folder}/{kind}_{baseline}")
