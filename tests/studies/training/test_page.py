"""The page's sections on training, from a folder with results that a test wrote."""

import re

from builders import page_of

from treecrf.report.ledger import verdicts, verdicts_by_rule
from treecrf.report.ledger_page import write_ledger


def test_page_shows_what_is_finished(results):
    page = page_of(results, "hmm", "xor")
    assert "<li><b>xor</b>: not computed" in page
    assert 'id="data-hmm"' in page
    assert 'id="data-xor"' not in page
    assert "hmm (stand-in)" in page
    assert "<b>hmm is a stand-in</b>: labels are made up" in page
    assert "<b>SMILE was not run on hmm</b>: no &lt;Java&gt;." in page
    assert "<td><b>77.25</b></td>" in page
    assert page.count("<summary>All tests between methods") == 3
    assert "training_proportions: [0.2, 0.5, 0.8]" in page  # the defaults of McCallum's feature induction
    assert "With fewer than 6 such groups" in re.sub(r"\s+", " ", page)
    assert "Every method against every other on hmm" in page
    assert "<td>20 blocks</td>" in page
    assert page.count("<img") == 1  # the only figure that has been drawn
    assert "Table 3.4" not in page  # neither of its methods was run
    assert "10% of runs of 4 in common" in page


def test_page_says_how_often_each_data_set_was_trained(results):
    page = page_of(results, "hmm", "xor", overrides={"xor": {"n_folds": 2, "n_perturbed_runs": 3}})
    assert re.search(r"with\s+5 \(xor: 2\) folds", page)
    assert "over 10 (xor: 3) trainings" in page


def test_page_without_results(tmp_path):
    write_ledger(verdicts(tmp_path), verdicts_by_rule(tmp_path), tmp_path)
    page = page_of(tmp_path, "hmm", "xor")
    assert "<li><b>hmm</b>: not computed" in page
    assert 'id="training"' not in page
