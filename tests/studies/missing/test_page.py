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


def test_survivors_are_counted_and_their_failures_named():
    correct = {"mnar": {"imputation": 60, "indicator": 80}, "runs": {"imputation": 70, "indicator": 71}}
    case = {"dataset": "a", "rate": 0.2, "n_positions": 100, "training_set": 0, "test_set": 0}
    evaluations = pd.DataFrame(
        [
            case | {"mechanism": name, "method": method, "n_correct": n}
            for name, of in correct.items()
            for method, n in of.items()
        ]
    )
    decisions = {"mnar": "worse", "runs": "undecided"}
    comparisons = pd.DataFrame(
        [
            {
                "dataset": "a",
                "rate": 0.2,
                "mechanism": name,
                "baseline": "indicator",
                "method": "imputation",
                "decision": word,
                "accuracy_points": -1.0,
                "points_standard_error": 1.0,
                "degrees_of_freedom": 9.0,
            }
            for name, word in decisions.items()
        ]
    )
    assert missing_page.survivors(evaluations, comparisons) == (
        "A case is a data set and a mechanism. Best or equivalent to the best: indicator in 2 of 2 cases. Behind it, and not "
        "found worse than another by a valid test: imputation in 1 of 2 cases. Worse than another on some data set where cells "
        "are missing: imputation by its own value."
    )
    untold = comparisons.assign(decision="undecided")
    assert missing_page.survivors(evaluations, untold).endswith(
        "indicator in 2 of 2 cases. Behind it, and not found worse than another by a valid test: imputation in 2 of 2 cases."
    )
    assert missing_page.survivors(evaluations[:0], comparisons[:0]) == ""


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
        sections = missing_page._trees(frames, shown), missing_page._mechanisms(settings, frames, shown)
        assert tuple(len(section.parts) for section in sections) == n_parts
