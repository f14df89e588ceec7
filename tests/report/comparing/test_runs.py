"""Opening runs: folders, archives, and what is neither."""

import json
import zipfile

import pytest
from planted_runs import plant_manifest, plant_run, settings_of

from treecrf.report.archive import write_archive
from treecrf.report.comparing.runs import open_run


@pytest.fixture
def archive(tmp_path):
    run = plant_run(tmp_path / "run")
    plant_manifest(run)
    (tmp_path / "run_reports").mkdir()
    return write_archive(settings_of(run))


def refused(path):
    with pytest.raises((ValueError, FileNotFoundError)) as error, open_run(path):
        pass
    assert "\n" not in str(error.value)
    return str(error.value)


def rewritten(archive, path, change):
    """The archive with other members: `change` gives the content of each, or None."""
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            content = change(name, old.read(name))
            if content is not None:
                new.writestr(name, content)
    return path


def test_an_archive_has_what_the_folder_has(archive, tmp_path):
    with open_run(archive) as packed, open_run(tmp_path / "run") as folder:
        assert packed.manifest == folder.manifest
        assert packed.datasets("kernels", "predictions") == folder.datasets("kernels", "predictions") == ["toy"]
        assert packed.frame("kernels", "toy", "predictions").equals(folder.frame("kernels", "toy", "predictions"))
        assert packed.frame("kernels", "toy", "nothing") is None
        assert (packed.changed, folder.changed) == ([], [])
        place = packed.folder
    assert not place.exists()


def test_a_cut_archive_is_damaged(archive, tmp_path):
    cut = tmp_path / "cut.zip"
    cut.write_bytes(archive.read_bytes()[:-100])
    assert refused(cut).startswith(f"{cut} is damaged or no archive of a run")


def test_a_flipped_byte_is_found(archive, tmp_path):
    content = bytearray(archive.read_bytes())
    content[len(content) // 3] ^= 255
    flipped = tmp_path / "flipped.zip"
    flipped.write_bytes(content)
    assert str(flipped) in refused(flipped)


def test_a_member_that_was_exchanged_is_found(archive, tmp_path):
    other = rewritten(archive, tmp_path / "x.zip", lambda name, content: b"x" if name.endswith("runs.csv") else content)
    assert (
        refused(other)
        == f"{other}: kernels/toy/runs.csv differ from its manifest.json; take another copy of the archive."
    )


def test_another_zip_is_no_archive(archive, tmp_path):
    other = rewritten(archive, tmp_path / "x.zip", lambda name, content: None if "manifest" in name else content)
    assert refused(other) == f"{other} has no manifest.json; name an archive that make archive wrote."


def test_an_archive_of_a_newer_format_is_named(archive, tmp_path):
    def newer(name, content):
        return json.dumps({"format": "treecrf.run/2"}) if "manifest" in name else content

    sentence = refused(rewritten(archive, tmp_path / "x.zip", newer))
    assert sentence.startswith(str(tmp_path / "x.zip"))
    assert "has the format 'treecrf.run/2'" in sentence


def test_an_empty_folder_is_no_run(tmp_path):
    assert (
        refused(tmp_path)
        == f"{tmp_path} has no results of a study; name the folder of results of a run, such as results."
    )


def test_the_folder_above_runs_names_one(tmp_path):
    (tmp_path / "words").mkdir()
    (tmp_path / "words/manifest.json").write_text("{}")
    assert refused(tmp_path).endswith(f"such as {tmp_path / 'words'}.")


def test_files_that_changed_after_the_manifest_are_known(tmp_path):
    run = plant_run(tmp_path / "run")
    plant_manifest(run)
    (run / "kernels/toy/runs.csv").write_text("x\n1\n")
    with open_run(run) as opened:
        assert opened.changed == ["kernels/toy/runs.csv"]


def test_files_that_the_manifest_does_not_list_are_not_read(tmp_path):
    run = plant_run(tmp_path / "run")
    plant_manifest(run, kernels={"datasets": ["toy"], "methods": ["a"]})
    with open_run(run) as opened:
        assert set(opened.frame("kernels", "toy", "predictions")["method"]) == {"a"}
