"""Manifest and pages that name what is gone: removed, so that Snakemake writes them and what is missing anew."""

import json
import os

import pytest

from treecrf.io.files import note, sha256
from treecrf_studies.report.outdated import remove_outdated, settle_times

PLACES = ("results/manifest.json", "reports/index.html", "reports/explorer.html", "reports/unfinished/index.html")


@pytest.fixture
def places(tmp_path):
    """The files of a finished run, which has a manifest and a site."""
    for name, text in {
        "results/a.csv": "1",
        "results/benchmarks/b.json": "2",
        "results/t.html": "<p>",
        "reports/explorer.html": "",
        "reports/index.html": (
            '<a href="claims.html"><a href="explorer.html"><a href="#x"><a href="https://a.b/c.html">'
        ),
        "reports/claims.html": '<a href="claims/a%20b.html#c"><a href="../results/t.html">',
        "reports/claims/a b.html": "",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    paths = [tmp_path / "results" / name for name in ("a.csv", "benchmarks/b.json")]
    note(paths[:1])
    listed = [
        {"path": str(path.relative_to(tmp_path / "results")), "bytes": 1, "sha256": sha256(path)} for path in paths
    ]
    (tmp_path / PLACES[0]).write_text(json.dumps({"files": listed}))
    return [tmp_path / name for name in PLACES]


@pytest.mark.parametrize(
    ("gone", "removed", "named"),
    [
        (None, [], None),
        ("reports/explorer.html", [], None),  # Snakemake looks at it itself
        ("results/a.csv", ["results/manifest.json"], "a.csv,"),
        ("results/benchmarks/b.json", ["results/manifest.json"], "benchmarks/b.json,"),
        ("reports/claims.html", ["reports/index.html"], "reports/claims.html,"),
        ("reports/claims/a b.html", ["reports/index.html"], "reports/claims/a b.html,"),
        ("results/t.html", ["reports/index.html"], "t.html,"),
    ],
)
def test_what_is_gone_is_named_and_made_anew(places, tmp_path, gone, removed, named):
    if gone:
        (tmp_path / gone).unlink()
    before = set(tmp_path.rglob("*"))
    for is_dry_run in (True, False):
        sentences = list(remove_outdated(*places, is_dry_run))
        assert len(sentences) == len(removed)
        assert named is None or named in sentences[0]
        assert before - {*tmp_path.rglob("*")} == (set() if is_dry_run else {tmp_path / name for name in removed})


def test_other_contents_and_a_run_that_failed(places, tmp_path):
    (tmp_path / "results/benchmarks/b.json").write_text("3")  # as long as before, and without a noted checksum
    (tmp_path / "reports/unfinished").mkdir()
    (tmp_path / "reports/unfinished/index.html").touch()
    (sentence,) = remove_outdated(*places, False)
    assert sentence.endswith("names benchmarks/b.json, gone or changed since: a run makes them anew.")
    assert [path.is_file() for path in places] == [False, False, True, True]


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"files": 1}', '{"files": [{}]}', '{"files": [{"path": 1}]}'])
def test_a_manifest_that_is_none(places, content):
    places[0].write_text(content)
    assert len(list(remove_outdated(*places, False))) == 1
    assert not places[0].exists()


def test_files_from_a_clock_that_was_ahead(tmp_path):
    for name, time in (("before", 50), ("ahead", 200)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (time, time))
    (sentence,) = settle_times([tmp_path, tmp_path / "none"], 100)
    assert sentence.startswith(f"{tmp_path}: 1 file of a time to come")
    assert {path.name: path.stat().st_mtime for path in tmp_path.iterdir()} == {"before": 50, "ahead": 100}
    assert list(settle_times([tmp_path], 100)) == []
