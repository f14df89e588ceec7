"""A run with its manifest, archived, and compared with itself and with another one."""

import json
import re
import shutil

import pandas as pd
import pytest
from runs import check, run

from treecrf.io.files import read_configuration, sha256
from treecrf_studies.framework.paths import StudyFiles
from treecrf_studies.framework.settings import load_settings
from treecrf_studies.registry import registry
from treecrf_studies.report.comparing import write_comparison

pytestmark = pytest.mark.workflow


def test_the_manifest_lists_what_the_run_has_written(finished):
    results = finished / "results"
    manifest = json.loads((results / "manifest.json").read_text())
    assert set(manifest["code"]) == {study.name for study in registry()} | {"claims"}
    assert manifest["settings"]["training"]["n_perturbed_runs"] == 2
    listed = {file["path"]: file for file in manifest["files"]}
    there = {path.relative_to(results).as_posix() for path in results.rglob("*") if path.is_file()}
    beside = {
        path
        for path in there
        if path.startswith(("logs/", "captions/")) or ".checksums/" in path or path.endswith("/kernels.json")
    }
    beside |= {
        f"benchmarks/{step}.json" for step in ("write_manifest", "write_explorer")
    }  # written after it, or beside it
    assert there - beside - {"manifest.json"} == set(listed)
    settings = load_settings(read_configuration([finished / "config/config.yaml", finished / "settings.yaml"]))
    made = {path for study in registry() for path in StudyFiles(study, settings).everything()}
    assert made == {f"results/{path}" for path, file in listed.items() if file["kind"] not in ("benchmark", "claims")}
    assert all(file["sha256"] == sha256(results / path) for path, file in listed.items() if file["kind"] != "benchmark")


@pytest.mark.slow
def test_an_archive_is_compared_with_the_run_that_it_is_of(finished, whole):
    run(finished, whole, "--keep-going", "archive")
    (archive,) = (finished / "archives").iterdir()
    run(finished, whole, "--keep-going", "compare", "--config", f"compare={archive.relative_to(finished)}")
    assert pd.read_csv(finished / "reports/comparison/numbers.csv").empty
    page = (finished / "reports/comparison/index.html").read_text()
    assert re.search(r"Settings, versions and raw files that differ: 0\. Numbers that differ: 0 of [\d,]{5,}\.", page)
    check(page)


@pytest.mark.slow
def test_another_setting_changes_the_numbers_of_its_study_only(finished, whole, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(finished, other)
    run(other, whole | {"training": whole["training"] | {"variances": [0.001]}, "overwrite": True})
    write_comparison(finished / "results", other / "results", tmp_path / "there")
    assert pd.read_csv(tmp_path / "there/settings.csv")["name"].tolist() == ["training.variances"]
    numbers = pd.read_csv(tmp_path / "there/numbers.csv")
    assert set(numbers["study"]) == {"training"}
    listed = numbers[(numbers["frame"] == "summary") & (numbers["column"] == "value")]
    assert listed["row"].str.contains("method linear_crf").all()
    expected = []
    for dataset in sorted(set(listed["dataset"])):
        before, after = (
            pd.read_csv(folder / f"results/training/{dataset}/summary.csv")["value"] for folder in (finished, other)
        )
        expected += (after - before)[after != before].dropna().tolist()
    assert listed.sort_values("dataset", kind="stable")["difference"].tolist() == pytest.approx(expected)
    assert min(expected) < 0  # hardly any weight is left
