"""What two manifests say differently."""

import json

import pytest
from planted_runs import plant_manifest, plant_run

from treecrf.report.comparing.changes import find_changes
from treecrf.report.comparing.runs import open_run


@pytest.fixture
def changes(tmp_path):
    """Gives the changes between two runs with these manifests."""

    def find(*arguments):
        folders = [plant_run(tmp_path / str(place)) for place in range(2)]
        for folder, given in zip(folders, arguments, strict=True):
            path = plant_manifest(folder, **given.get("planted", {}))
            path.write_text(json.dumps({**json.loads(path.read_text()), **given.get("edited", {})}))
        with open_run(folders[0]) as one, open_run(folders[1]) as other:
            return [tuple(row) for row in find_changes(one, other).itertuples(index=False)]

    return find


def test_nothing_changed(changes):
    assert changes({}, {}) == []


def test_every_key_that_changed_is_there(changes):
    given = {"datasets": ["toy"], "methods": ["a"], "l2_regularizations": [1, 2]}
    found = changes({}, {"planted": {"seed": 3, "training": given}})
    assert ("setting", "seed", "0", "3") in found
    assert ("setting", "training.methods", '["…", "b"]', '["…"]') in found
    assert [row[3] for row in found if row[1] == "training.l2_regularizations"] == ["[1.0, 2.0]"]


def test_code_versions_machine_and_raw_files(changes):
    edited = {
        "commit": "abc", "machine": {"cpu": "one", "cores": 2}, "versions": {"numpy": "1", "old": "2"},
        "raw_files": [{"data set": "toy", "file": "x", "SHA-256": "00"}],
    }  # fmt: skip
    later = {
        "commit": "def", "machine": {"cpu": "other", "cores": 2}, "versions": {"numpy": "2"},
        "raw_files": [{"data set": "toy", "file": "x", "SHA-256": "11"}],
    }  # fmt: skip
    assert changes({"edited": edited}, {"edited": later, "planted": {"code": {"kernels": "ffff"}}}) == [
        ("code", "commit", "abc", "def"),
        ("code", "kernels", "4567", "ffff"),
        ("version", "numpy", "1", "2"),
        ("version", "old", "2", ""),
        ("machine", "machine.cpu", "one", "other"),
        ("raw file", "toy: x", "00", "11"),
    ]


def test_an_older_manifest_may_know_less(changes):
    def edit(**more):
        return {"edited": {"commit": "abc"} | more}

    later = {"planted": {"code": {"kernels": "ffff"}}, "edited": {"commit": "abc", "versions": {}}}
    assert {row[0] for row in changes(edit(), later)} == {"code", "version"}
