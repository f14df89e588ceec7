"""The part of README.md that shows the results, against those that are committed."""

import json
import re
import shutil

import numpy as np
import pandas as pd
import pytest
from builders import ROOT

from treecrf.explorer.readme import (
    BEGIN,
    END,
    LEAST,
    METHODS,
    TABLE,
    accuracy_table,
    differences,
    main,
    published_accuracies,
    results_part,
    sentences,
    verdicts_by_paper,
    with_results,
)
from treecrf.rendering.markdown import linked
from treecrf.statistics.ranking import WORSE

FOLDER = ROOT / "docs/results"


@pytest.fixture(scope="module")
def claims():
    return pd.read_csv(FOLDER / "claims.csv", keep_default_na=False)


def test_readme_shows_the_results_that_are_committed(gathered, claims):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme == with_results(readme, linked(results_part(gathered, claims), "docs/results"))


def test_table_has_the_accuracies_marks_the_highest_and_methods_that_a_test_separates(gathered):
    scores = gathered.scores.query(
        "study == 'training' and metric == 'accuracy' and point == 'choice' and decoder == 'better'"
    ).set_index(["dataset", "method"])
    _, _, *lines = accuracy_table(gathered).splitlines()
    methods = [method for method in METHODS if method in scores.index.get_level_values("method")]
    n_methods = scores[scores.index.isin(methods, level="method")].groupby(level="dataset").size()
    assert len(lines) == (n_methods >= LEAST).sum() > 0
    for line in lines:
        dataset, *cells, highest = [cell.strip() for cell in line.strip("|").split("|")]
        of_set = scores.loc[dataset].reindex(methods)
        values = of_set["value"].astype(float)
        assert [cell == "–" for cell in cells] == values.isna().tolist()
        assert [float(re.sub(r"[^\d.]", "", cell) or "nan") for cell in cells] == pytest.approx(
            values.round(2), nan_ok=True
        )
        assert ["†" in cell for cell in cells] == (of_set["standing"] == WORSE).tolist()
        assert "**" in cells[int(values.argmax())]
        assert highest.startswith(f"{scores.loc[dataset]['value'].astype(float).max():.2f} (")


def test_verdicts_are_counted_by_paper(claims):
    lines = verdicts_by_paper(claims).splitlines()
    assert sum(int(re.search(r"(\d+) claims", line).group(1)) for line in lines) == len(claims)
    none = claims.assign(verdict="not_run")
    assert verdicts_by_paper(none) == ""


def test_sentences_count_what_is_near():
    at_peak, at_choice = (
        np.array([0.0, -1.0, 1.01, 5.0, 0.4, 0.0, 0.0]),
        np.array([2.0, -1.0, 1.01, 5.0, 0.4, 0.0, 9.0]),
    )
    accuracies = pd.DataFrame(
        {
            "published": 80.0, "measured": 80.0 + at_peak, "at_choice": 80 + at_choice, "stand_in": [False] * 4 + [True] + [None] * 2,
            "quantity": "accuracy (%)", "counted": [True] * 5 + [False, True], "inferred": [False] * 6 + [True],
        }
    )  # fmt: skip
    said = sentences(accuracies)
    assert re.findall(r"(\d+) of (\d+) \(median difference ([+-][\d.]+)\)", said) == [
        ("1", "4", "+1.51"), ("2", "4", "+0.51"), ("0", "1", "+9.00"), ("1", "1", "+0.00")
    ]  # fmt: skip
    assert "5 distinct" in said
    assert "FAQ" not in sentences(accuracies[:4])


def test_the_largest_difference_comes_first(gathered):
    table = differences(accuracies := published_accuracies(gathered))
    assert len(table) == len(accuracies)
    assert table["measured_minus_published"].abs().dropna().is_monotonic_decreasing
    committed = pd.read_csv(FOLDER / TABLE, keep_default_na=False, na_values=[""])
    assert committed["published"].tolist() == table["published"].tolist()
    treecrf = table[(table["source"] == "PhD table 3.5") & (table["method"] == "treecrf")]
    assert not treecrf["counted"].any()  # table 3.4 has these numbers


def test_command_rewrites_only_the_part(tmp_path):
    readme, folder = tmp_path / "README.md", shutil.copytree(FOLDER, tmp_path / "docs/results")
    config = tmp_path / "my.yaml"
    config.write_text(
        json.dumps({"profile": "own", "datasets": {"protein": {}}, "training": {"datasets": ["protein"]}})
    )
    arguments = ["--config", str(config), "--folder", str(folder), "--readme", str(readme)]
    readme.write_text("no place for results")
    with pytest.raises(SystemExit, match="where results are to stand"):
        main(arguments)
    readme.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    main(arguments)
    text = readme.read_text()
    assert text.startswith(f"before\n{BEGIN}\n| data set |")
    assert text.endswith(f"{END}\nafter\n")
    assert "\nold\n" not in text
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) == 3
    assert all((tmp_path / link).is_file() for link in links)
