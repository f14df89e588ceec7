"""Damaged raw files and their archives: the content that was packed, or one clear sentence."""

import bz2
import gzip
import hashlib
import io
import lzma
import tarfile
import zipfile

import pytest
from fuzzing import assert_clear, damaged, fuzz, quiet
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


def extracted(folder, archive, member="inner/file.data", size=SIZE):
    """What is unpacked from an archive."""
    path = folder / "file.data.1.tmp"
    path.write_bytes(archive)
    with quiet():
        extract(path, member, size)
    return path.read_bytes()


def test_archives(tmp_path):
    def use(archive):
        assert len(extracted(tmp_path, archive)) <= SIZE

    seeds = [*archives()]
    for seed in seeds:
        use(seed)
    fuzz(damaged(*seeds), use)


def linked(kind, target):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as bundle:
        member = tarfile.TarInfo("inner/file.data")
        member.type, member.linkname = kind, target
        bundle.addfile(member)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("archive", "problem"),
    [
        (linked(tarfile.SYMTYPE, "file.data"), "(KeyError)"),
        (linked(tarfile.LNKTYPE, "inner/file.data"), "(KeyError)"),
        (zipped().replace(b"inner/file.data", b"inner/file.dat2"), "(KeyError)"),
    ],
)
def test_archives_that_libraries_stumble_over(tmp_path, archive, problem):
    assert problem in assert_clear(lambda: extracted(tmp_path, archive))


def test_a_member_that_is_too_long_is_not_unpacked(tmp_path):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("bomb", bytes(50_000_000))
    assert "does not give bomb" in assert_clear(lambda: extracted(tmp_path, stream.getvalue(), "bomb", 1000))
    assert sum(left.stat().st_size for left in tmp_path.iterdir()) < 100_000


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
