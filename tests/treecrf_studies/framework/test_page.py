"""The skeleton of the pages of studies: what is there, and what runs that are about no paper leave out."""

import re
from types import SimpleNamespace

import pandas as pd
import pytest
from runs import NOTHING

from treecrf_studies.framework import page
from treecrf_studies.framework.page import PageContext, PageSection, by_dataset
from treecrf_studies.framework.settings import load_settings
from treecrf_studies.future import STUDY as FUTURE
from treecrf_studies.missing import STUDY as MISSING
from treecrf_studies.registry import registry
from treecrf_studies.rendering.parts import Figure, Note, Table
from treecrf_studies.training import STUDY as TRAINING
from treecrf_studies.training.settings import TrainingSettings

LAYOUT = pd.DataFrame({"data set": ["a"]})
PAPERS = re.compile("paper|publish|dissertation|thesis|PhD|ICML|UAI|theorem", re.IGNORECASE)


@pytest.fixture
def context(tmp_path):
    """Of a finished data set."""
    for name in MISSING.summary.frames:
        path = tmp_path / f"missing/a/{name}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("dataset,rate,mechanism\n")
    own = {"datasets": ["a"], "overrides": {"a": {"held_out": 0.5}}}
    settings = load_settings(
        {"profile": "own", "results": str(tmp_path), "datasets": {"a": {"source": "hmm"}}, **NOTHING, "missing": own}
    )
    return PageContext(MISSING, settings, {"accuracy": LAYOUT, "costs": LAYOUT[:0]})


def without_papers(context):
    return PageContext(context.study, context.settings, context.layouts, of_papers=False)


def test_a_text_has_the_values_of_the_run_and_papers_only_where_it_is_about_them(context):
    item = page.text("Held out: {share}.", "As the paper does.", share=page.setting("held_out", page.percent))
    (full,), (plain,) = item(context), item(without_papers(context))
    assert (full.text, plain.text) == ("Held out: 50 %. As the paper does.", "Held out: 50 %.")


def test_a_table_has_its_caption_and_its_number(context):
    shown, note = page.table("accuracy", "Percent", "Table 4.2")(context)
    assert isinstance(note, Note)
    assert (shown.caption, shown.name) == ("Table 4.2: Percent", "missing/accuracy")
    (alone,) = page.table("accuracy", "Percent", "Table 4.2", has_caption=False)(without_papers(context))
    assert alone.caption == "Percent"


def test_tables_without_rows_and_of_published_values_are_left_out(context):
    assert page.table("costs", "Seconds")(context) == page.table("trees", "Trees")(context) == []
    of_training = PageContext(TRAINING, context.settings, {"table_3_4": LAYOUT})
    of_papers = page.table("table_3_4", "Published")
    assert len(of_papers(of_training)) == 2
    assert of_papers(without_papers(of_training)) == []


def test_a_figure_names_the_data_sets_that_are_finished(context):
    item = page.figure("figure_4_1", "Accuracy of {names}.")
    assert item(context) == []
    (context.folder / "figure_4_1.svg").write_text("<svg/>")
    (shown,) = item(context)
    assert isinstance(shown, Figure)
    assert shown.alt == "Accuracy of a."


def test_frames_of_finished_data_sets_are_given_where_all_are_there(context):
    count = page.computed(lambda *frames: [Note(str(len(frames)))], "evaluations", "comparisons")
    assert count(context) == [Note("2")]
    (context.folder / "a/comparisons.csv").unlink()
    assert count(PageContext(context.study, context.settings)) == []


def test_a_section_has_the_numbers_of_papers_in_its_title_where_the_run_is_about_them(context):
    section = PageSection("s", "Accuracy", (page.table("accuracy", "Percent"),), "figure 4.1")
    assert section.show(context).title == "Accuracy (figure 4.1)"
    assert section.show(without_papers(context)).title == "Accuracy"


def test_a_page_has_the_sections_with_a_table_or_figure_and_limitations(context):
    shown = page.study_page(MISSING, context.settings, context.layouts)
    assert [section.identifier for section in shown.sections] == ["missing-accuracy", "missing-limitations"]
    assert any(isinstance(part, Table) for part in shown.sections[0].parts)
    assert page.study_page(TRAINING, context.settings, {}) is None


@pytest.mark.parametrize("study", registry(), ids=lambda study: study.name)
def test_captions_and_limitations_say_nothing_of_papers_to_runs_that_are_about_none(study):
    shown = [each.caption or each.name for each in (*study.tables, *study.figures) if not each.only_papers]
    texts = [study.caption(name, of_papers=False) for name in shown] + study.limitations(of_papers=False)
    assert [text for text in texts if PAPERS.search(text)] == []
    assert all(study.caption(name).startswith(study.caption(name, of_papers=False)) for name in shown)


def test_choices_name_the_data_sets_that_have_others():
    own = {"n_folds": 2, "methods": ["treecrf"]}
    settings = TrainingSettings(datasets=["a", "b", "c"], overrides={"a": own, "c": own, "not_run": {"n_folds": 3}})
    context = PageContext(TRAINING, SimpleNamespace(training=settings), of_papers=False)
    (table,) = page.choices(["n_folds", "unseen"], lambda own: {"seen": None})(context)
    assert table.caption == "Other settings"
    assert table.layout.to_numpy().tolist() == [
        ["n_folds", "all", "5"],
        ["unseen", "all", "missing"],
        ["seen", "all", "null"],
        ["n_folds", "a, c", "2"],
        ["methods", "a, c", "[treecrf]"],
    ]


@pytest.mark.parametrize(
    ("overrides", "text"),
    [
        ({}, "10"),
        ({"a": {"n_folds": 3}}, "10"),
        (
            {"a": {"n_perturbed_runs": 3}, "b": {"n_perturbed_runs": 3}, "c": {"n_perturbed_runs": 2}},
            "10 (a, b: 3; c: 2)",
        ),
        ({name: {"n_perturbed_runs": 3} for name in "abcd"}, "3"),
        ({"not_run": {"n_perturbed_runs": 3}}, "10"),
    ],
)
def test_a_setting_is_shown_with_those_of_single_data_sets(overrides, text):
    settings = TrainingSettings(datasets=["a", "b", "c", "d"], overrides=overrides)
    assert by_dataset(settings, "n_perturbed_runs") == text


def test_data_sets_are_a_folded_table_that_tells_variants_apart(context):
    sets = {"a": {"source": "xor"}, "b": {"source": "xor", "options": {"last_bags": "full"}}}
    settings = load_settings({"profile": "own", "datasets": sets, **NOTHING})
    (table,) = page.datasets()(PageContext(MISSING, settings, given=["a", "b"]))
    assert table.name == "missing/datasets"
    assert table.layout[["data set", "options"]].to_numpy().tolist() == [["a", "–"], ["b", "last_bags: full"]]
    assert "stands in for" not in table.layout
    assert page.study_page(FUTURE, settings, {}, datasets=["a", "b"]) is None  # they are no results
