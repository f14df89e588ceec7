"""The evidence of a snapshot: it alone gives the verdicts of the run."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from builders import ROOT
from planted_claims import plant, plant_larger
from planted_verdicts import PLANTED

from treecrf.io.files import read_configuration, write_frame
from treecrf_studies.framework.claims.judge import Results
from treecrf_studies.framework.claims.rows import AS_JUDGED, LARGER, check_claim
from treecrf_studies.framework.paths import StudyFiles
from treecrf_studies.framework.settings import load_settings
from treecrf_studies.registry import registry
from treecrf_studies.report.ledger import claim_rows, verdicts, write_ledger
from treecrf_studies.report.snapshot import MOST_ROWS, keep_evidence, write_evidence

ROWS = {row["id"]: row for row in claim_rows() if "study" in row}
PROTOCOL = read_configuration([ROOT / "config/config.yaml"])


def settings_of(results, *more):
    """The papers' settings, on more data sets."""
    datasets = PROTOCOL["datasets"] | {name: {} for name in more}
    training = PROTOCOL["training"] | {"datasets": [*more, *PROTOCOL["training"]["datasets"]]}
    return load_settings(
        PROTOCOL | {"profile": "own", "results": str(results), "datasets": datasets, "training": training}
    )


def write_all(results, folder):
    settings = settings_of(results)
    for study in registry():
        write_evidence(study, settings, folder)


def find(folder, claim, rule=AS_JUDGED):
    return check_claim(ROWS[claim], ROWS[claim]["study"].module("claims"), Results(folder), rule)


@pytest.mark.parametrize("claim", PLANTED)
def test_evidence_alone_gives_the_verdict(tmp_path, claim):
    for verdict, plants in PLANTED[claim].items():
        results, evidence = tmp_path / f"results_{verdict}", tmp_path / f"evidence_{verdict}"
        plants(results)
        write_evidence(ROWS[claim]["study"], settings_of(results), evidence)
        found = find(evidence, claim)
        assert found.verdict == verdict  # as of the results
    assert found.datasets == find(results, claim).datasets


def test_the_ledger_of_the_evidence_is_that_of_the_results(results, tmp_path):
    for plants in PLANTED.values():
        next(iter(plants.values()))(results)
    write_all(results, tmp_path / "evidence")
    write_ledger(tmp_path / "evidence", decides=True, folder=tmp_path)
    written = pd.read_csv(tmp_path / "claims.csv").set_index("id")["verdict"]
    of_run = verdicts(results).set_index("id")["verdict"]
    assert (written == "replicated").sum() > 4
    assert written.to_dict() == of_run.to_dict()


def test_kept_evidence_gives_way_to_descriptions_of_the_run(tmp_path):
    place = "data/protein/description.json"
    for plants, name in ((PLANTED["P3.1"], "old"), (PLANTED["P4.1"], "run")):
        plants["replicated"](tmp_path / name)
    write_all(tmp_path / "old", tmp_path / "evidence")
    (tmp_path / "evidence" / place).write_text("what it once was")
    training, missing = (study for study in registry() if study.name in ("training", "missing"))
    keep_evidence(training, tmp_path / "evidence", tmp_path / "merged")
    assert (tmp_path / "merged" / place).read_text() == "what it once was"
    write_evidence(missing, settings_of(tmp_path / "run"), tmp_path / "merged")
    assert (tmp_path / "merged" / place).read_text() == (tmp_path / "run" / place).read_text()
    assert [find(tmp_path / "merged", claim).verdict for claim in ("P3.1", "P4.1")] == ["replicated", "replicated"]


def test_claims_read_the_frames_that_their_studies_declare(tmp_path, monkeypatch):
    read = set()
    table = Results.table

    def recorded(results, *parts):
        read.add((parts[0], Path(parts[-1]).stem))
        return table(results, *parts)

    monkeypatch.setattr(Results, "table", recorded)
    for claim, plants in PLANTED.items():
        next(iter(plants.values()))(tmp_path / claim)
        find(tmp_path / claim, claim)
    plant_larger(tmp_path / "P3.4", "nettalk", "nettalk_all", ("mallet", "treecrf", 1.0, 0.01))
    assert find(tmp_path / "P3.4", "P3.4", LARGER).verdict == "replicated"
    find(tmp_path / "P4.1", "P4.1", LARGER)
    assert read == {(study.name, name) for study in registry() for name in study.claimed}


def test_evidence_has_every_frame_of_the_explorer(tmp_path):
    settings, expected = settings_of(tmp_path / "run"), set()
    for study in registry():
        files = StudyFiles(study, settings).frames(study.explored)
        assert files.keys() == set(study.explored)
        for path in (path for paths in files.values() for path in paths):
            write_frame(pd.DataFrame({"dataset": ["d"], "method": ["m"]}), path)
            expected.add(Path(path).relative_to(tmp_path / "run"))
    write_all(tmp_path / "run", tmp_path / "evidence")
    assert {path.relative_to(tmp_path / "evidence") for path in tmp_path.glob("evidence/**/*.csv")} == expected


def test_evidence_is_short(tmp_path):
    methods = ["treecrf", "lightgbm"]
    plant(
        pd.DataFrame({"method": methods, "accuracy": 200 / 3, "run": 123456789}),
        tmp_path,
        "training",
        "protein",
        "curves",
    )
    plant(pd.DataFrame({"method": methods}), tmp_path, "training", "protein", "folds")
    write_all(tmp_path, tmp_path / "evidence")
    written = {path.relative_to(tmp_path / "evidence").as_posix(): path for path in tmp_path.glob("evidence/**/*.*")}
    assert set(written) == {"data/protein/description.json", "training/protein/curves.csv"}
    expected = "method,accuracy,run\ntreecrf,66.666667,123456789\nlightgbm,66.666667,123456789\n"
    assert written["training/protein/curves.csv"].read_text() == expected


def test_a_long_frame_is_parquet_in_the_evidence(tmp_path):
    rows = pd.DataFrame({"method": "treecrf", "accuracy": np.linspace(200 / 3, 70, MOST_ROWS + 1)})
    plant(rows, tmp_path / "run", "missing", "protein", "evaluations")
    plant(rows[:MOST_ROWS], tmp_path / "run", "missing", "protein", "costs")
    write_all(tmp_path / "run", tmp_path / "evidence")
    found = {path.name for path in (tmp_path / "evidence/missing/protein").iterdir()}
    assert found == {"evaluations.parquet", "costs.csv"}
    written = pd.read_parquet(tmp_path / "evidence/missing/protein/evaluations.parquet")
    assert written["accuracy"].tolist() == [float(f"{value:.8g}") for value in rows["accuracy"]]
    pd.testing.assert_frame_equal(Results(tmp_path / "evidence").frame("missing", "protein", "evaluations"), written)
