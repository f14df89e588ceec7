"""Compiled kernels of the studies: they are good until a file of either package that decides them changes."""

import re
from pathlib import Path

import treecrf_studies
from treecrf.compiled.cache import kernel_digest, kernel_files

PACKAGE = Path(treecrf_studies.__file__).parent


def test_the_files_are_those_that_define_kernels_and_what_they_import():
    files = set(kernel_files(PACKAGE))
    defining = {file for file in PACKAGE.rglob("*.py") if re.search(r"^@kernel\(", file.read_text(), re.MULTILINE)}
    assert len(defining) == 3
    assert defining < files
    assert {file.name for file in files - defining} == {"kernel.py"}


def test_the_library_has_a_digest_of_its_own():
    assert kernel_digest("treecrf") == kernel_digest() == kernel_digest("no_package")
    assert kernel_digest("treecrf_studies") != kernel_digest()
