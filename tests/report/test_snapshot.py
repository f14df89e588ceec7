"""The snapshot of results, and the part of README.md that comes from it."""

import datetime
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from builders import ROOT
from PIL import Image
from planted_claims import CHAPTER_3
from planted_verdicts import PLANTED

from treecrf.io.files import read_json, write_json
from treecrf.report.snapshot import BEGIN, END, main, readme_with_results, write_shared, write_snapshot
from treecrf.studies import registry
from treecrf.studies.settings import load_settings

DAY = datetime.date(2000, 1, 2)


def settings_of(results, **values):
    given = {"results": str(results), "datasets": {"hmm": {}}, "training": {"datasets": ["hmm"]}}
    return load_settings(given | values)


def settings_of_claims(results):
    """The same with the data sets that claims are about."""
    names = ["hmm", *CHAPTER_3]
    return settings_of(
        results, datasets={name: {} for name in names}, training={"datasets": names}, cost={"methods": ["treecrf"]}
    )


def test_snapshot_has_tables_figures_and_provenance(results, tmp_path):
    folder = tmp_path / "docs/results"
    folder.mkdir(parents=True)
    (folder / "old.md").write_text("from before")
    write_snapshot(settings_of(results), folder, DAY)
    assert not (folder / "old.md").exists()
    assert [path.name for path in folder.parent.iterdir()] == ["results"]
    provenance = json.loads((folder / "training/provenance.json").read_text())
    assert provenance["date"] == "2000-01-02"
    assert {"setting": "seed", "value": "0"} in provenance["seeds"]
    assert list(provenance["settings"]["datasets"]) == ["hmm"]
    assert {"training"} == provenance["settings"].keys() & {study.name for study in registry()}
    assert {study.name for study in registry()} & {path.name for path in folder.iterdir()} == {"training"}
    index = (folder / "index.md").read_text()
    assert "2000-01-02" in index
    assert re.search(r"\d+ claims: \d+ replicated", index)
    assert "**77.25**" in index
    accuracy = pd.read_csv(folder / "training/accuracy.csv")
    assert accuracy["hmm (stand-in)"].tolist() == [77.25, 77.25]
    pages = list(folder.rglob("*.md"))
    assert len(pages) == 5
    links = [page.parent / link for page in pages for link in re.findall(r"\]\(([^)]+)\)", page.read_text())]
    assert len(links) > len(pages)
    assert [link for link in links if not link.is_file()] == []


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


@pytest.fixture
def training_then_cost(results, tmp_path):
    """A snapshot of training alone, over which one of cost alone is written; P3.1 and P3.9 rest on the two."""
    folder = tmp_path / "snapshot"
    PLANTED["P3.1"]["replicated"](results)
    write_snapshot(settings_of_claims(results), folder, DAY)
    (tmp_path / "before").mkdir()
    shutil.copytree(folder, tmp_path / "before", dirs_exist_ok=True)
    PLANTED["P3.9"]["replicated"](tmp_path / "later")
    draw(tmp_path / "later", "figure_3_3a")
    write_snapshot(settings_of_claims(tmp_path / "later"), folder, DAY.replace(day=3))
    return folder


def draw(results, name):
    (results / "cost").mkdir(parents=True, exist_ok=True)
    (results / "cost" / f"{name}.svg").write_text("<svg/>")


def files_of(folder, study):
    """Everything in a snapshot that is about one study alone, by its path."""
    found = [folder / f"{study}.md", *folder.glob(f"{study}/**/*"), *folder.glob(f"evidence/{study}/**/*")]
    return {path.relative_to(folder): path.read_bytes() for path in found if path.is_file()}


def verdict_of(folder, claim):
    return pd.read_csv(folder / "claims.csv").set_index("id").loc[claim, "verdict"]


def test_a_study_that_the_run_does_not_have_stays(training_then_cost, tmp_path):
    old, new = (files_of(folder, "training") for folder in (tmp_path / "before", training_then_cost))
    assert len(old) > 10
    assert new == old
    assert (training_then_cost / "evidence/data/protein/description.json").is_file()
    assert [verdict_of(tmp_path / "before", claim) for claim in ("P3.1", "P3.9")] == ["replicated", "not_run"]
    assert [verdict_of(training_then_cost, claim) for claim in ("P3.1", "P3.9")] == ["replicated", "replicated"]


def test_index_says_where_each_study_is_from_and_what_is_absent(training_then_cost):
    parts = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", (text := index_of(training_then_cost)), flags=re.M | re.S))
    assert list(parts)[:2] == ["Training (chapter 3)", "Cost (chapter 3)"]
    days = [re.findall(r"Written on (\S+), code at commit `\w+", part) for part in parts.values()]
    assert days[:2] == [["2000-01-02"], ["2000-01-03"]]
    absent = re.search("Not in these results: (.*)", text)[1].split("; ")
    assert absent[0] == f"{', '.join(CHAPTER_3)} of Training (chapter 3)"
    assert [each.partition(" of ")[0] for each in absent[1:]] == ["all", "all", "all"]
    assert "**77.25**" in (training_then_cost / "readme.md").read_text()


def index_of(folder):
    return (folder / "index.md").read_text()


def test_a_study_that_ran_again_leaves_nothing_of_its_old_part(training_then_cost, tmp_path):
    before = files_of(training_then_cost, "training")
    assert {"cost/figure_3_3a.svg", "evidence/cost/scaling.csv"} <= set(
        map(Path.as_posix, files_of(training_then_cost, "cost"))
    )
    draw(tmp_path / "last", "figure_3_3b")
    write_snapshot(settings_of_claims(tmp_path / "last"), training_then_cost, DAY)
    names = {path.as_posix() for path in files_of(training_then_cost, "cost")}
    assert names == {"cost.md", "cost/first.md", "cost/provenance.json", "cost/figure_3_3b.svg"}
    assert files_of(training_then_cost, "training") == before
    assert [verdict_of(training_then_cost, claim) for claim in ("P3.1", "P3.9")] == ["replicated", "not_run"]


def test_cpu_time_of_shared_data_is_counted_once(training_then_cost):
    rows = [("all studies", "prepare_data", "hmm", 5), ("training", "train", "hmm", 7), ("cost", "measure", "–", 1)]
    for study, others in (("training", "cost"), ("cost", "training")):
        file = training_then_cost / study / "provenance.json"
        names = ("study", "step", "data set", "CPU s")
        jobs = [dict(zip(names, row, strict=True)) | {"jobs": "1", "wall s": "2"} for row in rows if row[0] != others]
        write_json(read_json(file) | {"cpu_time": jobs}, file)
    write_shared(training_then_cost)
    table = index_of(training_then_cost).partition("## CPU time")[2]
    assert "| all studies | 1 | 2 | 5 |" in table
    assert "| total | 3 | 6 | 13 |" in table


def test_a_snapshot_that_fails_leaves_the_old_one(training_then_cost, tmp_path, monkeypatch):
    def fail(folder):
        raise OSError("disk full")

    before = {path: path.read_bytes() for path in training_then_cost.rglob("*") if path.is_file()}
    monkeypatch.setattr("treecrf.report.snapshot.verdicts", fail)
    with pytest.raises(OSError, match="disk full"):
        write_snapshot(settings_of_claims(tmp_path / "later"), training_then_cost, DAY)
    assert {path: path.read_bytes() for path in training_then_cost.rglob("*") if path.is_file()} == before
    assert not list(tmp_path.glob("snapshot.*"))


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
