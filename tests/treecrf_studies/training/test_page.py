"""The page's sections on training, from a folder with results that a test wrote."""

import re
import shlex

import numpy as np
import pandas as pd
import pytest
from planted_summary import outcome
from runs import NOTHING, page_of

from treecrf.cli.fit import fit
from treecrf.statistics.ranking import BEST, CLOSE, EQUIVALENT, NOT_SEPARATED, WORSE
from treecrf_studies.framework.settings import load_settings
from treecrf_studies.report.ledger import write_ledger
from treecrf_studies.training.page import answers, fit_command, groups_layout


def test_pages_show_what_is_finished(results):
    first = page_of(results, "hmm", "xor")
    site = results / "reports/markdown"
    page = (site / "training.md").read_text()
    described = (site / "run_files/data-sets-of-the-run.csv").read_text()
    assert "- **Training**: xor: not computed" in first
    assert "\nhmm,a test" in described
    assert "xor" not in described
    assert r"**hmm is a stand-in**: labels are made up" in page
    assert r"**SMILE was not run on hmm**: no \<Java\>." in page
    assert (site / "training/accuracy.csv").read_text().count(",77.25 ▲\n") == 2
    assert (
        '\ntraining_proportions,all,"[0.2, 0.5, 0.8]"\n' in (site / "training/settings.csv").read_text()
    )  # McCallum's
    assert "With fewer than 6 such groups" in re.sub(r"\s+", " ", page)
    assert page.count("![") == 1  # the only figure that has been drawn
    assert "Table 3.4" not in page  # neither of its methods was run
    assert "10 % of runs of 4 in common" in (site / "run_files/related-sequences.csv").read_text()


def test_page_says_how_often_each_data_set_was_trained(results):
    overrides = {"xor": {"n_folds": 2, "n_perturbed_runs": 3}}
    page = page_of(results, "hmm", "xor", page="training", overrides=overrides)
    assert re.search(r"with\s+5 \(xor: 2\) folds", page)
    assert re.search(r"over\s+10 \(xor: 3\) trainings", page)


def test_page_without_results(tmp_path):
    write_ledger(tmp_path, True)
    assert "- **Training**: hmm, xor: not computed" in page_of(tmp_path, "hmm", "xor")
    assert not (tmp_path / "reports/training.html").exists()


TABLE = {"kind": "table", "path": "my words.csv", "sequence": "word", "label": "hyphen", "window": [2, 3]}
METHODS = ("treecrf", "linear_crf", "mine")


def frames(standings=(BEST, CLOSE, WORSE), decision="undecided", seconds=(9.0, 2.0, 1.0), methods=METHODS):
    """Three methods with 90, 89 and 85 percent."""
    ids = {"dataset": "words", "decoder": "better"}
    summary = pd.concat(
        outcome("words", method, candidate="l2_regularization=5", cpu_seconds=spent)
        for method, spent in zip(methods, seconds, strict=True)
    )
    pairs = [
        (methods[0], methods[1], 1.0, 0.3, decision),
        (methods[0], methods[2], 5.0, 0.001, "better"),
        (methods[1], methods[2], 4.0, 0.01, "better"),
    ]
    comparisons = [
        ids
        | {
            "method": a,
            "other": b,
            "papers_value": points,
            "papers_p": p,
            "value": points,
            "p_holm": p,
            "decision": decided,
        }
        for a, b, points, p, decided in pairs
    ]
    ranks = [
        {
            "dataset": "words",
            "method": method,
            "value": percent,
            "standing": standing,
            "gap_points": gap,
            "gap_low": gap - 0.4,
            "gap_high": gap + 0.4,
        }
        for method, percent, standing, gap in zip(
            methods, (90.0, 89.5, 85.0), standings, (np.nan, -0.5, -5.0), strict=True
        )
    ]
    return [summary, pd.DataFrame(comparisons), pd.DataFrame(ranks)]


def settings_of(dataset=TABLE):
    labellers = {"mine": {"class": "my_labellers:Mine", "settings": {"size": 3}, "grid": {"rate": [0.1, 0.2]}}}
    return load_settings({"profile": "own", "datasets": {"words": dataset}, "labellers": labellers} | NOTHING)


def said(*given, dataset=TABLE):
    return "\n".join(str(getattr(part, "text", "")) for part in answers(settings_of(dataset), ["words"], *given))


def test_groups():
    summary, comparisons, ranks = frames()
    layout = groups_layout(ranks, summary.query("point == 'choice'").set_index("method"), comparisons)
    assert layout.to_numpy().tolist() == [
        [BEST, "TreeCRF", "90.00", "–", "–", "–", "9.00"],
        [CLOSE, "linear CRF", "89.50", "−0.50", "−0.90 to −0.10", "–", "2.00"],
        [WORSE, "mine", "85.00", "−5.00", "−5.40 to −4.60", "TreeCRF, linear CRF", "1.00"],
    ]


@pytest.mark.parametrize(
    ("standings", "decision", "sentence"),
    [
        ((BEST, WORSE, WORSE), "better", "TreeCRF is 1.00 points ahead of linear CRF, significantly"),
        (
            (BEST, NOT_SEPARATED, WORSE),
            "undecided",
            "TreeCRF is 1.00 points ahead of linear CRF, not significantly (p = 0.300). No test separates 1 other "
            "method",
        ),
        ((BEST, EQUIVALENT, WORSE), "equivalent", "TreeCRF is 1.00 points ahead of linear CRF, which is equivalent"),
    ],
)
def test_whether_the_lead_is_real(standings, decision, sentence):
    assert sentence in said(*frames(standings, decision))


def test_the_cheapest_of_those_near_the_best_is_the_advice():
    page = said(*frames())
    assert "Recommended: linear CRF, the fastest of" in page
    assert "treecrf fit 'my words.csv' --output model.npz \\\n  --sequence word --label hyphen \\\n" in page
    assert "  --window 2,3 --method linear_crf --iterations 30" in page
    for standing in (NOT_SEPARATED, WORSE):  # it may be far behind
        assert "Recommended: TreeCRF. " in said(*frames((BEST, standing, WORSE)))


def test_a_class_of_ones_own_is_trained_in_python():
    summary, comparisons, ranks = frames((BEST, WORSE, WORSE), methods=("mine", "linear_crf", "treecrf"))
    page = said(summary.assign(candidate="rate=0.2"), comparisons, ranks)
    assert "CustomLabeller('my_labellers:Mine', {'size': 3, 'rate': 0.2}, window=(2, 3))" in page


def test_without_a_file_there_is_no_command():
    assert "the whole file" not in said(*frames(), dataset={"source": "hmm"})


def test_the_command_is_one_that_treecrf_fit_takes():
    given = {"attributes": ["a", "b"], "kinds": {"a": "number"}, "groups": "person"}
    dataset = settings_of(TABLE | given).datasets["words"]
    command = fit_command(dataset, "treecrf", "l2_regularization=5, max_leaves=8, order=1", 12)
    words = shlex.split(command.replace("\\\n", ""))[3:]
    assert words[:2] == ["--output", "model.npz"]
    assert "--attributes a,b --groups person --kinds a=number --window 2,3 --method treecrf" in " ".join(words)
    assert "--iterations 12 --l2 5 --max-leaves 8" in " ".join(words)
    known = fit.__annotations__
    for option in (word.removeprefix("--") for word in words if word.startswith("--")):
        assert option.replace("-", "_") in known, option
    assert "--iterations" not in fit_command(dataset, "stacking", float("nan"), None)
