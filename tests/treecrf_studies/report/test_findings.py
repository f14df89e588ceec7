"""The findings of the published results: their words, numbers and figures."""

import pytest
from builders import ROOT
from runs import own_settings

from treecrf_studies.cost.page import BY_FEATURES, BY_LENGTH, EVALUATION_BY_LENGTH
from treecrf_studies.framework.frames import Frames
from treecrf_studies.missing.words import tell_effects
from treecrf_studies.rendering.parts import Drawing
from treecrf_studies.report.ledger import read_ledger
from treecrf_studies.report.lessons import learnt_pages
from treecrf_studies.report.page import findings
from treecrf_studies.report.paper_plots import table_drawings
from treecrf_studies.report.papers import PAPERS
from treecrf_studies.report.snapshot import EVIDENCE, recorded_settings
from treecrf_studies.training.words import tell_curves, tell_seconds

PUBLISHED = ROOT / "docs/results"


@pytest.fixture(scope="module")
def settings():
    return recorded_settings(PUBLISHED).model_copy(update={"results": str(PUBLISHED / EVIDENCE)})


@pytest.fixture(scope="module")
def drawings(settings):
    """All that are drawn for pages, by their names."""
    claims = read_ledger(PUBLISHED).claims
    sections = findings(Frames(settings), claims)
    found = [part for section in sections for part in section.parts if isinstance(part, Drawing)]
    found += [part for part in learnt_pages(Frames(settings))[0].lead if isinstance(part, Drawing)]
    found += [part for paper in PAPERS for parts in table_drawings(Frames(settings), paper).values() for part in parts]
    assert len({drawing.name for drawing in found}) == len(found)
    return {drawing.name: drawing for drawing in found}


def test_pages_have_a_figure_for_each_question_and_each_table(drawings):
    numbers = ("34", "35", "35-cpu-seconds", "36", "41", "53", "54", "55")
    tables = {f"phd-table-{name}" for name in numbers} | {"espboost-table-1"}
    first = {
        "published-and-measured-accuracies",
        "verdicts-on-the-claims",
        "gaps-to-the-best-method",
        "accuracy-vs-cpu-time",
        "differences",
    }
    assert set(drawings) == tables | first


def told_of(frames):
    """The words of all figures that have some."""
    growth = (BY_LENGTH, BY_FEATURES, EVALUATION_BY_LENGTH)
    return [words for tell in (tell_curves, tell_seconds, tell_effects, *growth) if (words := tell(frames))]


def test_captions_are_short_and_have_a_number(drawings, settings):
    words = told_of(Frames(settings))
    assert len(words) == 3 + 3  # parts of figure 3.3
    assert all(len(each.numbers) for each in words)
    assert all(path.is_file() for each in words for path in each.points.values())
    told = [(drawing.caption, drawing.alt) for drawing in drawings.values()]
    told += [(each.sentence, each.alt) for each in words]
    for caption, alt in told:
        assert len(caption.split()) <= 25, caption
        assert any(letter.isdigit() for letter in caption), caption
        assert alt.endswith("."), alt


def test_every_figure_has_marks_and_its_numbers(drawings):
    for drawing in drawings.values():
        assert drawing.figure.axes, drawing.name
        assert len(drawing.layout), drawing.name


def test_drawings_stand_at_the_tables_of_their_papers(settings):
    drawn = {name: each for paper in PAPERS for name, each in table_drawings(Frames(settings), paper).items()}
    assert [not (of.layout == "").all().any() for parts in drawn.values() for of in parts] == [True] * 9
    anchors = list(drawn)
    names = ("3-4", "3-5", "3-6", "4-1", "5-3", "5-4", "5-5", "1")
    assert sorted(anchors) == sorted(f"table-{name}" for name in names)


def test_a_run_without_results_has_no_findings(tmp_path):
    settings = own_settings("protein", profile="protocol", results=str(tmp_path))
    assert findings(Frames(settings), None) == []
    assert learnt_pages(Frames(settings)) == []
    assert told_of(Frames(settings)) == []
    assert [drawing for paper in PAPERS for drawing in table_drawings(Frames(settings), paper)] == []
