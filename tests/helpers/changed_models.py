"""Starts the programs that ask changed models, and looks at what comes of it."""

import os
import subprocess
import sys
from collections import Counter

from fuzzing import FULL, N_INPUTS, SEED

TOGETHER, MOST_SECONDS = 500, 600
"""Changes that a process makes, and the time that it has."""


def start(worker, *arguments, **options):
    """Run a program that is like `fuzz_models`."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, worker, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, env=environment, **options)


def begin_and_end(worker, folder, begin, end):
    """What came of the changes ``begin .. end - 1``, by number; of one that ended the process, how."""
    try:
        done = start(worker, folder, SEED, begin, end, timeout=MOST_SECONDS)
        output, ending = done.stdout, f"ended by {done.returncode}: {done.stderr[-2000:].decode()}"
    except subprocess.TimeoutExpired as error:
        output, ending = error.stdout or b"", "no end"
    found = {}
    for line in output.decode().splitlines():
        number, what, rest = line.split(" ", 2)
        found[int(number)] = f"FAILED {rest}, {ending}" if what == "begins" else rest.split(" ", 1)[1]
    return found


def assert_sentences_or_labels(worker, folder):
    """Train the models of a program in a folder; every change of them gives a sentence or labels, and no crash."""
    start(worker, "train", folder, check=True)
    found, total = {}, N_INPUTS
    while len(found) < total:
        begin = len(found)
        part = begin_and_end(worker, folder, begin, min(begin + TOGETHER, total))
        assert part, f"no change was made from number {begin}"
        found |= part
    failures = [f"seed {SEED}, change {number}: {what}" for number, what in found.items() if what.startswith("FAILED")]
    kinds = Counter(found.values())
    if FULL:
        print(f"models: seed {SEED}, {total} changes, {kinds['labels']} labelled, {len(failures)} failed")
    assert not failures, f"{len(failures)} of {total} changes failed, the first ones:\n" + "\n".join(failures[:5])
    assert 0 < kinds["labels"] < total / 2
