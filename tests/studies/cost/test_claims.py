"""Claims about times, on planted measurements whose verdicts are known."""

import pytest
from planted_claims import plant_features, plant_lengths, plant_windows
from planted_verdicts import PLANTED, plant_starts

from treecrf.io.files import read_frame, write_frame
from treecrf.report.ledger import claim_rows
from treecrf.studies.cost.claims import ShortCut, faster_without_loss
from treecrf.studies.framework.claims.judge import FAILS, HOLDS, LEANS, Results
from treecrf.studies.framework.claims.rows import check_claim

MEASURED = {
    "P3.9": "scaling.csv", "P3.10": "scaling.csv", "I2": "*/windows.csv", "I3": "*/sampling.csv",
}  # fmt: skip
"""By claim, the files of the measurements that `PLANTED` writes."""


def find(folder, claim):
    row = next(row for row in claim_rows() if row["id"] == claim)
    return check_claim(row, row["study"].module("claims"), Results(folder))


def keep(folder, claim, condition):
    """Drop the measurements of a claim that are not so."""
    for path in (folder / "cost").glob(MEASURED[claim]):
        write_frame(read_frame(path).query(condition), path)


# --- languages --------------------------------------------------------------------------------------


def test_from_window_1_to_11_seconds_of_java_that_are_a_hundred_times_as_many_show_no_growth(tmp_path):
    """MALLET grows 2.30 times and TreeCRF 2.33: the slope of MALLET's seconds is 99 times as steep."""
    plant_windows(tmp_path, at_smallest=100.0, ratio=0.99, mallet=2.30)
    finding = find(tmp_path, "I2")
    assert finding.verdict == "not_replicated"
    assert "grow 2.31 times with CRF with induction and 2.33 times with TreeCRF, ratio 0.99" in finding.numbers
    assert "in Java, 2.30 times with MALLET" in finding.numbers


def test_a_slow_induction_does_not_grow_faster_for_that(tmp_path):
    """A thousand times the seconds of trees at every number of features: a slope of seconds a thousand times as steep."""
    plant_features(tmp_path, ratio=0.99)
    assert find(tmp_path, "P3.10").verdict == "not_replicated"


def test_seconds_in_java_are_compared_with_nothing(tmp_path):
    """MALLET's grow fifty times with the window."""
    plant_windows(tmp_path, 0.9, 1.5)
    assert find(tmp_path, "I2").verdict == "partly"


def test_each_method_has_a_slope_of_its_own_whatever_its_language(tmp_path):
    plant_lengths(tmp_path, 1.0, 1.0)
    assert "MALLET has slope 1.00" in find(tmp_path, "P3.9").numbers
    keep(tmp_path, "P3.9", "method != 'mallet'")
    assert "CRF with induction has slope 3.00" in find(tmp_path, "P3.9").numbers


@pytest.mark.parametrize("claim", ["P3.10", "I2"])
def test_mallet_alone_is_not_what_trees_are_compared_with(tmp_path, claim):
    PLANTED[claim]["replicated"](tmp_path)
    keep(tmp_path, claim, "method != 'induced_crf'")
    assert find(tmp_path, claim).verdict == "not_run"


# --- repeats ----------------------------------------------------------------------------------------

UNSTEADY = {
    "P3.9": lambda folder, **how: plant_lengths(folder, 1.09, 1.0, **({"spread": 0.02} | how)),
    "P3.10": lambda folder, **how: plant_features(folder, 2.1, **({"spread": 1.1} | how)),
    "I2": lambda folder, **how: plant_windows(folder, 0.9, 2.1, **({"spread": 1.1} | how)),
    "I3": lambda folder, **how: plant_starts(folder, (1.02, 0.0), **({"spread": 1.1} | how)),
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
    PLANTED[claim]["replicated"](tmp_path)
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


def test_accuracy_is_lost_however_long_the_interval_of_times_is(tmp_path):
    plant_starts(tmp_path, (1.5, -1.0), spread=1.01)
    finding = find(tmp_path, "I3")
    assert finding.verdict == "partly"
    assert "1.50 times as fast (95 % interval 1.46 to 1.54), accuracy −1.00 points" in finding.numbers
