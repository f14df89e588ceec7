"""Properties of the whole page: it stands alone, and everybody can read it."""

import json
import re

import pandas as pd
import pytest
from builders import ESCAPED, NOTHING, ROOT, SCRIPT, check, linked_files, page_of, write_training_tables

from treecrf.io.files import resource
from treecrf.report.page import LIMITATIONS, studies
from treecrf.studies import registry
from treecrf.studies.framework.settings import load_settings

TRAINING = {"training": {"datasets": ["hmm"]}}


def test_page_stands_alone_and_links_to_files_that_exist(results):
    elements = check(page_of(results, "hmm"))
    files = linked_files(elements, results / "reports")
    assert [file.name for file in files if not file.is_file()] == ["explorer.html"]  # another rule writes it
    names = {file.name for file in files}
    assert {"accuracy.csv", "accuracy.tex", "figure_3_1.svg", "summary.csv"} <= names


def test_page_starts_with_a_summary(results):
    claims = pd.read_csv(results / "claims.csv", keep_default_na=False)
    claims.loc[0, "verdict"] = "replicated"
    claims.to_csv(results / "claims.csv", index=False)
    page = page_of(results, "hmm")
    assert re.search(
        r"<dd>Best at the cross-validated choice, or equivalent to the best: .* of 1 data set.* On hmm .* only, .*</dd>",
        page,
    )
    assert re.search(r"<dd>\d+ claims: \d+ replicated, .* not run\.</dd>", page)
    assert page.index('id="summary"') < page.index('id="training"') < page.index('id="claims"')


def test_a_remark_on_the_run_stands_above_everything_else(results):
    page = page_of(results, "hmm", note="Only <a> demonstration.")
    remark = page.index('<p class="warning">Only &lt;a&gt; demonstration.</p>')
    assert page.index("<main") < remark < page.index('id="summary"')
    assert "demonstration" not in page_of(results, "hmm")


def test_page_about_nothing_published_starts_with_answers(results):
    page = page_of(results, "hmm")
    check(page)
    for words in (
        "not run",
        "ublished",
        "Ledger",
        "claims:",
        "the paper",
        "PhD",
        "dissertation",
        "chapter 3",
        "able 3.",
    ):
        assert words not in re.sub(
            r"<(style|script)>.*?</\1>|<li><b>SMILE was not run.*?</li>", "", page, flags=re.DOTALL
        )
    first = page[page.index('id="summary"') : page.index('id="training"')]
    assert '<th scope="row">best</th><th scope="row">linear CRF</th>' in first
    assert "linear CRF is 1.00 points ahead of my_method (p = 0.400)" in first
    assert "On all of the file" not in first  # there is none


def test_what_people_named_is_shown_as_text(results):
    file = results / "data/hmm/description.json"
    named = dict.fromkeys(("title", "stand_in", "terms"), SCRIPT)
    file.write_text(json.dumps(json.loads(file.read_text()) | named))
    summary = pd.read_csv(results / "training/hmm/summary.csv")
    summary.assign(candidate=SCRIPT).to_csv(results / "training/hmm/summary.csv", index=False)
    notes = pd.read_csv(results / "training/hmm/notes.csv")
    notes.assign(note=SCRIPT).to_csv(results / "training/hmm/notes.csv", index=False)
    write_training_tables(results)
    page = page_of(results, "hmm")
    assert len(check(page).all("script")) == 1  # the page's own
    for before in ("<p>", "Stand-in: ", "<p>Source: ", "</b>: ", "<td>"):
        assert f"{before}{ESCAPED}" in page


@pytest.mark.parametrize("study", registry(), ids=lambda study: study.name)
def test_every_study_has_limitations(study):
    lines = resource(f"treecrf.studies.{study.name}", LIMITATIONS).splitlines()
    assert len(lines) >= 3
    assert all(line.endswith(".") for line in lines)


def test_a_study_ends_with_its_limitations(results):
    settings = load_settings(
        {"profile": "own", "results": str(results), "datasets": {"hmm": {}}, **NOTHING, **TRAINING}
    )
    found = {is_published: studies(settings, results, is_published=is_published)[0] for is_published in (True, False)}
    texts = {key: "".join(part.html for part in study.sections[-1].parts) for key, study in found.items()}
    assert all(study.sections[-1].title == "Limitations" for study in found.values())
    assert all("A peak uses test labels" in text for text in texts.values())
    assert "papers" in texts[True]
    assert "papers" not in texts[False]


RULES = "".join(file.read_text() for file in sorted((ROOT / "workflow/rules").glob("*.smk")))


def test_every_job_is_measured_but_downloads_and_the_pages():
    rules = re.split(r"(?m)^(?= *rule\b)", RULES)[1:]
    names = [re.search(r"rule (\w+):", rule) for rule in rules if "benchmark:" not in rule and "script:" in rule]
    assert [name and name[1] for name in names] == [
        "download", "write_page", "write_explorer", "write_manifest", "archive", "compare",
    ]  # fmt: skip
