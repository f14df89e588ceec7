"""The archive of the run: one zip, named by date and commit, see `treecrf.report.archive.write_archive`."""

from _job import job
from treecrf.report.archive import write_archive
from treecrf.studies.framework.settings import load_settings

with job(snakemake):
    print(f"The archive is {write_archive(load_settings(snakemake.params.settings))}")
