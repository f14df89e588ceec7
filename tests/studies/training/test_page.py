"""The page's sections on training, from a folder with results that a test wrote."""

import re

from builders import page_of

from treecrf.report.ledger import write_ledger


def test_pages_show_what_is_finished(results):
    first = page_of(results, "hmm", "xor")
    page, run = ((results / "reports" / f"{name}.html").read_text() for name in ("training", "run"))
    assert "<li><b>xor</b>: not computed" in first
    assert 'id="data-hmm"' in run
    assert 'id="data-xor"' not in run
    assert "hmm (stand-in)" in page
    assert "<b>hmm is a stand-in</b>: labels are made up" in page
    assert "<b>SMILE was not run on hmm</b>: no &lt;Java&gt;." in page
    assert "<td><b>77.25</b></td>" in page
    assert "training_proportions: [0.2, 0.5, 0.8]" in page  # the defaults of McCallum's feature induction
    assert "With fewer than 6 such groups" in re.sub(r"\s+", " ", page)
    assert page.count("<img") == 1  # the only figure that has been drawn
    assert "Table 3.4" not in page  # neither of its methods was run
    assert "10 % of runs of 4 in common" in run


def test_page_says_how_often_each_data_set_was_trained(results):
    overrides = {"xor": {"n_folds": 2, "n_perturbed_runs": 3}}
    page = page_of(results, "hmm", "xor", page="training.html", overrides=overrides)
    assert re.search(r"with\s+5 \(xor: 2\) folds", page)
    assert re.search(r"over\s+10 \(xor: 3\) trainings", page)


def test_page_without_results(tmp_path):
    write_ledger(tmp_path, True)
    assert "<li><b>hmm</b>: not computed" in page_of(tmp_path, "hmm", "xor")
    assert not (tmp_path / "reports/training.html").exists()
