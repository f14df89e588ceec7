"""Recommendations and conclusions, against the numbers that they are made of."""

import re

import pandas as pd
import pytest
from builders import ROOT

from treecrf_studies.framework.frames import Frames
from treecrf_studies.rendering.parts import Markdown, Note, Section, Study
from treecrf_studies.report import ledger
from treecrf_studies.report.claim_pages import claim_pages, claims_table, reason
from treecrf_studies.report.conclusions import MOST_SENTENCES, choose, conclude
from treecrf_studies.report.papers import PAPERS, paper_pages
from treecrf_studies.report.provenance import cite_page
from treecrf_studies.report.snapshot import recorded_settings

FOLDER = ROOT / "docs/results"


@pytest.fixture(scope="module")
def frames():
    return Frames(recorded_settings(FOLDER).model_copy(update={"results": str(FOLDER / "evidence")}))


def test_recommendations_have_the_numbers_of_the_evidence(frames):
    words, missing, time, own = choose(frames).parts[0].text.removeprefix("- ").split("\n- ")
    scores = pd.read_csv(FOLDER / "evidence/coding/conll2000_np/scores.csv")
    best = scores.loc[scores.query("quantity == 'F1 of noun phrases' and counted")["value"].idxmax()]
    assert f"F1 of noun phrases {best['value']:.2f} %" in words
    assert "not F1" in words
    assert "instance weighting (−0.0" in missing
    assert missing.startswith("**Inputs with missing cells**: let TreeCRF treat them by instance weighting")
    assert "none of numbers from sensors" in missing
    advice = pd.read_csv(FOLDER / "missing-values_files/which-method-to-use-when.csv").set_index("method")["CPU time"]
    assert all(f"; CPU time {advice[name]:.1f})" in missing for name in ("instance weighting", "indicator"))
    assert "trees + net has the highest mean accuracy" in time
    assert "less accurate only on nettalk" in time
    assert "treecrf describe FILE" in own
    assert choose(Frames(frames.settings.model_copy(update={"results": "nowhere"}))).parts == []


def test_conclusions_are_short_and_compare_like_with_like(frames):
    judged = ledger.read_ledger(FOLDER)
    found = {paper.start: conclude(paper, frames, judged) for paper in PAPERS}
    assert all(
        1 <= len(texts) <= MOST_SENTENCES and max(len(text.split()) for text in texts) <= 45 for texts in found.values()
    )
    met, order, seconds = found["P3"]
    assert met.startswith("10 of 13 printed peaks")
    assert "MALLET 98.47 %, published 92.70; TreeCRF 95.36 %, published 95.65" in order
    assert "78.7 to 124 on protein, nettalk and hyphen (published: 1.7 to 2.1)" in seconds
    assert "0 of 16 cases" in found["P4"][1]
    assert "likely because its line features are inferred" in found["P4"][2]


def test_a_claim_on_seconds_says_what_was_measured_and_why_it_is_open():
    claims, _, compared = ledger.read_ledger(FOLDER)
    compared = compared.query("id == 'P3.14' and part == ''")
    text = reason(claims.set_index("id").loc["P3.14"].to_dict(), compared)
    assert text.startswith("MALLET : TreeCRF, seconds to the peak: 78.69 on protein (published 1.88), ")
    assert text.endswith("which gives no interval, so that no test decides.")


@pytest.fixture(scope="module")
def pages():
    return {page.path: page for page in claim_pages(*ledger.read_ledger(FOLDER))}


def test_a_claim_on_no_difference_says_which_test_finds_none_and_how_much_it_would_find(pages):
    page = pages["claims/P3.2.md"]
    assert page.title.startswith("P3.2: TreeCRF and MALLET ")
    assert (
        "finds no difference in 4 of 4 comparisons; the paper’s own test finds one on faq\\_aix." in page.lead[0].text
    )
    robustness = next(section for section in page.sections if section.identifier == "robustness")
    assert "1.86 (protein), 0.75 (hyphen)" in robustness.parts[0].text


def test_the_verdict_leads_with_both_samples_where_the_larger_one_alone_decides(pages):
    first, why = (part.text for part in pages["claims/P4.2.md"].lead[:2])
    both = "**On the paper's damaged sets: ? undecided. On more damaged sets: ✗ not replicated.**"
    assert first == both
    assert why.startswith("On the paper's damaged sets: of 12 comparisons, 5 hold, 1 fails, 6 are open.")
    assert pages["claims/P3.1.md"].lead[0].text.startswith("**? undecided** ")


def test_a_verdict_on_inferred_columns_alone_says_so(pages):
    texts = {path: page.lead[0].text for path, page in pages.items() if path.startswith("claims/")}
    assert "rests only on FAQ sets" in texts["claims/P4.4.md"]
    assert "rests only on FAQ sets" not in texts["claims/P3.2.md"]


def test_the_table_of_a_paper_has_its_claims_and_how_many_other_rules_change_them():
    judged = ledger.read_ledger(FOLDER)
    (table,) = claims_table(judged, PAPERS[0])
    layout = table.layout.set_index("claim")
    assert layout.index.tolist() == [f"P3.{number}" for number in range(1, 24)]
    of_claim = judged.by_rule.query("id == 'P3.2'")
    n_others = int((of_claim["verdict"] != "replicated").sum())
    assert layout.loc["P3.2"].tolist()[1:] == ["◐ partly", "✓ replicated", "– not run", str(n_others)]
    assert layout.loc["P3.23", "changes under other rules"] == "–"


def test_the_page_of_a_paper_names_the_claims_that_the_test_contradicts():
    claims = ledger.read_ledger(FOLDER).claims
    study = Study("missing", "Missing values", [Section("missing-accuracy", "Accuracy", [Note(Markdown("text"))])])
    (page,) = paper_pages(PAPERS[1], [study], claims, [], {}, "")
    named = re.findall(r"P4\.\d+", page.lead[-1].text.partition(":")[2])
    of_chapter = claims[claims["id"].str.startswith("P4.") & (claims["verdict"] == "not_replicated")]
    assert list(dict.fromkeys(named)) == of_chapter["id"].tolist() != []


def test_the_page_of_citations_has_authors_version_licence_and_run():
    code, *items = cite_page("results of today, code at commit abc", "2026").lead
    assert "author = {{The treecrf developers}}" in code.text
    assert (
        "year = {2026},\n  url = {address of this page},\n  note = {results of today, code at commit abc}" in code.text
    )
    assert "BSD-3-Clause" in items[0].text
    assert "code at commit abc" in items[0].text
    assert "**Run**" not in cite_page("", "2026").lead[1].text
