"""The snapshot of results, and the part of README.md that comes from it."""

import datetime
import json
import re

import numpy as np
import pandas as pd
import pytest
from builders import ROOT
from PIL import Image

from treecrf.report.snapshot import BEGIN, END, main, readme_with_results, write_snapshot
from treecrf.studies.settings import load_settings

DAY = datetime.date(2000, 1, 2)


def settings_of(results, **values):
    given = {"results": str(results), "datasets": {"hmm": {}}, "training": {"datasets": ["hmm"]}}
    return load_settings(given | values)


def test_snapshot_has_tables_figures_and_provenance(results, tmp_path):
    folder = tmp_path / "docs/results"
    folder.mkdir(parents=True)
    (folder / "old.md").write_text("from before")
    write_snapshot(settings_of(results), folder, DAY)
    assert not (folder / "old.md").exists()
    assert [path.name for path in folder.parent.iterdir()] == ["results"]
    provenance = json.loads((folder / "provenance.json").read_text())
    assert provenance["date"] == "2000-01-02"
    assert {"setting": "seed", "value": "0"} in provenance["seeds"]
    assert provenance["settings"]["datasets"]["hmm"]
    index = (folder / "index.md").read_text()
    assert "2000-01-02" in index
    assert re.search(r"\d+ claims: \d+ replicated", index)
    assert "**77.25**" in index
    accuracy = pd.read_csv(folder / "training/accuracy.csv")
    assert accuracy["hmm (stand-in)"].tolist() == [77.25, 77.25]
    pages = list(folder.glob("*.md"))
    assert len(pages) == 4
    links = [link for page in pages for link in re.findall(r"\]\(([^)]+)\)", page.read_text())]
    assert len(links) > len(pages)
    assert [link for link in links if not (folder / link).is_file()] == []


def test_a_large_figure_is_kept_as_picture_of_few_colours(results, tmp_path):
    (results / "training/figure_3_1.svg").write_text("<svg/>" * 10_000)
    shades = np.full((60, 80, 3), 255, dtype=np.uint8)
    shades[:, :60, 0] = np.random.default_rng(0).integers(0, 255, (60, 60))
    shades[30, :] = 0, 114, 178  # a line
    Image.fromarray(shades).save(results / "training/figure_3_1.png")
    write_snapshot(settings_of(results), tmp_path / "snapshot", DAY)
    with Image.open(tmp_path / "snapshot/training/figure_3_1.png") as picture:
        assert picture.size == (80, 60)
        assert len(picture.getcolors()) <= 128
        assert np.abs(np.asarray(picture.convert("RGB"), dtype=int) - shades).max() < 16
    assert not (tmp_path / "snapshot/training/figure_3_1.svg").exists()


def test_without_results_the_old_snapshot_stays(tmp_path):
    (tmp_path / "snapshot").mkdir()
    with pytest.raises(ValueError, match="no study is finished there; run `make results` first"):
        write_snapshot(settings_of(tmp_path / "nothing"), tmp_path / "snapshot", DAY)
    assert (tmp_path / "snapshot").is_dir()


def test_command_writes_the_part_of_the_readme(results, tmp_path):
    config = tmp_path / "my.yaml"
    config.write_text(json.dumps({"results": str(results), "datasets": {"hmm": {}}, "training": {"datasets": ["hmm"]}}))
    readme, folder = tmp_path / "README.md", tmp_path / "docs/results"
    arguments = ["--config", str(config), "--folder", str(folder), "--readme", str(readme)]
    readme.write_text("no place for results")
    with pytest.raises(SystemExit, match="put them where results are to stand"):
        main(arguments)
    assert not folder.exists()
    readme.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    main(arguments)
    text = readme.read_text()
    assert text.startswith(f"before\n{BEGIN}\nTied for best")
    assert text.endswith(f"{END}\nafter\n")
    assert "**77.25**" in text
    assert "\nold\n" not in text
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) >= 3
    assert all((tmp_path / link).is_file() for link in links)


def test_readme_shows_the_results_that_are_committed():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme == readme_with_results(readme, ROOT / "docs/results", "docs/results")
