"""The page's sections on missing values."""

import re

import pandas as pd

from treecrf.rendering.parts import Exhibits, Figure
from treecrf.studies.framework.settings import MissingSettings
from treecrf.studies.missing import STUDY as MISSING
from treecrf.studies.missing import page as missing_page


def test_what_is_said_of_missing_values_is_what_was_done(tmp_path):
    (tmp_path / "figure_4_1.svg").write_text("<svg/>")
    settings = MissingSettings(datasets=["a", "b"], overrides={"b": {"held_out": 0.5}})
    counts = {"n_positions": [10] * 2, "n_correct": [5, 6], "stand_in": False, "training_set": 0, "test_set": 0}
    frame = pd.DataFrame({"dataset": "a", "rate": [0.0, 0.4], "method": "imputation", **counts})
    text, figure, *_ = missing_page._accuracy(
        settings, frame, Exhibits(tmp_path, {"accuracy": frame}, MISSING.caption), of_papers=True
    ).parts
    assert re.search(r"held out:\s+33% \(b: 50%\)", text.html)
    assert isinstance(figure, Figure)
    assert figure.alt.startswith("Accuracy by share of missing cells, a panel for each of a, a line for each method")


def test_sections_on_trees_and_mechanisms_are_there_where_these_were_run(tmp_path):
    for name in ("trees", "mechanisms"):
        (tmp_path / f"{name}.svg").write_text("<svg/>")
    layout = pd.DataFrame({"data set": ["a"]})
    frames = {name: pd.DataFrame(columns=["rate"]) for name in (*missing_page.OF_TREES, *missing_page.OF_MECHANISMS)}
    settings = MissingSettings(datasets=["a"], mechanism_datasets=["a"])
    for layouts, n_parts in (
        ({"trees": layout, "tree_differences": layout, "mechanisms": layout}, (6, 4)),
        ({"trees": layout[:0], "mechanisms": layout[:0]}, (0, 0)),
    ):
        shown = Exhibits(tmp_path, layouts, MISSING.caption)
        sections = missing_page._trees(frames, shown), missing_page._mechanisms(settings, shown)
        assert tuple(len(section.parts) for section in sections) == n_parts
