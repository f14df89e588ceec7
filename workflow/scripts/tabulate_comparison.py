"""One table of comparisons with one baseline: coefficients beside the published ones, all tests, or points.

Outputs
-------
The table as HTML, CSV and LaTeX.
"""

from _job import job
from treecrf.reporting.files import read_frames
from treecrf.reporting.missing_tables import comparison_layout, write_layout

with job(snakemake.log[0]):
    layout = comparison_layout(snakemake.wildcards.comparison, read_frames(snakemake.input), snakemake.wildcards.method)
    write_layout(layout, snakemake.output[0].removesuffix(".html"))
