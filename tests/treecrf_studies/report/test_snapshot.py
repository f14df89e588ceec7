"""The snapshot of results."""

import datetime
import json
import re
import shutil

import pandas as pd
import pytest
from builders import ROOT
from planted_claims import CHAPTER_3
from planted_verdicts import PLANTED
from runs import own_settings, write_training_results

from treecrf.io.files import read_json, write_json
from treecrf_studies.registry import registry
from treecrf_studies.report.ledger import claim_rows
from treecrf_studies.report.snapshot import main, run_text, write_site, write_snapshot

DAY = datetime.date(2000, 1, 2)


def settings_of(results, **values):
    return own_settings(results=str(results), **values)


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
    assert provenance["seeds"]["seed"] == "0"
    assert list(provenance["settings"]["datasets"]) == ["hmm"]
    assert {"training"} == provenance["settings"].keys() & {study.name for study in registry()}
    assert {study.name for study in registry()} & {path.name for path in folder.iterdir()} == {"training"}
    assert "2000-01-02" in (folder / "index.md").read_text()
    accuracy = pd.read_csv(folder / "training/accuracy.csv")
    assert accuracy["hmm (stand-in)"].tolist() == ["77.25 ▲", "77.25 ▲"]
    assert "(training/accuracy.csv)" in (folder / "chapter-3-new.md").read_text()
    pages = list(folder.rglob("*.md"))
    assert len(pages) > len(claim_rows())
    texts = {page: page.read_text() for page in pages}
    links = [page.parent / link for page, text in texts.items() for link in re.findall(r"\]\(([^)#]+)", text)]
    assert len(links) > len(pages)
    documentation = {(folder / f"../{page.name}").resolve() for page in (ROOT / "docs").glob("*.md")}
    assert [link for link in links if not link.is_file() and link.resolve() not in documentation] == []


def test_a_note_on_the_run_stands_on_the_page_of_the_run_and_others_link_to_it(results, tmp_path):
    write_snapshot(settings_of(results, note="Only hmm was run."), tmp_path / "snapshot", DAY)
    pages = list((tmp_path / "snapshot").rglob("*.md"))
    texts = {page.relative_to(tmp_path / "snapshot").as_posix(): page.read_text() for page in pages}
    assert "\n\n- Only hmm was run.\n\n" in texts["run.md"].partition("## Origin of the results")[2]
    assert len(texts) > 2
    for path, text in texts.items():
        way = "../run.md" if "/" in path else "run.md"
        banner = (
            rf"\n\n> Results of 2000-01-02, code at commit \S+: \[what was run\]\({way}#origin-of-the-results\)\.\n\n"
        )
        assert bool(re.search(banner, text)) == (path != "run.md"), path


@pytest.mark.parametrize("profile", ["short", "demo"])
def test_a_run_that_decides_no_claim_is_refused(results, tmp_path, profile):
    message = f"the run has the profile '{profile}', which decides no claim; run `make results`[.]$"
    with pytest.raises(ValueError, match=message):
        write_snapshot(settings_of(results, profile=profile), tmp_path / "snapshot", DAY)
    assert list(tmp_path.glob("snapshot*")) == []


@pytest.mark.parametrize("is_there", [True, False])
def test_without_results_and_evidence_there_is_nothing_to_publish(tmp_path, is_there):
    folder = tmp_path / "snapshot"
    if is_there:
        folder.mkdir()
    with pytest.raises(ValueError, match="no study is finished there; run `make results` first"):
        write_snapshot(settings_of(tmp_path / "nothing"), folder, DAY)
    assert [path.name for path in tmp_path.iterdir()] == ["snapshot"] * is_there


@pytest.mark.slow
def test_the_published_pages_tables_and_claims_are_those_of_the_evidence(tmp_path, monkeypatch):
    """So no number of them was typed, or is left over from other code."""
    published = ROOT / "docs/results"
    monkeypatch.chdir(tmp_path)  # no results there
    folder = shutil.copytree(published, tmp_path / "results_of_the_run")
    shutil.copyfile(ROOT / "docs/glossary.md", tmp_path / "glossary.md")
    main(["--config", str(ROOT / "config/config.yaml"), "--folder", str(folder)])
    written = {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
    committed = {path.relative_to(published): path for path in published.rglob("*") if path.is_file()}
    assert [str(path) for path in set(committed) - set(written)] == ["published.csv"]  # README's
    assert set(written) <= set(committed)
    differing = [str(name) for name, path in written.items() if path.read_bytes() != committed[name].read_bytes()]
    assert [name for name in differing if not name.endswith(".svg")] == []


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Runs of training and of cost, a snapshot of the first, and one of both; P3.1 and P3.9 rest on the two."""
    folder = tmp_path_factory.mktemp("runs")
    write_training_results(folder / "training")
    PLANTED["P3.1"]["replicated"](folder / "training")
    PLANTED["P3.9"]["replicated"](folder / "cost")
    (folder / "cost/cost/figure_3_3a.svg").write_text("<svg/>")
    write_snapshot(settings_of_claims(folder / "training"), folder / "first", DAY)
    shutil.copytree(folder / "first", folder / "both")
    write_snapshot(settings_of_claims(folder / "cost"), folder / "both", DAY.replace(day=3))
    return folder


@pytest.fixture
def both(runs, tmp_path):
    """A copy of the snapshot of both runs."""
    return shutil.copytree(runs / "both", tmp_path / "both")


def files_of(folder, study):
    """Everything in a snapshot that is about one study alone, by its path."""
    found = [*folder.glob(f"{study}/**/*"), *folder.glob(f"evidence/{study}/**/*")]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found if path.is_file()}


def test_a_page_names_the_runs_of_its_own_studies(both):
    def banner(name):
        return next(line for line in (both / name).read_text().splitlines() if line.startswith("> "))

    assert "Results of 2000-01-02, code" in banner("claims/P3.1.md")
    assert "Results of 2000-01-03, code" in banner("claims/P3.9.md")
    assert "Results of 2000-01-02, code" in banner("icml-2004.md")
    assert "Results of 2000-01-02 and 2000-01-03, code" in banner("index.md")
    assert "year = {2000}" in (both / "cite.md").read_text()


def test_a_banner_is_short_for_any_number_of_runs():
    runs = [{"date": f"2000-01-0{day}", "commit": f"{day}" * 40} for day in range(1, 8)]
    assert run_text(runs[:1]) == f"results of 2000-01-01, code at commit {'1' * 10}"
    assert run_text(runs[:2]) == f"results of 2000-01-01 and 2000-01-02, code at commits {'1' * 10} and {'2' * 10}"
    assert run_text(runs).endswith("2000-01-07, code at 7 commits")
    assert max(len(run_text(runs[:n]).split()) for n in range(1, 8)) <= 17  # with "what was run" 20


def verdict_of(folder, claim):
    return pd.read_csv(folder / "claims.csv").set_index("id").loc[claim, "verdict"]


def test_a_study_that_the_run_does_not_have_stays(runs):
    old, new = (files_of(runs / name, "training") for name in ("first", "both"))
    assert len(old) > 10
    assert {name for name in old | new if old.get(name) != new.get(name)} == {"training/provenance.json"}
    assert read_json(runs / "both/training/provenance.json")["remade"]
    assert (runs / "both/evidence/data/protein/description.json").is_file()
    drawn = (runs / "both/cost/figure_3_3a.svg").read_text()  # of the measurements, which the evidence has
    assert "in proportion" in drawn
    assert "At a sequence length of 2560: " in (runs / "both/chapter-3-cost.md").read_text()
    verdicts = [[verdict_of(runs / name, claim) for claim in ("P3.1", "P3.9")] for name in ("first", "both")]
    assert verdicts == [["replicated", "not_run"], ["replicated", "replicated"]]


def test_data_sets_that_a_run_has_not_finished_stay_from_earlier_runs(tmp_path):
    """A long run is published in parts."""
    run, folder = tmp_path / "run", tmp_path / "snapshot"
    write_training_results(run)  # of hmm, and one frame of xor
    settings = settings_of(run, datasets={"hmm": {}, "xor": {}}, training={"datasets": ["hmm", "xor"]})

    def write_set(name, points):
        for path in (run / "training/hmm").glob("*.csv"):
            frame = pd.read_csv(path).assign(dataset=name)
            values = {"value": frame["value"] + points} if "value" in frame else {}
            frame.assign(**values).to_csv(run / "training" / name / path.name, index=False)

    def write_part(day):
        write_snapshot(settings, folder, DAY.replace(day=day))
        evidence = folder / "evidence/training"
        found = {path.relative_to(evidence).as_posix(): path.read_bytes() for path in evidence.rglob("*.csv")}
        return found, read_json(folder / "training/provenance.json")

    write_set("xor", 0)
    first, origin = write_part(2)
    assert (origin["data_sets"], origin["earlier"]) == (["hmm", "xor"], [])
    (folder / "evidence/training/example.csv").write_text("a\n1\n")  # a part of the study that is not run again yet
    write_set("xor", -1)
    write_set("hmm", -5)
    (run / "training/hmm/ranks.csv").unlink()  # not finished: its other frames are not mixed with those of before
    second, origin = write_part(3)
    [earlier] = origin["earlier"]
    assert (origin["date"], origin["data_sets"]) == ("2000-01-03", ["xor"])
    assert (earlier["date"], earlier["data_sets"]) == ("2000-01-02", ["hmm"])
    assert {name.split("/")[0] for name in first if first[name] != second[name]} == {"xor"}
    assert second.keys() == {*first, "example.csv"}
    table = pd.read_csv(folder / "run_files/when-and-where-the-studies-were-run.csv", keep_default_na=False)
    assert table[["data sets", "run on"]].to_numpy().tolist() == [["xor", "2000-01-03"], ["hmm", "2000-01-02"]]
    assert "> Results of 2000-01-02 and 2000-01-03, code at commit " in (folder / "index.md").read_text()
    shutil.rmtree(run)
    third, origin = write_part(4)  # made anew from both
    assert (third, origin["earlier"], origin["remade"]) == (second, [earlier], True)


def test_a_study_that_ran_again_leaves_nothing_of_its_old_part(both, tmp_path):
    before = files_of(both, "training")
    assert "evidence/cost/scaling.csv" in files_of(both, "cost")
    (tmp_path / "again/cost").mkdir(parents=True)
    (tmp_path / "again/cost/figure_3_3b.svg").write_text("<svg/>")
    write_snapshot(settings_of_claims(tmp_path / "again"), both, DAY)
    assert files_of(both, "cost").keys() == {"cost/provenance.json"}
    assert files_of(both, "training") == before
    assert [verdict_of(both, claim) for claim in ("P3.1", "P3.9")] == ["replicated", "not_run"]


def test_cpu_time_of_shared_data_is_counted_once(both):
    of_data = ("all studies", "prepare_data", "protein", 5)
    for row in (("training", "train", "protein", 7), ("cost", "measure", "protein", 1)):
        jobs = pd.DataFrame([of_data, row], columns=["study", "step", "data set", "CPU s"]).assign(
            **{"jobs": "1", "wall s": 2}
        )
        file = both / row[0] / "provenance.json"
        write_json(read_json(file) | {"cpu_time": jobs.to_dict("records")}, file)
    write_site(both, both)
    table = (both / "run_files/jobs-by-study.csv").read_text().splitlines()
    assert {"all studies,1,2,5", "total,3,6,13"} < set(table)


def test_a_snapshot_that_fails_leaves_the_old_one(runs, both, monkeypatch):
    def fail(*_):
        raise OSError("disk full")

    before = {path: path.read_bytes() for path in both.rglob("*") if path.is_file()}
    monkeypatch.setattr("treecrf_studies.report.snapshot.pages_of_results", fail)
    with pytest.raises(OSError, match="disk full"):
        write_snapshot(settings_of_claims(runs / "cost"), both, DAY)
    assert {path: path.read_bytes() for path in both.rglob("*") if path.is_file()} == before
    assert [path.name for path in both.parent.iterdir()] == ["both"]
