"""The table of all data sets: published accuracy, cross-validated choice, peak of the test curve.

Outputs
-------
The table as HTML, CSV and LaTeX.
"""

import pandas as pd

from _job import job
from treecrf.reporting.files import write_frame, write_text
from treecrf.reporting.tables import summary_to_html, summary_to_latex

with job(snakemake.log[0]):
    summary = pd.concat([pd.read_csv(path) for path in snakemake.input], ignore_index=True)
    write_frame(summary, snakemake.output.csv)
    write_text(summary_to_html(summary), snakemake.output[0])
    write_text(summary_to_latex(summary), snakemake.output.tex)
