"""Members of archives, whole and damaged."""

import io
import tarfile
import zipfile

import pytest
from runs import CONTENT, compressed, tar, zipped

from treecrf_studies.datasets.download import DamagedArchive, extract


def take(folder, content, member):
    """Extract from a file with this content; the folder's files afterwards must be the archive's alone."""
    path = folder / "file.data.1.tmp"
    path.write_bytes(content)
    extract(path, member, len(CONTENT))
    assert [left.name for left in folder.iterdir() if not left.name.endswith("tar.tmp")] == [path.name]
    return path.read_bytes()


@pytest.mark.parametrize(
    "make", [zipped, tar, lambda: tar(mode="w:gz"), lambda: compressed(tar())], ids=["zip", "tar", "tar.gz", "tar.Z"]
)
def test_member(tmp_path, make):
    assert take(tmp_path, make(), "inner/file.data") == CONTENT


def link(kind, target):
    """An archive whose member is a link."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as bundle:
        member = tarfile.TarInfo("inner/file.data")
        member.type, member.linkname = kind, target
        bundle.addfile(member)
    return stream.getvalue()


def bomb():
    """An archive whose member is much longer than it."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as bundle:
        bundle.writestr("bomb", bytes(50_000_000))
    return stream.getvalue()


@pytest.mark.parametrize(
    ("archive", "member", "problem"),
    [
        (zipped(), "other", "its archive does not give other (KeyError)"),
        (tar(), "other", "its archive does not give other (KeyError)"),
        (tar(), "inner", "its archive does not give inner (KeyError)"),
        (link(tarfile.SYMTYPE, "file.data"), "inner/file.data", "(KeyError)"),
        (link(tarfile.LNKTYPE, "inner/file.data"), "inner/file.data", "(KeyError)"),
        (zipped().replace(b"inner/file.data", b"inner/file.dat2"), "inner/file.data", "(KeyError)"),
        (bomb(), "bomb", "does not give bomb (ValueError)"),
        (b"neither", "inner/file.data", "its archive is neither zip nor tar"),
        (b"", "inner/file.data", "its archive "),
        (tar()[:5000], "inner/file.data", "its archive does not give inner/file.data (ReadError)"),
        (tar(mode="w:gz")[:-200], "inner/file.data", "its archive does not give inner/file.data (EOFError)"),
        (compressed(tar())[:3000], "inner/file.data", "its archive does not give inner/file.data (ReadError)"),
        (zipped().replace(CONTENT[:256], CONTENT[1:257], 1), "inner/file.data", "(BadZipFile)"),
    ],
)
def test_damaged_archives(tmp_path, archive, member, problem):
    with pytest.raises(DamagedArchive) as caught:
        take(tmp_path, archive, member)
    assert problem in str(caught.value)
    assert all(left.name.startswith("file.data.1.") and left.name.endswith("tmp") for left in tmp_path.iterdir())
    assert sum(left.stat().st_size for left in tmp_path.iterdir()) < 100_000


def test_without_gzip(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DamagedArchive, match="its archive needs the program gzip, which is not here"):
        take(tmp_path, compressed(tar()), "inner/file.data")
