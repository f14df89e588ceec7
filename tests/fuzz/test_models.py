"""Model files whose arrays and headers were changed, their digest right: one sentence or labels, and no crash."""

import subprocess
import sys
from collections import Counter

import pytest
from builders import TESTS
from fuzzing import FULL, N_INPUTS, SEED

WORKER = TESTS / "helpers/fuzz_models.py"
TOGETHER, MOST_SECONDS = 500, 600
"""Changes that a process makes, and the time that it has."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model of every labeller."""
    folder = tmp_path_factory.mktemp("models")
    subprocess.run([sys.executable, WORKER, "train", folder], check=True, capture_output=True)
    return folder


def begin_and_end(folder, begin, end):
    """What came of the changes ``begin .. end - 1``, by number; of one that ended the process, how."""
    command = [sys.executable, WORKER, folder, *map(str, (SEED, begin, end))]
    try:
        done = subprocess.run(command, capture_output=True, timeout=MOST_SECONDS)
        output, ending = done.stdout, f"ended by {done.returncode}: {done.stderr[-2000:].decode()}"
    except subprocess.TimeoutExpired as error:
        output, ending = error.stdout or b"", "no end"
    found = {}
    for line in output.decode().splitlines():
        number, what, rest = line.split(" ", 2)
        found[int(number)] = f"FAILED {rest}, {ending}" if what == "begins" else rest.split(" ", 1)[1]
    return found


def test_changed_models_give_a_sentence_or_labels(folder):
    found, total = {}, N_INPUTS
    while len(found) < total:
        begin = len(found)
        part = begin_and_end(folder, begin, min(begin + TOGETHER, total))
        assert part, f"no change was made from number {begin}"
        found |= part
    failures = [f"seed {SEED}, change {number}: {what}" for number, what in found.items() if what.startswith("FAILED")]
    kinds = Counter(found.values())
    if FULL:
        print(f"models: seed {SEED}, {total} changes, {kinds['labels']} labelled, {len(failures)} failed")
    assert not failures, f"{len(failures)} of {total} changes failed, the first ones:\n" + "\n".join(failures[:5])
    assert 0 < kinds["labels"] < total / 2
