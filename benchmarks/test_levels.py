"""Simulated level and power of tests between methods, coverage of intervals: tables of docs/statistics.md."""

from pathlib import Path

import numpy as np
import pytest
from simulated_levels import (
    COVERAGE,
    FAMILIES,
    HIGHEST,
    LEVELS,
    SITUATIONS,
    cover,
    coverage_table,
    same_labeller,
    simulate,
    symmetrised_chain,
    table,
    update,
)

from treecrf import LinearCRF, TreeCRF
from treecrf.statistics.selection import derive_seed

PAGE = Path(__file__).parents[1] / "docs/statistics.md"
REAL = ("faq_ai_general", "faq_ai_neural", "faq_aix", "faq_other")


@pytest.fixture(scope="module")
def rows():
    """Rows of the table; tests add theirs in order, and the last one writes them."""
    return []


@pytest.mark.parametrize("situation", SITUATIONS, ids=[title for *_, title in SITUATIONS])
def test_situation(situation, rows, record, size):
    found = simulate(*situation, size(1000 if situation[1] < 900 else 600), size(100))
    rows += found
    for title, test, level, *_ in found:
        record(f"{title}: {test}, level", f"{level:.3f}", f"at most {HIGHEST}")


@pytest.mark.parametrize("name", REAL)
def test_blocks_of_real_errors(name, rows, record, load, size):
    data, _ = load(name)
    small = (TreeCRF(3, 6, feature_fraction=0.2, sampling_seed=seed) for seed in range(max(10, size(30))))
    trees = [errors(data, labeller, seed) for seed, labeller in enumerate(small)]
    pair = [errors(data, labeller) for labeller in (TreeCRF(8, 8), LinearCRF())]
    found = [
        *same_labeller(name, np.array(trees), data.offsets, size(400)),
        *symmetrised_chain(name, np.array(pair), data.offsets, size(400)),
    ]
    rows += found
    for title, test, level in found:
        record(f"{title}: {test}, level", f"{level:.3f}", f"at most {HIGHEST}")


def test_page_is_written(rows, tiny):
    """Only from a full run on all data: anything less would lose rows."""
    n_titles = len({row[0] for row in rows})
    if not tiny and n_titles == len(SITUATIONS) + 2 * len(REAL):
        write(LEVELS, table(rows))
    assert n_titles >= len(SITUATIONS)


def test_coverage(record, size, tiny):
    found = [cover(*each, size(1000)) for each in FAMILIES]
    for *names, _, simultaneous, _ in found:
        record(
            f"coverage of a family: {', '.join(map(str, names))}", f"{simultaneous:.3f}", f"at least {1 - HIGHEST:.2f}"
        )
    if not tiny:
        write(COVERAGE, coverage_table(found))
    assert len(found) == len(FAMILIES)


def write(marks, shown):
    """Put a table into the page."""
    PAGE.write_text(update(PAGE.read_text(encoding="utf-8"), marks, shown), encoding="utf-8")


def errors(data, labeller, seed=None):
    """Where a labeller is right, each sequence labelled by what the others have trained, or a random half of them."""
    right = np.zeros(int(data.offsets[-1]), dtype=bool)
    for index in range(len(data)):
        own = slice(data.offsets[index], data.offsets[index + 1])
        others = np.delete(np.arange(len(data)), index)
        if seed is not None:
            rng = np.random.default_rng(derive_seed("levels", seed, index))
            others = np.sort(rng.permutation(others)[: (len(others) + 1) // 2])
        labeller.fit(data.select(others))
        right[own] = labeller.predict(data.select([index]), "viterbi") == data.labels[own]
    return right
