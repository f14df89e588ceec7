"""The ledger of claims: its rows, its table and its files."""

import re

import pandas as pd
import pytest
from builders import STYLE, Elements
from planted_verdicts import PLANTED, SAME, UP, pairs

from treecrf.report import ledger
from treecrf.report.ledger import claim_rows, read_ledger, verdicts, verdicts_by_rule
from treecrf.report.ledger_page import HEADINGS, ledger_fragment, write_ledger
from treecrf.studies import registry


def test_the_ledger_keeps_its_headings_on_narrow_screens(tmp_path):
    elements = Elements(ledger_fragment(verdicts(tmp_path), verdicts_by_rule(tmp_path)))
    roles = {
        tag: {attributes.get("role") for attributes in elements.all(tag)}
        for tag in ("table", "thead", "tbody", "tr", "td")
    }
    assert roles == {"table": {"table"}, "thead": {"rowgroup"}, "tbody": {"rowgroup"}, "tr": {"row"}, "td": {"cell"}}
    assert {head["role"] for head in elements.all("th")} == {"columnheader", "rowheader"}
    assert {cell["data-label"] for cell in elements.all("td")} == set(HEADINGS[1:])
    assert not re.search(r"thead \{ display: none", STYLE)
    assert "content: attr(data-label)" in STYLE


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


def test_the_table_shows_every_claim_and_escapes(tmp_path):
    for plants in PLANTED.values():
        next(iter(plants.values()))(tmp_path)
    frame = verdicts(tmp_path)
    html = ledger_fragment(frame, verdicts_by_rule(tmp_path))
    assert html.count('<tr role="row">') == len(frame) + 1
    for claim in frame["id"]:
        assert html.count(f'id="claim-{claim}"') == 1
    assert "(p&lt;0.001)" in html
    counts = frame["verdict"].value_counts()
    for verdict, n_claims in counts.items():
        assert html.count(f'data-verdict="{verdict}"') == n_claims
    assert f"{len(frame)} claims: {counts['replicated']} replicated" in html


def test_files_hold_the_frame(tmp_path):
    pairs("treecrf", "induced_crf", faq_ai_general=UP, protein=SAME)(tmp_path)
    frame, by_rule = verdicts(tmp_path), verdicts_by_rule(tmp_path)
    write_ledger(frame, by_rule, tmp_path)
    for written, expected in zip(read_ledger(tmp_path), (frame, by_rule), strict=True):
        pd.testing.assert_frame_equal(written, expected, check_dtype=False)
    page = (tmp_path / "claims.html").read_text(encoding="utf-8")
    assert ledger_fragment(frame, by_rule) in page
    assert page.count("Data: faq_ai_general<") == 1  # P3.3
    assert "http" not in page
