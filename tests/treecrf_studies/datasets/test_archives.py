"""Members of archives, whole and damaged."""

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


@pytest.mark.parametrize(
    ("archive", "member", "problem"),
    [
        (zipped(), "other", "its archive does not give other (KeyError)"),
        (tar(), "other", "its archive does not give other (KeyError)"),
        (tar(), "inner", "its archive does not give inner (KeyError)"),
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


def test_without_gzip(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DamagedArchive, match="its archive needs the program gzip, which is not here"):
        take(tmp_path, compressed(tar()), "inner/file.data")
