"""The page's sections on missing values."""

import re

import pandas as pd
import pytest
from runs import NOTHING

from treecrf_studies.framework.page import PageContext
from treecrf_studies.framework.settings import load_settings
from treecrf_studies.missing import STUDY as MISSING
from treecrf_studies.missing.page import PAGE
from treecrf_studies.rendering.parts import Figure, Table

SECTIONS = {section.identifier: section for section in PAGE.sections}


@pytest.fixture
def settings(tmp_path):
    """Of two data sets, of which one is finished."""
    for name in MISSING.summary.frames:
        path = tmp_path / f"missing/a/{name}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("rate\n")
    own = {"datasets": ["a", "b"], "overrides": {"b": {"held_out": 0.5}}, "mechanism_datasets": ["a"]}
    datasets = {name: {"source": "hmm"} for name in "ab"}
    return load_settings({"profile": "own", "results": str(tmp_path), "datasets": datasets, **NOTHING, "missing": own})


def test_what_is_said_of_missing_values_is_what_was_done(settings, tmp_path):
    (tmp_path / "missing/figure_4_1.svg").write_text("<svg/>")
    layouts = {"accuracy": pd.DataFrame({"data set": ["a"]})}
    text, figure, *_ = SECTIONS["missing-accuracy"].show(PageContext(MISSING, settings, layouts)).parts
    assert re.search(r"held-out share is\s+33 % \(b: 50 %\)", text.text)
    assert isinstance(figure, Figure)
    assert figure.alt.startswith(
        "Line chart of accuracy by share of missing cells, with a panel for each of a and a line"
    )


def test_sections_on_trees_and_mechanisms_show_what_was_run(settings, tmp_path):
    for name in ("trees", "mechanisms"):
        (tmp_path / f"missing/{name}.svg").write_text("<svg/>")
    names = ("trees", "tree_differences", "mechanisms")
    context = PageContext(MISSING, settings, dict.fromkeys(names, pd.DataFrame({"data set": ["a"]})))
    parts = {name: SECTIONS[name].show(context).parts for name in ("missing-trees", "missing-mechanisms")}
    n_shown = {name: [sum(isinstance(p, kind) for p in of) for kind in (Figure, Table)] for name, of in parts.items()}
    assert n_shown == {"missing-trees": [1, 2], "missing-mechanisms": [1, 1]}
