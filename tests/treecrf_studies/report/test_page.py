"""Properties of the site: its pages stand alone, lead to one another, and everybody can read them."""

import json

import pandas as pd
from runs import SCRIPT, Elements, check, linked_files, own_settings, page_of, write_training_tables

from treecrf_studies.report.page import write_page


def test_pages_stand_alone_and_link_to_files_that_exist(results):
    page_of(results, "hmm")
    pages = sorted((results / "reports").glob("*.html"))
    assert [page.name for page in pages] == [
        "cite.html",
        "glossary.html",
        "index.html",
        "run.html",
        "search.html",
        "training.html",
    ]
    found = {
        page.name: linked_files(check(page.read_text()), results / "reports") for page in pages if page.stem != "search"
    }
    missing = {file.name for files in found.values() for file in files if not file.is_file()}
    assert missing == {"explorer.html"}  # another rule writes it
    assert "accuracy.csv" in {file.name for file in found["training.html"]}


def published(results):
    """The first page of a run that replicated a claim."""
    claims = pd.read_csv(results / "claims.csv", keep_default_na=False)
    claims.loc[0, "verdict"] = "replicated"
    claims.to_csv(results / "claims.csv", index=False)
    return page_of(results, "hmm")


def test_a_run_of_papers_has_a_page_for_each_paper_and_each_claim(results):
    first = published(results)
    reports = results / "reports"
    for name in ("index", "claims"):
        files = linked_files(check((reports / f"{name}.html").read_text()), reports)
        assert all(file.is_file() for file in files if file.name != "explorer.html")
    ids = pd.read_csv(results / "claims.csv")["id"]
    assert {f"{claim}.html" for claim in ids} == {path.name for path in (reports / "claims").iterdir()}
    check((reports / "claims" / f"{ids[0]}.html").read_text())
    assert "(chapter-3.md)" in first
    assert f"- **1 of {len(ids)}** claims replicated" in first
    assert "[Explore](html:explorer.html)" in first


def test_pages_of_claims_that_are_no_more_are_removed(results):
    published(results)
    old = results / "reports/claims/P0.0.html"
    old.write_text("from before")
    published(results)
    assert not old.exists()


def test_a_remark_on_the_run_stands_above_everything_else(results):
    page = page_of(results, "hmm", note="Only <a> demonstration.")
    assert "\n\n> Only \\<a\\> demonstration.\n\n" in page[:200]
    assert "demonstration" not in page_of(results, "hmm")


def test_the_site_of_one_study(results):
    page_of(results, "hmm")
    (results / "reports/unfinished").mkdir()
    (results / "reports/unfinished/index.html").touch()
    places = {"results": str(results), "reports": str(results / "reports")}
    write_page(own_settings("hmm", "xor", missing={"datasets": ["xor"]}, **places), results / "logs", study="training")
    page = (results / "reports/training/markdown/index.md").read_text()
    assert "xor: not computed" in page
    assert "Missing values" not in page  # the other study
    elements = check((results / "reports/training/index.html").read_text())
    assert [path.is_file() for path in linked_files(elements, results / "reports/training")].count(False) == 0
    assert not (results / "reports/unfinished").exists()


def test_the_demo_says_nothing_of_papers(results):
    claims = pd.read_csv(results / "claims.csv", keep_default_na=False)
    claims.loc[0, "verdict"] = "no_verdict"
    claims.to_csv(results / "claims.csv", index=False)
    page_of(results, "hmm", profile="demo")
    assert not (results / "reports/claims.html").exists()


def test_what_people_named_is_shown_as_text(results):
    file = results / "data/hmm/description.json"
    named = dict.fromkeys(("title", "stand_in", "terms"), SCRIPT)
    file.write_text(json.dumps(json.loads(file.read_text()) | named))
    summary = pd.read_csv(results / "training/hmm/summary.csv")
    summary.assign(candidate=SCRIPT).to_csv(results / "training/hmm/summary.csv", index=False)
    notes = pd.read_csv(results / "training/hmm/notes.csv")
    notes.assign(note=SCRIPT).to_csv(results / "training/hmm/notes.csv", index=False)
    write_training_tables(results)
    page_of(results, "hmm")
    pages = {path.stem: path.read_text() for path in (results / "reports").glob("*.html")}
    for name in ("training", "run"):
        assert "alert('&amp;')" in pages[name].replace("&#39;", "'").replace("&#x27;", "'")
    assert [name for name, page in pages.items() if "<script>alert" in page] == []
    assert all(Elements(page).all("script") for page in pages.values())  # the theme's


def test_a_run_whose_own_method_failed_says_that_it_is_not_finished_and_why(tmp_path):
    logs = tmp_path / "logs"
    (logs / "training").mkdir(parents=True)
    log = "ValueError: own:Own: predict_proba returned [1.0, 1.0]\nWhere it happened\nTraceback\n"
    (logs / "training/hmm_own.log").write_text(log)
    settings = own_settings(
        labellers={"own": {"class": "sklearn.linear_model:LogisticRegression"}},
        training={"datasets": ["hmm"], "methods": ["own"]},
        results=str(tmp_path / "results"),
        reports=str(tmp_path / "reports"),
    )
    write_page(settings, logs, finished=False)
    page = (tmp_path / "reports/unfinished/markdown/index.md").read_text()
    assert "> This run is not finished" in page
    assert r"predict\_proba returned \[1.0, 1.0\]" in page[page.index("## Data sets without results") :]
    assert (tmp_path / "reports/unfinished/index.html").is_file()
    assert not (tmp_path / "reports/index.html").exists()
