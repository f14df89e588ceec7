"""Addresses of files on a page."""

from treecrf_studies.rendering.folders import Folders


def test_address_is_relative_and_quoted(tmp_path):
    folders = Folders(tmp_path / "results", tmp_path / "reports/demo")
    assert folders.address(tmp_path / "results/my set#1.csv") == "../../results/my%20set%231.csv"
