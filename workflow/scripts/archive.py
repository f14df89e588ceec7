"""The archive of the run: one zip, named by date and commit, see `treecrf_studies.report.archive.write_archive`."""

from _job import job
from treecrf_studies.framework.settings import load_settings
from treecrf_studies.report.archive import write_archive

with job(snakemake):
    print(f"The archive is {write_archive(load_settings(snakemake.params.settings))}")
