"""Errors that are sentences of the studies."""

from pathlib import Path

import fuzzing

import treecrf_studies
from treecrf_studies.datasets.download import DamagedArchive, RawFileError
from treecrf_studies.datasets.loading import DataError

fuzzing.PACKAGES.append(Path(treecrf_studies.__file__).parent)
fuzzing.OWN_ERRORS |= {DataError: "", RawFileError: "", DamagedArchive: "."}  # the last goes on in another sentence
