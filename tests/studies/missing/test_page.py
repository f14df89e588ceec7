"""The page's sections on missing values."""

import re

import pandas as pd

from treecrf.rendering.parts import Exhibits, Figure
from treecrf.studies.missing import STUDY as MISSING
from treecrf.studies.missing import page as missing_page
from treecrf.studies.settings import MissingSettings


def test_what_is_said_of_missing_values_is_what_was_done(tmp_path):
    (tmp_path / "figure_4_1.svg").write_text("<svg/>")
    settings = MissingSettings(datasets=["a", "b"], overrides={"b": {"held_out": 0.5}})
    counts = {"n_positions": [10] * 2, "n_correct": [5, 6], "stand_in": False, "training_set": 0, "test_set": 0}
    frame = pd.DataFrame({"dataset": "a", "rate": [0.0, 0.4], "method": "imputation", **counts})
    text, figure, *_ = missing_page._accuracy(
        settings, frame, Exhibits(tmp_path, {"accuracy": frame}, MISSING.caption)
    ).parts
    assert re.search(r"held out:\s+33% \(b: 50%\)", text.html)
    assert isinstance(figure, Figure)
    assert figure.alt.startswith("Accuracy by share of missing cells, a panel for each of a, a line for each method")
