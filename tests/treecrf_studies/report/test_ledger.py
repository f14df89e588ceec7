"""The ledger of claims: its rows, its table and its files."""

import pandas as pd
import pytest
from planted_verdicts import PLANTED

from treecrf_studies.report.ledger import (
    COMPARED_TEXTS,
    claim_rows,
    comparisons,
    read_ledger,
    verdicts,
    verdicts_by_rule,
    write_ledger,
)


@pytest.mark.parametrize("exists", [True, False])
def test_without_results_nothing_is_run(tmp_path, exists):
    frame = verdicts(tmp_path if exists else tmp_path / "nowhere")
    assert frame["id"].tolist() == [row["id"] for row in claim_rows()]
    assert set(frame["verdict"]) == {"not_run"}
    assert frame["explanation"].str.endswith(".").all()
    assert (frame["numbers"] == "").all()
    assert (
        frame["explanation"]
        .str.endswith("has no results of a study; name the folder of a run, such as results/demo.")
        .all()
    )


def test_a_snapshot_is_no_folder_of_results(tmp_path):
    (tmp_path / "claims.md").write_text("")
    with pytest.raises(
        ValueError, match=r"has the tables of a snapshot, not the results behind them; name its folder evidence"
    ):
        verdicts(tmp_path)


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """Results that decide some claims, with the ledger that the run writes of them."""
    folder = tmp_path_factory.mktemp("planted")
    for plants in [*PLANTED.values()][3::4]:
        next(iter(plants.values()))(folder)
    write_ledger(folder, decides=True)
    return folder


def test_files_hold_the_frames(planted):
    measured = comparisons(planted)
    frames = verdicts(planted), verdicts_by_rule(planted), measured
    for written, expected in zip(read_ledger(planted), frames, strict=True):
        pd.testing.assert_frame_equal(written, expected, check_dtype=False)
    assert (
        measured.drop(columns=list(COMPARED_TEXTS)).dtypes.eq("float64").all()
    )  # a page of an unfinished run reads them


def test_numbers_behind_a_verdict_are_those_that_it_names(planted):
    claims, _, compared = read_ledger(planted)
    claims = claims.set_index("id")
    assert set(compared["id"]) >= set(claims.index[claims["verdict"] != "not_run"])
    own = compared[compared["part"] == ""]
    alone = own[~own["id"].duplicated(keep=False)]
    words = {"yes": "replicated", "partly": "partly", "no": "not_replicated", "open": "undecided"}
    expected = alone.set_index("id")["holds"].map(words)
    judged = claims.loc[alone["id"], "verdict"]
    judged = judged[judged.isin(words.values())]
    assert len(judged) >= 3
    assert judged.to_dict() == expected[judged.index].to_dict()
    known = compared.dropna(subset=["low", "measured", "high"])
    assert ((known["low"] <= known["measured"]) & (known["measured"] <= known["high"])).all()
