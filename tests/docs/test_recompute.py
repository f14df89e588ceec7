"""docs/recompute.md: numbers of docs/results, computed anew by code that uses nothing of this project.

``python tests/docs/test_recompute.py`` writes what the code prints into the page, as after new results.
"""

import contextlib
import io
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/recompute.md"
BLOCK = re.compile(r"(?<=```python\n)(.*?)```\n(?:\n```text\n.*?```\n)?", flags=re.DOTALL)
TESTS = ("draws", "McNemar", "trainings and sequences", "damaged sets and sequences", "binomial model")
"""Kinds of numbers that are tests between methods."""


def run(page, changed=lambda cells: cells):
    """What the blocks of the page define, and the page with what they print.

    `changed` replaces the cells that they draw from.
    """
    names = {}

    def run_block(match):
        with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.chdir(ROOT):
            exec(match[1], names)
        if "def check(" in match[1]:
            check = names["check"]
            names["check"] = lambda kind, cells, n: check(kind, changed(cells), n)
        lines = "\n".join(line.rstrip() for line in printed.getvalue().splitlines() if line.strip())
        return f"{match[1]}```\n" + f"\n```text\n{lines}\n```\n" * bool(lines)

    return names, BLOCK.sub(run_block, page)


@pytest.fixture(scope="module")
def recomputed():
    return run(PAGE.read_text(encoding="utf-8"))


def test_forty_numbers_are_recomputed(recomputed):
    """Each agrees, as the page says at its end; half of them are tests."""
    drawn = recomputed[0]["drawn"]
    assert recomputed[0]["different"] == []
    assert (len(drawn), sum(kind in TESTS for kind in drawn)) == (40, 20)


def test_the_page_shows_what_its_code_prints(recomputed):
    """New results draw other numbers: ``python tests/docs/test_recompute.py`` writes them."""
    assert PAGE.read_text(encoding="utf-8") == recomputed[1]


def test_the_code_is_its_own():
    page = PAGE.read_text(encoding="utf-8")
    imported = {name.split(".")[0] for name in re.findall(r"^(?:import|from) ([\w.]+)", page, flags=re.MULTILINE)}
    assert imported == {"re", "functools", "pathlib", "random", "numpy", "pandas", "scipy"}
    assert "treecrf_studies" not in page


def test_other_numbers_are_found():
    """With another last digit, no number agrees; an interval, rank or verdict included."""

    def other_digits(cells):
        for place, text, *rest in cells:
            wrong = re.sub(r"\d(?=\D|$)", lambda digit: str((int(digit[0]) + 5) % 10), text.replace("<", ""))
            yield place, {"yes": "open", "no": "open", "open": "yes"}.get(text, wrong), *rest

    page = PAGE.read_text(encoding="utf-8").replace("assert not different", "pass #")
    names, _ = run(page, other_digits)
    assert len(names["different"]) == len(names["drawn"]) == 40


# --- counts of test sequences -----------------------------------------------------------------------

PUBLISHED = {"value": 1.5, "standard_error": 0.5, "degrees_of_freedom": 7.0}
"""What a row of comparisons has of the test by sequence."""


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def planted(recomputed, tmp_path, monkeypatch):
    """The names of the page, for a folder of results where counts are planted."""
    names = recomputed[0]
    monkeypatch.setitem(names, "RESULTS", tmp_path)
    caches = [part for part in names.values() if hasattr(part, "cache_clear")]
    for part in caches:
        part.cache_clear()
    yield names
    for part in caches:
        part.cache_clear()


def plant(folder, study, n_positions, counts, **constant):
    """Counts by method, draw and group, as a snapshot has them; texts are categories."""
    rows = [
        {"method": method, "draw": f"training set {draw}", "sequence": group, "group": group, "n_correct": correct}
        for method, of_method in counts.items()
        for draw, of_draw in enumerate(of_method)
        for group, correct in enumerate(of_draw)
    ]
    frame = pd.DataFrame(rows).assign(**constant)
    frame["n_positions"] = np.asarray(n_positions)[frame["group"]]
    place = folder / "evidence" / study / constant["dataset"]
    place.mkdir(parents=True)
    frame.astype({"method": "category", "draw": "category", "dataset": "category"}).to_parquet(place / "counts.parquet")


def test_counts_give_the_test_over_trainings_and_sequences(planted, tmp_path, rng):
    from treecrf.statistics.two_way import estimate_trainings, make_pairs

    n = np.array([40, 25, 60, 33, 51, 12, 90])
    counts = {
        "treecrf": rng.binomial(n, 0.8, (10, 7)) - rng.integers(0, 4, (10, 1)),
        "mallet": rng.binomial(n, 0.7, (3, 7)),
    }
    plant(tmp_path, "training", n, counts, dataset="hyphen", decoder="better", point="choice")
    expected = estimate_trainings(make_pairs([*counts.values()]), n)
    row = PUBLISHED | {"dataset": "hyphen", "n_blocks": np.nan}
    *found, source = planted["of_pair"]("training", row, tuple(counts), decoder="better", point="choice")
    fields = expected.points, expected.standard_error, expected.degrees_of_freedom
    assert found == pytest.approx([values[0] for values in fields])
    assert source == "counts"


def test_counts_give_the_test_over_damaged_sets_and_sequences(planted, tmp_path, rng):
    from treecrf.statistics.two_way import estimate_crossed

    n = np.array([40, 25, 60, 33, 51, 12, 90])
    shared = rng.integers(0, 5, (12, 1))
    counts = {"imputation": rng.binomial(n, 0.7, (12, 7)) - shared, "indicator": rng.binomial(n, 0.75, (12, 7))}
    plant(tmp_path, "missing", n, counts, dataset="hyphen", variant="5 % missing")
    gap = (counts["imputation"] - counts["indicator"]).T
    positions = np.broadcast_to(n[:, None], gap.shape)
    expected = estimate_crossed(gap[None], positions, satterthwaite=True)
    row = PUBLISHED | {"dataset": "hyphen", "cluster": "group"}
    of_pair, wanted = planted["of_pair"], {"variant": "5 % missing"}
    *found, source = of_pair("missing", row | {"n_training_sets": 12}, tuple(counts), **wanted)
    fields = expected.points, expected.standard_error, expected.degrees_of_freedom
    assert found == pytest.approx([values[0] for values in fields])
    assert source == "counts"
    published = (*PUBLISHED.values(), "standard error")
    assert of_pair("missing", row | {"n_training_sets": 5}, tuple(counts), **wanted) == published
    blocks = row | {"n_training_sets": 12, "cluster": "block"}
    assert of_pair("missing", blocks, tuple(counts), **wanted) == published


def test_blocks_and_results_without_counts_take_the_published_standard_error(planted, tmp_path):
    row = PUBLISHED | {"dataset": "faq_aix", "n_blocks": 40.0}
    pair, wanted = ("treecrf", "mallet"), {"decoder": "better", "point": "choice"}
    published = (*PUBLISHED.values(), "standard error")
    assert planted["of_pair"]("training", row, pair, **wanted) == published
    counts = {method: np.ones((2, 3), dtype=int) for method in pair}
    plant(tmp_path, "training", [5, 5, 5], counts, dataset="faq_aix", **wanted)
    planted["counts_of"].cache_clear()
    assert planted["of_pair"]("training", row, pair, **wanted) == published
    assert planted["of_pair"]("training", row | {"n_blocks": np.nan}, pair, **wanted)[3] == "counts"


if __name__ == "__main__":
    os.chdir(ROOT)
    PAGE.write_text(run(PAGE.read_text(encoding="utf-8"))[1], encoding="utf-8")
