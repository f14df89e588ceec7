"""Two kills and a damaged result; `make test-faults` has many more."""

import json
import random
from pathlib import Path

import pytest
from comparing import result_digests
from disturbing import Workflow, flip
from runs import NOTHING, TRAINING

pytestmark = pytest.mark.workflow

SETTINGS = NOTHING | {
    "results": "results",
    "reports": "reports",
    "datasets": {"xor": {}},
    "training": TRAINING | {"datasets": ["xor"], "methods": ["treecrf", "linear_crf"]},
}


@pytest.fixture
def workflow(tmp_path):
    """Makes runs that end with the test."""
    runs = []

    def make(name):
        runs.append(Workflow(tmp_path / name, SETTINGS, {}))
        return runs[-1]

    yield make
    for run in runs:
        run.kill()


def test_a_killed_run_goes_on_to_the_same_results(workflow):
    undisturbed, killed = workflow("undisturbed"), workflow("killed")
    code, messages = undisturbed.finish()
    assert code == 0, messages
    expected = result_digests(undisturbed.results)
    moments = random.Random(0)
    for part in (".cache/*.zip", ".parquet"):  # in the middle of a job, and after one
        killed.start()
        while not killed.is_done(moments.uniform(0.0, 0.1)) and not list(killed.results.glob(f"training/xor/*{part}")):
            pass
        assert killed.kill() > 1
        assert killed.wrong_files(expected, finished=False) == []
    damaged = killed.results / "data/xor/test.npz"
    flip(damaged)
    code, messages = killed.finish()
    assert code != 0
    assert "results/data/xor/test.npz: damaged or changed" in messages
    damaged.unlink()
    code, messages = killed.finish()
    assert code == 0, messages
    assert killed.wrong_files(expected, finished=True) == []
    kinds = {}
    for file in json.loads((killed.results / "manifest.json").read_text())["files"]:
        kinds[file["kind"], Path(file["path"]).suffix] = killed.results / file["path"]
    gone = [*kinds.values(), killed.folder / "reports/run.html"]
    for path in gone:
        path.unlink()
    assert killed.finish()[0] == 0
    assert killed.wrong_files(expected, finished=True) == []
    assert [path for path in gone if not path.is_file() and "benchmarks" not in path.parts] == []
    assert "  all" not in killed.finish()[1]  # nothing is left to do
    assert not list(killed.folder.rglob("*.cache"))
    assert not list(killed.results.rglob("*.tmp"))
