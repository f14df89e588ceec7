"""The part of README.md that shows the results, against those that are committed."""

import json
import re
import shutil

import numpy as np
import pandas as pd
import pytest
from builders import ROOT

from treecrf.explorer.published import OWN, STAND_IN
from treecrf.explorer.readme import (
    BEGIN,
    END,
    PICTURE,
    TABLE,
    differences,
    main,
    picture,
    published_accuracies,
    readme_with_results,
    sentences,
)

FOLDER = ROOT / "docs/results"


@pytest.fixture(scope="module")
def accuracies():
    return published_accuracies(FOLDER, str(ROOT / "config/config.yaml"))


def test_readme_shows_the_results_that_are_committed(accuracies):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme == readme_with_results(readme, FOLDER, "docs/results", accuracies)
    assert (FOLDER / PICTURE).read_text(encoding="utf-8") == picture(accuracies)


def test_sentences_count_what_is_near():
    at_peak, at_choice = (
        np.array([0.0, -1.0, 1.01, 5.0, 0.4, 0.0, 0.0]),
        np.array([2.0, -1.0, 1.01, 5.0, 0.4, 0.0, 9.0]),
    )
    accuracies = pd.DataFrame(
        {
            "published": 80.0, "measured": 80.0 + at_peak, "at_choice": 80 + at_choice, "data": [OWN] * 4 + [STAND_IN] + [OWN] * 2,
            "counted": [True] * 5 + [False, True], "inferred": [False] * 6 + [True],
        }
    )  # fmt: skip
    claims = pd.DataFrame({"verdict": ["replicated", "partly", "replicated"]})
    said = sentences(accuracies, claims)
    assert said.startswith("The papers print 5 distinct accuracies")
    assert "cross-validation, 1 of 4 (median difference +1.51) are within one point of the published value" in said
    assert "prints, 2 of 4 (median difference +0.51)." in said
    assert "inferred: 0 of 1 (median difference +9.00) at the cross-validated choice, 1 of 1 (" in said
    assert "FAQ" not in sentences(accuracies[:4], claims)
    assert "3 claims: 2 replicated, 1 partly" in said


def test_the_largest_difference_comes_first(accuracies):
    table = differences(accuracies)
    assert len(table) == len(accuracies)
    assert table["measured_minus_published"].abs().is_monotonic_decreasing
    committed = pd.read_csv(FOLDER / TABLE, keep_default_na=False, na_values=[""])
    assert committed["published"].tolist() == table["published"].tolist()
    treecrf = table[(table["source"] == "PhD table 3.5") & (table["method"] == "treecrf")]
    assert not treecrf["counted"].any()  # table 3.4 has these numbers


def test_picture_has_a_point_for_each_number(accuracies):
    drawn = picture(accuracies)
    assert drawn.startswith("<svg")
    assert len(re.findall(r'aria-roledescription="point"', drawn)) == len(accuracies)


def test_command_rewrites_the_part_alone(tmp_path):
    readme, folder = tmp_path / "README.md", shutil.copytree(FOLDER, tmp_path / "docs/results")
    (folder / PICTURE).unlink(missing_ok=True)
    config = tmp_path / "my.yaml"
    config.write_text(
        json.dumps({"profile": "own", "datasets": {"protein": {}}, "training": {"datasets": ["protein"]}})
    )
    arguments = ["--config", str(config), "--folder", str(folder), "--readme", str(readme)]
    readme.write_text("no place for results")
    with pytest.raises(SystemExit, match="put them where results are to stand"):
        main(arguments)
    readme.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    main(arguments)
    text = readme.read_text()
    assert text.startswith(f"before\n{BEGIN}\nThe papers print ")
    assert text.endswith(f"{END}\nafter\n")
    assert "\nold\n" not in text
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) == 4
    assert all((tmp_path / link).is_file() for link in links)
