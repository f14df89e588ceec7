"""Texts without what is about papers."""

import pandas as pd

from treecrf.rendering.parts import Fold, Section, Study, Table, paragraph
from treecrf.rendering.plain import plain_study, without_papers


def test_a_caption_without_what_is_published():
    caption = (
        "Dots: measured, 2.4 s each.\nHollow: published values (table 3.5). Published too: a line. See which agree."
    )
    assert without_papers(caption) == "Dots: measured, 2.4 s each. See which agree."


def test_a_caption_without_references():
    caption = (
        "Table 4.1. Log odds from the model of PhD section 4.4 (indicators), of lines (PhD figure 4.2): p < 0.05 by a test that "
        "takes positions as independent, as the dissertation does. More of it (see below)."
    )
    assert without_papers(caption) == (
        "Log odds from the model (indicators), of lines: p < 0.05 by a test that takes positions as independent. More of it (see "
        "below)."
    )


def test_titles_without_numbers_of_figures_and_tables():
    note, table = paragraph("Table 4.1: stays"), Table("Table 4.1: log odds against imputation", pd.DataFrame())
    sections = [Section("a", "Learning curves (figures 3.1 and 3.2)", [note, table, Fold("CPU (table 3.6)", [table])])]
    study = Study("missing", "Missing values (chapter 4)", sections)
    plain = plain_study(study._replace(answers=[note]))
    (section,) = plain.sections
    shown, fold = section.parts[1:]
    assert (plain.title, section.title, fold.title) == ("Missing values", "Learning curves", "CPU")
    assert (section.parts[0], shown.caption, fold.parts[0].caption) == (note, *["Log odds against imputation"] * 2)
