"""One measurement of cost over all data sets.

Outputs
-------
The table as HTML, CSV and LaTeX; frame : CSV, the numbers themselves.
"""

from _job import job
from treecrf.io.files import read_frames, write_frame
from treecrf.rendering.layouts import write_layout
from treecrf.studies.cost import tables as scaling_tables

with job(snakemake):
    frame = read_frames(snakemake.input)
    frame = frame.assign(stand_in=frame["dataset"].map(snakemake.params.stand_ins))
    write_frame(frame, snakemake.output.frame)
    write_layout(getattr(scaling_tables, snakemake.params.function)(frame), snakemake.output[0].removesuffix(".html"))
