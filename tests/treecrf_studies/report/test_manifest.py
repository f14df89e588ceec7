"""The manifest of a run: what it says, and which files it lists."""

import json

import pytest
from planted_runs import CODE, plant_manifest, plant_run, settings_of

from treecrf.io.files import sha256
from treecrf_studies.report.archive import listed_files, read_manifest, run_files


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
    for name in ("claims.csv", "kernels/figure_1.svg", "kernels/tables/accuracy.csv", "kernels/toy/seed_0.train.npz"):
        (run / name).parent.mkdir(exist_ok=True, parents=True)
        (run / name).write_text(name)
    files = {file["path"]: file for file in read_manifest(plant_manifest(run))["files"]}
    assert list(files) == sorted(files)
    expected = {
        "training/toy/a.predictions.parquet": ("training", "toy", "frame"),
        "missing/toy/b.counts.parquet": ("missing", "toy", "frame"),
        "kernels/toy/runs.csv": ("kernels", "toy", "frame"),
        "kernels/toy/description.json": ("kernels", "toy", "description"),
        "kernels/figure_1.svg": ("kernels", "", "figure"),
        "kernels/tables/accuracy.csv": ("kernels", "", "table"),
        "kernels/toy/seed_0.train.npz": ("kernels", "toy", "data"),
        "claims.csv": ("", "", "claims"),
        "benchmarks/training/tabulate.tsv": ("training", "", "benchmark"),
    }
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


GOOD = {"path": "a/b.csv", "study": "", "dataset": "", "kind": "frame", "bytes": 1, "sha256": "0" * 64}


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("commit", "abc-/../../.."),
        ("commit", 3),
        ("commit", "abc/../x"),
        ("written", "../2026"),
        ("written", None),
        ("files", {}),
        ("files", None),
        ("files", [None]),
        ("files", [{}]),
        ("files", [GOOD | {"sha256": 1}]),
        ("files", [GOOD | {"kind": "letter"}]),
        ("files", [GOOD | {"more": 1}]),
        *(
            ("files", [GOOD | {"path": path}])
            for path in ("/etc/passwd", "../a", "a/../../b", "", "a//b", "a\\b", "C:/x", "a\nb", 7)
        ),
        ("settings", []),
        ("settings", json.loads('{"a":' * 50 + "1" + "}" * 50)),
        ("versions", {"numpy": 2}),
        ("raw_files", [{"file": "x"}]),
        ("seeds", [1]),
        ("code", None),
        ("machine", {}),
        ("more", 1),
    ],
)
def test_a_manifest_of_somebody_else_is_checked_before_it_is_used(tmp_path, part, value):
    path = plant_manifest(plant_run(tmp_path / "run"))
    path.write_text(json.dumps(json.loads(path.read_text()) | {part: value}))
    with pytest.raises(
        ValueError, match=rf"^({part} of |(\w+ of )?file 0 of )?\S*manifest\.json .*; restore it, or run again\.$"
    ):
        read_manifest(path)


def test_the_file_that_is_wrong_is_named(tmp_path):
    path = plant_manifest(plant_run(tmp_path / "run"))
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps(manifest | {"files": [*manifest["files"], GOOD | {"path": "../a"}]}))
    sentence = rf"^path of file {len(manifest['files'])} of \S+ is '\.\./a': give a path below the folder of results; "
    with pytest.raises(ValueError, match=sentence):
        read_manifest(path)


@pytest.mark.parametrize("part", ["written", "commit", "versions", "settings", "raw_files", "files"])
def test_a_manifest_that_lacks_a_part_is_refused(tmp_path, part):
    path = plant_manifest(plant_run(tmp_path / "run"))
    path.write_text(json.dumps({name: value for name, value in json.loads(path.read_text()).items() if name != part}))
    with pytest.raises(ValueError, match=f"has no {part}; restore it"):
        read_manifest(path)


def test_a_link_to_a_file_outside_of_the_results_is_refused(tmp_path):
    run = plant_run(tmp_path / "run")
    plant_manifest(run)
    file = run / "kernels/toy/runs.csv"
    file.rename(tmp_path / "elsewhere.csv")
    file.symlink_to(tmp_path / "elsewhere.csv")
    with pytest.raises(ValueError, match=r"runs\.csv leads outside of"):
        list(listed_files(run, read_manifest(run / "manifest.json"), ("frame",)))
