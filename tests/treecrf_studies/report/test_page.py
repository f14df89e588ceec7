"""Properties of the site: its pages stand alone, lead to one another, and everybody can read them."""

import json

import pandas as pd
from runs import ESCAPED, SCRIPT, check, linked_files, own_settings, page_of, write_training_tables

from treecrf_studies.report.page import write_page


def test_pages_stand_alone_and_link_to_files_that_exist(results):
    page_of(results, "hmm")
    pages = sorted((results / "reports").glob("*.html"))
    assert [page.name for page in pages] == ["index.html", "run.html", "training.html"]
    found = {page.name: linked_files(check(page.read_text()), results / "reports") for page in pages}
    missing = {file.name for files in found.values() for file in files if not file.is_file()}
    assert missing == {"explorer.html"}  # another rule writes it
    assert {"accuracy.csv", "accuracy.tex", "figure_3_1.svg"} <= {file.name for file in found["training.html"]}
    assert "summary.csv" in {file.name for file in found["run.html"]}


def published(results):
    """The first page of a run that replicated a claim."""
    claims = pd.read_csv(results / "claims.csv", keep_default_na=False)
    claims.loc[0, "verdict"] = "replicated"
    claims.to_csv(results / "claims.csv", index=False)
    return page_of(results, "hmm")


def test_a_run_of_papers_has_a_page_for_each_paper_and_each_claim(results):
    first = published(results)
    check(first)
    reports = results / "reports"
    files = linked_files(check((reports / "claims.html").read_text()), reports)
    assert all(file.is_file() for file in files if file.name != "explorer.html")
    ids = pd.read_csv(results / "claims.csv")["id"]
    assert {f"{claim}.html" for claim in ids} == {path.name for path in (reports / "claims").iterdir()}
    check((reports / "claims" / f"{ids[0]}.html").read_text())
    assert 'href="dissertation.html"' in first
    assert "1 of " in first[first.index('class="tiles"') :]


def test_pages_of_claims_that_are_no_more_are_removed(results):
    published(results)
    old = results / "reports/claims/P0.0.html"
    old.write_text("from before")
    published(results)
    assert not old.exists()


def test_a_remark_on_the_run_stands_above_everything_else(results):
    page = page_of(results, "hmm", note="Only <a> demonstration.")
    assert page.index('<p class="banner">Only &lt;a&gt; demonstration.</p>') < page.index("<main")
    assert "demonstration" not in page_of(results, "hmm")


def test_the_site_of_one_study(results):
    page_of(results, "hmm")
    (results / "reports/unfinished.html").touch()
    places = {"results": str(results), "reports": str(results / "reports")}
    write_page(own_settings("hmm", "xor", missing={"datasets": ["xor"]}, **places), results / "logs", study="training")
    page = (results / "reports/training/index.html").read_text()
    assert "xor: not computed" in page
    assert "Missing values" not in page  # the other study
    assert [path.is_file() for path in linked_files(check(page), results / "reports/training")].count(False) == 0
    assert not (results / "reports/unfinished.html").exists()


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
    pages = [path.read_text() for path in (results / "reports").glob("*.html")]
    assert all(len(check(page).all("script")) == 1 for page in pages)  # the page's own
    for before in ("<p>", "Stand-in: ", "<p>Source: ", "</b>: "):
        assert any(f"{before}{ESCAPED}" in page for page in pages)


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
    page = (tmp_path / "reports/unfinished.html").read_text()
    assert '<p class="banner">This run is not finished' in page
    assert "predict_proba returned [1.0, 1.0]" in page[page.index('id="absent"') :]
    assert not (tmp_path / "reports/index.html").exists()
