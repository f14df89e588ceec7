"""The findings of the published results: their words, numbers and files."""

import pandas as pd
import pytest
from builders import ROOT
from runs import own_settings

from treecrf_studies.report.findings import lesson_findings, overview_findings, paper_findings
from treecrf_studies.report.ledger import read_ledger
from treecrf_studies.report.papers import PAPERS
from treecrf_studies.report.snapshot import EVIDENCE, recorded_settings

PUBLISHED = ROOT / "docs/results"


@pytest.fixture(scope="module")
def found():
    """By name: all of them."""
    settings = recorded_settings(PUBLISHED).model_copy(update={"results": str(PUBLISHED / EVIDENCE)})
    claims, _ = read_ledger(PUBLISHED)
    findings = [*overview_findings(settings, claims), *lesson_findings(settings)]
    findings += [finding for paper in PAPERS for finding in paper_findings(settings, paper)]
    assert len({finding.name for finding in findings}) == len(findings)
    return {finding.name: finding for finding in findings}


def test_pages_have_a_finding_for_each_question(found):
    tables = {f"phd_table_{name}" for name in ("3_4", "3_5", "3_6", "4_1", "5_3", "5_4", "5_5")}
    first = {"published_and_measured", "claims_by_test", "gaps_to_the_best", "accuracy_and_cost", "lessons"}
    curves = {"learning_curves", "seconds_by_iteration", "accuracy_by_seconds", "effects_of_missing_values"}
    assert set(found) == tables | first | curves | {"phd_table_3_5_cpu_seconds", "espboost_table_1"}


def test_captions_are_short_and_have_a_number(found):
    for finding in found.values():
        assert len(finding.caption.split()) <= 25, finding.name
        assert any(letter.isdigit() for letter in finding.caption), finding.name
        assert finding.alt.endswith("."), finding.name
        assert len(finding.title.split()) <= 6, finding.name


def test_files_have_the_figure_and_its_numbers(found, tmp_path):
    finding = found["claims_by_test"]
    finding.write(tmp_path / "figures")
    assert "<svg" in (tmp_path / "figures/claims_by_test.svg").read_text()
    written = pd.read_csv(tmp_path / "figures/claims_by_test.csv", keep_default_na=False)
    assert written.shape == finding.frame.shape


@pytest.mark.slow
def test_every_figure_is_drawn(found, tmp_path):
    for finding in found.values():
        finding.write(tmp_path)
        assert (tmp_path / f"{finding.name}.svg").stat().st_size > 1000


def test_a_run_without_results_has_no_findings(tmp_path):
    settings = own_settings("protein", profile="protocol", results=str(tmp_path))
    assert overview_findings(settings, None) == lesson_findings(settings) == []
    assert [finding for paper in PAPERS for finding in paper_findings(settings, paper)] == []
