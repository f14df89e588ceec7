"""The ledger of claims: its rows, its table and its files."""

import numpy as np
import pandas as pd
import pytest
from planted_verdicts import PLANTED

from treecrf_studies.registry import registry
from treecrf_studies.report import ledger
from treecrf_studies.report.claim_pages import claim_pages, key_number, reason, with_thresholds, write_list
from treecrf_studies.report.ledger import (
    COMPARED_TEXTS,
    claim_rows,
    comparisons,
    read_comparisons,
    read_ledger,
    verdicts,
    verdicts_by_rule,
    write_ledger,
)
from treecrf_studies.report.papers import claim_path


def test_claims_stand_in_the_order_of_the_papers():
    claims = [row["id"] for row in claim_rows()]
    groups = [(claim[0], float(claim[1:].split(".")[0])) for claim in claims]
    assert groups == sorted(groups, key=lambda group: ("PMIUE".index(group[0]), group[1]))
    assert claims.index("P3.9") + 1 == claims.index("P3.10")


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


def test_an_id_appears_once(monkeypatch):
    monkeypatch.setattr(ledger, "registry", lambda: (*registry(), registry()[0]))
    with pytest.raises(ValueError, match=r"the claim P3\.1 appears twice; give one of the two another id"):
        claim_rows()


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """Results that decide many claims, with the ledger that the run writes of them."""
    folder = tmp_path_factory.mktemp("planted")
    for plants in PLANTED.values():
        next(iter(plants.values()))(folder)
    write_ledger(folder, decides=True)
    return folder


def test_files_hold_the_frames(planted):
    frames = verdicts(planted), verdicts_by_rule(planted)
    for written, expected in zip(read_ledger(planted), frames, strict=True):
        pd.testing.assert_frame_equal(written, expected, check_dtype=False)
    measured = comparisons(planted)
    pd.testing.assert_frame_equal(read_comparisons(planted), measured, check_dtype=False)
    assert (
        measured.drop(columns=list(COMPARED_TEXTS)).dtypes.eq("float64").all()
    )  # a page of an unfinished run reads them


def test_numbers_behind_a_verdict_are_those_that_it_names(planted):
    claims, compared = read_ledger(planted)[0].set_index("id"), read_comparisons(planted)
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


def test_every_claim_has_a_page_and_a_line_in_the_list(planted):
    (claims, by_rule), compared = read_ledger(planted), read_comparisons(planted)
    first, *others = claim_pages(claims, by_rule, compared)
    assert [page.path for page in others] == [claim_path(claim) for claim in claims["id"]]
    tables = [
        section.parts[0].layout for section in first.groups[0].sections if section.identifier.startswith("claims-")
    ]
    listed = [link.text for table in tables for cell in table["claim"] for link in cell.links]
    assert listed == claims["id"].tolist()
    assert [cell.verdict for table in tables for cell in table["sequence-level test"]] == claims["verdict"].tolist()


def comparison(**changed):
    """One comparison behind a verdict, as the ledger writes it."""
    values = {"id": "A", "part": "", "dataset": "d", "unit": "points", "what": "a vs b", "measured": 0.4, "low": 0.27, "high": 0.6, "level": 90, "p": 0.2, "papers_p": 0.1,
              "limits": "-0.5 0.5", "holds": "open", "numbers": ""}  # fmt: skip
    return pd.DataFrame([values | changed])


def why(verdict, compared):
    return reason({"verdict": verdict, "explanation": ""}, compared)


def test_the_reason_of_a_verdict_names_the_interval_and_what_it_contains():
    assert why("undecided", comparison()) == "The 90 % interval +0.27 to +0.60 contains the 0.5-point margin."
    assert key_number(comparison()) == "+0.40 points (+0.27 to +0.60)"


def test_the_list_of_claims_is_one_file(planted, tmp_path):
    write_list(planted, tmp_path / "claims.html")
    page = (tmp_path / "claims.html").read_text(encoding="utf-8")
    counts = read_ledger(planted)[0]["verdict"].value_counts()
    for verdict, n_claims in counts.items():
        assert page.count(f'verdict-{verdict}"') >= n_claims
    assert "://" not in page


def test_an_interval_within_the_margin_says_that_methods_are_equivalent():
    compared = comparison(measured=0.1, low=-0.2, high=0.3, holds="no")
    assert "lies within ±0.5 points: the methods are equivalent" in why("not_replicated", compared)


TIME = {"what": "time", "level": 95, "unit": "", "p": np.nan, "papers_p": np.nan}


def test_a_time_that_was_measured_once_has_no_interval():
    assert why("undecided", comparison(**TIME, measured=0.16, low=0.0, high=np.inf, limits="1")) == "The value is 0.16."


def test_a_value_with_two_thresholds_names_them():
    of_both = {**TIME, "measured": 80.0, "low": 60.0, "high": 99.0}
    rows = [comparison(**of_both, limits="1", holds="yes"), comparison(**of_both, limits="1 3", holds="no")]
    compared = with_thresholds(pd.concat(rows, ignore_index=True))
    assert compared["what"].tolist() == ["time, threshold 1", "time, threshold 1 and 3"]
    assert why("partly", compared).endswith(
        "the 95 % interval 60.00 to 99.00 for time, threshold 1 and 3 on d excludes the thresholds 1 and 3."
    )
