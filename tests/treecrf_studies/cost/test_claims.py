"""Claims about times, on planted measurements whose verdicts are known."""

import pytest
from planted_claims import plant_features, plant_lengths, plant_windows
from planted_verdicts import PLANTED, plant_starts

from treecrf.io.files import read_frame, write_frame
from treecrf_studies.cost.claims import ShortCut, faster_without_loss
from treecrf_studies.framework.claims.judge import FAILS, HOLDS, LEANS, Results
from treecrf_studies.framework.claims.rows import check_claim
from treecrf_studies.report.ledger import claim_rows

MEASURED = {"P3.9": "scaling.csv", "P3.10": "scaling.csv", "I2": "*/windows.csv"}
"""By claim, the files of the measurements that `PLANTED` writes."""


def find(folder, claim, **changed):
    """The finding of the check itself, also of a claim without a verdict."""
    row = next(row for row in claim_rows() if row["id"] == claim) | ({"no_verdict": None} | changed)
    return check_claim(row, row["study"].module("claims"), Results(folder))


def keep(folder, claim, condition):
    """Drop the measurements of a claim that are not so."""
    for path in (folder / "cost").glob(MEASURED[claim]):
        write_frame(read_frame(path).query(condition), path)


# --- languages --------------------------------------------------------------------------------------


def test_seconds_of_java_that_are_a_hundred_times_as_many_show_no_growth(tmp_path):
    """MALLET grows 0.99 times as much as TreeCRF: the slope of its seconds is 99 times as steep."""
    plant_windows(tmp_path, at_smallest=100.0, ratio=0.99)
    plant_features(tmp_path, ratio=0.99)
    finding = find(tmp_path, "I2")
    assert finding.verdict == find(tmp_path, "P3.10").verdict == "not_replicated"
    assert "grow 2.31 times with MALLET and 2.33 times with TreeCRF, ratio 0.99" in finding.numbers


def test_which_is_faster_does_not_decide_what_grows_faster(tmp_path):
    plant_windows(tmp_path, at_smallest=100.0, ratio=1.1)
    finding = find(tmp_path, "I2")
    assert finding.verdict == "replicated"
    assert dict(finding.beside)["MALLET (Java) is faster at the smallest window"].verdict == "not_replicated"


def test_seconds_bend_upwards_where_their_power_is_above_one(tmp_path):
    """From 1 to 11 seconds grow with the power 1 if they grow 11 times."""
    for growth, expected in ((11.1, "replicated"), (10.9, "not_replicated")):
        plant_windows(tmp_path, 1.0, growth / 2.33)
        assert dict(find(tmp_path, "I2").beside)["MALLET's seconds rise at a growing rate"].verdict == expected


def test_both_slopes_are_shown_and_only_their_difference_decides(tmp_path):
    plant_lengths(tmp_path, 2.0, 1.9)
    finding = find(tmp_path, "P3.9")
    assert finding.verdict == "replicated"
    assert "slope of TreeCRF minus that of MALLET +0.10" in finding.numbers
    assert "2.00 of TreeCRF and 1.90 of MALLET" in finding.numbers
    beside = {name: each.verdict for name, each in finding.beside}
    assert beside["both slopes within 0.1 of 1, lengths 160 to 2560"] == "not_replicated"
    assert beside["rises faster than in our own CRF with feature induction"] == "not_replicated"


def test_slopes_are_those_of_the_lengths_of_the_paper(tmp_path):
    """TreeCRF is the slower of both at 640 and more alone."""
    plant_lengths(tmp_path, 0.9, 1.0)
    path = tmp_path / "cost/scaling.csv"
    frame = read_frame(path)
    frame.loc[(frame["method"] == "treecrf") & (frame["value"] > 320), "seconds"] = 1e9
    write_frame(frame, path)
    finding = find(tmp_path, "P3.9")
    assert finding.verdict == "not_replicated"
    assert dict(finding.beside)["rises faster over lengths 160 to 2560"].verdict == "replicated"


@pytest.mark.parametrize("claim", ["P3.9", "P3.10", "I2"])
def test_another_induction_does_not_stand_for_that_of_mallet(tmp_path, claim):
    next(iter(PLANTED[claim].values()))(tmp_path)
    keep(tmp_path, claim, "method != 'mallet'")
    assert find(tmp_path, claim).verdict == "not_run"


# --- repeats ----------------------------------------------------------------------------------------

UNSTEADY = {
    "P3.9": lambda folder, **how: plant_lengths(folder, 1.02, 1.0, **({"spread": 0.02} | how)),
    "P3.10": lambda folder, **how: plant_features(folder, 1.1, **({"spread": 1.1} | how)),
    "I2": lambda folder, **how: plant_windows(folder, 0.9, 1.1, **({"spread": 1.1} | how)),
}
"""By claim, measurements whose mean agrees with it and whose interval holds its threshold."""


@pytest.mark.parametrize("claim", UNSTEADY)
def test_a_machine_that_grows_slower_from_repeat_to_repeat_leaves_a_claim_decided(tmp_path, claim):
    """What is compared is compared within a repeat: seconds themselves are 4 and 16 times as many."""
    steady = {"spread": 0.0 if claim == "P3.9" else 1.0}
    UNSTEADY[claim](tmp_path, drift=4.0, **steady)
    assert find(tmp_path, claim).verdict == "replicated"


@pytest.mark.parametrize("claim", UNSTEADY)
def test_one_measurement_decides_nothing(tmp_path, claim):
    next(iter(PLANTED[claim].values()))(tmp_path)
    keep(tmp_path, claim, "repeat == 0")
    finding = find(tmp_path, claim)
    assert finding.verdict == "undecided"
    assert "measured once" in finding.numbers


def test_the_interval_of_a_ratio_is_that_of_its_logarithms(tmp_path):
    """Of 2 / 1.1, 2 and 2 * 1.1: 2 * 1.1 ** (± 4.303 / sqrt(3)), with the t quantile of two degrees of freedom."""
    plant_features(tmp_path, 2.0, spread=1.1)
    low, high = (2 * 1.1 ** (sign * 4.3027 / 3**0.5) for sign in (-1, 1))
    assert f"ratio 2.00 (95 % interval {low:.2f} to {high:.2f})" in find(tmp_path, "P3.10").numbers


# --- short cuts -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("times", "gain", "expected"), [(1.0, 1.0, FAILS), (1.1, -0.5, LEANS), (1.1, -0.49, HOLDS), (0.9, -1.0, FAILS)]
)
def test_a_short_cut_is_faster_and_loses_little(times, gain, expected):
    assert faster_without_loss(ShortCut(times, "n", gain=gain), points=0.5) == (expected, expected)


def test_a_text_that_lacks_not_gives_no_verdict(tmp_path):
    plant_starts(tmp_path, (1.5, -1.0), spread=1.01)
    finding = find(tmp_path, "I3", no_verdict="A word is lost.")
    assert finding.verdict == "no_verdict"
    assert finding.explanation.endswith("The check itself would say: partly.")
    assert "1.50 times as fast in seconds (95 % interval 1.46 to 1.54), accuracy −1.00 points" in finding.numbers


def test_iterations_are_shown_beside_seconds(tmp_path):
    plant_starts(tmp_path, (1.5, 0.0))
    for path in (tmp_path / "cost").glob("*/sampling.csv"):
        frame = read_frame(path).assign(plain_iterations_to_likelihood=20, iterations_to_likelihood=40)
        write_frame(frame, path)
    [(_, beside)] = find(tmp_path, "I3").beside
    assert beside.verdict == "not_replicated"
    assert "0.50 times as fast in iterations" in beside.numbers
