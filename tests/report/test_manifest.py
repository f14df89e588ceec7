"""The manifest of a run: what it says, and which files it lists."""

import json

import pytest
from planted_runs import CODE, plant_manifest, plant_run, settings_of

from treecrf.io.checksums import sha256
from treecrf.report.manifest import read_manifest, run_files


def test_it_says_what_the_run_was(tmp_path):
    run = plant_run(tmp_path / "run")
    manifest = read_manifest(plant_manifest(run, seed=7))
    assert manifest["written"] == "2026-01-02T03:04:05+00:00"
    assert manifest["code"] == CODE
    assert manifest["settings"]["training"]["methods"] == ["a", "b"]
    assert manifest["seeds"]["seed"] == "7"
    assert "numpy" in manifest["versions"]
    assert not {"results", "reports", "archives", "compare"} & manifest["settings"].keys()
    for name in ("commit", "machine", "raw_files"):
        assert name in manifest


def test_it_lists_every_file_with_its_place(tmp_path):
    run = plant_run(tmp_path / "run")
    (run / "benchmarks/training").mkdir(parents=True)
    (run / "benchmarks/training/tabulate.tsv").write_text("s\n1\n")
    for name in ("claims.csv", "kernels/figure_1.svg", "kernels/tables/accuracy.tex", "kernels/toy/seed_0.train.npz"):
        (run / name).parent.mkdir(exist_ok=True, parents=True)
        (run / name).write_text(name)
    files = {file["path"]: file for file in read_manifest(plant_manifest(run))["files"]}
    assert list(files) == sorted(files)
    expected = {
        "training/toy/a.predictions.parquet": ("training", "toy", "frame"), "missing/toy/b.counts.parquet": ("missing", "toy", "frame"),
        "kernels/toy/runs.csv": ("kernels", "toy", "frame"), "kernels/toy/description.json": ("kernels", "toy", "description"),
        "kernels/figure_1.svg": ("kernels", "", "figure"), "kernels/tables/accuracy.tex": ("kernels", "", "table"),
        "kernels/toy/seed_0.train.npz": ("kernels", "toy", "data"), "claims.csv": ("", "", "claims"),
        "benchmarks/training/tabulate.tsv": ("training", "", "benchmark"),
    }  # fmt: skip
    for path, place in expected.items():
        assert (files[path]["study"], files[path]["dataset"], files[path]["kind"]) == place
        assert files[path]["sha256"] == sha256(run / path)
        assert files[path]["bytes"] == (run / path).stat().st_size


def test_what_is_written_after_it_is_left_out(tmp_path):
    run = plant_run(tmp_path / "run")
    (run / "benchmarks").mkdir(exist_ok=True)
    for name in (
        "check_claims.tsv",
        "write_explorer.json",
        "write_manifest.json",
    ):  # of an earlier run, which this one rewrites
        (run / "benchmarks" / name).write_text("1\n")
    listed = {file.path for file in run_files(settings_of(run)) if file.kind == "benchmark"}
    assert listed == {"benchmarks/check_claims.tsv"}


def test_files_of_other_settings_are_left_out(tmp_path):
    run = plant_run(tmp_path / "run")
    listed = {file.path for file in run_files(settings_of(run, training={"datasets": ["toy"], "methods": ["a"]}))}
    assert "training/toy/a.predictions.parquet" in listed
    assert "training/toy/b.predictions.parquet" not in listed


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ([], "manifest.json is no manifest of a run"),
        ({}, "manifest.json is no manifest of a run"),
        (
            {"format": "treecrf.run/9"},
            "has the format 'treecrf.run/9', and this version of treecrf knows 'treecrf.run/1'",
        ),
    ],
)
def test_what_is_no_manifest_is_refused(tmp_path, content, sentence):
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match=sentence):
        read_manifest(path)
