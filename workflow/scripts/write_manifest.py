"""The manifest of the run.

Outputs
-------
JSON, see `treecrf_studies.report.archive.make_manifest`.
"""

import datetime

from _job import job
from treecrf_studies.framework.settings import load_settings
from treecrf_studies.report.archive import write_manifest

with job(snakemake):
    settings = load_settings(snakemake.params.settings)
    write_manifest(settings, snakemake.params.code_of_studies, datetime.datetime.now(tz=datetime.UTC))
