"""Claims about output coding, on planted results whose verdicts are known."""

import pandas as pd
import pytest
from planted_coding import CODED
from planted_verdicts import PLANTED

from treecrf.io.files import read_frame, write_frame
from treecrf.statistics.metrics import geometric_mean
from treecrf_studies.coding.claims import seconds_ratio
from treecrf_studies.framework.claims.judge import Results
from treecrf_studies.framework.claims.rows import AS_JUDGED, LARGER, check_claim
from treecrf_studies.report.ledger import claim_rows


def find(folder, claim, rule=AS_JUDGED):
    row = next(row for row in claim_rows() if row["id"] == claim)
    return check_claim(row, row["study"].module("claims"), Results(folder), rule)


@pytest.mark.parametrize("claim", ["M8", "M16"])
def test_beams_whose_iterations_are_not_known_decide_nothing(tmp_path, claim):
    PLANTED[claim]["replicated"](tmp_path)
    assert find(tmp_path, claim).verdict == "replicated"
    path = tmp_path / "coding/nettalk_full/scores.csv"
    write_frame(read_frame(path).drop(columns="n_iterations"), path)
    assert find(tmp_path, claim).verdict == "undecided"
    assert "other numbers of iterations" in find(tmp_path, claim).explanation


def test_a_ratio_of_seconds_has_an_interval_over_draws_and_repeats(tmp_path):
    PLANTED["M10"]["replicated"](tmp_path)
    folder = tmp_path / "coding/conll2000_np"
    places = [(seed, repeat) for seed in range(2) for repeat in range(2)]
    seconds = {"vp_beam": [1.0, 2.0, 3.0, 4.0], "vp_cascade_5": [5.0, 4.0, 4.0, 5.0]}
    rows = [
        (method, 1, {"vp_beam": 5}.get(method, 200), *place, value)
        for method, values in seconds.items()
        for place, value in zip(places, values, strict=True)
    ]
    rows += [("vp_cascade_5", 1, 10, *place, 0.1) for place in places]  # a shorter code
    names = ["method", "window", "size", "draw", "repeat", "cpu_seconds"]
    timings = pd.DataFrame(rows, columns=names)
    write_frame(timings, folder / "timings.csv")
    (found,) = ratios(tmp_path)
    expected = geometric_mean([0.2, 0.5, 0.75, 0.8])
    assert (found.value, found.repeated) == (pytest.approx(expected[0]), pytest.approx(expected[1]))
    (folder / "timings.csv").unlink()  # of a run that timed each draw once
    write_frame(timings[timings["repeat"] == 0].drop(columns="repeat"), folder / "runs.csv")
    (found,) = ratios(tmp_path)
    assert found.repeated == pytest.approx(geometric_mean([0.2, 0.75])[1])


def ratios(folder):
    return list(seconds_ratio(Results(folder), "conll2000_np", [("vp_beam", "vp_cascade_best")], [1]))


LARGER_SAMPLES = {
    "nettalk_full": "nettalk_full_5",
    "conll2000_np": "conll2000_np_5",
    "transition": "transition_50",
    "both": "both_50",
}


@pytest.mark.parametrize("claim", [claim for claim in CODED if claim != "M1"])
def test_a_larger_sample_has_a_verdict_of_its_own(tmp_path, claim):
    CODED[claim]["replicated"](tmp_path)
    assert find(tmp_path, claim, LARGER).verdict == "not_run"
    for dataset, larger in LARGER_SAMPLES.items():
        if (tmp_path / "coding" / dataset).is_dir():
            # The larger sample is described as draws of the smaller one.
            (tmp_path / "coding" / dataset).rename(tmp_path / "coding" / larger)
    assert find(tmp_path, claim, LARGER).verdict == "replicated"
    assert find(tmp_path, claim).verdict == "not_run"
