"""What Snakemake's report calls tables and figures."""

import re

import pytest

from treecrf_studies.registry import registry

OF_PAPERS = re.compile(r"\b(tables?|figures?|theorem|section) \d|ICML|PhD", re.IGNORECASE)


@pytest.mark.parametrize("study", registry(), ids=lambda study: study.name)
def test_a_run_that_concerns_no_paper_names_none(study):
    shown = [entry for entry in (*study.tables, *study.figures) if not entry.only_papers]
    names = [f"{entry.place[0]}; {entry.item(of_papers=False)}" for entry in shown]
    assert [name for name in names if OF_PAPERS.search(name)] == []
    numbered = [entry for entry in shown if entry.reference]
    assert all(entry.item(of_papers=True).startswith(f"{entry.reference}: ") for entry in numbered)
