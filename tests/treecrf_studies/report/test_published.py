"""A snapshot made anew from its evidence."""

import shutil

import pytest
from builders import ROOT
from runs import own_settings

from treecrf_studies.report.snapshot import EVIDENCE, main, write_snapshot

PUBLISHED = ROOT / "docs/results"


@pytest.mark.slow
def test_the_published_pages_tables_and_claims_are_those_of_the_evidence(tmp_path, monkeypatch):
    """So no number of them was typed, or is left over from other code."""
    monkeypatch.chdir(tmp_path)  # no results there
    folder = shutil.copytree(PUBLISHED, tmp_path / "results_of_the_run")
    main(["--config", str(ROOT / "config/config.yaml"), "--folder", str(folder)])
    written = {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
    committed = {path.relative_to(PUBLISHED): path for path in PUBLISHED.rglob("*") if path.is_file()}
    assert set(committed) - set(written) == {
        next(path for path in committed if path.name == "published.csv")
    }  # README's
    assert set(written) <= set(committed)
    differing = [str(name) for name, path in written.items() if path.read_bytes() != committed[name].read_bytes()]
    assert [name for name in differing if not name.endswith(".svg")] == []


def test_without_results_and_evidence_there_is_nothing_to_publish(tmp_path):
    settings = own_settings(results=str(tmp_path / "nothing"))
    for folder in (tmp_path / "none", tmp_path / "empty"):
        if folder.name == "empty":
            folder.mkdir()
        with pytest.raises(ValueError, match="no study is finished there; run `make results` first"):
            write_snapshot(settings, folder, None)
        assert not (folder / EVIDENCE).exists()
