"""Get one raw file, checked against its SHA-256.

Outputs
-------
The file, under the raw folder.
"""

from _job import job
from treecrf_studies.datasets.download import fetch

with job(snakemake, noted=False):
    path = fetch(snakemake.wildcards.path, snakemake.params.folder, mirror=snakemake.config.get("mirror"))
    path.touch()  # newer than this script, or the next run would come back here
