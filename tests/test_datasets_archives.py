"""Members of archives, whole and damaged."""

import io
import tarfile
import zipfile

import pytest

from treecrf.datasets.archives import DamagedArchive, extract

CONTENT = bytes(range(256)) * 40


def tar(**options):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=options.get("mode", "w")) as bundle:
        member = tarfile.TarInfo("inner/file.data")
        member.size = len(CONTENT)
        bundle.addfile(member, io.BytesIO(CONTENT))
    return stream.getvalue()


def zipped():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as bundle:
        bundle.writestr("inner/file.data", CONTENT)
    return stream.getvalue()


def compressed(content):
    """What compress(1) could write with 9-bit codes alone: every byte literally, the table cleared in time."""
    clear, every = 256, 240  # the table starts at 257 and would outgrow 9 bits at 512
    codes = []
    for i, byte in enumerate(content):
        if i and i % every == 0:
            codes.append(clear)
            codes += [0] * (-len(codes) % 8)  # codes come in groups of eight, and a clearing ends its group
        codes.append(byte)
    number = sum(code << (9 * i) for i, code in enumerate(codes))
    return b"\x1f\x9d\x90" + number.to_bytes((9 * len(codes) + 7) // 8, "little")


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
