"""Getting raw files, from a server on loopback that does what servers do, and members of archives."""

import errno
import hashlib
import io
import os
import signal
import subprocess
import sys
import tarfile
import threading
import time
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from runs import CONTENT, compressed, tar, zipped

from treecrf_studies.datasets import download
from treecrf_studies.datasets.download import DamagedArchive, RawFile, RawFileError, extract, fetch

SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Handler(BaseHTTPRequestHandler):
    """Answers by path; counts what is asked for."""

    def do_GET(self):
        server = self.server
        server.asked.append(self.path)
        status, body, announced = 200, CONTENT, None
        match self.path.split("/")[1]:
            case "wrong":
                body = b"something else"
            case "missing":
                status, body = 404, b""
            case "broken":
                status, body = 503, b""
            case "moody":  # fails first, then succeeds
                status = 500 if len(server.asked) < 3 else 200
            case "breaking":  # gives the rest of what it has begun, and the wrong one at first where it is "wrong"
                begin = int(self.headers.get("Range", "bytes=0-")[6:-1])
                status = 206 if begin else 200
                announced, body = len(CONTENT) - begin, CONTENT[begin : begin + 4000]
                if self.path.endswith("wrong") and len(server.asked) < 4:
                    body = bytes(len(body))
            case "truncated":
                body, announced = CONTENT[:1000], len(CONTENT)
            case "endless":
                body, announced = CONTENT + bytes(1 << 20), None
            case "elsewhere":
                status = 302
            case "slow":
                server.stop.wait(20)
            case "stuck":  # half, and then nothing for long
                announced = len(CONTENT)
                body = CONTENT[:5000]
            case "zip":
                body = zipped()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if announced is None else announced))
        if status == 302:
            self.send_header("Location", f"{self.path.split('/')[2]}:///etc/hostname")
        self.end_headers()
        self.wfile.write(b"" if self.path == "/trickling" else body)
        for byte in body if self.path == "/trickling" else b"":
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            if server.stop.wait(0.1):
                break
        if self.path.startswith("/stuck"):
            self.wfile.flush()
            server.stop.wait(20)

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.asked, running.stop = [], threading.Event()
        running.handle_error = lambda *args: None  # a client that has gone away
        running.url = f"http://127.0.0.1:{running.server_port}"
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.stop.set()
        running.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def _no_mirror(monkeypatch):
    monkeypatch.delenv("TREECRF_MIRROR", raising=False)


def registry(*addresses):
    return {"set/file.data": RawFile("set/file.data", len(CONTENT), SHA256, addresses)}


def get(folder, *addresses, **options):
    return fetch("set/file.data", folder, files=registry(*addresses), **{"wait": 0.01, "timeout": 5.0, **options})


def left(folder):
    return sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_file())


@pytest.mark.parametrize("address", ["good", "zip#inner/file.data"])
def test_good_file(server, tmp_path, address):
    path = tmp_path / "set/file.data"
    for _ in range(2):  # the second time it lies there
        assert get(tmp_path, f"{server.url}/{address}") == path
    assert path.read_bytes() == CONTENT
    assert left(tmp_path) == ["set/file.data"]
    assert len(server.asked) == 1


def test_addresses_are_tried_in_turn(server, tmp_path):
    get(tmp_path, f"{server.url}/missing", f"{server.url}/wrong", f"{server.url}/good", retries=0)
    assert server.asked == ["/missing", "/wrong", "/good"]
    assert (tmp_path / "set/file.data").read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("path", "n_asked", "problem"),
    [
        ("wrong", 2, "gives 14 bytes with another checksum"),
        ("missing", 1, "the server answers 404"),
        ("broken", 2, "the server answers 503"),
        ("truncated", 2, "the transfer broke off"),
        ("endless", 2, f"more than {len(CONTENT):,} bytes"),
        ("elsewhere/file", 2, "InvalidSchema"),
        ("elsewhere/ftp", 2, "InvalidSchema"),
        ("slow", 2, "no answer within 1 s"),
        ("stuck", 2, "no answer within 1 s"),
        ("zip#other", 2, "its archive does not give other (KeyError)"),
    ],
)
def test_bad_servers(server, tmp_path, path, n_asked, problem):
    with pytest.raises(RawFileError) as caught:
        get(tmp_path, f"{server.url}/{path}", retries=1, timeout=1.0)
    message = str(caught.value)
    assert f"{server.url}/{path}: {problem}" in message
    assert message.startswith("raw file set/file.data is not available (")
    assert message.endswith(f"; put a copy with SHA-256 {SHA256} at {tmp_path / 'set/file.data'}.".lstrip("; "))
    assert "\n" not in message
    assert len(server.asked) == n_asked
    assert left(tmp_path) == []


def test_a_server_that_sends_single_bytes(server, tmp_path, monkeypatch):
    monkeypatch.setattr(download, "MOST_SECONDS", 0.5)
    start = time.monotonic()
    with pytest.raises(RawFileError, match=r"trickling: no end after 0\.5 s"):
        get(tmp_path, f"{server.url}/trickling", retries=3)
    assert time.monotonic() - start < 5
    assert (server.asked, left(tmp_path)) == (["/trickling"], [])


@pytest.mark.parametrize(("path", "n_asked"), [("moody", 3), ("breaking", 3), ("breaking/wrong", 6)])
def test_a_transfer_that_breaks_off_goes_on(server, tmp_path, path, n_asked):
    """From where it was; from the start where the server failed, or what came together is not the file."""
    get(tmp_path, f"{server.url}/{path}", retries=n_asked - 1)
    assert len(server.asked) == n_asked
    assert (tmp_path / "set/file.data").read_bytes() == CONTENT
    assert left(tmp_path) == ["set/file.data"]


def test_an_archive_that_is_too_large(server, tmp_path, monkeypatch):
    monkeypatch.setattr(download, "MOST_ARCHIVE", 100)
    with pytest.raises(RawFileError, match=r"more than 100 bytes"):
        get(tmp_path, f"{server.url}/zip#inner/file.data", retries=0)
    assert left(tmp_path) == []


def test_an_archive_that_unpacks_to_too_much(tmp_path, monkeypatch):
    (tmp_path / "file.1.tmp").write_bytes(compressed(tar()))
    monkeypatch.setattr(download, "MOST_ARCHIVE", 100)
    with pytest.raises(download.DamagedArchive, match=r"does not give inner/file\.data \(ValueError\)"):
        download.extract(tmp_path / "file.1.tmp", "inner/file.data", len(CONTENT))
    monkeypatch.setattr(download, "MOST_ARCHIVE", len(tar()))
    download.extract(tmp_path / "file.1.tmp", "inner/file.data", len(CONTENT))
    assert (tmp_path / "file.1.tmp").read_bytes() == CONTENT


def test_no_network_or_address(tmp_path):
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as closed:
        url = f"http://127.0.0.1:{closed.server_port}/good"
    with pytest.raises(RawFileError, match="good: no connection"):
        get(tmp_path, url, retries=0)
    with pytest.raises(RawFileError, match=r"is not available \(it has no public address\); put a copy with SHA-256"):
        get(tmp_path)


def test_waits_longer_each_time(server, tmp_path, monkeypatch):
    waits = []
    monkeypatch.setattr(download.time, "sleep", waits.append)
    with pytest.raises(RawFileError, match="the server answers 503"):
        get(tmp_path, f"{server.url}/broken", retries=3, wait=0.5)
    assert waits == [0.5, 1.0, 2.0]


def test_file_appears_whole_by_one_renaming(server, tmp_path, monkeypatch):
    renamed = []

    def replace(source, target):
        assert Path(source).read_bytes() == CONTENT
        assert not Path(target).exists()
        renamed.append((Path(source).parent, Path(target)))
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(download.os, "replace", replace)
    with pytest.raises(RawFileError, match="cannot be written below"):
        get(tmp_path, f"{server.url}/good")
    assert renamed == [(tmp_path / "set", tmp_path / "set/file.data")]  # one folder: one file system
    assert left(tmp_path) == []


def put(path, content):
    """Write a file, and its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def test_mirror_comes_first(server, tmp_path, monkeypatch):
    put(tmp_path / "mirror/set/file.data", CONTENT)
    get(tmp_path / "a", f"{server.url}/good", mirror=tmp_path / "mirror")
    monkeypatch.setenv("TREECRF_MIRROR", str(tmp_path / "mirror"))
    get(tmp_path / "b", f"{server.url}/good")
    assert server.asked == []
    assert left(tmp_path) == ["a/set/file.data", "b/set/file.data", "mirror/set/file.data"]


@pytest.mark.parametrize(
    ("place", "options", "problem"),
    [
        ("mirror", {"mirror": "mirror"}, "mirror/set/file.data has another checksum"),
        ("other", {"mirror": "mirror"}, "mirror does not have it"),
        ("raw", {}, "raw/set/file.data has another checksum"),
    ],
)
def test_file_with_another_checksum_is_replaced_or_kept(server, tmp_path, place, options, problem):
    wrong = tmp_path / place / "set/file.data"
    put(wrong, b"mine")
    options = {name: tmp_path / folder for name, folder in options.items()}
    with pytest.raises(RawFileError, match=f"{tmp_path}/{problem}"):
        get(tmp_path / "raw", f"{server.url}/missing", **options)
    assert wrong.read_bytes() == b"mine"
    assert get(tmp_path / "raw", f"{server.url}/good", **options).read_bytes() == CONTENT


def test_full_disk(tmp_path, monkeypatch):
    def full(*args, **options):
        Path(args[1]).write_bytes(CONTENT[:10])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(download.shutil, "copyfile", full)
    put(tmp_path / "mirror/set/file.data", CONTENT)
    with pytest.raises(RawFileError) as caught:
        get(tmp_path / "raw", mirror=tmp_path / "mirror")
    assert str(caught.value) == (
        f"raw file set/file.data (10,240 bytes, SHA-256 {SHA256}) cannot be written below {tmp_path / 'raw'}: the "
        "disk is full; make room or name another folder."
    )
    assert left(tmp_path / "raw") == []


def test_wrong_arguments(tmp_path):
    (tmp_path / "raw").write_text("a file")
    with pytest.raises(RawFileError, match=r"raw: Not a directory; make room or name another folder"):
        get(tmp_path / "raw", mirror=tmp_path)
    with pytest.raises(RawFileError, match=r"raw file 'other' is not known; the registry has set/file\.data"):
        fetch("other", tmp_path, files=registry())


@pytest.mark.parametrize("signal_number", [signal.SIGKILL, signal.SIGINT])
def test_killed_half_way_leaves_no_raw_file(server, tmp_path, signal_number):
    script = (
        "from treecrf_studies.datasets.download import RawFile, fetch\n"
        f"files = {{'f': RawFile('f', 10**6, 'x', ('{server.url}/stuck',))}}\n"
        f"fetch('f', {str(tmp_path)!r}, files=files)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and not any(path.stat().st_size for path in tmp_path.glob("f.*")):
            time.sleep(0.02)
    finally:
        process.send_signal(signal_number)
        process.wait()
    assert not (tmp_path / "f").exists()
    temporary = list(tmp_path.glob("f.*"))
    if signal_number == signal.SIGINT:
        assert temporary == []
        return  # what a killed process could not clear away, a later one does:
    assert [path.suffix for path in temporary] == [".tmp"]
    os.utime(temporary[0], (0, 0))
    (tmp_path / "f.1.tmp").write_bytes(b"of a process that is at work")
    files = {"f": RawFile("f", len(CONTENT), SHA256, (f"{server.url}/good",))}
    fetch("f", tmp_path, files=files)
    assert left(tmp_path) == ["f", "f.1.tmp"]


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
