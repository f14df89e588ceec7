"""The evidence of a snapshot: it alone gives the verdicts of the run."""

import datetime
from pathlib import Path

import pandas as pd
import pytest
from builders import ROOT
from planted_claims import PLANTED, plant

from treecrf.io.configuration import read_configuration
from treecrf.io.files import write_frame
from treecrf.report.evidence import about_evidence, write_evidence
from treecrf.report.ledger import claim_rows, verdicts
from treecrf.report.snapshot import write_snapshot
from treecrf.studies import registry
from treecrf.studies.claim_rows import INDUCTION_METHODS, check_claim
from treecrf.studies.claims import Results
from treecrf.studies.settings import load_settings

ROWS = {row["id"]: row for row in claim_rows() if "study" in row}


def settings_of(results, *more):
    """The papers' protocol, on more data sets."""
    known = read_configuration([ROOT / "config/config.yaml"])
    datasets = known["datasets"] | {name: {} for name in more}
    training = known["training"] | {"datasets": [*more, *known["training"]["datasets"]]}
    return load_settings(known | {"results": str(results), "datasets": datasets, "training": training})


def find(folder, claim):
    return check_claim(ROWS[claim], ROWS[claim]["study"].module("claims"), Results(folder))


@pytest.mark.parametrize("claim", PLANTED)
def test_evidence_alone_gives_the_verdict(tmp_path, claim):
    for place, plants in enumerate(PLANTED[claim]):
        results, evidence = tmp_path / f"results_{place}", tmp_path / f"evidence_{place}"
        plants(results)
        write_evidence(settings_of(results), evidence)
        expected, found = find(results, claim), find(evidence, claim)
        assert expected.verdict != "not_run"
        assert (found.verdict, found.datasets) == (expected.verdict, expected.datasets)


def test_a_snapshot_holds_what_its_claims_rest_on(results, tmp_path):
    for plants in PLANTED.values():
        plants[0](results)
    write_frame(verdicts(results), results / "claims.csv")
    write_snapshot(settings_of(results, "hmm"), tmp_path / "snapshot", datetime.date(2000, 1, 2))
    written = pd.read_csv(tmp_path / "snapshot/claims.csv").set_index("id")["verdict"]
    assert (written == "replicated").sum() > 15
    found = verdicts(tmp_path / "snapshot/evidence").set_index("id")["verdict"]
    assert found.to_dict() == written.to_dict()


def test_claims_read_the_frames_that_their_studies_declare(tmp_path, monkeypatch):
    read = set()
    table = Results.table

    def recorded(results, *parts):
        read.add((parts[0], Path(parts[-1]).stem))
        return table(results, *parts)

    monkeypatch.setattr(Results, "table", recorded)
    for claim, plants in PLANTED.items():
        plants[0](tmp_path / claim)
        find(tmp_path / claim, claim)
    assert read == {(study.name, name) for study in registry() for name in study.claimed}


def test_curves_are_those_of_the_methods_that_claims_compare(tmp_path):
    [kept] = [study.claimed_of for study in registry() if study.claimed_of]
    assert {name: set(methods) for name, methods in kept.items()} == {"curves": {"treecrf", *INDUCTION_METHODS}}
    assert "of `curves` (training) the methods `treecrf`, `mallet`, `induced_crf` alone" in about_evidence()
    methods = ["treecrf", "lightgbm", "mallet"]
    plant(
        pd.DataFrame({"method": methods, "accuracy": 200 / 3, "run": 123456789}),
        tmp_path,
        "training",
        "protein",
        "curves",
    )
    write_evidence(settings_of(tmp_path), tmp_path / "evidence")
    text = (tmp_path / "evidence/training/protein/curves.csv").read_text()
    assert text == "method,accuracy,run\ntreecrf,66.6667,123456789\nmallet,66.6667,123456789\n"
