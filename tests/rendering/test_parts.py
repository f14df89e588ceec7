"""Parts of pages: text that people named, settings, folds, figures."""

from pathlib import Path

import pandas as pd
import pytest
from builders import ESCAPED, SCRIPT, Elements
from markupsafe import Markup

from treecrf.rendering import templates
from treecrf.rendering.cells import Cell
from treecrf.rendering.folders import Folders
from treecrf.rendering.markdown import table_name
from treecrf.rendering.parts import (
    Exhibits,
    Figure,
    Fold,
    Table,
    by_dataset,
    listed,
    open_choices,
    paragraph,
)
from treecrf.studies.training.settings import TrainingSettings

HERE = Folders(Path("results"), Path("reports"))


def test_a_table_that_was_not_written_is_asked_for():
    shown = Exhibits(Path("results/future"), {}, str)
    with pytest.raises(
        ValueError, match=r"^results/future/tables/orders\.json is not there: .*; run `make results` first\.$"
    ):
        shown.table("orders", "Orders")


def parts_markup(parts, folders):
    """Parts as the page shows them."""
    template = '{% import "parts.html" as parts with context %}{{ parts.several(shown) }}'
    return templates.ENVIRONMENT.from_string(template).render(shown=parts, folders=folders)


def test_what_people_named_is_shown_as_text_in_tables_notes_and_captions(tmp_path):
    (tmp_path / "a.svg").write_text("<svg/>")
    table = Table(SCRIPT, pd.DataFrame({"data set": [SCRIPT], SCRIPT: [Cell(SCRIPT, is_best=True)]}))
    figure = Figure(tmp_path / "a.svg", SCRIPT, SCRIPT)
    parts = [paragraph("<em>{label}</em>", label=SCRIPT), *listed([SCRIPT]), table, figure, Fold(SCRIPT, [])]
    shown = parts_markup(parts, HERE)
    assert Elements(shown).all("script") == []
    inside = ("em", "li", "span", "b", "figcaption", "summary")
    assert [tag for tag in inside if f"<{tag}>{ESCAPED}</{tag}>" not in shown] == []
    trusted = Figure(tmp_path / "a.svg", "a figure", Markup("p &lt; <em>0.05</em>"))
    assert "<figcaption>p &lt; <em>0.05</em></figcaption>" in parts_markup([trusted], HERE)


def test_choices_name_the_data_sets_that_have_others():
    own = {"n_folds": 2, "methods": ["treecrf"]}
    settings = TrainingSettings(datasets=["a", "b", "c"], overrides={"a": own, "c": own, "not_run": {"n_folds": 3}})
    shown = parts_markup([open_choices(settings, ["n_folds", "unseen"], {"seen": None}, of_papers=False)], HERE)
    assert "Other settings" in shown
    assert "<p><code>n_folds: 5</code>, <code>unseen: missing</code>, <code>seen: null</code></p>" in shown
    assert "<li>a, c: <code>n_folds: 2</code>, <code>methods: [treecrf]</code></li>" in shown
    assert "not_run" not in shown


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


def test_figures_and_files_have_names_of_their_own(tmp_path):
    folders = Folders(tmp_path / "results", tmp_path / "reports")
    for name in ("or", "xor"):
        (folders.results / "future" / name).mkdir(parents=True)
        (folders.results / "future" / name / "weights.svg").write_text("<svg/>")
    figures = [
        Figure(folders.results / f"future/{name}/weights.svg", f"What was found on {name}: colour by position.", "")
        for name in ("or", "xor")
    ]
    elements = Elements(parts_markup(figures, folders))
    names = [part["aria-label"] for part in elements.all("a")]
    assert names == [
        "Figure: What was found on or", "SVG: future/or/weights.svg",
        "Figure: What was found on xor", "SVG: future/xor/weights.svg",
    ]  # fmt: skip


def test_tables_of_several_data_sets_have_files_of_their_own():
    empty, tables = pd.DataFrame(), Path("results/training/tables")
    names = [table_name(Table("t", empty, tables / name)) for name in ("hmm/matrix", "xor/matrix", "ranks")]
    assert names == ["hmm_matrix", "xor_matrix", "ranks"]
    assert table_name(Table("Seeds & more", empty)) == "seeds_more"
