"""Raw files of our own in the place of the real ones."""

import hashlib

import pytest

from treecrf_studies.datasets import loading
from treecrf_studies.datasets.download import RawFile


@pytest.fixture
def put_raw_files(tmp_path, monkeypatch):
    """Writes contents by path to a folder of raw files and takes them for right; gives the folder."""

    def put_raw_files(contents):
        files = {}
        for path, content in contents.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_bytes(content)
            files[path] = RawFile(path, len(content), hashlib.sha256(content).hexdigest(), ())
        monkeypatch.setattr(loading, "raw_files", lambda: files)
        return tmp_path

    return put_raw_files
