"""The reproducibility checklist: everything in it is from settings and results, but for limitations."""

import pandas as pd
import pytest
from builders import page_of

from treecrf.report.checklist import CHECKLIST, checklist, checklist_markdown, grids, run_counts, validation_scores
from treecrf.studies import registry
from treecrf.studies.settings import load_settings
from treecrf.studies.training import STUDY as TRAINING


@pytest.fixture
def settings(results):
    training = {"datasets": ["hmm"], "n_folds": 3, "variances": [1, 2.5], "methods": ["treecrf"]}
    folders = {"results": str(results), "reports": str(results / "reports")}
    return load_settings(folders | {"profile": "own", "datasets": {"hmm": {}}, "training": training})


def test_the_score_that_chose_stands_beside_that_of_the_test_set(settings, results):
    summary = pd.read_csv(results / "training/hmm/summary.csv")
    found = validation_scores(settings, [TRAINING])
    assert len(found) == summary["cv_accuracy"].notna().sum() > 0
    first = summary[summary["cv_accuracy"].notna()].iloc[0]
    assert found.iloc[0].tolist() == [
        "training", "hmm", first["method"], first["decoder"], f"{first['cv_accuracy']:.2f}", f"{first['chosen_accuracy']:.2f}",
    ]  # fmt: skip


def test_studies_without_results_have_no_scores(settings):
    others = [study for study in registry() if study.name != "training"]
    assert validation_scores(settings, others).empty


def test_numbers_of_runs_and_grids_are_settings(settings):
    counts = run_counts(settings, [TRAINING]).set_index("setting")["value"]
    assert counts["n_folds"] == "3"
    found = grids(settings, [TRAINING]).set_index("setting")["value"]
    assert found["variances"] == "1, 2.5"
    assert "methods" not in found


@pytest.mark.parametrize("study", registry(), ids=lambda study: study.name)
def test_every_study_has_limitations_and_scores_of_its_own_frames(study, settings):
    text = checklist_markdown(checklist(settings, [study]))
    assert f"Limitations of {study.name}" in text
    assert text.count("<li>") >= 3
    assert study.scores is None or study.scores.frame in study.summary.frames


def test_limitations_of_the_comparison_with_papers_need_papers(settings):
    text = checklist_markdown(checklist(settings, [TRAINING], is_published=False))
    assert "A peak uses test labels" in text
    assert "paper" not in text.lower()


def test_the_page_has_it_and_so_has_a_file_of_its_own(results):
    page = page_of(results, "hmm")
    assert '<section id="checklist">' in page
    text = (results / "reports" / CHECKLIST).read_text(encoding="utf-8")
    assert text.startswith("# Reproducibility checklist\n")
    for part in ("**Seeds**", "**Numbers of runs**", "**Grids**", "**Validation and test scores**"):
        assert part in text
