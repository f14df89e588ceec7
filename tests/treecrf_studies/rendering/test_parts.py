"""Parts of pages: text that people named, settings, folds, figures."""

from pathlib import Path

import pandas as pd
from markupsafe import Markup
from runs import ESCAPED, SCRIPT, Elements

from treecrf_studies.rendering import templates
from treecrf_studies.rendering.cells import Cell
from treecrf_studies.rendering.folders import Folders
from treecrf_studies.rendering.parts import Figure, Fold, Table, listed, paragraph

HERE = Folders(Path("results"), Path("reports"))


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
