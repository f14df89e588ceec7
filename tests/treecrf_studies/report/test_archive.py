"""The archive of a run: what is in it, and that it is the same bytes each time."""

import re
from zipfile import ZipFile

import pytest
from planted_runs import plant_manifest, plant_run, settings_of

from treecrf_studies.report.archive import archive_name, write_archive


@pytest.fixture
def run(tmp_path):
    """A run with a page and a data set; gives its folder."""
    folder = plant_run(tmp_path / "run")
    (folder / "kernels/toy/seed_0.train.npz").write_bytes(b"data")
    plant_manifest(folder)
    reports = tmp_path / "run_reports"
    (reports / "comparison").mkdir(parents=True)
    (reports / "index.html").write_text("the page")
    (reports / "comparison/index.html").write_text("another page")
    (reports / "claims").mkdir()
    (reports / "claims/P1.html").write_text("a claim")
    return folder


def test_it_has_results_page_and_manifest_but_no_data(run):
    path = write_archive(settings_of(run))
    with ZipFile(path) as archive:
        names = archive.namelist()
        assert names == sorted(names)
        assert archive.read("run_reports/index.html") == b"the page"
        assert archive.read("run_reports/claims/P1.html") == b"a claim"
        assert archive.read("run/manifest.json") == (run / "manifest.json").read_bytes()
        assert archive.read("run/kernels/toy/runs.csv") == (run / "kernels/toy/runs.csv").read_bytes()
    assert "run/training/toy/a.predictions.parquet" in names
    assert "run/kernels/toy/seed_0.train.npz" not in names
    assert "run_reports/comparison/index.html" not in names
    assert re.fullmatch(r"treecrf-2026-01-02(-[0-9a-f]{10}(-dirty)?)?\.zip", path.name)
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_the_same_run_gives_the_same_bytes(run):
    settings = settings_of(run)
    first = write_archive(settings).read_bytes()
    for file in run.rglob("*.parquet"):
        file.touch()
    assert write_archive(settings).read_bytes() == first


def test_it_is_named_by_date_and_commit():
    manifest = {"written": "2026-01-02T03:04:05+00:00", "commit": "0123456789abcdef-dirty"}
    assert archive_name(manifest) == "treecrf-2026-01-02-0123456789-dirty"
    assert archive_name(manifest | {"commit": None}) == "treecrf-2026-01-02"


def test_a_file_that_is_not_the_listed_one_is_refused(run):
    (run / "kernels/toy/runs.csv").write_text("changed\n")
    with pytest.raises(
        ValueError, match=r"run/kernels/toy/runs\.csv is not the file that manifest\.json lists; run again"
    ):
        write_archive(settings_of(run))
    assert not (run.parent / "run_archives").exists()


def test_a_run_without_a_manifest_is_refused(run):
    (run / "manifest.json").unlink()
    with pytest.raises(ValueError, match=r"manifest\.json is not there; run `make results`, which writes it last"):
        write_archive(settings_of(run))
