"""Damaged raw files and their archives: the content that was packed, or one clear sentence."""

import bz2
import gzip
import hashlib
import io
import lzma
import zipfile

from fuzzing import damaged, fuzz, quiet
from runs import CONTENT, compressed, tar, zipped

from treecrf_studies.datasets import download
from treecrf_studies.datasets.download import extract

SIZE = len(CONTENT)


def archives():
    plain = tar()
    yield from (zipped(), plain, gzip.compress(plain), bz2.compress(plain), lzma.compress(plain), compressed(plain))
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", method) as bundle:
            bundle.writestr("inner/file.data", CONTENT)
        yield stream.getvalue()


def test_archives(tmp_path):
    path = tmp_path / "file.data.1.tmp"

    def use(archive):
        path.write_bytes(archive)
        with quiet():
            extract(path, "inner/file.data", SIZE)
        assert path.stat().st_size <= SIZE

    seeds = [*archives()]
    for seed in seeds:
        use(seed)
    fuzz(damaged(*seeds), use)


def test_raw_files_of_a_mirror(tmp_path):
    file = download.RawFile("protein/file.data", len(CONTENT), hashlib.sha256(CONTENT).hexdigest(), ())
    mirror, folder = tmp_path / "mirror", tmp_path / "raw"
    (mirror / "protein").mkdir(parents=True)

    def use(given):
        (mirror / file.path).write_bytes(given)
        (folder / file.path).unlink(missing_ok=True)
        found = download.fetch(file.path, folder, mirror=mirror, files={file.path: file})
        assert found.read_bytes() == CONTENT

    fuzz(damaged(CONTENT), use, 0.25)
